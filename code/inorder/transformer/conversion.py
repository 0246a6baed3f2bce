"""Parameters of other libraries' models, as ours: torch's modules, and the state dicts of BERT, GPT-2 and Llama.

What comes out runs through the functions of this package and gives what the original gives, up to rounding: its
weights by `layer_states`, its logits by `decode`, its text by `generate`. What these functions can't do is refused.

[1] Devlin et al. 2019, BERT, https://arxiv.org/abs/1810.04805
[2] Radford et al. 2019, Language Models are Unsupervised Multitask Learners (GPT-2)
[3] Touvron et al. 2023, LLaMA, https://arxiv.org/abs/2302.13971
"""

from collections.abc import Mapping
from typing import Any

from inorder._arrays import Array, expect, float_creation
from inorder.attention import AttentionParameters
from inorder.transformer.parameters import (
    BlockParameters,
    FeedForwardParameters,
    LayerNormParameters,
    Model,
    TransformerConfig,
    TransformerParameters,
    expect_parameters,
)
from inorder.transformer.schemes import Learned, Rotary

HF_ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}


def attention_from_torch(module: Any) -> AttentionParameters:
    """The weights of an `nn.MultiheadAttention`, for `multi_head_attention(x, x, parameters, module.num_heads)`.

    torch keeps W transposed, as (d_out, d_in), and stacks those of query, key and value. Dropout is left out, as in
    `module.eval()`. The tensors are the module's own, without their gradient.

    Raises ValueError: anything else; one with bias_kv or add_zero_attn, which give every query one more key.

    >>> from torch import nn
    >>> attention_from_torch(nn.MultiheadAttention(8, 2, kdim=6)).w_key.shape
    torch.Size([6, 8])
    """
    from torch import nn

    expect(isinstance(module, nn.MultiheadAttention), "an nn.MultiheadAttention", type(module).__name__)
    plain = module.bias_k is None and not module.add_zero_attn
    expect(plain, "a module without add_bias_kv and add_zero_attn", "one that gives each query another key")
    if module.in_proj_weight is None:
        weights = [module.q_proj_weight, module.k_proj_weight, module.v_proj_weight]
    else:
        weights = list(module.in_proj_weight.chunk(3))
    weights.append(module.out_proj.weight)
    biases = [] if module.in_proj_bias is None else [*module.in_proj_bias.chunk(3), module.out_proj.bias]
    return AttentionParameters(*(w.detach().T for w in weights), *(b.detach() for b in biases))


def block_from_torch(module: Any) -> tuple[BlockParameters, TransformerConfig]:
    """(parameters, config) of an `nn.TransformerEncoderLayer`, for `block(x, *block_from_torch(module), positions=…)`.

    The layer knows no positions, so any will do. Dropout is left out, as in `module.eval()`.

    Raises ValueError: anything else; an activation other than ReLU and GELU; two norms of different eps.

    >>> from torch import nn
    >>> parameters, config = block_from_torch(nn.TransformerEncoderLayer(8, 2, dim_feedforward=12, norm_first=True))
    >>> parameters.feed_forward.w_in.shape, config.norm, config.activation
    (torch.Size([8, 12]), 'pre', 'relu')
    """
    from torch import nn

    expect(isinstance(module, nn.TransformerEncoderLayer), "an nn.TransformerEncoderLayer", type(module).__name__)
    known = module.activation_relu_or_gelu  # torch's own note of which it is: 1, 2, or 0 for neither
    expect(known in (1, 2), "the activation relu or gelu", getattr(module.activation, "__name__", module.activation))
    eps = [module.norm1.eps, module.norm2.eps]
    expect(eps[0] == eps[1], "one eps for both norms", eps)
    weights = {name: value.detach() for name, value in module.named_parameters()}
    config = TransformerConfig(
        vocabulary_size=1,
        d_model=module.self_attn.embed_dim,
        n_heads=module.self_attn.num_heads,
        d_ff=module.linear1.out_features,
        n_layers=1,
        norm="pre" if module.norm_first else "post",
        activation="relu" if known == 1 else "gelu",
        linear_biases=module.linear1.bias is not None,
        eps=eps[0],
    )
    parameters = BlockParameters(
        attention=attention_from_torch(module.self_attn),
        cross_attention=None,
        feed_forward=FeedForwardParameters(
            w_in=weights["linear1.weight"].T,
            w_out=weights["linear2.weight"].T,
            b_in=weights.get("linear1.bias"),
            b_out=weights.get("linear2.bias"),
        ),
        norm_attention=_norm(weights, "norm1"),
        norm_cross_attention=None,
        norm_feed_forward=_norm(weights, "norm2"),
    )
    return parameters, config


