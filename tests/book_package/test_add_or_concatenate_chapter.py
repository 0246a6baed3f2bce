"""The exercises and the live figures on adding or concatenating."""

import numpy as np
import pytest

from inorder.book.checks import add_or_concatenate as checks
from inorder.book.figures import add_or_concatenate as figures
from inorder.circuits import position_readout
from inorder.widgets.marks import view_matrix


def affine_error(x, p):
    """How far the best affine map from the sums to their tokens' vectors stays from them."""
    sums = np.column_stack([(x[:, None] + p).reshape(-1, x.shape[1]), np.ones(len(x) * len(p))])
    targets = np.repeat(x, len(p), axis=0)
    return np.abs(sums @ np.linalg.lstsq(sums, targets, rcond=None)[0] - targets).max()


@pytest.mark.parametrize("case", range(9))
def test_exact_means_that_an_affine_map_reads_the_token(case):
    tables = checks.is_exact.cases[case]
    assert (affine_error(**tables) < 1e-9) == checks.is_exact.reference(**tables)


def said(drawn):
    return drawn[-1].parts["words"], drawn[-1].parts["sign"]


def sums_of(drawn):
    """The twelve sums, (position, word, axis), and the positions, (position, axis)."""
    *_, words, others, positions = drawn[0].parts["layers"]
    return np.concatenate([words["xyz"], others["xyz"]]).reshape(4, 3, 3), positions["xyz"]


@pytest.mark.parametrize("around", [-90, 30])
@pytest.mark.parametrize("lean", [10, 30, 60, 90])
def test_seen_along_the_plane_only_positions_are_left(lean, around):
    drawn = figures.plane_and_line(lean, around, 0)
    sums, positions = sums_of(drawn)
    heights = sums @ view_matrix(*drawn[0].parts["view"])[:, 1]
    rise = 1.2 * np.sin(np.radians(lean))
    np.testing.assert_allclose(heights, np.repeat(rise * np.arange(4)[:, None], 3, axis=1), atol=1e-12)
    cancelling = position_readout(sums[0], positions)  # the same by least squares: C, which gives the positions back
    np.testing.assert_allclose(sums @ cancelling, (heights / rise)[..., None] * positions[1], atol=1e-12)
    words = f"Only positions are left: each is {rise:.1f} higher than the one before."
    assert said(drawn) == (words, "✓")


def test_a_head_for_its_own_word_is_told_what_it_lacks():
    words, positions = checks.own_word_tables()
    assert checks.finds_its_own_word(position_readout(positions, words)).passed
    for readout, hint in (
        (np.eye(64), "not evenly"),
        (np.zeros((64, 64)), "must keep them"),
        (np.eye(3), "(3, 3)"),
        ("eye", "matrix of numbers"),
    ):
        verdict = checks.finds_its_own_word(readout)
        assert not verdict.passed and hint in verdict.message
