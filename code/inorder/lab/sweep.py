"""Many runs to one table: schemes × tasks × seeds, on this machine or on a cluster.

    python -m inorder.lab.sweep --tasks which-first --schemes none rotary --seeds 5 --out mine.json
    python -m inorder.lab.sweep --backend dask --scheduler tcp://127.0.0.1:8786 --out mine.json
    python -m inorder.lab.sweep --out mine.json --confirm

Every finished run is written at once. Called again with the same --out, only what is missing runs. A run is determined
by its setting, so both back ends give the same results.
"""

import argparse
import hashlib
import json
import platform
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from inorder.lab.run_code import code_of, common_code
from inorder.lab.runs import MASKS, TESTED_AT, TRAINED_ON, Setting, run
from inorder.lab.schemes import BASELINES, scheme_labels, scheme_name
from inorder.lab.tasks import TASKS
from inorder.transformer import PositionScheme

__all__ = [
    "confirm",
    "grid",
    "sweep",
]

BACKENDS = ("joblib", "dask")
COMPARED = ("losses", "accuracies", "accuracy", "error")  # of a run that is run again
AT_THE_START, ERRORS = 0.002, 4  # by which a run that is run again may differ
CARRY_OVER = (
    "If the change leaves all numbers as they are, --confirm runs some of them again and carries the others over; "
    "else choose another --out"
)
MAIN_TASKS = ("which-first", "copy-left", "last-token", "reversal")
Finding = tuple[str, dict[str, Any], dict[str, np.ndarray] | None]  # key, record, parameters


