"""Figures whose picture the page computes from their state: Python and JavaScript return the same one."""

import math

import numpy as np
import pytest

from inorder.widgets import (
    AddOrConcatenate,
    EncodingExplorer,
    InductionHeads,
    OrderAudit,
    RelativeBiasExplorer,
    SameOrNot,
    SchemeExplorer,
    SoftLookup,
)

TABLES = {f"{name}_table": np.random.default_rng(0).normal(size=(n, 9)) for name, n in (("token", 5), ("position", 7))}
# Made when they are tested: an audit takes seconds. The folder's `picture` gets the state, and then these traits.
FIGURES = {
    "AddOrConcatenate": (
        lambda: [
            AddOrConcatenate(),
            AddOrConcatenate(n_tokens=24, n_positions=4, d=26, ratio=0.3, share=0.9, token=23, position=23),
            AddOrConcatenate(n_tokens=3, n_positions=2, d=2, share=0.1),
            AddOrConcatenate(**TABLES, d=6, ratio=1.7),
        ],
        ["words", "token_table", "position_table", "sentences"],
        1e-9,
    ),
    "EncodingExplorer": (
        lambda: [
            EncodingExplorer(position=10, column=6),
            EncodingExplorer(length=300, d_model=96, base=50, column_layout="halves", product="sines", position=299),
            EncodingExplorer(length=200, d_model=48, zoom=10, top=100, left=9, position=7, column=40),
            EncodingExplorer(length=2, d_model=2),
            EncodingExplorer(TABLES["token_table"], position=2),
        ],
        ["given", "sentences"],
        1e-9,
    ),
    "OrderAudit": (
        lambda: [
            OrderAudit(),
            OrderAudit("RNN (GRU)", order=[4, 0, 1, 3, 2]),
            OrderAudit("Longformer", order=[4, 3, 2, 1, 0]),
            OrderAudit("FNet", words="one two three", order=[0, 1, 2]),
            OrderAudit("CNN (width 3)", "move", moved=2),
            OrderAudit("Mamba", "future", new_from=3),
            OrderAudit("<b>sum</b>", own={"<b>sum</b>": lambda n: lambda x: np.cumsum(x, axis=0)}),
        ],
        ["data", "sentences"],
        2e-4,  # of 16 bits
    ),
    "InductionHeads": (
        lambda: [
            InductionHeads(),
            InductionHeads("to be to do to", first_head="no positions", back=2),
            InductionHeads("a 中 🐈 start start a b c d a", first_head="off"),
        ],
        ["sentences"],
        1e-9,
    ),
    "RelativeBiasExplorer": (
        lambda: [
            RelativeBiasExplorer(head=1),
            RelativeBiasExplorer(n=5, query=2, n_heads=2, direction="left", key=4),
            RelativeBiasExplorer(scheme="shaw", head=5, as_weights=True),
            RelativeBiasExplorer(n=64, scheme="t5", query=40, key=40),
            RelativeBiasExplorer(scheme="rotary", pairing="halves", base=1),
            RelativeBiasExplorer(scheme="sinusoidal", sharpness=0, d_model=50),
        ],
        ["learned", "labels", "sentences"],
        1e-9,
    ),
    "SameOrNot": (
        lambda: [SameOrNot(), SameOrNot("old friends meet new friends", order=[3, 1, 2, 0, 4], positions=True)],
        ["sentences"],
        1e-9,
    ),
    "SchemeExplorer": (
        lambda: [
            SchemeExplorer(),
            SchemeExplorer("copy-left", ["none", "sinusoidal", "rotary", "alibi"], length=30),
            SchemeExplorer("last-token", ["shaw"], length=10),
        ],
        ["data", "trained_on", "sentences"],
        1e-12,
    ),
    "SoftLookup": (
        lambda: [
            SoftLookup(),
            SoftLookup(sharpness=math.inf, matching="distance", chosen=1),
            SoftLookup(attention="self", chosen=3, tokens=["", "<b>", "a long token", "🐈"]),
            SoftLookup(attention="self", tied=True, matching="distance", sharpness=0),
            SoftLookup([[9.5, -9.5]], [[1, 0], [0, 2], [-1, 1]], [7, -14, 0], sharpness=np.log(2)),
        ],
        ["sentences", "labels"],
        1e-9,
    ),
}
CALL = """({ state, traits, buffers }) => {
  const bytes = (part) =>
    Array.isArray(part)
      ? part.map(bytes)
      : part?.hex !== undefined
        ? new DataView(Uint8Array.from(part.hex.match(/../g) ?? [], (two) => parseInt(two, 16)).buffer)
        : part && typeof part === "object"
          ? Object.fromEntries(Object.entries(part).map(([name, one]) => [name, bytes(one)]))
          : part;
  return js.picture(state, ...traits.map(bytes));
}"""


def sendable(value):
    """Bytes as hexadecimal digits, also inside lists and dictionaries."""
    if isinstance(value, dict):
        return {name: sendable(part) for name, part in value.items()}
    if isinstance(value, list):
        return [sendable(part) for part in value]
    return {"hex": value.hex()} if isinstance(value, bytes) else value


def assert_same(here, there, tolerance, path=""):
    """A tree of Python's and one of JavaScript's; an array there is { shape, values }."""
    if isinstance(here, np.ndarray):
        assert there["shape"] == list(here.shape), path
        numbers = np.array(list(there["values"]), dtype=np.float64)
        np.testing.assert_allclose(numbers, here.ravel(), rtol=0, atol=tolerance, err_msg=path)
    elif isinstance(here, dict):
        assert set(here) - {"spoken"} == set(there) - {"note", "spoken"}, path
        for name in set(here) - {"spoken"}:
            assert_same(here[name], there[name], tolerance, f"{path}.{name}")
    elif isinstance(here, list) and path.endswith("limits"):
        np.testing.assert_allclose(there, here, atol=tolerance, err_msg=path)
    elif isinstance(here, list):
        assert len(here) == len(there), path
        for i, (one, other) in enumerate(zip(here, there, strict=True)):
            assert_same(one, other, tolerance, f"{path}.{i}")
    else:
        assert here == there, path


@pytest.mark.parametrize("name", FIGURES)
def test_python_and_javascript_return_the_same_picture_and_the_still_shows_it(functions, name):
    make, traits, tolerance = FIGURES[name]
    figures = make()
    for figure in figures:
        argument = {"state": figure.state, "traits": [sendable(getattr(figure, trait)) for trait in traits]}
        there = functions(f"{figure.live}/live.js").script(CALL, argument)
        assert_same(figure.picture(), there, tolerance, str(figure.state))
        assert there["answer"].get("note", "") == figure.note()
    figure = figures[0]
    assert figure.summary() in figure.alt_text() and figure.note() in figure.alt_text()
    texts = [text.get_text() for text in figure.figure().findobj(lambda one: hasattr(one, "get_text"))]
    assert any(figure.summary() in text for text in texts)
