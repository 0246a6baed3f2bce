"""What `pip install inorder` brings is enough for everything but the extras."""

import pkgutil
import subprocess
import sys

import inorder

EXTRAS = ["font_source_sans_pro", "pandas", "safetensors", "sklearn", "tokenizers", "torch"]
# What imports them at once.
OF_EXTRAS = ("inorder.lab", "inorder.book.tables", "inorder.widgets.training_playground.in_torch")
WITHOUT = """import importlib, sys
for name in {blocked!r}:
    sys.modules[name] = None  # so that importing it raises ImportError
for name in {modules!r}:
    importlib.import_module(name)"""


def test_the_package_imports_without_its_extras():
    found = [module.name for module in pkgutil.walk_packages(inorder.__path__, "inorder.")]
    modules = [name for name in found if not name.startswith(OF_EXTRAS)]
    assert {"inorder.attention", "inorder.widgets", "inorder.book.exercise"} <= set(modules)
    code = WITHOUT.format(blocked=EXTRAS, modules=modules)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
