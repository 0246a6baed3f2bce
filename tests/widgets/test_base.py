"""What widgets share in Python, and the Python side of AttentionCalculator: traits, errors, the static twin."""

import io
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from inorder import attention
from inorder.widgets import AttentionCalculator, base


def test_module_is_composed_depth_first_each_file_once(tmp_path, monkeypatch):
    monkeypatch.setattr(base, "_FOLDER", tmp_path)
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\nimport {\n  c,\n} from "./c.js";\nconst a = b + c;\n')
    (tmp_path / "b.js").write_text('import { c } from "./c.js";\nexport const b = c;\nexport default { b };\n')
    (tmp_path / "c.js").write_text("export const c = 1;\n")
    composed = base.compose_module("a.js")
    assert composed == "const c = 1;\nconst b = c;\nexport default { b };\nconst a = b + c;\n"


@pytest.mark.parametrize("line", ['import kit from "./kit.js";', 'import * as kit from "kit";', 'import "./kit.js";'])
def test_other_imports_are_refused(tmp_path, monkeypatch, line):
    monkeypatch.setattr(base, "_FOLDER", tmp_path)
    (tmp_path / "a.js").write_text(f"{line}\n")
    with pytest.raises(ValueError, match=r"a\.js: the only import understood"):
        base.compose_module("a.js")


def test_a_widget_is_one_module_and_one_style_sheet():
    widget = AttentionCalculator()
    assert widget._esm.count("export ") == 1
    assert "import " not in widget._esm
    assert ".inorder-cell" in widget._css
    assert ".inorder-explain" in widget._css


def test_mimebundle_has_view_twin_and_text():
    widget = AttentionCalculator()
    data, metadata = widget._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == widget.model_id
    assert data["text/plain"] == metadata["image/svg+xml"]["alt"] == widget.alt_text()
    ElementTree.fromstring(data["image/svg+xml"])
    assert data["image/svg+xml"] == AttentionCalculator()._repr_mimebundle_()[0]["image/svg+xml"]
    assert data["image/svg+xml"] != AttentionCalculator(mask="causal")._repr_mimebundle_()[0]["image/svg+xml"]


def test_a_widget_must_say_what_it_shows():
    figure = base.InteractiveFigure()
    for method in (figure.figure, figure.alt_text, figure.summary):
        with pytest.raises(NotImplementedError):
            method()


def with_gradient(rows):
    return torch.tensor(rows, requires_grad=True)


@pytest.mark.parametrize("convert", [tuple, np.array, torch.tensor, with_gradient])
def test_matrices_from_lists_numpy_and_torch(convert):
    rows = [[1.5, -2.0], [0.25, 0.0], [3.0, 1.0]]
    weights = convert([[1.0], [2.0]])
    calculator = AttentionCalculator(x=convert(rows), w_q=weights, w_k=weights, w_v=weights)
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
        ({"tokens": ["a", "b"]}, "tokens must be 3 to 6 strings, got 2"),
        ({"tokens": ["a"] * 7}, "tokens must be 3 to 6 strings, got 7"),
        ({"tokens": ["a", "b", "c" * 21]}, "up to 20 characters, got 'ccc"),
        ({"tokens": [1, 2, 3]}, "tokens.*unicode string, not the int 1"),
        ({"x": [[1, 2, 3]] * 5, "tokens": "a b c"}, r"one row for each of the 3 tokens .* got shape \(5, 3\)"),
        ({"x": np.ones((4, 5))}, r"2 to 4 columns, got shape \(4, 5\)"),
        ({"x": [1, 2, 3]}, r"x must be a matrix with two axes, got shape \(3,\)"),
        ({"x": 5}, r"x must be a matrix with two axes, got shape \(\)"),
        ({"x": [[1, 2], [3]]}, "x must be a matrix of numbers"),
        ({"x": [["a", "b"]] * 4}, "x must be a matrix of numbers"),
        ({"x": [[np.nan] * 3] * 4}, "x must hold numbers from -1000 to 1000, got nan"),
        ({"w_q": [[1001.0]] * 3}, "w_q must hold numbers from -1000 to 1000, got 1001"),
        ({"w_q": np.ones((2, 2))}, r"w_q must have 3 rows, like the columns of x, .* got shape \(2, 2\)"),
        ({"w_v": np.ones((3, 5))}, r"w_v must have 3 rows, .* 1 to 4 columns, got shape \(3, 5\)"),
        ({"w_k": np.ones((3, 1))}, r"w_q and w_k must have the same shape, got \(3, 2\) and \(3, 1\)"),
        ({"scale": 0.5}, "'scale' trait .* expected a boolean"),
        ({"mask": "future"}, 'mask must be "none" or "causal", got \'future\''),
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


def test_tokens_and_x_change_together_and_reset():
    calculator = AttentionCalculator(mask="causal")
    with calculator.hold_trait_notifications():
        calculator.tokens, calculator.x = ["a", "b", "c"], np.eye(3)
    calculator.mask = "none"
    assert calculator.weights.shape == (3, 3)
    calculator.reset()
    assert calculator.summary() == AttentionCalculator(mask="causal").summary()


def test_summary_in_words():
    rows = [[0, 0], [0, 0], [1, 1]]
    calculator = AttentionCalculator("a b c", x=rows, w_q=np.eye(2), w_k=np.eye(2), w_v=np.eye(2), mask="causal")
    assert calculator.summary() == (
        "Scores divided by √2, causal mask. “a” can attend only to itself; "
        "“b” attends equally to 2 tokens (0.50 each); “c” attends most to itself (0.67)."
    )
    assert calculator.summary() in calculator.alt_text()


def test_the_twin_shows_every_number():
    calculator = AttentionCalculator("$x$ cat _y^ a_very_long_token", mask="causal", scale=False)
    figure = calculator.figure()
    shown = [text.get_text() for text in figure.axes[0].texts]
    for name in ("x", "w_q", "w_k", "w_v", "query", "key", "value", "scores", "scaled_scores", "weights", "output"):
        for number in np.ravel(getattr(calculator, name)):
            assert base.format_number(number) in shown
    assert {"$x$", "cat", "_y^", "a_very…"} <= set(shown)
    figure.savefig(io.BytesIO())
    for text in figure.axes[0].texts:
        left, bottom, right, top = text.get_window_extent().extents
        assert 0 <= left < right <= figure.bbox.width, text
        assert 0 <= bottom < top <= figure.bbox.height, text
