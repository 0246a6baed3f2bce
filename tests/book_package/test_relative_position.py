"""The exercises and the still figures on relative position."""

import json
from importlib.metadata import version

import numpy as np
import pytest

from chapter_tests import ChapterTests
from inorder.attention import attention_scores, causal_mask, merge_heads, scaled_dot_product_attention, split_heads
from inorder.book.checks import relative_position as checks
from inorder.book.figures import relative_position as figures
from inorder.encodings import layout_permutation, relative_positions, rotary_encoding
from inorder.lab import position_census
from inorder.stored import stored

GRID = np.arange(35.0).reshape(5, 7) - 17
STEPS = np.full((4, 10), 0.3) * np.linspace(0.5, 2, 4)[:, None]
DRAWN = {
    "patch_kernels": lambda: figures.patch_kernels(GRID, GRID[::-1]),
    "restarted_positions": lambda: figures.restarted_positions(STEPS, 1e-16 * STEPS),
}


class TestChapter(ChapterTests):
    figures, drawn = figures, DRAWN


def test_the_query_patch_is_framed():
    for axes, scores in zip(DRAWN["patch_kernels"]().axes, (GRID, GRID[::-1]), strict=True):
        assert [patch.get_xy() for patch in axes.patches] == [(2.5, 1.5)]
        np.testing.assert_array_equal(axes.collections[0].get_array(), scores)


def test_steps_show_median_and_range():
    axes = DRAWN["restarted_positions"]().axes[0]
    middle = axes.containers[0][0].get_ydata()
    np.testing.assert_allclose(middle, np.median(STEPS, axis=0))
    rounding = DRAWN["restarted_positions"]().axes[0].containers[1][0].get_ydata()
    assert (rounding == np.finfo(float).eps).all()


@pytest.mark.parametrize("query_at", [4, 12])
@pytest.mark.parametrize("distance", [-4, -1, 0, 3])
def test_the_wedge_says_the_score_of_two_turned_rows(query_at, distance):
    rows = np.array([[1.5, 0.0], [1.2, 1.0]])
    theta = np.radians(30 * np.array([query_at, query_at + distance]))
    query, key = (
        [x * np.cos(t) - y * np.sin(t), x * np.sin(t) + y * np.cos(t)] for (x, y), t in zip(rows, theta, strict=True)
    )
    words = figures.two_arrows(query_at, distance)[-1].parts["words"]
    assert f"score is {np.dot(query, key):.2f}," in words.replace("−", "-")
    hands = figures.two_arrows(query_at, distance)[0].parts["hands"]
    for hand, (x, y) in zip(hands, (query, key), strict=True):
        out = hand["lengths"] * np.hypot(1.2, 1.0)
        np.testing.assert_allclose([out * np.sin(hand["angles"]), out * np.cos(hand["angles"])], [[x], [y]], atol=1e-12)


@pytest.mark.parametrize("base", [100, 10_000])
@pytest.mark.parametrize("head", figures.HEADS)
@pytest.mark.parametrize("distance", [-8, -2, 0, 5])
def test_the_six_clocks_add_up_to_what_rotary_encoding_gives(distance, head, base):
    at, lengths = figures.HEADS[head]
    query = np.tile([1.0, 0.0], 6)[None]
    key = rotary_encoding(np.repeat(lengths, 2)[None] * query, np.array([-at]), base=float(base))
    wedges = []
    for position in (8, 20):
        turned = [
            rotary_encoding(row, np.array([p]), base=float(base))
            for row, p in ((query, position), (key, position + distance))
        ]
        score = (turned[0] @ turned[1].T).item()
        clocks, curve, answer = figures.six_clocks(position, distance, head, base)
        assert f"add up to {score:.2f}." in answer.parts["words"].replace("−", "-")
        assert ("no other Δ" in answer.parts["words"]) == (distance == at)
        line, point = curve.parts["layers"]
        np.testing.assert_allclose(point["xy"], [[distance, score]])
        assert line["y"].max() <= lengths.sum() + 1e-12
        hands = clocks.parts["hands"]
        for hand, row in zip(hands, turned, strict=True):  # a quarter turn further, and drawn clockwise from the top
            arrows = row[0, ::2] + 1j * row[0, 1::2]
            np.testing.assert_allclose(hand["lengths"] * np.exp(-1j * hand["angles"]), arrows, atol=1e-12)
        wedges.append(hands[1]["angles"] - hands[0]["angles"])
    np.testing.assert_allclose(*wedges, atol=1e-12, err_msg="carried along, the wedges hold")


@pytest.mark.parametrize("scheme", figures.SPEAKERS)
@pytest.mark.parametrize("times", [1, 2, 5])
def test_only_alibi_and_no_positions_miss_a_repetition(scheme, times):
    once, again = (figures.shares_of_the_last_row(scheme, n) for n in (1, times))
    np.testing.assert_allclose(again.sum(), 1.0)
    is_blind = times == 1 or scheme in ("ALiBi", "no positions")
    assert np.allclose(once, again, atol=1e-12) == is_blind
    sentence = figures.said_again(scheme, times)[-1].parts
    if times == 1:  # whatever the scheme: nothing has been compared
        assert "nothing to compare" in sentence["words"] and not sentence["sign"]
    else:
        assert sentence["sign"] == ("=" if is_blind else "≠")


