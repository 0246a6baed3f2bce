"""The exercises and the figures on the block."""

import numpy as np
import pytest

from inorder.book.checks import the_block as checks
from inorder.book.figures import the_block as figures
from inorder.book.sentence import WORDS
from inorder.transformer import block, fresh_model


@pytest.mark.parametrize("mask", figures.MASKS)
def test_ink_crosses_columns_beside_attention_alone(mask):
    """Line by line, and the shares of all five words in a row sum to 1."""
    drawings = [figures.five_lines(5, word, mask)[0].parts for word in WORDS]
    shares = np.stack([parts["values"] for parts in drawings], axis=-1)  # (line, row, word)
    assert np.allclose(shares.sum(axis=-1), 1)
    reached = shares > 0
    assert (reached[:2] == np.eye(5, dtype=bool)).all()
    assert (reached[2:] == (np.tri(5) if mask == "causal" else np.ones((5, 5)))).all()
    threads = drawings[0]["threads"]
    assert np.allclose(threads.sum(axis=-1), 1)
    assert (np.delete(threads, 1, axis=0) == np.eye(5)).all() and (threads[1] > 0).sum() == reached[-1].sum()


def test_the_last_line_is_what_leaves_the_block():
    """Against the block of the package, which the lines take apart."""
    parameters, config = fresh_model(3, n_layers=1, norm_kind="layer", activation="relu")
    x, other = np.random.default_rng(3).normal(size=(2, 5, config.d_model))
    other[1:] = x[1:]
    before, after = (block(rows, parameters.blocks[0], config, positions=np.arange(5)) for rows in (x, other))
    moved, weights = figures.moved_by_line("no mask", 3)
    np.testing.assert_allclose(moved[-1, :, 0], np.linalg.norm(after.hidden - before.hidden, axis=1), rtol=1e-9)
    np.testing.assert_allclose(weights, before.weights.mean(axis=0), rtol=1e-9)


def test_two_relus_give_the_smaller_number_and_name_the_word_that_has_them():
    for warm, large in np.ndindex(7, 7):
        assert figures.both(warm / 2, large / 2)[1] == min(warm, large) / 2
    plane, answer = figures.two_relus(2.0, 1.0)
    assert answer.parts["words"] == "“animal” with warm 2 and large 1 gets 1, the smaller of the two."
    curves, corner, dot = plane.parts["layers"]
    np.testing.assert_array_equal(curves["y"][0], np.minimum(curves["x"], 2))
    assert corner["xy"].tolist() == [[2, 2]] and dot["xy"].tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("w_in", "w_out", "message"),
    [
        ([[1], [-1]], [[1]], "“street” is (0, 3), so warm and large differ by 3, and your network says 0"),
        ([[1, 0], [0, 1]], [[1], [-1]], "says −3"),
        ([1, -1], [[1]], "(2,) and (1, 1)"),
    ],
)
def test_a_network_that_does_not_tell_the_difference_is_told_why(w_in, w_out, message):
    verdict = checks.difference(w_in, w_out)
    assert not verdict.passed and message in verdict.message
