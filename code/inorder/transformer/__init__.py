"""A transformer, whole: encoder and causal decoder, with the position scheme as one setting of one model.

Read it in this order:

- `layers`: norm, feed-forward; `block`: the block made of them and of attention.
- `schemes`: the ways to say where a token is, each as up to three hooks: in its row, in query and key, in the scores.
- `parameters`: the configuration, and the tree of weights that belongs to it; `trees`: the same for any tree of arrays.
- `model`: tokens in, hidden states out (`encode`) or logits out (`decode`, with a key/value cache).
- `generation`: how a text continues, token by token.
- `conversion`: other libraries' weights as ours.

Everything is a plain function of its inputs and of a tree of arrays. NumPy arrays and torch tensors both work; dtype
and device are kept and gradients flow. Tokens may have leading batch axes; positions are always an argument, shared
by all sequences of a call or given for each.
"""

from inorder._checked import check_calls
from inorder.transformer.block import LayerState, block
from inorder.transformer.conversion import (
    attention_from_torch,
    block_from_torch,
    encoder_from_torch,
    model_from_state_dict,
)
from inorder.transformer.generation import generate
from inorder.transformer.layers import feed_forward, gelu, gelu_tanh, layer_norm, relu, rms_norm, silu
from inorder.transformer.model import KeyValueCache, decode, embed, encode, layer_states, unembed
from inorder.transformer.parameters import (
    FeedForwardParameters,
    Model,
    TransformerConfig,
    TransformerParameters,
    fresh_model,
    init_parameters,
    unflatten_parameters,
)
from inorder.transformer.schemes import (
    SCHEMES,
    T5,
    Alibi,
    Binary,
    Learned,
    PositionScheme,
    Rotary,
    Scalar,
    ScaledRotary,
    Shaw,
    Sinusoidal,
)
from inorder.transformer.trees import flatten_parameters, map_parameters

__all__ = [
    "SCHEMES",
    "T5",
    "Alibi",
    "Binary",
    "FeedForwardParameters",
    "KeyValueCache",
    "LayerState",
    "Learned",
    "Model",
    "PositionScheme",
    "Rotary",
    "Scalar",
    "ScaledRotary",
    "Shaw",
    "Sinusoidal",
    "TransformerConfig",
    "TransformerParameters",
    "attention_from_torch",
    "block",
    "block_from_torch",
    "decode",
    "embed",
    "encode",
    "encoder_from_torch",
    "feed_forward",
    "flatten_parameters",
    "fresh_model",
    "gelu",
    "gelu_tanh",
    "generate",
    "init_parameters",
    "layer_norm",
    "layer_states",
    "map_parameters",
    "model_from_state_dict",
    "relu",
    "rms_norm",
    "silu",
    "unembed",
    "unflatten_parameters",
]

check_calls(globals())
