"""Layers that read one token after the other and carry a state: order is how they work.

[1] Elman 1990, Finding Structure in Time, https://doi.org/10.1207/s15516709cog1402_1
[2] Cho et al. 2014, Learning Phrase Representations using RNN Encoder–Decoder, https://arxiv.org/abs/1406.1078
[3] Peng et al. 2023, RWKV: Reinventing RNNs for the Transformer Era, https://arxiv.org/abs/2305.13048
"""

from typing import NamedTuple

from array_api_compat import array_namespace
from jaxtyping import Float

from inorder._arrays import Array, expect, holds
from inorder._checked import expects


def elman_rnn(
    x: Float[Array, "*batch position d_input"],
    w_input: Float[Array, "d_input d_model"],
    w_hidden: Float[Array, "d_model d_model"],
    bias: Float[Array, " d_model"] | None = None,
) -> Float[Array, "*batch position d_model"]:
    """h_t = tanh(x_t W_input + h_{t−1} W_hidden + b), from h = 0. Row t of the output is h_t. Source: [1].

    >>> import numpy as np
    >>> elman_rnn(np.array([[1.0], [0.0], [0.0]]), np.eye(1), 2 * np.eye(1)).round(2).T
    array([[0.76, 0.91, 0.95]])
    """
    xp = array_namespace(x)
    driven = x @ w_input if bias is None else x @ w_input + bias  # (*batch, position, d_model)
    hidden = xp.zeros_like(driven[..., 0, :])  # (*batch, d_model)
    rows = []
    for t in range(x.shape[-2]):
        hidden = xp.tanh(driven[..., t, :] + hidden @ w_hidden)
        rows.append(hidden)
    return xp.stack(rows, axis=-2)


class GRUParameters(NamedTuple):
    """What `gru` learns. Three groups of columns: reset gate, update gate, candidate (torch's order)."""

    w_input: Float[Array, "d_input 3*d_model"]
    w_hidden: Float[Array, "d_model 3*d_model"]
    b_input: Float[Array, " 3*d_model"] | None = None
    b_hidden: Float[Array, " 3*d_model"] | None = None


def gru(x: Float[Array, "*batch position d_input"], parameters: GRUParameters) -> Float[Array, "*batch position d"]:
    """The gated recurrent unit, from h = 0. With a = x_t W_input + b_input and u = h W_hidden + b_hidden:

        r = σ(a_r + u_r)      z = σ(a_z + u_z)      n = tanh(a_n + r ⊙ u_n)      h ← (1 − z) ⊙ n + z ⊙ h

    The reset gate acts after the product with W_hidden, as in cuDNN and torch; in [2] it acts before.

    >>> import numpy as np
    >>> x = np.array([[1.0], [0.0], [0.0]])
    >>> gru(x, GRUParameters(np.array([[0.0, 0.0, 5.0]]), np.zeros((1, 3)))).round(3).T  # it forgets by half
    array([[0.5  , 0.25 , 0.125]])
    """
    p, xp, d_model = parameters, array_namespace(x), parameters.w_hidden.shape[0]
    driven = x @ p.w_input if p.b_input is None else x @ p.w_input + p.b_input  # (*batch, position, 3 d_model)
    reset, update, candidate = slice(d_model), slice(d_model, 2 * d_model), slice(2 * d_model, None)
    hidden = xp.zeros_like(driven[..., 0, :d_model])  # (*batch, d_model)
    rows = []
    for t in range(x.shape[-2]):
        now = driven[..., t, :]
        before = hidden @ p.w_hidden if p.b_hidden is None else hidden @ p.w_hidden + p.b_hidden
        r = sigmoid(now[..., reset] + before[..., reset])
        z = sigmoid(now[..., update] + before[..., update])
        n = xp.tanh(now[..., candidate] + r * before[..., candidate])
        hidden = (1 - z) * n + z * hidden
        rows.append(hidden)
    return xp.stack(rows, axis=-2)


