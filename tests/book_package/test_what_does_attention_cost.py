"""The exercises and the figures on what attention costs."""

import numpy as np
import pytest

from inorder.attention import attention_weights
from inorder.book.figures import what_does_attention_cost as figures
from inorder.costs import MODELS, cache_bytes


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
