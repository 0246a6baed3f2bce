"""The still figures of chapters 5 and 6: examples for `test_figures`, and the numbers that they must show."""

import numpy as np
import pytest

from inorder import figures

THIRDS, HALVES, SEVENTHS = np.array([1, 2]) / 3, np.array([1, 1]) / 2, np.array([1, 2, 4]) / 7
BARS = [
    ("AB", THIRDS, np.array([7.0, 14.0])),
    ("BA", HALVES, np.array([10.5, 10.5])),
    ("ABC", SEVENTHS, np.array([15.0, 18.0])),
    ("BAC", SEVENTHS[[1, 0, 2]], np.array([15.0, 18.0])),
]
DEPTHS = [1, 2, 3]
PLACES = np.arange(1, 9)
VARIANCE = {"equal weights": np.stack([0.9 / PLACES, 1.1 / PLACES]), "random queries": np.full((2, 8), 0.5)}

DRAWN = {
    "prompt_bars": lambda: figures.prompt_bars(BARS),
    "kinds_of_equal": lambda: figures.kinds_of_equal(
        {
            "equal": {"float64": np.array([0.0, 2e-16]), "float32": np.array([1e-7, 2e-7])},
            "different": {"float64": np.array([1.0, 0.7]), "float32": np.array([1.0, 0.7])},
        }
    ),
    "prefix_sets": lambda: figures.prefix_sets(("ABC", "BAC")),
    "change_by_depth": lambda: figures.change_by_depth(
        DEPTHS,
        {
            "no mask": np.full((3, 2), 3e-16),
            "causal": np.array([[2e-16, 4e-16], [0.1, 0.3], [0.2, 0.4]]),
        },
    ),
    "causal_clocks": lambda: figures.causal_clocks(
        PLACES[::-1] / 8, PLACES[::-1] / 8, 1 / PLACES, 0.0 * PLACES, VARIANCE, {n: v[0] for n, v in VARIANCE.items()}
    ),
}


def texts(name):
    return [text.get_text() for text in DRAWN[name]().axes[0].texts]


def test_weight_bars_fill_a_length_of_one_and_say_what_they_weigh():
    axes = DRAWN["prompt_bars"]().axes[0]
    lengths = [patch.get_width() for patch in axes.patches]
    np.testing.assert_allclose(lengths, np.concatenate([weights for _, weights, _ in BARS]))
    said = texts("prompt_bars")
    first = said.index("[A, B]")
    assert said[first : first + 5] == ["[A, B]", "query of B", "A\n1/3", "B\n2/3", "(7, 14)"]
    assert said.index("[B, A]") < said.index("≠") < said.index("[A, B, C]") < said.index("=")
    assert {"query of A", "A\n1/7", "B\n2/7", "C\n4/7", "(10.5, 10.5)", "(15, 18)"} <= set(said)
    assert said.count("query of C") == 2


def test_unequal_outputs_are_not_called_equal():
    rows = [*BARS[:3], ("BAC", SEVENTHS[[1, 0, 2]], np.array([15.0, 18.001]))]
    assert "=" not in [text.get_text() for text in figures.prompt_bars(rows).axes[0].texts]


def test_differences_are_drawn_in_their_precision_and_zeros_on_the_left():
    marks = [line for line in DRAWN["kinds_of_equal"]().axes[0].lines if len(line.get_xdata()) == 2]
    marks = [line.get_xdata() for line in marks if line.get_marker() in ("o", "s")]
    np.testing.assert_allclose(marks, [[1e-18, 2e-16], [1e-7, 2e-7], [1.0, 0.7], [1.0, 0.7]])


@pytest.mark.parametrize(
    ("prompts", "verdicts"),
    [
        (("ABC", "BAC"), ["≠ differs", "≠ differs", "≠ differs", "≠ differs", "= same", "≠ differs"]),
        (("ABC", "ABC"), ["= same"] * 6),
        (("ABC", "ACB"), ["= same", "= same", "≠ differs", "≠ differs", "≠ differs", "≠ differs"]),
    ],
)
def test_prefixes_say_which_rows_change(prompts, verdicts):
    """Token by token, after one layer and after two."""
    said = [text.get_text() for text in figures.prefix_sets(prompts).axes[0].texts]
    assert [text for text in said if text in ("= same", "≠ differs")] == verdicts


def test_prefixes_are_drawn_in_the_order_of_the_prompt():
    said = texts("prefix_sets")
    assert said[4:8] == ["A", "A", "B", "A"]  # after the titles: A has seen A, in the other prompt B and A
    assert said[-9:-2] == ["C", "A", "B", "C", "B", "A", "C"]


def test_medians_over_seeds_are_drawn_by_depth():
    axes = DRAWN["change_by_depth"]().axes[0]
    drawn = [container[0].get_ydata() for container in axes.containers]
    np.testing.assert_allclose(drawn, [[3e-16] * 3, [3e-16, 0.2, 0.3]])
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["no mask", "causal"]


def test_clocks_are_drawn_with_what_was_derived():
    top, middle, bottom = DRAWN["causal_clocks"]().axes
    np.testing.assert_allclose([line.get_ydata() for line in top.lines], [PLACES[::-1] / 8] * 2)
    np.testing.assert_allclose([line.get_ydata() for line in middle.lines], [1 / PLACES, 1 / PLACES, 0 * PLACES])
    np.testing.assert_allclose(bottom.containers[0][0].get_xdata(), [1, 2, 4, 8])
    np.testing.assert_allclose(bottom.containers[0][0].get_ydata(), [1, 1 / 2, 1 / 4, 1 / 8])
