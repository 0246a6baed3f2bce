"""State spaces. S4 is a recurrence that is a convolution too; H3 multiplies two of them with gates; Mamba chooses its
step, its input and its output for each token, and so is a recurrence only.

    x′(t) = A x(t) + B u(t),   y(t) = C x(t) + D u(t)        one input u and one output y for each feature

[1] Gu, Goel and Ré 2022, Efficiently Modeling Long Sequences with Structured State Spaces (S4),
    https://arxiv.org/abs/2111.00396
[2] Gu et al. 2020, HiPPO: Recurrent Memory with Optimal Polynomial Projections, https://arxiv.org/abs/2008.07669
[3] Fu et al. 2023, Hungry Hungry Hippos: Towards Language Modeling with State Space Models (H3),
    https://arxiv.org/abs/2212.14052
[4] Gu et al. 2022, On the Parameterization and Initialization of Diagonal State Space Models (S4D),
    https://arxiv.org/abs/2206.11893
[5] Gu and Dao 2024, Mamba: Linear-Time Sequence Modeling with Selective State Spaces,
    https://arxiv.org/abs/2312.00752
"""

from typing import NamedTuple

from array_api_compat import array_namespace
from jaxtyping import Float

from inorder._arrays import (
    Array,
    expect,
    expect_choice,
    expect_count,
    expect_floats,
    expect_shape,
    float_creation,
    holds,
    namespace,
)
from inorder._checked import expects
from inorder.transformer.layers import silu


class StateSpace(NamedTuple):
    """A state space in discrete time: h_t = A h_{t−1} + B u_t, y_t = C h_t + D u_t, one for each feature."""

    a: Float[Array, "d_model state state"]
    b: Float[Array, "d_model state"]
    c: Float[Array, "d_model state"]
    d: Float[Array, " d_model"]


def hippo_legs(
    n_states: int, *, like: Array | None = None
) -> tuple[Float[Array, "{n_states} {n_states}"], Float[Array, " {n_states}"]]:
    """(A, B) of HiPPO-LegS, whose state holds the past as coefficients of Legendre polynomials:

        A_nk = −√(2n+1) √(2k+1) if n > k,   −(n+1) if n = k,   0 if n < k;      B_n = √(2n+1)

    Source: [2], theorem 2, with the sign of [1], equation 2. Back end, device and dtype are those of `like`, else
    NumPy float64. Raises ValueError: n_states that is not a positive whole number.

    >>> hippo_legs(2)[0].round(3)
    array([[-1.   ,  0.   ],
           [-1.732, -2.   ]])
    """
    expect_count("n_states", n_states)
    xp, device, dtype = float_creation(like)
    n = xp.arange(n_states, dtype=dtype, device=device)
    root = xp.sqrt(2 * n + 1)
    return xp.tril(-root[:, None] * root, k=-1) - (n + 1) * xp.eye(n_states, dtype=dtype, device=device), root


def _expect_step(step: Array) -> None:
    expect(holds((step > 0).all()), "steps above 0", step.min())


@expects(_expect_step)
def discretize(
    a: Float[Array, "state state"],
    b: Float[Array, " state"],
    c: Float[Array, "d_model state"],
    d: Float[Array, " d_model"],
    step: Float[Array, " d_model"],
) -> StateSpace:
    """The state space for inputs `step` apart, by the bilinear rule; A and B are shared, C, D and Δ are each feature's.

        Ā = (I − Δ/2 A)⁻¹ (I + Δ/2 A),      B̄ = (I − Δ/2 A)⁻¹ Δ B

    Source: [1], equation 3. Raises ValueError: a step that is not above 0.

    >>> import numpy as np
    >>> one = np.ones(1)
    >>> discretize(-np.eye(1), one, np.ones((1, 1)), 0 * one, 2 * one / 3).a
    array([[[0.5]]])
    """
    xp = array_namespace(a)
    identity = xp.eye(b.shape[0], dtype=a.dtype, device=a.device)
    half = step[:, None, None] / 2 * a  # (d_model, state, state)
    both = xp.concat([identity + half, step[:, None, None] * b[:, None]], axis=-1)
    solved = xp.linalg.solve(identity - half, both)  # (d_model, state, state + 1)
    return StateSpace(solved[..., :-1], solved[..., -1], c, d)


