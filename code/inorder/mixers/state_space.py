"""Linear state spaces: a recurrence that is a convolution too. S4, and H3, which multiplies two of them with gates.

    x′(t) = A x(t) + B u(t),   y(t) = C x(t) + D u(t)        one input u and one output y for each feature

[1] Gu, Goel and Ré 2022, Efficiently Modeling Long Sequences with Structured State Spaces (S4),
    https://arxiv.org/abs/2111.00396
[2] Gu et al. 2020, HiPPO: Recurrent Memory with Optimal Polynomial Projections, https://arxiv.org/abs/2008.07669
[3] Fu et al. 2023, Hungry Hungry Hippos: Towards Language Modeling with State Space Models (H3),
    https://arxiv.org/abs/2212.14052
[4] Gu et al. 2022, On the Parameterization and Initialization of Diagonal State Space Models (S4D),
    https://arxiv.org/abs/2206.11893
"""

from typing import Any, NamedTuple

from jaxtyping import Float

from inorder._arrays import Array, expect, expect_count, expect_floats, expect_shape, float_creation, namespace


class StateSpace(NamedTuple):
    """A state space in discrete time: h_t = A h_{t−1} + B u_t, y_t = C h_t + D u_t, for each feature its own."""

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


def discretize(
    a: Float[Array, "state state"],
    b: Float[Array, " state"],
    c: Float[Array, "d_model state"],
    d: Float[Array, " d_model"],
    step: Float[Array, " d_model"],
) -> StateSpace:
    """The state space for inputs `step` apart, by the bilinear rule; A and B are shared, C, D and Δ are each feature's.

        Ā = (I − Δ/2 A)⁻¹ (I + Δ/2 A),      B̄ = (I − Δ/2 A)⁻¹ Δ B

    Source: [1], equation 3. Raises ValueError: a step that is not above 0; shapes or dtypes that do not fit.

    >>> import numpy as np
    >>> one = np.ones(1)
    >>> discretize(-np.eye(1), one, np.ones((1, 1)), 0 * one, 2 * one / 3).a
    array([[[0.5]]])
    """
    xp = namespace(a, b, c, d, step)
    expect_shape("b", b, "state")
    expect_shape("a", a, b.shape[0], b.shape[0])
    expect_shape("c", c, "d_model", b.shape[0])
    expect_shape("d", d, c.shape[0])
    expect_shape("step", step, c.shape[0])
    expect_floats(xp, a=a, b=b, c=c, d=d, step=step)
    expect(xp.all(step > 0), "steps above 0", xp.min(step))
    identity = xp.eye(b.shape[0], dtype=a.dtype, device=a.device)
    half = step[:, None, None] / 2 * a  # (d_model, state, state)
    both = xp.concat([identity + half, step[:, None, None] * b[:, None]], axis=-1)
    solved = xp.linalg.solve(identity - half, both)  # (d_model, state, state + 1)
    return StateSpace(solved[..., :-1], solved[..., -1], c, d)


def s4_recurrence(u: Float[Array, "*batch position d_model"], ssm: StateSpace) -> Float[Array, "*batch position d"]:
    """S4 one token after the other: h_t = A h_{t−1} + B u_t, y_t = C h_t + D u_t, from h = 0. Source: [1], equation 3.

    What surrounds it in a block (activation, a linear layer over features, layer norm) acts on rows.

    Raises ValueError: shapes or dtypes that do not fit.

    >>> import numpy as np
    >>> halves = StateSpace(np.full((1, 1, 1), 0.5), np.ones((1, 1)), np.ones((1, 1)), np.zeros(1))
    >>> s4_recurrence(np.array([[1.0], [0.0], [0.0]]), halves).T
    array([[1.  , 0.5 , 0.25]])
    """
    xp = _expect_state_space(u, ssm)
    state = xp.zeros((*u.shape[:-2], *ssm.b.shape), dtype=u.dtype, device=u.device)  # (*batch, d_model, state)
    rows = []
    for t in range(u.shape[-2]):
        now = u[..., t, :]  # (*batch, d_model)
        state = (ssm.a @ state[..., None])[..., 0] + ssm.b * now[..., None]
        rows.append(xp.sum(ssm.c * state, axis=-1) + ssm.d * now)
    return xp.stack(rows, axis=-2)


def s4_convolution(u: Float[Array, "*batch position d_model"], ssm: StateSpace) -> Float[Array, "*batch position d"]:
    """S4 all at once: y = K ∗ u + D u, the same numbers as `s4_recurrence`. Source: [1], equations 4 and 5.

    Raises ValueError: shapes or dtypes that do not fit.

    >>> import numpy as np
    >>> halves = StateSpace(np.full((1, 1, 1), 0.5), np.ones((1, 1)), np.ones((1, 1)), np.zeros(1))
    >>> s4_convolution(np.array([[1.0], [0.0], [0.0]]), halves).T
    array([[1.  , 0.5 , 0.25]])
    """
    _expect_state_space(u, ssm)
    return causal_convolution(u, state_space_kernel(ssm, u.shape[-2])) + ssm.d * u


