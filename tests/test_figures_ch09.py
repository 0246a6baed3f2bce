"""The still figures of chapter 9: examples for `test_figures`, and the numbers that they must show."""

import numpy as np

from inorder import figures

LINES = {
    "tokens 1 to 4": (np.arange(1, 5), np.arange(1, 5)),
    "digits": (np.arange(3), 3 * np.arange(3)),
}
TOKENS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
POSITIONS = np.array([[0.0, 0.0], [3.0, 0.5], [-1.0, 3.0], [4.0, 4.0]])
X, AT = np.array([4, 8, 16, 64]), np.geomspace(4, 64, 7)
SEEDS = np.array([-0.01, 0.0, 0.02])
MEASURED = {"token": X[:, None] / 70 + SEEDS, "position": X[:, None] / 80 + SEEDS}
DERIVED = {"token": AT / 70, "position": AT / 80}
WIDTHS = np.array([2, 10, 39, 42])
SHARES = {
    "sum": np.minimum(WIDTHS / 39, 1)[:, None] + SEEDS,
    "side by side": np.minimum(WIDTHS / 39, 1)[:, None] + SEEDS,
}
DRAWN = {
    "lattice_of_sums": lambda: figures.lattice_of_sums(LINES, 7, TOKENS, POSITIONS),
    "look_up_recovery": lambda: figures.look_up_recovery(
        {"width d": (X, MEASURED, AT, DERIVED), "length": (X / 16, MEASURED, AT / 16, DERIVED)}
    ),
    "affine_recovery": lambda: figures.affine_recovery(WIDTHS, SHARES, SHARES, 39),
    "heads_with_words": lambda: figures.heads_with_words(
        np.array([0, 0.5, 1]),
        np.array([[1.0, 0.5, 0.0]]).T + SEEDS,
        np.array([8, 40, 64]),
        np.array([[1.0, 1.0, 0.4]]).T + SEEDS,
    ),
}


def test_a_dot_for_every_pair_and_rings_for_the_sum_asked_for():
    first, second, plane = DRAWN["lattice_of_sums"]().axes
    dots = {line.get_xdata()[0]: len(line.get_xdata()) for line in first.lines[:-1]}
    assert dots == {2: 1, 3: 2, 4: 3, 5: 4, 6: 3, 7: 2, 8: 1}
    assert list(first.lines[-1].get_xdata()) == [7, 7]
    assert sorted(line.get_xdata()[0] for line in second.lines[:-1]) == list(range(9))
    points = [line.get_xydata() for line in plane.lines if line.get_marker() != "None"]
    np.testing.assert_allclose(points, TOKENS + POSITIONS[:, None])
    assert [text.get_text() for text in plane.texts] == list("abcd") * 4


def test_dots_are_means_over_seeds_on_derived_curves():
    left = DRAWN["look_up_recovery"]().axes[0]
    dots = [container[0].get_ydata() for container in left.containers]
    np.testing.assert_allclose(dots, [measured.mean(axis=1) for measured in MEASURED.values()])
    curves = [line.get_ydata() for line in left.lines if len(line.get_xdata()) == len(AT)]
    np.testing.assert_allclose(curves, list(DERIVED.values()))


def test_the_derived_line_ends_where_decoding_is_exact():
    left, right = DRAWN["affine_recovery"]().axes
    np.testing.assert_allclose(left.lines[0].get_xydata(), [[0, 0], [39, 1], [42, 1]])
    assert len(left.containers) == len(right.containers) == 2


def test_failing_and_mended_heads_are_drawn_beside_each_other():
    left, right = DRAWN["heads_with_words"]().axes
    np.testing.assert_allclose(left.containers[0][0].get_ydata(), np.array([1, 0.5, 0]) + SEEDS.mean())
    np.testing.assert_allclose(right.containers[0][0].get_xdata(), [8, 40, 64])
