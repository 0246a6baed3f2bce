"""Positions as vectors, one row for each, to be added to the tokens or put beside them.

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
[2] Gehring et al. 2017, Convolutional Sequence to Sequence Learning, https://arxiv.org/abs/1705.03122
[3] Carion et al. 2020, End-to-End Object Detection with Transformers (DETR), https://arxiv.org/abs/2005.12872
"""

from numbers import Integral
from typing import Any

from array_api_compat import array_namespace
from einops import rearrange
from jaxtyping import Float, Integer

from inorder._arrays import (
    Array,
    expect,
    expect_count,
    expect_multiple,
    float_creation,
    float_dtype,
    holds,
    not_negative,
)
from inorder.encodings.waves import angles, columns_of, frequencies


def scalar_encoding(
    positions: Integer[Array, " position"], length: int, *, dtype: Any = None
) -> Float[Array, "position 1"]:
    """PE(p) = p / (length − 1): one number, 0 for the first token and 1 for the last. A length of one gives 0.

    A longer text moves every token: position 3 is 3/9 of ten and 3/99 of a hundred.

    Raises ValueError: positions that are negative, or not below length.

    >>> import numpy as np
    >>> scalar_encoding(np.arange(5), 5)
    array([[0.  ],
           [0.25],
           [0.5 ],
           [0.75],
           [1.  ]])
    """
    expect_count("length", length)
    positions = _positions_below(length, "the length", positions)
    xp = array_namespace(positions)
    dtype = float_dtype(xp, dtype)
    scalar = xp.astype(positions, xp.float64) / max(length - 1, 1)  # (position,)
    return xp.astype(scalar[:, None], dtype)  # (position, 1)


def binary_encoding(
    positions: Integer[Array, " position"], n_bits: int, *, dtype: Any = None
) -> Float[Array, "position {n_bits}"]:
    """PE(p)_b = bit b of p, so that p = Σ_b 2^b PE(p)_b: square waves, each an octave below the one before.

    Raises ValueError: n_bits not from 1 to 63; positions that are negative, or not below 2^n_bits.

    >>> import numpy as np
    >>> binary_encoding(np.array([0, 1, 2, 6]), 3)
    array([[0., 0., 0.],
           [1., 0., 0.],
           [0., 1., 0.],
           [0., 1., 1.]])
    """
    expect_count("n_bits", n_bits)
    expect(n_bits <= 63, "at most 63 bits, which hold every position", n_bits)
    positions = _positions_below(2**n_bits, f"as n_bits = {n_bits} can count no further", positions)
    xp = array_namespace(positions)
    dtype = float_dtype(xp, dtype)
    bit = xp.arange(n_bits, dtype=xp.int64, device=positions.device)  # (bit,)
    return xp.astype((positions[:, None] >> bit) & 1, dtype)  # (position, bit)


def sinusoidal_encoding(
    positions: Integer[Array, " position"],
    d_model: int,
    *,
    base: float = 10_000.0,
    layout: str = "interleaved",
    dtype: Any = None,
) -> Float[Array, "position {d_model}"]:
    """PE(p)_2j = sin(p ω_j) and PE(p)_2j+1 = cos(p ω_j), where ω_j = base^(−2j/d_model): clock hands, ever slower.

    layout="halves" has all sines first, then all cosines (Marian, GPT-J): the same columns in another order, see
    `layout_permutation`. (tensor2tensor and Whisper divide by d_model/2 − 1 in the exponent: other frequencies, and no
    reordering turns one into the other.)
    Source: [1], section 3.5.

    Raises ValueError: negative positions; d_model that is not an even positive whole number; a base that is not a
    positive number; an unknown layout.

    >>> import numpy as np
    >>> sinusoidal_encoding(np.arange(3), 4).round(4)
    array([[ 0.    ,  1.    ,  0.    ,  1.    ],
           [ 0.8415,  0.5403,  0.01  ,  1.    ],
           [ 0.9093, -0.4161,  0.02  ,  0.9998]])
    """
    columns = columns_of("layout", layout)
    positions = not_negative("positions", positions)
    xp = array_namespace(positions)
    dtype = float_dtype(xp, dtype)
    theta = angles(positions, d_model, base)  # (position, frequency)
    waves = xp.stack([xp.astype(xp.sin(theta), dtype), xp.astype(xp.cos(theta), dtype)])  # (pair, position, frequency)
    return rearrange(waves, f"pair position frequency -> position {columns}")


