"""The exercises and the live figures on whether position survives the layers."""

import numpy as np
import pytest

from inorder.book.figures import does_position_survive_the_layers as figures


@pytest.mark.parametrize("norm", figures.NORMS)
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 4.0])
def test_dyed_threads_are_what_a_stream_of_rows_comes_to(norm, alpha):
    """With the stream itself, not its shares: rows of a sum, and what each layer reads."""
    threads, answer = figures.dyed_threads(norm, alpha)
    held = threads.parts["values"]  # (level, row, word)
    rows = np.eye(12)
    stream = alpha * rows
    for level, shares in enumerate(held):
        np.testing.assert_allclose(shares, rows, atol=1e-12)
        stream = stream + rows.mean(axis=0)  # what a layer reads has norm 1
        rows = stream / stream.sum(axis=1, keepdims=True)
        if norm == "post-norm":
            stream = alpha * rows
        own = held[level, 3, 3] - held[level, 3, 0]
        law = (alpha / (alpha + 1)) ** level if norm == "post-norm" else alpha / (alpha + level) if level else 1
        assert own == pytest.approx(law, abs=1e-12)
    assert answer.parts["sign"] == ("≠" if alpha else "=")
    assert f"{held[6, 3, 3]:.3f} of {'its own' if alpha else 'each'} colour" in answer.parts["words"]
