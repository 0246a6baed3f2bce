"""One layer with one thing changed: the changes are what they say, and the record is of the models that it names."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inorder.encodings import alibi_bias
from inorder.lab.one_layer import LOW, SEEDS, SLOPES, WIDER, WITHOUT, Directed, share_right, with_changes
from inorder.lab.results import read
from inorder.lab.runs import Setting, n_parameters
from inorder.lab.schemes import scheme_labels
from inorder.stored import stored

STORED = json.loads(stored("one_layer.json").read_text(encoding="utf-8"))
HALVES = st.lists(st.floats(-2, 2), min_size=1, max_size=3)


def bias_of(slopes, n):
    query = np.zeros((2 * len(slopes), n, 3))
    return Directed(tuple(slopes)).bias(query, query, np.arange(n), np.arange(n), {})  # (head, query, key)


@pytest.mark.parametrize("n", [1, 7])
def test_with_the_old_slopes_it_is_directed_alibi(n):
    positions = np.arange(n)
    assert np.array_equal(bias_of(SLOPES["1/16, 1/256"], n), alibi_bias(4, positions, positions, direction="split"))


@given(HALVES, st.integers(1, 6))
def test_a_head_sees_its_own_side_and_the_mirror_image_sees_the_other(slopes, n):
    bias = bias_of(slopes, n)
    left, right = np.split(bias, 2)
    for head, slope in zip(left, slopes, strict=True):
        expected = [[-slope * (i - j) if j <= i else -np.inf for j in range(n)] for i in range(n)]
        assert np.allclose(head, expected)
    assert np.array_equal(left[:, ::-1, ::-1], right)


def test_a_side_has_half_of_the_heads():
    query = np.zeros((4, 3, 2))
    with pytest.raises(ValueError, match="expected 2 heads for 1 slopes, got 4"):
        Directed((0.5,)).bias(query, query, np.arange(3), np.arange(3), {})


def test_what_is_taken_away_is_gone():
    setting = Setting("copy-left", "scalar-relative")
    bare = with_changes(setting, WITHOUT["none of the three"])
    assert (bare.norm, bare.d_ff, bare.n_heads) == ("none", 0, 1)
    assert with_changes(setting, {}) == setting.config


def test_a_run_counts_its_parameters_and_repeats_itself():
    setting = Setting("copy-left", "alibi-split", n_steps=3)
    first, again = (share_right(setting, 1) for _ in range(2))
    assert first == again and first[1] == n_parameters(setting)
    assert share_right(setting, 2)[0] != first[0]


def test_wider_layers_have_the_parameters_of_two():
    for task, scheme in LOW:
        *wide, two = (n_parameters(Setting(task, scheme, **sizes)) for sizes in list(WIDER.values())[1:])
        assert all(abs(n - two) < 0.02 * two for n in wide)


def test_the_record_is_of_these_models_and_agrees_with_the_sweep():
    records = STORED["parameters"]
    assert len(records) == len(LOW) * len(WIDER)
    sweep = read().table().query("mask == 'bidirectional' and n_layers == 1 and not mark and length == 20")
    for (task, scheme), record in zip(LOW, [r for r in records if r["model"] == "one layer"], strict=True):
        assert (record["task"], record["positions"]) == (task, scheme_labels()[scheme])
        assert record["parameters"] == n_parameters(Setting(task, scheme))
        runs = sweep[(sweep.task == task) & (sweep.scheme == scheme) & sweep.seed.isin(SEEDS)]
        assert abs(runs.accuracy.mean() - np.mean(record["share right"])) < 0.02
