"""The checkers of chapter 9: other right ways pass, and a wrong one is named however it is written."""

import numpy as np
import pytest

from inorder.checks import check_is_exact, check_look_up, check_sum_of_projections


def affine_error(x, p):
    """How far the best affine map from the sums to their tokens' vectors stays from them."""
    sums = np.column_stack([(x[:, None] + p).reshape(-1, x.shape[1]), np.ones(len(x) * len(p))])
    targets = np.repeat(x, len(p), axis=0)
    return np.abs(sums @ np.linalg.lstsq(sums, targets, rcond=None)[0] - targets).max()


def test_other_right_ways_are_accepted():
    def by_einsum(x, p, w):
        return np.einsum("nd,dm->nm", np.hstack([x, p]), w)

    def by_intersection(x, p):
        tokens, positions = x[1:] - x[:-1], p[1:] - p[:-1]
        spans = [np.linalg.matrix_rank(each) for each in (tokens, positions, np.vstack([tokens, positions]))]
        return int(spans[0] + spans[1] - spans[2] == 0)

    def by_scores(vector, table):
        return (table @ vector - (table**2).sum(axis=1) / 2).argmax()

    assert check_sum_of_projections(by_einsum).passed
    assert check_is_exact(by_intersection).passed
    assert check_look_up(by_scores).passed


def test_the_cases_hold_both_answers():
    answers = [bool(check_is_exact.reference(**case)) for case in check_is_exact.cases]
    assert answers == [False, True, False, True, False, True, True, False, True]


@pytest.mark.parametrize("case", range(9))
def test_exact_means_that_an_affine_map_reads_the_token(case):
    tables = check_is_exact.cases[case]
    assert (affine_error(**tables) < 1e-9) == check_is_exact.reference(**tables)


@pytest.mark.parametrize(
    ("check", "student", "mistake"),
    [
        (check_sum_of_projections, lambda x, p, w: (np.hstack([p, x])) @ w, "gives the position the first rows of W"),
        (check_look_up, lambda v, t: np.linalg.norm(t - v, axis=1).argmax(), "takes the farthest"),
        (check_look_up, lambda v, t: (v @ t.T).argmax(), "takes the largest dot product"),
        (check_is_exact, lambda x, p: x.shape[1] + 2 >= len(x) + len(p), "counts rows instead of ranks"),
    ],
)
def test_wrong_ways_are_told_apart(check, student, mistake):
    verdict = check(student)
    assert not verdict.passed
    assert verdict.mistake.says == mistake