def sinusoidal_encoding_2d(
    positions: Integer[Array, "position 2"],
    d_model: int,
    *,
    base: float = 10_000.0,
    layout: str = "interleaved",
    dtype: Any = None,
) -> Float[Array, "position {d_model}"]:
    """PE(r, c) = [PE(r), PE(c)]: half the columns encode a patch's row, half its column. `layout` acts in each half.

    Source: [3], appendix A.4.

    Raises ValueError: as `sinusoidal_encoding`, with d_model a multiple of 4.

    >>> import numpy as np
    >>> sinusoidal_encoding_2d(np.array([[0, 0], [0, 1]]), 4).round(4)
    array([[0.    , 1.    , 0.    , 1.    ],
           [0.    , 1.    , 0.8415, 0.5403]])
    """
    expect_multiple("d_model", d_model, 4)
    one_axis = [
        sinusoidal_encoding(positions[:, axis], d_model // 2, base=base, layout=layout, dtype=dtype) for axis in (0, 1)
    ]
    return array_namespace(positions).concat(one_axis, axis=-1)  # (position, d_model)


def shift_matrix(
    offset: int,
    d_model: int,
    *,
    base: float = 10_000.0,
    layout: str = "interleaved",
    like: Array | None = None,
) -> Float[Array, "{d_model} {d_model}"]:
    """The R with PE(p) R = PE(p + offset) for every p: each pair (sin, cos) turned by offset·ω_j.

    [sin(a + δ), cos(a + δ)] = [sin a, cos a] @ [[cos δ, −sin δ], [sin δ, cos δ]], a block for each frequency on the
    diagonal. So R is orthogonal, R_k R_l = R_(k+l), and its transpose shifts back.
    Source: [1], section 3.5 ("a linear function of PE_pos").

    Raises ValueError: an offset that is not a whole number; d_model, base and layout as in `sinusoidal_encoding`.

    >>> import numpy as np
    >>> pe = sinusoidal_encoding(np.arange(10), 8)
    >>> np.allclose(pe[:7] @ shift_matrix(3, 8), pe[3:])
    True
    """
    expect(isinstance(offset, Integral), "offset to be a whole number", repr(offset))
    columns_of("layout", layout)
    xp, device, dtype = float_creation(like)
    omega = frequencies(d_model, base=base, like=xp.empty(0, dtype=xp.float64, device=device))
    theta = int(offset) * omega  # (frequency,)
    cos, sin = xp.cos(theta), xp.sin(theta)
    matrix = xp.zeros((d_model, d_model), dtype=xp.float64, device=device)
    columns, half = list(range(d_model)), d_model // 2
    sine, cosine = (columns[::2], columns[1::2]) if layout == "interleaved" else (columns[:half], columns[half:])
    matrix[sine, sine] = matrix[cosine, cosine] = cos
    matrix[sine, cosine], matrix[cosine, sine] = -sin + 0.0, sin  # (no −0.0 to print)
    return xp.astype(matrix, dtype)


def look_up(
    table: Float[Array, "length d_model"], positions: Integer[Array, " position"]
) -> Float[Array, "position d_model"]:
    """PE(p) = table[p], the learned encoding. A position beyond the table is an error: nothing was learned there.

    Source: [2], section 3.1.

    Raises ValueError: positions that are negative, or not below the table's length.

    >>> import numpy as np
    >>> look_up(np.array([[0.1, 0.2], [0.3, 0.4]]), np.array([1, 0, 1]))
    array([[0.3, 0.4],
           [0.1, 0.2],
           [0.3, 0.4]])
    """
    return table[_positions_below(table.shape[0], "the table's length", positions)]


def concatenate_encoding(
    x: Float[Array, "*batch position d_token"], encoding: Float[Array, "position d_position"]
) -> Float[Array, "*batch position d_token+d_position"]:
    """[x; p]: each token's vector followed by its position's, the same positions for every sequence of the batch.

    A weight W then acts as two: [x; p] W = x W₁ + p W₂.

    >>> import numpy as np
    >>> concatenate_encoding(np.zeros((5, 3, 4)), np.ones((3, 2))).shape
    (5, 3, 6)
    """
    xp = array_namespace(x)
    encoding = xp.broadcast_to(encoding, (*x.shape[:-1], encoding.shape[-1]))  # (*batch, position, d_position)
    return xp.concat([x, encoding], axis=-1)


def _positions_below(limit: int, meaning: str, positions: Array) -> Array:
    positions = not_negative("positions", positions)
    largest = positions.max()
    if not holds(largest < limit):
        raise ValueError(f"expected positions below {limit}, {meaning}, got {int(largest)}")
    return positions
