"""Attention in which a token looks at some tokens only: at its neighbours (Longformer), or at similar ones (Reformer).

[1] Beltagy, Peters and Cohan 2020, Longformer: The Long-Document Transformer, https://arxiv.org/abs/2004.05150
[2] Kitaev, Kaiser and Levskaya 2020, Reformer: The Efficient Transformer, https://arxiv.org/abs/2001.04451
[3] Andoni et al. 2015, Practical and Optimal LSH for Angular Distance, https://arxiv.org/abs/1509.02897
"""

import math
from numbers import Integral

from array_api_compat import array_namespace
from jaxtyping import Float, Integer

from inorder._arrays import Array, expect, expect_count, in_float32
from inorder._checked import expects
from inorder.attention.scores import attention_weights, scaled_dot_product_attention, softmax

ONLY_ITSELF = -1e5  # added to a token's score with itself: it looks there only if it may look nowhere else


def _expect_window(radius: int) -> None:
    expect(isinstance(radius, Integral) and radius >= 0, "radius to be a whole number, 0 or more", repr(radius))


@expects(_expect_window)
def sliding_window_attention(
    query: Float[Array, "*batch position d_head"],
    key: Float[Array, "*batch position d_head"],
    value: Float[Array, "*batch position d_value"],
    *,
    radius: int,
) -> Float[Array, "*batch position d_value"]:
    """Longformer's attention: row i looks at rows i − radius … i + radius, in 2·radius + 1 scores a row.

    Source: [1], section 3.1 and figure 2b; dilation and global rows are left out.

    Raises ValueError: a radius that is no whole number from 0.

    >>> import numpy as np
    >>> x, value = np.zeros((5, 1)), np.array([[1.0], [0.0], [0.0], [0.0], [4.0]])
    >>> sliding_window_attention(x, x, value, radius=1).round(2).T
    array([[0.5 , 0.33, 0.  , 1.33, 2.  ]])
    """
    xp, n = array_namespace(query), query.shape[-2]
    query = query / math.sqrt(query.shape[-1])
    rows = xp.arange(n, device=query.device)[:, None]
    columns = rows + xp.arange(-radius, radius + 1, device=query.device)  # (position, window): whom each row sees
    inside = (columns >= 0) & (columns < n)
    columns = xp.clip(columns, 0, n - 1)
    near = xp.sum(query[..., None, :] * key[..., columns, :], axis=-1)  # (*batch, position, window)
    weights = softmax(xp.where(inside, near, -math.inf))
    return xp.sum(weights[..., None] * value[..., columns, :], axis=-2)  # (*batch, position, d_value)


def lsh_buckets(
    x: Float[Array, "*batch position d_head"], rotations: Float[Array, "d_head half"]
) -> Integer[Array, "*batch position"]:
    """h(x) = argmax [x R; −x R]: which of 2·half directions a row is nearest to. Source: [2], section 2; [3].

    Only the row itself is read, so a bucket knows nothing of where the row stands; nor does the row's norm matter.

    >>> import numpy as np
    >>> lsh_buckets(np.array([[3.0, 1.0], [-2.0, 1.0], [0.1, -0.2]]), np.eye(2))
    array([0, 2, 3])
    """
    xp = array_namespace(x)
    turned = x @ rotations  # (*batch, position, half)
    return xp.argmax(xp.concat([turned, -turned], axis=-1), axis=-1)


