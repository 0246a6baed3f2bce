"""Positions as a number for each query and key, added to the scaled scores: (head, query, key).

[1] Press, Smith and Lewis 2022, Train Short, Test Long (ALiBi), https://arxiv.org/abs/2108.12409
[2] Raffel et al. 2020, Exploring the Limits of Transfer Learning (T5), https://arxiv.org/abs/1910.10683
[3] Shaw, Uszkoreit and Vaswani 2018, Self-Attention with Relative Position Representations,
    https://arxiv.org/abs/1803.02155
"""

import math
from typing import Any

from array_api_compat import array_namespace
from einops import rearrange
from jaxtyping import Float, Integer

from inorder._arrays import (
    Array,
    as_int64,
    expect,
    expect_choice,
    expect_count,
    expect_multiple,
    float_creation,
    float_dtype,
)
from inorder._checked import expects

DIRECTIONS = ("symmetric", "left", "right", "split")


def relative_positions(
    query_positions: Integer[Array, " query"], key_positions: Integer[Array, " key"]
) -> Integer[Array, "query key"]:
    """r_ij = (position of key j) − (position of query i): negative to the left. T5's sign [2]; int64.

    >>> import numpy as np
    >>> relative_positions(np.array([2, 3]), np.arange(4))
    array([[-2, -1,  0,  1],
           [-3, -2, -1,  0]])
    """
    return as_int64(key_positions)[None, :] - as_int64(query_positions)[:, None]


def alibi_slopes(n_heads: int, *, like: Array | None = None) -> Float[Array, " {n_heads}"]:
    """m_h = 2^(−8h/n_heads) for h = 1 … n_heads, if n_heads is a power of two.

    Otherwise, the slopes of the power of two below, followed by every other slope (the first, the third, …) of the
    power of two above. Source: [1], section 3, and its published code for the other head counts.

    Raises ValueError: n_heads that is not a positive whole number.

    >>> alibi_slopes(3)
    array([0.0625    , 0.00390625, 0.25      ])
    """
    expect_count("n_heads", n_heads)
    xp, device, dtype = float_creation(like)
    below = 2 ** (int(n_heads).bit_length() - 1)
    slopes = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    slopes += [2 ** (-4 * h / below) for h in range(1, 2 * (n_heads - below), 2)]
    return xp.asarray(slopes, dtype=dtype, device=device)


