"""Two prompts side by side: what comes next after each, how they go on, and by how much they differ, layer by layer.

``python -m inorder.lab.trained_decoder`` stores what the live figure shows before it has a model.
"""

import re
from collections.abc import Iterable
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from inorder.attention import softmax
from inorder.lab.provenance import provenance
from inorder.lab.records import plain, store_parts
from inorder.pretrained.decoder import (
    NAME,
    PLACEMENTS,
    SHA256,
    WEIGHTS,
    LanguageModel,
    attention,
    generate,
    load,
    logits,
    states,
)
from inorder.stored import FOLDER
from inorder.transformer import LayerState

RESULTS = "trained_decoder.json"
N_NEXT, N_WRITTEN = 8, 12
# One bag of tokens in two orders, the same last word; the figure begins with the first.
PAIRS = (
    ("Yesterday Doctor Moore met Captain Hill. Then Doctor", "Yesterday Doctor Hill met Captain Moore. Then Doctor"),
    ("From Paris to London and", "From London to Paris and"),
    ("The dog bites the man then", "The man bites the dog then"),
    ("When Alice loves Bob and", "When Bob loves Alice and"),
    ("First red then blue then", "First blue then red then"),
    ("The king saw the queen and", "The queen saw the king and"),
    ("The salt without pepper is", "The pepper without salt is"),
    ("The cat and the mouse in the", "The mouse and the cat in the"),
    ("She gave money for love because", "She gave love for money because"),
    ("Alice loves Bob. The one who is loved is", "Bob loves Alice. The one who is loved is"),
    ("The capital of France is", "The France of capital is"),
    ("Once upon a time there was a little girl who", "Once upon a girl there was a little time who"),
)


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


def swapped_prompts(prompt: str) -> list[str]:
    """The prompt with two of its words swapped, in every way; what stands between words stays.

    >>> swapped_prompts("He met her, then")[:2]
    ['met He her, then', 'her met He, then']
    """
    words = list(re.finditer(r"\w+", prompt))
    swaps = [
        prompt[: a.start()] + b[0] + prompt[a.end() : b.start()] + a[0] + prompt[b.end() :]
        for a, b in combinations(words, 2)
    ]
    return [each for each in dict.fromkeys(swaps) if each != prompt]


def continued(prompt: str, lm: LanguageModel) -> dict[str, Any]:
    """{next, text} of one prompt, as `PromptPair` has them of two; its positions as trained."""
    distribution = np.asarray(softmax(np.asarray(logits(prompt, lm))[-1]), np.float64)
    return {"next": _likeliest(distribution, lm), "text": generate(prompt, lm, N_WRITTEN)}


def head_weights(prompt: str, lm: LanguageModel) -> dict[str, Any]:
    """{words, weights}: of each head, layer by layer, each query's weights on the keys up to itself, row after row, in
    35ths, a digit of base 36 each.
    """
    words, weights = attention(prompt, lm)
    rows, columns = np.tril_indices(len(words))
    levels = np.rint(35 * np.asarray(weights)[:, :, rows, columns]).astype(int).reshape(-1, len(rows))
    return {"words": words, "weights": ["".join(np.base_repr(x, 36).lower() for x in head) for head in levels]}


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


def main() -> None:
    """The two prompts of each pair, in every placement; the swaps of the one on show first, and its heads."""
    lm = load()
    made = provenance(
        "python -m inorder.lab.trained_decoder",
        ["numpy", "tokenizers", "gguf"],
        model=NAME,
        file=WEIGHTS,
        sha256=SHA256,
    )
    placements = [{name: prompt_pair(pair, lm, name)._asdict() for name in PLACEMENTS} for pair in PAIRS]
    first = PAIRS[0][1]
    swaps = {prompt: continued(prompt, lm) for prompt in swapped_prompts(first) if prompt not in PAIRS[0]}
    parts = {"pairs": PAIRS, "placements": placements, "swaps": swaps, "heads": head_weights(first, lm)}
    store_parts(FOLDER / RESULTS, {"figure": plain({"provenance": made, **parts})})


if __name__ == "__main__":
    main()
