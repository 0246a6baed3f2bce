"""`inorder.costs`: against the caches that transformers fills and this package's own, and by what must hold for any."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from inorder.costs import MODELS, DecoderShape, cache_bytes
from inorder.transformer import decode, fresh_model

sizes = st.integers(1, 9)
HUGE = {  # what their config.json say, beside the shape of the cache
    "SmolLM2 135M": {"vocab_size": 49152, "hidden_size": 576, "intermediate_size": 1536, "tie_word_embeddings": True},
    "Gemma 2B": {"vocab_size": 256000, "hidden_size": 2048, "intermediate_size": 16384, "tie_word_embeddings": True},
    "Llama 2 7B": {"vocab_size": 32000, "hidden_size": 4096, "intermediate_size": 11008},
    "Llama 3.1 8B": {"vocab_size": 128256, "hidden_size": 4096, "intermediate_size": 14336},
    "Qwen3 8B": {"vocab_size": 151936, "hidden_size": 4096, "intermediate_size": 12288},
    "Llama 3.1 70B": {"vocab_size": 128256, "hidden_size": 8192, "intermediate_size": 28672},
    "DeepSeek-V3": {
        "vocab_size": 129280,
        "hidden_size": 7168,
        "intermediate_size": 18432,
        "moe_intermediate_size": 2048,
        "n_routed_experts": 256,
        "n_shared_experts": 1,
        "first_k_dense_replace": 3,
        "q_lora_rank": 1536,
        "qk_nope_head_dim": 128,
        "v_head_dim": 128,
    },
}


@st.composite
def shapes(draw: Any, latent: bool | None = None) -> DecoderShape:
    n_key_heads, group = draw(sizes), draw(sizes)
    latent = draw(st.booleans()) if latent is None else latent
    row = {"d_latent": draw(sizes), "d_rotary": draw(st.integers(0, 9))} if latent else {}
    return DecoderShape(
        n_layers=draw(sizes), n_heads=n_key_heads * group, n_key_heads=n_key_heads, d_head=draw(sizes), **row
    )


def of_transformers(shape: DecoderShape, family: str, **settings: Any) -> Any:
    """A model of the library with this shape, and its other sizes."""
    import transformers

    names = {"num_hidden_layers": shape.n_layers, "num_attention_heads": shape.n_heads}
    names |= {"num_key_value_heads": shape.n_key_heads}
    if shape.d_latent is None:
        names |= {"head_dim": shape.d_head}
    else:
        names |= {"kv_lora_rank": shape.d_latent, "qk_rope_head_dim": shape.d_rotary}
    config = getattr(transformers, f"{family}Config")(**names, **settings)
    return getattr(transformers, f"{family}ForCausalLM")(config)


def bytes_in_its_cache(model: Any, n_texts: int, n_tokens: int) -> int:
    """Run it, and add up the tensors in the cache that it returns."""
    with torch.no_grad():
        cache = model(torch.ones(n_texts, n_tokens, dtype=torch.int64), use_cache=True).past_key_values
    return sum(each.nbytes for layer in cache.layers for each in (layer.keys, layer.values))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize(
    ("family", "n_heads", "n_key_heads"),
    [("Llama", 6, 6), ("Llama", 6, 3), ("Gemma", 6, 1), ("Qwen3", 6, 2)],
    ids=["multi-head", "grouped", "one key head", "grouped, normed"],
)
def test_the_bytes_are_those_of_the_tensors_that_transformers_keeps(family, n_heads, n_key_heads, dtype):
    shape = DecoderShape(n_layers=3, n_heads=n_heads, n_key_heads=n_key_heads, d_head=10)
    model = of_transformers(shape, family, vocab_size=7, hidden_size=24, intermediate_size=20).to(dtype)
    expected = bytes_in_its_cache(model, 2, 5)
    assert cache_bytes(shape, 5, n_texts=2, bytes_per_number=dtype.itemsize) == expected


def test_latent_attention_keeps_what_transformers_keeps():
    shape = DecoderShape(n_layers=3, n_heads=4, n_key_heads=4, d_head=6, d_latent=7, d_rotary=2)
    settings = {"q_lora_rank": 5, "qk_nope_head_dim": 6, "v_head_dim": 6, "moe_intermediate_size": 8}
    settings |= {"n_routed_experts": 2, "n_group": 1, "topk_group": 1, "num_experts_per_tok": 1}
    model = of_transformers(shape, "DeepseekV3", vocab_size=7, hidden_size=24, intermediate_size=20, **settings)
    assert cache_bytes(shape, 5, n_texts=2, bytes_per_number=4) == bytes_in_its_cache(model, 2, 5)


def test_it_is_what_this_package_keeps():
    model = fresh_model(0, n_key_heads=2, position="rotary")
    config = model.config
    _, cache = decode(np.zeros((3, 7), dtype=int), *model, positions=np.arange(7))
    held = sum(each.nbytes for layer in cache.layers for each in (layer.key, layer.value))
    shape = DecoderShape(
        n_layers=config.n_layers, n_heads=config.n_heads, n_key_heads=2, d_head=config.d_model // config.n_heads
    )
    itemsize = cache.layers[0].key.dtype.itemsize
    assert cache_bytes(shape, 7, n_texts=3, bytes_per_number=itemsize) == held


@given(shapes(), sizes, sizes, sizes, st.sampled_from([1, 2, 4]))
def test_every_token_of_every_text_costs_the_same(shape, n, more, n_texts, size):
    one = cache_bytes(shape, 1, bytes_per_number=size)
    assert cache_bytes(shape, n, bytes_per_number=size) + cache_bytes(
        shape, more, bytes_per_number=size
    ) == cache_bytes(shape, n + more, bytes_per_number=size)
    assert cache_bytes(shape, n, n_texts=n_texts, bytes_per_number=size) == n * n_texts * one
    deeper = replace(shape, n_layers=shape.n_layers * more)
    assert cache_bytes(deeper, n, bytes_per_number=size) == more * cache_bytes(shape, n, bytes_per_number=size)


@given(shapes(latent=False), sizes)
def test_sharing_keys_divides_the_cache_and_query_heads_cost_nothing(shape, n):
    alone = replace(shape, n_key_heads=shape.n_heads)
    assert cache_bytes(alone, n) * shape.n_key_heads == cache_bytes(shape, n) * shape.n_heads
    assert cache_bytes(replace(shape, n_heads=3 * shape.n_heads), n) == cache_bytes(shape, n)


@given(shapes(latent=True), sizes, sizes)
def test_a_latent_row_is_of_no_head(shape, n, factor):
    more = replace(shape, n_heads=factor * shape.n_heads, n_key_heads=factor * shape.n_key_heads)
    assert cache_bytes(more, n) == cache_bytes(replace(shape, d_head=2 * shape.d_head), n) == cache_bytes(shape, n)


@pytest.mark.parametrize("name", MODELS)
def test_the_parameters_are_those_of_the_model_that_its_file_describes(name):
    """Built without memory for its numbers. The sizes of the cache enter into the count, too."""
    shape = MODELS[name]
    family = {"Gemma 2B": "Gemma", "Qwen3 8B": "Qwen3", "DeepSeek-V3": "DeepseekV3"}.get(name, "Llama")
    with torch.device("meta"):
        model = of_transformers(shape, family, **HUGE[name])
    assert sum(p.numel() for p in model.parameters()) == shape.n_parameters


GOOD = {"n_layers": 2, "n_heads": 6, "n_key_heads": 3, "d_head": 4}


@pytest.mark.usefixtures("types_unchecked")
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"n_layers": 0}, "expected n_layers to be a positive whole number, got 0"),
        ({"n_key_heads": 4}, "expected an n_heads that n_key_heads = 4 divides, got 6"),
        ({"d_latent": 4, "d_rotary": -1}, "expected d_rotary to be a whole number, 0 or more, got -1"),
        ({"d_rotary": 2}, "expected a d_latent, as there is a d_rotary, got none"),
    ],
)
def test_a_bad_shape_is_named(bad, message):
    with pytest.raises(ValueError, match=message):
        DecoderShape(**(GOOD | bad))


@pytest.mark.usefixtures("types_unchecked")
@pytest.mark.parametrize("name", ["n_tokens", "n_texts", "bytes_per_number"])
def test_a_bad_count_is_named(name):
    with pytest.raises(ValueError, match=f"expected {name} to be a positive whole number, got 0"):
        cache_bytes(DecoderShape(**GOOD), **({"n_tokens": 1} | {name: 0}))
    with pytest.raises(ValueError, match="expected a DecoderShape, got dict"):
        cache_bytes(GOOD, 1)
