"""Who may attend to whom: True = may.

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
[2] Raffel et al. 2020, Exploring the Limits of Transfer Learning (T5), https://arxiv.org/abs/1910.10683
"""

from numbers import Integral

from array_api_compat import array_namespace, device
from jaxtyping import Bool

from inorder._arrays import Array, creation, expect, expect_count, holds


def causal_mask(n_query: int, n_key: int | None = None, *, like: Array | None = None) -> Bool[Array, "query key"]:
    """mask[i, j] = (j ≤ n_key − n_query + i): query i sits at key position n_key − n_query + i and sees no later key.

    The last query sits at the last key, as when new queries meet a cache of earlier keys (n_key > n_query). n_key is
    n_query unless given. Back end and device are those of `like`, else NumPy. Source: [1], section 3.2.3.

    Raises ValueError: a size that is not a positive whole number; n_key < n_query (the first rows would be empty).

    >>> causal_mask(2, 4)
    array([[ True,  True,  True, False],
           [ True,  True,  True,  True]])
    """
    expect_count("n_query", n_query)
    n_key = n_query if n_key is None else n_key
    expect_count("n_key", n_key)
    expect(n_key >= n_query, f"n_key of at least n_query = {n_query}, or the first rows are fully masked", n_key)
    xp, on, _ = creation(like)
    key_position = xp.arange(n_key, device=on)  # (key,)
    query_position = key_position[n_key - n_query :]  # (query,)
    return key_position <= query_position[:, None]  # (query, key)


def padding_mask(keep: Bool[Array, "*batch key"], n_query: int | None = None) -> Bool[Array, "*batch 1 query key"]:
    """mask[…, i, j] = keep[…, j]: no query looks at padding. One mask for each sequence, the same for all heads.

    In self-attention (n_query left out) a padded token sees itself too, so that no row is empty and the mask may be
    combined with another: `padding_mask(keep) & causal_mask(n)`. The output of such a token means nothing. For
    cross-attention, n_query is the number of queries.

    Raises ValueError: keep that is False for a whole sequence; n_query that is not a positive whole number.

    >>> import numpy as np
    >>> padding_mask(np.array([[True, True, False]]))[0, 0]
    array([[ True,  True, False],
           [ True,  True, False],
           [ True,  True,  True]])
    """
    xp = array_namespace(keep)
    expect(holds(xp.all(xp.any(keep, axis=-1))), "keep to be True somewhere in every sequence", "a sequence of padding")
    n_key = keep.shape[-1]
    if n_query is None:
        return keep[..., None, None, :] | xp.eye(n_key, dtype=xp.bool, device=device(keep))  # (*batch, 1, key, key)
    expect_count("n_query", n_query)
    return xp.broadcast_to(keep[..., None, None, :], (*keep.shape[:-1], 1, n_query, n_key))


def prefix_mask(n: int, n_prefix: int, *, like: Array | None = None) -> Bool[Array, "{n} {n}"]:
    """mask[i, j] = (j ≤ i or j < n_prefix): the first n_prefix tokens see each other both ways, later ones look back.

    Between a causal mask (n_prefix of 0 or 1) and none (n_prefix = n). Back end and device are those of `like`, else
    NumPy. Source: [2], section 3.2.1 and figure 3.

    Raises ValueError: n that is not a positive whole number; n_prefix that is not a whole number from 0 to n.

    >>> prefix_mask(4, 2)
    array([[ True,  True, False, False],
           [ True,  True, False, False],
           [ True,  True,  True, False],
           [ True,  True,  True,  True]])
    """
    expect_count("n", n)
    inside = isinstance(n_prefix, Integral) and 0 <= n_prefix <= n
    expect(inside, f"n_prefix to be a whole number from 0 to n = {n}", repr(n_prefix))
    xp, device, _ = creation(like)
    return causal_mask(n, like=like) | (xp.arange(n, device=device) < n_prefix)
