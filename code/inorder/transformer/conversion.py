"""Parameters of other libraries' models, as ours: torch's modules; BERT, GPT-2 and the Llama family of transformers.

What comes out runs through the functions of this package and gives what the original gives, up to rounding: its
weights by `layer_states`, its logits by `decode`, its text by `generate`. What these functions can't do is refused.

[1] Devlin et al. 2019, BERT, https://arxiv.org/abs/1810.04805
[2] Radford et al. 2019, Language Models are Unsupervised Multitask Learners (GPT-2)
[3] Touvron et al. 2023, LLaMA, https://arxiv.org/abs/2302.13971
"""

import difflib
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from inorder._arrays import Array, expect, float_creation
from inorder.attention.heads import AttentionParameters
from inorder.transformer.parameters import (
    BlockParameters,
    FeedForwardParameters,
    LayerNormParameters,
    Model,
    TransformerConfig,
    TransformerParameters,
    expect_parameters,
)
from inorder.transformer.schemes import Learned, PositionScheme, Rotary, ScaledRotary

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
    `module.eval()`. The tensors are the module's own, without their gradient. Here x is (batch, position, d_model);
    torch's is (position, batch, d_model) unless the module has batch_first=True.

    Raises ValueError: anything else, a subclass or a module with hooks included; one with bias_kv or add_zero_attn,
    which give every query one more key.

    >>> from torch import nn
    >>> attention_from_torch(nn.MultiheadAttention(8, 2, kdim=6)).w_key.shape
    torch.Size([6, 8])
    """
    from torch import nn

    _expect_plain(module, nn.MultiheadAttention)
    _expect_plain(module.out_proj, nn.modules.linear.NonDynamicallyQuantizableLinear)
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

    The layer knows no positions, so any will do. Dropout is left out, as in `module.eval()`. Here x is (batch,
    position, d_model); torch's is (position, batch, d_model) unless the layer has batch_first=True.

    Raises ValueError: anything else, a subclass, a layer whose parts or methods were replaced and one with hooks
    included; an activation other than ReLU and GELU; two norms of different eps.

    >>> from torch import nn
    >>> parameters, config = block_from_torch(nn.TransformerEncoderLayer(8, 2, dim_feedforward=12, norm_first=True))
    >>> parameters.feed_forward.w_in.shape, config.norm, config.activation
    (torch.Size([8, 12]), 'pre', 'relu')
    """
    from torch import nn

    _expect_plain(module, nn.TransformerEncoderLayer)
    dropouts = (nn.Dropout, "dropout", "dropout1", "dropout2")
    for kind, *names in ((nn.Linear, "linear1", "linear2"), (nn.LayerNorm, "norm1", "norm2"), dropouts):
        for name in names:
            _expect_plain(getattr(module, name), kind)
    eps = [module.norm1.eps, module.norm2.eps]
    expect(eps[0] == eps[1], "one eps for both norms", eps)
    weights = NamedArrays(dict(module.named_parameters()), "a parameter {} in the layer")
    biases = module.linear1.bias is not None
    config = TransformerConfig(
        vocabulary_size=1,
        d_model=module.self_attn.embed_dim,
        n_heads=module.self_attn.num_heads,
        d_ff=module.linear1.out_features,
        n_layers=1,
        norm="pre" if module.norm_first else "post",
        activation=_activation_of_torch(module.activation),
        linear_biases=biases,
        eps=eps[0],
        encoder_only=True,
    )
    (w_in, b_in), (w_out, b_out) = (weights.linear(name, biases) for name in ("linear1", "linear2"))
    parameters = BlockParameters(
        attention=attention_from_torch(module.self_attn),
        feed_forward=FeedForwardParameters(w_in, w_out, b_in, b_out),
        norm_attention=_norm(weights, "norm1"),
        norm_feed_forward=_norm(weights, "norm2"),
    )
    return parameters, config


