"""The exercises, the live figures and the still ones on whether position survives the layers."""

from itertools import permutations

import numpy as np
import pytest

from chapter_tests import ChapterTests
from inorder.book.checks import does_position_survive_the_layers as checks
from inorder.book.figures import does_position_survive_the_layers as figures
from inorder.lab.probes import cyclic_shifts

FALLING = np.array([[1.0, 0.6, 0.2], [1.0, 0.4, 0.1]])  # (seed, layer)
FLAT = np.full((2, 3), 1 / 16)
NAMES = ["learned", "learned, no residual", "rotary", "rotary, no residual"]
DRAWN = {
    "two_laws": lambda: figures.two_laws(
        {"post": {0.5: FALLING**3, 2.0: FALLING}, "pre": {1.0: FALLING}},
        {"post": {0.5: FALLING[0] ** 3, 2.0: FALLING[0]}, "pre": {1.0: FALLING[0]}},
    ),
    "before_and_after_training": lambda: figures.before_and_after_training(
        {name: (FLAT, FALLING) for name in NAMES}, {name: np.array([0.234, 0.999]) for name in NAMES}, 1 / 16
    ),
}


class TestChapter(ChapterTests):
    figures, drawn = figures, DRAWN


def answer(display):
    return display[-1].parts["words"]


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 4.0])
def test_dyed_threads_keep_what_the_law_says(alpha):
    """Each layer leaves α/(α + 1) of the difference between a row's own word and the others."""
    threads, said = figures.dyed_threads(alpha, 3)
    held = threads.parts["values"]  # (level, row, word)
    np.testing.assert_allclose(held.sum(axis=-1), 1)
    for level, rows in enumerate(held):
        own = (alpha / (alpha + 1)) ** level
        np.testing.assert_allclose(rows, own * np.eye(12) + (1 - own) / 12, atol=1e-12)
    assert said.parts["sign"] == ("≠" if alpha else "=")
    assert f"{held[6, 3, 3]:.3f} of {'its own' if alpha else 'each'} colour" in said.parts["words"]


def test_four_words_in_one_layer_are_mixed_likewise():
    layer = (0.5 * np.eye(4) + 1 / 4) / 1.5
    np.testing.assert_allclose(layer[1], figures.row_1(1, "post", 0.5), rtol=1e-12)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("alpha", [0.25, 1.0, 4.0])
def test_row_1_is_what_a_stream_of_four_rows_comes_to(norm, alpha):
    """With the stream itself, not its shares: rows of a sum, and what each layer reads."""
    rows = alpha * np.eye(4)
    for layers in range(6):
        shares = rows[1] / rows[1].sum()
        np.testing.assert_allclose(figures.row_1(layers, norm, alpha), shares, rtol=1e-12)
        read = rows / rows.sum(axis=1, keepdims=True)
        rows = rows + read.mean(axis=0)
        if norm == "post":
            rows = alpha * rows / rows.sum(axis=1, keepdims=True)
    own = figures.row_1(5, norm, alpha)
    derived = (alpha / (1 + alpha)) ** 5 if norm == "post" else alpha / (alpha + 5)
    assert own[1] - own[0] == pytest.approx(derived)


def test_the_first_figure_answers_with_its_numbers():
    before, after = (figures.what_is_left(norm, 2, 1.0) for norm in figures.NORMS)
    assert "0.438 of “dog” and 0.188 of each" in answer(before)
    assert "0.500 of “dog” and 0.167 of each" in answer(after)


def test_ways_through_draws_both_norms_and_chance():
    curves, _ = figures.ways_through("learned, added", True, True)
    after, before, chance = curves.parts["layers"][0]["y"]
    assert after[0] == before[0] == 1 and after[-1] < 0.1 and before[-1] > 0.98
    np.testing.assert_array_equal(chance, 1 / 16)
    gone = figures.depth_curve("learned", "pre", False, False)
    np.testing.assert_array_equal(gone[1:], 1 / 16)
    assert f"right in {after[-1]:.2f} of the rows with the norm after" in answer(figures.ways_through())