def grid(
    tasks: Iterable[str] = MAIN_TASKS,
    schemes: Iterable[str | PositionScheme] | None = None,
    seeds: Iterable[int] = range(5),
    *,
    masks: Iterable[str] = ("bidirectional",),
    n_layers: Iterable[int] = (1,),
    marks: Iterable[bool] = (False,),
    **others: Any,
) -> list[Setting]:
    """All combinations, seed by seed, so that the first results are of every kind; schemes None stands for all.

    Raises ValueError: as `Setting`.

    >>> [setting.name for setting in grid(["copy-left"], ["none", "rotary"], range(1))]
    ['none', 'rotary']
    """
    schemes = [*scheme_labels(), *BASELINES] if schemes is None else list(schemes)
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

    A run is that of its setting and of the code that it executes (`inorder.lab.run_code`). The file may hold runs of an
    earlier scheme or task of the same name, which did something else: a warning says so, and new ones replace them.

    Raises ValueError: no settings; two schemes that differ and have one name; an unknown backend; n_jobs that is no
    positive whole number; "dask" without the address of a scheduler; a file with runs of other code than the one that
    is here.

    >>> results = sweep(grid(["which-first"], ["none"], range(2), n_steps=2), bar=False)
    >>> results.table().query("length == 60")["accuracy"].tolist()
    [0.5, 0.5]
    """
    settings = list(settings)
    expect(settings, "one setting or more", "none")
    expect_choice("backend", backend, BACKENDS)
    expect_count("n_jobs", n_jobs)
    expect(backend != "dask" or scheduler, "the address of a scheduler, for dask", scheduler)
    before = read(out) if out is not None and out.exists() else Results({}, [], [], {})
    identities = _identities(settings)
    code = common_code()
    others = sorted({record["code"] for record in before.runs} - {code})
    expect(
        not others, f"{out} with runs of the code that is here, {code}", f"runs of {', '.join(others)}. {CARRY_OVER}"
    )
    runs, models = _without_earlier(before, identities.values(), out)
    done = {_key(record): record for record in runs}
    asked = {_key(identity): setting for setting, identity in identities.items()}
    missing = {key: setting for key, setting in asked.items() if key not in done}
    codes = {_key(identity): identity for identity in identities.values()}
    own = {setting.name: setting.scheme for setting in settings if isinstance(setting.scheme, PositionScheme)}

    def results() -> Results:
        order = [*(key for key in asked if key in done), *(key for key in done if key not in asked)]
        records = [done[key] for key in order]
        confirmed = {name: before.provenance[name] for name in ("confirmed",) if name in before.provenance}
        provenance = _provenance() | {"seconds": round(sum(each["seconds"] for each in records))} | confirmed
        return Results(provenance, _bounds(settings, before), records, models, own)

    every = tqdm(missing, desc="runs", disable=not bar)
    performed = _on_dask(missing, keep, str(scheduler)) if backend == "dask" else _here(missing, keep, n_jobs)
    for key, record, weights in performed:
        done[key] = record | codes[key]
        if weights is not None:
            models |= {f"{record['task']}/{record['scheme']}/{name}": w for name, w in weights.items()}
        if out is not None:
            results().write(out)
        every.update()
    every.close()
    return results()


def _identities(settings: Sequence[Setting]) -> dict[Setting, dict[str, Any]]:
    """What determines each run, in plain values: its setting, and its code. Schemes of one name must be one."""
    identities = {setting: setting.identity | code_of(setting) for setting in settings}
    codes: dict[tuple[Any, ...], tuple[str, Any]] = {}
    for setting, identity in identities.items():
        width = identity["scheme"], identity["d_model"], identity["n_heads"]
        code, scheme = codes.setdefault(width, (identity["scheme_code"], setting.scheme))
        both = f"{scheme!r} and {setting.scheme!r}, both called {setting.name!r}"
        expect(code == identity["scheme_code"], "schemes that differ in what they do to have different names", both)
    return identities


def _without_earlier(
    before: Results, identities: Iterable[dict[str, Any]], out: Path | None
) -> tuple[list[dict[str, Any]], dict[str, np.ndarray]]:
    """The runs and models of the file, less those of a scheme or task that has changed since."""
    current: dict[tuple[Any, ...], set[str]] = {}
    for identity in identities:
        for part in _parts_of(identity):
            current.setdefault(part[:-1], set()).add(part[-1])
    earlier = [
        record
        for record in before.runs
        if any(part[-1] not in current.get(part[:-1], {part[-1]}) for part in _parts_of(record))
    ]
    if not earlier:
        return before.runs, dict(before.models)
    names = ", ".join(sorted({f"{record['scheme']} on {record['task']}" for record in earlier}))
    changed = f"{out} has {len(earlier)} runs of schemes or tasks whose code has changed since ({names})"
    warnings.warn(f"{changed}: new runs replace them. {CARRY_OVER}", stacklevel=3)
    starts = tuple(f"{record['task']}/{record['scheme']}/" for record in earlier)
    models = {name: w for name, w in before.models.items() if not name.startswith(starts)}
    return [record for record in before.runs if record not in earlier], models


def _parts_of(identity: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Scheme and task of a run, each with its code at the end."""
    sizes = identity["d_model"], identity["n_heads"]
    return [
        ("scheme", identity["scheme"], *sizes, identity.get("scheme_code")),
        ("task", identity["task"], identity["mark"], identity.get("task_code")),
    ]


def confirm(path: Path, *, schemes: Iterable[PositionScheme] = (), n_jobs: int = 1, bar: bool = True) -> Results:
    """Carry the runs of a file over to the code that is here, if that leaves the numbers as they are.

    One run of each scheme on each task is run again, its seed and its other settings taken in turn. On another machine,
    or in another order, sums are rounded differently, and training enlarges this until the curves part. So the
    first fifth of each learning curve must be that of the file to `AT_THE_START`, and each accuracy must lie where
    those of the other seeds do, give or take `ERRORS` standard errors. Then each run gets the code that is here, and
    keeps the one that made it as `first_code`; the file's provenance says which runs were compared, how many were equal
    to the last digit, by which code, when.

    Raises ValueError: a run that comes out otherwise; a scheme that is neither in the registry nor in `schemes`.
    """
    before = read(path)
    own = {scheme_name(scheme): scheme for scheme in schemes}
    settings = [_setting_of(record, own, path) for record in before.runs]
    codes = [code_of(setting) for setting in settings]  # before the runs: files may change meanwhile
    groups: dict[tuple[str, str], list[int]] = {}
    for i, record in enumerate(before.runs):
        groups.setdefault((record["scheme"], record["task"]), []).append(i)
    sample = {str(group[k % len(group)]): group[k % len(group)] for k, group in enumerate(groups.values())}
    differences: list[tuple[float, float]] = []  # of each run: at the start of its curves, in its accuracies
    equal = 0
    again = _here({key: settings[i] for key, i in sample.items()}, lambda setting: False, n_jobs)
    for key, record, _ in tqdm(again, desc="runs again", total=len(sample), disable=not bar):
        stored = before.runs[sample[key]]
        differences.append(_difference(record, stored, before.runs, path))
        equal += all(record[part] == stored[part] for part in COMPARED)
    runs = [
        record | code | {"first_code": record.get("first_code", record["code"])}
        for record, code in zip(before.runs, codes, strict=True)
    ]
    check = _provenance() | {
        "made by": "python -m inorder.lab.sweep --confirm",
        "runs": [_described(before.runs[i]) for i in sample.values()],
        "of": len(runs),
        "equal to the last digit": equal,
        "largest difference": dict(
            zip(("start of a curve", "accuracy"), np.max(differences, axis=0).tolist(), strict=True)
        ),
        "first made by code": sorted({run["first_code"] for run in runs}),
    }
    provenance = before.provenance | {
        "code": common_code(),
        "confirmed": [*before.provenance.get("confirmed", []), check],
    }
    results = Results(provenance, before.bounds, runs, before.models, own)
    results._replace(models={}).write(path)  # the models stay as they are
    return results