def model_from_state_dict(state_dict: Mapping[str, Array], config: Any) -> Model:
    """A BERT [1], GPT-2 [2] or Llama [3] of the library transformers, as parameters and configuration of ours.

    `model_from_state_dict(theirs.state_dict(), theirs.config)`; or the arrays of a file and its config.json, read into
    a dictionary. Arrays keep their back end and dtype. Heads for a task are left out, except for the output matrix of a
    language model. For BERT, `encode` gives `last_hidden_state` for texts of one segment, and `unembed` of its first
    row what the pooler gives before its tanh; without a pooler, the output is the embedding, transposed. For the other
    two, `decode` gives the logits.

    Raises ValueError: another model_type; a setting that this package doesn't have (an activation, a scaling of the
    angles, scores scaled otherwise, a d_head of its own, biases in one part alone, a sliding window); a missing array,
    one of another shape, or one that nothing here would use.

    >>> from transformers import GPT2Config, GPT2Model
    >>> theirs = GPT2Model(GPT2Config(vocab_size=11, n_positions=9, n_embd=8, n_layer=1, n_head=2))
    >>> model = model_from_state_dict(theirs.state_dict(), theirs.config)
    >>> model.config.norm, model.config.activation, model.parameters.position["rows"].shape
    ('pre', 'gelu_tanh', torch.Size([9, 8]))
    """
    settings = config if isinstance(config, Mapping) else getattr(config, "to_dict", dict)()
    kind = str(settings.get("model_type"))
    expect(kind in READERS, f"a config with model_type {', '.join(READERS)}", repr(kind))
    prefix, reader = READERS[kind]
    arrays = NamedArrays({name.removeprefix(prefix): w for name, w in state_dict.items()})
    model = reader(arrays, settings)
    unused = [name for name in arrays if name not in arrays.used and not name.startswith(LEFT_OUT)]
    unused = [name for name in unused if not name.endswith(BUFFERS)]
    expect(not unused, f"only the arrays of a plain {kind}", f"also {', '.join(unused[:3])}")
    expect_parameters(model.parameters, TransformerParameters, model.config)
    return model


LEFT_OUT = ("cls.", "lm_head.", "classifier.", "qa_outputs.", "score.", "pooler.", "multiple_choice_head.")
BUFFERS = (".attn.bias", ".attn.masked_bias", "position_ids", "token_type_ids", "rotary_emb.inv_freq")


class NamedArrays(dict):
    """Arrays by name, which remember what was asked for."""

    def __init__(self, arrays: dict[str, Any]) -> None:
        super().__init__(arrays)
        self.used: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        expect(name in self, f"an array {name} in the state dict", f"{len(self)} others")
        self.used.add(name)
        w = super().__getitem__(name)
        return w.detach() if hasattr(w, "detach") else w

    def linear(self, name: str, bias: bool = True) -> tuple[Any, Any]:
        """torch's Linear keeps W as (d_out, d_in)."""
        return self[f"{name}.weight"].T, self[f"{name}.bias"] if bias else None


def _norm(arrays: Mapping[str, Any], name: str) -> LayerNormParameters:
    """With a bias of 0 where torch's layer norm has none."""
    gain = arrays[f"{name}.weight"]
    bias = arrays[f"{name}.bias"] if f"{name}.bias" in arrays else 0 * gain
    return LayerNormParameters(gain, bias)


def _activation(settings: Mapping[str, Any], name: str) -> str:
    expect(settings[name] in HF_ACTIVATIONS, f"{name} to be one of {', '.join(HF_ACTIVATIONS)}", repr(settings[name]))
    return HF_ACTIVATIONS[settings[name]]


