"""The still figures: alt texts that the notebooks repeat word for word, and drawings that fit a phone."""

import importlib
import json
import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.text import Text

from built_site import ROOT
from inorder import figures
from inorder.attention import causal_mask
from inorder.figures.drawing import STYLE

OPEN = np.ones((5, 5), dtype=bool)
WIDTHS = [16, 1024]
DRAWN = {
    "saturation": lambda: figures.saturation(
        WIDTHS,
        unscaled=np.array([[0.6, 0.7], [0.9, 0.95]]),
        scaled=np.array([[0.1, 0.2], [0.15, 0.2]]),
        expected_unscaled=[0.64, 0.95],
        expected_scaled=[0.16, 0.16],
        weights_unscaled=np.eye(32)[3],
        weights_scaled=np.full(32, 1 / 32),
    ),
    "convex_hull": lambda: figures.convex_hull(
        ["the", "cat", "sat"],
        np.array([[4.0, 0.0], [0.0, 4.0], [8.0, 8.0]]),
        np.full((3, 2), 4.0),
        np.array([[4.0, 4.0], [4.0, 0.0]]),
    ),
    "masks": lambda: figures.masks(OPEN, causal_mask(5), OPEN & (np.arange(5) < 3)),
    "head_split": figures.head_split,
    "memory": lambda: figures.memory([256, 1024], [1.5, 24.0], [0.7, 1.8], [0.5, 8.0], [0.1, 0.5]),
    "transformer_block": figures.transformer_block,
    "three_projections": figures.three_projections,
    "soft_dictionary": lambda: figures.soft_dictionary(
        key=np.array([6.0, 12.0, 18.0]),
        value=np.array([8.0, 20.0, 14.0]),
        query=np.linspace(0, 24, 25),
        soft={0.5: np.linspace(8, 20, 25), 0.05: np.linspace(10, 18, 25), 0.0: np.full(25, 14.0)},
        hard=np.repeat([8.0, 20.0, 14.0], [9, 7, 9]),
    ),
    "sharpness_limit": lambda: figures.sharpness_limit(
        np.linspace(0, 30, 31),
        missing=np.exp(-np.linspace(0, 30, 31))[:, None] * [[0.5, 2.0]],
        floor=1 / (1 + np.exp(np.linspace(0, 30, 31))),
        ceiling=7 * np.exp(-np.linspace(0, 30, 31)),
    ),
}
for _path in sorted(Path(__file__).parent.glob("test_figures_ch*.py")):
    DRAWN |= importlib.import_module(_path.stem).DRAWN


def cells_with_figures() -> list:
    """(chapter, name of the figure function, cell) for every cell of the book that draws with `figures`."""
    found = []
    for path in sorted((ROOT / "chapters").glob("*.ipynb")):
        for cell in json.loads(path.read_text())["cells"]:
            if cell["cell_type"] == "code" and (call := re.search(r"^figures\.(\w+)\(", "".join(cell["source"]), re.M)):
                found.append(pytest.param(call[1], cell["metadata"]["mystnb"], id=f"{path.stem}-{call[1]}"))
    return found


@pytest.mark.parametrize(("name", "metadata"), cells_with_figures())
def test_notebook_repeats_the_alt_text(name, metadata):
    assert metadata["image"]["alt"] == DRAWN[name]().alt_text
    assert metadata["figure"]["name"].startswith("fig-")
    assert metadata["figure"]["caption"].startswith("**")


def test_every_figure_is_drawn_here():
    assert sorted(DRAWN) == sorted(set(figures.__all__) - {"Picture"})


@pytest.mark.parametrize("name", DRAWN)
def test_shows_itself_as_svg_with_its_alt_text(name):
    figure = DRAWN[name]()
    data, metadata = figure._repr_mimebundle_()
    assert data["text/plain"] == metadata["image/svg+xml"]["alt"] == figure.alt_text
    assert data["image/png"].startswith(b"\x89PNG")
    assert DRAWN[name]()._repr_mimebundle_()[0]["image/svg+xml"] == data["image/svg+xml"]  # the same text each time


@pytest.mark.parametrize("name", DRAWN)
def test_reads_on_a_phone(name):
    """No wider than 4.8 inches, nothing cut off at an edge, no text under 7 points, and a white card below it all."""
    figure = DRAWN[name]()
    figure._repr_mimebundle_()
    assert figure.get_figwidth() <= 4.8
    assert figure.get_facecolor() == (1, 1, 1, 1)
    with mpl.rc_context(STYLE):
        box = figure.get_tightbbox()
    assert box.x0 >= -0.02 and box.y0 >= -0.02
    assert box.x1 <= figure.get_figwidth() + 0.02 and box.y1 <= figure.get_figheight() + 0.02
    assert min(text.get_fontsize() for text in figure.findobj(Text) if text.get_text()) >= 7


def test_saturation_draws_the_numbers_it_is_given():
    curve = DRAWN["saturation"]().axes[2]
    drawn = {tuple(np.round(line.get_ydata(), 6)) for line in curve.lines}
    assert {(0.65, 0.925), (0.15, 0.175), (0.64, 0.95), (0.16, 0.16)} <= drawn


def test_masks_cross_out_what_is_forbidden():
    crosses = [sum(t.get_text() == "×" for t in axes.texts) for axes in DRAWN["masks"]().axes]
    assert crosses == [0, 10, 10]


def test_head_split_places_each_number():
    texts = [t.get_text() for t in DRAWN["head_split"]().axes[0].texts]
    right = texts.index("right: split the columns, then swap the axes")
    assert texts[right + 1 : right + 7] == ["0a", "0b", "1a", "1b", "2a", "2b"]
    assert texts[right + 7] == "head 0\n(3, 2)"
