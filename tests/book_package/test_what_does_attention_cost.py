"""The exercises and the figures on what attention costs."""

import numpy as np
import pytest

from inorder.attention import attention_weights, softmax
from inorder.book.checks import what_does_attention_cost as checks
from inorder.book.figures import what_does_attention_cost as figures
from inorder.costs import MODELS, cache_bytes


@pytest.mark.parametrize("size", [1, 2, 5])
def test_every_block_keeps_the_sums_over_the_keys_so_far(size):
    scores, values = np.random.default_rng(0).normal(size=(3, 5)), np.arange(5.0)
    steps = figures.running(scores, values, size)
    for step, n in zip(steps, [*range(size, 5, size), 5], strict=True):
        terms = np.exp(scores[:, :n] - scores[:, :n].max(axis=1, keepdims=True))  # (query 3, key n)
        np.testing.assert_allclose(step, [scores[:, :n].max(axis=1), terms.sum(axis=1), terms @ values[:n]])
    np.testing.assert_allclose(steps[-1][2] / steps[-1][1], softmax(scores) @ values)


def test_the_blocks_are_those_of_the_whole_table():
    """Each measured against the largest score so far: brought to the last of them, and divided by the sum."""
    rng = np.random.default_rng(3)
    query, key, values = rng.normal(size=(12, 4)), rng.normal(size=(12, 4)), rng.normal(size=12)
    weights = attention_weights(query, key)  # (query, key)
    pictures = [figures.block_by_block(block) for block in figures.BLOCKS.values()]
    final = pictures[-1][0].parts["kept"]
    np.testing.assert_allclose(final[2] / final[1], weights @ values)
    for i, (picture, answer) in enumerate(pictures):
        row, column = divmod(i, 4)
        assert picture.parts["at"].tolist() == [row, column]
        assert (answer.parts["sign"] == "=") == (column == 3)
        lines, columns = slice(3 * row, 3 * row + 3), slice(3 * column, 3 * column + 3)
        m = picture.parts["kept"][0, lines]
        shares = picture.parts["values"] * (np.exp(m - final[0, lines]) / final[1, lines])[:, None]
        np.testing.assert_allclose(shares, weights[lines, columns])
        done = slice(0, 3 * row + 3 * (column == 3))
        np.testing.assert_array_equal(picture.parts["kept"][:, done], final[:, done])


def test_other_right_ways_are_accepted():
    def merged(max_a, total_a, average_a, max_b, total_b, average_b):
        logs = np.array([max_a + np.log(total_a), max_b + np.log(total_b)])
        return softmax(logs) @ np.stack([average_a, average_b])

    assert checks.merge_blocks(merged).passed
    assert checks.streamed(lambda scores, values: softmax(scores) @ values).passed


@pytest.mark.parametrize("model", MODELS)
def test_the_gigabytes_are_those_of_the_package(model):
    shape = MODELS[model]
    plane, answer = figures.gigabytes(model, tokens=4096, texts=16, size=1)
    kept = cache_bytes(shape, 4096, n_texts=16, bytes_per_number=1)
    curve, point = plane.parts["layers"]
    np.testing.assert_allclose(point["xy"], [[4096, kept / 1e9]])
    np.testing.assert_allclose(np.interp(4096, curve["x"], curve["y"][0]), kept / 1e9)
    np.testing.assert_allclose(curve["levels"], [shape.n_parameters / 1e9, 80])
    for n_bytes in (kept, shape.n_parameters, kept + shape.n_parameters):
        assert f"{figures.said_gigabytes(n_bytes)} GB" in answer.parts["words"]
