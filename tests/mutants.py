"""Mutation testing: change the reference functions one operator, number or condition at a time; the tests must fail.

    python tests/mutants.py                      all modules of mutants.toml, 100 mutants of each
    python tests/mutants.py symmetry.py --all    every mutant of one module

cosmic-ray supplies the mutations. Those that only touch annotations or docstrings, or are no Python, do not count. The
work is done on a copy. A time-out is no kill. Exits 1 if fewer than 90 % of a module's mutants are killed.
"""

import argparse
import ast
import difflib
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).parent.parent
TIMEOUT = 120  # seconds; a module's tests take 5 to 20
WANTED = 0.9

os.environ["OMP_NUM_THREADS"] = "1"
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    ["__main__", "beartype", "einops", "hypothesis", "jaxtyping", "pytest", "scipy.special", "torch"]
)


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


def mutants(source: str) -> Iterator[str]:
    """Every different program that one cosmic-ray operator makes of the source."""
    seen = {"", behaviour(source)}
    for name in operator_names():
        operator = get_operator(name)
        if operator.arguments():
            continue
        occurrence = 0
        while (mutant := mutate_code(source, operator(), occurrence)) is not None:
            occurrence += 1
            if behaviour(mutant) not in seen:
                seen.add(behaviour(mutant))
                yield mutant


def run_tests(copy: Path, tests: list[str]) -> None:
    """In a process of its own."""
    os.chdir(copy)
    sys.path.insert(0, str(copy / "code"))
    sys.dont_write_bytecode = True  # two mutants written in one second would share it
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115, as long as the process lives
    import pytest

    options = ["-x", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=mutants"]
    os._exit(pytest.main([*options, *(f"tests/{name}" for name in tests)]))


def outcome(copy: Path, tests: list[str]) -> str:
    process = PROCESSES.Process(target=run_tests, args=(copy, tests))
    process.start()
    process.join(TIMEOUT)
    if process.is_alive():
        process.kill()
        return "timed out"
    return "survived" if process.exitcode == 0 else "killed"


def change(source: str, mutant: str) -> str:
    lines = difflib.unified_diff(source.splitlines(), mutant.splitlines(), n=0, lineterm="")
    return "\n".join(f"    {line}" for line in lines if not line.startswith(("---", "+++")))


def score(copy: Path, module: str, tests: list[str], sample: int | None) -> float:
    """The share of mutants killed."""
    path = copy / "code" / "inorder" / module
    source = path.read_text()
    if outcome(copy, tests) != "survived":
        sys.exit(f"{module}: the tests do not pass as it is")
    chosen = list(mutants(source))
    total = len(chosen)
    if sample is not None and sample < total:
        chosen = random.Random(0).sample(chosen, sample)
    counts = {"killed": 0, "survived": 0, "timed out": 0}
    for number, mutant in enumerate(chosen, 1):
        path.write_text(mutant)
        found = outcome(copy, tests)
        counts[found] += 1
        if found != "killed":
            print(f"  {number} of {len(chosen)} {found}\n{change(source, mutant)}", flush=True)
    path.write_text(source)
    share = counts["killed"] / len(chosen)
    print(f"{module}: {share:.1%} of {len(chosen)} killed, of {total} there are; {counts}", flush=True)
    return share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help="as in mutants.toml; all of them if none is named")
    parser.add_argument("--sample", type=int, default=100, help="how many mutants of each module (100)")
    parser.add_argument("--all", action="store_true", help="every mutant")
    options = parser.parse_args()
    configured = tomllib.loads((ROOT / "tests" / "mutants.toml").read_text())["modules"]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("code", "tests"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", copy)
        sample = None if options.all else options.sample
        scores = [score(copy, m, configured[m], sample) for m in options.modules or configured]
    sys.exit(min(scores) < WANTED)


if __name__ == "__main__":
    main()
