"""S4 and H3 beside SciPy's linear systems, the recurrence beside the convolution, Mamba beside loops and a library."""

import numpy as np
import pytest
import torch
from scipy.signal import cont2discrete, dlsim, lfilter

from inorder.mixers import (
    H3Parameters,
    MambaParameters,
    StateSpace,
    discretize,
    h3,
    hippo_legs,
    mamba,
    s4_convolution,
    s4_recurrence,
)
from inorder.mixers.state_space import causal_convolution, scan

RNG = np.random.default_rng(0)
N, D_MODEL, N_STATES = 11, 3, 4


def fresh_s4(d_model: int = D_MODEL) -> tuple[StateSpace, np.ndarray]:
    c, d, step = RNG.normal(size=(d_model, N_STATES)), RNG.normal(size=d_model), RNG.uniform(0.05, 0.5, d_model)
    return discretize(*hippo_legs(N_STATES), c, d, step), step


def test_discretize_is_scipys_bilinear_rule() -> None:
    a, b = hippo_legs(N_STATES)
    ssm, step = fresh_s4()
    for i in range(D_MODEL):
        theirs = cont2discrete((a, b[:, None], ssm.c[i : i + 1], 0), step[i], method="bilinear")
        np.testing.assert_allclose(ssm.a[i], theirs[0], atol=1e-13)
        np.testing.assert_allclose(ssm.b[i], theirs[1][:, 0], atol=1e-13)


def test_hippo_remembers_the_mean_of_the_past() -> None:
    """The first coefficient of LegS obeys c₀′ = −c₀ + u, whatever the others do, and every eigenvalue is −1 … −N."""
    a, b = hippo_legs(6)
    assert a[0, 0] == -b[0] == -1
    assert not a[0, 1:].any()
    np.testing.assert_allclose(np.sort(np.linalg.eigvals(a).real), -np.arange(6, 0, -1), atol=1e-9)


@pytest.mark.parametrize("batch", [(), (2, 5)])
def test_s4_is_scipys_simulation_of_the_same_system(batch: tuple[int, ...]) -> None:
    """SciPy's output comes before its step, ours after: y_t = C(A h_{t−1} + B u_t) + D u_t."""
    ssm, _ = fresh_s4()
    u = RNG.normal(size=(*batch, N, D_MODEL))
    for index in np.ndindex(*batch):
        for i in range(D_MODEL):
            a, b, c = ssm.a[i], ssm.b[i][:, None], ssm.c[i : i + 1]
            theirs = dlsim((a, b, c @ a, c @ b + ssm.d[i], 1), u[(*index, slice(None), i)])[1][:, 0]
            np.testing.assert_allclose(s4_recurrence(u, ssm)[(*index, slice(None), i)], theirs, atol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 7, 16, 33])
def test_the_recurrence_is_the_convolution(n: int) -> None:
    ssm, _ = fresh_s4()
    u = RNG.normal(size=(2, n, D_MODEL))
    np.testing.assert_allclose(s4_convolution(u, ssm), s4_recurrence(u, ssm), atol=1e-13)


def test_causal_convolution_is_numpys() -> None:
    u, kernel = RNG.normal(size=(N, D_MODEL)), RNG.normal(size=(N, D_MODEL))
    expected = np.stack([np.convolve(u[:, i], kernel[:, i])[:N] for i in range(D_MODEL)], axis=1)
    np.testing.assert_allclose(causal_convolution(u, kernel), expected, atol=1e-13)


@pytest.mark.parametrize("n", [2, 11])
def test_h3_is_two_filters_and_two_gates(n: int) -> None:
    """SciPy's filters, feature by feature: taps for the shift; for the diagonal one, a first-order filter a state."""
    d_key = 5
    rates, step = np.arange(1.0, N_STATES + 1), RNG.uniform(0.05, 0.5, d_key)
    c, skip = RNG.normal(size=(d_key, N_STATES)), RNG.normal(size=d_key)
    diagonal = discretize(-np.diag(rates), np.ones(N_STATES), c, skip, step)
    weights = [RNG.normal(size=(D_MODEL, d_key)) for _ in "qkv"]
    w_output, taps, shift_skip = RNG.normal(size=(d_key, D_MODEL)), RNG.normal(size=(3, d_key)), RNG.normal(size=d_key)
    x = RNG.normal(size=(n, D_MODEL))
    query, key, value = (x @ w for w in weights)
    y = np.empty((n, d_key))
    for i in range(d_key):
        u = (lfilter(taps[:, i], [1], key[:, i]) + shift_skip[i] * key[:, i]) * value[:, i]
        pole = (1 - step[i] / 2 * rates) / (1 + step[i] / 2 * rates)
        gain = step[i] / (1 + step[i] / 2 * rates)
        y[:, i] = skip[i] * u + sum(c[i, s] * lfilter([gain[s]], [1, -pole[s]], u) for s in range(N_STATES))
    expected = (query * y) @ w_output
    ours = h3(x, H3Parameters(*weights, w_output, taps, shift_skip, diagonal))
    np.testing.assert_allclose(ours, expected, atol=1e-12)


