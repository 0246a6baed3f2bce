"""The exercises and the figures on what attention costs."""

import numpy as np
import pytest

from inorder.attention import scaled_dot_product_attention, softmax
from inorder.book.checks import what_does_attention_cost as checks
from inorder.book.figures import what_does_attention_cost as figures
from inorder.book.sentence import sentence
from inorder.costs import MODELS, cache_bytes


def test_running_sums_end_with_the_average():
    _, keys, queries, values = sentence("wide")
    last = figures.running_sums()[-1]
    plain = scaled_dot_product_attention(queries[[3]], keys, values)[0]
    assert np.allclose(last["output"] / last["total"], plain, rtol=0, atol=1e-15)


def test_other_right_ways_are_accepted():
    def merged(max_a, total_a, average_a, max_b, total_b, average_b):
        logs = np.array([max_a + np.log(total_a), max_b + np.log(total_b)])
        return softmax(logs) @ np.stack([average_a, average_b])

    assert checks.merge_blocks(merged).passed
    assert checks.streamed(lambda scores, values: softmax(scores) @ values).passed


@pytest.mark.parametrize("model", MODELS)
def test_the_gigabytes_are_those_of_the_package(model):
    shape = MODELS[model]
    bars, answer = figures.gigabytes(model, tokens=4096, texts=16, size=1)
    kept = cache_bytes(shape, 4096, n_texts=16, bytes_per_number=1)
    assert np.allclose(bars.parts["values"], np.array([[shape.n_parameters, kept]]) / (shape.n_parameters + kept))
    written = [float(cell.replace(",", "")) for cell in bars.parts["columns"]["GB"]]
    assert np.allclose(written, np.array([shape.n_parameters, kept]) / 1e9, rtol=5e-3)
    assert f"{figures.said_gigabytes(kept)} GB" in answer.parts["words"]
    assert ("latent rows" in answer.parts["words"]) == (shape.kind == "latent")
