"""Measures a trained encoder, and stores the results, with provenance, in inorder/stored.

python -m inorder.lab.trained_encoder           all
python -m inorder.lab.trained_encoder pairs     this part alone
"""

import json
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np

from inorder.lab.provenance import provenance
from inorder.lab.records import chosen_parts, plain, store_parts
from inorder.lab.trained_encoder.every_order import every_order
from inorder.lab.trained_encoder.heads import OFFSETS, map_changes, offset_weights
from inorder.lab.trained_encoder.pairs import EXAMPLES, RULES, YARDSTICKS, distances
from inorder.lab.trained_encoder.position import room_for_positions, shuffled_table
from inorder.lab.trained_encoder.texts import MOVED, PRONOUN, windows
from inorder.pretrained import HUB, REVISION, SHA256, attention, load
from inorder.stored import FOLDER, stored

COMMAND = "python -m inorder.lab.trained_encoder"
RESULTS = "trained_encoder.json"
N_NUMBERS = 16  # of a row, as the Loom shows it


def pairs() -> dict[str, Any]:
    """1 − cosine of every pair, as trained and with the position table left out."""
    exact = load(like=np.zeros(1))
    return {
        "examples": EXAMPLES,
        **{
            name: {
                group: distances(of_group, exact, positions=positions)
                for group, of_group in (RULES | YARDSTICKS | {"examples": EXAMPLES}).items()
            }
            for name, positions in (("as trained", True), ("left out", False))
        },
    }


def offsets() -> dict[str, Any]:
    """The mean weight of each head at each offset, in 20 pieces of 126 tokens."""
    model = load()
    tokens = windows(_alice(), model, 126, 20)
    weights = offset_weights(tokens, model)
    layer, head = map(int, np.unravel_index(weights[..., OFFSETS.index(-1)].argmax(), weights.shape[:2]))
    return {
        "offsets": OFFSETS,
        "n_tokens": int(tokens.ids.size),
        "with_positions": weights,
        "without": offset_weights(tokens, model, positions=False),
        "shuffled": [offset_weights(tokens, shuffled_table(model, seed)) for seed in range(3)],
        "previous_token_head": [layer, head],
    }


def parameters() -> dict[str, Any]:
    """How much of the words lies in the directions of the position table; the norms of all heads' biases."""
    model = load()
    learned, n_heads = model.model.parameters, model.model.config.n_heads
    words = np.array([i for token, i in model.tokenizer.get_vocab().items() if not token.startswith("[")])
    table, embedding = learned.position["rows"], learned.embedding[words]
    biases = {
        side: np.array([np.reshape(getattr(b.attention, f"b_{side}"), (n_heads, -1)) for b in learned.blocks])
        for side in ("query", "key")
    }  # (layer, head, d_head)
    return {
        "room": {
            f"{n} positions": room_for_positions(table[:n], embedding)._asdict() for n in (len(table), len(table) // 4)
        },
        "bias_norms": {side: np.linalg.norm(rows, axis=-1) for side, rows in biases.items()},
    }


def store_pronoun_attention() -> None:
    """The weights of all heads on one sentence, in half precision (steps of 5e-4 at most)."""
    words, weights = attention(PRONOUN, load())
    np.savez_compressed(FOLDER / "pronoun_attention.npz", tired=np.asarray(weights, dtype=np.float16))
    _describe("pronoun_attention.json", {"sentence": PRONOUN, "words": words})


def store_map_changes() -> None:
    """How much each head's map changes in every order of one sentence, in half precision, and the same without the
    position table, as the largest of all."""
    exact, orders = load(like=np.zeros(1)), np.array(list(permutations(range(len(MOVED.split())))))
    changes = map_changes(MOVED, exact, orders)
    without = map_changes(MOVED, exact, orders, positions=False)
    np.savez_compressed(FOLDER / "map_changes.npz", changes=changes.astype(np.float16))
    _describe("map_changes.json", {"sentence": MOVED, "without_table": float(without.max())})


def store_every_order() -> None:
    """The same sentence in every order, in bytes: weights in steps of 1/255, numbers in steps that are stored, too."""
    found = every_order(MOVED, load(like=np.zeros(1)), N_NUMBERS)
    step = float(abs(found.rows).max() / 127)
    np.savez_compressed(
        FOLDER / "every_order.npz",
        weights=np.round(found.weights * 255).astype(np.uint8),
        rows=np.round(found.rows / step).astype(np.int8),
        since=found.since.astype(np.uint8),
    )
    about = {"sentence": MOVED, "heads": found.heads, "step": step, "least_change": found.least_change}
    _describe("every_order.json", about)


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "pairs": pairs,
    "offsets": offsets,
    "parameters": parameters,
}
FILES: dict[str, Callable[[], None]] = {
    "pronoun_attention": store_pronoun_attention,
    "map_changes": store_map_changes,
    "every_order": store_every_order,
}


def _alice() -> str:
    return stored("alice.txt").read_text(encoding="utf-8")


def _made() -> dict[str, Any]:
    return provenance(COMMAND, ["numpy", "tokenizers"], model=HUB, revision=REVISION, sha256=SHA256)


def _describe(name: str, about: dict[str, Any]) -> None:
    text = json.dumps({"provenance": _made(), **about}, indent=1)
    (FOLDER / name).write_text(text + "\n", encoding="utf-8")


def main() -> None:
    for name in chosen_parts(COMMAND, (__doc__ or "").partition("\n")[0], [*PARTS, *FILES]):
        if name in FILES:
            FILES[name]()
        else:
            store_parts(FOLDER / RESULTS, {name: plain({"provenance": _made(), **PARTS[name]()}, 6)}, PARTS)
        print(f"stored {name}", flush=True)


if __name__ == "__main__":
    main()