def _expect_settings(settings: Mapping[str, Any], **expected: Any) -> None:
    """Each of these settings is what it must be, where the configuration names it."""
    for name, value in expected.items():
        got = settings.get(name, value)
        expect(got == value, f"{name} to be {value!r}, which is all that this package has", repr(got))


def _bert(w: NamedArrays, settings: Mapping[str, Any]) -> Model:
    _expect_settings(settings, position_embedding_type="absolute", is_decoder=False, add_cross_attention=False)
    pooled = "pooler.dense.weight" in w
    config = TransformerConfig(
        vocabulary_size=settings["vocab_size"],
        d_model=settings["hidden_size"],
        n_heads=settings["num_attention_heads"],
        d_ff=settings["intermediate_size"],
        n_layers=settings["num_hidden_layers"],
        position=Learned(length=settings["max_position_embeddings"]),
        norm="post",
        norm_embedding=True,
        activation=_activation(settings, "hidden_act"),
        n_outputs=settings["hidden_size"] if pooled else None,
        tied_output=not pooled,
        eps=settings["layer_norm_eps"],
    )
    return Model(bert_parameters(w, config), config)


def bert_parameters(w: NamedArrays, config: TransformerConfig) -> TransformerParameters:
    """Those of a BERT for texts of one segment, whose row of the table is added to all word vectors."""

    def block(name: str) -> BlockParameters:
        places = ("self.query", "self.key", "self.value", "output.dense")
        weights, biases = zip(*(w.linear(f"{name}.attention.{place}") for place in places), strict=True)
        (w_in, b_in), (w_out, b_out) = w.linear(f"{name}.intermediate.dense"), w.linear(f"{name}.output.dense")
        return BlockParameters(
            attention=AttentionParameters(*weights, *biases),
            cross_attention=None,
            feed_forward=FeedForwardParameters(w_in, w_out, b_in, b_out),
            norm_attention=_norm(w, f"{name}.attention.output.LayerNorm"),
            norm_cross_attention=None,
            norm_feed_forward=_norm(w, f"{name}.output.LayerNorm"),
        )

    embedding = w["embeddings.word_embeddings.weight"] + w["embeddings.token_type_embeddings.weight"][0]
    w_output, b_output = (None, _zeros(embedding)) if config.tied_output else w.linear("pooler.dense")
    return TransformerParameters(
        embedding=embedding,
        position={"rows": w["embeddings.position_embeddings.weight"]},
        blocks=tuple(block(f"encoder.layer.{i}") for i in range(config.n_layers)),
        norm_embedding=_norm(w, "embeddings.LayerNorm"),
        norm_output=None,
        w_output=w_output,
        b_output=b_output,
    )


def _gpt2(w: NamedArrays, settings: Mapping[str, Any]) -> Model:
    _expect_settings(
        settings,
        add_cross_attention=False,
        scale_attn_weights=True,
        scale_attn_by_inverse_layer_idx=False,
        tie_word_embeddings=True,
    )
    config = TransformerConfig(
        vocabulary_size=settings["vocab_size"],
        d_model=settings["n_embd"],
        n_heads=settings["n_head"],
        d_ff=settings.get("n_inner") or 4 * settings["n_embd"],
        n_layers=settings["n_layer"],
        position=Learned(length=settings["n_positions"]),
        activation=_activation(settings, "activation_function"),
        tied_output=True,
        eps=settings["layer_norm_epsilon"],
    )
    d_model = config.d_model

    def block(name: str) -> BlockParameters:
        """Its Conv1D keeps W as we do, and those of query, key and value side by side."""
        w_all, b_all = w[f"{name}.attn.c_attn.weight"], w[f"{name}.attn.c_attn.bias"]
        w_query, w_key, w_value = (w_all[:, i * d_model : (i + 1) * d_model] for i in range(3))
        b_query, b_key, b_value = (b_all[i * d_model : (i + 1) * d_model] for i in range(3))
        w_output, b_output = w[f"{name}.attn.c_proj.weight"], w[f"{name}.attn.c_proj.bias"]
        return BlockParameters(
            attention=AttentionParameters(w_query, w_key, w_value, w_output, b_query, b_key, b_value, b_output),
            cross_attention=None,
            feed_forward=FeedForwardParameters(
                w_in=w[f"{name}.mlp.c_fc.weight"],
                w_out=w[f"{name}.mlp.c_proj.weight"],
                b_in=w[f"{name}.mlp.c_fc.bias"],
                b_out=w[f"{name}.mlp.c_proj.bias"],
            ),
            norm_attention=_norm(w, f"{name}.ln_1"),
            norm_cross_attention=None,
            norm_feed_forward=_norm(w, f"{name}.ln_2"),
        )

    embedding = w["wte.weight"]
    parameters = TransformerParameters(
        embedding=embedding,
        position={"rows": w["wpe.weight"]},
        blocks=tuple(block(f"h.{i}") for i in range(config.n_layers)),
        norm_embedding=None,
        norm_output=_norm(w, "ln_f"),
        w_output=None,
        b_output=_zeros(embedding),
    )
    return Model(parameters, config)


