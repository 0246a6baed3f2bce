"""`inorder.transformer` against torch's modules and the transformers library, the weights of which run through ours."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from inorder.attention import AttentionParameters, causal_mask
from inorder.encodings import layout_permutation
from inorder.transformer import (
    FeedForwardParameters,
    Learned,
    Rotary,
    TransformerConfig,
    TransformerParameters,
    decode,
    encode,
    feed_forward,
    flatten_parameters,
    gelu,
    gelu_tanh,
    layer_norm,
    layer_states,
    map_parameters,
    relu,
    rms_norm,
    silu,
    unflatten_parameters,
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
from transformer_models import llama_parameters, shaken

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


def attention_of(module: nn.MultiheadAttention) -> AttentionParameters:
    weights = [numbers(w.T) for w in (*module.in_proj_weight.chunk(3), module.out_proj.weight)]
    return AttentionParameters(*weights, *map(numbers, (*module.in_proj_bias.chunk(3), module.out_proj.bias)))


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


@given(
    seed=seeds, n=sizes, d_model=sizes, d_ff=sizes, activation=st.sampled_from(["relu", "gelu"]), biases=st.booleans()
)
def test_feed_forward_is_torchs(seed, n, d_model, d_ff, activation, biases):
    torch.manual_seed(seed)
    act = nn.ReLU() if activation == "relu" else nn.GELU()
    theirs = nn.Sequential(nn.Linear(d_model, d_ff, biases), act, nn.Linear(d_ff, d_model, biases)).double()
    x = torch.randn(2, n, d_model, dtype=torch.float64)
    w = [numbers(theirs[0].weight.T), numbers(theirs[2].weight.T)]
    b = [numbers(theirs[0].bias), numbers(theirs[2].bias)] if biases else []
    actual = feed_forward(x.numpy(), FeedForwardParameters(*w, *b), activation=activation)
    assert_close(actual, numbers(theirs(x)))


# torch's encoder and decoder


def block_of(layer: Any) -> BlockParameters:
    decoder = isinstance(layer, nn.TransformerDecoderLayer)
    return BlockParameters(
        attention=attention_of(layer.self_attn),
        cross_attention=attention_of(layer.multihead_attn) if decoder else None,
        feed_forward=FeedForwardParameters(*linear_of(layer.linear1, layer.linear2)),
        norm_attention=norm_of(layer.norm1),
        norm_cross_attention=norm_of(layer.norm2) if decoder else None,
        norm_feed_forward=norm_of(layer.norm3 if decoder else layer.norm2),
    )


def model_of(stack: Any, config: TransformerConfig) -> TransformerParameters:
    return TransformerParameters(
        embedding=np.zeros((config.vocabulary_size, D_MODEL)),
        position={},
        blocks=tuple(map(block_of, stack.layers)),
        norm_embedding=None,
        norm_output=norm_of(stack.norm) if stack.norm is not None else None,
        w_output=np.eye(D_MODEL),  # so that the logits are the hidden states
        b_output=np.zeros(D_MODEL),
    )


def torch_stack(kind: str, norm: str, activation: str) -> Any:
    layer_type, stack_type, extra = {
        "encoder": (nn.TransformerEncoderLayer, nn.TransformerEncoder, {"enable_nested_tensor": False}),
        "decoder": (nn.TransformerDecoderLayer, nn.TransformerDecoder, {}),
    }[kind]
    options = {"norm_first": norm == "pre", "activation": activation, "batch_first": True, "layer_norm_eps": 1e-3}
    layer = layer_type(D_MODEL, N_HEADS, D_FF, **options)
    return shaken(stack_type(layer, N_LAYERS, norm=nn.LayerNorm(D_MODEL, eps=1e-3) if norm == "pre" else None, **extra))


both_norms = pytest.mark.parametrize("norm", ["pre", "post"])
both_activations = pytest.mark.parametrize("activation", ["relu", "gelu"])


@both_norms
@both_activations
@pytest.mark.parametrize("masked", ["not", "alike", "each sequence", "each head"])
@pytest.mark.parametrize("back_end", ["numpy", "torch"])
def test_the_encoder_is_torchs(norm, activation, masked, back_end):
    stack = torch_stack("encoder", norm, activation)
    config = TransformerConfig(**SIZES, norm=norm, activation=activation, n_outputs=D_MODEL, eps=1e-3)
    x = torch.randn(4, 7, D_MODEL, dtype=torch.float64)
    shape = {"not": None, "alike": (7, 7), "each sequence": (4, 1, 7, 7), "each head": (4, N_HEADS, 7, 7)}[masked]
    mask = shape and random_mask(np.random.default_rng(0), shape)
    drop = None
    if mask is not None:  # torch's True means: may not attend, and its heads share an axis with the batch
        drop = torch.from_numpy(~np.broadcast_to(mask, (4, N_HEADS, 7, 7))).flatten(0, 1)
    expected = numbers(stack(x, mask=drop))
    parameters = map_parameters(lambda w: to_back_end(w, back_end), model_of(stack, config))
    actual = encode(
        to_back_end(x.numpy(), back_end),
        parameters,
        config,
        positions=to_back_end(np.arange(7), back_end),
        mask=None if mask is None else to_back_end(mask, back_end),
    )
    assert_close(to_numpy(actual), expected)


@both_norms
@both_activations
@pytest.mark.parametrize("back_end", ["numpy", "torch"])
def test_the_decoder_with_a_memory_is_torchs(norm, activation, back_end):
    stack = torch_stack("decoder", norm, activation)
    config = TransformerConfig(
        **SIZES, norm=norm, activation=activation, n_outputs=D_MODEL, cross_attention=True, eps=1e-3
    )
    x, memory = torch.randn(4, 7, D_MODEL, dtype=torch.float64), torch.randn(4, 5, D_MODEL, dtype=torch.float64)
    expected = numbers(stack(x, memory, tgt_mask=~causal_mask(7, like=x)))
    parameters = map_parameters(lambda w: to_back_end(w, back_end), model_of(stack, config))
    x, memory, positions = (to_back_end(a, back_end) for a in (x.numpy(), memory.numpy(), np.arange(7)))
    logits, _ = decode(x, parameters, config, positions=positions, memory=memory)
    assert_close(to_numpy(logits), expected)


# Three published models, as the transformers library runs them, with random weights


def published_blocks(layers: Any, names: dict[str, str], attention: Any) -> tuple[BlockParameters, ...]:
    def at(layer: Any, path: str) -> Any:
        for name in path.split("."):
            layer = getattr(layer, name)
        return layer

    blocks = []
    for layer in layers:
        parts = {name: at(layer, path) for name, path in names.items()}
        up, down = parts["up"], parts["down"]
        conv = not isinstance(up, nn.Linear)  # GPT-2's Conv1D keeps W as we do
        w = [numbers(m.weight if conv else m.weight.T) for m in (up, down)]
        blocks.append(
            BlockParameters(
                attention=attention(layer),
                cross_attention=None,
                feed_forward=FeedForwardParameters(*w, numbers(up.bias), numbers(down.bias)),
                norm_attention=norm_of(parts["norm_attention"]),
                norm_cross_attention=None,
                norm_feed_forward=norm_of(parts["norm_feed_forward"]),
            )
        )
    return tuple(blocks)


TOKENS = np.array([[3, 1, 4, 1, 5, 9, 2], [2, 7, 1, 8, 2, 8, 1]])


def test_bert_runs_through_the_encoder():
    """Post-norm, learned positions, a norm after the embedding. All tokens are of type 0, so that row joins theirs."""
    from transformers import BertConfig, BertModel

    settings = BertConfig(
        vocab_size=11,
        hidden_size=D_MODEL,
        num_hidden_layers=N_LAYERS,
        num_attention_heads=N_HEADS,
        intermediate_size=D_FF,
        max_position_embeddings=9,
    )
    bert = shaken(BertModel(settings, add_pooling_layer=False))

    def attention(layer: Any) -> AttentionParameters:
        own = layer.attention.self
        return AttentionParameters(*linear_of(own.query, own.key, own.value, layer.attention.output.dense))

    names = {
        "up": "intermediate.dense",
        "down": "output.dense",
        "norm_attention": "attention.output.LayerNorm",
        "norm_feed_forward": "output.LayerNorm",
    }
    config = TransformerConfig(
        **SIZES, position=Learned(length=9), norm="post", norm_embedding=True, eps=settings.layer_norm_eps
    )
    embeddings = bert.embeddings
    parameters = TransformerParameters(
        embedding=numbers(embeddings.word_embeddings.weight + embeddings.token_type_embeddings.weight[0]),
        position={"rows": numbers(embeddings.position_embeddings.weight)},
        blocks=published_blocks(bert.encoder.layer, names, attention),
        norm_embedding=norm_of(embeddings.LayerNorm),
        norm_output=None,
        w_output=np.zeros((D_MODEL, 11)),
        b_output=np.zeros(11),
    )
    keep = np.ones((2, 7), dtype=bool)
    keep[1, 5:] = False  # the second text is shorter: its last two tokens are padding
    theirs = bert(torch.from_numpy(TOKENS), torch.from_numpy(keep).long(), output_hidden_states=True)
    settings = {"positions": np.arange(7), "mask": np.broadcast_to(keep[:, None, None, :], (2, 1, 7, 7))}
    assert_close(encode(TOKENS, parameters, config, **settings), numbers(theirs.last_hidden_state))
    states = list(layer_states(TOKENS, parameters, config, **settings))
    for state, entering in zip(states, theirs.hidden_states, strict=False):
        assert_close(state.x, numbers(entering))


@pytest.mark.parametrize("with_cache", [False, True])
def test_gpt2_runs_through_the_decoder(with_cache):
    from transformers import GPT2Config, GPT2LMHeadModel

    settings = GPT2Config(
        vocab_size=11,
        n_embd=D_MODEL,
        n_layer=N_LAYERS,
        n_head=N_HEADS,
        n_inner=D_FF,
        n_positions=9,
        activation_function="gelu",
        bos_token_id=0,
        eos_token_id=0,
    )
    gpt2 = shaken(GPT2LMHeadModel(settings))

    def attention(layer: Any) -> AttentionParameters:
        w, b = numbers(layer.attn.c_attn.weight), numbers(layer.attn.c_attn.bias)
        out = layer.attn.c_proj
        return AttentionParameters(
            *np.split(w, 3, axis=1), numbers(out.weight), *np.split(b, 3), b_output=numbers(out.bias)
        )

    names = {"up": "mlp.c_fc", "down": "mlp.c_proj", "norm_attention": "ln_1", "norm_feed_forward": "ln_2"}
    config = TransformerConfig(**SIZES, position=Learned(length=9))
    body = gpt2.transformer
    parameters = TransformerParameters(
        embedding=numbers(body.wte.weight),
        position={"rows": numbers(body.wpe.weight)},
        blocks=published_blocks(body.h, names, attention),
        norm_embedding=None,
        norm_output=norm_of(body.ln_f),
        w_output=numbers(body.wte.weight.T),
        b_output=np.zeros(11),
    )
    check_decoder(gpt2, parameters, config, with_cache, tolerance=1e-12)


@pytest.mark.parametrize("with_cache", [False, True])
def test_gpt_neox_runs_through_the_decoder(with_cache):
    """Rotary in halves. The library computes its angles in float32, hence the tolerance."""
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

    def attention(layer: Any) -> AttentionParameters:
        fused, out = layer.attention.query_key_value, layer.attention.dense
        # for each head, its query, its key and its value stand next to each other
        w = numbers(fused.weight.T).reshape(D_MODEL, N_HEADS, 3, -1).transpose(2, 0, 1, 3).reshape(3, D_MODEL, -1)
        b = numbers(fused.bias).reshape(N_HEADS, 3, -1).transpose(1, 0, 2).reshape(3, -1)
        return AttentionParameters(*w, numbers(out.weight.T), *b, b_output=numbers(out.bias))

    names = {
        "up": "mlp.dense_h_to_4h",
        "down": "mlp.dense_4h_to_h",
        "norm_attention": "input_layernorm",
        "norm_feed_forward": "post_attention_layernorm",
    }
    config = TransformerConfig(**SIZES, position=Rotary(pairing="halves"))
    parameters = TransformerParameters(
        embedding=numbers(neox.gpt_neox.embed_in.weight),
        position={},
        blocks=published_blocks(neox.gpt_neox.layers, names, attention),
        norm_embedding=None,
        norm_output=norm_of(neox.gpt_neox.final_layer_norm),
        w_output=numbers(neox.embed_out.weight.T if hasattr(neox, "embed_out") else neox.lm_head.weight.T),
        b_output=np.zeros(11),
    )
    check_decoder(neox, parameters, config, with_cache, tolerance=3e-6)


def check_decoder(theirs: Any, parameters: TransformerParameters, config: Any, with_cache: bool, tolerance: float):
    tokens = torch.from_numpy(TOKENS)
    if not with_cache:
        expected = theirs(tokens).logits
        actual, _ = decode(TOKENS, parameters, config, positions=np.arange(7))
    else:
        past = theirs(tokens[:, :4], use_cache=True).past_key_values
        expected = theirs(tokens[:, 4:], past_key_values=past).logits
        _, cache = decode(TOKENS[:, :4], parameters, config, positions=np.arange(4))
        actual, _ = decode(TOKENS[:, 4:], parameters, config, positions=np.arange(4, 7), cache=cache)
    np.testing.assert_allclose(actual, numbers(expected), rtol=tolerance, atol=tolerance)


# The block of today: RMS norm, a gated feed-forward, shared keys and values, a tied output

LLAMAS: dict[str, dict[str, Any]] = {
    "each head its key": {"d_model": 12, "n_heads": 3, "d_ff": 20, "n_layers": 2},
    "two to a key": {"d_model": 24, "n_heads": 6, "n_key_heads": 3, "d_ff": 7, "n_layers": 3, "tied_output": True},
    "three to a key, biases": {"d_model": 36, "n_heads": 9, "n_key_heads": 3, "d_ff": 50, "linear_biases": True},
    "one key for all, long waves": {"d_model": 16, "n_heads": 4, "n_key_heads": 1, "d_ff": 9, "base": 1e5},
}


class ExactRotation(nn.Module):
    """The library computes angles in float32 whatever the model's dtype: here the same angles in float64."""

    def __init__(self, base: float, d_head: int):
        super().__init__()
        self.frequencies = base ** (-torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)

    def forward(self, x: Any, position_ids: Any) -> tuple[Any, Any]:
        angles = position_ids[..., None] * self.frequencies
        return tuple(wave(torch.cat([angles, angles], dim=-1)).to(x.dtype) for wave in (torch.cos, torch.sin))


