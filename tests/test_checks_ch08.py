"""The checkers of chapter 8: other right ways pass, and a wrong one is named however it is written."""

import numpy as np
import pytest

from inorder.checks import check_pair_score, check_shift_block
from inorder.encodings import frequencies, shift_matrix, sinusoidal_encoding


def test_other_right_ways_are_accepted():
    def by_dot_product(distance, d_model):
        first, second = sinusoidal_encoding(np.array([50, 50 + distance]), d_model)
        return first @ second

    def by_the_book(omega, offset):
        turn = np.exp(1j * omega * offset)
        return [[turn.real, -turn.imag], [turn.imag, turn.real]]

    assert check_pair_score(by_dot_product).passed
    assert check_shift_block(by_the_book).passed


def test_the_block_is_a_block_of_the_shift_matrix():
    omega = frequencies(6)[1]
    np.testing.assert_allclose(check_shift_block.reference(omega, 3), shift_matrix(3, 6)[2:4, 2:4])


def slow(distance, d_model):
    return sum(np.cos(distance / 10_000 ** (j / d_model)) for j in range(d_model // 2))


@pytest.mark.parametrize(
    ("check", "student", "mistake"),
    [
        (check_pair_score, slow, "makes the frequencies fall too slowly"),
        (check_pair_score, lambda k, d: np.cos(k * frequencies(d)).mean(), "divides by the number of frequencies"),
        (check_shift_block, lambda w, k: shift_matrix(1, 2) if w == 1 else _block(w, -k), None),
        (check_shift_block, lambda w, k: _block(w, k).T, "shifts the other way"),
    ],
)
def test_wrong_ways_are_told_apart(check, student, mistake):
    verdict = check(student)
    assert not verdict.passed
    assert mistake is None or verdict.mistake.says == mistake


def _block(omega, offset):
    return np.array(
        [[np.cos(omega * offset), -np.sin(omega * offset)], [np.sin(omega * offset), np.cos(omega * offset)]]
    )
