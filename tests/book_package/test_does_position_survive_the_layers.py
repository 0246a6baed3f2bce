"""The exercises and the still figures on whether position survives the layers."""

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
PIXELS = np.arange(64.0).reshape(8, 8)
DRAWN = {
    "position_by_layer": lambda: figures.position_by_layer(
        {"learned": FALLING, "sinusoids": FALLING / 2, "no positions": FLAT}, 1 / 16
    ),
    "residual_against_mixing": lambda: figures.residual_against_mixing(
        {0.5: FALLING**3, 2.0: FALLING},
        {0.5: FALLING[0] ** 3, 2.0: FALLING[0]},
        {0.5: FLAT[:, 0], 2.0: FALLING[:, 1]},
        1 / 16,
    ),
    "before_and_after_training": lambda: figures.before_and_after_training(
        {name: (FLAT, FALLING) for name in NAMES}, {name: np.array([0.234, 0.999]) for name in NAMES}, 1 / 16
    ),
    "patches_and_probes": lambda: figures.patches_and_probes(
        PIXELS, PIXELS.T, {"learned positions": FALLING, "no positions": FLAT}, 1 / 16
    ),
}


class TestChapter(ChapterTests):
    figures, drawn = figures, DRAWN


def curves(axes):
    """{label: (means, lower ends, upper ends)} of the error bars."""
    found = {}
    for container in axes.containers:
        line, _, (bars,) = container
        ends = np.array([segment[:, 1] for segment in bars.get_segments()])
        found[container.get_label()] = line.get_ydata(), *ends.T
    return found


def test_curves_are_means_with_the_range_over_the_seeds():
    mean, low, high = curves(DRAWN["position_by_layer"]().axes[0])["learned"]
    np.testing.assert_allclose(mean, [1.0, 0.5, 0.15])
    np.testing.assert_allclose([low, high], [[1.0, 0.4, 0.1], [1.0, 0.6, 0.2]])


def test_chance_is_drawn_in_every_panel_with_a_probe():
    for name, panels in (("position_by_layer", [0]), ("residual_against_mixing", [1]), ("patches_and_probes", [-1])):
        axes = DRAWN[name]().axes
        for panel in panels:
            assert any(
                (np.asarray(line.get_ydata()) == 1 / 16).all() for line in axes[panel].lines if line.get_ls() == ":"
            )
            assert "chance" in [text.get_text() for text in axes[panel].texts]


def test_the_law_and_the_measurement_are_drawn_for_each_weight():
    top = DRAWN["residual_against_mixing"]().axes[0]
    derived = [line.get_ydata() for line in top.lines if line.get_ls() != "None" and len(line.get_ydata()) == 3]
    np.testing.assert_allclose(derived, [FALLING[0], FALLING[0] ** 3])
    assert list(curves(top)) == ["α = 2", "α = 0.5"]


def test_titles_carry_the_accuracy_on_the_task():
    titles = [axes.get_title(loc="left") for axes in DRAWN["before_and_after_training"]().axes]
    assert titles == [f"{name}\ntask 0.23 to 1.00" for name in NAMES]


def test_every_seed_has_a_line_before_and_after_training():
    for axes in DRAWN["before_and_after_training"]().axes:
        drawn = [line.get_ydata() for line in axes.lines if len(line.get_ydata()) == 3]
        np.testing.assert_allclose(drawn, [*FLAT, *FALLING])


def test_patches_show_the_pixels_they_are_given():
    left, right = DRAWN["patches_and_probes"]().axes[:2]
    np.testing.assert_array_equal(left.collections[0].get_array(), PIXELS)
    np.testing.assert_array_equal(right.collections[0].get_array(), PIXELS.T)


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
    ("check", "wrong", "said"),
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
            "shifts the other way round",
        ),
    ],
)
def test_a_wrong_way_is_named(check, wrong, said):
    verdict = check(wrong)
    assert not verdict.passed
    assert said is None or verdict.mistake.says == said