def llama_of(settings: dict[str, Any], pairing: str, dtype: str) -> tuple[Any, TransformerParameters, Any]:
    """The library's model, with random weights, and the same in ours."""
    from transformers import LlamaConfig, LlamaForCausalLM
    from transformers.models.llama.modeling_llama import LlamaRMSNorm

    sizes = {"n_layers": 2, "linear_biases": False, "tied_output": False, "base": 1e4} | settings
    base, d_head = sizes.pop("base"), sizes["d_model"] // sizes["n_heads"]
    config = TransformerConfig(
        **sizes,
        vocabulary_size=11,
        position=Rotary(base, pairing),
        norm_kind="rms",
        activation="silu",
        gated=True,
        eps=1e-3,
    )
    theirs = shaken(
        LlamaForCausalLM(
            LlamaConfig(
                vocab_size=11,
                hidden_size=config.d_model,
                intermediate_size=config.d_ff,
                num_hidden_layers=config.n_layers,
                num_attention_heads=config.n_heads,
                num_key_value_heads=config.n_key_heads or config.n_heads,
                rms_norm_eps=1e-3,
                rope_theta=base,
                attention_bias=config.linear_biases,
                mlp_bias=config.linear_biases,
                tie_word_embeddings=config.tied_output,
                attn_implementation="sdpa",
            )
        )
    )
    if dtype == "float64":  # the library's norms and angles are float32 there, too
        theirs.model.rotary_emb = ExactRotation(base, d_head)
        for module in list(theirs.modules()):
            for name, child in list(module.named_children()):
                if isinstance(child, LlamaRMSNorm):
                    exact = nn.RMSNorm(config.d_model, eps=1e-3, dtype=torch.float64)
                    exact.weight = child.weight
                    setattr(module, name, exact)

    def columns(w: np.ndarray) -> np.ndarray:
        """In the library a frequency's two columns stand half a head apart."""
        if pairing == "halves":
            return w
        heads = w.reshape(*w.shape[:-1], -1, d_head)
        return heads[..., layout_permutation(d_head, to="interleaved")].reshape(w.shape)

    parameters = llama_parameters(theirs, config, columns)
    return theirs.to(getattr(torch, dtype)), map_parameters(lambda w: w.astype(dtype), parameters), config


