"""Every figure of `inorder.book.figures`, as the chapters show it: each state of the live ones, and each still."""

import ast
import functools
import importlib
import inspect
import pkgutil
import re

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.text import Text

from chapter_tests import CHAPTERS, code_cells, imports
from inorder.book import figures
from inorder.book.drawing import STYLE, Picture
from inorder.book.figures import ab_against_ba
from inorder.widgets import interact
from inorder.widgets.interact.figure import EVERY_STATE

MODULES = [
    importlib.import_module(f"{figures.__name__}.{module.name}") for module in pkgutil.iter_modules(figures.__path__)
]
CELLS = {path: code_cells(path) for path in sorted(CHAPTERS.glob("*.ipynb"))}
PROMPTS = [(prompt, *ab_against_ba.weights_and_output(prompt, asks=prompt[-1])) for prompt in ("AB", "BA")]
ARGUMENTS = {"prompt_bars": (PROMPTS,)}  # of the stills that take any
STILLS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": function
    for module in MODULES
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__ and function.__annotations__.get("return") is Picture
}


def live_figures():
    """{function: notebook and call} of each `interact(figures.…)`; a figure that is shown twice counts once."""
    calls = {}
    for path, cells in CELLS.items():
        for cell in cells:
            tree = ast.parse(cell["source"] if "interact(" in cell["source"] else "")
            for node in ast.walk(tree):
                call = ast.unparse(node) if isinstance(node, ast.Call) else ""
                if call.startswith("interact(figures."):
                    calls.setdefault(f"{path.stem}-{ast.unparse(node.args[0])}", (path, call))
    return calls


LIVE = live_figures()


@pytest.mark.parametrize("name", LIVE)
def test_every_state_of_a_live_figure(name, monkeypatch, types_unchecked):
    """Each has pictures of finite numbers and one sentence, typeset as the page is."""
    monkeypatch.setenv(EVERY_STATE, "1")
    path, call = LIVE[name]
    states = []

    def recording(function, **options):
        @functools.wraps(function)
        def recorded(**arguments):
            states.append((arguments, function(**arguments)))
            return states[-1][1]

        return interact(recorded, **options)

    figure = eval(call, imports(path) | {"interact": recording})
    answers = []
    for arguments, display in states:
        panels = [mark for mark in display if mark.kind != "answer"]
        (answer,) = [mark.parts for mark in display if mark.kind == "answer"]
        assert panels and answer["words"][-1] in ".?", arguments
        assert not re.search(r"\bnan\b|\binf\b|(?<![\w–])-\d|−0(\.0+)?(?![\d.])", answer["words"]), (arguments, answer)
        for panel in panels:
            for numbers in arrays(panel.parts):
                assert panel.kind in ("table", "heat_map") or np.isfinite(numbers).all(), arguments
        answers.append(answer["words"])
    assert len({repr(arguments) for arguments, _ in states}) == len(states) > 1
    assert len({repr([mark.parts for mark in display]) for _, display in states}) > 1, "something follows the state"
    assert figure.summary() in answers
    assert figure.summary() in figure.alt_text()
    assert figure.figure().get_axes()


def arrays(parts):
    """The arrays of numbers in a mark's parts, at any depth."""
    for part in parts.values() if isinstance(parts, dict) else parts:
        if isinstance(part, np.ndarray) and part.dtype.kind == "f":
            yield part
        elif isinstance(part, dict | list | tuple):
            yield from arrays(part)


def test_no_figure_is_left_over():
    """What returns marks, or a still, is shown on a page."""
    shown = " ".join(cell["source"] for cells in CELLS.values() for cell in cells)
    for module in MODULES:
        for name, function in inspect.getmembers(module, inspect.isfunction):
            kind = str(function.__annotations__.get("return"))
            if (
                not name.startswith("_")
                and function.__module__ == module.__name__
                and ("Mark" in kind or "Picture" in kind)
            ):
                assert re.search(rf"\.{name}\b", shown), f"{module.__name__}.{name}"


@pytest.mark.parametrize("name", STILLS)
def test_every_still(name):
    """It carries its alternative text, fits a phone, and is the same each time; the page gives it a caption."""
    function = name.rpartition(".")[2]
    draw = functools.partial(STILLS[name], *ARGUMENTS.get(function, ()))
    still = draw()
    data, metadata = still._repr_mimebundle_()
    assert data["text/plain"] == metadata["image/svg+xml"]["alt"] == still.alt_text
    assert data["image/png"].startswith(b"\x89PNG")
    assert draw()._repr_mimebundle_()[0]["image/svg+xml"] == data["image/svg+xml"]
    assert still.get_figwidth() <= 6 and still.get_facecolor()[3] == 0
    with mpl.rc_context(STYLE):
        box = still.get_tightbbox()
    assert box.x0 >= -0.02 and box.y0 >= -0.02, "nothing is cut off"
    assert box.x1 <= still.get_figwidth() + 0.02 and box.y1 <= still.get_figheight() + 0.02
    assert min(text.get_fontsize() for text in still.findobj(Text) if text.get_text()) >= 10.5
    call = re.compile(rf"^\w+\.{function}\(", re.MULTILINE)
    cells = [cell for cells in CELLS.values() for cell in cells if call.search(cell["source"])]
    assert cells, "no page shows it"
    for cell in cells:
        shown = cell["metadata"]["mystnb"]["figure"]
        assert shown["name"].startswith("fig-") and shown["caption"].startswith("**")
