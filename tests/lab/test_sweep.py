"""Sweeps: the same on this machine and on a cluster, whole after an interruption, and an honest table."""

import contextlib
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from distributed import LocalCluster

from inorder.lab import sweep as sweep_module
from inorder.lab.provenance import commit
from inorder.lab.results import Results, read
from inorder.lab.runs import TESTED_AT, Setting, run
from inorder.lab.schemes import FromPositions, FromScores
from inorder.lab.sweep import grid, sweep
from inorder.lab.tasks import TASKS, Marked
from inorder.transformer import PositionScheme

FEW = {"n_steps": 4, "d_model": 8, "n_heads": 2, "d_ff": 8, "batch_size": 4}
KEYS = ["task", "scheme", "mask", "n_layers", "mark", "seed", "length"]


def plain(results: Results) -> list[dict]:
    """The records without their times, in one order."""
    rest = [{key: value for key, value in result.items() if key != "seconds"} for result in results.runs]
    return sorted(rest, key=lambda result: json.dumps(result, default=str))


def test_a_grid_is_every_combination_seed_by_seed():
    settings = grid(["copy-left", "which-first-asked"], ["none", "t5"], range(2), masks=["causal"], n_layers=[1, 2])
    assert len(settings) == len(set(settings)) == 16
    assert [setting.seed for setting in settings] == [0] * 8 + [1] * 8


def test_the_table_has_a_row_for_each_run_and_length(tmp_path):
    out = tmp_path / "found.json"
    settings = grid(["copy-left", "which-first"], ["none", "gru"], [1], marks=[False, True], **FEW)
    table = sweep(settings, out=out, bar=False).table()
    assert len(table) == len(settings) * len(TESTED_AT) and not table.duplicated(KEYS).any()
    pd.testing.assert_frame_equal(table, read(out).table())
    assert set(table["architecture"]) == {"transformer", "gru"} and (table["commit"] == commit()).all()
    assert table.notna().all(axis=None)
    for row in table.itertuples():
        task = Marked(TASKS[row.task]) if row.mark else TASKS[row.task]
        assert row.floor == pytest.approx(task.floor(row.length), abs=1e-6)
        assert row.ceiling == pytest.approx(task.symmetric_ceiling(row.length), abs=1e-6)
    curves = read(out).curves()
    assert (curves.groupby(KEYS[:-1])["step"].max() == FEW["n_steps"]).all()


def test_a_sweep_killed_at_any_of_its_writes_loses_nothing(tmp_path, monkeypatch):
    settings = grid(["copy-left"], ["none", "t5"], range(1), **FEW)
    keep = sweep_module._first_transformer
    expected = sweep(settings, keep=keep, bar=False)
    replace = os.replace
    for number in range(5):  # a run and its model, twice; or none of them
        out, writes = tmp_path / f"{number}.json", iter(range(number))

        def killed(source, target, writes=writes):
            if next(writes, None) is None:
                raise KeyboardInterrupt
            replace(source, target)

        monkeypatch.setattr(os, "replace", killed)
        with contextlib.suppress(KeyboardInterrupt):
            sweep(settings, out=out, keep=keep, bar=False)
        monkeypatch.setattr(os, "replace", replace)
        sweep(settings, out=out, keep=keep, bar=False)
        result = read(out)
        assert plain(result) == plain(expected) and result.models.keys() == expected.models.keys()
        assert all(np.array_equal(result.models[name], expected.models[name]) for name in expected.models)


def test_two_at_a_time_find_the_same():
    settings = grid(["copy-left"], ["none"], range(3), **FEW)
    assert plain(sweep(settings, n_jobs=2, bar=False)) == plain(sweep(settings, bar=False))


@pytest.mark.nightly  # the sweep's own loop over what is missing is tested above, without a cluster
def test_a_cluster_finds_the_same(tmp_path):
    settings = grid(["copy-left"], ["none", "gru"], range(2), **FEW)
    with LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster:
        result = sweep(settings, backend="dask", scheduler=cluster.scheduler_address, bar=False)
    assert plain(result) == plain(sweep(settings, bar=False))


def test_a_scheme_of_your_own_goes_into_the_same_table(tmp_path):
    out = tmp_path / "found.json"

    def waves(factor):
        return FromPositions("waves", lambda positions: np.sin(factor * positions[:, None] / np.array([1, 3, 9])))

    near = FromScores("near", lambda scores, relative: scores - abs(relative))
    schemes = ["rotary", waves(1.0), near]
    table = sweep(grid(["copy-left"], schemes, range(1), **FEW), out=out, bar=False).table()
    assert list(table["scheme"].unique()) == ["rotary", "waves", "near"]
    assert waves(1.0) == waves(1.0) and waves(1.0) != waves(2.0) and waves(1.0) != near
    calls = len(read(out).runs)
    assert len(sweep(grid(["copy-left"], [waves(1.0)], range(1), **FEW), out=out, bar=False).runs) == calls
    with pytest.warns(UserWarning, match=r"has 1 runs .* changed since \(waves on copy-left\): new runs replace them"):
        changed = sweep(grid(["copy-left"], [waves(2.0)], range(1), **FEW), out=out, bar=False)
    assert len(changed.runs) == calls and plain(changed) == plain(read(out))