def alibi_bias(
    n_heads: int,
    query_positions: Integer[Array, " query"],
    key_positions: Integer[Array, " key"],
    *,
    direction: str = "symmetric",
    dtype: Any = None,
) -> Float[Array, "{n_heads} query key"]:
    """bias_hij = −m_h |i − j|: the farther a key, the lower its score, at a rate that differs by head.

    direction="symmetric" cannot tell left from right. A directed head has −∞ on its other side: "left" keeps the keys
    at or before the query, "right" those at or after it. "split" makes the first half of the heads look left and the
    second half right, each with the slopes of n_heads/2.
    Source: [1], section 3, where the causal mask does what "left" does here.

    Raises ValueError: n_heads that is not a positive whole number (an even one for "split"); an unknown direction.

    >>> import numpy as np
    >>> alibi_bias(2, np.arange(3), np.arange(3), direction="left")[0]
    array([[ 0.    ,    -inf,    -inf],
           [-0.0625,  0.    ,    -inf],
           [-0.125 , -0.0625,  0.    ]])
    """
    expect_choice("direction", direction, DIRECTIONS)
    relative = relative_positions(query_positions, key_positions)  # (query, key)
    xp = array_namespace(relative)
    dtype = float_dtype(xp, dtype)
    if direction == "split":
        expect_multiple("n_heads", n_heads, 2)
        sides = [
            alibi_bias(n_heads // 2, query_positions, key_positions, direction=side, dtype=dtype)
            for side in ("left", "right")
        ]
        return xp.concat(sides)
    minus_distance = xp.astype(-xp.abs(relative), dtype)
    if direction != "symmetric":
        other_side = relative > 0 if direction == "left" else relative < 0
        minus_distance = xp.where(other_side, -math.inf, minus_distance)
    return alibi_slopes(n_heads, like=minus_distance)[:, None, None] * minus_distance  # (head, query, key)


def t5_buckets(
    relative_positions: Integer[Array, "*shape"],
    *,
    n_buckets: int = 32,
    max_distance: int = 128,
    bidirectional: bool = True,
) -> Integer[Array, "*shape"]:
    """The bucket of each relative position: near distances have one each, farther ones share, logarithmically.

    Of a side's n buckets, the first e = n // 2 hold the distances 0 … e − 1. Distance r ≥ e falls in bucket
    e + ⌊(n − e) · log(r/e) / log(max_distance/e)⌋, at most n − 1. If bidirectional, each side has n = n_buckets/2 and
    keys to the right use the upper half; else all are for keys to the left, and every key to the right is in bucket 0.
    Source: [2], section 2.1, and its published code.

    Raises ValueError: too few buckets (4 at least and even if bidirectional, else 2); max_distance ≤ e, where the
    logarithm has nothing to divide.

    >>> import numpy as np
    >>> t5_buckets(np.array([-200, -20, -3, 0, 3, 20, 200]))
    array([15, 10,  3,  0, 19, 26, 31])
    """
    xp = array_namespace(relative_positions)
    n, exact = _bucket_counts(n_buckets, max_distance, bidirectional)
    relative = xp.astype(relative_positions, xp.int64, copy=False)
    distance = xp.abs(relative) if bidirectional else xp.clip(-relative, 0, None)
    ratio = xp.astype(xp.clip(distance, exact, None), xp.float64) / exact
    step = xp.log(ratio) * ((n - exact) / math.log(max_distance / exact))
    far = exact + xp.astype(step + 1e-9, xp.int64)  # on a border the step is whole, and rounding must not lower it
    bucket = xp.where(distance < exact, distance, xp.clip(far, None, n - 1))
    return bucket + n * xp.astype(relative > 0, xp.int64) if bidirectional else bucket


def t5_bias(
    table: Float[Array, "n_buckets head"],
    query_positions: Integer[Array, " query"],
    key_positions: Integer[Array, " key"],
    *,
    max_distance: int = 128,
    bidirectional: bool = True,
) -> Float[Array, "head query key"]:
    """bias_hij = table[bucket(j − i), h]: one learned number a bucket and head, shared by all layers.

    T5 adds it to scores that it does not scale by 1/√d_head. Source: [2], section 2.1.

    Raises ValueError: as `t5_buckets`.

    >>> import numpy as np
    >>> table = np.arange(32.0)[:, None]
    >>> t5_bias(table, np.arange(3), np.arange(4))
    array([[[ 0., 17., 18., 19.],
            [ 1.,  0., 17., 18.],
            [ 2.,  1.,  0., 17.]]])
    """
    relative = relative_positions(query_positions, key_positions)
    buckets = t5_buckets(
        relative, n_buckets=table.shape[0], max_distance=max_distance, bidirectional=bidirectional
    )  # (query, key)
    return rearrange(table[buckets], "query key head -> head query key")


def _expect_distance(max_distance: int) -> None:
    expect_count("max_distance", max_distance)


@expects(_expect_distance)
def shaw_bias(
    query: Float[Array, "*batch query d_head"],
    relative_keys: Float[Array, "2*{max_distance}+1 d_head"],
    query_positions: Integer[Array, " query"],
    key_positions: Integer[Array, " key"],
    *,
    max_distance: int,
) -> Float[Array, "*batch query key"]:
    """bias_ij = q_i · a_clip(j − i) / √d_head, where clip keeps j − i within ±max_distance: added to the scaled scores.

    relative_keys holds a_−max_distance … a_max_distance, one learned vector for each difference. Every query meets
    each of them once, and the products are then spread over the keys: no (query, key, d_head) array is made.
    Source: [3], equations 4 and 5.

    Raises ValueError: a max_distance that is not a positive whole number.

    >>> import numpy as np
    >>> left_here_right = np.eye(4)[:3]
    >>> query = np.array([[0.0, 0.0, 2.0, 0.0]])
    >>> shaw_bias(query, left_here_right, np.array([1]), np.arange(4), max_distance=1)
    array([[0., 0., 1., 1.]])
    """
    xp = array_namespace(query)
    relative = relative_positions(query_positions, key_positions)  # (query, key)
    index = xp.clip(relative, -max_distance, max_distance) + max_distance  # (query, key)
    products = query @ relative_keys.mT / math.sqrt(query.shape[-1])  # (*batch, query, 2·max_distance + 1)
    row = xp.arange(query.shape[-2], device=index.device)[:, None]  # (query, 1)
    return products[..., row, index]  # (*batch, query, key)


def _bucket_counts(n_buckets: int, max_distance: int, bidirectional: bool) -> tuple[int, int]:
    """(buckets of one side, how many of them hold one distance each)."""
    expect_count("max_distance", max_distance)
    expect_multiple("n_buckets", n_buckets, 2 if bidirectional else 1)
    n = n_buckets // 2 if bidirectional else n_buckets
    expect(n >= 2, f"at least {4 if bidirectional else 2} buckets", n_buckets)
    exact = n // 2
    expect(max_distance > exact, f"max_distance above {exact}, the distances that have a bucket each", max_distance)
    return n, exact
