"""`inorder.encodings` against other people's implementations. Each is right by its own convention, named here."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from inorder.attention import attention_weights, causal_mask
from inorder.encodings import (
    alibi_bias,
    alibi_slopes,
    frequencies,
    layout_permutation,
    relative_positions,
    rotary_encoding,
    rotary_encoding_2d,
    shaw_bias,
    sinusoidal_encoding,
    sinusoidal_encoding_2d,
    t5_bias,
    t5_buckets,
)
from strategies import to_numpy

N = 60
P = torch.arange(N)


def close(ours: Any, theirs: Any, tolerance: float) -> None:
    np.testing.assert_allclose(to_numpy(ours), to_numpy(theirs), rtol=0, atol=tolerance)


def distance(a: Any, b: Any) -> float:
    return abs(to_numpy(a) - to_numpy(b)).max()


def queries(*shape: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(0).standard_normal(shape))


# Sinusoids


def test_interleaved_is_xlms():
    from transformers.models.xlm.modeling_xlm import create_sinusoidal_embeddings

    theirs = torch.empty(N, 24)
    create_sinusoidal_embeddings(N, 24, theirs)
    close(sinusoidal_encoding(P, 24), theirs, 1e-7)


def test_halves_is_marians():
    from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding

    theirs = MarianSinusoidalPositionalEmbedding(N, 24).create_weight()
    close(sinusoidal_encoding(P, 24, layout="halves"), theirs, 1e-7)
    assert distance(sinusoidal_encoding(P, 24), theirs) > 1.5
    close(sinusoidal_encoding(P, 24)[:, layout_permutation(24, like=P)], theirs, 1e-7)


def test_halves_is_gpt_js():
    from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions

    close(sinusoidal_encoding(P, 24, layout="halves"), create_sinusoidal_positions(N, 24), 5e-6)


@pytest.mark.parametrize("who", ["tensor2tensor, by FSMT", "Whisper"])
def test_tensor2tensor_and_whisper_have_other_frequencies(who):
    from transformers.models.fsmt.modeling_fsmt import SinusoidalPositionalEmbedding
    from transformers.models.whisper.modeling_whisper import sinusoids

    theirs = sinusoids(N, 24) if who == "Whisper" else SinusoidalPositionalEmbedding.get_embedding(N, 24, None)
    for order in (np.arange(24), layout_permutation(24), layout_permutation(24, to="interleaved")):
        assert distance(sinusoidal_encoding(P, 24)[:, order], theirs) > 1
    # Their exponent is j/(d/2 − 1): that of the paper for a base raised to (d/2)/(d/2 − 1).
    close(sinusoidal_encoding(P, 24, layout="halves", base=10_000 ** (12 / 11)), theirs, 5e-6)


def test_halves_scaled_is_x_transformers():
    from x_transformers.x_transformers import ScaledSinusoidalEmbedding

    theirs = ScaledSinusoidalEmbedding(24)(torch.zeros(1, N, 24))
    close(sinusoidal_encoding(P, 24, layout="halves") * 24**-0.5, theirs, 1e-6)


def grid(height: int, width: int) -> torch.Tensor:
    return torch.cartesian_prod(torch.arange(height), torch.arange(width))


def test_patches_in_halves_are_those_of_transformers():
    from transformers.models.vit_mae.modeling_vit_mae import build_2d_sinusoidal_position_embedding

    theirs = build_2d_sinusoidal_position_embedding(3, 5, 16, dtype=torch.float64)
    close(sinusoidal_encoding_2d(grid(3, 5), 16, layout="halves", dtype=torch.float64), theirs, 1e-14)


def test_patches_interleaved_are_detrs():
    from transformers.models.detr.modeling_detr import DetrSinePositionEmbedding

    theirs = DetrSinePositionEmbedding.build_sine_position_embedding((1, 1, 3, 5), "cpu", torch.float64, 8)
    ours = sinusoidal_encoding_2d(grid(3, 5) + 1, 16, dtype=torch.float64)  # they count from 1
    close(ours, theirs[0].flatten(1).T, 1e-14)


# Rotary


@pytest.mark.parametrize("offset", [0, 7])
@pytest.mark.parametrize("base", [10_000.0, 500_000.0])
def test_rotary_in_halves_is_llamas(offset, base):
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb

    config = LlamaConfig(
        hidden_size=32, num_attention_heads=2, rope_parameters={"rope_type": "default", "rope_theta": base}
    )
    query, key = queries(2, 2, 2, N, 16)
    cos, sin = LlamaRotaryEmbedding(config)(query, P[None] + offset)
    for ours, theirs in zip((query, key), apply_rotary_pos_emb(query, key, cos, sin), strict=True):
        close(rotary_encoding(ours, P + offset, base=base, pairing="halves"), theirs, 3e-5)  # their angles are float32
        assert distance(rotary_encoding(ours, P + offset, base=base), theirs) > 1


def test_rotary_interleaved_is_gpt_js():
    from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb

    query = queries(2, N, 3, 16)  # (batch, position, head, d_head)
    sin, cos = sinusoidal_encoding(P, 16, layout="halves", dtype=torch.float64).chunk(2, dim=-1)
    theirs = apply_rotary_pos_emb(query, sin[None], cos[None])
    close(rotary_encoding(query.transpose(1, 2), P).transpose(1, 2), theirs, 5e-15)  # numbers up to 8


def test_rotary_interleaved_is_that_of_rotary_embedding_torch():
    from rotary_embedding_torch import RotaryEmbedding

    query = queries(2, 3, N, 16).float()
    close(rotary_encoding(query, P), RotaryEmbedding(dim=16).rotate_queries_or_keys(query), 2e-5)


def test_rotary_interleaved_is_that_of_x_transformers():
    from x_transformers.x_transformers import RotaryEmbedding, apply_rotary_pos_emb

    query = queries(2, 3, N, 16).float()
    theirs, scale = RotaryEmbedding(16).forward_from_seq_len(N)
    close(rotary_encoding(query, P), apply_rotary_pos_emb(query, theirs, scale), 2e-5)


def test_rotary_of_patches_is_that_of_rotary_embedding_torch():
    from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb

    query = queries(2, 3, 5, 16).float()  # (batch, row, column, d_head)
    theirs = apply_rotary_emb(RotaryEmbedding(dim=8, freqs_for="lang").get_axial_freqs(3, 5), query)
    close(rotary_encoding_2d(query.flatten(1, 2), grid(3, 5)), theirs.flatten(1, 2), 1e-6)


# Biases


@pytest.mark.parametrize("n_heads", range(1, 65))
def test_slopes_are_those_of_bloom_mpt_and_x_transformers(n_heads):
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor
    from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
    from x_transformers.x_transformers import AlibiPositionalBias

    ours = alibi_slopes(n_heads)
    close(ours, AlibiPositionalBias._get_slopes(n_heads), 1e-15)
    close(ours, build_alibi_tensor(torch.ones(1, 2), n_heads, torch.float64)[:, 0, 1], 1e-7)
    mpt = build_mpt_alibi_tensor(n_heads, 2)[:, 0]  # −m at distance 1, 0 at distance 0
    close(-ours, mpt[:, 0], 1e-7)


def test_symmetric_alibi_is_that_of_x_transformers():
    from x_transformers.x_transformers import AlibiPositionalBias

    close(alibi_bias(12, P[-7:], P), AlibiPositionalBias(12)(7, N), 1e-5)


def test_under_a_causal_mask_left_alibi_weighs_as_blooms():
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    query, key = queries(2, 5, N, 4)
    theirs = build_alibi_tensor(torch.ones(1, N), 5, torch.float64).expand(5, N, N)  # + m j, without the query
    causal = causal_mask(N, like=query)
    left = alibi_bias(5, P, P, direction="left", dtype=torch.float64)
    close(attention_weights(query, key, bias=left), attention_weights(query, key, bias=theirs, mask=causal), 2e-6)
    symmetric = alibi_bias(5, P, P, dtype=torch.float64)
    assert distance(attention_weights(query, key, bias=symmetric), attention_weights(query, key, bias=theirs)) > 0.1


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("n_buckets", "max_distance"), [(32, 128), (32, 20), (16, 64), (8, 100), (64, 512), (30, 77)])
def test_buckets_are_those_of_t5_and_x_transformers(bidirectional, n_buckets, max_distance):
    from transformers.models.t5.modeling_t5 import T5Attention
    from x_transformers.x_transformers import RelativePositionBias

    relative = torch.arange(-600, 601)
    ours = t5_buckets(relative, n_buckets=n_buckets, max_distance=max_distance, bidirectional=bidirectional)
    assert torch.equal(ours, T5Attention._relative_position_bucket(relative, bidirectional, n_buckets, max_distance))
    theirs = RelativePositionBias._relative_position_bucket(relative, not bidirectional, n_buckets, max_distance)
    assert torch.equal(ours, theirs)


@pytest.mark.parametrize("decoder", [True, False])
def test_t5_bias_is_t5s(decoder):
    from transformers import T5Config
    from transformers.models.t5.modeling_t5 import T5Attention

    config = T5Config(d_model=16, d_kv=4, num_heads=4, is_decoder=decoder)
    layer = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    table = layer.relative_attention_bias.weight
    ours = t5_bias(table, P[-7:], P, bidirectional=not decoder)
    close(ours[None], layer.compute_bias(7, N, past_seen_tokens=N - 7), 0)


def test_shaw_is_wav2vec2_berts():
    from transformers.models.wav2vec2_bert.modeling_wav2vec2_bert import _apply_relative_key_position_encoding

    table = torch.nn.Embedding(9, 16, dtype=torch.float64)
    layer = SimpleNamespace(
        left_max_position_embeddings=4, right_max_position_embeddings=4, distance_embedding=table, scaling=16**-0.5
    )
    query, key = queries(2, 2, 3, N, 16)
    _, theirs = _apply_relative_key_position_encoding(layer, query, key)
    close(shaw_bias(query, table.weight, P, P, max_distance=4), theirs, 1e-14)
    assert relative_positions(P, P)[0, -1] == N - 1  # key minus query, as theirs


def test_frequencies_are_llamas():
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    config = LlamaConfig(hidden_size=32, num_attention_heads=2)
    close(frequencies(16), LlamaRotaryEmbedding(config).inv_freq, 1e-7)
