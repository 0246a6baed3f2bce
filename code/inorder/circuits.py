"""Attention heads built by hand, and what the scores can see of W_Q and W_K.

A head is its two matrices and a sharpness β: S = β (X W_Q)(X W_K)ᵀ. The heads here read the rows of
`sinusoidal_encoding`, whose product is a function of distance alone: p_s · p_t = Σ_j cos ω_j (s − t), largest at s = t.

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
[2] Elhage et al. 2021, A Mathematical Framework for Transformer Circuits,
    https://transformer-circuits.pub/2021/framework/
[3] Olsson et al. 2022, In-context Learning and Induction Heads, https://arxiv.org/abs/2209.11895
"""

from typing import NamedTuple

import array_api_compat
from jaxtyping import Bool, Float

from inorder._arrays import (
    Array,
    expect,
    expect_multiple,
    expect_number,
    expect_positive,
    expect_shape,
    float_creation,
    holds,
    short_repr,
)
from inorder._checked import check_calls, expects
from inorder.attention.masks import causal_mask
from inorder.attention.scores import attention_scores, attention_weights
from inorder.encodings.absolute import shift_matrix, sinusoidal_encoding

__all__ = [
    "Head",
    "first_token_head",
    "head_scores",
    "head_weights",
    "induction_weights",
    "offset_head",
    "position_readout",
    "qk_circuit",
    "rank",
    "read_through",
    "reparametrise",
    "swap",
]


class Head(NamedTuple):
    """What decides where a head looks. The sharpness β multiplies the scores; None is 1/√d_head, as in attention."""

    w_query: Float[Array, "d_model d_head"]
    w_key: Float[Array, "d_memory d_head"]
    sharpness: float | None = None

    def __repr__(self) -> str:
        return short_repr(self)


def _expect_scale(head: Head) -> None:
    if head.sharpness is not None:
        expect_number("sharpness", head.sharpness)


@expects(_expect_scale)
def head_scores(
    x_query: Float[Array, "*batch query d_model"], x_key: Float[Array, "*batch key d_memory"], head: Head
) -> Float[Array, "*batch query key"]:
    """S = β (X_query W_Q)(X_key W_K)ᵀ.

    Raises ValueError: a sharpness that is no finite number.

    >>> import numpy as np
    >>> head_scores(np.eye(2), np.eye(2), Head(np.array([[1.0], [2.0]]), np.array([[3.0], [4.0]]), 10.0))
    array([[30., 40.],
           [60., 80.]])
    """
    query, key = x_query @ head.w_query, x_key @ head.w_key
    return attention_scores(query, key, scale=head.sharpness)


@expects(_expect_scale)
def head_weights(
    x_query: Float[Array, "*batch query d_model"],
    x_key: Float[Array, "*batch key d_memory"],
    head: Head,
    *,
    mask: Bool[Array, "*#batch query key"] | None = None,
) -> Float[Array, "*batch query key"]:
    """A = softmax of `head_scores`, over the keys.

    Raises ValueError: as `head_scores`; a fully masked row.

    >>> import numpy as np
    >>> from inorder.encodings import sinusoidal_encoding
    >>> x = sinusoidal_encoding(np.arange(6), 64)
    >>> head_weights(x, x, offset_head(-1, 64)).argmax(axis=-1)
    array([0, 0, 1, 2, 3, 4])
    """
    query, key = x_query @ head.w_query, x_key @ head.w_key
    return attention_weights(query, key, mask=mask, scale=head.sharpness)


