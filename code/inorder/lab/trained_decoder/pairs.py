"""Two prompts side by side: what comes next after each, how they go on, and by how much they differ, layer by layer."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from inorder.attention import softmax
from inorder.pretrained.decoder import LanguageModel, generate, logits, states
from inorder.transformer import LayerState

N_NEXT, N_WRITTEN = 8, 12


class PromptPair(NamedTuple):
    """Of two prompts, under the same rule for their positions.

    next        the likeliest tokens after each prompt, with their probabilities
    texts       what the model generates after each
    distance    the total variation distance ½ Σ |p − q| of the two distributions, from 0 to 1
    layers      |a − b| / √(|a| |b|) of the two last rows, before the first layer and after each
    """

    next: list[dict[str, float]]
    texts: list[str]
    distance: float
    layers: Float[np.ndarray, " state"]


def prompt_pair(
    prompts: tuple[str, str], lm: LanguageModel, positions: Any = None, n_written: int = N_WRITTEN
) -> PromptPair:
    """The two prompts under `positions`, as all functions of `inorder.pretrained.decoder` take them.

    Raises ValueError: as `inorder.pretrained.decoder.logits` and `generate`.

    >>> from inorder.pretrained.decoder import load
    >>> pair = prompt_pair(("From Paris to London and", "From London to Paris and"), load(), "unrotated", 1)
    >>> [max(tokens, key=tokens.get) for tokens in pair.next], round(pair.distance, 2)
    ([' New', ' New'], 0.19)
    """
    rows = [last_rows(states(text, lm, positions)).astype(np.float64) for text in prompts]  # of each prompt, (state, d)
    distributions = np.array([softmax(np.asarray(logits(text, lm, positions))[-1]) for text in prompts], np.float64)
    return PromptPair(
        next=[_likeliest(distribution, lm) for distribution in distributions],
        texts=[generate(text, lm, n_written, positions=positions) for text in prompts],
        distance=float(abs(distributions[0] - distributions[1]).sum() / 2),
        layers=relative_differences(*rows),
    )


def _likeliest(distribution: np.ndarray, lm: LanguageModel) -> dict[str, float]:
    ids = np.argsort(-distribution, kind="stable")[:N_NEXT]
    return {lm.tokenizer.decode([int(i)], skip_special_tokens=False): float(distribution[i]) for i in ids}


def last_rows(states: Iterable[LayerState]) -> Float[np.ndarray, "state *batch d_model"]:
    """The last row of the stream, before the first layer and after each."""
    first, *others = states
    return np.stack([np.asarray(x)[..., -1, :] for x in (first.x, first.hidden, *(state.hidden for state in others))])


def relative_differences(
    a: Float[np.ndarray, "*batch d_model"], b: Float[np.ndarray, "*batch d_model"]
) -> Float[np.ndarray, "*batch"]:
    """|a − b| / √(|a| |b|), row by row.

    >>> relative_differences(np.array([[4.0, 0.0]]), np.array([[1.0, 0.0]]))
    array([1.5])
    """
    norm_a, norm_b = (np.linalg.norm(rows, axis=-1) for rows in (a, b))
    return np.linalg.norm(a - b, axis=-1) / np.sqrt(norm_a * norm_b)