def encoder_from_torch(module: Any) -> Model:
    """A whole `nn.TransformerEncoder`: `encode(x, *encoder_from_torch(module), positions=…)`, where x holds rows,
    (batch, position, d_model).

    As `block_from_torch`; an encoder has no token vectors, so the embedding is one row of zeros.

    Raises ValueError: as `block_from_torch`; layers of different settings; a last norm of another eps.

    >>> from torch import nn
    >>> layer = nn.TransformerEncoderLayer(8, 2, dim_feedforward=12)
    >>> encoder_from_torch(nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)).config.n_layers
    3
    """
    from torch import nn

    _expect_plain(module, nn.TransformerEncoder)
    blocks, configs = zip(*map(block_from_torch, module.layers), strict=True)
    expect(len(set(configs)) == 1, "layers of one configuration", " and ".join(map(str, dict.fromkeys(configs))))
    if module.norm is not None:
        _expect_plain(module.norm, nn.LayerNorm)
        expect(module.norm.eps == configs[0].eps, f"a last norm whose eps is the layers' {configs[0].eps}", module.norm)
    embedding = 0 * blocks[0].attention.w_query[:1]
    config = replace(configs[0], n_layers=len(blocks), tied_output=True, norm_output=module.norm is not None)
    weights = NamedArrays(dict(module.named_parameters()), "a parameter {} in the encoder")
    parameters = TransformerParameters(
        embedding=embedding,
        position={},
        blocks=blocks,
        norm_output=_norm(weights, "norm") if config.norm_output else None,
        b_output=_zeros(embedding) if config.linear_biases else None,
    )
    return Model(parameters, config)


def _expect_plain(module: Any, kind: type) -> None:
    """A module of this very class, which computes what the class computes."""
    name = type(module).__name__
    whose = f"{type(module).__module__}." * (name == kind.__name__)
    expect(type(module) is kind, f"an nn.{kind.__name__}", f"{whose}{name}{', a subclass' * isinstance(module, kind)}")
    own = [name for name in vars(module) if hasattr(kind, name) and callable(getattr(kind, name))]
    expect(not own, f"the {kind.__name__} of torch", f"one whose {', '.join(own)} was replaced")
    hooks = module._forward_hooks or module._forward_pre_hooks
    expect(not hooks, f"an nn.{kind.__name__} without hooks", f"{len(hooks)}, which may change what it computes")


def _activation_of_torch(activation: Any) -> str:
    """What `module.activation` computes, by itself: the layer's note of it is not kept up to date."""
    from torch import nn
    from torch.nn import functional

    kind = type(activation)
    if kind in (nn.GELU, nn.ReLU):
        _expect_plain(activation, kind)
    if kind is nn.GELU:
        return "gelu_tanh" if activation.approximate == "tanh" else "gelu"
    relu = activation is functional.relu or kind is nn.ReLU
    name = getattr(activation, "__name__", activation)
    expect(relu or activation is functional.gelu, "torch's own activation relu or gelu", name)
    return "relu" if relu else "gelu"


