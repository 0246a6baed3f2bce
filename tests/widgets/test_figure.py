"""What widgets share in Python, and the Python side of AttentionCalculator: traits, errors, the static twin."""

import io

import numpy as np
import pytest
import torch
from ipywidgets import HBox, IntSlider, VBox

from inorder import attention
from inorder.widgets import AttentionCalculator, SameOrNot
from inorder.widgets.kit.figure import InteractiveFigure, display_box
from inorder.widgets.kit.twin import format_number, svg

VIEW = "application/vnd.jupyter.widget-view+json"


def test_a_box_is_shown_below_the_pictures_of_its_figures(monkeypatch):
    outputs: list[dict] = []
    monkeypatch.setattr("inorder.widgets.kit.figure.display", lambda data, **options: outputs.append(data))
    first, second = SameOrNot(), AttentionCalculator()
    display_box(VBox([IntSlider(), HBox([first, second])]))
    display_box(VBox([IntSlider()]))
    assert [next(iter(data.keys() - {"text/plain"})) for data in outputs] == ["text/html"] * 2 + [VIEW] * 2
    for figure, data in zip((first, second), outputs[:2], strict=True):
        assert f'class="{figure._picture}"' in data["text/html"]


def test_a_widget_must_say_what_it_shows(tmp_path):
    (tmp_path / "view.js").write_text("export default {};\n")

    class Silent(InteractiveFigure):
        folder = tmp_path

    figure = Silent()
    for method in (figure.figure, figure.alt_text, figure.summary):
        with pytest.raises(NotImplementedError):
            method()


def with_gradient(rows):
    return torch.tensor(rows, requires_grad=True)


@pytest.mark.parametrize("convert", [np.array, with_gradient])
def test_matrices_from_lists_numpy_and_torch(convert):
    rows = [[1.5, -2.0], [0.25, 0.0], [3.0, 1.0]]
    weights = convert([[1.0], [2.0]])
    calculator = AttentionCalculator(x=convert(rows), w_query=weights, w_key=weights, w_value=weights)
    assert calculator.tokens == ["the", "cat", "sat"]
    assert calculator.x == rows
    np.testing.assert_allclose(calculator.query[:, 0], np.array(rows) @ [1, 2])
    assert calculator.output.shape == (3, 1)


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_properties_are_inorders(scale, mask):
    calculator = AttentionCalculator(scale=scale, mask=mask)
    options = {"scale": None if scale else 1.0, "mask": attention.causal_mask(4) if mask == "causal" else None}
    query, key, value = calculator.query, calculator.key, calculator.value
    np.testing.assert_allclose(calculator.scores, query @ key.T)
    np.testing.assert_allclose(calculator.weights, attention.attention_weights(query, key, **options))
    np.testing.assert_allclose(calculator.output, attention.scaled_dot_product_attention(query, key, value, **options))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": np.ones((4, 5))}, r"2 to 4 columns, got shape \(4, 5\)"),
        ({"w_query": np.ones((2, 2))}, r"w_query must have 3 rows, like the columns of x, got shape \(2, 2\)"),
        ({"w_value": np.ones((3, 5))}, r"w_value must have 1 to 4 columns, got shape \(3, 5\)"),
        ({"w_key": np.ones((3, 1))}, r"w_query and w_key must have the same shape, got \(3, 2\) and \(3, 1\)"),
    ],
    ids=lambda case: str(case)[:40],
)
def test_bad_input_is_named(types_unchecked, arguments, message):
    with pytest.raises(ValueError, match=message):
        AttentionCalculator(**arguments)


def test_a_refused_change_leaves_the_widget_as_it_was():
    calculator = AttentionCalculator()
    with pytest.raises(ValueError, match="one row for each of the 3 tokens"):
        calculator.tokens = ["a", "b", "c"]
    with pytest.raises(ValueError), calculator.hold_trait_notifications():
        calculator.scale = False
        calculator.x = [[1, 2, 3]]
    assert calculator.tokens == ["the", "cat", "sat", "down"]
    assert calculator.scale
    assert len(calculator.x) == 4


def test_summary_in_words():
    rows = [[0, 0], [0, 0], [1, 1]]
    calculator = AttentionCalculator(
        "a b c", x=rows, w_query=np.eye(2), w_key=np.eye(2), w_value=np.eye(2), mask="causal"
    )
    for row, message in enumerate(
        [
            "“a” can attend only to itself.",
            "“b” attends equally to 2 tokens (0.50 each).",
            "“c” attends most to itself (0.67).",
        ]
    ):
        calculator.row = row
        assert calculator.summary() == message
        assert calculator.summary() in calculator.alt_text()
    assert calculator.note() == "Scores divided by √2, causal mask."
    calculator.x, calculator.row = [[1, 0], [1, 0], [0, 1]], 1
    calculator.mask = "none"
    assert calculator.summary() == "“b” attends most to 2 tokens (0.40 each)."


def test_the_twin_shows_every_number_that_speaks():
    calculator = AttentionCalculator("$x$ cat _y^ a_very_long_token", mask="causal", scale=False)
    figure = calculator.figure()
    figure.savefig(io.BytesIO())
    names = ("x", "query", "key", "value", "scaled_scores", "weights", "output")
    for name, axes in zip(names, figure.axes, strict=True):
        display = [text.get_text() for text in axes.texts]
        numbers = np.ravel(getattr(calculator, name))
        assert display == [format_number(number) for number in numbers if abs(number) >= 0.05]
        assert [label.get_text() for label in axes.get_yticklabels()] == calculator.tokens


def test_an_emoji_among_the_tokens_warns_of_nothing(recwarn):
    svg(SameOrNot("dog bites 🐶").figure())
    assert [warning.message for warning in recwarn if "Glyph" in str(warning.message)] == []
