"""Many runs to one table: schemes × tasks × seeds, on this machine or on a cluster.

    python -m inorder.lab.sweep --tasks which-first --schemes none rotary --seeds 5 --out mine.json
    python -m inorder.lab.sweep --backend dask --scheduler tcp://127.0.0.1:8786 --out mine.json

Every finished run is written at once. Called again with the same --out, only what is missing runs. A run is determined
by its setting, so both back ends find the same.
"""

import argparse
import ast
import hashlib
import json
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from inorder._arrays import expect, expect_choice, expect_count
from inorder.lab.results import Results, read
from inorder.lab.runs import MASKS, TESTED_AT, TRAINED_ON, Setting, run
from inorder.lab.schemes import BASELINES, SCHEMES
from inorder.lab.tasks import TASKS
from inorder.transformer import PositionScheme

PACKAGE = Path(__file__).parents[1]
WHAT_RUNS = (
    "attention",
    "encodings",
    "transformer",
    *(f"lab/{name}.py" for name in ("baselines", "runs", "schemes", "tasks", "training")),
)
BACKENDS = ("joblib", "dask")
MAIN_TASKS = ("which-first", "copy-left", "last-token", "reversal")
Found = tuple[dict[str, Any], dict[str, np.ndarray] | None]


def grid(
    tasks: Iterable[str] = MAIN_TASKS,
    schemes: Iterable[str | PositionScheme] = (*SCHEMES, *BASELINES),
    seeds: Iterable[int] = range(5),
    *,
    masks: Iterable[str] = ("bidirectional",),
    n_layers: Iterable[int] = (1,),
    marks: Iterable[bool] = (False,),
    **others: Any,
) -> list[Setting]:
    """All combinations, seed by seed, so that what is there early is of every kind.

    Raises ValueError: as `Setting`.

    >>> [setting.name for setting in grid(["copy-left"], ["none", "rotary"], range(1))]
    ['none', 'rotary']
    """
    schemes = list(schemes)
    return [
        Setting(task, scheme, seed, mask=mask, n_layers=layers, mark=mark, **others)
        for seed, task, mask, layers, mark, scheme in product(seeds, tasks, masks, n_layers, marks, schemes)
    ]


def sweep(
    settings: Sequence[Setting],
    *,
    out: Path | None = None,
    backend: str = "joblib",
    n_jobs: int = 1,
    scheduler: str | None = None,
    keep: Callable[[Setting], bool] = lambda setting: False,
    bar: bool = True,
) -> Results:
    """Run the settings, each once, and gather the records, in the order of the settings.

    With `out` each record is written as it comes, and those that the file has already are not run again. backend
    "joblib" runs `n_jobs` at a time on this machine, "dask" on the workers of the cluster whose scheduler is at that
    address. `keep` says of which models the parameters are kept, too.

    Raises ValueError: no settings; an unknown backend; n_jobs that is no positive whole number; "dask" without the
    address of a scheduler; a file with runs of other code than the one that is here.

    >>> found = sweep(grid(["which-first"], ["none"], range(2), n_steps=2), bar=False)
    >>> found.table().query("length == 60")["accuracy"].tolist()
    [0.5, 0.5]
    """
    settings = list(settings)
    expect(settings, "one setting or more", "none")
    expect_choice("backend", backend, BACKENDS)
    expect_count("n_jobs", n_jobs)
    expect(backend != "dask" or scheduler, "the address of a scheduler, for dask", scheduler)
    before = read(out) if out is not None and out.exists() else Results({}, [], [], {})
    code = code_hash()
    others = {found["code"] for found in before.runs} - {code}
    expect(not others, f"a file with runs of the code that is here, {code}", f"{out}, with runs of {', '.join(others)}")
    done = {_key(found): found for found in before.runs}
    models = dict(before.models)
    wanted = {_key(setting.identity): setting for setting in settings}
    missing = {key: setting for key, setting in wanted.items() if key not in done}

    def results() -> Results:
        order = [*(key for key in wanted if key in done), *(key for key in done if key not in wanted)]
        found = [done[key] for key in order]
        seconds = round(sum(each["seconds"] for each in found))
        return Results(_provenance() | {"seconds": seconds}, _bounds(settings, before), found, models)

    every = tqdm(missing, desc="runs", disable=not bar)
    performed = _on_dask(missing, keep, str(scheduler)) if backend == "dask" else _here(missing, keep, n_jobs)
    for found, weights in performed:
        done[_key(found)] = found | {"code": code}
        if weights is not None:
            models |= {f"{found['task']}/{found['scheme']}/{name}": w for name, w in weights.items()}
        if out is not None:
            results().write(out)
        every.update()
    every.close()
    return results()


def _here(missing: dict[str, Setting], keep: Callable[[Setting], bool], n_jobs: int) -> Iterator[Found]:
    from joblib import Parallel, delayed

    pool = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    yield from pool(delayed(run)(setting, keep(setting)) for setting in missing.values())


def _on_dask(missing: dict[str, Setting], keep: Callable[[Setting], bool], scheduler: str) -> Iterator[Found]:
    from dask.distributed import Client, as_completed

    with Client(scheduler) as client:
        # A run that was lost with its worker is run again by the scheduler; its future reports once.
        futures = [client.submit(run, setting, keep(setting), key=f"run-{key}") for key, setting in missing.items()]
        for future in as_completed(futures):
            yield future.result()
            future.release()