class Gap(PositionScheme):
    name = "gap"
    title = "a gap"

    def __init__(self, gap):
        self.gap = gap

    def bias(self, query, key, query_positions, key_positions, tables):
        return -self.gap * abs(key_positions - query_positions[:, None]).to(query.dtype)


def test_two_settings_of_one_class_are_two_schemes(tmp_path):
    out, keep = tmp_path / "found.json", sweep_module._first_transformer
    schemes = [Gap(2), Gap(0)]
    results = sweep(grid(["copy-left"], schemes, range(2), **FEW), out=out, keep=keep, bar=False)
    table = results.table()
    assert list(table["scheme"].unique()) == ["gap(gap=2)", "gap(gap=0)"]
    assert list(table["label"].unique()) == ["a gap(gap=2)", "a gap(gap=0)"]
    assert results.modelled() == [("copy-left", "gap(gap=2)"), ("copy-left", "gap(gap=0)")]
    for scheme in schemes:
        model = results.model("copy-left", scheme)
        assert model.config.position.gap == scheme.gap
        for again in (results.model("copy-left", f"gap(gap={scheme.gap})"), read(out).model("copy-left", scheme)):
            np.testing.assert_array_equal(again.parameters.embedding, model.parameters.embedding)
    with pytest.raises(ValueError, match=r"'gap\(gap=2\)' itself, the object that the sweep was given"):
        read(out).model("copy-left", "gap(gap=2)")


def test_a_file_of_another_version_says_so(tmp_path):
    out = tmp_path / "found.json"
    sweep(grid(["copy-left"], ["none"], range(1), **FEW), out=out, bar=False)
    content = json.loads(out.read_text())
    del content["runs"][0]["accuracy"], content["runs"][0]["n_layers"]
    out.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=r"runs that say their task.*, got one without n_layers, accuracy in .* --out"):
        read(out)


def test_models_that_are_kept_are_the_trained_ones_in_6_bits(tmp_path):
    out = tmp_path / "found.json"
    settings = [*grid(["copy-left"], ["learned-concatenated"], range(2), **FEW), Setting("which-first", "t5", **FEW)]
    sweep(settings, out=out, keep=sweep_module._first_transformer, bar=False)
    results = read(out)
    assert results.modelled() == [("copy-left", "learned-concatenated"), ("which-first", "t5")]
    for task, name in results.modelled():
        model, trained = results.model(task, name), run(Setting(task, name, **FEW), keep=True)[1]
        assert model.config == Setting(task, name, **FEW).config
        np.testing.assert_array_equal(model.parameters.w_output, trained["w_output"].astype(float))
    with pytest.raises(ValueError, match=r"one of the models kept.*got \('copy-left', 'rotary'\)"):
        results.model("copy-left", "rotary")


def test_the_command_writes_the_table(tmp_path):
    small = "--seeds 1 --steps 2 --d-model 8 --heads 2 --d-ff 8 --batch 2 --tasks copy-left --schemes none"
    sweep_module.main([*small.split(), "--out", str(tmp_path / "a.json"), "--table", str(tmp_path / "a.csv")])
    written = pd.read_csv(tmp_path / "a.csv")
    assert list(written["length"]) == list(TESTED_AT)
    with pytest.raises(SystemExit, match="the address of a scheduler"):
        sweep_module.main([*small.split(), "--out", str(tmp_path / "b.json"), "--backend", "dask"])


def away(sign):
    return FromScores("away", lambda scores, relative: scores + sign * abs(relative))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sweep([]), "one setting or more"),
        (lambda: sweep(grid(["copy-left"], ["none"]), backend="ray"), "backend to be one of joblib, dask, got 'ray'"),
        (lambda: grid(["copy-right"]), "task to be one of which-first"),
        (lambda: grid(["copy-left"], seeds=[-1]), "seed that is a whole number, 0 or more, got -1"),
        (lambda: Setting("last-token", mask="causal"), "for a causal mask"),
        (lambda: Setting("copy-left", "gru").config, "a position scheme, got gru"),
        (lambda: FromPositions("rotary", len), "a name that no other scheme has, got 'rotary'"),
        (lambda: FromPositions("mine", lambda p: p).values(np.arange(3)), r"shape \(3, width\), got \(3,\)"),
        (lambda: run(Setting("copy-left", FromScores("mine", lambda s, r: s[0]), **FEW)), "mine to return scores of"),
        (lambda: sweep(grid(["copy-left"], [away(1), away(-1)]), bar=False), "in what they do to have different names"),
    ],
)
def test_bad_input(call, message, types_unchecked):
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=message):
        call()


def test_results_are_read_without_torch():
    """A figure on a page needs the table, and no torch."""
    code = "import sys; sys.modules['torch'] = None; from inorder.lab.results import read; print(len(read().table()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and int(done.stdout) == len(read().table()), done.stderr
