"""Other people's models as they come: BERT, GPT-2, the Llama family, names, heads, padding, torch's modules."""

import json
import re
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from torch import nn
from torch.nn import functional

from harness.site import ROOT
from inorder.attention import causal_mask, padding_mask, softmax, streaming_attention
from inorder.transformer import (
    PositionScheme,
    TransformerConfig,
    attention_from_torch,
    block_from_torch,
    decode,
    encode,
    encoder_from_torch,
    fresh_model,
    generate,
    layer_norm,
    layer_states,
    map_parameters,
    model_from_state_dict,
    rms_norm,
    unembed,
)
from inorder.widgets import AttentionMap
from strategies import assert_close
from transformer_models import WAYS_IN, shaken

SIZES = {
    "vocab_size": 13,
    "hidden_size": 12,
    "intermediate_size": 20,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
    "initializer_range": 0.3,
}
IDS = torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]])
LENGTH = IDS.shape[1]


GPT2 = {"vocab_size": 13, "n_positions": 64, "n_embd": 12, "n_layer": 2, "n_head": 3}
BERT = {name: size for name, size in SIZES.items() if name != "num_key_value_heads"} | {"layer_norm_eps": 0.01}


def original(kind: str, task: str = "", **changes: Any) -> Any:
    """The library's model of that kind, in double precision, no parameter of it 0 or 1."""
    torch.manual_seed(0)
    config = getattr(transformers, f"{kind}Config")(**{"GPT2": GPT2, "Bert": BERT}.get(kind, SIZES) | changes)
    task = task or {"GPT2": "LMHeadModel", "Bert": "Model"}.get(kind, "ForCausalLM")
    return shaken(getattr(transformers, kind + task)(config))


@pytest.mark.parametrize("activation", ["gelu", "gelu_new", "relu", "silu"])
@pytest.mark.parametrize("pooled", [True, False])
def test_bert_is_encoded(activation, pooled):
    """Every layer of it, beside a text whose last tokens are padding."""
    theirs = original("Bert", hidden_act=activation)
    if not pooled:
        theirs.pooler = None
    model = model_from_state_dict(theirs.state_dict(), theirs.config)
    ids, keep = torch.cat([IDS, IDS.flip(1)]), torch.ones(2, LENGTH, dtype=torch.bool)
    keep[1, 5:] = False
    expected = theirs(ids, keep.long(), output_hidden_states=True)
    call = {"positions": torch.arange(LENGTH), "mask": padding_mask(keep)}
    hidden = encode(ids, *model, **call)
    assert_close(hidden[keep], expected.last_hidden_state.detach()[keep])
    for state, entering in zip(layer_states(ids, *model, **call), expected.hidden_states, strict=False):
        assert_close(state.x[keep], entering.detach()[keep])
    if pooled:
        first = unembed(hidden[:, 0], model.parameters)
        assert_close(torch.tanh(first), expected.pooler_output.detach())


@pytest.mark.parametrize("changes", [{}, {"n_inner": 7, "activation_function": "relu"}], ids=str)
def test_gpt2_is_decoded(changes):
    theirs = original("GPT2", **changes)
    assert_close(logits_of(theirs.state_dict(), theirs.config), theirs(IDS).logits.detach())


@pytest.mark.parametrize("kind", ["GPT2", "Llama"])
def test_the_bare_model_is_the_same_without_its_head(kind):
    theirs = original(kind, tie_word_embeddings=True)
    whole = model_from_state_dict(theirs.state_dict(), theirs.config)
    bare = model_from_state_dict(theirs.base_model.state_dict(), theirs.config)
    assert bare.config == whole.config
    assert_close(*(decode(IDS, *model, positions=torch.arange(LENGTH))[0] for model in (bare, whole)))


def test_arrays_of_a_file_and_its_config_will_do():
    theirs = original("GPT2")
    arrays = {name: w.detach().numpy().astype(np.float32) for name, w in theirs.transformer.state_dict().items()}
    model = model_from_state_dict(arrays, json.loads(theirs.config.to_json_string(use_diff=False)))
    logits, _ = decode(IDS.numpy(), *model, positions=np.arange(LENGTH))
    assert logits.dtype == np.float32
    np.testing.assert_allclose(logits, theirs(IDS).logits.detach().numpy(), rtol=1e-3, atol=1e-4)


