"""The exercises and the live figures on other layers that mix words."""

import numpy as np
import pytest

from inorder.book.checks import who_else_knows_order as checks
from inorder.book.figures import who_else_knows_order as figures
from inorder.lab.results import read
from inorder.mixers.catalogue import ARCHITECTURES
from inorder.widgets import OrderAudit


def answer(display):
    return display[-1].parts


BY_NAME = {each.name: each for each in ARCHITECTURES}


@pytest.mark.parametrize("chunk_size", [None, 2, 4, 8])
@pytest.mark.parametrize("order", figures.ORDERS)
def test_weights_of_the_hash(order, chunk_size):
    weights = figures.looks(np.array(figures.ORDERS[order]), chunk_size)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    if chunk_size is None:
        kinds = np.repeat([0, 1, 2], [3, 3, 2])
        expected = (kinds[:, None] == kinds) & ~np.eye(8, dtype=bool)
        np.testing.assert_array_equal(weights > 1e-12, expected)
    if chunk_size == 8:  # one chunk: nothing is cut
        np.testing.assert_allclose(weights, figures.looks(np.arange(8), 8), atol=1e-12)


def test_the_hash_alone_stays_and_chunks_of_two_do_not():
    for order in list(figures.ORDERS)[1:]:
        assert answer(figures.whole_or_chunks("hash alone", order))["sign"] == "="
        assert answer(figures.whole_or_chunks("sorted chunks of 2", order))["sign"] == "≠"


@pytest.mark.parametrize("change", figures.CHANGES)
def test_each_card_is_the_verdict_of_its_law(change):
    """Moved texts and new ends are tried in every way; the order is one in which nobody has luck."""
    _, cards, says = figures.all_layers("mercy bit men without dogs", change)
    lucky = {"Reformer, sorted chunks"} if change == "moved" else set()
    light = {name for name in BY_NAME if figures.CHANGES[change] in BY_NAME[name].laws} | lucky
    expected = ["(=)" if name in lucky else "=" if name in light else "≠" for name in cards.parts["rows"]]
    assert cards.parts["columns"]["old rows"] == expected and len(expected) == len(ARCHITECTURES)
    assert says.parts["words"].startswith(f"{len(light)} of 29 layers ")


@pytest.mark.parametrize("name", ["self-attention", "RNN (Elman)", "Longformer", "Mamba"])
def test_a_card_says_what_the_first_figure_says(name):
    [run] = [run for run in figures.layers_of_the_audit() if run.name == name]
    for order in list(figures.TEXT_ORDERS.values())[::17]:
        alone = OrderAudit(name, order=list(order))
        assert figures.keeps_rows(run, "new order", order) == bool(alone.follows.all())


def test_what_a_row_may_hear():
    eye, every, past = np.eye(5), np.ones((5, 5)), np.tril(np.ones((5, 5)))
    for laws, allowed in (((1, 1), eye), ((1, 0), every), ((0, 1), past), ((0, 0), every)):
        np.testing.assert_array_equal(figures.may_hear(*map(bool, laws)), allowed)
    assert "hears itself and no other" in answer(figures.blind_and_past_only(True, True))["words"]
    assert "those before it" in answer(figures.blind_and_past_only(False, True))["words"]


def test_the_first_figure_does_not_answer_the_prediction():
    figure = figures.who_follows()
    names = [each.name for each in ARCHITECTURES if "Reformer" not in each.name]
    assert figure.limits["layer"]["options"] == names
    assert figure.limits["order"] == OrderAudit().limits["order"] and figure.state == OrderAudit().state


def test_other_right_ways_are_accepted():
    assert checks.order_gap(lambda b, a, order: abs(a[np.argsort(order)] - b).max()).passed

    def with_a_mask(query, key, value):
        weights = np.tril(query @ key.T)
        return weights @ value / weights.sum(axis=1, keepdims=True)

    assert checks.running_attention(with_a_mask).passed


def test_the_same_data_are_the_rows_of_the_stored_sweep():
    runs = [
        run for run in read().runs if (run["task"], run["scheme"], run["mask"]) == ("copy-left", "gru", "bidirectional")
    ]
    accuracies = [
        run["accuracy"][run["tested_at"].index(60)] for run in runs if run["n_layers"] == 1 and not run["mark"]
    ]
    [line] = [line for line in figures.same_data() if line["model"] == "GRU"]
    mean = sum(accuracies) / len(accuracies)
    assert line["copy left, 60"] == f"{mean:.2f}"
    assert len(accuracies) > 1


def test_what_is_blind_scores_exactly_one_half():
    lines = {line["model"]: line for line in figures.same_data()}
    assert lines["encoder, no positions"]["which first, 60"] == "0.50"
    assert float(lines["CNN"]["copy left, 60"]) > 0.99
