"""The arrays that T5, Shaw and RoPE read: the reader's own, checked, or made up."""

from math import sqrt
from typing import Any

import numpy as np

from inorder.encodings import rotary_encoding
from inorder.widgets.kit.figure import matrix_rows
from inorder.widgets.kit.state import InvalidState

MOST_HEADS, MOST_BUCKETS, MOST_CLIP, MOST_COLUMNS = 16, 256, 64, 128


def learned_arrays(table: Any, relative_keys: Any, queries: Any, keys: Any) -> dict[str, np.ndarray]:
    """The four arrays, checked; any that is None is made up, with as many heads and columns as the others have."""
    learned: dict[str, np.ndarray] = {}
    for name, value in {"table": table, "relative_keys": relative_keys, "queries": queries, "keys": keys}.items():
        if value is not None:
            if name in ("queries", "keys") and np.ndim(value) == 1:  # a vector is that of one head
                value = value.reshape(1, -1) if hasattr(value, "reshape") else [value]
            learned[name] = np.array(matrix_rows(name, value))
    heads = {name: part.shape[name == "table"] for name, part in learned.items() if name != "relative_keys"}
    columns = {name: part.shape[1] for name, part in learned.items() if name != "table"}
    for what, counts, most in (("heads", heads, MOST_HEADS), ("columns", columns, MOST_COLUMNS)):
        if len(set(counts.values())) > 1:
            raise InvalidState(f"{', '.join(counts)} must have the same number of {what}, got {[*counts.values()]}")
        if max(counts.values(), default=1) > most:
            raise InvalidState(f"{', '.join(counts)} may have up to {most} {what}, got {max(counts.values())}")
    n_heads, d_head = next(iter(heads.values()), 8), next(iter(columns.values()), 16)
    if d_head % 2:
        raise InvalidState(f"queries, keys and relative_keys must have an even number of columns, got {d_head}")
    arrays = made_up(n_heads, d_head) | learned
    shape = arrays["table"].shape
    if shape[0] % 2 or not 4 <= shape[0] <= MOST_BUCKETS:
        expected_shape = f"(n_buckets, head) with an even number of buckets from 4 to {MOST_BUCKETS}"
        raise InvalidState(f"table must be {expected_shape}, got shape {shape}")
    shape = arrays["relative_keys"].shape
    if shape[0] % 2 == 0 or not 3 <= shape[0] <= 2 * MOST_CLIP + 1:
        expected_shape = f"(2K + 1, d_head) with K from 1 to {MOST_CLIP}"
        raise InvalidState(f"relative_keys must be {expected_shape}, got shape {shape}")
    return arrays


def made_up(n_heads: int, d_head: int) -> dict[str, np.ndarray]:
    """Arrays to begin with, with two decimals: the first four heads by hand, the rest drawn."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(16, n_heads))
    far = np.arange(16) % 8  # bucket b holds a distance on the left below 8, on the right from 8 on
    right = np.arange(16) >= 8
    by_hand = [-0.4 * far, -0.4 * far - 2.0 * right, -0.4 * far - 2.0 * ~right, 0.3 * far]
    keys = rng.normal(size=(n_heads, d_head))
    queries = rng.normal(size=(n_heads, d_head))
    pairs = np.tile([1.0, 0.0], (1, d_head // 2))
    for h, (column, offset) in enumerate(zip(by_hand[:n_heads], [0, -1, 3, -5], strict=False)):
        table[:, h] = column
        keys[h] = pairs * sqrt(h + 1)
        queries[h] = rotary_encoding(pairs * sqrt(h + 1), np.array([offset]))[0]  # its score is largest at the offset
    relative_keys = rng.normal(size=(17, d_head))
    drawn = {"table": table, "relative_keys": relative_keys, "queries": queries, "keys": keys}
    return {name: part.round(2) + 0.0 for name, part in drawn.items()}
