"""The exercises and the figures on what Q, K and V are."""

import numpy as np
import pytest
import torch

from inorder.attention import scaled_dot_product_attention
from inorder.book.checks import what_are_q_k_and_v as checks
from inorder.book.figures import what_are_q_k_and_v as figures
from inorder.book.sentence import KEYS, QUERIES, VALUES, WORDS


def by_loops(query, key, value, sharpness):
    rows = []
    for q in query:
        weights = [float(np.exp(-sharpness * sum((q - k) ** 2) / 2)) for k in key]
        rows.append(sum(w * v for w, v in zip(weights, value, strict=True)) / sum(weights))
    return rows


def test_other_right_ways_are_accepted():
    assert checks.by_distance(by_loops).passed

    def marked_down(query, key, value, sharpness):
        bias = np.tile(-sharpness * (key**2).sum(axis=1) / 2, (len(query), 1))
        return scaled_dot_product_attention(query, key, value, scale=sharpness, bias=bias)

    assert checks.by_distance(marked_down).passed

    def merged(xq, xkv, wq, wk, wv):
        weights = np.exp(xq @ (wq @ wk.T) @ xkv.T)
        return (weights / weights.sum(axis=1, keepdims=True)) @ xkv @ wv

    assert checks.cross_attention(merged).passed


G, H = np.random.default_rng(3).normal(size=(2, 3, 3))
SAME = np.eye(3)


@pytest.mark.parametrize(
    ("matrices", "message"),
    [
        ((SAME, SAME, SAME, SAME), "W_Q is the identity"),
        ((G, np.linalg.inv(G), H, np.linalg.inv(H)), "transpose it"),
        ((G, np.linalg.inv(G).T, H, H), "does not undo"),
        ((G, np.full((3, 3), np.nan), G, G), "W_K to be 3 rows of 3 finite numbers"),
    ],
)
def test_four_matrices_that_differ_from_bare_attention_are_told_why(matrices, message):
    verdict = checks.same_as_bare(*matrices)
    assert not verdict.passed and message in verdict.message


def test_any_two_invertible_matrices_make_the_module_agree_with_the_function():
    inverse = (np.linalg.inv(G).T, H, np.linalg.inv(H))
    assert checks.same_as_bare(G, *inverse).passed
    module = torch.nn.MultiheadAttention(3, num_heads=1, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.from_numpy(np.concatenate([G.T, inverse[0].T, H.T])))
        module.out_proj.weight.copy_(torch.from_numpy(inverse[2].T.copy()))
        x = torch.from_numpy(np.random.default_rng(4).normal(size=(1, 5, 3)))
        bare_output = torch.nn.functional.scaled_dot_product_attention(x, x, x)
        assert (module(x, x, x)[0] - bare_output).abs().max() < 1e-12


@pytest.mark.parametrize(
    ("word", "answer"),
    [
        ("animal", "asks for nothing, offers a creature, and hands over warmth and size"),
        ("cross", "asks for a creature and a place, offers nothing, and hands over nothing"),
        ("tired", "asks for a creature, offers nothing, and hands over warmth"),
    ],
)
def test_a_row_lands_at_the_query_key_and_value_of_its_word(word, answer):
    way, sentence_below = figures.three_matrices(word)
    row = WORDS.index(word)
    assert np.array_equal(way.parts["landed"], [QUERIES[row], KEYS[row], VALUES[row]])
    assert sentence_below.parts["words"] == f"“{word}” {answer}."


@pytest.mark.parametrize(("hour", "beta", "answer"), [(13, 0.0, 14), (15, 3.0, 17), (12, 3.0, 20), (1000, 0.03, 14)])
def test_the_soft_dictionary_goes_from_the_mean_to_the_nearest_entry(hour, beta, answer):
    shares, result = figures.look_up(hour, beta)
    assert np.isclose(shares.sum(), 1) and np.isclose(result, answer, atol=1e-9)
    assert f"the answer is {answer:.1f} degrees" in figures.soft_dictionary(beta, hour)[-1].parts["words"]


def test_a_soft_answer_is_that_of_the_loops():
    by_hour = figures.look_up(figures.CLOCK, 0.1)[1]
    alone = by_loops(figures.CLOCK[:, None], figures.HOURS[:, None], figures.DEGREES, 0.1)
    assert np.allclose(by_hour, alone, rtol=1e-12)


@pytest.mark.parametrize(("across", "up"), [(3, 3), (2, 1), (0, 4)])
def test_the_whole_deduction_is_to_match_by_distance_and_none_by_dot_product(across, up):
    places = {"animal": (2, 0), "street": (0, 2), "zoo": (across, up)}
    for deduction, score in ((1.0, lambda x, y: 2 - ((2 - x) ** 2 + y**2) / 2), (0.0, lambda x, y: 2 * x)):
        expected = [score(x, y) for x, y in places.values()]
        assert np.allclose(figures.scores_of_nouns(deduction, across, up), expected, atol=1e-12)
