"""The exercises and the figures on [A, B] against [B, A]."""

from itertools import pairwise, permutations

import numpy as np
import pytest
import torch

from chapter_tests import ChapterTests
from inorder.attention import attention_weights
from inorder.book.checks import ab_against_ba as checks
from inorder.book.figures import ab_against_ba as figures

THIRDS, HALVES, SEVENTHS = np.array([1, 2]) / 3, np.array([1, 1]) / 2, np.array([1, 2, 4]) / 7
BARS = [
    ("AB", THIRDS, np.array([7.0, 14.0])),
    ("BA", HALVES, np.array([10.5, 10.5])),
    ("ABC", SEVENTHS, np.array([15.0, 18.0])),
    ("BAC", SEVENTHS[[1, 0, 2]], np.array([15.0, 18.0])),
]
DRAWN = {
    "prompt_bars": lambda: figures.prompt_bars(BARS),
    "staircase": figures.staircase,
}


class TestChapter(ChapterTests):
    figures, drawn = figures, DRAWN


def texts(name):
    return [text.get_text() for text in DRAWN[name]().axes[0].texts]


def test_weight_bars_fill_a_length_of_one_and_say_what_they_weigh():
    axes = DRAWN["prompt_bars"]().axes[0]
    lengths = [patch.get_width() for patch in axes.patches]
    np.testing.assert_allclose(lengths, np.concatenate([weights for _, weights, _ in BARS]))
    message = texts("prompt_bars")
    first = message.index("[A, B]")
    assert message[first : first + 5] == ["[A, B]", "query of B", "A\n1/3", "B\n2/3", "(7, 14)"]
    assert message.index("[B, A]") < message.index("≠") < message.index("[A, B, C]") < message.index("=")
    assert {"query of A", "A\n1/7", "B\n2/7", "C\n4/7", "(10.5, 10.5)", "(15, 18)"} <= set(message)
    assert message.count("query of C") == 2


def test_unequal_outputs_are_not_called_equal():
    rows = [*BARS[:3], ("BAC", SEVENTHS[[1, 0, 2]], np.array([15.0, 18.001]))]
    assert "=" not in [text.get_text() for text in figures.prompt_bars(rows).axes[0].texts]


def says(result):
    return result[-1].parts["words"], result[-1].parts["sign"]


def test_weights_are_those_of_the_prompt_in_its_order():
    for prompt, weights, output in BARS:
        got = figures.weights_and_output(prompt, asks=prompt[-1])
        np.testing.assert_allclose(got[0], weights, rtol=1e-12)
        np.testing.assert_allclose(got[1], output, rtol=1e-12)


@pytest.mark.parametrize("order", [", ".join(order) for order in permutations("ABC")])
def test_three_parts_arrive_where_they_arrive_in_every_order(order):
    plane, _, _ = result = figures.add_up(order)
    tips, tails = (np.array(plane.parts["layers"][0][name]) for name in ("xy", "tails"))
    np.testing.assert_allclose(tails, [[0, 0], *tips[:-1]], atol=1e-12)  # end to end
    np.testing.assert_allclose(tips[-1], [15, 18], rtol=1e-12)
    assert says(result) == ("You end up at (15, 18), as with A, B, C.", "=")


@pytest.mark.parametrize("prompt", [", ".join(order) for order in permutations("ABC")])
def test_each_row_predicts_the_next_token_and_the_last_the_one_to_come(prompt):
    tokens = [*prompt.split(", "), "?"]
    line, _ = result = figures.rows_and_targets(prompt)
    (arrows,), names = line.parts["weights"], line.parts["labels"]
    joined = {(names[row], names[column]) for row, column in np.argwhere(arrows)}
    assert joined == set(pairwise(tokens))
    last = tokens[2]
    assert names[line.parts["asks"]] == last
    assert says(result)[0].endswith(f"after [{prompt}] the query of {last} predicts the next token.")


def test_the_staircase_is_the_mask_of_torch():
    axes = DRAWN["staircase"]().axes[0]
    crosses = {(int(text.get_position()[1]), int(text.get_position()[0])) for text in axes.texts if text.get_text()}
    closed = torch.nn.Transformer.generate_square_subsequent_mask(3).isinf()
    assert crosses == {tuple(cell) for cell in closed.nonzero().tolist()}
    rows = [label.get_text() for label in axes.get_yticklabels()]
    assert rows == ["row 0, of A, predicts B", "row 1, of B, predicts C", "row 2, of C, predicts ?"]


def test_other_right_ways_are_accepted():
    def by_inorder(tokens, embedding, w_query, w_key):
        x = embedding[tokens]
        return attention_weights(x[-1:] @ w_query, x @ w_key)[0]

    def by_counting(first, second):
        counts = [sorted(p.tolist().count(token) for token in p) for p in (first, second)]
        same = sorted(first) == sorted(second) and counts[0] == counts[1]
        return int(same and first[-1] == second[-1] and (first != second).any())

    assert checks.writing_weights(by_inorder).passed
    assert checks.clean_pair(by_counting).passed


def first_query(tokens, embedding, w_query, w_key):
    scores = embedding[tokens[0]] @ w_query @ (embedding[tokens] @ w_key).T / np.sqrt(w_key.shape[1])
    return np.exp(scores) / np.exp(scores).sum()


def full_table(tokens, embedding, w_query, w_key):
    x = embedding[tokens]
    return attention_weights(x @ w_query, x @ w_key)


@pytest.mark.parametrize(
    ("check", "student", "mistake"),
    [
        (checks.writing_weights, first_query, "uses the first token’s query"),
        (checks.writing_weights, full_table, "returns the weights of every query"),
        (checks.clean_pair, lambda a, b: sorted(a) == sorted(b), None),  # two mistakes at once
        (checks.clean_pair, lambda a, b: sorted(a) == sorted(b) and a[-1] == b[-1], "accepts two equal prompts"),
    ],
)
def test_wrong_ways_are_told_apart(check, student, mistake):
    verdict = check(student)
    assert not verdict.passed
    assert mistake is None or verdict.mistake.says == mistake
