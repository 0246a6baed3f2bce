"""The exercises and the live figures on whether position survives the layers."""

from itertools import permutations

import numpy as np
import pytest

from chapter_tests import ChapterTests
from inorder.book.checks import does_position_survive_the_layers as checks
from inorder.book.figures import does_position_survive_the_layers as figures
from inorder.stored import read_record


class TestChapter(ChapterTests):
    figures, drawn = figures, {}


def answer(display):
    return display[-1].parts["words"]


@pytest.mark.parametrize("norm", figures.NORMS)
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 4.0])
def test_dyed_threads_are_what_a_stream_of_rows_comes_to(norm, alpha):
    """With the stream itself, not its shares: rows of a sum, and what each layer reads."""
    threads, said = figures.dyed_threads(norm, alpha, 3)
    held = threads.parts["values"]  # (level, row, word)
    rows = np.eye(12)
    stream = alpha * rows
    for level, shares in enumerate(held):
        np.testing.assert_allclose(shares, rows, atol=1e-12)
        stream = stream + rows.mean(axis=0)  # what a layer reads has norm 1
        rows = stream / stream.sum(axis=1, keepdims=True)
        if norm == "post-norm":
            stream = alpha * rows
        own = held[level, 3, 3] - held[level, 3, 0]
        law = (alpha / (alpha + 1)) ** level if norm == "post-norm" else alpha / (alpha + level) if level else 1
        assert own == pytest.approx(law, abs=1e-12)
    assert said.parts["sign"] == ("≠" if alpha else "=")
    assert f"{held[6, 3, 3]:.3f} of {'its own' if alpha else 'each'} colour" in said.parts["words"]


@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0])
def test_the_initial_scale_draws_both_norms_and_a_guess(scale):
    plane, said = figures.initial_scale(scale)
    post, pre, guess = plane.parts["layers"][0]["y"]
    assert post[0] == pre[0] == 1 and len(post) == 25
    np.testing.assert_array_equal(guess, 1 / 16)
    runs = read_record("position_by_start.json")["scales"]["pre"][f"{scale:g}"]
    np.testing.assert_allclose(pre, sum(np.array(run) for run in runs) / len(runs))
    assert f"{post[-1]:.3f} of the last rows with post-norm, in {pre[-1]:.3f} with pre-norm" in said.parts["words"]
    assert said.parts["words"].startswith("At PyTorch’s default,") == (scale == 1)


@pytest.mark.parametrize("erased", figures.ERASED)
@pytest.mark.parametrize("texts", figures.LISTS)
def test_two_orders_shows_the_median_pair(texts, erased):
    bars, said = figures.two_orders(texts, erased)
    distances = read_record("position_erased.json")["two orders"]
    untouched = distances["untouched"][texts][0]
    for share, pairs in zip(bars.parts["values"][0], distances[figures.ERASED[erased]][texts], strict=True):
        shares = sorted(one / whole for one, whole in zip(pairs, untouched, strict=True))
        middle = shares[(len(shares) - 1) // 2], shares[len(shares) // 2]
        assert share == pytest.approx(sum(middle) / 2)
    assert f"With {erased} erased at the input" in said.parts["words"]


def cosine(a, b):
    return a @ b / np.sqrt(a @ a * (b @ b))


def test_other_right_ways_are_accepted():
    def layer_by_layer(alpha, n, n_layers):
        rows = np.eye(n)
        for _ in range(n_layers):
            rows = alpha * rows + rows.mean(axis=0)
        return rows[1, [1, 0]]

    assert checks.own_and_other(layer_by_layer).passed
    assert checks.own_part_of(lambda rows: 1 - np.mean([cosine(a, b) for a, b in permutations(rows, 2)])).passed
    assert checks.all_shifts(
        lambda tokens: [[*tokens[len(tokens) - k :], *tokens[: len(tokens) - k]] for k in range(len(tokens))]
    ).passed


@pytest.mark.parametrize(
    ("check", "wrong", "message"),
    [
        (checks.own_and_other, lambda alpha, n, n_layers: [alpha + 1 / n, 1 / n], "counts one layer only"),
        (checks.own_part_of, lambda rows: 1 - np.corrcoef(rows).mean(), None),
        (
            checks.all_shifts,
            lambda tokens: np.array([[*tokens[k:], *tokens[:k]] for k in range(len(tokens))]),
            "shifts the wrong way",
        ),
    ],
)
def test_a_wrong_way_is_named(check, wrong, message):
    verdict = check(wrong)
    assert not verdict.passed
    assert message is None or verdict.mistake.says == message
