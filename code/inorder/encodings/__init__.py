"""Every way to say where a token is. Attention alone cannot tell (`inorder.symmetry`), so something has to.

- `absolute`: a vector for each position, to be added to the token or put beside it: scalar, binary, sinusoids, learned.
- `rotary`: the query and the key turned by an angle that grows with their position, at frequencies of any kind.
- `longer`: frequencies for texts longer than training.
- `biases`: a number for each pair of positions, added to the scores: ALiBi, T5, Shaw.
- `waves`: the frequencies that sinusoids and rotations share, and the two orders of their columns.

Positions are always an argument: a 1-D array of integers, (n, 2) for the patches of an image. Negative ones are legal
where only differences act (rotations, biases, shifts). NumPy arrays and torch tensors both work; device is kept and
gradients flow. Angles are computed in float64. `dtype=None` is the back end's default, `like=None` NumPy float64.
"""

from inorder._checked import check_calls
from inorder.encodings.absolute import (
    binary_encoding,
    concatenate_encoding,
    look_up,
    scalar_encoding,
    shift_matrix,
    sinusoidal_encoding,
    sinusoidal_encoding_2d,
)
from inorder.encodings.biases import (
    alibi_bias,
    alibi_slopes,
    relative_positions,
    shaw_bias,
    t5_bias,
    t5_buckets,
)
from inorder.encodings.longer import (
    interpolated_frequencies,
    llama3_frequencies,
    ntk_frequencies,
    yarn_frequencies,
    yarn_magnitude,
)
from inorder.encodings.rotary import rotary_encoding, rotary_encoding_2d, turn_pairs
from inorder.encodings.waves import frequencies, layout_permutation

__all__ = [
    "alibi_bias",
    "alibi_slopes",
    "binary_encoding",
    "concatenate_encoding",
    "frequencies",
    "interpolated_frequencies",
    "layout_permutation",
    "llama3_frequencies",
    "look_up",
    "ntk_frequencies",
    "relative_positions",
    "rotary_encoding",
    "rotary_encoding_2d",
    "scalar_encoding",
    "shaw_bias",
    "shift_matrix",
    "sinusoidal_encoding",
    "sinusoidal_encoding_2d",
    "t5_bias",
    "t5_buckets",
    "turn_pairs",
    "yarn_frequencies",
    "yarn_magnitude",
]

check_calls(globals())
