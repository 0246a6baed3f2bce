"""What sinusoids and rotary encodings share: d/2 frequencies, and two columns for each of them.

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
"""

from array_api_compat import array_namespace
from jaxtyping import Float, Integer

from inorder._arrays import Array, creation, expect_choice, expect_multiple, expect_positive, float_creation

# Where the two columns of a frequency sit: side by side, or half the width apart. (einops patterns)
COLUMNS = {"interleaved": "(frequency pair)", "halves": "(pair frequency)"}


def frequencies(d_model: int, *, base: float = 10_000.0, like: Array | None = None) -> Float[Array, " {d_model}//2"]:
    """ω_j = base^(−2j/d_model) for j = 0 … d_model/2 − 1, in radians a position: 1 first, then ever slower.

    The wavelengths 2π/ω_j grow by the factor base^(2/d_model), from 2π to 2π·base^((d_model−2)/d_model).
    Source: [1], section 3.5.

    Raises ValueError: d_model that is not an even positive whole number; a base that is not a positive number.

    >>> frequencies(4)
    array([1.  , 0.01])
    """
    expect_multiple("d_model", d_model, 2)
    expect_positive("base", base)
    xp, device, dtype = float_creation(like)
    j = xp.arange(d_model // 2, dtype=xp.float64, device=device)
    return xp.astype(base ** (-2 * j / d_model), dtype)


def angles(positions: Integer[Array, " position"], d_model: int, base: float) -> Float[Array, "position {d_model}//2"]:
    """θ_pj = p ω_j, in float64 whatever the dtype of the result: float32 is off by 0.004 rad at position 100 000."""
    xp = array_namespace(positions)
    p = xp.astype(positions, xp.float64)
    return p[:, None] * frequencies(d_model, base=base, like=p)


def layout_permutation(d_model: int, *, to: str = "halves", like: Array | None = None) -> Integer[Array, " {d_model}"]:
    """The order of columns that turns one layout (or pairing) into the other: `x_halves = x_interleaved[:, order]`.

    to="halves" lists the even columns, then the odd ones; to="interleaved" is its inverse. It acts on everything whose
    columns come in pairs: an encoding, a query and a key before they are rotated, the columns of W_Q and W_K. Back end
    and device are those of `like`, else NumPy.

    Raises ValueError: d_model that is not an even positive whole number; an unknown layout.

    >>> layout_permutation(6)
    array([0, 2, 4, 1, 3, 5])
    >>> layout_permutation(6, to="interleaved")
    array([0, 3, 1, 4, 2, 5])
    """
    expect_multiple("d_model", d_model, 2)
    columns_of("layout", to)
    xp, device, _ = creation(like)
    columns = xp.arange(d_model, device=device)
    rows = (d_model // 2, 2) if to == "halves" else (2, d_model // 2)
    return xp.reshape(xp.reshape(columns, rows).mT, (d_model,))


def columns_of(name: str, order: str) -> str:
    """The einops pattern of a layout or pairing."""
    expect_choice(name, order, COLUMNS)
    return COLUMNS[order]
