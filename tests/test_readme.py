"""The first look is true: README's code and its output, its lists and picture, and the map that `help` shows."""

import contextlib
import io
import pkgutil
import re

import torch

import inorder
from _ext.readme import ROOT, renewed

README = (ROOT / "README.md").read_text(encoding="utf8")


def test_code_prints_what_readme_says():
    code, printed = re.search(r"```python\n((?:(?!```).)*)```\n\n```text\n(.*?)```", README, re.DOTALL).groups()
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, {})
    assert out.getvalue() == printed


def test_first_example_saves_a_map_of_a_model(tmp_path, monkeypatch):
    from transformers import BertConfig, BertModel

    config = BertConfig(hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=8, vocab_size=9)
    config._attn_implementation = "eager"
    outputs = BertModel(config).eval()(torch.tensor([[1, 2, 3]]), output_attentions=True)
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
    exec(code, {"outputs": outputs, "tokens": ["a", "b", "c"]})
    assert "</html>" in (tmp_path / "map.html").read_text("utf-8")


def test_lists_of_chapters_and_figures_are_up_to_date():
    assert renewed(README) == README, "run: python -m _ext.readme"


def test_every_file_that_it_names_is_there():
    names = re.findall(r"\]\(((?!http)[^)]+)\)|^\| `([\w/]+/)`", README, re.MULTILINE)
    assert len(names) > 10
    assert [name for pair in names for name in pair if name and not (ROOT / name).exists()] == []


def test_help_is_a_map_of_the_package():
    listed = re.findall(r"^`(\w+)`", inorder.__doc__, re.MULTILINE)
    modules = {module.name for module in pkgutil.iter_modules(inorder.__path__) if not module.name.startswith("_")}
    assert set(listed) == modules
    assert len(listed) == len(modules)
