"""Runs a chapter's notebook, and then `tests/chapters/<slug>.py`, which finds the notebook's names at hand.

In a process of its own, so that one chapter's imports and settings are not another's: the fork of one that has imported
what takes long. The checks are the file's top-level statements, together called "numbers", and its functions
whose names begin with a kind:

- ``exact_…``: fractions, counts, closed forms, float64 in one pass; its tolerance is a multiple of the rounding;
- ``recorded_…``: digits of a stored result of training, the same on every machine;
- ``again_…``: what holds when the training is repeated (`make records`): never a digit, only a theorem, an order of
  magnitude, or the stored seeds' range with room for chance (`alike`).
"""

import ast
import multiprocessing
import os
import re
import sys
import tempfile
import traceback
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import nbformat
import numpy as np

from _ext.execution import KERNEL_ENVIRONMENT

ROOT = Path(__file__).parents[2]
CHECKS = ROOT / "tests" / "chapters"
KINDS = ("exact_", "recorded_", "again_")
HEAVY = ["harness.chapter", "_pytest.assertion.rewrite", "IPython", "inorder.lab.results", "inorder.widgets", "torch"]
NUMBERS = "numbers"  # the name of a file's top-level statements
NUMBER = re.compile(r"(?<![\w.])[−-]?\d[\d,]*(?:\.\d+)?(?:\s?%)?")
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def again() -> bool:
    """Whether training is being repeated: see `inorder.stored.recorded`."""
    return bool(os.environ.get("INORDER_AGAIN"))


def names_of_checks(path: Path) -> list[str]:
    """The checks of a file that are run now: "numbers" and its functions of the kinds, in their order."""
    kinds = (KINDS[0], KINDS[2]) if again() else KINDS[:2]
    statements = ast.parse(path.read_text(encoding="utf8")).body
    functions = [s.name for s in statements if isinstance(s, ast.FunctionDef) and s.name.startswith(kinds)]
    asserting = any(isinstance(node, ast.Assert) for s in statements if not _is_check(s) for node in ast.walk(s))
    return [NUMBERS, *functions] if asserting or not functions else functions


def _is_check(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef) and statement.name.startswith(KINDS)


def markdown(slug: str) -> str:
    """The words of a chapter: its Markdown and its captions, with single spaces."""
    notebook = nbformat.read(notebook_path(slug), 4)
    captions = [cell.metadata.get("mystnb", {}).get("figure", {}).get("caption", "") for cell in notebook.cells]
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    return " ".join(" ".join(prose + captions).split())


def notebook_path(slug: str) -> Path:
    (path,) = sorted((ROOT / "chapters").glob(f"ch??_{slug}.ipynb")) or [ROOT / "chapters" / f"{slug}.ipynb"]
    return path


def says(page: str, words: str, *values: float) -> None:
    """Check that the page has these words, and that the numbers in them are these values, at the digits shown.

    A number may be written 1,844, −0.5, 4%, or as a word up to twelve. Raises AssertionError naming what the values
    would say.

    >>> says("It drifts by 0.53 to 1.22.", "0.53 to 1.22", 0.5312, 1.2249)
    >>> says("It drifts by 0.53 to 1.22.", "0.53 to 1.22", 0.5312, 1.2251)
    Traceback (most recent call last):
    AssertionError: the page says "0.53 to 1.22", the values say "0.53 to 1.23"
    """
    assert " ".join(words.split()) in page, f"the page no longer says {words!r}"
    any_number = re.compile(rf"{NUMBER.pattern}|\b(?:{'|'.join(WORDS)})\b")
    written = any_number.findall(words)
    if len(written) > len(values):  # "one to the left": then only the digits count
        any_number, written = NUMBER, NUMBER.findall(words)
    assert len(written) == len(values), f"{words!r} has {len(written)} numbers, and came with {len(values)} values"
    texts = [_written_like(text, float(value)) for text, value in zip(written, values, strict=True)]
    replacements = iter(texts)
    expected = any_number.sub(lambda _: next(replacements), words)
    assert expected == words, f'the page says "{words}", the values say "{expected}"'


def _written_like(text: str, value: float) -> str:
    """The value with as many digits as the text; the text itself if it is right, on an edge of rounding too."""
    if text in WORDS:
        return text if value == WORDS.index(text) else f"{value:g}"
    bare = text.rstrip("% ").replace(",", "").replace("−", "-")
    digits = len(bare.partition(".")[2])
    value *= 100 if "%" in text else 1
    if abs(value - float(bare)) <= 0.5 * 10**-digits * (1 + 1e-9):
        return text
    number = f"{value:{',' if abs(value) >= 1000 and ',' in text else ''}.{digits}f}"
    return number.replace("-", text[0] if text[0] in "−-" else "−") + text[len(text.rstrip("% ")) :]


