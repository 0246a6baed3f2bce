"""Many runs to one table: schemes × tasks × seeds, on this machine or on a cluster.

    python -m inorder.lab.sweep --tasks which-first --schemes none rotary --seeds 5 --out mine.json
    python -m inorder.lab.sweep --backend dask --scheduler tcp://127.0.0.1:8786 --out mine.json

Every finished run is written at once. Called again with the same --out, only what is missing runs. A run is determined
by its setting, so both back ends give the same results.

A run is known by its setting and by its scheme's `fingerprint`: what the hooks return for fixed numbers. So a scheme of
your own that does something else now is run again, under the same name. Each run also says at which commit it was made.
"""

import argparse
import hashlib
import json
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from inorder._arrays import expect, expect_choice, expect_count
from inorder.lab.provenance import commit, provenance
from inorder.lab.results import Results, read
from inorder.lab.runs import MASKS, TESTED_AT, TRAINED_ON, Setting, run
from inorder.lab.schemes import BASELINES, in_digits, scheme_labels
from inorder.lab.tasks import TASKS
from inorder.transformer import PositionScheme
from inorder.transformer.schemes import apply_hooks

__all__ = ["grid", "sweep"]

BACKENDS = ("joblib", "dask")
LENGTHS = (7, max(TESTED_AT))  # of the texts on which hooks are tried
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

    The file may hold runs of an earlier scheme of the same name, which did something else: a warning says so, and new
    ones replace them. Another warning names the commits of runs that are kept though they were made at other ones.

    Raises ValueError: no settings; two schemes that differ and have one name; an unknown backend; n_jobs that is no
    positive whole number; "dask" without the address of a scheduler; hooks of your own that return another shape, and
    what these raise.

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
    fingerprints = _fingerprints(settings)
    runs, models = _without_earlier(before, fingerprints, out)
    done = {_key(record): record for record in runs}
    asked = {
        _key(setting.identity | {"fingerprint": fingerprints[_scheme(setting.identity)]}): setting
        for setting in settings
    }
    missing = {key: setting for key, setting in asked.items() if key not in done}
    _tell_other_commits([done[key] for key in asked if key in done], out)
    own = {setting.name: setting.scheme for setting in settings if isinstance(setting.scheme, PositionScheme)}

    def results() -> Results:
        order = [*(key for key in asked if key in done), *(key for key in done if key not in asked)]
        records = [done[key] for key in order]
        seconds = round(sum(each["seconds"] for each in records))
        made = provenance("python -m inorder.lab.sweep", seconds=seconds)
        return Results(made, _bounds(settings, before), records, models, own)

    every = tqdm(missing, desc="runs", disable=not bar)
    performed = _on_dask(missing, keep, str(scheduler)) if backend == "dask" else _here(missing, keep, n_jobs)
    for key, record, weights in performed:
        done[key] = record | {"fingerprint": fingerprints[_scheme(record)], "commit": commit()}
        if weights is not None:
            models |= {f"{record['task']}/{record['scheme']}/{name}": w for name, w in weights.items()}
        if out is not None:
            results().write(out)
        every.update()
    every.close()
    return results()


def fingerprint(setting: Setting) -> str:
    """What the hooks of a setting's scheme return for fixed numbers, as 12 digits; "" for a baseline, which has none.

    Raises ValueError: hooks that return another shape or dtype; and what the hooks themselves raise.

    >>> class Near(PositionScheme):
    ...     name = "near"
    ...
    ...     def bias(self, query, key, query_positions, key_positions, tables):
    ...         return -SLOPE * abs(key_positions - query_positions[:, None]).to(query.dtype)
    >>> SLOPE = 1.0
    >>> before = fingerprint(Setting("copy-left", Near()))
    >>> SLOPE = 2.0
    >>> fingerprint(Setting("copy-left", Near())) == before
    False
    """
    if setting.is_baseline:
        return ""
    sizes = {"d_model": setting.d_model, "n_heads": setting.n_heads}
    like = torch.zeros((), dtype=torch.float64)
    arrays = {}
    for n in LENGTHS:
        for name, array in apply_hooks(setting.position, n, **sizes, like=like).items():
            arrays[f"{name} for {n}"] = torch.as_tensor(array).detach().cpu().numpy()
    return in_digits(arrays)


Scheme = tuple[str, int, int]  # of a run: the scheme's name, d_model and n_heads


def _scheme(identity: Mapping[str, Any]) -> Scheme:
    return identity["scheme"], identity["d_model"], identity["n_heads"]


def _fingerprints(settings: Sequence[Setting]) -> dict[Scheme, str]:
    """That of each scheme. Those of one name must be one."""
    schemes: dict[Scheme, Setting] = {}
    fingerprints: dict[Scheme, str] = {}
    for setting in settings:
        first = schemes.setdefault(scheme := _scheme(setting.identity), setting)
        if first is setting or first.scheme != setting.scheme:
            own = fingerprint(setting)
            both = f"{first.scheme!r} and {setting.scheme!r}, both called {setting.name!r}"
            same = fingerprints.setdefault(scheme, own) == own
            expect(same, "schemes that differ in what they do to have different names", both)
    return fingerprints


def _without_earlier(
    before: Results, fingerprints: Mapping[Scheme, str], out: Path | None
) -> tuple[list[dict[str, Any]], dict[str, np.ndarray]]:
    """The runs and models of the file, less those of a scheme that does something else now."""

    def is_earlier(record: dict[str, Any]) -> bool:
        own = record.get("fingerprint")
        return fingerprints.get(_scheme(record), own) != own

    earlier = [record for record in before.runs if is_earlier(record)]
    if not earlier:
        return before.runs, dict(before.models)
    names = ", ".join(sorted({f"{record['scheme']} on {record['task']}" for record in earlier}))
    changed = f"{out} has {len(earlier)} runs of schemes that have changed since ({names})"
    warnings.warn(f"{changed}: new runs replace them", stacklevel=3)
    starts = tuple(f"{record['task']}/{record['scheme']}/" for record in earlier)
    models = {name: w for name, w in before.models.items() if not name.startswith(starts)}
    return [record for record in before.runs if not is_earlier(record)], models


def _tell_other_commits(kept: Iterable[dict[str, Any]], out: Path | None) -> None:
    others = {record.get("commit") or "a commit that is not known" for record in kept} - {commit()}
    if others:
        here = f"{out} has runs of {', '.join(sorted(others))}, and this is {commit()}. They are kept"
        warnings.warn(f"{here}: if numbers have changed since, choose another --out", stacklevel=3)


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
    names = [*Setting.__dataclass_fields__, "fingerprint"]
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
    options.add_argument("--keep", action="store_true", help="the transformers of seed 0, too, beside --out in .npz")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    options = parser().parse_args(arguments)
    try:
        results = _sweep_of(options)
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