class RWKVParameters(NamedTuple):
    """What `rwkv` learns. A mix of 1 takes a token's own row, of 0 the row before it, feature by feature."""

    mix_receptance: Float[Array, " d_model"]
    mix_key: Float[Array, " d_model"]
    mix_value: Float[Array, " d_model"]
    w_receptance: Float[Array, "d_model d_key"]
    w_key: Float[Array, "d_model d_key"]
    w_value: Float[Array, "d_model d_key"]
    w_output: Float[Array, "d_key d_model"]
    decay: Float[Array, " d_key"]
    bonus: Float[Array, " d_key"]


def _expect_decay(parameters: RWKVParameters) -> None:
    decay = parameters.decay
    expect(holds((decay >= 0).all()), "decay of 0 or more", decay.min())


@expects(_expect_decay)
def rwkv(x: Float[Array, "*batch position d_model"], parameters: RWKVParameters) -> Float[Array, "*batch position d"]:
    """RWKV-4's time mixing: (σ(r_t) ⊙ wkv_t) W_output, with r, k and v from a mix of each row and the row before it.

        r_t = (μ_r ⊙ x_t + (1 − μ_r) ⊙ x_{t−1}) W_r, and so for k and v      (x_{−1} = 0)

    Source: [3], equations 11 to 17. Raises ValueError: a negative decay.

    >>> import numpy as np
    >>> one, zero, half = np.ones(1), np.zeros((1, 1)), np.full((1, 1), 2.0)
    >>> rwkv(np.array([[3.0], [0.0]]), RWKVParameters(one, one, one, zero, zero, half, np.eye(1), 0 * one, 0 * one)).T
    array([[3. , 1.5]])
    """
    p, xp = parameters, array_namespace(x)
    before = xp.concat([xp.zeros_like(x[..., :1, :]), x[..., :-1, :]], axis=-2)  # (*batch, position, d_model)

    def mixed(share: Array) -> Array:
        return share * x + (1 - share) * before

    key, value = mixed(p.mix_key) @ p.w_key, mixed(p.mix_value) @ p.w_value  # (*batch, position, d_key)
    gate = sigmoid(mixed(p.mix_receptance) @ p.w_receptance)
    return (gate * wkv(key, value, p.decay, p.bonus)) @ p.w_output


def wkv(
    key: Float[Array, "*batch position d_key"],
    value: Float[Array, "*batch position d_key"],
    decay: Float[Array, " d_key"],
    bonus: Float[Array, " d_key"],
) -> Float[Array, "*batch position d_key"]:
    """A causal average of values whose weight fades by e^(−decay) a step; a token's own weight has a bonus instead:

        wkv_t = (Σ_{i<t} e^(−(t−1−i) w + k_i) v_i + e^(u + k_t) v_t) / (Σ_{i<t} e^(−(t−1−i) w + k_i) + e^(u + k_t))

    Two sums and the largest exponent so far are the whole state. Source: [3], equation 14 and appendix D.

    >>> import numpy as np
    >>> zero = np.zeros(1)
    >>> wkv(np.zeros((3, 1)), np.array([[3.0], [0.0], [0.0]]), zero, zero).T  # no decay, no bonus: the mean so far
    array([[3. , 1.5, 1. ]])
    """
    xp = array_namespace(key)
    numerator = denominator = xp.zeros_like(key[..., 0, :])  # (*batch, d_key), both divided by e^peak
    peak = key[..., 0, :]
    rows = []
    for t in range(key.shape[-2]):
        k, v = key[..., t, :], value[..., t, :]
        top = xp.maximum(peak, bonus + k)
        past, own = xp.exp(peak - top), xp.exp(bonus + k - top)
        rows.append((past * numerator + own * v) / (past * denominator + own))
        top = xp.maximum(peak - decay, k)
        past, own = xp.exp(peak - decay - top), xp.exp(k - top)
        numerator, denominator, peak = past * numerator + own * v, past * denominator + own, top
    return xp.stack(rows, axis=-2)


def sigmoid(x: Array) -> Array:
    """1/(1 + e^(−x)), written so that nothing overflows."""
    return 0.5 + 0.5 * array_namespace(x).tanh(0.5 * x)