def logits_of(state_dict: Any, config: Any) -> torch.Tensor:
    return decode(IDS, *model_from_state_dict(state_dict, config), positions=torch.arange(LENGTH))[0]


FAMILY = [
    ("Qwen2", {}),
    ("Qwen3", {"head_dim": 4}),
    ("Qwen3", {"head_dim": 8, "attention_bias": True}),
    ("Mistral", {"sliding_window": None, "head_dim": 6}),
    ("Llama", {"head_dim": 8}),
    ("Llama", {"attention_bias": True}),
    ("Llama", {"mlp_bias": True}),
    ("Llama", {"rope_scaling": {"rope_type": "linear", "factor": 3.0}}),
    ("Llama", {"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}}),
    (
        "Llama",
        {"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "beta_fast": 4.0, "beta_slow": 2.0}, "head_dim": 16},
    ),
    (
        "Llama",
        {
            "head_dim": 16,
            "rope_scaling": {
                "rope_type": "llama3",
                "factor": 8.0,
                "low_freq_factor": 1.0,
                "high_freq_factor": 4.0,
                "original_max_position_embeddings": 16,
            },
        },
    ),
]


@pytest.mark.parametrize(("kind", "changes"), FAMILY, ids=str)
def test_the_llama_family_gives_its_own_logits(kind, changes):
    theirs = original(kind, **changes)
    expected = theirs(IDS).logits
    np.testing.assert_allclose(logits_of(theirs.state_dict(), theirs.config), expected.detach(), atol=1e-4)


@pytest.mark.parametrize("beside", [None, {"rope_type": "default", "rope_theta": 1e4}])
def test_the_old_keys_of_a_configuration_are_read(beside):
    scaling = {"type": "linear", "factor": 4.0}
    theirs = original("Llama", rope_scaling={"rope_type": "linear", "factor": 4.0})
    file = theirs.config.to_dict() | {"rope_parameters": beside, "rope_theta": 1e4, "rope_scaling": scaling}
    np.testing.assert_allclose(logits_of(theirs.state_dict(), file), theirs(IDS).logits.detach(), atol=1e-4)


def rope(**changes: Any) -> dict[str, Any]:
    return {"rope_parameters": {"rope_type": "yarn", "factor": 2.0, "rope_theta": 1e4} | changes}


@pytest.mark.parametrize(
    ("kind", "changes", "message"),
    [
        ("Mistral", {"sliding_window": 4}, "sliding_window to be None"),
        ("Llama", rope(mscale=2.0), "rope_parameters of .*, got mscale"),
        ("Llama", rope(rope_type="dynamic"), "rope_type to be one of default, linear, yarn, llama3, got 'dynamic'"),
        ("Llama", {"rope_parameters": {"rope_type": "llama3", "factor": 2.0}}, "rope_parameters with .*_freq_factor"),
        ("Llama", {"hidden_act": "gelu_fast"}, "hidden_act to be one of gelu, .*got 'gelu_fast'"),
        ("Llama", {"model_type": "gemma"}, "model_type bert, gpt2, llama, .*, got 'gemma'"),
    ],
)
def test_other_settings_are_refused(kind, changes, message):
    plain = original(kind, **({"sliding_window": None} if kind == "Mistral" else {}))
    with pytest.raises(ValueError, match=message):
        model_from_state_dict(plain.state_dict(), plain.config.to_dict() | changes)


@pytest.mark.parametrize("tied", [True, False])
def test_the_head_is_the_files_own(tied):
    theirs = original("Llama", tie_word_embeddings=tied)
    if tied:
        assert model_from_state_dict(theirs.state_dict(), theirs.config).config.tied_output
        theirs.lm_head.weight = nn.Parameter(torch.randn(13, 12).double())
    np.testing.assert_allclose(logits_of(theirs.state_dict(), theirs.config), theirs(IDS).logits.detach(), atol=1e-4)


def test_a_missing_head_and_a_bias_that_nobody_reads_are_refused():
    theirs = original("Llama")
    arrays = dict(theirs.state_dict())
    with pytest.raises(ValueError, match=r"only the arrays of a plain llama, got also lm_head\.bias"):
        model_from_state_dict(arrays | {"lm_head.bias": torch.zeros(13)}, theirs.config)
    del arrays["lm_head.weight"]
    with pytest.raises(ValueError, match=r"expected an array lm_head\.weight .* such as .*\.weight"):
        model_from_state_dict(arrays, theirs.config)


@pytest.mark.parametrize("prefix", ["model.", "module._orig_mod."])
def test_the_prefixes_of_wrappers_are_understood(prefix):
    theirs = original("Llama")
    arrays = {prefix + name: w for name, w in theirs.state_dict().items()}
    np.testing.assert_allclose(logits_of(arrays, theirs.config), theirs(IDS).logits.detach(), atol=1e-4)
    with pytest.raises(ValueError, match="each array once, got"):
        model_from_state_dict(arrays | dict(theirs.state_dict()), theirs.config)


def test_berts_old_names_are_understood():
    theirs = original("Bert")
    arrays = {
        "bert." + name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): w
        for name, w in theirs.state_dict().items()
    }
    hidden = encode(IDS, *model_from_state_dict(arrays, theirs.config), positions=torch.arange(LENGTH))
    assert_close(hidden, theirs(IDS).last_hidden_state.detach())


@pytest.mark.parametrize(
    ("state_dict", "message"),
    [
        (nn.Linear(2, 2), r"arrays by name, got Linear; a model's is model\.state_dict\(\)"),
        ({"state_dict": {}, "epoch": 3}, "arrays by name, got dict as 'state_dict', which may be it"),
        ({"wte.weight": np.ones((13, 12))}, "an array wpe.weight in the state dict, got 1 others, such as wte.weight"),
    ],
)
def test_what_is_no_state_dict_is_named(state_dict, message):
    config = transformers.GPT2Config(vocab_size=13, n_embd=12, n_head=3).to_dict()
    with pytest.raises(ValueError, match=message):
        model_from_state_dict(state_dict, config)
    with pytest.raises(ValueError, match="a config of transformers, or its dictionary, got str"):
        model_from_state_dict(state_dict, "config.json")
    with pytest.raises(ValueError, match=r"a setting n_positions in the configuration, got .* such as"):
        model_from_state_dict(
            {"wte.weight": np.ones((13, 12))}, {name: w for name, w in config.items() if name != "n_positions"}
        )


# ---- padding


@pytest.mark.parametrize("kind", ["Llama", "Qwen2"])
def test_a_padded_batch_is_decoded_and_goes_on_as_each_text_alone(kind):
    theirs = original(kind)
    model = model_from_state_dict(theirs.state_dict(), theirs.config)
    ids = torch.tensor([[0, 0, 5, 6, 7], [7, 8, 9, 10, 11], [0, 3, 4, 5, 6]])
    keep = torch.tensor([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1], [0, 1, 1, 1, 1]])
    places = (keep.cumsum(-1) - 1).clamp(min=0)
    padding = {"positions": places, "mask": padding_mask(keep.bool())}
    logits, cache = decode(ids, *model, **padding)
    right = theirs(ids, attention_mask=keep, position_ids=places).logits.detach()
    np.testing.assert_allclose(logits[keep.bool()], right[keep.bool()], atol=1e-4)
    assert cache.layers[0].positions.shape == (3, 5)
    expected = theirs.generate(
        ids, attention_mask=keep, max_new_tokens=4, do_sample=False, pad_token_id=0, eos_token_id=None
    )
    np.testing.assert_array_equal(generate(ids, *model, 4, **padding), expected)


@pytest.mark.parametrize("scheme", WAYS_IN.values(), ids=WAYS_IN)
def test_positions_of_each_text_are_those_texts_one_by_one(scheme):
    model = fresh_model(1, position=scheme)
    rng = np.random.default_rng(0)
    ids, places = rng.integers(0, 12, (2, 3, 4)), rng.integers(0, 9, (2, 3, 4))
    mask = np.broadcast_to(causal_mask(4), (2, 3, 1, 4, 4))
    hidden = encode(ids, *model, positions=places, mask=mask)
    for i in np.ndindex(2, 3):
        alone = encode(ids[i], *model, positions=places[i], mask=causal_mask(4))
        np.testing.assert_allclose(hidden[i], alone, atol=1e-12)
        np.testing.assert_allclose(unembed(alone, model.parameters), decode(ids[i], *model, positions=places[i])[0])


def test_two_texts_of_two_tokens_have_positions_of_their_own_and_patches_may_not():
    theirs = original("Qwen2")
    model = model_from_state_dict(theirs.state_dict(), theirs.config)
    ids, places = torch.tensor([[3, 5], [7, 2]]), torch.tensor([[0, 1], [4, 9]])
    right = theirs(ids, position_ids=places).logits.detach()
    np.testing.assert_allclose(decode(ids, *model, positions=places)[0], right, atol=1e-4)
    with pytest.raises(ValueError, match="positions of two texts, or of two patches, got shape"):
        decode(torch.randn(2, 2, 12).double(), *model, positions=places)
    with pytest.raises(
        ValueError, match=r"positions of shape \(5,\), .* or \(3, 5\), those of each text, got \(5, 2\)"
    ):
        generate(torch.ones(3, 5, dtype=torch.long), *model, 2, positions=torch.ones(5, 2, dtype=torch.long))


KEEP = np.array([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1], [0, 1, 1, 1, 1]], bool)
COUNTED = np.maximum(KEEP.cumsum(-1) - 1, 0)
PADDED = np.array([[0, 0, 5, 6, 7], [7, 8, 9, 10, 11], [0, 3, 4, 5, 6]])


