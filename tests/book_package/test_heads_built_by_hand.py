"""The exercises and the figures on heads built by hand."""

import numpy as np
import pytest

from inorder.attention import softmax
from inorder.book.checks import heads_built_by_hand as checks
from inorder.book.figures import heads_built_by_hand as figures
from inorder.encodings import frequencies


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


def said_of(drawn):
    return drawn[-1].parts["words"], drawn[-1].parts["sign"]


@pytest.mark.parametrize("offset", [-5, -1, 0, 2, 5])
@pytest.mark.parametrize("row", [5, 12, 19])
def test_every_offset_finds_its_target_with_the_derived_weight(row, offset):
    missing = row + offset - np.arange(25)  # distances from the target
    kappa = np.cos(np.multiply.outer(missing, frequencies(64))).sum(axis=-1)
    weights = softmax(2.0 * kappa)
    words, sign = said_of(drawn := figures.where_it_looks(row, offset, 2.0))
    share = weights[row + offset]
    assert words == f"Row {row} looks for {row + offset} and gives it {share:.2f} of its weight." and sign == "✓"
    ink = drawn[0].parts
    np.testing.assert_allclose(ink["weights"], np.pad(weights, 5), atol=1e-12)
    assert [ink["labels"][ink[place]] for place in ("asks", "target")] == [str(row), str(row + offset)]
    assert [ink["labels"][i] for i in ink["absent"]] == [*["−5", "−4", "−3", "−2", "−1", "25", "26", "27", "28", "29"]]
