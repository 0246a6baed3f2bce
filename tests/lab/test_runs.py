"""Runs: no scheme outside its bounds, order-blind models at exactly one half, any device."""

import numpy as np
import pytest
import torch

from inorder.lab import runs
from inorder.lab.baselines import baseline
from inorder.lab.results import read
from inorder.lab.runs import TESTED_AT, Setting, measure, train_model, train_setting
from inorder.lab.schemes import BASELINES, LONGEST, scheme, scheme_labels
from inorder.lab.sweep import fingerprint
from inorder.lab.tasks import TASKS, CopyLeft, WhichFirst
from inorder.lab.training import fit, loss_and_accuracy, token_logits, train
from inorder.stored import stored
from inorder.symmetry import equivariance_error
from inorder.transformer import TransformerConfig, encode, flatten_parameters, init_parameters, map_parameters

ERRORS = 4  # standard errors, beyond which no model may pass a bound it cannot pass
KEYS = ["task", "scheme", "mask", "n_layers", "mark", "seed"]
BLIND, SYMMETRIC = {"none", "bag-of-words"}, {"alibi"}
BLIND_TASKS = ("which-first", "which-first-asked")


def within(accuracy, bound, error):
    return accuracy <= bound + ERRORS * error


# ------------------------------------------------------------------------------------------------ the stored table


@pytest.fixture(scope="module")
def results():
    return read(stored("learning_order.json"))


@pytest.fixture(scope="module")
def table(results):
    return results.table()


def bidirectional(table, schemes):
    return table[table["scheme"].isin(schemes) & (table["mask"] == "bidirectional")]


def test_stored_blind_models_score_exactly_one_half(table):
    paired = bidirectional(table, BLIND).query("task in @BLIND_TASKS")
    assert len(paired) >= 10 and (paired["accuracy"] == 0.5).all()
    distances = bidirectional(table, SYMMETRIC).query("task == 'which-first' and not mark")
    assert len(distances) >= 5 and (distances["accuracy"] == 0.5).all()


@pytest.mark.parametrize(("schemes", "bound"), [(BLIND, "floor"), (SYMMETRIC, "ceiling")])
def test_no_stored_blind_model_passes_what_it_cannot_pass(table, schemes, bound):
    result = bidirectional(table, schemes)
    assert len(result) and within(result["accuracy"], result[bound], result["error"]).all()


def test_no_stored_model_ends_below_the_floor_of_what_it_was_trained_on(results):
    """Over all lengths of the training. At one of them, or beyond, it can be: what it learned misleads it there.

    The floor is that of a model that weighs all words alike. To write a text backwards, two that hear best what is near
    do not get there in 300 steps.
    """
    ends = results.curves().groupby(KEYS).last().reset_index()
    bounds = results.bounds_table().query("length == 0")
    near = (ends["task"] == "reversal") & ends["scheme"].isin(["alibi-split", "cnn"]) & (ends["n_layers"] == 1)
    assert near.sum() == 5 * ends[near]["scheme"].nunique() > 0
    ends = ends[~near].merge(bounds, on=["task", "mark"], how="left", validate="many_to_one")
    sequences = Setting.batch_size * ends["n_steps"] / runs.N_BINS  # in the last bin
    assert len(ends) + near.sum() == len(results.runs)
    assert (ends["accuracy"] >= ends["floor"] - ERRORS * 0.5 / sequences**0.5).all()  # 0.5 is the largest deviation


def test_a_stored_sweep_is_whole_and_says_where_it_comes_from(results, table):
    assert {"made_by", "commit", "versions", "processor", "date", "seconds"} <= results.provenance.keys()
    assert not table.duplicated([*KEYS, "length"]).any() and table.notna().all(axis=None)
    assert {"none", "rotary", "t5-16"} <= set(table["scheme"]) <= {*scheme_labels(), *BASELINES}
    assert set(table["length"]) == set(TESTED_AT)
    whole = table.groupby(["task", "mask", "n_layers", "mark", "scheme"])["seed"].nunique()
    assert (whole == 5).all() and len(whole) >= 4 * table["scheme"].nunique()


def test_stored_runs_are_those_of_the_schemes_of_today(results):
    """On any processor: what their hooks return is rounded before it is compared."""
    sizes = ["task", "scheme", "d_model", "n_heads"]
    of_run = {tuple(run[name] for name in sizes): run["fingerprint"] for run in results.runs}
    for values, stored_fingerprint in of_run.items():
        assert fingerprint(Setting(**dict(zip(sizes, values, strict=True)))) == stored_fingerprint, values


def test_the_stored_models_do_what_their_record_says():
    results = read()
    table = results.table()
    assert set(BASELINES) <= set(table["scheme"]) and len(results.modelled()) > table["scheme"].nunique()
    for task, name in results.modelled():
        parameters, config = results.model(task, name)
        tokens = TASKS[task].draw_test(1, 200, 10)
        hidden = encode(tokens.tokens.numpy(), parameters, config, positions=np.arange(10))
        logits = torch.from_numpy(hidden @ parameters.w_output + parameters.b_output)
        _, right = loss_and_accuracy(logits, tokens.targets)
        rest = "mask == 'bidirectional' and seed == 0 and length == 10 and n_layers == 1"
        of_run = table.query(f"task == @task and scheme == @name and {rest}")
        assert abs(float(right) - of_run["accuracy"].iloc[0]) < 0.1


# ---------------------------------------------------------------------------------------------------- fresh runs


