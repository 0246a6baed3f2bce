"""What `pip install inorder` brings is enough for everything but the extras."""

import json
import pkgutil
import subprocess
import sys

import inorder

EXTRAS = [
    *("font_source_sans_pro", "joblib", "pandas", "safetensors", "scipy", "sklearn", "threadpoolctl", "tokenizers"),
    "torch",
]
# These import them at once.
OF_EXTRAS = (
    "inorder.lab",
    "inorder.book.tables",
)
ARGUMENTS = {"AttentionMap": "[[[1.0]]], ['a']", "interact": "number, x=(0, 2)"}
BLOCK = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, *more):
        return None if name in {blocked!r} else self.finder.find_spec(name, *more)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = map(Without, sys.meta_path)
"""
FIGURES = """
import json
from inorder import widgets
from inorder.widgets import marks
arguments, messages = {arguments!r}, {{}}

def number(x: int = 1):
    "A number."
    return marks.bars([x])

for name in widgets.__all__:
    try:
        figure = eval(f"widgets.{{name}}({{arguments.get(name, '')}})")
        assert figure.figure() and figure.alt_text()
    except ImportError as error:
        messages[name] = str(error)
print(json.dumps(messages))
"""
AUDIT = """
import numpy as np
from inorder.audit import audit, rows
make = lambda n: lambda x: np.cumsum(x, axis=0)
assert audit(make, 4).causality == 0
assert [row.as_theory_says for row in rows()] == len(rows()) * [True]
"""


def test_everything_but_the_extras_works_without_them_and_a_figure_names_the_one_it_needs():
    names = [module.name for module in pkgutil.walk_packages(inorder.__path__, "inorder.")]
    modules = [name for name in names if not name.startswith(OF_EXTRAS)]
    assert {"inorder.attention", "inorder.widgets", "inorder.book.exercise"} <= set(modules)
    imports = "\n".join(f"import {name}" for name in modules)
    code = "\n".join([BLOCK.format(blocked=EXTRAS), imports, AUDIT, FIGURES.format(arguments=ARGUMENTS)])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "SchemeExplorer": 'inorder.lab.results needs pandas: pip install "inorder[lab]"',
        "TrainingPlayground": 'TrainingPlayground needs torch: pip install "inorder[lab]"',
    }
