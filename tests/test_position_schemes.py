"""The registry of position schemes: one entry is enough for sweep and figures, and a wrong one says what is wrong.

CONTRIBUTING's recipe is followed to the letter in a copy of the package.
"""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from _ext.toolchain import NODE
from inorder.book.figures import longer_than_trained
from inorder.lab.schemes import VARIANTS
from inorder.lab.sweep import grid, parser, sweep
from inorder.transformer import SCHEMES, PositionScheme, Rotary
from inorder.transformer.schemes import apply_hooks, register
from inorder.widgets import PermutationPlayground, PromptOrderLab, SchemeExplorer, TrainingPlayground

ROOT = Path(__file__).parents[1]
FEW = {"n_steps": 3, "d_model": 8, "n_heads": 2, "d_ff": 8, "batch_size": 4}
FIGURES = (
    PermutationPlayground,
    lambda **state: PromptOrderLab("A B C", "B A C", **state),
    TrainingPlayground,
    SchemeExplorer,
)


pytestmark = pytest.mark.usefixtures("types_unchecked")


@pytest.fixture(autouse=True)
def registry():
    """As it was, after each test."""
    before = dict(SCHEMES)
    yield SCHEMES
    SCHEMES.clear()
    SCHEMES.update(before)


class Nearer(PositionScheme):
    name = "nearer"

    def bias(self, query, key, query_positions, key_positions, tables):
        return 0 * (query @ key.swapaxes(-1, -2)) - abs(key_positions - query_positions[:, None])


@pytest.mark.parametrize("in_browser", [False, True])
def test_one_entry_is_enough(in_browser):
    register("nearer", Nearer(), "the nearer, the louder", in_browser=in_browser, in_sweep=True)
    assert "nearer" in parser().format_help()
    table = sweep(grid(["copy-left"], ["nearer"], range(2), **FEW), bar=False).table()
    assert set(table["label"]) == {"the nearer, the louder"} and set(table["seed"]) == {0, 1}
    if in_browser:
        for figure in FIGURES:
            figure().figure()
        longer_than_trained.who_still_stands()
    for figure, control in ((FIGURES[0], "position"), (FIGURES[1], "position"), (FIGURES[2], "first")):
        assert ("nearer" in figure().limits[control]["options"]) == in_browser


def class_with(**members):
    return type("Mine", (PositionScheme,), {"name": "mine", **members})()


def biases(self, query, key, query_positions, key_positions, tables):
    return np.zeros((2, 2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rotary", Rotary(), "again"), "a name that no other position scheme has, got 'rotary'"),
        (("nearer", Nearer, "a class"), "a PositionScheme for 'nearer', got <class"),
        (("nearer", Nearer(), ""), "a label for 'nearer', which a reader sees, got ''"),
        (
            ("nearer", Nearer(), "RoPE"),
            "a label for 'nearer' that no other position scheme has, got 'RoPE', that of 'rotary'",
        ),
        (("near", Nearer(), "near"), "Nearer to have a name of its own with which 'near' begins, got 'nearer'"),
        (("mine", class_with(), "mine"), "Mine to override embed, rotate or bias, got none"),
        (
            ("mine", class_with(embed=lambda self, x: x), "mine"),
            r"Mine.embed\(x, positions, tables\), got Mine.embed\(x\)",
        ),
        (("mine", class_with(bias=biases), "mine"), r"Mine.bias to return \(query, key\), .* got \(2, 2\)"),
    ],
)
def test_a_wrong_entry_says_what_is_wrong(arguments, message):
    names = list(SCHEMES)
    with pytest.raises(ValueError, match=message):
        register(*arguments)
    assert list(SCHEMES) == names


@pytest.mark.parametrize("name", SCHEMES | VARIANTS)
def test_a_resized_scheme_takes_the_longest_text_and_is_of_its_kind(name):
    scheme = (SCHEMES | VARIANTS)[name].scheme
    resized = scheme.resized(11, 16)
    assert type(resized) is type(scheme)
    arrays = apply_hooks(resized, 11, d_model=16, n_heads=4)
    assert arrays["embed"].shape == (1, 11, 16)
    if getattr(scheme, "concatenate", 0):
        assert resized.token_width(16) == 8


# ---------------------------------------------------------------------------------------- CONTRIBUTING, to the letter


