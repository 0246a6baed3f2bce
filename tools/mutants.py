"""Mutation testing: change the reference functions one operator, number or condition at a time; the tests must fail.

    python tools/mutants.py                      all modules of mutants.toml, 100 mutants of each
    python tools/mutants.py symmetry.py --all    every mutant of one module

cosmic-ray supplies the mutations. Those that only touch annotations or docstrings, or aren't Python, do not count. The
work is done on a copy, by the module's own examples and the tests that mutants.toml names, without the type checker
(a run would take seven times as long). A time-out is no kill. Exits 1 if fewer than 90% of a module's mutants are
killed.
"""

import argparse
import ast
import difflib
import gc
import itertools
import multiprocessing
import os
import random
import resource
import shutil
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).parent.parent
WANTED = 0.9
CPU_SECONDS = 30  # a module's tests take 2 to 12
WALL_SECONDS = 600  # for a mutant that sleeps; one in an endless loop uses up the other
PYTEST = [
    *("-x", "-q", "--assert=plain", "-o", "addopts=--doctest-modules"),  # no explanations, no type checker
    *("-p", "_hypothesis_pytestplugin", "--hypothesis-profile=mutants"),
    *("-p", "no:cacheprovider", "-p", "no:unraisableexception"),  # the latter collects garbage for half a second
]

os.environ |= {"OMP_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["__main__", "hypothesis", "jaxtyping", "playwright.sync_api", "pytest", "torch"])


def behaviour(source: str) -> str:
    """The syntax tree without docstrings and annotations, which no test can see; empty if it is no Python."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ""
    for node in ast.walk(tree):
        for field in ("annotation", "returns"):
            if getattr(node, field, None) is not None:
                setattr(node, field, None)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(None)
    return ast.dump(tree)


def mutations(source: str) -> list[tuple[Operator, int]]:
    """Every place where a cosmic-ray operator applies: (operator, occurrence), in a random order."""
    nodes = list(ast_nodes(get_ast(source)))
    operators = [get_operator(name)() for name in operator_names() if not get_operator(name).arguments()]
    places = [
        (operator, occurrence)
        for operator in operators
        for occurrence in range(sum(len(list(operator.mutation_positions(node))) for node in nodes))
    ]
    random.Random(0).shuffle(places)
    return places


def mutants(source: str) -> Iterator[str]:
    """Every different program that one mutation makes of the source."""
    seen = {"", behaviour(source)}
    for operator, occurrence in mutations(source):
        mutant = mutate_code(source, operator, occurrence)
        if behaviour(mutant) not in seen:
            seen.add(behaviour(mutant))
            yield mutant


class KillersFirst:
    """An order of the tests: first those that killed a mutant before, the deadliest first; the others at random."""

    def __init__(self, killers: Path) -> None:
        self.killers = killers

    def pytest_collection_modifyitems(self, items: list) -> None:
        kills = Counter(self.killers.read_text().splitlines())
        random.Random(0).shuffle(items)
        items.sort(key=lambda item: -kills[item.nodeid])

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.killers.open("a").write(report.nodeid + "\n")


def run_tests(copy: Path, tests: list[str]) -> None:
    """In a process of its own."""
    gc.freeze()
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    os.chdir(copy)
    sys.path.insert(0, str(copy / "code"))
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115, as long as the process lives
    import pytest

    killers = copy / "killers.txt"
    killers.touch()
    os._exit(pytest.main([*PYTEST, *tests], plugins=[KillersFirst(killers)]))


def outcome(copy: Path, tests: list[str]) -> str:
    process = PROCESSES.Process(target=run_tests, args=(copy, tests))
    process.start()
    process.join(WALL_SECONDS)
    process.kill()
    process.join()
    failed, not_importable = 1, 2
    return {0: "survived", failed: "killed", not_importable: "killed"}.get(process.exitcode, "timed out")


def change(source: str, mutant: str) -> str:
    lines = difflib.unified_diff(source.splitlines(), mutant.splitlines(), n=0, lineterm="")
    return "\n".join(f"    {line}" for line in lines if not line.startswith(("---", "+++")))


def score(copy: Path, module: str, tests: list[str], sample: int | None) -> float:
    """The share of mutants killed."""
    path = copy / "code" / "inorder" / module
    source = path.read_text()
    tests = [str(path), *(f"tests/{name}" for name in tests)]
    if outcome(copy, tests) != "survived":
        sys.exit(f"{module}: the tests fail even without a change")
    chosen = list(itertools.islice(mutants(source), sample))
    counts = {"killed": 0, "survived": 0, "timed out": 0}
    for number, mutant in enumerate(chosen, 1):
        path.write_text(mutant)
        os.utime(path, (number, number))  # two written in one second would share their bytecode
        result = outcome(copy, tests)
        counts[result] += 1
        if result != "killed":
            print(f"  {number} of {len(chosen)} {result}\n{change(source, mutant)}", flush=True)
    path.write_text(source)
    share = counts["killed"] / len(chosen)
    print(f"{module}: {share:.1%} of {len(chosen)} killed; {counts}", flush=True)
    return share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help="as in mutants.toml; all of them if none is named")
    parser.add_argument("--sample", type=int, default=100, help="how many mutants of each module (100)")
    parser.add_argument("--all", action="store_true", help="every mutant")
    options = parser.parse_args()
    configured = tomllib.loads((ROOT / "tools" / "mutants.toml").read_text())["modules"]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("code", "tests", "_ext", "tools"):  # the last two are what conftest.py imports
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", copy)
        sample = None if options.all else options.sample
        scores = [score(copy, m, configured[m], sample) for m in options.modules or configured]
    sys.exit(min(scores) < WANTED)


if __name__ == "__main__":
    main()
