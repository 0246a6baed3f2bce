"""What the stills share: both palettes in one SVG, ranges as bars, cells whose colours a page can change."""

import re

import matplotlib as mpl
import numpy as np
import pytest

from inorder.book.drawing import (
    INK,
    MUTED,
    RAISED,
    STYLE,
    Picture,
    draw_cells,
    draw_range,
    in_both_palettes,
    legible_on,
    mix,
    said,
    span,
)
from inorder.palette import DARK, LIGHT
from inorder.widgets.kit.twin import listed


@mpl.rc_context(STYLE)
def drawn(*, colour: str = INK) -> str:
    figure = Picture("A line.", height=2)
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color=colour)
    axes.fill_between([0, 1], 0.5, facecolor=mix(0.25), edgecolor=MUTED, hatch="//")
    return figure._repr_mimebundle_()[0]["image/svg+xml"]


def test_every_colour_has_a_name_and_both_palettes_come_along():
    svg = drawn()
    style, rest = re.search(r"<style>(\.inorder-still .*?)</style>(.*)", svg, re.S).groups()
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    assert all(f"--{name}: {colour};" in light for name, colour in LIGHT.items())
    assert all(f"--{name}: {colour};" in dark for name, colour in DARK.items())
    assert not re.search(r"(fill|stroke)(: |=\")#", rest)
    assert "color-mix(in srgb, var(--ink) 25%, var(--raised))" in rest and "var(--muted)" in rest
    assert svg.count('class="inorder-still"') == 1


def test_a_colour_of_no_palette_is_refused():
    with pytest.raises(ValueError, match="expected colours of the book's palette, got #ff0000"):
        drawn(colour="red")


def test_only_colours_are_renamed():
    svg = '<svg width="9"><use href="#a1b2c3"/><rect fill="#1a222d"/><path style="stroke: #FFFFFF"/></svg>'
    assert in_both_palettes(svg).endswith(
        '<use href="#a1b2c3"/><rect style="fill: var(--ink)"/><path style="stroke: var(--raised)"/></svg>'
    )


def test_mixtures_lie_between_the_ground_and_the_colour():
    assert (mix(0), mix(1), mix(1, "negative")) == (RAISED, INK, LIGHT["negative"])
    assert legible_on(mix(0.2)) == INK and legible_on(mix(0.9)) == RAISED
    with pytest.raises(ValueError, match=r"expected a share from 0 to 1, got 1\.5"):
        mix(1.5)


@pytest.mark.parametrize("seeds", [0, 1])
def test_ranges_are_drawn_around_the_middle(seeds):
    values = np.array([[1.0, 2.0, 6.0], [4.0, 4.0, 4.0]])
    axes = Picture("x", height=2).subplots()
    bars = draw_range(axes, [0, 1], values if seeds else values.T, seeds=seeds, middle=np.median)
    np.testing.assert_array_equal(bars[0].get_ydata(), [2, 4])
    segments = [segment[:, 1] for segment in bars[2][0].get_segments()]
    np.testing.assert_array_equal(segments, [[1, 6], [4, 4]])


def test_cells_lie_around_their_indices_and_end_at_the_colours_of_the_signs():
    axes = Picture("x", height=2).subplots()
    draw_cells(axes, np.array([[-2.0, 0.0, 2.0]]), largest=2, signed=True)
    assert (axes.get_xlim(), axes.get_ylim()) == ((-0.5, 2.5), (0.5, -0.5))
    mesh = axes.collections[0]
    display = [mpl.colors.to_hex(colour) for colour in mesh.to_rgba(mesh.get_array()).reshape(-1, 4)]
    assert display == [LIGHT["negative"], RAISED, LIGHT["positive"]]


@pytest.mark.parametrize(
    ("number", "form", "text"),
    [
        (-2.5, ".2g", "−2.5"),
        (-0.0, ".2g", "0"),
        (1e-14, ".0e", "10 to the minus 14"),
        (4e-3, ".0e", "0.004"),
        (7, "d", "7"),
    ],
)
def test_numbers_in_sentences(number, form, text):
    assert said(number, form) == text


def test_lists_and_spans_in_sentences():
    assert listed(["a"]) == "a" and listed("abc") == "a, b and c"
    assert span([0.31, -0.2]) == "−0.2 to 0.31" and span([2.001, 2.002]) == "2"