@pytest.mark.parametrize("scheme", ["rotary", "learned", "alibi"])
@pytest.mark.parametrize("cut", [3, 4])
def test_a_padded_cache_goes_on_without_its_mask(scheme, cut):
    """As each text alone: by generate, by decode, and with the texts in another order."""
    model = fresh_model(0, position=scheme)
    _, cache = decode(PADDED[:, :cut], *model, positions=COUNTED[:, :cut], mask=padding_mask(KEEP[:, :cut]))
    order = np.array([2, 0, 1])
    moved = map_parameters(lambda x: x[order], cache)
    logits, _ = decode(PADDED[order, cut:], *model, positions=COUNTED[order, cut:], cache=moved)
    states = list(layer_states(PADDED[order, cut:], *model, positions=COUNTED[order, cut:], cache=moved))
    goes_on = generate(PADDED[:, cut:], *model, 3, cache=cache)
    for i, keep in enumerate(KEEP):
        alone, n = PADDED[i, keep], keep[:cut].sum()
        assert (goes_on[i] == generate(alone, *model, 3)[n:]).all()
        expected, _ = decode(alone, *model, positions=np.arange(len(alone)))
        np.testing.assert_allclose(logits[list(order).index(i)], expected[n:], atol=1e-12)
    assert not states[-1].weights[1, ..., :2].any() and states[-1].weights[2].all()


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (
            encode,
            {"positions": COUNTED},
            r"expected positions that grow along each text, or a mask .* got \[\[0 0 0 1 2",
        ),
        (decode, {"positions": KEEP.cumsum(-1) - 1, "mask": padding_mask(KEEP)}, "of each text of 0 or more, got -1"),
        (
            generate,
            {"positions": COUNTED[:, ::-1].cumsum(-1), "mask": padding_mask(KEEP[:, ::-1])},
            "expected a text's last token at the end of each prompt: padding on the left",
        ),
        (generate, {"mask": padding_mask(KEEP[:, ::-1])}, "padding on the left, got padding there"),
    ],
)
def test_padding_that_nothing_names_is_refused(function, options, message):
    model = fresh_model(0, position="rotary")
    count = (2,) if function is generate else ()
    with pytest.raises(ValueError, match=message):
        function(PADDED, *model, *count, **options)