def s4_recurrence(u: Float[Array, "*batch position d_model"], ssm: StateSpace) -> Float[Array, "*batch position d"]:
    """S4 one token after the other: h_t = A h_{t−1} + B u_t, y_t = C h_t + D u_t, from h = 0. Source: [1], equation 3.

    What surrounds it in a block (activation, a linear layer over features, layer norm) acts on rows.

    >>> import numpy as np
    >>> halves = StateSpace(np.full((1, 1, 1), 0.5), np.ones((1, 1)), np.ones((1, 1)), np.zeros(1))
    >>> s4_recurrence(np.array([[1.0], [0.0], [0.0]]), halves).T
    array([[1.  , 0.5 , 0.25]])
    """
    xp = array_namespace(u)
    state = xp.zeros((*u.shape[:-2], *ssm.b.shape), dtype=u.dtype, device=u.device)  # (*batch, d_model, state)
    rows = []
    for t in range(u.shape[-2]):
        now = u[..., t, :]  # (*batch, d_model)
        state = (ssm.a @ state[..., None])[..., 0] + ssm.b * now[..., None]
        rows.append(xp.sum(ssm.c * state, axis=-1) + ssm.d * now)
    return xp.stack(rows, axis=-2)


def s4_convolution(u: Float[Array, "*batch position d_model"], ssm: StateSpace) -> Float[Array, "*batch position d"]:
    """S4 all at once: y = K ∗ u + D u, the same numbers as `s4_recurrence`. Source: [1], equations 4 and 5.

    >>> import numpy as np
    >>> halves = StateSpace(np.full((1, 1, 1), 0.5), np.ones((1, 1)), np.ones((1, 1)), np.zeros(1))
    >>> s4_convolution(np.array([[1.0], [0.0], [0.0]]), halves).T
    array([[1.  , 0.5 , 0.25]])
    """
    return causal_convolution(u, state_space_kernel(ssm, u.shape[-2])) + ssm.d * u


def state_space_kernel(ssm: StateSpace, n: int) -> Float[Array, "{n} d_model"]:
    """K_l = C A^l B for l = 0 … n − 1: what is left after l steps of an input of 1. Source: [1], equation 5.

    Powers double: [B, AB], then A² of both, and so on. ([1] finds K without any power, which is its main contribution;
    the numbers are these.)

    >>> import numpy as np
    >>> halves = StateSpace(np.full((1, 1, 1), 0.5), np.ones((1, 1)), np.ones((1, 1)), np.zeros(1))
    >>> state_space_kernel(halves, 4).T
    array([[1.   , 0.5  , 0.25 , 0.125]])
    """
    xp = array_namespace(ssm.a)
    power, states = ssm.a, ssm.b[..., None]  # A^l, and (d_model, state, l) for the first l powers
    while states.shape[-1] < n:
        states = xp.concat([states, power @ states], axis=-1)
        power = power @ power
    return xp.matrix_transpose((ssm.c[:, None, :] @ states[..., :n])[:, 0, :])  # (n, d_model)


def causal_convolution(
    u: Float[Array, "*batch position d_model"], kernel: Float[Array, "position d_model"]
) -> Float[Array, "*batch position d_model"]:
    """y_t = Σ_{l ≤ t} K_l u_{t−l}, each feature on its own, by a Fourier transform of twice the length.

    >>> import numpy as np
    >>> causal_convolution(np.array([[1.0], [0.0], [2.0]]), np.array([[1.0], [10.0], [100.0]])).round(9).T
    array([[  1.,  10., 102.]])
    """
    xp, n = array_namespace(u), u.shape[-2]
    product = xp.fft.rfft(u, n=2 * n, axis=-2) * xp.fft.rfft(kernel, n=2 * n, axis=-2)
    return xp.fft.irfft(product, n=2 * n, axis=-2)[..., :n, :]