def hashed_attention(
    query: Float[Array, "*batch position d_head"],
    value: Float[Array, "*batch position d_value"],
    rotations: Float[Array, "d_head half"],
) -> Float[Array, "*batch position d_value"]:
    """Reformer's attention as its hash alone defines it: a row looks at the rows of its own bucket.

    Keys are the queries at norm 1, k = q/|q| (0 for q = 0). A row looks at itself only if it is alone in its bucket.
    Source: [2], equations 2 to 4, one round of hashing.

    >>> import numpy as np
    >>> query, value = np.array([[2.0, 1.0], [-1.0, 0.3], [1.0, 0.1]]), np.array([[1.0], [10.0], [100.0]])
    >>> hashed_attention(query, value, np.eye(2)).T
    array([[100.,  10.,   1.]])
    """
    xp = array_namespace(query)
    buckets = lsh_buckets(query, rotations)  # (*batch, position)
    mask = buckets[..., :, None] == buckets[..., None, :]  # (*batch, query, key)
    itself = ONLY_ITSELF * xp.eye(query.shape[-2], dtype=query.dtype, device=query.device)
    return scaled_dot_product_attention(query, _unit(query), value, mask=mask, bias=itself)


def _expect_chunks(query: Array, chunk_size: int) -> None:
    expect_count("chunk_size", chunk_size)
    n = query.shape[-2]
    expect(n % chunk_size == 0, f"a length that chunk_size = {chunk_size} divides", n)


@expects(_expect_chunks)
def chunked_hashed_attention(
    query: Float[Array, "*batch position d_head"],
    value: Float[Array, "*batch position d_value"],
    rotations: Float[Array, "d_head half"],
    *,
    chunk_size: int,
) -> Float[Array, "*batch position d_value"]:
    """Reformer's attention as it is computed: rows sorted by bucket, then cut into chunks of equal size.

    A row looks at the rows of its chunk and of the one before it, whatever their buckets. Within a bucket
    the sort keeps the order of the text. Source: [2], section 2, "LSH attention", and figure 2; one round of hashing.

    Raises ValueError: a length that chunk_size does not divide.

    >>> import numpy as np
    >>> query, value = np.array([[1.0], [-1.0], [1.0], [1.0]]), np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> chunked_hashed_attention(query, value, np.eye(1), chunk_size=2).T.round(2)  # sorted: 0, 2 | 3, 1
    array([[3.  , 2.67, 1.  , 2.  ]])
    """
    xp, n = array_namespace(query), query.shape[-2]
    order = xp.argsort(lsh_buckets(query, rotations), axis=-1, stable=True)  # (*batch, position)

    def chunks(x: Array) -> Array:
        """(*batch, position, d) to (*batch, chunk, chunk_size, d), sorted."""
        x = xp.take_along_axis(x, xp.broadcast_to(order[..., None], x.shape), axis=-2)
        return xp.reshape(x, (*x.shape[:-2], n // chunk_size, chunk_size, x.shape[-1]))

    def with_the_one_before(x: Array) -> Array:
        """(*batch, chunk, 2 · chunk_size, d): the chunk itself stands last."""
        before = xp.concat([xp.zeros_like(x[..., :1, :, :]), x[..., :-1, :, :]], axis=-3)
        return xp.concat([before, x], axis=-2)

    sorted_query = chunks(query)
    key, seen = with_the_one_before(_unit(sorted_query)), with_the_one_before(chunks(value))
    columns = xp.arange(-chunk_size, chunk_size, device=query.device)  # counted from the chunk's start
    starts = xp.arange(0, n, chunk_size, device=query.device)[:, None, None]
    mask = xp.broadcast_to(starts + columns >= 0, (n // chunk_size, chunk_size, len(columns)))
    itself = xp.where(columns == xp.arange(chunk_size, device=query.device)[:, None], ONLY_ITSELF, 0.0)
    weights = attention_weights(sorted_query, key, mask=mask, bias=xp.astype(itself, query.dtype))
    y = xp.reshape(weights @ seen, value.shape)  # still sorted
    back = xp.argsort(order, axis=-1)
    return xp.take_along_axis(y, xp.broadcast_to(back[..., None], y.shape), axis=-2)


def _unit(x: Array) -> Array:
    xp, dtype, x = array_namespace(x), x.dtype, in_float32(x)
    tiny = xp.finfo(x.dtype).smallest_normal  # so that a row of zeros stays one
    return xp.astype(x / xp.sqrt(xp.sum(x**2, axis=-1, keepdims=True) + tiny), dtype, copy=False)
