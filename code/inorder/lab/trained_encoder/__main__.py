"""Measures all and stores it, with provenance, in inorder/stored: ``python -m inorder.lab.trained_encoder``."""

import argparse
import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from inorder.lab.provenance import provenance
from inorder.lab.trained_encoder.every_order import every_order
from inorder.lab.trained_encoder.heads import (
    OFFSETS,
    ablate_heads,
    map_changes,
    offset_weights,
    pronoun_weights,
    weights_by_query,
)
from inorder.lab.trained_encoder.order import (
    layer_errors,
    moved_table,
    pair_cosines,
    position_geometry,
    position_misses,
    position_probes,
    shuffled_table,
)
from inorder.lab.trained_encoder.sides import WORDS, along_mean, query_and_key, separating_directions
from inorder.lab.trained_encoder.texts import MOVED, PAIRS, PRONOUN, batches, windows
from inorder.pretrained import (
    HUB,
    REVISION,
    SHA256,
    Pretrained,
    Tokens,
    attention,
    load,
    sentence_vector,
    untrained,
)
from inorder.stored import FOLDER

LENGTHS = (254, 510)  # tokens; the table has 512 rows
STARTS = (0, 16, 60, 108)  # positions of [CLS], for pieces of 16 tokens
N_NUMBERS = 16  # of a row, as the Loom shows it
PIECES = (6, 8, 12, 16, 24, 32, 64, 126)  # tokens between [CLS] and [SEP], for the two matrices along μ


