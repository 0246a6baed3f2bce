"""What the layers of the audit cost as the text grows: counted, not timed.

    python -m inorder.lab.audit_costs        counts, and stores in inorder/stored/audit_costs.json

Operations are counted as torch carries them out, memory is the most that NumPy holds at once: `inorder.audit`.
"""

import json

import numpy as np
import torch

from inorder.audit import D_MODEL, count_operations, peak_bytes
from inorder.lab.provenance import provenance
from inorder.mixers.catalogue import ARCHITECTURES, Architecture, Draw
from inorder.stored import FOLDER

__all__ = [
    "costs",
]

LENGTHS = (32, 64, 128, 256, 512, 1024, 2048)


def costs(architecture: Architecture, lengths: tuple[int, ...] = LENGTHS) -> dict[str, list[int]]:
    """{"operations": one number a length, "bytes": the same}, at width 8.

    >>> from inorder.mixers.catalogue import ARCHITECTURES
    >>> few, many = costs(ARCHITECTURES[0], (64, 128))["operations"]
    >>> 3 < many / few < 4
    True
    """
    like = torch.zeros(1, dtype=torch.float64)
    counts: dict[str, list[int]] = {"operations": [], "bytes": []}
    for n in lengths:
        x = np.random.default_rng(n).normal(size=(n, D_MODEL))
        in_torch = architecture.make(Draw(np.random.default_rng(0), D_MODEL, like=like), n)
        counts["operations"].append(count_operations(in_torch, x))
        counts["bytes"].append(peak_bytes(architecture.make(Draw(np.random.default_rng(0), D_MODEL), n), x))
    return counts


def main() -> None:
    path = FOLDER / "audit_costs.json"
    stored = {
        "provenance": provenance("python -m inorder.lab.audit_costs"),
        "d_model": D_MODEL,
        "lengths": list(LENGTHS),
        "costs": {each.name: costs(each) for each in ARCHITECTURES},
    }
    path.write_text(json.dumps(stored) + "\n", encoding="utf8")
    print(f"stored {path}")


if __name__ == "__main__":
    main()