def test_an_encoder_does_not_decode():
    bert = transformers.BertForMaskedLM(transformers.BertConfig(vocab_size=13, hidden_size=12, num_attention_heads=3))
    read = model_from_state_dict(bert.state_dict(), bert.config)
    with pytest.raises(ValueError, match=r"expected a decoder, got the configuration of an encoder"):
        generate(IDS, *read, 2)
    for call in (
        lambda: decode(IDS, *read, positions=torch.arange(LENGTH)),
        lambda: decode(torch.randn(2, 5, 12), *encoder_from_torch(encoder()), positions=torch.arange(5)),
    ):
        with pytest.raises(ValueError, match=r"expected a decoder, got the configuration of an encoder"):
            call()


# ---- half precision


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_norms_and_softmax_of_half_precision_are_computed_in_float32(dtype):
    torch.manual_seed(0)
    x = (300 * torch.randn(5, 64)).to(dtype)
    one, zero = torch.ones(64, dtype=dtype), torch.zeros(64, dtype=dtype)
    torch.testing.assert_close(layer_norm(x, one, zero), functional.layer_norm(x, (64,), one, zero))
    expected = functional.rms_norm(x.float(), (64,), eps=1e-5).to(dtype)
    torch.testing.assert_close(rms_norm(x, one), expected)
    long = torch.zeros(3, 5000, dtype=dtype)
    torch.testing.assert_close(softmax(long), torch.softmax(long, -1))
    query, key, value = torch.randn(3, 1, 2000, 8, dtype=torch.float64).to(dtype)
    exact = functional.scaled_dot_product_attention(query.double(), key.double(), value.double())
    got = streaming_attention(query, key, value, block_size=500)
    assert got.dtype == dtype
    torch.testing.assert_close(got, exact.to(dtype), atol=0.02, rtol=0.02)


