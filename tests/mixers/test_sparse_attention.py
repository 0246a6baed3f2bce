"""Longformer and Reformer beside torch's attention with a mask, and the transformers library."""

import numpy as np
import pytest
import torch
from transformers import ReformerConfig
from transformers.models.longformer.modeling_longformer import LongformerConfig, LongformerSelfAttention
from transformers.models.reformer.modeling_reformer import LSHSelfAttention

from inorder.mixers import chunked_hashed_attention, hashed_attention, sliding_window_attention
from inorder.mixers.sparse_attention import lsh_buckets
from inorder.symmetry import equivariance_error

RNG = np.random.default_rng(0)
torch_attention = torch.nn.functional.scaled_dot_product_attention


def tensors(*arrays: np.ndarray) -> list[torch.Tensor]:
    return [torch.tensor(array) for array in arrays]


@pytest.mark.parametrize(("n", "radius"), [(9, 2), (9, 0), (4, 7), (3, 1), (1, 1)])
def test_a_sliding_window_is_attention_with_a_band_for_a_mask(n: int, radius: int) -> None:
    query, key, value = RNG.normal(size=(2, n, 4)), RNG.normal(size=(2, n, 4)), RNG.normal(size=(2, n, 3))
    mask = abs(np.arange(n)[:, None] - np.arange(n)) <= radius
    expected = torch_attention(*tensors(query, key, value), attn_mask=torch.tensor(mask))
    ours = sliding_window_attention(query, key, value, radius=radius)
    np.testing.assert_allclose(ours, expected.numpy(), atol=1e-13)


def test_a_sliding_window_is_longformers() -> None:
    """Their window is radius on either side of a row, and their length is padded to a multiple of the window."""
    config = LongformerConfig(hidden_size=6, num_attention_heads=1, attention_window=[4], num_hidden_layers=1)
    theirs = LongformerSelfAttention(config, 0).double().eval().requires_grad_(False)
    x = RNG.normal(size=(2, 12, 6))
    nothing = torch.zeros(2, 12, dtype=torch.float64)
    expected = theirs(
        torch.tensor(x),
        attention_mask=nothing,
        is_index_masked=nothing.bool(),
        is_index_global_attn=nothing.bool(),
        is_global_attn=False,
    )[0]
    projected = [x @ layer.weight.numpy().T + layer.bias.numpy() for layer in (theirs.query, theirs.key, theirs.value)]
    np.testing.assert_allclose(sliding_window_attention(*projected, radius=2), expected.numpy(), atol=1e-6)


def test_a_hash_is_attention_within_buckets() -> None:
    query, value, rotations = RNG.normal(size=(2, 9, 4)), RNG.normal(size=(2, 9, 3)), RNG.normal(size=(4, 2))
    turned = query @ rotations
    buckets = np.where(
        abs(turned).argmax(-1) == 0, np.where(turned[..., 0] > 0, 0, 2), np.where(turned[..., 1] > 0, 1, 3)
    )
    np.testing.assert_array_equal(lsh_buckets(query, rotations), buckets)
    same = buckets[..., None] == buckets[:, None]
    alone = same.sum(-1, keepdims=True) == 1
    mask = same & (~np.eye(9, dtype=bool) | alone)
    key = query / np.linalg.norm(query, axis=-1, keepdims=True)
    expected = torch_attention(*tensors(query, key, value), attn_mask=torch.tensor(mask))
    np.testing.assert_allclose(hashed_attention(query, value, rotations), expected.numpy(), atol=1e-13)


def test_chunks_are_reformers() -> None:
    """In theirs the first chunk looks at the last. In ours, as in the paper's formula, none stands before the first."""
    n, d_head, chunk = 12, 4, 3
    config = ReformerConfig(
        hidden_size=d_head,
        num_attention_heads=1,
        attention_head_size=d_head,
        num_buckets=4,
        num_hashes=1,
        lsh_attn_chunk_length=chunk,
        lsh_num_chunks_before=1,
        lsh_attention_probs_dropout_prob=0.0,
        is_decoder=False,
        hash_seed=0,
        attn_layers=["lsh"],
    )
    theirs = LSHSelfAttention(config).double().eval().requires_grad_(False)
    x = torch.tensor(RNG.normal(scale=100, size=(1, n, d_head)))  # long rows: eps in their norm is nothing beside them
    torch.set_default_dtype(torch.float64)
    try:
        expected = theirs(x)
        torch.manual_seed(0)  # as they do before they draw
        rotations = torch.randn((1, d_head, 1, 2))[0, :, 0].numpy()
    finally:
        torch.set_default_dtype(torch.float32)
    query, value = x @ theirs.query_key.weight.T, x @ theirs.value.weight.T
    scale = d_head**0.5  # their scores are not divided by √d_head
    query, value = query.numpy() * scale, value.numpy()
    buckets = lsh_buckets(query, rotations)
    np.testing.assert_array_equal(buckets[0], expected.buckets.flatten().numpy())
    ours = chunked_hashed_attention(query, value, rotations, chunk_size=chunk)
    later = np.argsort(buckets[0], kind="stable")[chunk:]
    np.testing.assert_allclose(ours[:, later], expected.hidden_states.numpy()[:, later], rtol=1e-5)


def test_chunks_of_the_whole_text_ignore_order_again() -> None:
    query, value, rotations = RNG.normal(size=(12, 4)), RNG.normal(size=(12, 3)), RNG.normal(size=(4, 2))

    def layer(chunk_size: int, x: np.ndarray) -> np.ndarray:
        return chunked_hashed_attention(x[:, :4], x[:, 4:], rotations, chunk_size=chunk_size)

    x = np.concatenate([query, value], axis=1)
    assert equivariance_error(lambda x: layer(12, x), x)[0] < 1e-14
    assert equivariance_error(lambda x: layer(4, x), x)[0] > 0.1
