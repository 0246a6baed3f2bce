"""The exercises and the figures on the block."""

import numpy as np
import pytest

from chapter_tests import ChapterTests
from inorder.attention import scaled_dot_product_attention, softmax
from inorder.book.checks import the_block as checks
from inorder.book.figures import the_block as figures
from inorder.book.sentence import WORDS, sentence

DRAWN = {
    "memory": lambda: figures.memory([256, 1024], [1.5, 24.0], [0.7, 1.8], [0.5, 8.0], [0.1, 0.5]),
    "transformer_block": figures.transformer_block,
}


class TestChapter(ChapterTests):
    figures, drawn = figures, DRAWN


def test_only_attention_lets_rows_hear_each_other():
    for residual in (True, False):
        alone = figures.heard(attention=False, residual=residual, feed=True, mask="no mask", seed=1)
        assert np.array_equal(alone > 0, np.eye(5, dtype=bool))
        causal = figures.heard(attention=True, residual=residual, feed=True, mask="causal", seed=1)
        assert np.array_equal(causal > 0, np.tri(5, dtype=bool))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"attention": False}, "No word hears another"),
        ({"mask": "causal"}, "itself and all before it"),
        ({"residual": False}, "all five"),
    ],
)
def test_the_answer_says_who_is_heard(settings, said):
    rows, answer = figures.who_hears_whom(**settings)
    assert said in answer.parts["words"]
    assert np.allclose(rows.parts["values"].sum(axis=1), 1)


def test_a_post_norm_leaves_every_row_at_size_one():
    sizes, cosines, largest = figures.through_layers("post", True, seed=5, n_layers=4)
    assert len(sizes) == len(cosines) == 5
    assert np.allclose(sizes[1:], 1, atol=1e-4)
    assert 0.1 <= largest <= 1  # of ten weights that sum to 1


def test_running_sums_end_with_the_average():
    _, keys, queries, values = sentence("wide")
    last = figures.running_sums()[-1]
    plain = scaled_dot_product_attention(queries[[3]], keys, values)[0]
    assert np.allclose(last["output"] / last["total"], plain, rtol=0, atol=1e-15)


def test_every_step_keeps_the_sums_over_the_keys_so_far():
    _, keys, queries, values = sentence("wide")
    scores = keys @ queries[3] / np.sqrt(2)
    for n, step in enumerate(figures.running_sums()[1:], start=1):
        terms = np.exp(scores[:n] - scores[:n].max())
        assert np.isclose(step["total"], terms.sum()) and np.allclose(step["output"], terms @ values[:n])


@pytest.mark.parametrize("read", range(6))
def test_one_key_at_a_time_draws_the_terms_of_the_keys_read(read):
    bars, kept, _ = figures.one_key_at_a_time(read)
    assert np.count_nonzero(bars.parts["values"]) == read
    assert np.isclose(bars.parts["values"].sum(), kept.parts["columns"]["now"][1])


def test_in_layer_0_only_the_exchanged_word_notices():
    moved = figures.changes_in_bert("no mask", seed=3)  # (layer, word, 3)
    assert moved.shape == (3, len(WORDS), 3)
    assert (moved[0, :-1] == 0).all() and moved[0, -1].min() > 0 and moved[1:].min() > 0
    assert (figures.changes_in_bert("causal", seed=3)[:, :-1] == 0).all()


def test_other_right_ways_are_accepted():
    def merged(max_a, total_a, average_a, max_b, total_b, average_b):
        logs = np.array([max_a + np.log(total_a), max_b + np.log(total_b)])
        return softmax(logs) @ np.stack([average_a, average_b])

    assert checks.merge_blocks(merged).passed
    assert checks.streamed(lambda scores, values: softmax(scores) @ values).passed
    assert checks.difference([[2, -1], [-2, 1]], [[0.5], [1]]).passed


@pytest.mark.parametrize(
    ("w_in", "w_out", "said"),
    [
        ([[1], [-1]], [[1]], "“street” is (0, 3), so warm and large differ by 3, and your network says 0"),
        ([[1, 0], [0, 1]], [[1], [-1]], "says −3"),
        ([1, -1], [[1]], "(2,) and (1, 1)"),
        ([[1, -1], [-1, 1]], [1, 1], "(2, 2) and (2,)"),
    ],
)
def test_a_network_that_does_not_tell_the_difference_is_told_why(w_in, w_out, said):
    verdict = checks.difference(w_in, w_out)
    assert not verdict.passed and said in verdict.message
