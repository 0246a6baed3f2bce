"""What the stills share: both palettes in one SVG, mixtures of ink, numbers in sentences."""

import re

import matplotlib as mpl
import pytest

from inorder.book.drawing import (
    INK,
    MUTED,
    RAISED,
    STYLE,
    Picture,
    mix,
    said,
)
from inorder.palette import DARK, LIGHT


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


def test_mixtures_lie_between_the_ground_and_the_colour():
    assert (mix(0), mix(1)) == (RAISED, INK)
    with pytest.raises(ValueError, match=r"expected a share from 0 to 1, got 1\.5"):
        mix(1.5)


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
