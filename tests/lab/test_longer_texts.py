"""The causes that are taken away from models on texts longer than those of training."""

import numpy as np
import pytest

from inorder.encodings import relative_positions, t5_buckets
from inorder.lab import longer_than_trained as changes
from inorder.lab.runs import Setting, train_model
from inorder.lab.schemes import scheme
from inorder.lab.tasks import TASKS
from inorder.transformer import Model, encode, fresh_model


def fresh(position: str, task: str = "which-first", seed: int = 0) -> Model:
    sizes = {"d_model": 8, "n_heads": 2, "d_ff": 8, "n_layers": 1, "n_outputs": TASKS[task].n_outputs}
    return fresh_model(seed, vocabulary_size=TASKS[task].n_tokens, position=scheme(position, 8), **sizes)


@pytest.mark.parametrize(("n", "longest"), [(60, 20), (50, 20), (20, 20), (7, 20), (21, 20), (9, 4)])
def test_squeezed_places_rise_through_those_of_training(n, longest):
    places = changes.squeezed(n, longest)
    assert len(places) == n and places[0] == 0 and places[-1] == min(n, longest) - 1
    assert set(np.diff(places)) <= {0, 1}
    counts = np.bincount(places)
    assert counts.max() - counts.min() <= 1


@pytest.mark.parametrize("n", [3, 19, 60])
def test_windows_hold_no_more_than_a_text_of_training(n):
    mask = changes.windowed(n)
    assert mask.sum(axis=1).max() == min(n, changes.TRAINED - 1) and mask.diagonal().all()
    np.testing.assert_array_equal(mask, mask.T)


def test_filled_buckets_change_no_text_of_training_and_are_flat_beyond():
    model = fresh("t5")
    after = changes.filled(model)
    for n in (5, 20):
        assert changes.right(after, "which-first", n) == changes.right(model, "which-first", n)
    table = after.parameters.position["buckets"]
    for side in (-1, 1):
        far = table[t5_buckets(side * np.arange(19, 200), max_distance=128)]
        np.testing.assert_array_equal(far, np.broadcast_to(far[0], far.shape))
    met = changes.met_buckets(max_distance=128)
    np.testing.assert_array_equal(table[met], model.parameters.position["buckets"][met])


def test_only_t5_has_buckets_to_fill():
    with pytest.raises(ValueError, match="expected a model with T5's positions, got Rotary"):
        changes.filled(fresh("rotary"))


def test_short_reach_leaves_nothing_to_fill():
    model = fresh("t5-16")
    far = changes.filled(model).parameters.position["buckets"]
    met = changes.met_buckets(max_distance=16)
    np.testing.assert_array_equal(far[met], model.parameters.position["buckets"][met])
    assert met.sum() == 31  # "to the right, at distance 0" does not exist


def test_squeezing_changes_nothing_where_places_say_nothing():
    model = fresh("none", "copy-left")
    places = changes.squeezed
    assert changes.right(model, "copy-left", 30, places=places) == changes.right(model, "copy-left", 30)


def test_a_window_as_wide_as_the_text_changes_nothing():
    model = fresh("rotary", "copy-left")
    everybody = changes.right(model, "copy-left", 12, mask=lambda n: changes.windowed(n, reach=n))
    assert everybody == changes.right(model, "copy-left", 12)


def test_random_starts_train_every_row_of_the_table():
    setting = Setting("copy-left", "learned", n_steps=60)
    start = train_model(Setting("copy-left", "learned", n_steps=1, learning_rate=1e-12))
    moved = {}
    for name, model in (("plain", train_model(setting)), ("starts", changes.train_with_random_starts(setting))):
        rows = model.parameters.position["rows"] - start.parameters.position["rows"]
        moved[name] = np.abs(rows).max(axis=1) > 1e-6  # (place,)
    np.testing.assert_array_equal(moved["plain"], np.arange(64) < 20)
    assert moved["starts"].sum() > 55  # the last rows are met rarely, and 60 steps may miss one


@pytest.mark.parametrize(("n", "n_seen"), [(6, 3), (30, 19), (7, 19)])
def test_a_thinned_text_keeps_each_token_and_its_left_neighbour(n, n_seen):
    mask = changes.thinned(n, n_seen)
    assert (mask.sum(axis=1) == min(n, n_seen)).all() and mask.diagonal().all() and mask.diagonal(-1).all()


@pytest.mark.parametrize(("n", "reach", "end"), [(9, 3, -1), (4, 5, -1), (20, 16, -1), (20, 5, 13)])
def test_the_far_right_is_the_end_alone(n, reach, end):
    """Compared with Shaw's own bias: only the distant keys on the right change, to what the far left has."""
    scheme = changes.FarRightIsTheEnd(reach, end=end)
    rng = np.random.default_rng(n)
    query, tables = rng.normal(size=(1, 2, n, 4)), {"relative_keys": rng.normal(size=(2 * reach + 1, 4))}
    place = np.arange(n)
    bias = scheme.bias(query, query, place, place, tables)
    distance = relative_positions(place, place)
    bucket = np.clip(distance, -reach, reach)
    bucket[(distance >= reach) & (place != end % n)] = -reach
    expected = np.einsum("bhqd,qkd->bhqk", query, tables["relative_keys"][bucket + reach]) / 2
    np.testing.assert_allclose(bias, expected, atol=1e-12)


def test_hidden_keys_are_those_that_would_be_moved():
    mask = changes.beyond_reach(20, 16)
    assert mask.sum() == 3 + 2 + 1 and mask[0, 16:19].all() and not mask[:, -1].any()


def test_slowed_rotations_are_those_of_the_encodings():
    model = fresh("rotary")
    tokens = np.arange(8)[None]
    slow = changes.slowed(model, "interpolated")
    three_apart = encode(tokens, *slow, positions=3 * np.arange(8))
    np.testing.assert_allclose(three_apart, encode(tokens, *model, positions=np.arange(8)), atol=1e-12)
    with pytest.raises(ValueError, match="expected a model with rotary positions, got T5"):
        changes.slowed(fresh("t5"), "ntk")


def test_rows_average_to_the_accuracy():
    model = fresh("rotary", "last-token")
    rows = changes.right_by_row(model, "last-token", 12)
    assert rows.shape == (12,) and rows.mean() == pytest.approx(changes.right(model, "last-token", 12))


@pytest.mark.parametrize(("task", "name"), changes.TRIED)
def test_every_change_gives_an_accuracy_for_each_length(task, name, monkeypatch):
    monkeypatch.setattr(changes, "LENGTHS", (6, 24))
    monkeypatch.setattr(changes, "N_SEQUENCES", 40)
    monkeypatch.setattr(changes, "train_model", lambda setting: train_model(Setting(task, name, n_steps=2)))
    monkeypatch.setattr(changes, "train_with_random_starts", lambda setting: fresh(name, task))
    accuracies, rows = changes.measure(task, name, 0)
    assert set(accuracies) == {"as it is", *changes.TRIED[task, name]}
    assert all(len(results) == 2 and all(0 <= each <= 1 for each in results) for results in accuracies.values())
    if (task, name) == changes.BY_ROW:
        assert len(rows) == 2 * len(accuracies) and len(rows["moved, 24 words"]) == 24