def model_from_state_dict(state_dict: Any, config: Any) -> Model:
    """A BERT [1], GPT-2 [2], Llama [3], Mistral, Qwen2 or Qwen3 of the library transformers, as ours.

    `model_from_state_dict(theirs.state_dict(), theirs.config)`; or the arrays of a file and its config.json, read into
    a dictionary. Arrays keep their back end and dtype; the prefixes of wrappers (`module.`, `_orig_mod.`, `model.`) and
    BERT's old names `gamma` and `beta` are understood. Heads for a task are left out, except for the output matrix of a
    language model, which is the file's own wherever it differs from the embedding. A bias that the architecture leaves
    out where it has others is 0 here. For BERT, `encode` gives `last_hidden_state` for texts of one segment, and
    `unembed` of its first row what the pooler gives before its tanh; without a pooler, the output is the embedding,
    transposed. For the others, `decode` gives the logits. Of the scalings of the angles there are llama3, linear and
    yarn (`ScaledRotary`).

    Raises ValueError: another model_type; a setting that this package doesn't have (an activation, another scaling of
    the angles, scores scaled otherwise, a sliding window, quantised weights); a missing array or setting, with the
    nearest names that are there; an array of another shape, or one that nothing here would use.

    >>> from transformers import GPT2Config, GPT2Model
    >>> theirs = GPT2Model(GPT2Config(vocab_size=11, n_positions=9, n_embd=8, n_layer=1, n_head=2))
    >>> model = model_from_state_dict(theirs.state_dict(), theirs.config)
    >>> model.config.norm, model.config.activation, model.parameters.position["rows"].shape
    ('pre', 'gelu_tanh', torch.Size([9, 8]))
    """
    known = isinstance(config, Mapping) or hasattr(config, "to_dict")
    expect(known, "a config of transformers, or its dictionary", type(config).__name__)
    settings = config if isinstance(config, Mapping) else config.to_dict()
    settings = NamedArrays(settings, "a setting {} in the configuration")
    kind = str(settings.get("model_type"))
    expect(kind in READERS, f"a config with model_type {', '.join(READERS)}", repr(kind))
    advice = "; a model's is model.state_dict()" if hasattr(state_dict, "state_dict") else ""
    expect(isinstance(state_dict, Mapping), "a state dict, arrays by name", f"{type(state_dict).__name__}{advice}")
    fits = [isinstance(name, str) and hasattr(w, "shape") for name, w in state_dict.items()]
    other = next((name for name, fit in zip(state_dict, fits, strict=True) if not fit), None)
    if other is not None:
        got = f"{type(state_dict[other]).__name__} as {other!r}"
        expect(False, "a state dict, arrays by name", f"{got}{', which may be it' * (other == 'state_dict')}")
    _expect_settings(settings, **UNDERSTOOD["any"], **UNDERSTOOD.get(kind, UNDERSTOOD["llama"]))
    names = {name: _plain_name(name) for name in state_dict}
    counts = Counter(names.values())
    twice = [name for name, plain in names.items() if counts[plain] > 1]
    expect(not twice, "each array once", f"{' and '.join(twice[:2])}, which are one name without their prefixes")
    arrays = NamedArrays({names[name]: w for name, w in state_dict.items()}, "an array {} in the state dict")
    model = READERS[kind](arrays, settings)
    unused = [name for name in arrays if name not in arrays.used and not name.startswith(LEFT_OUT)]
    unused = [name for name in unused if not name.endswith(BUFFERS)]
    expect(not unused, f"only the arrays of a plain {kind}", f"also {', '.join(unused[:3])}")
    expect_parameters(model.parameters, TransformerParameters, model.config)
    return model


# What is understood of a configuration, where it names these settings: these values, and no others. A scaling
# of the angles is understood by `SCALINGS`, an activation by `HF_ACTIVATIONS`.
UNDERSTOOD: dict[str, dict[str, Any]] = {
    "any": {"quantization_config": None},
    "bert": {"position_embedding_type": "absolute", "is_decoder": False, "add_cross_attention": False},
    "gpt2": {"add_cross_attention": False, "scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False},
    "llama": {"partial_rotary_factor": 1.0},  # and its relatives
    "rope_parameters": {"partial_rotary_factor": 1.0, "truncate": True},
}
LEFT_OUT = ("cls.", "classifier.", "qa_outputs.", "score.", "multiple_choice_head.")
BUFFERS = (".attn.bias", ".attn.masked_bias", "position_ids", "token_type_ids", "rotary_emb.inv_freq")


def _plain_name(name: str) -> str:
    """Without the prefixes of wrappers and of the bare model; BERT's gain and bias as torch calls them."""
    name = re.sub(r"^((module|model|transformer|bert)\.)+", "", name.replace("_orig_mod.", ""))
    return re.sub(r"(?<=LayerNorm\.)(gamma|beta)$", lambda old: {"gamma": "weight", "beta": "bias"}[old[0]], name)


class NamedArrays(dict):
    """Arrays (or settings) by name, which remember what was asked for; `what` says what one is, for messages."""

    def __init__(self, arrays: Mapping[str, Any], what: str) -> None:
        super().__init__(arrays)
        self.what = what
        self.used: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        if name not in self:
            nearest = difflib.get_close_matches(name, map(str, self), n=3, cutoff=0.0)
            raise ValueError(f"expected {self.what.format(name)}, got {len(self)} others, such as {', '.join(nearest)}")
        self.used.add(name)
        w = super().__getitem__(name)
        return w.detach() if hasattr(w, "detach") else w

    def linear(self, name: str, bias: bool = True) -> tuple[Any, Any]:
        """torch's Linear keeps W as (d_out, d_in)."""
        return self[f"{name}.weight"].T, self[f"{name}.bias"] if bias else None

    def output(self, name: str, *, tied: bool) -> Any:
        """The output matrix of a language model: the file's own, or None where that is the embedding."""
        embedding = self[name]
        if tied and "lm_head.weight" not in self:
            return None
        head = self["lm_head.weight"]
        same = tied and tuple(head.shape) == tuple(embedding.shape) and bool((head == embedding).all())
        return None if same else head.T


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


def _bert(w: NamedArrays, settings: NamedArrays) -> Model:
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
        encoder_only=True,
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
            feed_forward=FeedForwardParameters(w_in, w_out, b_in, b_out),
            norm_attention=_norm(w, f"{name}.attention.output.LayerNorm"),
            norm_feed_forward=_norm(w, f"{name}.output.LayerNorm"),
        )

    embedding = w["embeddings.word_embeddings.weight"] + w["embeddings.token_type_embeddings.weight"][0]
    w_output, b_output = (None, _zeros(embedding)) if config.tied_output else w.linear("pooler.dense")
    return TransformerParameters(
        embedding=embedding,
        position={"rows": w["embeddings.position_embeddings.weight"]},
        blocks=tuple(block(f"encoder.layer.{i}") for i in range(config.n_layers)),
        norm_embedding=_norm(w, "embeddings.LayerNorm"),
        w_output=w_output,
        b_output=b_output,
    )


