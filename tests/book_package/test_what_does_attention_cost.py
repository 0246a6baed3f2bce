"""The exercises and the figures on what attention costs."""

import numpy as np
import pytest

from chapter_tests import ChapterTests
from inorder.attention import scaled_dot_product_attention, softmax
from inorder.book.checks import what_does_attention_cost as checks
from inorder.book.figures import what_does_attention_cost as figures
from inorder.book.sentence import sentence

DRAWN = {"memory": lambda: figures.memory([256, 1024], [1.5, 24.0], [0.7, 1.8], [0.5, 8.0], [0.1, 0.5])}


class TestChapter(ChapterTests):
    figures, drawn = figures, DRAWN


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
    bars, rest, _ = figures.one_key_at_a_time(read)
    assert np.count_nonzero(bars.parts["values"]) == read
    assert np.isclose(bars.parts["values"].sum(), rest.parts["columns"]["now"][1])


def test_other_right_ways_are_accepted():
    def merged(max_a, total_a, average_a, max_b, total_b, average_b):
        logs = np.array([max_a + np.log(total_a), max_b + np.log(total_b)])
        return softmax(logs) @ np.stack([average_a, average_b])

    assert checks.merge_blocks(merged).passed
    assert checks.streamed(lambda scores, values: softmax(scores) @ values).passed