def alike(new: Any, stored: Any) -> None:
    """Check that the new values lie in the range of the stored seeds, widened by four standard errors of their mean.

    Values of one seed can't say how they scatter: ValueError.
    """
    new, stored = np.asarray(new, float).ravel(), np.asarray(stored, float).ravel()
    if len(stored) < 2:
        raise ValueError(f"expected the values of two seeds or more, got {len(stored)}")
    room = 4 * stored.std(ddof=1) / np.sqrt(len(stored))
    low, high = stored.min() - room, stored.max() + room
    assert low <= new.min() and new.max() <= high, f"expected {low:.3g} to {high:.3g}, got {new.min()} to {new.max()}"


def n_different(rows: Any) -> int:
    """How many of these rows differ by more than rounding.

    >>> n_different(np.array([[0.5, 1.0], [0.0, 2.0], [0.5, 1.0]]))
    2
    """
    kinds: list[np.ndarray] = []
    for row in rows:
        if all(np.abs(row - kind).max() > 1e-9 for kind in kinds):
            kinds.append(row)
    return len(kinds)


def run_notebook(slug: str, before: str = "") -> dict[str, Any]:
    """Run ``before`` and the code cells of a chapter, and return the names that they leave."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.ast_node_interactivity = "none"  # nobody looks at what a cell would show
    os.chdir(ROOT / "chapters")
    cells = [cell for cell in nbformat.read(notebook_path(slug), 4).cells if cell.cell_type == "code"]
    for source in (before, *(cell.source for cell in cells)):
        result = shell.run_cell(source)
        result.raise_error()
    return shell.user_ns


def failures(statements: list[ast.stmt], path: Path, names: dict[str, Any]) -> str | None:
    """Run each statement, as pytest would, and return what the assertions that failed have to say."""
    from _pytest.assertion.rewrite import rewrite_asserts  # shows the values on both sides

    messages = []
    for statement in statements:
        module = ast.Module([statement], [])
        rewrite_asserts(module, path.read_bytes(), str(path))
        try:
            exec(compile(module, str(path), "exec"), names)
        except AssertionError as error:
            here = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
            line = here[-1]  # not that of `says`
            messages.append(f"{path.name}:{line}: {error}")
        except Exception:
            messages.append(f"{path.name}:{statement.lineno}: {traceback.format_exc(limit=-1)}")
    return "\n".join(messages) or None


class Run(NamedTuple):
    """What the checks of a chapter have to say, by name, and all that was printed."""

    results: dict[str, str | None]
    printed: str


class ChapterError(Exception):
    """What a check has to say, or why its notebook could not be run."""


def run_chapter(slug: str, before: str = "") -> Run:
    """Run a chapter and its checks in a process of their own, after ``before``.

    Raises ChapterError: a cell that raises, with the end of what was printed.
    """
    environment = os.environ | KERNEL_ENVIRONMENT | {"PYTHONPATH": os.pathsep.join((*sys.path, str(ROOT)))}
    environment["INORDER_EVERY_STATE"] = ""  # nobody looks at the figures
    forks = "forkserver" in multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if forks else "spawn")
    if forks:
        context.set_forkserver_preload(HEAVY)
    with tempfile.TemporaryDirectory() as folder:
        printed = Path(folder) / "printed"
        printed.touch()
        try:
            with ProcessPoolExecutor(1, context) as process, patch.dict(os.environ, environment):
                results = process.submit(_run, slug, before, environment, str(printed)).result()
        except (ChapterError, BrokenProcessPool) as error:
            raise ChapterError(f"{printed.read_text()[-6000:]}\n{error}") from None
        return Run(results, printed.read_text())


def _run(slug: str, before: str, environment: dict[str, str], printed: str) -> dict[str, str | None]:
    os.environ.clear()
    os.environ.update(environment)
    for stream in (1, 2):
        os.dup2(os.open(printed, os.O_WRONLY | os.O_APPEND), stream)
    try:
        return _check(slug, before)
    except Exception as error:  # of any class: what it needs to be sent is not known here
        raise ChapterError(f"{type(error).__name__}: {error}") from None
    finally:
        sys.stdout.flush()


def _check(slug: str, before: str) -> dict[str, str | None]:
    path = CHECKS / f"{slug}.py"
    names = run_notebook(slug, before)
    names |= {"says": partial(says, markdown(slug)), "alike": alike}
    statements = ast.parse(path.read_text(encoding="utf8")).body
    results = {NUMBERS: failures(statements, path, names)}  # defines the functions of the kinds, too
    for name in names_of_checks(path):
        if name != NUMBERS:
            results[name] = failures(ast.parse(f"{name}()").body, path, names)
    return results
