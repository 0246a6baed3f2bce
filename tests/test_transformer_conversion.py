"""Other libraries' models, run through ours: torch's modules, BERT, GPT-2 and Llama against their originals."""

import json
import re
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from harness.site import ROOT
from inorder.attention import multi_head_attention
from inorder.transformer import (
    attention_from_torch,
    block,
    block_from_torch,
    decode,
    encode,
    generate,
    map_parameters,
    model_from_state_dict,
    unembed,
)
from inorder.widgets import AttentionMap
from strategies import assert_close, no_warnings, seeds
from transformer_models import shaken

pytestmark = no_warnings


# ---- torch's modules


@settings(max_examples=10)
@given(seed=seeds, n=st.integers(1, 6), n_key=st.integers(1, 6), biases=st.booleans(), widths=st.booleans())
def test_attention_is_torchs(seed, n, n_key, biases, widths):
    torch.manual_seed(seed)
    others = {"kdim": 5, "vdim": 5} if widths else {}
    module = shaken(nn.MultiheadAttention(12, 3, bias=biases, batch_first=True, **others), seed)
    x = torch.randn(2, n, 12, dtype=torch.float64)
    y = torch.randn(2, n_key, 5 if widths else 12, dtype=torch.float64)
    expected, _ = module(x, y, y)
    assert_close(multi_head_attention(x, y, attention_from_torch(module), 3).numpy(), expected.detach().numpy())


@settings(max_examples=10)
@given(
    seed=seeds,
    n=st.integers(1, 6),
    norm_first=st.booleans(),
    activation=st.sampled_from(["relu", "gelu"]),
    biases=st.booleans(),
)
def test_a_block_is_torchs(seed, n, norm_first, activation, biases):
    layer = nn.TransformerEncoderLayer(
        12, 3, 20, activation=activation, norm_first=norm_first, bias=biases, layer_norm_eps=0.01, batch_first=True
    )
    layer = shaken(layer, seed)
    x = torch.randn(2, n, 12, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    hidden = block(x, *block_from_torch(layer), positions=torch.arange(n)).hidden
    with torch.enable_grad():  # else torch takes a path of its own
        assert_close(hidden.numpy(), layer(x).detach().numpy())


REFUSED_MODULES = [
    (attention_from_torch, nn.Linear(2, 2), "expected an nn.MultiheadAttention, got Linear"),
    (attention_from_torch, nn.MultiheadAttention(4, 2, add_bias_kv=True), "without add_bias_kv and add_zero_attn"),
    (attention_from_torch, nn.MultiheadAttention(4, 2, add_zero_attn=True), "without add_bias_kv and add_zero_attn"),
    (block_from_torch, nn.MultiheadAttention(4, 2), "expected an nn.TransformerEncoderLayer, got MultiheadAttention"),
    (block_from_torch, nn.TransformerEncoderLayer(4, 2, 3, activation=torch.sigmoid), "relu or gelu, got sigmoid"),
]


@pytest.mark.parametrize(("convert", "module", "message"), REFUSED_MODULES)
def test_other_modules_are_refused(convert, module, message):
    with pytest.raises(ValueError, match=message):
        convert(module)


# ---- models of the library transformers

TINY = {"vocab_size": 11, "num_hidden_layers": 2, "hidden_size": 12, "num_attention_heads": 3, "intermediate_size": 20}
LLAMA = {**TINY, "num_attention_heads": 6, "num_key_value_heads": 2, "max_position_embeddings": 16}
GPT2 = {"vocab_size": 11, "n_positions": 16, "n_embd": 12, "n_layer": 2, "n_head": 3}
BERT = {**TINY, "max_position_embeddings": 16, "layer_norm_eps": 0.01}
TOKENS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])
POSITIONS = torch.arange(5)


def original(kind: str, model: str = "", **changes: Any) -> Any:
    library = {"bert": "Bert", "gpt2": "GPT2", "llama": "Llama"}[kind]
    sizes = {"bert": BERT, "gpt2": GPT2, "llama": LLAMA}[kind]
    torch.manual_seed(3)
    config = getattr(transformers, f"{library}Config")(**{**sizes, **changes})
    return shaken(getattr(transformers, library + (model or "Model"))(config))


@pytest.mark.parametrize("activation", ["gelu", "gelu_new", "relu", "silu"])
@pytest.mark.parametrize("pooled", [True, False])
def test_bert_is_encoded(activation, pooled):
    theirs = original("bert", hidden_act=activation)
    if not pooled:
        theirs.pooler = None
    model = model_from_state_dict(theirs.state_dict(), theirs.config)
    expected = theirs(TOKENS)
    hidden = encode(TOKENS, *model, positions=POSITIONS)
    assert_close(hidden.numpy(), expected.last_hidden_state.detach().numpy())
    if pooled:
        first = unembed(hidden[:, 0], model.parameters)
        assert_close(torch.tanh(first).numpy(), expected.pooler_output.detach().numpy())


