"""The still figures of chapter 10: examples for `test_figures`, and the numbers that they must show."""

import numpy as np

from inorder import figures

NAMES = ["ALiBi, symmetric", "ALiBi, left", "T5", "Shaw", "RoPE", "sinusoids"]
DISTANCE = np.arange(12.0) - np.arange(12)[:, None]
MATRICES = {name: DISTANCE + k for k, name in enumerate(NAMES)}
MATRICES["ALiBi, left"] = np.where(DISTANCE > 0, -np.inf, DISTANCE)
GRID = np.arange(35.0).reshape(5, 7) - 17
STEPS = np.full((4, 10), 0.3) * np.linspace(0.5, 2, 4)[:, None]

DRAWN = {
    "bias_matrices": lambda: figures.bias_matrices(MATRICES),
    "patch_kernels": lambda: figures.patch_kernels(GRID, GRID[::-1]),
    "restarted_positions": lambda: figures.restarted_positions(STEPS, 1e-16 * STEPS),
}


def test_matrices_say_their_range_and_hide_what_is_hidden():
    axes = DRAWN["bias_matrices"]().axes
    assert [each.get_title() for each in axes][:2] == ["ALiBi, symmetric: −11 to 11", "ALiBi, left: −11 to 0"]
    drawn = axes[1].images[0].get_array()
    np.testing.assert_array_equal(np.ma.getmaskarray(drawn), DISTANCE > 0)
    np.testing.assert_array_equal(drawn.filled(-np.inf), MATRICES["ALiBi, left"])


def test_the_query_patch_is_framed():
    for axes, scores in zip(DRAWN["patch_kernels"]().axes, (GRID, GRID[::-1]), strict=True):
        assert [patch.get_xy() for patch in axes.patches] == [(2.5, 1.5)]
        np.testing.assert_array_equal(axes.images[0].get_array(), scores)


def test_steps_show_median_and_range():
    axes = DRAWN["restarted_positions"]().axes[0]
    middle = axes.containers[0][0].get_ydata()
    np.testing.assert_allclose(middle, np.median(STEPS, axis=0))
    exact_zero = figures.restarted_positions(STEPS, 0 * STEPS).axes[0].containers[1][0].get_ydata()
    assert (exact_zero == 1e-17).all()