class H3Parameters(NamedTuple):
    """What `h3` learns. Row l of `shift` is the weight of the key l steps back."""

    w_query: Float[Array, "d_model d_key"]
    w_key: Float[Array, "d_model d_key"]
    w_value: Float[Array, "d_model d_key"]
    w_output: Float[Array, "d_key d_model"]
    shift: Float[Array, "state d_key"]
    shift_skip: Float[Array, " d_key"]
    diagonal: StateSpace


def _expect_h3(x: Array, parameters: H3Parameters) -> None:
    """A tree with a tree in it, whose features are the keys here."""
    p = parameters
    weights = {name: weight for name, weight in p._asdict().items() if name != "diagonal"}
    xp, (d_key, n_states) = namespace(x=x, **weights, **p.diagonal._asdict()), p.diagonal.b.shape
    expect_shape("w_query", p.w_query, x.shape[-1], d_key)
    expect_shape("w_key", p.w_key, *p.w_query.shape)
    expect_shape("w_value", p.w_value, *p.w_query.shape)
    expect_shape("w_output", p.w_output, d_key, "d_output")
    expect_shape("shift", p.shift, "state", d_key)
    expect_shape("shift_skip", p.shift_skip, d_key)
    expect_shape("a", p.diagonal.a, d_key, n_states, n_states)
    expect_shape("c", p.diagonal.c, d_key, n_states)
    expect_shape("d", p.diagonal.d, d_key)
    expect_floats(xp, x=x, **weights, **p.diagonal._asdict())


@expects(_expect_h3)
def h3(x: Float[Array, "*batch position d_model"], parameters: H3Parameters) -> Float[Array, "*batch position d"]:
    """(Q ⊙ SSM_diag(SSM_shift(K) ⊙ V)) W_output: remember a few keys back, then look up what came with them.

    SSM_shift keeps the last inputs as they were (its A shifts its state by one), so it is a short causal convolution;
    SSM_diag is a state space with a diagonal A. Heads of width 1, as in the authors' code.
    Source: [3], section 3.1 and algorithm 1.

    >>> import numpy as np
    >>> one, eye = np.ones(1), np.eye(1)
    >>> keep = StateSpace(np.ones((1, 1, 1)), np.ones((1, 1)), np.ones((1, 1)), 0 * one)  # a running sum
    >>> one_back = np.array([[0.0], [1.0]])  # y_t = x_t Σ_{i ≤ t} x_{i−1} x_i
    >>> h3(np.array([[1.0], [2.0], [3.0]]), H3Parameters(eye, eye, eye, eye, one_back, 0 * one, keep)).round(9).T
    array([[ 0.,  4., 24.]])
    """
    p, xp = parameters, array_namespace(x)
    n, n_states = x.shape[-2], p.shift.shape[0]
    zeros = xp.zeros((max(n - n_states, 0), p.shift.shape[1]), dtype=x.dtype, device=x.device)
    kernel = xp.concat([p.shift[:n, :], zeros])  # (position, d_key)
    query, key, value = x @ p.w_query, x @ p.w_key, x @ p.w_value  # (*batch, position, d_key)
    shifted = causal_convolution(key, kernel) + p.shift_skip * key
    return (query * s4_convolution(shifted * value, p.diagonal)) @ p.w_output


class MambaParameters(NamedTuple):
    """What `mamba` learns. Row l of `kernel` weighs the feature l steps back; A = −exp(log_a)."""

    w_input: Float[Array, "d_model d_inner"]
    w_gate: Float[Array, "d_model d_inner"]
    kernel: Float[Array, "width d_inner"]
    w_b: Float[Array, "d_inner state"]
    w_c: Float[Array, "d_inner state"]
    w_step_in: Float[Array, "d_inner rank"]
    w_step_out: Float[Array, "rank d_inner"]
    step_bias: Float[Array, " d_inner"]
    log_a: Float[Array, "d_inner state"]
    skip: Float[Array, " d_inner"]
    w_output: Float[Array, "d_inner d_model"]
    kernel_bias: Float[Array, " d_inner"] | None = None


def _expect_hold(hold: str) -> None:
    expect_choice("hold", hold, ("exact", "euler"))