def test_the_theorem_on_one_row_needs_no_numbers_of_its_own():
    """ALiBi's weights of the last row, added up by word, do not depend on how often the text is said: any text."""
    rng = np.random.default_rng(5)
    for n, slope in ((2, 0.25), (5, 1.0), (7, 0.01)):
        scores = rng.normal(size=n)
        shares = []
        for times in (1, 4):
            distances = np.arange(n * times)[::-1]
            weights = np.exp(np.tile(scores, times) - slope * distances)
            shares.append((weights / weights.sum()).reshape(times, n).sum(axis=0))
        np.testing.assert_allclose(*shares)


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


def rows_of_the_full_pass(queries, keys, values, slope):
    n, place = len(keys), np.arange(len(keys))
    earlier = np.zeros((n - len(queries), queries.shape[1]))  # their rows are not asked for
    bias = -slope * abs(relative_positions(place, place))
    whole = np.concatenate([earlier, queries])
    return scaled_dot_product_attention(whole, keys, values, bias=bias, mask=causal_mask(n))[-len(queries) :]


def test_other_right_ways_are_accepted():
    assert checks.clipped_bias(by_loops).passed
    assert checks.clipped_bias(by_inorder).passed
    assert checks.other_pairing(by_permutation).passed
    assert checks.other_pairing(by_slices).passed
    assert checks.newest_rows(rows_of_the_full_pass).passed


def test_what_is_accepted_gives_the_same_scores():
    rng = np.random.default_rng(0)
    x, w_q, w_k, place = rng.normal(size=(5, 6)), *rng.normal(size=(2, 6, 12)), np.arange(5)

    def scores(weights, pairing):
        turned = [rotary_encoding(split_heads(x @ w, 3), place, pairing=pairing) for w in weights]
        return attention_scores(*turned)

    converted = [checks.other_pairing.reference(w, 3) for w in (w_q, w_k)]
    np.testing.assert_allclose(scores(converted, "halves"), scores((w_q, w_k), "interleaved"), atol=1e-14)


@pytest.mark.parametrize(
    ("check", "student", "mistake"),
    [
        (checks.clipped_bias, lambda t, n: np.transpose(by_loops(t, n)), "takes query minus key"),
        (checks.clipped_bias, lambda t, n: np.array(by_loops(t, n))[:, ::-1], None),
        (checks.other_pairing, lambda w, h: np.concatenate([w[:, ::2], w[:, 1::2]], axis=1), "reorders across all"),
        (checks.other_pairing, lambda w, h: w.copy(), "leaves the columns where they are"),
        (checks.newest_rows, lambda q, k, v, m: rows_of_the_full_pass(q, k[: len(q)], v[: len(q)], m), "numbers the"),
        (checks.newest_rows, lambda q, k, v, m: v[-len(q) :], None),
    ],
)
def test_wrong_ways_are_told_apart(check, student, mistake):
    verdict = check(student)
    assert not verdict.passed
    assert mistake is None or verdict.mistake.says.startswith(mistake)


def test_a_bias_is_converted_as_a_matrix_of_one_row():
    rng = np.random.default_rng(1)
    x, place = rng.normal(size=(5, 6)), np.arange(5)
    weights, biases = rng.normal(size=(2, 6, 12)), rng.normal(size=(2, 12))

    def scores(weights, biases, pairing):
        rows = [split_heads(x @ w + b, 3) for w, b in zip(weights, biases, strict=True)]
        return attention_scores(*(rotary_encoding(each, place, pairing=pairing) for each in rows))

    converted = [checks.other_pairing.reference(w, 3) for w in weights]
    rows = [checks.other_pairing.reference(b[None], 3)[0] for b in biases]
    expected = scores(weights, biases, "interleaved")
    np.testing.assert_allclose(scores(converted, rows, "halves"), expected, atol=1e-13)
    assert abs(scores(converted, biases, "halves") - expected).max() > 0.1  # forgotten


@pytest.mark.parametrize(
    ("query", "key", "message"),
    [
        (np.ones(8), np.ones(8), "position 1 looks most at itself"),
        (np.ones(6), np.ones(8), "a query of shape (8,), got (6,)"),
        (np.zeros(8), np.ones(8), "at all words equally"),
        (rotary_encoding(np.ones((1, 8)), np.array([1]))[0], np.ones(8), "1 to the right"),
    ],
)
def test_a_head_that_does_not_look_left_is_told_where_it_looks(query, key, message):
    verdict = checks.looks_left(query, key)
    assert not verdict.passed and message in verdict.message


def test_a_head_that_looks_left_may_have_any_length():
    key = np.array([2.0, 0, 1, 0, 0, 1, 0, 3])
    assert checks.looks_left(5 * rotary_encoding(key[None], np.array([-1]))[0], key).passed


def test_the_census_counts_again_what_is_stored():
    pytest.importorskip("transformers")
    census = json.loads(stored("position_census.json").read_text(encoding="utf8"))
    counted_in = census["provenance"]["versions"]["transformers"]
    if counted_in != version("transformers"):
        pytest.skip(f"counted in transformers {counted_in}")
    assert position_census.count(position_census.installed()).items() <= census.items()
