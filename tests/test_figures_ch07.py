"""The still figures of chapter 7: examples for `test_figures`, and the numbers that they must show."""

import numpy as np

from inorder import figures
from inorder.encodings import binary_encoding, frequencies, scalar_encoding, sinusoidal_encoding

WAVES = sinusoidal_encoding(np.arange(16), 6, base=50.0)
SHOWN = [0, 1, 2, 3, 8, 40]
HANDS = sinusoidal_encoding(np.array(SHOWN), 8)
PE = sinusoidal_encoding(np.arange(20), 8)
CURVE = np.cos(frequencies(8) * np.arange(20)[:, None]).sum(axis=1)
TIMES = np.linspace(-0.5, 31.5, 65)
SINES = np.sin((TIMES[:, None] + 0.5) * np.pi / 2.0 ** np.arange(4))
VARIANCE = {n: np.linspace(1, 0, 24) ** (1 + k) for k, n in enumerate((8, 64, 256, 5000))}
ANGLES = np.linspace(-1, 1, 16)
ARC = 4 * np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
STRAIGHT = {slope: np.exp(slope * np.arange(16) / 15) / 1e3 for slope in (-12.0, -4.0, 0.0, 4.0, 12.0)}
BENT = {i: np.eye(16)[i - 1] for i in (4, 8, 12)}

DRAWN = {
    "four_candidates": lambda: figures.four_candidates(
        {n: scalar_encoding(np.arange(n), n)[:, 0] for n in (8, 16)}, binary_encoding(np.arange(16), 4), WAVES
    ),
    "clock_hands": lambda: figures.clock_hands(HANDS, SHOWN, 2 * np.pi / frequencies(8)),
    "product_by_distance": lambda: figures.product_by_distance(
        CURVE, {i: PE[i] @ PE.T for i in (2, 9, 15)}, {i: PE[i] @ PE[::-1].T for i in (2, 9, 15)}
    ),
    "octaves": lambda: figures.octaves(binary_encoding(np.arange(32), 5)[:, :4], TIMES, SINES),
    "slow_hands": lambda: figures.slow_hands(VARIANCE, VARIANCE),
    "bent_line": lambda: figures.bent_line(STRAIGHT, ARC, BENT),
}


def test_the_candidates_are_what_they_are_given():
    integer, scalar, bits, wave = DRAWN["four_candidates"]().axes
    np.testing.assert_array_equal(integer.lines[0].get_ydata(), np.arange(16))
    assert [line.get_ydata()[-1] for line in scalar.lines] == [1, 1]
    np.testing.assert_array_equal(bits.images[0].get_array(), binary_encoding(np.arange(16), 4).T)
    np.testing.assert_allclose([line.get_ydata() for line in wave.lines], WAVES.T)


def test_hands_point_clockwise_from_twelve():
    axes = DRAWN["clock_hands"]().axes[0]
    hands = [line.get_xydata() for line in axes.lines if line.get_linewidth() == 2]
    tips = np.array([(end - start) / 0.38 for start, end in hands])  # pair by pair, position by position
    np.testing.assert_allclose(tips, HANDS.reshape(6, 4, 2).transpose(1, 0, 2).reshape(-1, 2), atol=1e-12)
    np.testing.assert_allclose(tips[0], [0, 1])


def test_products_are_drawn_at_their_distance():
    top, bottom = DRAWN["product_by_distance"]().axes
    assert [line.get_xdata()[0] for line in top.lines if len(line.get_xdata()) == 20] == [-2, -9, -15]
    both = next(line for line in top.lines if len(line.get_xdata()) == 39)
    np.testing.assert_allclose(both.get_ydata()[both.get_xdata() == 0], 4)  # d/2 at distance 0
    np.testing.assert_allclose(top.lines[0].get_ydata()[2], 4)
    assert max(len(line.get_xdata()) for line in bottom.lines) == 20


def test_the_staircase_is_the_sum_of_its_bits():
    panels = DRAWN["octaves"]().axes
    np.testing.assert_array_equal(panels[0].lines[0].get_ydata(), np.arange(32) % 16)
    for bit, axes in enumerate(panels[1:]):
        np.testing.assert_array_equal(axes.lines[0].get_ydata() == -1, binary_encoding(np.arange(32), 5)[:, :4][:, bit])
        np.testing.assert_array_equal(axes.lines[1].get_ydata(), SINES[:, bit])


def test_points_lie_on_the_derived_curves():
    axes = DRAWN["slow_hands"]().axes[0]
    curves, points = axes.lines[::2], axes.lines[1::2]
    for curve, point in zip(curves, points, strict=True):
        np.testing.assert_array_equal(point.get_ydata(), curve.get_ydata()[point.get_xdata()])


def test_lines_peak_at_an_end_and_bent_ones_inside():
    top, arc, bottom = DRAWN["bent_line"]().axes
    assert all(line.get_ydata().argmax() in (0, 15) for line in top.lines)
    np.testing.assert_allclose(arc.lines[1].get_xydata(), ARC[:, ::-1])
    assert [line.get_ydata().argmax() for line in bottom.lines] == [3, 7, 11]