@pytest.mark.parametrize("model", figures.STREAMS)
@pytest.mark.parametrize("part", figures.PARTS)
def test_what_a_layer_adds_is_what_is_stored(model, part):
    curves, _ = figures.what_a_layer_adds(model, part)
    kept = figures.record()["streams"][figures.STREAMS[model]]
    assert curves.parts["x_limits"] == [0, len(kept["trained"])]  # an axis of its own
    for curve, blocks in zip(curves.parts["layers"][0]["y"], kept.values(), strict=True):
        np.testing.assert_allclose(curve, [block[figures.PARTS[part]] for block in blocks])


def test_the_real_encoder_within_one_has_its_own_chance():
    exact, near = (figures.real_model(model)[0] for model in ("trained", "trained, within one"))
    assert "A guess: 0.03" in answer(figures.real_model("trained"))
    assert "A guess: 0.09" in answer(figures.real_model("trained, within one"))
    assert exact != near


def test_erasure_is_the_mean_of_the_stored_models():
    kept = figures.record()["small"]["models"]["learned, pre, state 2"]
    result = figures.erasure("learned, added", "pre", "after layer 2")
    assert result["task"] == pytest.approx(np.mean([run["task"] for run in kept]))
    bars, _ = figures.erased_position("after layer 2", "before each part (today)")
    assert "with as many meaningless directions erased" in answer([bars, _])
    assert "Nothing has been erased" in answer(figures.erased_position("nowhere"))


@pytest.mark.parametrize("distance", [0.0, 2.0, 4.0])
def test_the_probe_of_one_dimension_counts_its_rows(distance):
    right = float(answer(figures.nearest(distance)).split("in ")[1].split("%")[0]) / 100
    assert (right > 0.75) == (distance >= 2) and right >= 0.4


def test_the_law_and_the_measurement_are_drawn_for_each_weight():
    top, bottom = DRAWN["two_laws"]().axes
    derived = [line.get_ydata() for line in top.lines if line.get_ls() != "None" and len(line.get_ydata()) == 3]
    np.testing.assert_allclose(derived, [FALLING[0], FALLING[0] ** 3])
    assert [container.get_label() for container in top.containers] == ["α = 2", "α = 0.5"]
    assert [container.get_label() for container in bottom.containers] == ["α = 1"]


def test_titles_carry_the_accuracy_on_the_task():
    titles = [axes.get_title(loc="left") for axes in DRAWN["before_and_after_training"]().axes]
    assert titles == [f"{name}\ntask 0.23 to 1.00" for name in NAMES]


def test_every_seed_has_a_line_before_and_after_training():
    for axes in DRAWN["before_and_after_training"]().axes:
        drawn = [line.get_ydata() for line in axes.lines if len(line.get_ydata()) == 3]
        np.testing.assert_allclose(drawn, [*FLAT, *FALLING])


def cosine(a, b):
    return a @ b / np.sqrt(a @ a * (b @ b))


def test_other_right_ways_are_accepted():
    def layer_by_layer(alpha, n, n_layers):
        rows = np.eye(n)
        for _ in range(n_layers):
            rows = alpha * rows + rows.mean(axis=0)
        return rows[1, [1, 0]]

    def by_loops(train, rows):
        means = [train[:, k].mean(axis=0) for k in range(train.shape[1])]
        return [int(np.argmin([np.linalg.norm(row - mean) for mean in means])) for row in rows]

    assert checks.own_and_other(layer_by_layer).passed
    assert checks.nearest_mean(by_loops).passed
    assert checks.own_part_of(lambda rows: 1 - np.mean([cosine(a, b) for a, b in permutations(rows, 2)])).passed
    assert checks.all_shifts(lambda tokens: cyclic_shifts(tokens[None])).passed
    assert checks.all_shifts(
        lambda tokens: [[*tokens[len(tokens) - k :], *tokens[: len(tokens) - k]] for k in range(len(tokens))]
    ).passed


@pytest.mark.parametrize(
    ("check", "wrong", "message"),
    [
        (checks.own_and_other, lambda alpha, n, n_layers: [alpha + 1 / n, 1 / n], "counts one layer only"),
        (
            checks.nearest_mean,
            lambda train, rows: np.einsum("rd,bpd->rp", rows, train).argmax(axis=1),
            "takes the largest product with a mean",
        ),
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