def measure(text: str) -> dict[str, Any]:
    """Every number of the chapter, as plain lists: about three minutes of one core."""
    model, exact, twins = load(), load(like=np.zeros(1)), [untrained(load(), seed) for seed in range(3)]
    shuffled = [shuffled_table(load(), seed) for seed in range(3)]
    longest = PAIRS[-1][0]
    long, short = windows(text, model, 126, 20), windows(text, model, 32, 120)
    many, held_out = (
        windows(text, model, 32, 843, step=3),
        short._replace(words=short.words[80:], ids=short.ids[80:], mask=short.mask[80:]),
    )
    misses = position_misses(many, held_out, model)
    words = np.array([i for t, i in model.tokenizer.get_vocab().items() if not t.startswith("[")])
    tables = {"trained": model, "untrained": twins[0]}
    heads = offset_weights(long, model)
    layer, head = map(int, np.unravel_index(heads[..., OFFSETS.index(-1)].argmax(), heads.shape[:2]))
    unrelated = unrelated_cosines(model)

    def pieces(n: int) -> Tokens:
        """As many tokens as in `long`, in pieces of n."""
        return windows(text, model, n, 126 * 20 // n)

    looked = {name: [pronoun_weights(sentence, model)[name] for sentence in PRONOUN] for name in ("animal", "street")}
    return {
        "pairs": {
            "sentences": PAIRS,
            "with_positions": pair_cosines(exact),
            "without": pair_cosines(exact, positions=False),
            "untrained": [pair_cosines(twin) for twin in twins],
            "shuffled": [pair_cosines(other) for other in shuffled],
            "unrelated_sentences": [unrelated.mean(), unrelated.std(), unrelated.max()],
            "unrelated_untrained": [unrelated_cosines(twin).mean() for twin in twins],
            "unrelated_shuffled": [unrelated_cosines(other).mean() for other in shuffled],
        },
        "equivariance_by_layer": {
            "with_positions": layer_errors(longest, exact),
            "without": layer_errors(longest, exact, positions=False),
            "untrained": [layer_errors(longest, twin) for twin in twins],
            "by_sentence": [layer_errors(one, model) for one, _ in PAIRS],
        },
        "geometry": {
            f"{name}, first {n} positions": [
                geometry._asdict()
                for geometry in position_geometry(
                    m.model.parameters.position["rows"][:n], m.model.parameters.embedding[words]
                )
            ]
            for name, m in tables.items()
            for n in (512, 128)
        },
        "offsets": {
            "offsets": OFFSETS,
            "n_tokens": int(long.ids.size),
            "even": 1 / long.ids.shape[1],
            "with_positions": heads,
            "without": offset_weights(long, model, positions=False),
            "untrained": offset_weights(long, twins[0]),
            "shuffled": [offset_weights(long, other) for other in shuffled],
            "lengths": LENGTHS,
            "longer": [offset_weights(windows(text, model, n, long.ids.size // n), model) for n in LENGTHS],
            "longer_by_query": [
                weights_by_query(windows(text, model, n, long.ids.size // n), model, layer, head) for n in LENGTHS
            ],
            "from_position_128": offset_weights(long, moved_table(model, 128)),
            "previous_token_head": [layer, head],
        },
        "ablation": {
            "intact_order": 1 - pair_cosines(model),
            **ablate_heads(model)._asdict(),
        },
        "probes": {
            "places": 32,
            "n_train": 80,
            "n_test": 40,
            "with_positions": position_probes(short, model, 80),
            "within_one": position_probes(short, model, 80, within=1),
            "without": position_probes(short, model, 80, positions=False),
            "untrained": position_probes(short, twins[0], 80),
        },
        "blur": {
            "n_train": len(many.ids),
            "step": 3,
            **{
                name: [(layer <= within).mean() for layer in misses]
                for within, name in enumerate(("exact", "within_one", "within_two"))
            },
            "rows_by_miss": [np.bincount(layer, minlength=32) for layer in misses],
        },
        "query_and_key": {
            "trained": query_and_key(long, model)._asdict(),
            "untrained": query_and_key(long, twins[0])._asdict(),
            "starts": STARTS,
            "by_start": [query_and_key(pieces(16), moved_table(model, start))._asdict() for start in STARTS],
            "same_rows": [query_and_key(long, model, part=slice(i, i + 18))._asdict() for i in STARTS],
            "same_rows_without_cls": query_and_key(long, model, part=slice(1, 18))._asdict(),
            "lengths": PIECES,
            "by_length": [query_and_key(pieces(n), model)._asdict() for n in PIECES],
        },
        "separation": {
            name: separating_directions(next(iter(batches(long))), m)._asdict() for name, m in tables.items()
        },
        "along_mean": {
            "words": WORDS,
            "trained": along_mean(long, model)._asdict(),
            "untrained": along_mean(long, twins[0])._asdict(),
            "pieces_of_16": along_mean(pieces(16), model)._asdict(),
        },
        "pronoun": {"sentences": PRONOUN, **looked},
    }


def unrelated_cosines(model: Pretrained) -> Float[np.ndarray, " pair"]:
    """The cosines of the first sentences of all pairs with each other."""
    first = np.asarray(sentence_vector([pair[0] for pair in PAIRS], model))
    return (first @ first.T)[np.triu_indices(len(PAIRS), 1)]


def _made() -> dict[str, Any]:
    command = "python -m inorder.lab.trained_encoder"
    return provenance(command, ["numpy", "tokenizers"], model=HUB, revision=REVISION, sha256=SHA256)


def main() -> None:
    about = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m inorder.lab.trained_encoder", description=about)
    parser.add_argument("--data", type=Path, default=FOLDER, help="folder of alice.txt (%(default)s)")
    folder = parser.parse_args().data
    store_pronoun_attention(folder)
    store_map_changes(folder)
    store_every_order(folder)
    record = {"provenance": _made(), **measure((folder / "alice.txt").read_text(encoding="utf-8"))}
    with (folder / "trained_encoder.json").open("w", encoding="utf-8") as file:
        json.dump(record, file, default=_as_list, indent=1)


def store_pronoun_attention(folder: Path) -> None:
    """The weights of all heads on the two sentences, in half precision (steps of 5e-4 at most)."""
    maps = [attention(sentence, load()) for sentence in PRONOUN]
    tired, wide = (np.asarray(a.weights, dtype=np.float16) for a in maps)
    np.savez_compressed(folder / "pronoun_attention.npz", tired=tired, wide=wide)
    description = {"provenance": _made(), "sentences": PRONOUN, "words": [a.words for a in maps]}
    (folder / "pronoun_attention.json").write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")


def store_map_changes(folder: Path) -> None:
    """How much each head's map changes in every order of one sentence, in half precision, and the same without the
    position table, as the largest of all."""
    exact, orders = load(like=np.zeros(1)), np.array(list(permutations(range(len(MOVED.split())))))
    changes = map_changes(MOVED, exact, orders)
    without = map_changes(MOVED, exact, orders, positions=False)
    np.savez_compressed(folder / "map_changes.npz", changes=changes.astype(np.float16))
    description = {"provenance": _made(), "sentence": MOVED, "without_table": float(without.max())}
    (folder / "map_changes.json").write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")


def store_every_order(folder: Path) -> None:
    """The same sentence in every order, in bytes: weights in steps of 1/255, numbers in steps that are stored, too."""
    found = every_order(MOVED, load(like=np.zeros(1)), N_NUMBERS)
    step = float(abs(found.rows).max() / 127)
    np.savez_compressed(
        folder / "every_order.npz",
        weights=np.round(found.weights * 255).astype(np.uint8),
        rows=np.round(found.rows / step).astype(np.int8),
        since=found.since.astype(np.uint8),
    )
    description = {
        "provenance": _made(),
        "sentence": MOVED,
        "heads": found.heads,
        "step": step,
        "least_change": found.least_change,
    }
    (folder / "every_order.json").write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")


def _as_list(value: Any) -> Any:
    """Arrays as lists of numbers with six digits."""
    return np.vectorize(lambda x: float(f"{x:.6g}"))(value).tolist()


if __name__ == "__main__":
    main()