@pytest.mark.parametrize("changes", [{}, {"n_inner": 7, "activation_function": "relu"}], ids=str)
def test_gpt2_is_decoded(changes):
    theirs = original("gpt2", "LMHeadModel", **changes)
    model = model_from_state_dict(theirs.state_dict(), theirs.config)
    logits, _ = decode(TOKENS, *model, positions=POSITIONS)
    assert_close(logits.numpy(), theirs(TOKENS).logits.detach().numpy())


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"tie_word_embeddings": True, "rms_norm_eps": 0.01},
        {"attention_bias": True, "mlp_bias": True, "rope_parameters": {"rope_type": "default", "rope_theta": 50.0}},
    ],
    ids=str,
)
def test_llama_is_decoded_and_goes_on(changes):
    theirs = original("llama", "ForCausalLM", **changes)
    model = model_from_state_dict(theirs.state_dict(), theirs.config)
    logits, _ = decode(TOKENS, *model, positions=POSITIONS)
    exact = theirs(TOKENS).logits.detach().numpy()
    np.testing.assert_allclose(logits.numpy(), exact, atol=1e-6)  # its angles are float32, in any dtype
    expected = theirs.generate(TOKENS, max_new_tokens=6, do_sample=False, eos_token_id=None, pad_token_id=0)
    np.testing.assert_array_equal(generate(TOKENS, *model, 6), expected)


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_the_bare_model_is_the_same_without_its_head(kind):
    theirs = original(kind, {"gpt2": "LMHeadModel", "llama": "ForCausalLM"}[kind], tie_word_embeddings=True)
    whole = model_from_state_dict(theirs.state_dict(), theirs.config)
    bare = model_from_state_dict(theirs.base_model.state_dict(), theirs.config)
    assert bare.config == whole.config
    logits, expected = (decode(TOKENS, *model, positions=POSITIONS)[0] for model in (bare, whole))
    assert_close(logits.numpy(), expected.numpy())


def test_arrays_of_a_file_and_its_config_will_do():
    theirs = original("gpt2")
    arrays = {name: w.detach().numpy().astype(np.float32) for name, w in theirs.state_dict().items()}
    model = model_from_state_dict(arrays, json.loads(theirs.config.to_json_string(use_diff=False)))
    logits, _ = decode(TOKENS.numpy(), *model, positions=POSITIONS.numpy())
    assert logits.dtype == np.float32
    hidden = theirs(TOKENS).last_hidden_state.detach().numpy()
    np.testing.assert_allclose(logits, hidden @ arrays["wte.weight"].T, rtol=1e-3, atol=1e-4)


def test_it_is_trained_further_without_touching_the_original():
    theirs = original("llama", tie_word_embeddings=True)
    model = model_from_state_dict(theirs.state_dict(), theirs.config)
    leaves = []
    map_parameters(leaves.append, model.parameters)
    assert leaves and not any(leaf.requires_grad for leaf in leaves)


REFUSED: dict[str, tuple[Any, str]] = {
    "gemma": (({"a": np.ones(2)}, {"model_type": "gemma"}), "model_type bert, gpt2, llama, .*, got 'gemma'"),
    "no config": (({"a": np.ones(2)}, 3), "a config of transformers, or its dictionary, got int"),
}


@pytest.mark.parametrize(("arguments", "message"), REFUSED.values(), ids=REFUSED)
def test_other_kinds_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        model_from_state_dict(*arguments)


WALLS: list[tuple[str, dict[str, Any], str]] = [
    ("llama", {"quantization_config": {"bits": 4}}, "quantization_config to be None"),
    (
        "llama",
        {"hidden_act": "gelu_fast", "tie_word_embeddings": True},
        "hidden_act to be one of gelu, .*got 'gelu_fast'",
    ),
    ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx to be False"),
    ("gpt2", {"add_cross_attention": True}, "add_cross_attention to be False"),
    ("bert", {"is_decoder": True}, "is_decoder to be False"),
]


@pytest.mark.parametrize(("kind", "changes", "message"), WALLS)
def test_what_this_package_has_not_is_refused(kind, changes, message):
    theirs = original(kind, **changes)
    with pytest.raises(ValueError, match=message):
        model_from_state_dict(theirs.state_dict(), theirs.config)


def test_a_missing_array_and_one_too_many_are_named():
    theirs = original("gpt2")
    arrays = dict(theirs.state_dict())
    with pytest.raises(ValueError, match=r"only the arrays of a plain gpt2, got also h\.0\.adapter"):
        model_from_state_dict({**arrays, "h.0.adapter": torch.ones(2)}, theirs.config)
    del arrays["h.1.ln_2.bias"], arrays["h.1.mlp.c_fc.weight"]
    with pytest.raises(ValueError, match=r"expected an array h.1.mlp.c_fc.weight in the state dict"):
        model_from_state_dict(arrays, theirs.config)


def test_an_array_of_another_shape_is_named():
    theirs = original("bert")
    arrays = {**theirs.state_dict(), "encoder.layer.1.intermediate.dense.weight": torch.ones(20, 11).double()}
    with pytest.raises(ValueError, match=r"w_in"):
        model_from_state_dict(arrays, theirs.config)


def test_a_model_of_ones_own_runs_as_the_gallery_says(capsys):
    text = (ROOT / "chapters" / "gallery.md").read_text(encoding="utf8")
    (source,) = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "model_from_state" in block]
    scope: dict[str, Any] = {"AttentionMap": AttentionMap}
    exec(source, scope)
    mine, theirs, ids = scope["mine"], scope["theirs"].eval(), scope["ids"]
    logits, _ = decode(ids, *mine, positions=torch.arange(6))
    np.testing.assert_allclose(logits, theirs(ids[None]).logits[0].detach(), atol=1e-5)
