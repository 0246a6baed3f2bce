"""The exercises and the figures on heads built by hand."""

import numpy as np
import pytest

from inorder.book.checks import heads_built_by_hand as checks
from inorder.book.figures import heads_built_by_hand as figures
from inorder.circuits import head_weights, induction_shares, offset_head
from inorder.encodings import frequencies, sinusoidal_encoding


def test_other_right_ways_are_accepted():
    def by_the_head(offset, n):
        p = sinusoidal_encoding(np.arange(n), 64)
        return head_weights(p, p, offset_head(offset, 64, sharpness=1.0)).argmax(axis=1)

    assert checks.looks_at(by_the_head).passed


@pytest.mark.parametrize(
    ("offset", "message"),
    [
        (-2, "bring d."),
        (-1, "your heads bring c"),
        (2, "your heads bring"),
        (True, "expected a whole number, got bool"),
    ],
)
def test_the_word_after_next_takes_two_steps_back(offset, message):
    verdict = checks.brings_the_word_after_next(offset)
    assert verdict.passed == (offset == -2 and isinstance(offset, int)) and message in verdict.message


def test_what_a_pair_of_heads_brings_by_counting():
    for case in checks.next_word.cases:
        tokens = case["words"].argmax(axis=1)
        expected = induction_shares(tokens, case["words"].shape[1])
        np.testing.assert_allclose(checks.next_word.reference(**case), expected, atol=1e-12)


def said_of(drawn):
    return drawn[-1].parts["words"], drawn[-1].parts["sign"]


@pytest.mark.parametrize("offset", [-8, -1, 0, 2, 8])
@pytest.mark.parametrize("base", [100.0, 10_000.0])
def test_every_offset_finds_its_target_with_the_derived_weight(offset, base):
    missing = offset - np.arange(-12, 13)  # distances from the target, row 12 of 25
    kappa = np.cos(np.multiply.outer(missing, frequencies(64, base=base))).sum(axis=-1)
    expected = 1 / np.exp(2.0 * (kappa - 32)).sum()
    words, sign = said_of(figures.where_it_looks(offset, 2.0, base))
    assert words == f"Row 12 looks for {12 + offset} and gives it {expected:.2f} of its weight." and sign == "✓"
