"""`inorder.transformer` against torch's modules and the transformers library, the weights of which run through ours."""

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from inorder.attention import AttentionParameters, causal_mask
from inorder.transformer import (
    FeedForwardParameters,
    Rotary,
    TransformerConfig,
    TransformerParameters,
    attention_from_torch,
    decode,
    encode,
    encoder_from_torch,
    feed_forward,
    gelu,
    gelu_tanh,
    layer_norm,
    layer_states,
    map_parameters,
    model_from_state_dict,
    relu,
    rms_norm,
    silu,
)
from inorder.transformer.parameters import BlockParameters, LayerNormParameters
from strategies import (
    assert_close,
    dtype_name,
    float_arrays,
    no_warnings,
    random_mask,
    seeds,
    sizes,
    to_back_end,
    to_numpy,
)
from transformer_models import shaken

pytestmark = no_warnings
SIZES = {"vocabulary_size": 11, "d_model": 12, "n_heads": 3, "d_ff": 20, "n_layers": 2}
D_MODEL, N_HEADS, D_FF, N_LAYERS = 12, 3, 20, 2


def numbers(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().numpy()


def norm_of(module: Any) -> LayerNormParameters:
    return LayerNormParameters(numbers(module.weight), numbers(module.bias))


def linear_of(*modules: Any) -> list[np.ndarray]:
    """torch's Linear keeps W transposed. All weights, then all biases."""
    return [numbers(m.weight.T) for m in modules] + [numbers(m.bias) for m in modules]


# Layer norm, activations, feed-forward


@given(x=float_arrays(), seed=seeds, affine=st.booleans(), eps=st.sampled_from([1e-5, 0.5]))
def test_layer_norm_is_torchs(x, seed, affine, eps):
    rng = np.random.default_rng(seed)
    affinity = [rng.normal(size=x.shape[-1]).astype(dtype_name(x)) for _ in range(2 * affine)]
    expected = F.layer_norm(torch.as_tensor(x), x.shape[-1:], *map(torch.as_tensor, affinity), eps=eps)
    back_end = "torch" if isinstance(x, torch.Tensor) else "numpy"
    actual = layer_norm(x, *(to_back_end(w, back_end) for w in affinity), eps=eps)
    assert_close(to_numpy(actual), to_numpy(expected))


@given(x=float_arrays(), seed=seeds, affine=st.booleans(), eps=st.sampled_from([1e-5, 0.5]))
def test_rms_norm_is_torchs(x, seed, affine, eps):
    gains = [np.random.default_rng(seed).normal(size=x.shape[-1]).astype(dtype_name(x))] * affine
    expected = F.rms_norm(torch.as_tensor(x), x.shape[-1:], *map(torch.as_tensor, gains), eps=eps)
    back_end = "torch" if isinstance(x, torch.Tensor) else "numpy"
    assert_close(to_numpy(rms_norm(x, *(to_back_end(w, back_end) for w in gains), eps=eps)), to_numpy(expected))


TORCHS = {"gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "relu": F.relu, "silu": F.silu}


@given(x=float_arrays(min_axes=0))
def test_activations_are_torchs(x):
    for ours in (gelu, gelu_tanh, relu, silu):
        assert_close(to_numpy(ours(x)), to_numpy(TORCHS[ours.__name__](torch.as_tensor(x))))


@pytest.mark.parametrize("activation", ["gelu", "gelu_tanh", "relu", "silu"])
@pytest.mark.parametrize("back_end", ["numpy", "torch"])
def test_an_activation_does_not_overflow(activation, back_end):
    for dtype in ("float32", "float64"):
        x = to_back_end(np.array([-1e4, 1e4], dtype), back_end)
        ours = globals()[activation](x)
        assert to_numpy(ours).tolist() == [0.0, 1e4]


@given(seed=seeds, n=sizes, d_model=sizes, d_ff=sizes, activation=st.sampled_from(sorted(TORCHS)), biases=st.booleans())
def test_a_gated_feed_forward_is_the_product_of_two(seed, n, d_model, d_ff, activation, biases):
    torch.manual_seed(seed)
    up, gate, down = (nn.Linear(*shape, biases).double() for shape in [(d_model, d_ff)] * 2 + [(d_ff, d_model)])
    x = torch.randn(2, n, d_model, dtype=torch.float64)
    expected = down(TORCHS[activation](gate(x)) * up(x))
    b = {f"b_{name}": numbers(m.bias) for name, m in (("in", up), ("out", down), ("gate", gate)) if biases}
    w = FeedForwardParameters(numbers(up.weight.T), numbers(down.weight.T), w_gate=numbers(gate.weight.T), **b)
    assert_close(feed_forward(x.numpy(), w, activation=activation), numbers(expected))


# torch's encoder and decoder


def decoder_block(layer: nn.TransformerDecoderLayer) -> BlockParameters:
    return BlockParameters(
        attention=attention_from_torch(layer.self_attn),
        cross_attention=attention_from_torch(layer.multihead_attn),
        feed_forward=FeedForwardParameters(*linear_of(layer.linear1, layer.linear2)),
        norm_attention=norm_of(layer.norm1),
        norm_cross_attention=norm_of(layer.norm2),
        norm_feed_forward=norm_of(layer.norm3),
    )


def torch_stack(kind: str, norm: str, activation: Any, last_norm: bool) -> Any:
    layer_type, stack_type, extra = {
        "encoder": (nn.TransformerEncoderLayer, nn.TransformerEncoder, {"enable_nested_tensor": False}),
        "decoder": (nn.TransformerDecoderLayer, nn.TransformerDecoder, {}),
    }[kind]
    options = {"norm_first": norm == "pre", "activation": activation, "batch_first": True, "layer_norm_eps": 1e-3}
    options["bias"] = last_norm or kind == "decoder"
    layer = layer_type(D_MODEL, N_HEADS, D_FF, **options)
    return shaken(stack_type(layer, N_LAYERS, norm=nn.LayerNorm(D_MODEL, eps=1e-3) if last_norm else None, **extra))


both_norms = pytest.mark.parametrize("norm", ["pre", "post"])


@both_norms
@pytest.mark.parametrize("last_norm", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu", nn.ReLU(), nn.GELU(approximate="tanh")], ids=str)
def test_the_encoder_is_torchs(norm, last_norm, activation):
    """Without a mask, and with one for all, for each sequence and for each head."""
    stack = torch_stack("encoder", norm, activation, last_norm)
    parameters, config = encoder_from_torch(stack)
    x = torch.randn(4, 7, D_MODEL, dtype=torch.float64)
    for shape in (None, (7, 7), (4, 1, 7, 7), (4, N_HEADS, 7, 7)):
        mask = shape and random_mask(np.random.default_rng(0), shape)
        drop = None
        if mask is not None:  # torch's True means: may not attend, and its heads share an axis with the batch
            drop = torch.from_numpy(~np.broadcast_to(mask, (4, N_HEADS, 7, 7))).flatten(0, 1)
        expected = numbers(stack(x, mask=drop))
        for back_end in ("numpy", "torch"):
            rows, places, weights = (
                map_parameters(lambda a, b=back_end: to_back_end(to_numpy(a), b), tree)
                for tree in (x, np.arange(7), parameters)
            )
            own_mask = None if mask is None else to_back_end(mask, back_end)
            assert_close(to_numpy(encode(rows, weights, config, positions=places, mask=own_mask)), expected)


@both_norms
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("back_end", ["numpy", "torch"])
def test_the_decoder_with_a_memory_is_torchs(norm, activation, back_end):
    stack = torch_stack("decoder", norm, activation, last_norm=norm == "pre")
    config = TransformerConfig(
        **SIZES, norm=norm, activation=activation, n_outputs=D_MODEL, cross_attention=True, eps=1e-3
    )
    parameters = TransformerParameters(
        embedding=np.zeros((config.vocabulary_size, D_MODEL)),
        position={},
        blocks=tuple(map(decoder_block, stack.layers)),
        norm_output=norm_of(stack.norm) if stack.norm is not None else None,
        w_output=np.eye(D_MODEL),  # so that the logits are the hidden states
        b_output=np.zeros(D_MODEL),
    )
    x, memory = torch.randn(4, 7, D_MODEL, dtype=torch.float64), torch.randn(4, 5, D_MODEL, dtype=torch.float64)
    expected = numbers(stack(x, memory, tgt_mask=~causal_mask(7, like=x)))
    parameters = map_parameters(lambda w: to_back_end(to_numpy(w), back_end), parameters)
    x, memory, positions = (to_back_end(a, back_end) for a in (x.numpy(), memory.numpy(), np.arange(7)))
    logits, _ = decode(x, parameters, config, positions=positions, memory=memory)
    assert_close(to_numpy(logits), expected)


TOKENS = np.array([[3, 1, 4, 1, 5, 9, 2], [2, 7, 1, 8, 2, 8, 1]])


def test_gpt_neox_runs_through_the_decoder():
    """Rotary in halves, between layer norms. The library computes its angles in float32, hence the tolerance."""
    from transformers import GPTNeoXConfig, GPTNeoXForCausalLM

    settings = GPTNeoXConfig(
        vocab_size=11,
        hidden_size=D_MODEL,
        num_hidden_layers=N_LAYERS,
        num_attention_heads=N_HEADS,
        intermediate_size=D_FF,
        max_position_embeddings=9,
        use_parallel_residual=False,
        rotary_pct=1.0,
        hidden_act="gelu",
    )
    neox = shaken(GPTNeoXForCausalLM(settings))

    def block(layer: Any) -> BlockParameters:
        fused, out = layer.attention.query_key_value, layer.attention.dense
        # for each head, its query, its key and its value stand next to each other
        w = numbers(fused.weight.T).reshape(D_MODEL, N_HEADS, 3, -1).transpose(2, 0, 1, 3).reshape(3, D_MODEL, -1)
        b = numbers(fused.bias).reshape(N_HEADS, 3, -1).transpose(1, 0, 2).reshape(3, -1)
        return BlockParameters(
            attention=AttentionParameters(*w, numbers(out.weight.T), *b, b_output=numbers(out.bias)),
            feed_forward=FeedForwardParameters(*linear_of(layer.mlp.dense_h_to_4h, layer.mlp.dense_4h_to_h)),
            norm_attention=norm_of(layer.input_layernorm),
            norm_feed_forward=norm_of(layer.post_attention_layernorm),
        )

    body = neox.gpt_neox
    parameters = TransformerParameters(
        embedding=numbers(body.embed_in.weight),
        position={},
        blocks=tuple(map(block, body.layers)),
        norm_output=norm_of(body.final_layer_norm),
        w_output=numbers(neox.get_output_embeddings().weight.T),
        b_output=np.zeros(11),
    )
    config = TransformerConfig(**SIZES, position=Rotary(pairing="halves"))
    actual, _ = decode(TOKENS, parameters, config, positions=np.arange(7))
    np.testing.assert_allclose(actual, numbers(neox(torch.from_numpy(TOKENS)).logits), rtol=3e-6, atol=3e-6)


# The block of today: RMS norm, a gated feed-forward, shared keys and values, a tied output

LLAMAS: list[tuple[str, dict[str, int], dict[str, Any]]] = [
    (
        "two to a key",
        {"d_model": 24, "n_heads": 6, "n_key_heads": 3, "d_ff": 7, "n_layers": 3},
        {"tie_word_embeddings": True},
    ),
    (
        "three to a key, biases",
        {"d_model": 36, "n_heads": 9, "n_key_heads": 3, "d_ff": 50, "n_layers": 2},
        {"attention_bias": True, "mlp_bias": True},
    ),
    (
        "one key for all, long waves",
        {"d_model": 16, "n_heads": 4, "n_key_heads": 1, "d_ff": 9, "n_layers": 2},
        {"rope_parameters": {"rope_type": "default", "rope_theta": 1e5}},
    ),
]


class ExactRotation(nn.Module):
    """The library computes angles in float32 whatever the model's dtype: here the same angles in float64."""

    def __init__(self, base: float, d_head: int):
        super().__init__()
        self.frequencies = base ** (-torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)

    def forward(self, x: Any, position_ids: Any) -> tuple[Any, Any]:
        angles = position_ids[..., None] * self.frequencies
        return tuple(wave(torch.cat([angles, angles], dim=-1)).to(x.dtype) for wave in (torch.cos, torch.sin))


def llama_of(sizes: dict[str, int], settings: dict[str, Any], dtype: str) -> tuple[Any, Any, Any]:
    """The library's model, with random weights, and the same in ours."""
    from transformers import LlamaConfig, LlamaForCausalLM
    from transformers.models.llama.modeling_llama import LlamaRMSNorm

    library = LlamaConfig(
        vocab_size=11,
        hidden_size=sizes["d_model"],
        num_attention_heads=sizes["n_heads"],
        num_key_value_heads=sizes["n_key_heads"],
        intermediate_size=sizes["d_ff"],
        num_hidden_layers=sizes["n_layers"],
        rms_norm_eps=1e-3,
        **settings,
    )
    theirs = shaken(LlamaForCausalLM(library))
    d_model, d_head = sizes["d_model"], sizes["d_model"] // sizes["n_heads"]
    base = library.rope_parameters["rope_theta"]
    parameters, config = model_from_state_dict(theirs.state_dict(), library)
    if dtype == "float64":  # the library's norms and angles are float32 there, too
        theirs.model.rotary_emb = ExactRotation(base, d_head)
        for module in list(theirs.modules()):
            for name, child in list(module.named_children()):
                if isinstance(child, LlamaRMSNorm):
                    exact = nn.RMSNorm(d_model, eps=1e-3, dtype=torch.float64)
                    exact.weight = child.weight
                    setattr(module, name, exact)

    ours = map_parameters(lambda w: to_numpy(w).astype(dtype), parameters)
    return theirs.to(getattr(torch, dtype)), ours, config


@pytest.mark.parametrize(("sizes", "settings"), [row[1:] for row in LLAMAS], ids=[name for name, *_ in LLAMAS])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-5), ("float64", 1e-10)])
def test_llama_runs_through_the_decoder(sizes, settings, dtype, tolerance):
    """Whole and token by token with the cache: logits, and what leaves every block."""
    theirs, parameters, config = llama_of(sizes, settings, dtype)
    close = {"rtol": tolerance, "atol": tolerance}
    whole = theirs(torch.from_numpy(TOKENS), output_hidden_states=True)
    logits, _ = decode(TOKENS, parameters, config, positions=np.arange(7))
    assert dtype_name(logits) == dtype
    np.testing.assert_allclose(logits, numbers(whole.logits), **close)
    states = layer_states(TOKENS, parameters, config, positions=np.arange(7), mask=causal_mask(7))
    for state, entering in zip(states, whole.hidden_states, strict=False):
        np.testing.assert_allclose(state.x, numbers(entering), **close)

    past, cache = None, None
    for i in range(7):
        step = theirs(torch.from_numpy(TOKENS[:, i : i + 1]), past_key_values=past, use_cache=True)
        past = step.past_key_values
        logits, cache = decode(TOKENS[:, i : i + 1], parameters, config, positions=np.array([i]), cache=cache)
        np.testing.assert_allclose(logits, numbers(step.logits), **close)
    assert cache.layers[0].key.shape == (2, config.n_key_heads or config.n_heads, 7, config.d_model // config.n_heads)
