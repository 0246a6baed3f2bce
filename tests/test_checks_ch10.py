"""The checkers of chapter 10: other right ways pass, and a wrong one is named however it is written."""

import numpy as np
import pytest

from inorder.attention import attention_scores, merge_heads, split_heads
from inorder.checks import check_clipped_bias, check_next_positions, check_other_pairing
from inorder.encodings import layout_permutation, relative_positions, rotary_encoding


def by_loops(table, n):
    reach = len(table) // 2
    return [[table[max(-reach, min(reach, j - i)) + reach] for j in range(n)] for i in range(n)]


def by_inorder(table, n):
    place = np.arange(n)
    return table[np.clip(relative_positions(place, place), -(len(table) // 2), len(table) // 2) + len(table) // 2]


def by_permutation(w, n_heads):
    heads = split_heads(w, n_heads)
    return merge_heads(heads[..., layout_permutation(heads.shape[-1])])


def by_slices(w, n_heads):
    return np.concatenate([part[:, start::2] for part in np.split(w, n_heads, axis=1) for start in (0, 1)], axis=1)


def test_other_right_ways_are_accepted():
    assert check_clipped_bias(by_loops).passed
    assert check_clipped_bias(by_inorder).passed
    assert check_other_pairing(by_permutation).passed
    assert check_other_pairing(by_slices).passed
    assert check_next_positions(lambda n_cached, n_new: n_cached + np.arange(n_new)).passed
    assert check_next_positions(lambda n_cached, n_new: list(range(n_cached, n_cached + n_new))).passed


def test_what_is_accepted_gives_the_same_scores():
    rng = np.random.default_rng(0)
    x, w_q, w_k, place = rng.normal(size=(5, 6)), *rng.normal(size=(2, 6, 12)), np.arange(5)

    def scores(weights, pairing):
        turned = [rotary_encoding(split_heads(x @ w, 3), place, pairing=pairing) for w in weights]
        return attention_scores(*turned)

    converted = [check_other_pairing.reference(w, 3) for w in (w_q, w_k)]
    np.testing.assert_allclose(scores(converted, "halves"), scores((w_q, w_k), "interleaved"), atol=1e-14)


@pytest.mark.parametrize(
    ("check", "student", "mistake"),
    [
        (check_clipped_bias, lambda t, n: np.transpose(by_loops(t, n)), "takes query minus key"),
        (check_clipped_bias, lambda t, n: np.array(by_loops(t, n))[:, ::-1], None),
        (check_other_pairing, lambda w, h: np.concatenate([w[:, ::2], w[:, 1::2]], axis=1), "reorders across all"),
        (check_other_pairing, lambda w, h: w.copy(), "leaves the columns where they are"),
        (check_next_positions, lambda c, m: range(m), "starts at 0 again in every call"),
        (check_next_positions, lambda c, m: [c] * m, "gives all new tokens the same position"),
    ],
)
def test_wrong_ways_are_told_apart(check, student, mistake):
    verdict = check(student)
    assert not verdict.passed
    assert mistake is None or verdict.mistake.says.startswith(mistake)
