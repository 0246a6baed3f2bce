"""The exercises and the live figures on a position that is one number."""

import numpy as np
import pytest

from inorder.attention import softmax
from inorder.book.figures import why_not_just_a_number as figures
from inorder.circuits import head_weights
from inorder.transformer import layer_norm


@pytest.mark.parametrize("n", [8, 31])
def test_layer_norm_turns_the_line_into_an_arc_of_known_angles(n):
    x, head = figures.bent_head(n, 1000.0, ratio=0.4, d_model=12, seed=3)
    normed = layer_norm(x, eps=1e-12)
    phi = np.arctan((np.arange(-1, n) / (n - 1) - 0.5) / 0.4)  # that of the left neighbour of word 0, too
    stretch = np.cos(phi[1:]) / np.cos(phi[:-1])
    expected = softmax(1000.0 * stretch[:, None] * np.cos(phi[1:] - phi[:-1, None]))
    np.testing.assert_allclose(head_weights(normed, normed, head), expected, atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(normed @ head.w_key, axis=1), np.sqrt(12), rtol=1e-9)