def _difference(
    record: dict[str, Any], stored: dict[str, Any], runs: Sequence[dict[str, Any]], path: Path
) -> tuple[float, float]:
    """By how much a run differs from the stored one: at the start of its curves, and in its accuracies at the end.

    Raises ValueError: by more than rounding and other seeds do.
    """
    end = max(1, len(stored["losses"]) // 5)
    what = f"{_described(stored)} to give what {path} has of it"
    advice = "The code has changed what it computes, so run the sweep again, with another --out"
    start = 0.0
    for part in ("losses", "accuracies"):
        here, there = np.array(record[part][:end]), np.array(stored[part][:end])
        start = max(start, float(abs(here - there).max()) if here.shape == there.shape else np.inf)
        expect(start <= AT_THE_START, f"{what}, {part} {there.tolist()} at the start", f"{here.tolist()}. {advice}")
    rest = [name for name in Setting.__dataclass_fields__ if name != "seed"]
    seeds = np.array([run["accuracy"] for run in runs if all(run[name] == stored[name] for name in rest)])
    here, margin = np.array(record["accuracy"]), ERRORS * np.maximum(stored["error"], record["error"]) + 1e-9
    among = (seeds.min(axis=0) - margin <= here) & (here <= seeds.max(axis=0) + margin)
    expect(among.all(), f"{what}, accuracies {stored['accuracy']} or near", f"{record['accuracy']}. {advice}")
    return start, float(abs(here - stored["accuracy"]).max())


def _setting_of(record: dict[str, Any], own: Mapping[str, PositionScheme], path: Path) -> Setting:
    name = record["scheme"]
    known = name in own or name in scheme_labels() or name in BASELINES
    expect(known, f"{path} with schemes of the registry, or these among `schemes` of confirm()", repr(name))
    others = {field: record[field] for field in Setting.__dataclass_fields__ if field != "scheme"}
    return Setting(scheme=own.get(name, name), **others)


def _described(record: dict[str, Any]) -> str:
    """A run in a few words: its task, scheme and seed, and what is not as it is by default.

    >>> _described(Setting("copy-left", "rotary", 3, n_layers=2).identity)
    'copy-left, rotary, seed 3, n_layers 2'
    """
    fields = Setting.__dataclass_fields__
    others = {name: record[name] for name in fields if name not in ("task", "scheme", "seed")}
    changes = [f"{name} {value}" for name, value in others.items() if value != fields[name].default]
    return ", ".join([record["task"], record["scheme"], f"seed {record['seed']}", *changes])


def _here(missing: dict[str, Setting], keep: Callable[[Setting], bool], n_jobs: int) -> Iterator[Finding]:
    from joblib import Parallel, delayed

    pool = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    yield from pool(delayed(_keyed_run)(key, setting, keep(setting)) for key, setting in missing.items())


def _on_dask(missing: dict[str, Setting], keep: Callable[[Setting], bool], scheduler: str) -> Iterator[Finding]:
    from dask.distributed import Client, as_completed

    with Client(scheduler) as client:
        # A run that was lost with its worker is run again by the scheduler; its future reports once.
        futures = [
            client.submit(_keyed_run, key, setting, keep(setting), key=f"run-{key}") for key, setting in missing.items()
        ]
        for future in as_completed(futures):
            yield future.result()
            future.release()


def _keyed_run(key: str, setting: Setting, keep: bool) -> Finding:
    return key, *run(setting, keep)


def _key(identity: dict[str, Any]) -> str:
    """What tells one run from another, as a short name."""
    names = [*Setting.__dataclass_fields__, "scheme_code", "task_code"]
    plain = json.dumps([identity.get(name) for name in names], default=int)
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
        "code": common_code(),
        "versions": {"python": platform.python_version()} | {n: version(n).split("+")[0] for n in ("numpy", "torch")},
        "machine": platform.machine(),
        "on": datetime.now(UTC).date().isoformat(),
    }


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m inorder.lab.sweep",
        description="Train small models that differ in how they are told positions, and test them at several lengths.",
        epilog="Interrupted, the same command goes on where it stopped. A scheme of your own: inorder.lab.sweep.sweep.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    options.add_argument(
        "--out", type=Path, required=True, help="the results, .json; what is there already is not run again"
    )
    options.add_argument("--table", type=Path, help="the tidy table, too, as .csv")
    options.add_argument("--tasks", nargs="+", choices=TASKS, default=MAIN_TASKS, metavar="TASK", help=", ".join(TASKS))
    known = [*scheme_labels(), *BASELINES]
    options.add_argument("--schemes", nargs="+", choices=known, default=known, metavar="SCHEME", help=", ".join(known))
    options.add_argument("--seeds", type=int, default=5, help="how many, from 0 on")
    options.add_argument("--steps", type=int, default=Setting.n_steps, help="of each training")
    options.add_argument("--masks", nargs="+", choices=MASKS, default=MASKS[:1])
    options.add_argument("--layers", nargs="+", type=int, default=[Setting.n_layers])
    options.add_argument(
        "--marks", nargs="+", choices=["without", "with"], default=["without"], help="a first-token mark"
    )
    options.add_argument("--d-model", type=int, default=Setting.d_model)
    options.add_argument("--heads", type=int, default=Setting.n_heads)
    options.add_argument("--d-ff", type=int, default=Setting.d_ff)
    options.add_argument("--batch", type=int, default=Setting.batch_size, help="sequences a step")
    options.add_argument("--learning-rate", type=float, default=Setting.learning_rate)
    options.add_argument("--backend", choices=BACKENDS, default="joblib", help="joblib: this machine; dask: a cluster")
    options.add_argument("--scheduler", help="the address of dask's scheduler, tcp://…")
    options.add_argument("--jobs", type=int, default=1, help="runs at a time, with joblib")
    options.add_argument(
        "--confirm",
        action="store_true",
        help="run some of the runs in --out again, and carry all over to the code of now",
    )
    options.add_argument("--keep", action="store_true", help="the transformers of seed 0, too, beside --out in .npz")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    options = parser().parse_args(arguments)
    try:
        results = confirm(options.out, n_jobs=options.jobs) if options.confirm else _sweep_of(options)
    except (ValueError, FileNotFoundError) as error:
        sys.exit(str(error))
    if options.table is not None:
        results.table().to_csv(options.table, index=False)


def _sweep_of(options: argparse.Namespace) -> Results:
    settings = grid(
        options.tasks,
        options.schemes,
        range(options.seeds),
        masks=options.masks,
        n_layers=options.layers,
        marks=[mark == "with" for mark in options.marks],
        n_steps=options.steps,
        d_model=options.d_model,
        n_heads=options.heads,
        d_ff=options.d_ff,
        batch_size=options.batch,
        learning_rate=options.learning_rate,
    )
    return sweep(
        settings,
        out=options.out,
        backend=options.backend,
        n_jobs=options.jobs,
        scheduler=options.scheduler,
        keep=_first_transformer if options.keep else lambda setting: False,
    )


def _first_transformer(setting: Setting) -> bool:
    return setting.seed == 0 and setting.mask == MASKS[0] and not setting.mark and not setting.is_baseline


if __name__ == "__main__":
    main()
