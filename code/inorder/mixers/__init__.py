"""The other architectures that mix tokens, each as small as it can be and still true to its paper.

- `recurrent`: Elman's network, the GRU, RWKV.
- `convolutional`: the convolution, and ViT's patch embedding.
- `mixing`: MLP-Mixer's token mixing, FNet, Deep Sets.
- `sparse_attention`: Longformer's window, Reformer's hash, alone and with sorted chunks.
- `low_rank_attention`: Linformer, Performer.
- `state_space`: S4 as a recurrence and as a convolution, H3, Mamba.

Each function is the part that mixes tokens: what stands around it in its paper (layer norm, residual, a feed-forward
layer) acts on rows alone. NumPy arrays and torch tensors both work, with any leading batch axes. `inorder.audit`
measures what each of them knows of order.
"""

from inorder._checked import check_calls
from inorder.mixers.convolutional import convolution, patch_embedding
from inorder.mixers.low_rank_attention import linformer_attention, orthogonal_directions, performer_attention
from inorder.mixers.mixing import deep_sets, fourier_mixing, token_mixing_mlp
from inorder.mixers.recurrent import GRUParameters, RWKVParameters, elman_rnn, gru, rwkv
from inorder.mixers.sparse_attention import chunked_hashed_attention, hashed_attention, sliding_window_attention
from inorder.mixers.state_space import (
    H3Parameters,
    MambaParameters,
    StateSpace,
    discretize,
    h3,
    hippo_legs,
    mamba,
    s4_convolution,
    s4_recurrence,
)

__all__ = [
    "GRUParameters",
    "H3Parameters",
    "MambaParameters",
    "RWKVParameters",
    "StateSpace",
    "chunked_hashed_attention",
    "convolution",
    "deep_sets",
    "discretize",
    "elman_rnn",
    "fourier_mixing",
    "gru",
    "h3",
    "hashed_attention",
    "hippo_legs",
    "linformer_attention",
    "mamba",
    "orthogonal_directions",
    "patch_embedding",
    "performer_attention",
    "rwkv",
    "s4_convolution",
    "s4_recurrence",
    "sliding_window_attention",
    "token_mixing_mlp",
]

check_calls(globals())
