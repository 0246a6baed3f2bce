"""The reference shows every public name of the package, with its signature and its docstring as it is meant."""

import importlib
import inspect
import re

import pytest
from docutils import nodes

from _ext.api import parts_of, signature_of
from _ext.execution import ROOT

MODULES = re.findall(r"^```\{api\} (\S+)$", (ROOT / "chapters" / "api.md").read_text(encoding="utf8"), re.MULTILINE)


def things(name: str) -> dict:
    module = importlib.import_module(name)
    return {each: getattr(module, each) for each in getattr(module, "__all__", ()) if callable(getattr(module, each))}


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_says_what_it_is(name):
    for each, thing in things(name).items():
        assert signature_of(each, thing).startswith(each)
        assert inspect.getdoc(thing), each


def test_a_signature_is_that_of_the_source():
    attention = importlib.import_module("inorder.attention")
    assert signature_of("softmax", attention.softmax) == (
        'softmax(x: Float[Array, "*shape"], *, axis: int = -1) -> Float[Array, "*shape"]'
    )
    model = importlib.import_module("inorder.transformer").Model
    assert signature_of("Model", model) == "Model(parameters, config)"


DOCSTRING = """\
Of |x| and *batch, with `*batch d` and *stress*.

**How so?** With to="halves". *So:* stressed.

Args:
    q, k: the points,
        (n, 2).
    v: the values.

    indented = as it is

top_k    Only the best
         of them.
eos      The end.

[1] First
    of all
[2] Second

>>> 1 + 1
2
"""


def test_a_docstring_is_shown_as_it_is_meant():
    first, second, args, points, indented, terms, sources, example = parts_of(DOCSTRING)
    assert first.astext() == "Of |x| and *batch, with *batch d and stress."
    assert [node.astext() for node in first.findall(nodes.literal)] == ["*batch d"]
    assert [node.astext() for node in first.findall(nodes.emphasis)] == ["stress"]
    assert second.astext() == 'How so? With to="halves". So: stressed.'
    marked = [(node.tagname, node.astext()) for node in second if not isinstance(node, nodes.Text)]
    assert marked == [("strong", "How so?"), ("literal", 'to="halves"'), ("emphasis", "So:")]
    assert args.astext() == "Args:"
    assert [item.astext() for item in points] == ["q, k: the points, (n, 2).", "v: the values."]
    assert indented.astext() == "indented = as it is"
    assert [item.astext() for item in terms] == ["top_k Only the best of them.", "eos The end."]
    assert [node.astext() for node in terms.findall(nodes.literal)] == ["top_k", "eos"]
    assert [item.astext() for item in sources] == ["[1] First of all", "[2] Second"]
    assert isinstance(example, nodes.literal_block) and example.astext() == ">>> 1 + 1\n2"


def test_no_docstring_loses_a_word():
    for name in MODULES:
        for each, thing in things(name).items():
            text = inspect.getdoc(thing)
            words = re.findall(r"\w+", text)
            assert re.findall(r"\w+", " ".join(node.astext() for node in parts_of(text))) == words, each
