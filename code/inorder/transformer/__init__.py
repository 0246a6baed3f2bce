"""A transformer, whole: encoder and causal decoder, with the position scheme as one setting of one model.

Read it in this order:

- `block`: layer norm, feed-forward, residual, and the block made of them and of attention.
- `schemes`: the ways to say where a token is, each as up to three hooks: in its row, in query and key, in the scores.
- `parameters`: the configuration, and the tree of weights that belongs to it.
- `model`: tokens in, hidden states out (`encode`) or logits out (`decode`, with a key/value cache), and `generate`.

Everything is a plain function of its inputs and of a tree of arrays. NumPy arrays and torch tensors both work; dtype
and device are kept and gradients flow. Tokens may have leading batch axes; all sequences of a call share their
positions, and positions are always an argument.
"""

from inorder.transformer.block import (
    KeyValueRows,
    LayerState,
    append_rows,
    block,
    feed_forward,
    gelu,
    layer_norm,
    linear,
    relu,
    residual,
)
from inorder.transformer.model import (
    KeyValueCache,
    decode,
    embed,
    encode,
    generate,
    layer_states,
    prefix_mask,
    unembed,
)
from inorder.transformer.parameters import (
    BlockParameters,
    FeedForwardParameters,
    LayerNormParameters,
    TransformerConfig,
    TransformerParameters,
    init_parameters,
    map_parameters,
    named_parameters,
    parameter_shapes,
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
    Shaw,
    Sinusoidal,
    WrittenScheme,
)

__all__ = [
    "SCHEMES",
    "T5",
    "Alibi",
    "Binary",
    "BlockParameters",
    "FeedForwardParameters",
    "KeyValueCache",
    "KeyValueRows",
    "LayerNormParameters",
    "LayerState",
    "Learned",
    "PositionScheme",
    "Rotary",
    "Scalar",
    "Shaw",
    "Sinusoidal",
    "TransformerConfig",
    "TransformerParameters",
    "WrittenScheme",
    "append_rows",
    "block",
    "decode",
    "embed",
    "encode",
    "feed_forward",
    "gelu",
    "generate",
    "init_parameters",
    "layer_norm",
    "layer_states",
    "linear",
    "map_parameters",
    "named_parameters",
    "parameter_shapes",
    "prefix_mask",
    "relu",
    "residual",
    "unembed",
]