def _gpt2(w: NamedArrays, settings: NamedArrays) -> Model:
    w_output = w.output("wte.weight", tied=settings.get("tie_word_embeddings", True))
    config = TransformerConfig(
        vocabulary_size=settings["vocab_size"],
        d_model=settings["n_embd"],
        n_heads=settings["n_head"],
        d_ff=settings.get("n_inner") or 4 * settings["n_embd"],
        n_layers=settings["n_layer"],
        position=Learned(length=settings["n_positions"]),
        activation=_activation(settings, "activation_function"),
        tied_output=w_output is None,
        eps=settings["layer_norm_epsilon"],
    )
    parts = [slice(i * config.d_model, (i + 1) * config.d_model) for i in range(3)]  # of query, key and value

    def linear(name: str) -> tuple[Any, Any]:
        """Its Conv1D keeps W as we do."""
        return w[f"{name}.weight"], w[f"{name}.bias"]

    def block(name: str) -> BlockParameters:
        (w_all, b_all), (w_merged, b_merged) = linear(f"{name}.attn.c_attn"), linear(f"{name}.attn.c_proj")
        (w_in, b_in), (w_out, b_out) = linear(f"{name}.mlp.c_fc"), linear(f"{name}.mlp.c_proj")
        weights, biases = [w_all[:, part] for part in parts], [b_all[part] for part in parts]
        return BlockParameters(
            attention=AttentionParameters._make([*weights, w_merged, *biases, b_merged]),
            feed_forward=FeedForwardParameters(w_in, w_out, b_in, b_out),
            norm_attention=_norm(w, f"{name}.ln_1"),
            norm_feed_forward=_norm(w, f"{name}.ln_2"),
        )

    embedding = w["wte.weight"]
    parameters = TransformerParameters(
        embedding=embedding,
        position={"rows": w["wpe.weight"]},
        blocks=tuple(block(f"h.{i}") for i in range(config.n_layers)),
        norm_output=_norm(w, "ln_f"),
        w_output=w_output,
        b_output=_zeros(embedding),
    )
    return Model(parameters, config)


