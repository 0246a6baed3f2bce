"""A trained decoder on texts longer than those of its training: the loss by position, as it is and with its rotations
slowed down.

    python -m studies.longer_decoder              measures all and stores it, in inorder/stored
    python -m studies.longer_decoder alice/yarn   this part alone

SmolLM2-135M was trained on texts of up to 8,192 tokens. Here it reads 12,288, half as many again:

- `trained`, `interpolated`, `ntk`, `yarn`: its rotations as they are, and the three that `for_longer_texts` offers.
- `cut`: as trained, on the second half of the text alone. The last tokens are the same, and no distance is new.
- `gap`: as `cut`, and a sixth of the text stands at the beginning of the whole text, the rest at its end: distances are
  new, and the number of tokens is not.
- `end`, `known gap`: as trained, on the last 2,048 tokens alone; and with a gap in their middle as wide as that of
  `gap`, where no distance is new: what the width of a gap costs by itself.
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
BLOCK, CHUNK = 256, 1024  # tokens whose losses make one mean; rows whose losses are computed at a time
SCALINGS = ("interpolated", "ntk", "yarn")
RUNS = ("trained", *SCALINGS, "cut", "gap", "end", "known gap")


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
) -> Float[np.ndarray, " position-1"]:
    """−log p of each token but the first.

    `decode` of `inorder.transformer` for a text whose tables of weights would not fit into memory, with torch's fused
    attention. The model is in torch.
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
        collected = functional.scaled_dot_product_attention(
            query[None], key[None], value[None], is_causal=True, enable_gqa=True
        )[0]
        x = x + collected.transpose(0, 1).flatten(1) @ attention.w_output
        rows = rms_norm(x, block.norm_feed_forward.gain, eps=config.eps)
        x = x + feed_forward(rows, block.feed_forward, activation=config.activation)
    x = rms_norm(x, norm_output.gain, eps=config.eps)
    targets = torch.from_numpy(tokens[1:])
    losses = [
        functional.cross_entropy(rows @ p.embedding.T, target, reduction="none")
        for rows, target in zip(x[:-1].split(CHUNK), targets.split(CHUNK), strict=True)
    ]
    return torch.cat(losses).numpy()


def measure(text: str, run: str, lm: LanguageModel) -> list[float]:
    """The mean loss of each block of `BLOCK` tokens of a text, or of its last part; the first token has none."""
    tokens, places = long_text(text), np.arange(N)
    if run in SCALINGS:
        lm = for_longer_texts(lm, run, FACTOR)
    elif run in ("end", "known gap"):
        tokens, places = tokens[N - END :], np.arange(END)
        if run == "known gap":
            places[END // 2 :] += N - HALF
    elif run in ("cut", "gap"):
        tokens, places = tokens[N - HALF :], np.arange(HALF)
        if run == "gap":
            places[GAP:] += N - HALF
    losses = token_losses(tokens, lm, places)
    return [
        float(block.mean())
        for block in np.split(losses, np.arange(BLOCK - 1, len(losses), BLOCK))[: len(places) // BLOCK]
    ]


def main() -> None:
    command = "python -m studies.longer_decoder"
    parts = chosen_parts(command, (__doc__ or "").split("\n\n")[0], [f"{text}/{run}" for run in RUNS for text in TEXTS])
    lm = load(like=torch.zeros((), dtype=torch.float32))
    for part in parts:
        text, run = part.split("/")
        common = {"provenance": provenance(command, weights=SHA256), "block": BLOCK, "factor": FACTOR}
        store_parts(FOLDER / RESULTS, {**common, part: plain(measure(text, run, lm))})
        print(part, flush=True)


if __name__ == "__main__":
    main()
