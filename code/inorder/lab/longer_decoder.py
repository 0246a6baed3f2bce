"""A trained decoder on texts longer than those of its training: the loss at each position, as it is and with its
rotations slowed down.

    python -m inorder.lab.longer_decoder              measures all and stores it, in inorder/stored
    python -m inorder.lab.longer_decoder alice/yarn   this part alone

SmolLM2-135M was trained on texts of up to 8,192 tokens. Here it reads 12,288, half as many again:

- `trained`, `interpolated`, `ntk`, `yarn`: its rotations as they are, and the three that `for_longer_texts` offers.
- `windowed`: as trained, and each token sees the nearest 8,192 alone, so that no distance is new.
- `cut`: as trained, on the second half of the text alone. The last tokens are the same, and no distance is new.
- `shifted`: as `cut`, and each token stands where it stands in the whole text.
- `gap`: as `shifted`, and a sixth of the text stands at the beginning of the whole text: distances are new, and the
  number of tokens is not.
- `first gap`: as `gap`, and the first token alone is moved away.
- `known gap`: the tokens of `gap` are moved away, but less far: no distance is new.
- `end`, `wide known gap`: as trained, on the last 2,048 tokens alone; and with a gap in their middle as wide as that of
  `gap`, where no distance is new: what the width of a gap costs by itself.

Beside them, what the slower rotations cost in texts that are no longer than 1,024 tokens.
"""

from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Integer
from torch.nn import functional

from inorder.lab.provenance import provenance
from inorder.lab.records import chosen_parts, plain, store_parts
from inorder.pretrained.decoder import N_POSITIONS, SHA256, LanguageModel, for_longer_texts, load
from inorder.stored import FOLDER, stored
from inorder.transformer import feed_forward, rms_norm

RESULTS, TEXTS = "longer_decoder.json", ("alice", "book")
N, HALF, GAP, END = 12_288, 6_144, 2_048, 2_048  # tokens
FACTOR = N / N_POSITIONS
BLOCK, CHUNK = 256, 1024  # tokens whose losses make one mean; rows that are computed at a time
SCALINGS = ("interpolated", "ntk", "yarn")
RUNS = ("trained", *SCALINGS, "windowed", "cut", "gap", "first gap", "known gap", "shifted", "end", "wide known gap")
SHORT, FACTORS = 1024, (1.5, 2.0, 4.0, 8.0)


def long_text(name: str) -> Integer[np.ndarray, " position"]:
    """The tokens of one of `TEXTS`.

    >>> len(long_text("alice"))
    12288
    """
    with np.load(stored("long_texts.npz")) as texts:
        return texts[name].astype(np.int64)


@torch.inference_mode()
def token_losses(
    tokens: Integer[np.ndarray, " position"],
    lm: LanguageModel,
    positions: Integer[np.ndarray, " position"],
    *,
    window: int | None = None,
) -> Float[np.ndarray, " position-1"]:
    """−log p of each token but the first. With a window, a token sees itself and the window − 1 before it.

    `decode` of `inorder.transformer` for a text whose tables of weights would not fit into memory: a thousand queries
    at a time. The model is in torch.
    """
    p, config = lm.model
    n_key_heads = config.n_key_heads or config.n_heads
    x, places = p.embedding[torch.from_numpy(tokens)], torch.from_numpy(positions)

    def heads(rows: torch.Tensor, weight: torch.Tensor, n_heads: int, turned: bool) -> torch.Tensor:
        columns = (rows @ weight).unflatten(-1, (n_heads, -1)).transpose(0, 1)
        return config.scheme.rotate(columns, places, {}) if turned else columns

    block: Any  # (with norms and a feed-forward part, which others may lack)
    norm_output: Any = p.norm_output
    for block in p.blocks:
        attention, rows = block.attention, rms_norm(x, block.norm_attention.gain, eps=config.eps)
        query = heads(rows, attention.w_query, config.n_heads, True)  # (head, position, d_head)
        key = heads(rows, attention.w_key, n_key_heads, True)
        value = heads(rows, attention.w_value, n_key_heads, False)
        x = x + _attended(query, key, value, window).transpose(0, 1).flatten(1) @ attention.w_output
        rows = rms_norm(x, block.norm_feed_forward.gain, eps=config.eps)
        x = x + feed_forward(rows, block.feed_forward, activation=config.activation)
    x = rms_norm(x, norm_output.gain, eps=config.eps)
    targets = torch.from_numpy(tokens[1:])
    losses = [
        functional.cross_entropy(rows @ p.embedding.T, target, reduction="none")
        for rows, target in zip(x[:-1].split(CHUNK), targets.split(CHUNK), strict=True)
    ]
    return torch.cat(losses).numpy()