@pytest.mark.parametrize("settings", LLAMAS.values(), ids=LLAMAS)
@pytest.mark.parametrize("pairing", ["halves", "interleaved"])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-5), ("float64", 1e-10)])
def test_llama_runs_through_the_decoder(settings, pairing, dtype, tolerance):
    """Whole and token by token with the cache: logits, and what leaves every block."""
    theirs, parameters, config = llama_of(settings, pairing, dtype)
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


def test_a_mutated_llama_is_refused_by_name():
    """Every array of it: left out, too wide, of another dtype; and one too many."""
    _, parameters, config = llama_of(LLAMAS["two to a key"], "halves", "float64")
    flat = flatten_parameters(parameters)
    for name, w in flat.items():
        others = {other: array for other, array in flat.items() if other != name}
        fits = f"expected {name} of shape {w.shape}"
        single = "w_query of embedding's" if name == "embedding" else f"{name} of embedding's"  # the first is the rule
        for mutated, message in [
            (others | {name: np.concatenate([w, w], axis=-1)}, fits),
            (others, f"{fits}, got none"),
            ({**flat, name: w.astype("f4")}, single),
        ]:
            with pytest.raises(ValueError, match=re.escape(message)):
                unflatten_parameters(mutated, config)
    w = flat["embedding"].T
    for extra in ("w_output", "blocks.0.norm_attention.bias", "blocks.2.feed_forward.b_gate"):
        with pytest.raises(ValueError, match=f"expected parameters without {extra}, which this configuration"):
            unflatten_parameters({**flat, extra: w}, config)
    for change in ({"n_key_heads": None}, {"n_key_heads": 1}, {"gated": False}, {"norm_kind": "layer"}):
        with pytest.raises(ValueError, match=r"(attention.w_key|feed_forward.w_gate|norm_attention.bias)"):
            decode(TOKENS, parameters, replace(config, **change), positions=np.arange(7))
