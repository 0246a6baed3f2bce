"""Layers that see through a window of fixed width, the same everywhere.

[1] LeCun et al. 1989, Backpropagation Applied to Handwritten Zip Code Recognition,
    https://doi.org/10.1162/neco.1989.1.4.541
[2] Dosovitskiy et al. 2021, An Image is Worth 16×16 Words (ViT), https://arxiv.org/abs/2010.11929
"""

from array_api_compat import array_namespace
from einops import rearrange
from jaxtyping import Float

from inorder._arrays import Array, expect, expect_count
from inorder._checked import expects


def convolution(
    x: Float[Array, "*batch position d_input"],
    kernel: Float[Array, "width d_input d_output"],
    bias: Float[Array, " d_output"] | None = None,
) -> Float[Array, "*batch position d_output"]:
    """y_i = Σ_k x_{i + k − c} K_k + b: every offset has a weight matrix of its own. Rows outside the text are 0.

    The centre c is (width − 1)/2. (What deep learning calls a convolution: the kernel is not turned around.)
    Source: [1], in one dimension.

    Raises ValueError: an even width.

    >>> import numpy as np
    >>> from_the_left = np.array([[[1.0]], [[0.0]], [[0.0]]])
    >>> convolution(np.array([[1.0], [2.0], [3.0]]), from_the_left).T
    array([[0., 1., 2.]])
    """
    xp = array_namespace(x)
    width, n = kernel.shape[0], x.shape[-2]
    expect(width % 2 == 1, "a kernel of odd width, which has a centre", width)
    zeros = xp.zeros((*x.shape[:-2], width // 2, x.shape[-1]), dtype=x.dtype, device=x.device)
    padded = xp.concat([zeros, x, zeros], axis=-2)
    y = sum(padded[..., k : k + n, :] @ kernel[k, :, :] for k in range(width))
    return y if bias is None else y + bias


def _expect_patches(image: Array, patch_size: int) -> None:
    expect_count("patch_size", patch_size)
    fits = image.shape[-3] % patch_size == 0 and image.shape[-2] % patch_size == 0
    expect(fits, f"an image whose sides patch_size = {patch_size} divides", tuple(image.shape))


@expects(_expect_patches)
def patch_embedding(
    image: Float[Array, "*batch row column channel"],
    weight: Float[Array, "{patch_size}**2*channel d_model"],
    bias: Float[Array, " d_model"] | None = None,
    *,
    patch_size: int,
) -> Float[Array, "*batch patch d_model"]:
    """One token for each patch: its pixels in a row, times W, plus b. Patches are read row by row.

    W is (patch_size² · channel, d_model). As a convolution it is one of width and stride patch_size: no patch sees
    another, so the embedding knows nothing of where a patch was. Source: [2], section 3.1 and equation 1.

    Raises ValueError: an image that patch_size does not divide.

    >>> import numpy as np
    >>> image = np.arange(8.0).reshape(2, 4, 1)
    >>> patch_embedding(image, np.ones((4, 1)), patch_size=2).T  # the sum of each 2 × 2 patch
    array([[10., 18.]])
    """
    pattern = "... (row height) (column width) channel -> ... (row column) (height width channel)"
    patches = rearrange(image, pattern, height=patch_size, width=patch_size)  # (*batch, patch, pixels)
    return patches @ weight if bias is None else patches @ weight + bias
