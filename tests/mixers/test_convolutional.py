"""The convolution and the patch embedding beside torch."""

import numpy as np
import pytest
import torch

from inorder.mixers import convolution, patch_embedding

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("width", [1, 3, 5, 9])
def test_convolution_is_torchs(width: int) -> None:
    x, kernel, bias = RNG.normal(size=(3, 6, 5)), RNG.normal(size=(width, 5, 4)), RNG.normal(size=4)
    columns, filters = torch.tensor(x).mT, torch.tensor(kernel.transpose(2, 1, 0))
    theirs = torch.nn.functional.conv1d(columns, filters, torch.tensor(bias), padding="same")
    np.testing.assert_allclose(convolution(x, kernel, bias), theirs.mT.numpy(), atol=1e-13)


def test_patch_embedding_is_a_strided_convolution() -> None:
    image, bias, patch = RNG.normal(size=(2, 6, 9, 4)), RNG.normal(size=5), 3
    weight = RNG.normal(size=(patch * patch * 4, 5))
    filters = torch.tensor(weight.reshape(patch, patch, 4, 5)).permute(3, 2, 0, 1)
    theirs = torch.nn.functional.conv2d(torch.tensor(image).permute(0, 3, 1, 2), filters, torch.tensor(bias), patch)
    ours = patch_embedding(image, weight, bias, patch_size=patch)
    assert ours.shape == (2, 6, 5)
    np.testing.assert_allclose(ours, theirs.flatten(2).mT.numpy(), atol=1e-13)