def state_space_kernel(ssm: StateSpace, n: int) -> Float[Array, "{n} d_model"]:
    """K_l = C A^l B for l = 0 … n − 1: what is left after l steps of an input of 1. Source: [1], equation 5.

    Powers double: [B, AB], then A² of both, and so on. ([1] finds K without any power, which is its main contribution;
    the numbers are these.) Raises ValueError: an n that is not a positive whole number.

    >>> import numpy as np
    >>> halves = StateSpace(np.full((1, 1, 1), 0.5), np.ones((1, 1)), np.ones((1, 1)), np.zeros(1))
    >>> state_space_kernel(halves, 4).T
    array([[1.   , 0.5  , 0.25 , 0.125]])
    """
    expect_count("n", n)
    xp = namespace(*ssm)
    power, states = ssm.a, ssm.b[..., None]  # A^l, and (d_model, state, l) for the first l powers
    while states.shape[-1] < n:
        states = xp.concat([states, power @ states], axis=-1)
        power = power @ power
    return xp.matrix_transpose((ssm.c[:, None, :] @ states[..., :n])[:, 0, :])  # (n, d_model)


def causal_convolution(
    u: Float[Array, "*batch position d_model"], kernel: Float[Array, "position d_model"]
) -> Float[Array, "*batch position d_model"]:
    """y_t = Σ_{l ≤ t} K_l u_{t−l}, each feature on its own, by a Fourier transform of twice the length.

    Raises ValueError: shapes or dtypes that do not fit.

    >>> import numpy as np
    >>> causal_convolution(np.array([[1.0], [0.0], [2.0]]), np.array([[1.0], [10.0], [100.0]])).round(9).T
    array([[  1.,  10., 102.]])
    """
    xp = namespace(u, kernel)
    expect_shape("u", u, ..., "position", "d_model")
    n = u.shape[-2]
    expect_shape("kernel", kernel, n, u.shape[-1])
    expect_floats(xp, u=u, kernel=kernel)
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


def h3(x: Float[Array, "*batch position d_model"], parameters: H3Parameters) -> Float[Array, "*batch position d"]:
    """(Q ⊙ SSM_diag(SSM_shift(K) ⊙ V)) W_output: remember a few keys back, then look up what came with them.

    SSM_shift keeps the last inputs as they were (its A shifts its state by one), so it is a short causal convolution;
    SSM_diag is a state space with a diagonal A. Heads of width 1, as in the authors' code.
    Source: [3], section 3.1 and algorithm 1.

    Raises ValueError: shapes or dtypes that do not fit.

    >>> import numpy as np
    >>> one, eye = np.ones(1), np.eye(1)
    >>> keep = StateSpace(np.ones((1, 1, 1)), np.ones((1, 1)), np.ones((1, 1)), 0 * one)  # a running sum
    >>> one_back = np.array([[0.0], [1.0]])  # y_t = x_t Σ_{i ≤ t} x_{i−1} x_i
    >>> h3(np.array([[1.0], [2.0], [3.0]]), H3Parameters(eye, eye, eye, eye, one_back, 0 * one, keep)).round(9).T
    array([[ 0.,  4., 24.]])
    """
    p = parameters
    expect(isinstance(p, H3Parameters), "H3Parameters", type(p).__name__)
    xp = namespace(x, *p[:-1])
    expect_shape("x", x, ..., "position", "d_model")
    expect_shape("w_query", p.w_query, x.shape[-1], "d_key")
    expect_shape("w_key", p.w_key, *p.w_query.shape)
    expect_shape("w_value", p.w_value, *p.w_query.shape)
    expect_shape("w_output", p.w_output, p.w_query.shape[1], "d_output")
    expect_shape("shift", p.shift, "state", p.w_query.shape[1])
    expect_shape("shift_skip", p.shift_skip, p.w_query.shape[1])
    n, n_states = x.shape[-2], p.shift.shape[0]
    zeros = xp.zeros((max(n - n_states, 0), p.shift.shape[1]), dtype=x.dtype, device=x.device)
    kernel = xp.concat([p.shift[:n, :], zeros])  # (position, d_key)
    query, key, value = x @ p.w_query, x @ p.w_key, x @ p.w_value  # (*batch, position, d_key)
    shifted = causal_convolution(key, kernel) + p.shift_skip * key
    return (query * s4_convolution(shifted * value, p.diagonal)) @ p.w_output


def _expect_state_space(u: Array, ssm: StateSpace) -> Any:
    expect(isinstance(ssm, StateSpace), "a StateSpace", type(ssm).__name__)
    xp = namespace(u, *ssm)
    expect_shape("u", u, ..., "position", "d_model")
    expect_shape("b", ssm.b, u.shape[-1], "state")
    expect_shape("a", ssm.a, *ssm.b.shape, ssm.b.shape[1])
    expect_shape("c", ssm.c, *ssm.b.shape)
    expect_shape("d", ssm.d, u.shape[-1])
    expect_floats(xp, u=u, **ssm._asdict())
    return xp
