"""The hash of the code that a run executes: on every Python, of no more than that, and of nothing but code."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from inorder.lab.code_hash import code_hash, tokens_of
from inorder.lab.run_code import COMMON, TASK_TABLE
from inorder.lab.schemes import scheme_labels
from inorder.transformer import SCHEMES

ROOT = Path(__file__).parents[2]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def interpreters() -> dict[str, str]:
    """{version: path} of those that are on this machine."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    paths = {version: shutil.which(f"python{version}") for version in VERSIONS}
    paths |= {path.name.removeprefix("python"): str(path) for path in pyenv.glob("*/bin/python3.*")}
    usable = {version: path for version, path in paths.items() if version in VERSIONS and path}
    return usable | {f"{sys.version_info.major}.{sys.version_info.minor}": sys.executable}


@pytest.fixture(scope="module")
def roots() -> list[str]:
    kinds = {type(SCHEMES[name].scheme) for name in scheme_labels()}
    return [COMMON, *sorted(f"{kind.__module__}:{kind.__qualname__}" for kind in kinds)]


def test_it_is_the_same_on_every_python(roots):
    every = interpreters()
    if len(every) == 1:
        pytest.skip("one Python on this machine")
    script = f"""
from inorder.lab.code_hash import code_hash, tokens_of
print([code_hash({COMMON!r}, root, leave_out=[{TASK_TABLE!r}]) for root in {roots}])
print(tokens_of({SAMPLE!r}))
"""
    outputs = set()
    for path in every.values():
        command = [path, "-I", "-c", f"import sys; sys.path.insert(0, {str(ROOT / 'code')!r})\n{script}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        outputs.add(done.stdout)
    assert len(outputs) == 1


SAMPLE = """
def f(x):
    'Words.'
    a = f"{x!r:>{len('a' + f'{x}')}} and {{}}"  # more
    b = (f'''
{x}
''' "and" rb"\\n")
    if a:
        return b

    # a comment out of line
  # and another
    return a, b
"""


def package(folder: Path, **modules: str) -> Path:
    """A package of a few modules."""
    (folder / "toy").mkdir()
    (folder / "toy" / "__init__.py").write_text("")
    for name, source in modules.items():
        (folder / "toy" / f"{name}.py").write_text(source)
    return folder / "toy"


MODULES = {
    "runs": """
import math
import other_library
from toy import tools
from toy.kinds import Kind as OurKind

SIZE = 3
UNUSED = 4


def run():
    "Words."
    return OurKind().used(SIZE) + tools.helper(1) + math.pi


def nobody_calls():
    return 1


class Net(other_library.Module):
    def forward(self, x):
        return x


def trained():
    return Net()
""",
    "kinds": """
from toy.tools import deep


class Base:
    field: int = 1

    def inherited(self):
        return 2


class Kind(Base):
    def used(self, n):
        return self.inherited() + deep(n)

    def never_named(self):
        return 5
""",
    "tools": """
TABLE = {"a": 1}


def deep(n):
    return n + TABLE["a"]


def helper(n):
    return f"{deeper(n)}"


def deeper(n):
    return n


def unused_helper():
    return deep(7)
""",
}


def hash_with(folder, module="runs", old="", new="", root="toy.runs:run", **options):
    assert old in MODULES[module]
    modules = MODULES | {module: MODULES[module].replace(old, new, 1)}
    return code_hash(root, package=package(folder, **modules), **options)


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("runs", "SIZE = 3", "SIZE = 2"),
        ("runs", "helper(1)", "helper(2)"),
        ("kinds", "return 2", "return 3"),
        ("kinds", "field: int = 1", "field: int = 2"),
        ("kinds", "class Kind(Base)", "class Kind(Base, object)"),
        ("tools", '{"a": 1}', '{"a": 2}'),
        ("tools", 'f"{deeper(n)}"', 'f"{deeper(n)} "'),
        ("tools", "def deeper(n):\n    return n", "def deeper(n):\n    return -n"),
        ("runs", '"Words."', "if SIZE:\n        return 0"),
    ],
)
def test_it_sees_what_a_run_executes(tmp_path, module, old, new):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert hash_with(tmp_path / "a") != hash_with(tmp_path / "b", module, old, new)


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("runs", "Words.", "Other words."),
        ("runs", "UNUSED = 4", "UNUSED = 5"),
        ("runs", "def nobody_calls():\n    return 1", "def nobody_calls():\n    return SIZE"),
        ("runs", "import math\n", "import math\nimport json\n"),
        ("kinds", "return 5", "return 6"),
        ("tools", "return deep(7)", "return deep(8)"),
        ("tools", "    return n + TABLE", "    # why\n    return n + TABLE"),
        ("tools", 'n + TABLE["a"]', '(\n        n  +  TABLE["a"]\n    )'.replace("(", "").replace(")", "").strip()),
        ("tools", "def helper(n)", "def new_helper():\n    return 9\n\n\ndef helper(n)"),
    ],
)
def test_it_sees_no_more(tmp_path, module, old, new):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert hash_with(tmp_path / "a") == hash_with(tmp_path / "b", module, old, new)


def test_a_method_that_another_library_calls_counts(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    root = "toy.runs:trained"
    assert hash_with(tmp_path / "a", root=root) != hash_with(tmp_path / "b", "runs", "return x", "return -x", root=root)


def test_what_is_left_out_is_not_followed(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    change = ("tools", "return n + TABLE", "return n - TABLE")
    options = {"leave_out": ["toy.tools:deep"]}
    assert hash_with(tmp_path / "a", **options) == hash_with(tmp_path / "b", *change, **options)


def test_a_root_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match=r"a definition of the package, got toy\.runs:walk"):
        hash_with(tmp_path, root="toy.runs:walk")


def test_tokens_are_code_and_no_words():
    assert tokens_of('def f(x):\n    """Words."""\n    return x  # more') == tokens_of("def f(x):\n    return x")
    assert tokens_of("def f(x):\n    return x") != tokens_of("def f(x):\n    return -x")
    assert tokens_of("if a:\n    b()\n    c()") != tokens_of("if a:\n    b()\nc()")
    assert tokens_of("f(a,\n  b)") == tokens_of("f(a, b)")