def _llama(w: NamedArrays, settings: Mapping[str, Any]) -> Model:
    biases = bool(settings.get("attention_bias", False))
    _expect_settings(settings, mlp_bias=biases, sliding_window=None)
    d_head = settings["hidden_size"] // settings["num_attention_heads"]
    expect(settings.get("head_dim") in (None, d_head), f"head_dim to be {d_head}", settings.get("head_dim"))
    angles = settings.get("rope_parameters") or settings.get("rope_scaling") or {}
    _expect_settings(angles, rope_type="default", partial_rotary_factor=1.0)
    tied = bool(settings.get("tie_word_embeddings", False))
    config = TransformerConfig(
        vocabulary_size=settings["vocab_size"],
        d_model=settings["hidden_size"],
        n_heads=settings["num_attention_heads"],
        n_key_heads=settings.get("num_key_value_heads"),
        d_ff=settings["intermediate_size"],
        n_layers=settings["num_hidden_layers"],
        position=Rotary(base=angles.get("rope_theta") or settings.get("rope_theta", 10_000.0), pairing="halves"),
        norm_kind="rms",
        activation=_activation(settings, "hidden_act"),
        gated=True,
        linear_biases=biases,
        tied_output=tied,
        eps=settings["rms_norm_eps"],
    )

    def norm(name: str) -> LayerNormParameters:
        return LayerNormParameters(w[f"{name}.weight"])

    def block(name: str) -> BlockParameters:
        own = [w.linear(f"{name}.self_attn.{part}_proj", biases) for part in "qkvo"]
        up, down, gate = (w.linear(f"{name}.mlp.{part}_proj", biases) for part in ("up", "down", "gate"))
        return BlockParameters(
            attention=AttentionParameters(*(weight for weight, _ in own), *(bias for _, bias in own)),
            cross_attention=None,
            feed_forward=FeedForwardParameters(up[0], down[0], up[1], down[1], *gate),
            norm_attention=norm(f"{name}.input_layernorm"),
            norm_cross_attention=None,
            norm_feed_forward=norm(f"{name}.post_attention_layernorm"),
        )

    embedding = w["embed_tokens.weight"]
    w_output = None if tied else w["lm_head.weight" if "lm_head.weight" in w else "embed_tokens.weight"].T
    parameters = TransformerParameters(
        embedding=embedding,
        position={},
        blocks=tuple(block(f"layers.{i}") for i in range(config.n_layers)),
        norm_embedding=None,
        norm_output=norm("norm"),
        w_output=w_output,
        b_output=_zeros(embedding) if biases else None,
    )
    return Model(parameters, config)


def _zeros(embedding: Array) -> Array:
    """One for each token."""
    xp, device, dtype = float_creation(embedding)
    return xp.zeros(embedding.shape[0], dtype=dtype, device=device)


READERS = {"bert": ("bert.", _bert), "gpt2": ("transformer.", _gpt2), "llama": ("model.", _llama)}