# ---- torch's modules


def encoder(**changes: Any) -> nn.TransformerEncoder:
    return nn.TransformerEncoder(layer(**changes), 3, enable_nested_tensor=False)


def layer(**changes: Any) -> nn.TransformerEncoderLayer:
    torch.manual_seed(0)
    made = nn.TransformerEncoderLayer(12, 3, 20, dropout=0.0, batch_first=True, **changes)
    for w in made.parameters():
        nn.init.normal_(w, 0, 0.5)
    return made


class Doubled(nn.TransformerEncoderLayer):
    def _sa_block(self, *arguments, **options):
        return 2 * super()._sa_block(*arguments, **options)


def replaced(name: str, part: Any) -> nn.TransformerEncoderLayer:
    made = layer()
    setattr(made, name, part)
    return made


def hooked(name: str) -> nn.TransformerEncoderLayer:
    made = layer(activation=nn.ReLU())
    getattr(made, name).register_forward_pre_hook(lambda *_: None)
    return made


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (Doubled(12, 3, 20), "TransformerEncoderLayer, got Doubled, a subclass"),
        (replaced("_sa_block", lambda *_: 0), "whose _sa_block was replaced"),
        (replaced("norm1", nn.RMSNorm(12)), "an nn.LayerNorm, got RMSNorm"),
        (replaced("activation", torch.tanh), "torch's own activation relu or gelu, got tanh"),
        (hooked("activation"), "an nn.ReLU without hooks, got 1"),
        (nn.MultiheadAttention(4, 2), "expected an nn.TransformerEncoderLayer, got MultiheadAttention"),
        (nn.MultiheadAttention(4, 2, add_zero_attn=True), "without add_bias_kv and add_zero_attn"),
    ],
)
def test_a_layer_that_computes_something_else_is_refused(module, message):
    with pytest.raises(ValueError, match=message):
        (attention_from_torch if "bias_kv" in message else block_from_torch)(module)


# ---- schemes


def embed(self, x, positions, tables):
    return x


def rotate(self, query_or_key, positions, tables):
    return query_or_key


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ({"embed": embed, "rotated": rotate}, r"expected Mine\.rotate, a hook, got Mine\.rotated"),
        ({"embed": embed, "init_table": lambda self: {}}, r"expected Mine\.init_tables, a hook, got Mine\.init_table"),
        ({"rotate": lambda self, query: query}, r"Mine\.rotate\(query_or_key, .*, tables\), got Mine\.rotate\(query\)"),
        ({"embed": embed, "rotate": None}, r"expected Mine\.rotate\(query_or_key, .*, got Mine\.rotate = None"),
    ],
)
def test_a_hook_that_nobody_would_call_is_refused(methods, message):
    sizes = {"vocabulary_size": 5, "d_model": 8, "n_heads": 2, "d_ff": 16, "n_layers": 1}
    with pytest.raises(ValueError, match=message):
        TransformerConfig(**sizes, position=type("Mine", (PositionScheme,), methods)())
    helper = type("Mine", (PositionScheme,), {"embed": embed, "_turn": rotate, "slope": lambda self, head: head})
    assert TransformerConfig(**sizes, position=helper()).scheme == helper()


def test_a_model_of_ones_own_runs_as_the_gallery_says(capsys):
    text = (ROOT / "chapters" / "gallery.md").read_text(encoding="utf8")
    (source,) = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "model_from_state" in block]
    scope: dict[str, Any] = {"AttentionMap": AttentionMap}
    exec(source, scope)
    mine, theirs, ids = scope["mine"], scope["theirs"].eval(), scope["ids"]
    logits, _ = decode(ids, *mine, positions=torch.arange(6))
    np.testing.assert_allclose(logits, theirs(ids[None]).logits[0].detach(), atol=1e-5)