def offset_head(
    offset: int,
    d_model: int,
    *,
    d_head: int | None = None,
    sharpness: float = 16.0,
    like: Array | None = None,
) -> Head:
    """The head at position i looks at position i + offset: W_Q = R_offset, W_K = 1.

    (p_i R_offset) · p_j = p_(i + offset) · p_j = Σ_j cos ω_j (i + offset − j), at most d_head/2 and only at
    j = i + offset. Where that key is missing, the weight goes to the keys where the sum is next largest: with all
    frequencies and a small offset the nearest. d_head keeps the two columns of each of the d_head/2 fastest
    frequencies, which tell neighbours apart best; with few of them the sum comes close to d_head/2 far away, too.
    Source: [1], section 3.5, for R.

    Raises ValueError: a d_head that is odd or above d_model; a sharpness that is no positive number; as `shift_matrix`.

    >>> import numpy as np
    >>> x = sinusoidal_encoding(np.arange(1000, 1006), 64)
    >>> head_weights(x, x, offset_head(2, 64)).argmax(axis=-1)
    array([2, 3, 4, 5, 5, 5])
    """
    d_head = d_model if d_head is None else d_head
    expect_multiple("d_head", d_head, 2)
    expect(d_head <= d_model, f"d_head of at most d_model = {d_model}", d_head)
    shift, identity = (shift_matrix(k, d_model, like=like) for k in (offset, 0))
    return Head(shift[:, :d_head], identity[:, :d_head], _sharpness(sharpness))


def first_token_head(d_model: int, *, sharpness: float = 16.0, like: Array | None = None) -> Head:
    """Every position looks at position 0, with d_head = 1: W_Q picks the slowest cosine, W_K = p_0ᵀ.

    The score is β cos(ω_slow i) · (p_0 · p_j), and p_0 · p_j is largest at j = 0. The first factor, close to 1, stands
    in for the constant that a bias would give: it holds for positions well below a quarter of the longest wavelength,
    (π/2) 10,000^((d_model − 2)/d_model), 11 779 at d_model = 64.

    Raises ValueError: a sharpness that is no positive number; d_model as in `sinusoidal_encoding`.

    >>> import numpy as np
    >>> x = sinusoidal_encoding(np.arange(1002), 64)
    >>> head_weights(x[1000:], x, first_token_head(64)).round(3)[:, :3]
    array([[1., 0., 0.],
           [1., 0., 0.]])
    """
    xp, device, dtype = float_creation(like)
    first = sinusoidal_encoding(xp.zeros(1, dtype=xp.int64, device=device), d_model, dtype=dtype)  # (1, d_model)
    slowest_cosine = xp.eye(d_model, dtype=dtype, device=device)[:, -1:]
    return Head(slowest_cosine, first.mT, _sharpness(sharpness))


def induction_weights(
    words: Float[Array, "position token"],
    looks_back: Float[Array, "position position"],
    *,
    sharpness: float = 8.0,
) -> Float[Array, "position position"]:
    """Where a second head looks: at the rows in which the first has noted the row's own word. Under a causal mask.

    The first head looks where `looks_back` says, (query, key), and writes the words that it sees into each row, as a
    note: N = looks_back · words. The second compares each row's word with all notes: softmax(β words Nᵀ). If the first
    looks at the token before, it is an induction head: it looks at what came after the word last time, and
    ``induction_weights(…) @ words`` says what comes next. Source: [2], "induction heads"; [3].

    Raises ValueError: a sharpness that is no positive number.

    >>> import numpy as np
    >>> words = np.eye(4)[[0, 1, 2, 3, 2, 1]]  # a start token, b, c, d, c, b
    >>> p = sinusoidal_encoding(np.arange(6), 64)
    >>> looks_back = head_weights(p, p, offset_head(-1, 64), mask=causal_mask(6))
    >>> (induction_weights(words, looks_back) @ words).round(2)[-2:]  # d, then c
    array([[0., 0., 0., 1.],
           [0., 0., 1., 0.]])
    """
    mask = causal_mask(words.shape[0], like=words)
    return attention_weights(words, looks_back @ words, mask=mask, scale=_sharpness(sharpness))


