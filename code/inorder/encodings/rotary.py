"""Rotary encoding: turn the query and the key by their positions, and their score depends on the difference alone.

[1] Su et al. 2021, RoFormer: Enhanced Transformer with Rotary Position Embedding, https://arxiv.org/abs/2104.09864
[2] Heo et al. 2024, Rotary Position Embedding for Vision Transformer, https://arxiv.org/abs/2403.13298
[3] Wang et al. 2024, Qwen2-VL, https://arxiv.org/abs/2409.12191
"""

from functools import partial

from array_api_compat import array_namespace, device
from einops import rearrange
from jaxtyping import Float, Integer, Real

from inorder._arrays import Array, as_int64, expect, expect_multiple, expect_positive, expect_shape, holds
from inorder.encodings.waves import columns_of, frequencies


def turn_pairs(
    x: Float[Array, "*batch position d_head"],
    positions: Integer[Array, "position ..."],
    omega: Real[Array, " frequency"],
    *,
    axes: Integer[Array, " frequency"] | None = None,
    magnitude: float = 1.0,
    pairing: str = "interleaved",
) -> Float[Array, "*batch position d_head"]:
    """z_j → magnitude · z_j · e^(i p ω_j), where pair j of a row is read as the complex number z_j = x₁ + i x₂.

    `rotary_encoding` with frequencies of your choice:

    - of `frequencies(d_head)` it is the same;
    - fewer than d_head/2 turn the first 2 · frequency columns and leave the others as they are (partial rotary), and a
      frequency of 0 turns nothing;
    - positions of shape (position, axis) have several coordinates, and pair j turns by number `axes[j]` of them: two
      for an image, three for a video [3];
    - those of `interpolated_frequencies`, `ntk_frequencies`, `yarn_frequencies` or `llama3_frequencies` are for
      longer texts.

    `pairing` acts within the columns that turn. Source: [1], equation 12.

    Raises ValueError: more frequencies than pairs; positions that are not one for each row of x, or several with axes;
    axes that name no coordinate; a magnitude that is not a positive number; an unknown pairing.

    >>> import numpy as np
    >>> turn_pairs(np.array([[1.0, 0.0, 5.0]]), np.array([1]), np.array([np.pi / 2])).round(4)
    array([[0., 1., 5.]])
    """
    columns = columns_of("pairing", pairing)
    xp = array_namespace(x)
    expect_positive("magnitude", magnitude)
    n_columns = 2 * omega.shape[0]
    expect(n_columns <= x.shape[-1], f"at most {x.shape[-1] // 2} frequencies, a pair of columns each", omega.shape[0])
    p = _coordinates(positions, x.shape[-2], axes)  # (position, frequency) or (position, 1)
    theta = xp.astype(p, xp.float64) * xp.astype(omega, xp.float64)
    turning, still = x[..., :n_columns], x[..., n_columns:]
    real, imaginary = rearrange(turning, f"... position {columns} -> pair ... position frequency", pair=2)
    cos, sin = (xp.astype(magnitude * part, x.dtype) for part in (xp.cos(theta), xp.sin(theta)))
    turned = xp.stack([real * cos - imaginary * sin, real * sin + imaginary * cos])
    turned = rearrange(turned, f"pair ... position frequency -> ... position {columns}")
    return xp.concat([turned, still], axis=-1)


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

    Raises ValueError: an odd d_head; a base that is not a positive number; an unknown pairing.

    >>> import numpy as np
    >>> rotary_encoding(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([0, 1])).round(4)
    array([[1.    , 0.    ],
           [0.5403, 0.8415]])
    """
    expect_multiple("d_head", x.shape[-1], 2)
    xp = array_namespace(x)
    omega = frequencies(x.shape[-1], base=base, like=xp.empty(0, dtype=xp.float64, device=device(x)))
    return turn_pairs(x, positions, omega, pairing=pairing)


def rotary_encoding_2d(
    x: Float[Array, "*batch position d_head"],
    positions: Integer[Array, "position 2"],
    *,
    base: float = 10_000.0,
    pairing: str = "interleaved",
) -> Float[Array, "*batch position d_head"]:
    """The first half of the columns turns by a patch's row, the second half by its column. `pairing` acts in each half.

    Source: [2], section 3, "axial frequency".

    Raises ValueError: as `rotary_encoding`, with d_head a multiple of 4.

    >>> import numpy as np
    >>> rotary_encoding_2d(np.array([[1.0, 0.0, 1.0, 0.0]]), np.array([[1, 0]])).round(4)
    array([[0.5403, 0.8415, 1.    , 0.    ]])
    """
    expect_multiple("d_head", x.shape[-1], 4)
    half, turned = x.shape[-1] // 2, partial(rotary_encoding, base=base, pairing=pairing)
    by_row, by_column = turned(x[..., :half], positions[:, 0]), turned(x[..., half:], positions[:, 1])
    return array_namespace(x).concat([by_row, by_column], axis=-1)


def _coordinates(positions: Array, n: int, axes: Array | None) -> Array:
    """What each pair turns by: (position, 1) for one coordinate, (position, frequency) for several."""
    if axes is None:
        expect_shape("positions", positions, n)
        return as_int64(positions)[:, None]
    expect_shape("positions", positions, n, "axis")
    n_axes = positions.shape[1]
    expect(holds(((axes >= 0) & (axes < n_axes)).all()), f"axes from 0 to {n_axes - 1}", axes)
    return as_int64(positions)[:, axes]