def recipe() -> dict[str, str]:
    """Its code, by what it begins with."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf8")
    text = page.split("**A position scheme**")[1].split("**A sweep**")[0]
    blocks = [textwrap.dedent(block) for block in re.findall(r" *```\w+\n(.*?) *```", text, re.DOTALL)]
    assert len(blocks) == 4
    return dict(zip(("function", "scheme", "import", "hook"), blocks, strict=True))


@pytest.fixture(scope="module")
def followed(tmp_path_factory) -> Path:
    """A copy of the package in which the recipe was followed."""
    code = tmp_path_factory.mktemp("copy") / "code"
    shutil.copytree(ROOT / "code" / "inorder", code / "inorder", ignore=shutil.ignore_patterns("__pycache__"))
    steps = recipe()
    package = code / "inorder"

    def change(name, edit):
        (package / name).write_text(edit((package / name).read_text(encoding="utf8")), encoding="utf8")

    change("encodings/biases.py", lambda source: f"{source}\n\n{steps['function']}")
    change("transformer/schemes.py", lambda source: f"{source}\n\n{steps['scheme']}")
    change("transformer/schemes.py", lambda source: source.replace("\nimport", f"\n{steps['import']}import", 1))
    change("widgets/kit/transformer.js", lambda js: js.replace("HOOKS = {\n", "HOOKS = {\n" + steps["hook"], 1))
    return code


def run(code: Path, *command: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(code), "PYTHONDONTWRITEBYTECODE": ""}  # compiled once, in the copy
    done = subprocess.run(command, env=environment, cwd=code, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


SMALL = "--seeds 2 --steps 2 --d-model 8 --heads 2 --d-ff 8 --batch 2 --tasks copy-left --schemes log-distance rotary"
CONSTRUCT = """
import json
import sys

import numpy as np
from inorder import widgets
from inorder.book.figures import longer_than_trained
from inorder.lab import sweep
from inorder.transformer import encode

sweep.main(sys.argv[1:])
for figure in (widgets.PermutationPlayground(), widgets.PromptOrderLab("A B C", "B A C"), widgets.TrainingPlayground(),
               widgets.SchemeExplorer(), widgets.RelativeBiasExplorer(), widgets.EncodingExplorer(),
               widgets.AddOrConcatenate()):
    figure.figure()
longer_than_trained.who_still_stands()
assert "log-distance" in widgets.TrainingPlayground().known["schemes"]
figure = widgets.PermutationPlayground(position="log-distance")
states = {**figure.transformer, "hidden": encode(np.array(figure.ids), figure.parameters, figure.config,
                                                 positions=np.arange(len(figure.ids))).tolist(),
          "ids": list(figure.ids), "depth": figure.config.n_layers, "residual": figure.config.residual}
print(json.dumps(states))
"""
IN_JAVASCRIPT = """
import { readFileSync } from "node:fs";
import { encode } from "./transformer.mjs";
const { config, parameters, schemes, hidden, ids, depth, residual } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { scheme, tables } = schemes["log-distance"];
const there = encode(ids, { ...parameters, position: tables }, { ...config, scheme, n_layers: depth, residual }, {
  positions: ids.map((_, place) => place),
});
const apart = Math.max(...there.hidden.flatMap((row, i) => row.map((entry, j) => Math.abs(entry - hidden[i][j]))));
console.log(apart);
"""


def test_the_recipe_trains_breaks_no_figure_and_runs_in_javascript(followed, tmp_path):
    files = ["--out", str(tmp_path / "a.json"), "--table", str(tmp_path / "a.csv")]
    *_, states = run(followed, sys.executable, "-c", CONSTRUCT, *SMALL.split(), *files).splitlines()
    assert (tmp_path / "a.csv").read_text().count("logarithm of the distance") == 2 * 5
    (tmp_path / "states.json").write_text(states, encoding="utf8")
    for name in ("transformer", "arithmetic"):
        js = (followed / "inorder" / "widgets" / "kit" / f"{name}.js").read_text(encoding="utf8")
        (tmp_path / f"{name}.mjs").write_text(js.replace("./arithmetic.js", "./arithmetic.mjs"), encoding="utf8")
    (tmp_path / "compare.mjs").write_text(IN_JAVASCRIPT, encoding="utf8")
    assert float(run(tmp_path, NODE, "compare.mjs", "states.json")) < 1e-9
