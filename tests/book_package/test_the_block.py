"""The exercises and the figures on the block."""

import numpy as np
import pytest
import torch

from inorder.book.checks import the_block as checks
from inorder.book.figures import the_block as figures
from inorder.book.sentence import WORDS
from inorder.transformer import block, fresh_model


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("mask", ["no mask", "causal"])
def test_ink_crosses_columns_inside_attention_alone(residual, mask):
    """Stage by stage, and the shares of all five words in a row sum to 1."""
    streams = [figures.who_hears_whom(word, True, True, residual, mask)[0].parts for word in WORDS]
    shares = np.concatenate([parts["values"] for parts in streams], axis=-1)  # (stage, row, word)
    assert np.allclose(shares.sum(axis=-1), 1)
    reached = shares > 0
    assert (reached[:2] == np.eye(5, dtype=bool)).all()
    assert (reached[2:] == (np.tri(5) if mask == "causal" else np.ones((5, 5)))).all()
    threads = streams[0]["threads"]
    assert np.allclose(threads.sum(axis=-1), 1)
    assert (np.delete(threads, 1, axis=0) == np.eye(5)).all() and (threads[1] > 0).sum() == reached[-1].sum()


def test_the_last_stage_is_what_leaves_the_block():
    """Against the block of the package, which the stages take apart."""
    parameters, config = fresh_model(3, n_layers=1, norm="pre")
    x, other = np.random.default_rng(3).normal(size=(2, 5, config.d_model))
    other[1:] = x[1:]
    before, after = (block(rows, parameters.blocks[0], config, positions=np.arange(5)) for rows in (x, other))
    moved, weights = figures.stages(True, True, True, "no mask", 3)
    np.testing.assert_allclose(moved[-1, :, 0], np.linalg.norm(after.hidden - before.hidden, axis=1), rtol=1e-9)
    np.testing.assert_allclose(weights, before.weights.mean(axis=0), rtol=1e-9)


def test_parameters_are_drawn_as_torch_draws_them():
    """Standard deviations and bounds of PyTorch's own layer."""
    parameters = fresh_model(0, n_layers=2, d_model=256, n_heads=4, d_ff=1024).parameters
    layer = torch.nn.TransformerEncoderLayer(256, 4, 1024)
    ours = figures.drawn_like_torch(parameters, np.random.default_rng(0)).blocks[1]
    together = np.concatenate([ours.attention.w_query, ours.attention.w_key, ours.attention.w_value])
    pairs = [
        (together, layer.self_attn.in_proj_weight),
        (ours.attention.w_output, layer.self_attn.out_proj.weight),
        (ours.feed_forward.w_in, layer.linear1.weight),
        (ours.feed_forward.w_out, layer.linear2.weight),
        (ours.feed_forward.b_in, layer.linear1.bias),
    ]
    for drawn, theirs in pairs:
        assert np.isclose(drawn.std(), theirs.std().item(), rtol=0.05)
        assert np.isclose(np.abs(drawn).max(), theirs.abs().max().item(), rtol=0.01)


def test_another_right_network_is_accepted():
    assert checks.difference([[2, -1], [-2, 1]], [[0.5], [1]]).passed


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
