"""Layers that mix all tokens without attention: by a network along the sequence, by a Fourier transform, by a mean.

[1] Tolstikhin et al. 2021, MLP-Mixer: An all-MLP Architecture for Vision, https://arxiv.org/abs/2105.01601
[2] Lee-Thorp et al. 2022, FNet: Mixing Tokens with Fourier Transforms, https://arxiv.org/abs/2105.03824
[3] Zaheer et al. 2017, Deep Sets, https://arxiv.org/abs/1703.06114
"""

from array_api_compat import array_namespace
from jaxtyping import Float

from inorder._arrays import Array, expect_shape
from inorder._checked import expects
from inorder.transformer.layers import FeedForwardParameters, expect_feed_forward, feed_forward


def _expect_mlp(x: Array, parameters: FeedForwardParameters, activation: str) -> None:
    """Its columns are the rows of `feed_forward`."""
    expect_shape("parameters.w_in", parameters.w_in, x.shape[-2], "d_ff")
    expect_feed_forward(parameters, activation)


@expects(_expect_mlp)
def token_mixing_mlp(
    x: Float[Array, "*batch position feature"], parameters: FeedForwardParameters, *, activation: str = "gelu"
) -> Float[Array, "*batch position feature"]:
    """MLP-Mixer's token mixing: a feed-forward layer along the sequence, the same for every feature.

        column c:  y_c = W_outᵀ activation(W_inᵀ x_c + b_in) + b_out

    w_in is (position, hidden) and w_out (hidden, position): a weight for every place, which fixes the length. The layer
    norm before it and the residual around it act on rows and are left out here. Source: [1], equation 1, first line.

    Raises ValueError: weights that do not fit the length of x; an unknown activation.

    >>> import numpy as np
    >>> turn_around = FeedForwardParameters(w_in=np.eye(3), w_out=np.eye(3)[::-1])
    >>> token_mixing_mlp(np.array([[1.0], [2.0], [3.0]]), turn_around, activation="relu").T
    array([[3., 2., 1.]])
    """
    xp = array_namespace(x)
    columns = feed_forward(xp.matrix_transpose(x), parameters, activation=activation)  # (*batch, d_model, position)
    return xp.matrix_transpose(columns)


def fourier_mixing(x: Float[Array, "*batch position d_model"]) -> Float[Array, "*batch position d_model"]:
    """FNet's mixing: Re(F_position F_feature x), a discrete Fourier transform along both axes. Nothing is learned.

        y_{kl} = Re Σ_{n,m} x_{nm} exp(−2πi (kn/N + lm/M))

    Source: [2], equation 3.

    >>> import numpy as np
    >>> fourier_mixing(np.array([[1.0], [0.0], [0.0], [0.0]])).T  # one row alone, spread over all
    array([[1., 1., 1., 1.]])
    """
    xp = array_namespace(x)
    return xp.real(xp.fft.fftn(x, axes=(-2, -1)))


def deep_sets(
    x: Float[Array, "*batch position d_model"],
    w_own: Float[Array, "d_model d_output"],
    w_mean: Float[Array, "d_model d_output"],
) -> Float[Array, "*batch position d_output"]:
    """y_i = x_i W_own + mean(x) W_mean: every row sees itself and what is the same for all.

    Every *linear* layer that commutes with all permutations has this form. Source: [3], lemma 3 and section 3.1, where
    its maximum or sum may stand for the mean.

    >>> import numpy as np
    >>> deep_sets(np.array([[1.0], [2.0], [6.0]]), np.eye(1), -np.eye(1)).T  # how far from the mean
    array([[-2., -1.,  3.]])
    """
    xp = array_namespace(x)
    return x @ w_own + xp.mean(x, axis=-2, keepdims=True) @ w_mean
