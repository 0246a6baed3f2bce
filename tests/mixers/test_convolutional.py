"""The convolution and the patch embedding beside torch."""

import numpy as np
import pytest
import torch

from inorder.mixers import convolution, patch_embedding

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(("width", "causal"), [(1, False), (3, False), (5, False), (1, True), (4, True), (9, True)])
def test_convolution_is_torchs(width: int, causal: bool) -> None:
    x, kernel, bias = RNG.normal(size=(3, 6, 5)), RNG.normal(size=(width, 5, 4)), RNG.normal(size=4)
    before = width - 1 if causal else width // 2
    padded = torch.nn.functional.pad(torch.tensor(x).mT, (before, width - 1 - before))
    theirs = torch.nn.functional.conv1d(padded, torch.tensor(kernel.transpose(2, 1, 0)), torch.tensor(bias))
    np.testing.assert_allclose(convolution(x, kernel, bias, causal=causal), theirs.mT.numpy(), atol=1e-13)


def test_patch_embedding_is_a_strided_convolution() -> None:
    image, bias, patch = RNG.normal(size=(2, 6, 9, 4)), RNG.normal(size=5), 3
    weight = RNG.normal(size=(patch * patch * 4, 5))
    filters = torch.tensor(weight.reshape(patch, patch, 4, 5)).permute(3, 2, 0, 1)
    theirs = torch.nn.functional.conv2d(torch.tensor(image).permute(0, 3, 1, 2), filters, torch.tensor(bias), patch)
    ours = patch_embedding(image, weight, bias, patch_size=patch)
    assert ours.shape == (2, 6, 5)
    np.testing.assert_allclose(ours, theirs.flatten(2).mT.numpy(), atol=1e-13)


def test_bad_input(types_unchecked: None) -> None:
    with pytest.raises(ValueError, match="expected a kernel of odd width, which has a centre, got 2"):
        convolution(np.ones((4, 1)), np.ones((2, 1, 1)))
    with pytest.raises(ValueError, match=r"expected kernel of shape \(width, 2, d_output\), got \(3, 1, 1\)"):
        convolution(np.ones((4, 2)), np.ones((3, 1, 1)))
    with pytest.raises(ValueError, match=r"expected bias of shape \(1,\), got \(2,\)"):
        convolution(np.ones((4, 1)), np.ones((3, 1, 1)), np.ones(2))
    with pytest.raises(ValueError, match=r"sides patch_size = 2 divides, got \(4, 3, 1\)"):
        patch_embedding(np.ones((4, 3, 1)), np.ones((4, 1)), patch_size=2)
    with pytest.raises(ValueError, match=r"expected weight of shape \(4, d_model\), got \(3, 1\)"):
        patch_embedding(np.ones((4, 4, 1)), np.ones((3, 1)), patch_size=2)