@pytest.mark.parametrize(
    ("name", "mark"),  # a mark is a place to measure distances from: with it, ALiBi is not blind
    [("none", False), ("none", True), ("bag-of-words", False), ("bag-of-words", True), ("alibi", False)],
)
def test_fresh_blind_models_score_exactly_one_half(name, mark):
    finished = train_setting(Setting("which-first", name, 11, n_steps=10, mark=mark))
    assert [measure(finished, n, 40) for n in (2, 9, 30)] == [(0.5, 0.0)] * 3


def test_one_causal_layer_is_blind_when_asked_and_two_are_not():
    one, two = (Setting("which-first-asked", "none", 1, mask="causal", n_layers=n, n_steps=1) for n in (1, 2))
    assert measure(train_setting(one), 10, 80) == (0.5, 0.0)
    batch = WhichFirst(asked=True).draw_test(3, 80, 10)
    start = init_parameters(two.config, 0, like=torch.zeros((), dtype=torch.float64))
    message = token_logits(batch.tokens, start, two.config, causal=True)[:, -1].reshape(-1, 4, 2)  # (four, 4, answer)
    assert (message[:, 0] - message[:, 1]).abs().amax(dim=-1).min() > 1e-9


@pytest.mark.parametrize(
    ("task", "name"), [("copy-left", "none"), ("last-token", "bag-of-words"), ("reversal", "none")]
)
def test_a_fresh_blind_model_stays_below_the_floor(task, name):
    finished = train_setting(Setting(task, name, 7, n_steps=40))
    for n in (8, 15):
        accuracy, error = measure(finished, n)
        assert within(accuracy, TASKS[task].floor(n), error)


@pytest.mark.parametrize("task", ["copy-left", "last-token"])
def test_fresh_symmetric_alibi_stays_below_its_ceiling(task):
    finished = train_setting(Setting(task, "alibi", 7, n_steps=80))
    accuracy, error = measure(finished, 12)
    assert within(accuracy, TASKS[task].symmetric_ceiling(12), error)


@pytest.mark.parametrize("name", scheme_labels())
def test_every_scheme_takes_the_longest_text_and_moves_the_right_rows(name):
    config = TransformerConfig(
        vocabulary_size=5, d_model=8, n_heads=2, d_ff=8, n_layers=1, position=scheme(name, 8), n_outputs=3
    )
    start = init_parameters(config, 0, like=torch.zeros(()))
    assert token_logits(torch.zeros((2, LONGEST), dtype=torch.int64), start, config).shape == (2, LONGEST, 3)
    exact = init_parameters(config, 0)
    x = np.random.default_rng(0).normal(size=(9, exact.embedding.shape[1]))
    error, _ = equivariance_error(lambda rows: encode(rows, exact, config, positions=np.arange(9)), x)
    assert error < 1e-12 if name == "none" else error > 1e-3


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_keep_their_shape_and_only_the_bag_is_blind(name):
    model = baseline(name, 7, 3, seed=1, width=8).double()
    tokens, order = torch.arange(6).repeat(2, 1), torch.tensor([3, 0, 5, 1, 4, 2])
    message = model(tokens)
    assert message.shape == (2, 6, 3)
    moved = (model(tokens[:, order]) - message[:, order]).abs().max()
    assert moved < 1e-12 if name == "bag-of-words" else moved > 1e-4
    again = baseline(name, 7, 3, seed=1, width=8).double()
    torch.testing.assert_close(again(tokens), message, rtol=0, atol=0)


def test_train_model_is_what_was_measured():
    setting = Setting("copy-left", "rotary", 2, n_steps=5)
    model, finished = train_model(setting), train_setting(setting)
    for (name, w), (_, trained) in zip(
        flatten_parameters(model.parameters).items(),
        flatten_parameters(finished.trained.parameters).items(),
        strict=True,
    ):
        np.testing.assert_array_equal(w, trained.numpy(), err_msg=name)
    with pytest.raises(ValueError, match="a position scheme, got cnn"):
        train_model(Setting("copy-left", "cnn"))


# ---------------------------------------------------------------------------------------------------- stop, device


def small(task, **settings):
    sizes = {"d_model": 8, "n_heads": 2, "d_ff": 8, "n_layers": 1, "n_outputs": task.n_outputs}
    return TransformerConfig(**{**sizes, "vocabulary_size": task.n_tokens, "position": "learned", **settings})


def test_a_training_stops_when_it_is_good_enough():
    class SayZero(CopyLeft):
        def targets(self, tokens):
            return torch.zeros_like(tokens)

    task = SayZero(3)
    run = {"seed": 0, "lengths": [5], "batch_size": 8, "learning_rate": 3e-2}
    result = train(small(task), task, n_steps=300, **run, stop_at=0.99)
    assert 50 <= len(result.losses) < 300 and result.accuracies[-50:].mean() >= 0.99
    assert result.accuracies[-51:-1].mean() < 0.99
    with pytest.raises(ValueError, match="a loss that comes with an accuracy"):
        fit({"w": torch.ones(1)}, lambda p, step: p["w"].sum() ** 2, n_steps=60, stop_at=0.5)


@pytest.mark.parametrize("name", scheme_labels())
def test_every_scheme_works_on_another_device(name):
    """torch's device "meta" has shapes and no numbers: an array made on the CPU meanwhile would not mix with it."""
    setting = Setting("copy-left", name)
    start = init_parameters(setting.config, 0, like=torch.zeros(()))
    there = map_parameters(lambda w: w.to("meta"), start)
    tokens = torch.zeros((2, 7), dtype=torch.int64, device="meta")
    assert token_logits(tokens, there, setting.config, causal=True).device.type == "meta"
