"""The checkers of chapter 7: other right ways pass, and a wrong one is named however it is written."""

import numpy as np
import pytest

from inorder.checks import check_pair_variance, check_shifted, check_wavelengths
from inorder.encodings import frequencies, shift_matrix, sinusoidal_encoding


def test_other_right_ways_are_accepted():
    def by_dirichlet(n, d_model, base):
        omega = frequencies(d_model, base=base)
        return 1 - (np.sin(n * omega / 2) / (n * np.sin(omega / 2))) ** 2

    def by_numpy(n, d_model, base):
        encoding = sinusoidal_encoding(np.arange(n), d_model, base=base)
        return encoding.var(axis=0).reshape(-1, 2).sum(axis=1)

    assert check_wavelengths(lambda d, base: 2 * np.pi / frequencies(d, base=base)).passed
    assert check_wavelengths(lambda d, base: [2 * np.pi * base ** (2 * j / d) for j in range(d // 2)]).passed
    assert check_shifted(lambda rows, k, base: rows @ shift_matrix(k, rows.shape[1], base=base)).passed
    assert check_pair_variance(by_dirichlet).passed
    assert check_pair_variance(by_numpy).passed


@pytest.mark.parametrize(
    ("check", "student", "mistake"),
    [
        (check_wavelengths, lambda d, base: frequencies(d, base=base), "gives the frequencies"),
        (check_wavelengths, lambda d, base: 1 / frequencies(d, base=base), "forgets the 2π"),
        (check_wavelengths, lambda d, base: 2 * np.pi / frequencies(d, base=base)[::-1], None),
        (
            check_shifted,
            lambda rows, k, base: rows @ shift_matrix(k, rows.shape[1], base=base).T,
            "turns the hands the wrong way",
        ),
        (
            check_shifted,
            lambda rows, k, base: rows @ shift_matrix(k, rows.shape[1], base=base, layout="halves"),
            "takes the columns for halves",
        ),
        (check_shifted, lambda rows, k, base: rows, None),
        (check_pair_variance, lambda n, d, base: np.ones(d // 2), "does not subtract the mean"),
        (
            check_pair_variance,
            lambda n, d, base: sinusoidal_encoding(np.arange(n), d, base=base).var(axis=0)[::2],
            "looks at the sine alone",
        ),
    ],
)
def test_wrong_ways_are_told_apart(check, student, mistake):
    verdict = check(student)
    assert not verdict.passed
    assert mistake is None or verdict.mistake.says == mistake
