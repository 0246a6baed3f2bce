"""Attention in time that grows only with n, because its weights are a product of two thin matrices.

[1] Wang et al. 2020, Linformer: Self-Attention with Linear Complexity, https://arxiv.org/abs/2006.04768
[2] Choromanski et al. 2021, Rethinking Attention with Performers, https://arxiv.org/abs/2009.14794
"""

import numpy as np
from array_api_compat import array_namespace
from jaxtyping import Float

from inorder._arrays import Array, expect, expect_count, float_creation, in_float32
from inorder.attention.scores import scaled_dot_product_attention


def linformer_attention(
    query: Float[Array, "*batch position d_head"],
    key: Float[Array, "*batch position d_head"],
    value: Float[Array, "*batch position d_value"],
    key_projection: Float[Array, "rank position"],
    value_projection: Float[Array, "rank position"],
) -> Float[Array, "*batch position d_value"]:
    """softmax(Q (E K)ᵀ/√d_head) (F V): `rank` mixtures of all keys and of all values stand in for the n of them.

    E and F have a weight for every place, which fixes the length. Source: [1], equation 7.

    >>> import numpy as np
    >>> x, value = np.zeros((4, 2)), np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> first_half_second_half = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]])
    >>> linformer_attention(x, x, value, first_half_second_half, first_half_second_half).T
    array([[2.5, 2.5, 2.5, 2.5]])
    """
    return scaled_dot_product_attention(query, key_projection @ key, value_projection @ value)


def performer_attention(
    query: Float[Array, "*batch position d_head"],
    key: Float[Array, "*batch position d_head"],
    value: Float[Array, "*batch position d_value"],
    directions: Float[Array, "feature d_head"],
    *,
    causal: bool = False,
) -> Float[Array, "*batch position d_value"]:
    """Σ_j φ(q_i)·φ(k_j) v_j / Σ_j φ(q_i)·φ(k_j), with random features φ for which E[φ(q)·φ(k)] = exp(q·k/√d_head).

        φ(x)_r = exp(w_r·x′ − |x′|²/2)/√m,   x′ = x/d_head^¼,   w_r the m directions

    The sums over j are made once for all i (causal: running sums), so no n × n table is. Source: [2], lemma 1 and
    equations 4 to 6.

    >>> import numpy as np
    >>> x = np.zeros((3, 2))
    >>> performer_attention(x, x, np.array([[3.0], [0.0], [0.0]]), np.ones((5, 2)), causal=True).T
    array([[3. , 1.5, 1. ]])
    """
    xp = array_namespace(query)
    dtype, (query, key, value, directions) = query.dtype, map(in_float32, (query, key, value, directions))
    query, key = _log_features(query, directions), _log_features(key, directions)  # (*batch, position, feature)
    query = xp.exp(query - xp.max(query, axis=-1, keepdims=True))  # a factor for each row, which the ratio cancels
    key = xp.exp(key - xp.max(key, axis=(-2, -1), keepdims=True))  # one factor for all keys
    if not causal:
        y = (query @ (xp.matrix_transpose(key) @ value)) / (query @ xp.sum(key, axis=-2)[..., None])
        return xp.astype(y, dtype, copy=False)
    pairs = xp.cumulative_sum(key[..., :, None] * value[..., None, :], axis=-3)  # (*batch, position, feature, d_value)
    totals = xp.sum(query * xp.cumulative_sum(key, axis=-2), axis=-1)[..., None]  # (*batch, position, 1)
    return xp.astype(xp.sum(query[..., None] * pairs, axis=-2) / totals, dtype, copy=False)


def orthogonal_directions(
    n_features: int, d_head: int, rng: np.random.Generator, *, like: Array | None = None
) -> Float[Array, "{n_features} {d_head}"]:
    """Directions as of N(0, I), but at right angles to each other in groups of d_head: a lower variance.

    Back end, device and dtype are those of `like`, else NumPy float64. Source: [2], section 2.4 and theorem 2.

    Raises ValueError: sizes that are not positive whole numbers; an rng that is no NumPy Generator.

    >>> w = orthogonal_directions(5, 3, np.random.default_rng(0))
    >>> w.shape, bool(abs(w[0] @ w[1]) < 1e-12)
    ((5, 3), True)
    """
    expect_count("n_features", n_features)
    expect_count("d_head", d_head)
    expect(isinstance(rng, np.random.Generator), "rng to be a numpy.random.Generator", repr(rng))
    xp, device, dtype = float_creation(like)
    groups = rng.normal(size=(-(-n_features // d_head), d_head, d_head))
    axes, triangles = np.linalg.qr(groups)
    signs = np.sign(np.diagonal(triangles, axis1=-2, axis2=-1))  # without them some turns are likelier than others
    axes = (axes * signs[:, None, :]).reshape(-1, d_head)[:n_features]
    lengths = np.linalg.norm(rng.normal(size=(n_features, d_head)), axis=-1, keepdims=True)
    return xp.asarray(axes * lengths, dtype=dtype, device=device)


def _log_features(x: Array, directions: Array) -> Array:
    """log φ(x), but for −½ log m, which the ratio cancels."""
    x = x / x.shape[-1] ** 0.25
    return x @ array_namespace(x).matrix_transpose(directions) - (x * x / 2).sum(-1)[..., None]
