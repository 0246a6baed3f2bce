"""Untrained stacks of PyTorch's own layer, of both norms, with larger and smaller initial weights: where does each row
still say its position?

    python -m studies.position_by_start        measures and stores, with provenance, in inorder/stored

`nn.TransformerEncoderLayer` as PyTorch draws it, 24 of them, in float64 and without dropout; a table of 10 words and
one of 16 positions, as `nn.Embedding` draws them, or sinusoids. Every matrix of the layers is then multiplied by one
number. A probe is fitted to the rows of 160 texts and tested on those of 160 others.
"""

from collections.abc import Callable

import numpy as np
import torch
from torch import nn

from inorder.encodings import sinusoidal_encoding
from inorder.lab.probes import position_accuracy
from inorder.lab.provenance import provenance
from inorder.lab.records import plain, store_parts
from inorder.stored import FOLDER

N_WORDS, N_POSITIONS, N_TEXTS, N_LAYERS, SEEDS = 10, 16, 160, 24, range(5)
SCALES = (0.5, 1.0, 1.25, 1.5, 2.0, 3.0)
STARTS: dict[str, Callable[[torch.Tensor], object]] = {
    "Xavier in every matrix": nn.init.xavier_uniform_,
    "a standard deviation of 1/√d_in": lambda w: nn.init.normal_(w, std=w.shape[1] ** -0.5),
    "a standard deviation of 0.02": lambda w: nn.init.normal_(w, std=0.02),
}


def draw_layers(norm: str, scale: float = 1.0, start: str = "", d_model: int = 32) -> list[nn.Module]:
    """Layers of PyTorch, their matrices drawn by PyTorch's default or by one of `STARTS`, then multiplied by scale."""
    settings = {"dropout": 0.0, "batch_first": True, "norm_first": norm == "pre", "dtype": torch.float64}
    layers = [nn.TransformerEncoderLayer(d_model, 4, 2 * d_model, **settings) for _ in range(N_LAYERS)]
    with torch.no_grad():
        for w in (w for layer in layers for w in layer.parameters() if w.ndim == 2):
            if start:
                STARTS[start](w)
            w *= scale
    return layers


@torch.no_grad()
def accuracies(seed: int, norm: str, d_model: int = 32, sinusoids: bool = False, **drawn: object) -> list[float]:
    """How often the probe is right, at the input and after each layer."""
    torch.manual_seed(seed)
    words, positions = (nn.Embedding(n, d_model, dtype=torch.float64) for n in (N_WORDS, N_POSITIONS))
    table = positions.weight
    if sinusoids:
        table = torch.from_numpy(sinusoidal_encoding(np.arange(N_POSITIONS), d_model))
    layers = draw_layers(norm, d_model=d_model, **drawn)  # type: ignore[arg-type]
    texts = np.random.default_rng(seed).integers(N_WORDS, size=(2, N_TEXTS, N_POSITIONS))
    rows = [words(torch.from_numpy(half)) + table for half in texts]
    right = [position_accuracy(*(half.numpy() for half in rows))]
    for layer in layers:
        rows = [layer(half) for half in rows]
        right.append(position_accuracy(*(half.numpy() for half in rows)))
    return right


def main() -> None:
    by_scale, others = {}, {}
    for norm in ("post", "pre"):
        by_scale[norm] = {f"{s:g}": [accuracies(seed, norm, scale=s) for seed in SEEDS] for s in SCALES}
        others[norm] = {start: [accuracies(seed, norm, start=start) for seed in SEEDS] for start in STARTS}
        for name, changed in (("rows of 128", {"d_model": 128}), ("sinusoids", {"sinusoids": True})):
            others[norm][f"PyTorch's default, {name}"] = [accuracies(seed, norm, **changed) for seed in SEEDS]
        print(norm, flush=True)
    made = provenance("python -m studies.position_by_start", ["numpy", "torch", "scikit-learn"], seeds=list(SEEDS))
    parts = {"provenance": made, "scales": by_scale, "starts": others}
    store_parts(FOLDER / "position_by_start.json", plain(parts, 4), parts)


if __name__ == "__main__":
    main()
