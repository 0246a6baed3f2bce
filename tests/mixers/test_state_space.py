"""S4 and H3 beside SciPy's linear systems, and the recurrence beside the convolution."""

import numpy as np
import pytest
from scipy.signal import cont2discrete, dlsim, lfilter

from inorder.mixers import (
    H3Parameters,
    StateSpace,
    causal_convolution,
    discretize,
    h3,
    hippo_legs,
    s4_convolution,
    s4_recurrence,
    state_space_kernel,
)

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


def test_the_kernel_is_the_answer_to_a_single_one() -> None:
    ssm, _ = fresh_s4()
    single = np.zeros((N, D_MODEL))
    single[0] = 1
    np.testing.assert_allclose(state_space_kernel(ssm, N), s4_recurrence(single, ssm) - single * ssm.d, atol=1e-14)


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


def test_bad_input(types_unchecked: None) -> None:
    ssm, _ = fresh_s4()
    a, b = hippo_legs(2)
    with pytest.raises(ValueError, match="expected steps above 0, got 0"):
        discretize(a, b, np.ones((1, 2)), np.ones(1), np.zeros(1))
    with pytest.raises(ValueError, match=r"expected a of shape \(2, 2\), got \(3, 3\)"):
        discretize(np.eye(3), b, np.ones((1, 2)), np.ones(1), np.ones(1))
    with pytest.raises(ValueError, match=r"expected b of shape \(2, state\), got \(3, 4\)"):
        s4_recurrence(np.ones((N, 2)), ssm)
    with pytest.raises(ValueError, match="expected a StateSpace, got tuple"):
        s4_convolution(np.ones((N, D_MODEL)), tuple(ssm))
    with pytest.raises(ValueError, match=r"expected kernel of shape \(11, 3\), got \(10, 3\)"):
        causal_convolution(np.ones((N, D_MODEL)), np.ones((N - 1, D_MODEL)))
    with pytest.raises(ValueError, match="expected H3Parameters, got tuple"):
        h3(np.ones((N, D_MODEL)), (1, 2))