def _key(found: dict[str, Any]) -> str:
    """What tells one run from another, as a short name."""
    names = [*Setting.__dataclass_fields__, "own"]
    plain = json.dumps([found.get(name) for name in names], default=int)
    return hashlib.sha256(plain.encode()).hexdigest()[:24]


def _bounds(settings: Sequence[Setting], before: Results) -> list[dict[str, Any]]:
    """Those of every task in the file; length 0 is the mean over the lengths of the training."""
    tasks = {(bound["task"], bound["mark"]): None for bound in before.bounds}
    tasks |= {(setting.task, setting.mark): None for setting in settings}
    return [bound for task, mark in tasks for bound in _bounds_of(task, mark)]


@cache
def _bounds_of(name: str, mark: bool) -> list[dict[str, Any]]:
    task = Setting(name, mark=mark).bounded_task
    of = {n: (task.floor(n), task.symmetric_ceiling(n)) for n in {*TRAINED_ON, *TESTED_AT}}
    of[0] = tuple(np.mean([of[n] for n in TRAINED_ON], axis=0).tolist())
    return [
        {"task": name, "mark": mark, "length": n, "floor": round(of[n][0], 6), "ceiling": round(of[n][1], 6)}
        for n in (0, *TESTED_AT)
    ]


def _provenance() -> dict[str, Any]:
    return {
        "made by": "python -m inorder.lab.sweep",
        "code": code_hash(),
        "versions": {"python": platform.python_version()} | {n: version(n).split("+")[0] for n in ("numpy", "torch")},
        "machine": platform.machine(),
        "on": datetime.now(UTC).date().isoformat(),
    }


@cache
def code_hash() -> str:
    """Of the code that a run executes, without docstrings and comments.

    >>> len(code_hash())
    12
    """
    files = [
        file
        for part in WHAT_RUNS
        for file in ([PACKAGE / part] if part.endswith(".py") else (PACKAGE / part).rglob("*.py"))
    ]
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(_without_docstrings(file.read_text(encoding="utf8")).encode())
    return digest.hexdigest()[:12]


def _without_docstrings(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        documented = (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None
        )
        if documented:
            node.body = node.body[1:]  # type: ignore[attr-defined]
    return ast.dump(tree)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m inorder.lab.sweep",
        description="Train small models that differ in how they are told positions, and test them at several lengths.",
        epilog="Interrupted, the same command goes on where it stopped. A scheme of your own: inorder.lab.sweep.sweep.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    made.add_argument(
        "--out", type=Path, required=True, help="the results, .json; what is there already is not run again"
    )
    made.add_argument("--table", type=Path, help="the tidy table, too, as .csv")
    made.add_argument("--tasks", nargs="+", choices=TASKS, default=MAIN_TASKS, metavar="TASK", help=", ".join(TASKS))
    known = [*SCHEMES, *BASELINES]
    made.add_argument("--schemes", nargs="+", choices=known, default=known, metavar="SCHEME", help=", ".join(known))
    made.add_argument("--seeds", type=int, default=5, help="how many, from 0 on")
    made.add_argument("--steps", type=int, default=Setting.n_steps, help="of each training")
    made.add_argument("--masks", nargs="+", choices=MASKS, default=MASKS[:1])
    made.add_argument("--layers", nargs="+", type=int, default=[Setting.n_layers])
    made.add_argument("--marks", nargs="+", choices=["without", "with"], default=["without"], help="a first-token mark")
    made.add_argument("--d-model", type=int, default=Setting.d_model)
    made.add_argument("--heads", type=int, default=Setting.n_heads)
    made.add_argument("--d-ff", type=int, default=Setting.d_ff)
    made.add_argument("--batch", type=int, default=Setting.batch_size, help="sequences a step")
    made.add_argument("--learning-rate", type=float, default=Setting.learning_rate)
    made.add_argument("--backend", choices=BACKENDS, default="joblib", help="joblib: this machine; dask: a cluster")
    made.add_argument("--scheduler", help="the address of dask's scheduler, tcp://…")
    made.add_argument("--jobs", type=int, default=1, help="runs at a time, with joblib")
    made.add_argument("--keep", action="store_true", help="the transformers of seed 0, too, beside --out in .npz")
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    try:
        found = sweep(
            grid(
                given.tasks,
                given.schemes,
                range(given.seeds),
                masks=given.masks,
                n_layers=given.layers,
                marks=[mark == "with" for mark in given.marks],
                n_steps=given.steps,
                d_model=given.d_model,
                n_heads=given.heads,
                d_ff=given.d_ff,
                batch_size=given.batch,
                learning_rate=given.learning_rate,
            ),
            out=given.out,
            backend=given.backend,
            n_jobs=given.jobs,
            scheduler=given.scheduler,
            keep=_first_transformer if given.keep else lambda setting: False,
        )
    except ValueError as error:
        sys.exit(str(error))
    if given.table is not None:
        found.table().to_csv(given.table, index=False)


def _first_transformer(setting: Setting) -> bool:
    return setting.seed == 0 and setting.mask == MASKS[0] and not setting.mark and not setting.is_baseline


if __name__ == "__main__":
    main()
