"""Measures all and stores it, with provenance, in inorder/stored: ``python -m inorder.lab.position_in_depth``."""

from collections.abc import Callable
from typing import Any

from inorder.lab.position_in_depth import experiments
from inorder.lab.provenance import provenance
from inorder.lab.records import chosen_parts, plain, store_parts
from inorder.pretrained import decoder, encoder
from inorder.stored import FOLDER, stored

RESULTS = "position_in_depth.json"


def _alice() -> str:
    return stored("alice.txt").read_text(encoding="utf-8")


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "depths": experiments.depths,
    "small": experiments.small,
    "matched": experiments.matched,
    "streams": lambda: experiments.streams(_alice()),
    "reader": lambda: experiments.reader(_alice()),
    "pairs": lambda: experiments.reader_pairs(_alice()),
    "left": lambda: experiments.left(_alice()),
    "writer": lambda: experiments.writer(_alice()),
    "returns": lambda: experiments.returns(_alice()),
}


def main() -> None:
    about = (__doc__ or "").partition("\n")[0]
    command = "python -m inorder.lab.position_in_depth"
    made = provenance(
        command,
        ["numpy", "torch", "scikit-learn"],
        encoder=f"{encoder.HUB}, SHA-256 {encoder.SHA256}",
        decoder=f"{decoder.NAME}, SHA-256 {decoder.SHA256}",
    )
    for part in chosen_parts(command, about, PARTS):
        store_parts(FOLDER / RESULTS, {part: plain({"provenance": made, **PARTS[part]()}, 4)}, PARTS)
        print(part, flush=True)


if __name__ == "__main__":
    main()