@expects(_expect_hold)
def mamba(
    x: Float[Array, "*batch position d_model"], parameters: MambaParameters, *, hold: str = "exact"
) -> Float[Array, "*batch position d_model"]:
    """Mamba's mixing: a state space whose step, input and output are computed from the token that it reads.

        u = silu(convolution(x W_input)),    Δ = softplus(u W_step_in W_step_out + b),    B = u W_b,    C = u W_c
        h_t = exp(Δ_t A) h_{t−1} + B̄_t u_t,    y_t = C_t · h_t + skip u_t,    output = (y · silu(x W_gate)) W_output

    hold="exact" is the zero-order hold, B̄ = (exp(ΔA) − 1)/A · B; hold="euler" what the authors' code does, B̄ = ΔB.
    Source: [5], equations 2 and 4, algorithm 2 and figure 3; Δ by way of a low rank as in section 3.6.

    Raises ValueError: an unknown hold.

    >>> import numpy as np
    >>> one, eye = np.ones(1), np.eye(1)
    >>> p = MambaParameters(eye, eye, eye, eye, eye, eye, eye, 0 * one, 0 * eye, 0 * one, eye)
    >>> mamba(np.array([[1.0], [1.0], [0.0]]), p).round(3).T
    array([[0.193, 0.255, 0.   ]])
    """
    p, xp = parameters, array_namespace(x)
    u = silu(_depthwise(x @ p.w_input, p.kernel, p.kernel_bias))  # (*batch, position, d_inner)
    step = _softplus(u @ p.w_step_in @ p.w_step_out + p.step_bias)[..., None]  # (*batch, position, d_inner, 1)
    a = -xp.exp(p.log_a)  # (d_inner, state)
    decay = xp.exp(step * a)
    held = step if hold == "euler" else xp.expm1(step * a) / a
    update = held * (u @ p.w_b)[..., None, :] * u[..., None]  # (*batch, position, d_inner, state)
    states = scan(decay, update)
    y = xp.sum(states * (u @ p.w_c)[..., None, :], axis=-1) + p.skip * u  # (*batch, position, d_inner)
    return (y * silu(x @ p.w_gate)) @ p.w_output


def scan(
    decay: Float[Array, "*batch position feature state"], update: Float[Array, "*batch position feature state"]
) -> Float[Array, "*batch position feature state"]:
    """h_t = decay_t h_{t−1} + update_t for every t, from h = 0, in log₂ n rounds instead of n steps.

    Two steps in a row, (a, b) and then (a′, b′), are one step (a′a, a′b + b′). After round k each row holds the 2^k
    steps that end there; the next round joins them to those that end 2^k rows earlier. Source: [5], section 3.3.2.

    >>> import numpy as np
    >>> scan(np.full((4, 1, 1), 0.5), np.ones((4, 1, 1)))[:, 0, 0]
    array([1.   , 1.5  , 1.75 , 1.875])
    """
    xp = array_namespace(decay)
    reach = 1
    while reach < decay.shape[-3]:
        later, earlier = decay[..., reach:, :, :], update[..., :-reach, :, :]
        joined = later * earlier + update[..., reach:, :, :]
        update = xp.concat([update[..., :reach, :, :], joined], axis=-3)
        decay = xp.concat([decay[..., :reach, :, :], later * decay[..., :-reach, :, :]], axis=-3)
        reach *= 2
    return update


def _depthwise(x: Array, kernel: Array, bias: Array | None) -> Array:
    """A short causal convolution, each feature on its own: row t is Σ_l kernel_l x_{t−l}, a sum of few shifted rows."""
    xp, n = array_namespace(x), x.shape[-2]
    total = kernel[0, :] * x
    for lag in range(1, min(kernel.shape[0], n)):
        before = xp.zeros_like(x[..., :lag, :])
        total = total + kernel[lag, :] * xp.concat([before, x[..., : n - lag, :]], axis=-2)
    return total if bias is None else total + bias


def _softplus(x: Array) -> Array:
    """log(1 + eˣ), without overflow."""
    xp = array_namespace(x)
    return xp.where(x > 0, x, 0 * x) + xp.log1p(xp.exp(-xp.abs(x)))