def position_readout(
    tokens: Float[Array, "token d_model"], encoding: Float[Array, "position d_model"]
) -> Float[Array, "d_model d_model"]:
    """The D that takes the token out of token + position: least squares for tokens @ D = 0, encoding @ D = encoding.

    It is exact if and only if the span of the tokens and that of the positions meet only in 0.

    >>> import numpy as np
    >>> d = position_readout(np.array([[1.0, 1.0, 0.0]]), np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    >>> (np.array([1.0, 2.0, 0.0]) @ d).round(12)
    array([0., 1., 0.])
    """
    xp = array_api_compat.array_namespace(tokens)
    rows, targets = xp.concat([tokens, encoding]), xp.concat([0 * tokens, encoding])  # (token + position, d_model)
    return xp.linalg.pinv(rows, rtol=1e4 * xp.finfo(rows.dtype).eps) @ targets


def _expect_one_width(head: Head) -> None:
    expect_shape("head.w_key", head.w_key, head.w_query.shape[0], "d_head")


@expects(_expect_one_width)
def read_through(head: Head, readout: Float[Array, "d_input d_model"]) -> Head:
    """The head whose scores on X are those of `head` on X D: (D W_Q, D W_K).

    Raises ValueError: a head for queries and keys of two widths.

    >>> import numpy as np
    >>> read_through(Head(np.eye(2), np.eye(2)), np.ones((3, 2))).w_query.shape
    (3, 2)
    """
    return head._replace(w_query=readout @ head.w_query, w_key=readout @ head.w_key)


def qk_circuit(head: Head) -> Float[Array, "d_model d_memory"]:
    """B = W_Q W_Kᵀ, all that the scores see of the two: s_ij = β x_i B x_jᵀ. Its rank is at most d_head.

    Source: [2], "query-key circuit".

    >>> import numpy as np
    >>> qk_circuit(Head(np.array([[1.0], [2.0]]), np.array([[3.0], [4.0]])))
    array([[3., 4.],
           [6., 8.]])
    """
    return head.w_query @ head.w_key.mT


def rank(head: Head) -> int:
    """The rank of `qk_circuit(head)`: how many numbers of a token the head can compare. At most d_head.

    >>> rank(first_token_head(64))
    1
    """
    form = qk_circuit(head)
    return int(array_api_compat.array_namespace(form).linalg.matrix_rank(form))


def swap(head: Head) -> Head:
    """Queries and keys swapped: B becomes Bᵀ and S becomes Sᵀ, but softmax still sums over the keys.

    >>> import numpy as np
    >>> x = sinusoidal_encoding(np.arange(6), 64)
    >>> head_weights(x, x, swap(offset_head(-1, 64))).argmax(axis=-1)
    array([1, 2, 3, 4, 5, 5])
    """
    return head._replace(w_query=head.w_key, w_key=head.w_query)


def _expect_inverse(g: Array) -> None:
    rank_of_g = array_api_compat.array_namespace(g).linalg.matrix_rank(g)
    invertible = holds(rank_of_g == g.shape[0])
    expect(invertible, f"g of full rank {g.shape[0]}, to have an inverse", f"rank {rank_of_g}")


@expects(_expect_inverse)
def reparametrise(head: Head, g: Float[Array, "d_head d_head"]) -> Head:
    """(W_Q G, W_K G⁻ᵀ): other matrices and the same scores, since W_Q G (W_K G⁻ᵀ)ᵀ = W_Q W_Kᵀ.

    This freedom is the gauge of a head: neither the norms of the two nor any single column means anything. (Rotary
    encoding stands between them, and leaves only the G that commute with its rotations.)

    Raises ValueError: g that has no inverse.

    >>> import numpy as np
    >>> head = Head(np.eye(2), np.eye(2))
    >>> reparametrise(head, np.array([[2.0, 0.0], [0.0, 4.0]])).w_key
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    solve = array_api_compat.array_namespace(g).linalg.solve
    return head._replace(w_query=head.w_query @ g, w_key=solve(g, head.w_key.mT).mT)


def _sharpness(sharpness: float) -> float:
    expect_positive("sharpness", sharpness)
    return float(sharpness)


check_calls(globals())