def _llama(w: NamedArrays, settings: NamedArrays, *, biased: str | None = None, normed: bool = False) -> Model:
    """biased: which of q, k, v and o always have a bias; None: all or none, as attention_bias says."""
    if biased is None:
        biased = "qkvo" if settings.get("attention_bias") else ""
    mlp_biased = bool(settings.get("mlp_bias"))
    if settings.get("use_sliding_window", not settings["model_type"].startswith("qwen")):
        _expect_settings(settings, sliding_window=None)
    w_output = w.output("embed_tokens.weight", tied=settings.get("tie_word_embeddings", False))
    config = TransformerConfig(
        vocabulary_size=settings["vocab_size"],
        d_model=settings["hidden_size"],
        n_heads=settings["num_attention_heads"],
        d_head=settings.get("head_dim"),
        n_key_heads=settings.get("num_key_value_heads"),
        d_ff=settings["intermediate_size"],
        n_layers=settings["num_hidden_layers"],
        position=_rotary(settings),
        norm_kind="rms",
        activation=_activation(settings, "hidden_act"),
        gated=True,
        linear_biases=bool(biased) or mlp_biased,
        query_key_norm=normed,
        tied_output=w_output is None,
        eps=settings["rms_norm_eps"],
    )

    def norm(name: str) -> LayerNormParameters:
        return LayerNormParameters(w[f"{name}.weight"])

    def linear(name: str, has_bias: bool) -> tuple[Any, Any]:
        weight, bias = w.linear(name, has_bias)
        return weight, 0 * weight[0] if bias is None and config.linear_biases else bias

    def block(name: str) -> BlockParameters:
        own = [linear(f"{name}.self_attn.{part}_proj", part in biased) for part in "qkvo"]
        up, down, gate = (linear(f"{name}.mlp.{part}_proj", mlp_biased) for part in ("up", "down", "gate"))
        return BlockParameters(
            attention=AttentionParameters(*(weight for weight, _ in own), *(bias for _, bias in own)),
            feed_forward=FeedForwardParameters(up[0], down[0], up[1], down[1], *gate),
            norm_attention=norm(f"{name}.input_layernorm"),
            norm_feed_forward=norm(f"{name}.post_attention_layernorm"),
            norm_query=norm(f"{name}.self_attn.q_norm") if normed else None,
            norm_key=norm(f"{name}.self_attn.k_norm") if normed else None,
        )

    embedding = w["embed_tokens.weight"]
    parameters = TransformerParameters(
        embedding=embedding,
        position={},
        blocks=tuple(block(f"layers.{i}") for i in range(config.n_layers)),
        norm_output=norm("norm"),
        w_output=w_output,
        b_output=_zeros(embedding) if config.linear_biases else None,
    )
    return Model(parameters, config)


# What `ScaledRotary` calls the scalings of the angles, and their own keys in a configuration: those that must be there,
# and those that may.
SCALINGS = {
    "linear": ("interpolated", {"factor"}, set()),
    "yarn": ("yarn", {"factor"}, {"original_max_position_embeddings", "beta_fast", "beta_slow"}),
    "llama3": ("llama3", {"factor", "low_freq_factor", "high_freq_factor"}, {"original_max_position_embeddings"}),
}


def _rotary(settings: NamedArrays) -> PositionScheme:
    angles = settings.get("rope_scaling") or settings.get("rope_parameters") or {}  # as the library does
    angles = NamedArrays(
        {name: value for name, value in angles.items() if value is not None}, "rope_parameters with {}"
    )
    kind = angles.get("rope_type", angles.get("type", "default"))
    expect(kind == "default" or kind in SCALINGS, f"rope_type to be one of default, {', '.join(SCALINGS)}", repr(kind))
    base = angles.get("rope_theta") or settings.get("rope_theta") or 10_000.0
    _expect_settings(angles, **UNDERSTOOD["rope_parameters"])
    scaling, required, optional = SCALINGS.get(kind, ("", set(), set()))
    general = {"rope_type", "type", "rope_theta", "partial_rotary_factor", "truncate"}
    unknown = sorted(set(angles) - general - required - optional)
    expect(not unknown, f"rope_parameters of {', '.join(sorted(general | required | optional))}", ", ".join(unknown))
    if kind == "default":
        return Rotary(base=base, pairing="halves")
    values = {name: angles[name] for name in required}
    return ScaledRotary(
        base=base,
        pairing="halves",
        scaling=scaling,
        factor=values["factor"],
        trained_length=angles.get("original_max_position_embeddings") or settings["max_position_embeddings"],
        slow=values.get("low_freq_factor", angles.get("beta_slow", 1.0)),
        fast=values.get("high_freq_factor", angles.get("beta_fast", 32.0)),
    )


def _zeros(embedding: Array) -> Array:
    """One for each token."""
    xp, device, dtype = float_creation(embedding)
    return xp.zeros(embedding.shape[0], dtype=dtype, device=device)


READERS: dict[str, Callable[[NamedArrays, NamedArrays], Model]] = {
    "bert": _bert,
    "gpt2": _gpt2,
    "llama": _llama,
    "mistral": partial(_llama, biased=""),
    "qwen2": partial(_llama, biased="qkv"),
    "qwen3": partial(_llama, normed=True),
}
