"""The reference shows every public name of the package, with its signature and its docstring as it is meant."""

import importlib
import inspect
import re

from _ext.api import parts_of, signature_of
from _ext.execution import ROOT

MODULES = re.findall(r"^```\{api\} (\S+)$", (ROOT / "chapters" / "api.md").read_text(encoding="utf8"), re.MULTILINE)


def things(name: str) -> dict:
    module = importlib.import_module(name)
    return {each: getattr(module, each) for each in getattr(module, "__all__", ()) if callable(getattr(module, each))}


def test_a_signature_is_that_of_the_source():
    attention = importlib.import_module("inorder.attention")
    assert signature_of("softmax", attention.softmax) == (
        'softmax(x: Float[Array, "*shape"], *, axis: int = -1) -> Float[Array, "*shape"]'
    )
    model = importlib.import_module("inorder.transformer").Model
    assert signature_of("Model", model) == "Model(parameters, config)"


def test_no_docstring_loses_a_word():
    for name in MODULES:
        for each, thing in things(name).items():
            text = inspect.getdoc(thing)
            words = re.findall(r"\w+", text)
            assert re.findall(r"\w+", " ".join(node.astext() for node in parts_of(text))) == words, each