def fresh_mamba(**changes) -> MambaParameters:
    d_model, inner, n_states, rank = 3, 6, 4, 2
    shapes = {
        "w_input": (d_model, inner),
        "w_gate": (d_model, inner),
        "kernel": (4, inner),
        "w_b": (inner, n_states),
        "w_c": (inner, n_states),
        "w_step_in": (inner, rank),
        "w_step_out": (rank, inner),
        "step_bias": (inner,),
        "log_a": (inner, n_states),
        "skip": (inner,),
        "w_output": (inner, d_model),
        "kernel_bias": (inner,),
    }
    rng = np.random.default_rng(5)
    return MambaParameters(**{name: rng.normal(size=shape) for name, shape in shapes.items()} | changes)


def mamba_by_loops(x: np.ndarray, p: MambaParameters) -> np.ndarray:
    """One text, one token, one feature and one state after the other, by the paper's equations 2 and 4."""
    inner, n_states = p.log_a.shape

    def silu(z: float) -> float:
        return z / (1 + np.exp(-z))

    rows = []
    memory, state = [np.zeros(inner)] * len(p.kernel), np.zeros((inner, n_states))
    for row in x:
        memory = [row @ p.w_input, *memory[:-1]]
        u = [
            silu(sum(p.kernel[lag, i] * memory[lag][i] for lag in range(len(p.kernel))) + p.kernel_bias[i])
            for i in range(inner)
        ]
        b, c, low = u @ p.w_b, u @ p.w_c, u @ p.w_step_in
        y = np.zeros(inner)
        for i in range(inner):
            step = np.log(1 + np.exp(low @ p.w_step_out[:, i] + p.step_bias[i]))
            for s in range(n_states):
                a = -np.exp(p.log_a[i, s])
                (held_a,), (held_b,) = cont2discrete((*np.array([[[a]], [[b[s]]]]), np.eye(1), 0), step, method="zoh")[
                    :2
                ]
                state[i, s] = held_a[0] * state[i, s] + held_b[0] * u[i]
                y[i] += c[s] * state[i, s]
            y[i] = (y[i] + p.skip[i] * u[i]) * silu(row @ p.w_gate[:, i])
        rows.append(y @ p.w_output)
    return np.array(rows)


@pytest.mark.parametrize("n", [1, 2, 11])
def test_mamba_is_its_equations_token_by_token(n: int) -> None:
    """The zero-order hold is SciPy's."""
    x, p = RNG.normal(size=(n, 3)), fresh_mamba()
    np.testing.assert_allclose(mamba(x, p), mamba_by_loops(x, p), atol=1e-12)
    np.testing.assert_allclose(mamba(np.stack([x, 0 * x]), p)[0], mamba(x, p), atol=1e-14)


def test_mamba_with_eulers_step_is_transformers() -> None:
    from transformers.models.mamba.configuration_mamba import MambaConfig
    from transformers.models.mamba.modeling_mamba import MambaMixer

    config = MambaConfig(hidden_size=3, state_size=4, conv_kernel=4, expand=2, time_step_rank=2, num_hidden_layers=1)
    theirs, p = MambaMixer(config, layer_idx=0).eval(), fresh_mamba()
    weights = {
        "in_proj.weight": np.concatenate([p.w_input, p.w_gate], axis=1).T,
        "conv1d.weight": p.kernel[::-1].T[:, None],
        "conv1d.bias": p.kernel_bias,
        "x_proj.weight": np.concatenate([p.w_step_in, p.w_b, p.w_c], axis=1).T,
        "dt_proj.weight": p.w_step_out.T,
        "dt_proj.bias": p.step_bias,
        "A_log": p.log_a,
        "D": p.skip,
        "out_proj.weight": p.w_output.T,
    }
    theirs.load_state_dict({name: torch.tensor(w.copy(), dtype=torch.float32) for name, w in weights.items()})
    x = RNG.normal(size=(2, 9, 3))
    with torch.no_grad():
        expected = theirs(torch.tensor(x, dtype=torch.float32)).numpy()
    np.testing.assert_allclose(mamba(x, p, hold="euler"), expected, rtol=1e-4, atol=1e-5)
    assert np.abs(mamba(x, p) - expected).max() > 0.01


def test_steps_far_from_zero_overflow_nothing() -> None:
    x = RNG.normal(size=(7, 3))
    for bias in (-800.0, 800.0):
        assert np.isfinite(mamba(x, fresh_mamba(step_bias=np.full(6, bias)))).all()


@pytest.mark.parametrize("n", [1, 2, 3, 8, 13])
def test_the_scan_is_the_recurrence(n: int) -> None:
    decay, update = RNG.uniform(0, 1, (2, n, 3, 4)), RNG.normal(size=(2, n, 3, 4))
    state, rows = np.zeros((2, 3, 4)), []
    for t in range(n):
        state = decay[:, t] * state + update[:, t]
        rows.append(state)
    np.testing.assert_allclose(scan(decay, update), np.stack(rows, axis=1), atol=1e-13)