def _attended(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, window: int | None) -> torch.Tensor:
    """(head, position, d_head), causal."""
    if window is None:
        return functional.scaled_dot_product_attention(
            query[None], key[None], value[None], is_causal=True, enable_gqa=True
        )[0]
    n, parts = query.shape[1], []
    for start in range(0, n, CHUNK):
        end, first = min(start + CHUNK, n), max(0, start - window + 1)
        distance = torch.arange(start, end)[:, None] - torch.arange(first, end)
        mask = (distance >= 0) & (distance < window)
        parts.append(
            functional.scaled_dot_product_attention(
                query[None, :, start:end], key[None, :, first:end], value[None, :, first:end], mask, enable_gqa=True
            )[0]
        )
    return torch.cat(parts, dim=1)


def measure(text: str, run: str, lm: LanguageModel) -> list[float]:
    """The mean loss of each block of `BLOCK` tokens of a text, or of its second half; the first token has none."""
    tokens, places, window = long_text(text), np.arange(N), None
    if run in SCALINGS:
        lm = for_longer_texts(lm, run, FACTOR)
    elif run == "windowed":
        window = N_POSITIONS
    elif run in ("end", "wide known gap"):
        tokens, places = tokens[N - END :], np.arange(END)
        if run == "wide known gap":
            places[END // 2 :] += N - HALF
    elif run != "trained":
        tokens = tokens[N - HALF :]
        end = {"cut": HALF, "known gap": N_POSITIONS}.get(run, N)
        places = np.arange(end - HALF, end)
        moved = {"gap": GAP, "first gap": 1, "known gap": GAP}.get(run, 0)
        places[:moved] = np.arange(moved)
    losses = token_losses(tokens, lm, places, window=window)
    return [
        float(block.mean())
        for block in np.split(losses, np.arange(BLOCK - 1, len(losses), BLOCK))[: len(places) // BLOCK]
    ]


def short_losses(text: str, lm: LanguageModel) -> dict[str, list[float]]:
    """The mean loss of the last half of `SHORT` tokens, as trained and for each of `FACTORS`."""
    tokens, places = long_text(text)[:SHORT], np.arange(SHORT)

    def loss(model: LanguageModel) -> float:
        return float(token_losses(tokens, model, places)[SHORT // 2 :].mean())

    of_factors = {scaling: [loss(for_longer_texts(lm, scaling, f)) for f in FACTORS] for scaling in SCALINGS}
    return {"trained": [loss(lm)], **of_factors}


def main() -> None:
    every = [f"{text}/{run}" for run in (*RUNS, "short") for text in TEXTS]
    parts = chosen_parts("python -m inorder.lab.longer_decoder", (__doc__ or "").split("\n\n")[0], every)
    lm = load(like=torch.zeros((), dtype=torch.float32))
    for part in parts:
        text, run = part.split("/")
        losses = short_losses(text, lm) if run == "short" else measure(text, run, lm)
        made = provenance("python -m inorder.lab.longer_decoder", weights=SHA256)
        common = {"provenance": made, "block": BLOCK, "factor": FACTOR, "factors": FACTORS}
        store_parts(FOLDER / RESULTS, {**common, part: plain(losses)})
        print(part, flush=True)


if __name__ == "__main__":
    main()
