"""The still figures of chapter 8: examples for `test_figures`, and the numbers that they must show."""

import numpy as np

from inorder import figures

BETA, AT = np.geomspace(0.1, 32, 9), np.array([1.0, 4.0])
WIDTHS = [8, 16, 64, 512]
DISTANCE = np.arange(1, 200)
POWER = 0.3 * DISTANCE**-3.47
EDGE = np.eye(10, 40, k=-5)
DRAWN = {
    "three_heads": lambda: figures.three_heads(
        {"two to the right": np.eye(16, k=2), "the first token": np.eye(16), "by distance": np.eye(16) / 2}
    ),
    "offset_sharpness": lambda: figures.offset_sharpness(
        BETA,
        {d: 1 - np.exp(-BETA * d / 64) for d in WIDTHS},
        AT,
        {d: 1 - np.exp(-AT * d / 64) for d in WIDTHS},
    ),
    "heads_at_the_edge": lambda: figures.heads_at_the_edge(
        {"all frequencies": EDGE, "the four fastest alone": EDGE}, np.arange(10) - 5
    ),
    "distance_weights": lambda: figures.distance_weights(
        DISTANCE, {"all frequencies": 1.1 * POWER, "the slow ones alone": np.exp(-DISTANCE / 90)}, POWER
    ),
}


def test_maps_are_the_weights_from_white_at_0_to_blue_at_1():
    maps = [axes.images[0] for axes in DRAWN["three_heads"]().axes]
    np.testing.assert_array_equal(maps[0].get_array(), np.eye(16, k=2))
    np.testing.assert_array_equal(maps[2].get_array(), np.eye(16) / 2)
    assert [map_.get_clim() for map_ in maps] == [(0, 1)] * 3


def test_curves_are_derived_and_dots_are_measured():
    lines = DRAWN["offset_sharpness"]().axes[0].lines
    np.testing.assert_allclose(lines[0].get_ydata(), 1 - np.exp(-BETA / 8))
    np.testing.assert_allclose(lines[5].get_ydata(), 1 - np.exp(-AT))
    labels = [line.get_label() for line in lines if line.get_marker() != "None"]
    assert labels == [f"d_model = {d}" for d in WIDTHS]


def test_targets_are_ringed_where_they_exist_and_pointed_at_where_they_do_not():
    for axes in DRAWN["heads_at_the_edge"]().axes:
        rings = [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines]
        assert rings == [(0, 5), (1, 6), (2, 7), (3, 8), (4, 9)]
        assert [text.get_position()[1] for text in axes.texts] == [0, 1, 2, 3, 4]


def test_both_distance_heads_are_drawn_with_the_derived_power():
    axes = DRAWN["distance_weights"]().axes[0]
    np.testing.assert_allclose(axes.lines[0].get_ydata(), 1.1 * POWER)
    np.testing.assert_allclose(axes.lines[2].get_ydata(), POWER)
    assert axes.get_xscale() == axes.get_yscale() == "log"
