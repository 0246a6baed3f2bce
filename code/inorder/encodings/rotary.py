"""Rotary encoding: turn the query and the key by their positions, and their score depends on the difference alone.

[1] Su et al. 2021, RoFormer: Enhanced Transformer with Rotary Position Embedding, https://arxiv.org/abs/2104.09864
[2] Heo et al. 2024, Rotary Position Embedding for Vision Transformer, https://arxiv.org/abs/2403.13298
"""

from einops import rearrange
from jaxtyping import Float, Integer

from inorder._arrays import (
    Array,
    as_positions,
    expect_finite,
    expect_floats,
    expect_multiple,
    expect_shape,
    namespace,
)
from inorder.encodings.waves import angles, columns_of


def rotary_encoding(
    x: Float[Array, "*batch position d_head"],
    positions: Integer[Array, " position"],
    *,
    base: float = 10_000.0,
    pairing: str = "interleaved",
) -> Float[Array, "*batch position d_head"]:
    """Pair j of the row at position p turns by the angle θ = p ω_j, where ω_j = base^(−2j/d_head):

        (x₁, x₂) → (x₁ cos θ − x₂ sin θ, x₁ sin θ + x₂ cos θ)

    which is x_p @ shift_matrix(-p, d_head). Query and key are both rotated, the value is not. Then q_i · k_j depends
    on the positions only through i − j, and no norm changes. pairing="interleaved" pairs columns (2j, 2j+1), as
    RoFormer and GPT-J do; "halves" pairs (j, j + d_head/2), as GPT-NeoX and Llama do. `layout_permutation` leads from
    one to the other.
    Source: [1], equations 14, 15 and 34.

    Raises ValueError: an odd d_head; positions that are not integers in one axis, one for each row of x; a base that is
    not a positive number; an unknown pairing; NaN or ∞.

    >>> import numpy as np
    >>> rotary_encoding(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([0, 1])).round(4)
    array([[1.    , 0.    ],
           [0.5403, 0.8415]])
    """
    columns = columns_of("pairing", pairing)
    xp = namespace(x=x, positions=positions)
    expect_shape("x", x, ..., "position", "d_head")
    expect_floats(xp, x=x)
    expect_finite("x", x)
    expect_multiple("d_head", x.shape[-1], 2)
    positions = as_positions("positions", positions)
    expect_shape("positions", positions, x.shape[-2])
    theta = angles(positions, x.shape[-1], base)  # (position, frequency)
    cos, sin = xp.astype(xp.cos(theta), x.dtype), xp.astype(xp.sin(theta), x.dtype)
    first, second = rearrange(x, f"... position {columns} -> pair ... position frequency", pair=2)
    turned = xp.stack([first * cos - second * sin, first * sin + second * cos])
    return rearrange(turned, f"pair ... position frequency -> ... position {columns}")


def rotary_encoding_2d(
    x: Float[Array, "*batch position d_head"],
    positions: Integer[Array, "position 2"],
    *,
    base: float = 10_000.0,
    pairing: str = "interleaved",
) -> Float[Array, "*batch position d_head"]:
    """The first half of the columns turns by a patch's row, the second half by its column. `pairing` acts in each half.

    Source: [2], section 3, "axial frequency".

    Raises ValueError: as `rotary_encoding`, with positions of shape (position, 2) and d_head a multiple of 4.

    >>> import numpy as np
    >>> rotary_encoding_2d(np.array([[1.0, 0.0, 1.0, 0.0]]), np.array([[1, 0]])).round(4)
    array([[0.5403, 0.8415, 1.    , 0.    ]])
    """
    xp = namespace(x=x, positions=positions)
    expect_shape("x", x, ..., "position", "d_head")
    expect_multiple("d_head", x.shape[-1], 4)
    positions = as_positions("positions", positions, 2)
    expect_shape("positions", positions, x.shape[-2], 2)
    halves = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    one_axis = [
        rotary_encoding(half, positions[:, axis], base=base, pairing=pairing) for axis, half in enumerate(halves)
    ]
    return xp.concat(one_axis, axis=-1)
