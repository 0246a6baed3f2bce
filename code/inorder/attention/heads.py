"""Several heads: x projected, split, attended and merged.

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
[2] Ainslie et al. 2023, GQA: Training Generalized Multi-Query Transformer Models, https://arxiv.org/abs/2305.13245
"""

from typing import NamedTuple

from einops import rearrange, repeat
from jaxtyping import Bool, Float, Shaped

from inorder._arrays import (
    Array,
    expect,
    expect_broadcast,
    expect_count,
    expect_multiple,
    expect_shape,
    short_repr,
)
from inorder._checked import expects
from inorder.attention.scores import scaled_dot_product_attention


def _expect_slices(x: Array, n_heads: int) -> None:
    expect_count("n_heads", n_heads)
    expect(x.shape[-1] % n_heads == 0, f"a width divisible by n_heads = {n_heads}", x.shape[-1])


@expects(_expect_slices)
def split_heads(
    x: Shaped[Array, "*batch position d"], n_heads: int
) -> Shaped[Array, "*batch {n_heads} position d//{n_heads}"]:
    """(..., position, d) to (..., head, position, d/n_heads): head h is the h-th contiguous slice of the columns.

    Source: [1], section 3.2.2. Raises ValueError: d not divisible by n_heads.

    >>> import numpy as np
    >>> split_heads(np.arange(8).reshape(2, 4), n_heads=2)
    array([[[0, 1],
            [4, 5]],
    <BLANKLINE>
           [[2, 3],
            [6, 7]]])
    """
    return rearrange(x, "... position (head d_head) -> ... head position d_head", head=n_heads)


def merge_heads(x: Shaped[Array, "*batch head position d_head"]) -> Shaped[Array, "*batch position head*d_head"]:
    """(..., head, position, d_head) to (..., position, head·d_head): the inverse of `split_heads`.

    Source: [1], section 3.2.2 (Concat).

    >>> import numpy as np
    >>> merge_heads(np.zeros((5, 2, 7, 4))).shape
    (5, 7, 8)
    """
    return rearrange(x, "... head position d_head -> ... position (head d_head)")


def _expect_groups(x: Array, n_heads: int) -> None:
    expect_multiple("n_heads", n_heads, x.shape[-3])


@expects(_expect_groups)
def repeat_heads(
    x: Shaped[Array, "*batch key_head position d_head"], n_heads: int
) -> Shaped[Array, "*batch {n_heads} position d_head"]:
    """Fewer key or value heads than query heads: each serves n_heads / n_key_heads adjacent query heads.

    What a cache has to hold is divided by that number. One key head for all is multi-query attention.
    Source: [2], section 2.2. Raises ValueError: n_heads no multiple of the heads of x.

    >>> import numpy as np
    >>> repeat_heads(np.array([[[1]], [[2]]]), n_heads=4).ravel()
    array([1, 1, 2, 2])
    """
    group = n_heads // x.shape[-3]
    pattern = "... head position d_head -> ... (head group) position d_head"
    return x if group == 1 else repeat(x, pattern, group=group)


def linear(
    x: Float[Array, "*batch d_in"], weight: Float[Array, "d_in d_out"], bias: Float[Array, " d_out"] | None = None
) -> Float[Array, "*batch d_out"]:
    """x W + b, each row on its own.

    >>> import numpy as np
    >>> linear(np.array([[1.0, 2.0]]), np.eye(2), np.array([0.0, 0.5]))
    array([[1. , 2.5]])
    """
    return x @ weight if bias is None else x @ weight + bias


class AttentionParameters(NamedTuple):
    """What `multi_head_attention` learns. A head owns d_head columns of w_query and of w_key, and d_value columns of
    w_value; with fewer key heads than query heads, several query heads share theirs. `Y = X W + b`, so a weight is
    (d_in, d_out) and a bias (d_out,).
    """

    w_query: Float[Array, "d_model head*d_head"]
    w_key: Float[Array, "d_memory key_head*d_head"]
    w_value: Float[Array, "d_memory key_head*d_value"]
    w_output: Float[Array, "head*d_value d_output"]
    b_query: Float[Array, " head*d_head"] | None = None
    b_key: Float[Array, " key_head*d_head"] | None = None
    b_value: Float[Array, " key_head*d_value"] | None = None
    b_output: Float[Array, " d_output"] | None = None

    def __repr__(self) -> str:
        return short_repr(self)


def _expect_heads(parameters: AttentionParameters, n_heads: int, n_key_heads: int | None) -> None:
    """Widths that heads divide: the annotations know nothing of how many there are."""
    expect_count("n_heads", n_heads)
    name, groups = ("n_heads", n_heads) if n_key_heads is None else ("n_key_heads", n_key_heads)
    expect_count(name, groups)
    expect(n_heads % groups == 0, f"n_key_heads to divide n_heads = {n_heads}", groups)
    w_query, w_key, w_value, w_output, *_ = parameters
    expect(w_query.shape[1] % n_heads == 0, f"a width divisible by n_heads = {n_heads}", w_query.shape[1])
    expect_shape("parameters.w_key", w_key, w_key.shape[0], w_query.shape[1] // n_heads * groups)
    expect(w_value.shape[1] % groups == 0, f"a width divisible by {name} = {groups}", w_value.shape[1])
    expect_shape("parameters.w_output", w_output, w_value.shape[1] // groups * n_heads, "d_output")


@expects(_expect_heads)
def project_heads(
    x_query: Float[Array, "*batch query d_model"],
    x_key_value: Float[Array, "*batch key d_memory"],
    parameters: AttentionParameters,
    n_heads: int,
    *,
    n_key_heads: int | None = None,
) -> tuple[
    Float[Array, "*batch {n_heads} query d_head"],
    Float[Array, "*batch key_head key d_head"],
    Float[Array, "*batch key_head key d_value"],
]:
    """Query, key and value of every head: X_q W_Q + b_Q, X_kv W_K + b_K, X_kv W_V + b_V, split into their heads.

    Keys and values have n_key_heads, which is n_heads unless given.
    Source: [1], section 3.2.2. Raises ValueError: as `multi_head_attention`.

    >>> import numpy as np
    >>> x, w = np.ones((3, 4)), np.eye(4)
    >>> query, key, value = project_heads(x, x, AttentionParameters(w, w, w, w), n_heads=2)
    >>> query.shape, key.shape, value.shape
    ((2, 3, 2), (2, 3, 2), (2, 3, 2))
    """
    n_key_heads = n_heads if n_key_heads is None else n_key_heads
    p = parameters
    query = split_heads(linear(x_query, p.w_query, p.b_query), n_heads)  # (*batch, head, query, d_head)
    key = split_heads(linear(x_key_value, p.w_key, p.b_key), n_key_heads)  # (*batch, key_head, key, d_head)
    value = split_heads(linear(x_key_value, p.w_value, p.b_value), n_key_heads)  # (*batch, key_head, key, d_value)
    return query, key, value


def _expect_call(
    x_query: Array,
    x_key_value: Array,
    parameters: AttentionParameters,
    n_heads: int,
    n_key_heads: int | None,
    mask: Array | None,
    bias: Array | None,
) -> None:
    _expect_heads(parameters, n_heads, n_key_heads)
    shape = (*x_query.shape[:-2], n_heads, x_query.shape[-2], x_key_value.shape[-2])
    for name, x in {"mask": mask, "bias": bias}.items():
        if x is not None:
            expect_broadcast(name, x, shape)


@expects(_expect_call, minus_infinity="bias")
def multi_head_attention(
    x_query: Float[Array, "*batch query d_model"],
    x_key_value: Float[Array, "*batch key d_memory"],
    parameters: AttentionParameters,
    n_heads: int,
    *,
    n_key_heads: int | None = None,
    mask: Bool[Array, "... query key"] | None = None,
    bias: Float[Array, "... query key"] | None = None,
) -> Float[Array, "*batch query d_output"]:
    """concat(head₁, …, head_h) W_O + b_O, where head_i = attention(X_q W_Q, X_kv W_K, X_kv W_V), each on its columns.

    Self-attention passes one array twice; cross-attention takes queries from one sequence, keys and values from
    another. The scale is 1/√d_head, per head. mask and bias broadcast to (*batch, head, query, key): one for all heads
    is (query, key), one for each sequence (batch, 1, query, key) as `padding_mask` makes it, one for each head
    (head, query, key). With n_key_heads below n_heads, keys and values are shared as in `repeat_heads`.
    Source: [1], section 3.2.2; [2], section 2.2.

    Raises ValueError: a width that n_heads does not divide, an n_heads that n_key_heads does not divide, and all that
    `scaled_dot_product_attention` raises.

    >>> import numpy as np
    >>> w = np.eye(4)
    >>> x = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    >>> multi_head_attention(x, x, AttentionParameters(0 * w, w, w, w), n_heads=2)
    array([[3., 4., 5., 6.],
           [3., 4., 5., 6.]])
    """
    query, key, value = project_heads(x_query, x_key_value, parameters, n_heads, n_key_heads=n_key_heads)
    key, value = repeat_heads(key, n_heads), repeat_heads(value, n_heads)  # (*batch, head, key, d_head and d_value)
    output = scaled_dot_product_attention(query, key, value, mask=mask, bias=bias)  # (*batch, head, query, d_value)
    return linear(merge_heads(output), parameters.w_output, parameters.b_output)  # (*batch, query, d_output)
