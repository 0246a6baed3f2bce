"""AttentionCalculator in a real browser: its numbers, its controls, its words, its picture, its link."""

import re

import numpy as np
import pytest

from harness.figure import PHONE
from inorder.widgets import AttentionCalculator

COMPUTED = ("query", "key", "value", "scaled_scores", "weights", "output")
GIVEN = ("x", "w_query", "w_key", "w_value")
FOCUSED = "[document.activeElement.dataset.row, document.activeElement.dataset.col]"


def random_calculator(seed: int, n=None, d_model=None, d_head=None, d_value=None, **options) -> AttentionCalculator:
    rng = np.random.default_rng(seed)
    n, d_model = n or rng.integers(3, 7), d_model or rng.integers(2, 5)
    d_head, d_value = d_head or rng.integers(1, 5), d_value or rng.integers(1, 5)
    shapes = {
        "x": (n, d_model),
        "w_query": (d_model, d_head),
        "w_key": (d_model, d_head),
        "w_value": (d_model, d_value),
    }
    matrices = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    choices = {"scale": bool(rng.integers(2)), "mask": str(rng.choice(["none", "causal"]))}
    return AttentionCalculator(**{"tokens": [f"t{i}" for i in range(n)]} | matrices | choices | options)


def assert_page_shows(figure, calculator, view=0):
    for name in (*GIVEN, *COMPUTED):
        expected = np.array(getattr(calculator, name))
        np.testing.assert_allclose(figure.numbers(name, view), expected, rtol=0, atol=1e-9, err_msg=name)
    display = figure.page.locator(".inorder-figure").nth(view)
    assert display.locator(".inorder-summary").inner_text() == calculator.summary()
    assert display.locator(".inorder-answer .inorder-note").inner_text() == calculator.note()


def unfold(figure, *labels):
    for label in labels:
        figure.figure.locator("summary", has_text=label).click()


WEIGHTS = "The three learned matrices"


@pytest.mark.parametrize("seed", range(2))
def test_every_number_is_inorders(mount, seed):
    calculator = random_calculator(seed)
    assert_page_shows(mount(calculator), calculator)


def test_two_tokens_may_share_the_most_weight(mount):
    one = np.eye(2)
    calculator = AttentionCalculator("I love you", x=[[1, 0], [0, 1], [1, 1]], w_query=one, w_key=one, w_value=one)
    assert_page_shows(mount(calculator), calculator)
    assert calculator.summary() == "“I” attends most to 2 tokens (0.40 each)."


def test_the_switches(mount):
    calculator = AttentionCalculator()
    figure = mount(calculator)
    for label, name, value in [("Causal mask", "mask", "causal"), ("Divide by √2", "scale", False)]:
        figure.figure.get_by_label(label).click()
        assert getattr(figure.sync(), name) == value
        assert_page_shows(figure, calculator)
    assert calculator.note() == "Scores not scaled, causal mask."
    assert figure.cell("scaled_scores", 0, 1).inner_text() == "−∞"


def test_keyboard(mount):
    calculator = AttentionCalculator()
    figure = mount(calculator)
    keyboard = figure.page.keyboard
    figure.cell("x", 0, 0).focus()
    keyboard.press("+")
    keyboard.press("+")
    keyboard.press("-")
    assert figure.sync().x[0][0] == -0.4
    keyboard.press("ArrowDown")
    keyboard.press("ArrowRight")
    assert figure.page.evaluate(FOCUSED) == ["1", "1"]
    keyboard.press("Home")
    assert figure.page.evaluate(FOCUSED) == ["1", "0"]
    keyboard.press("ArrowUp")
    assert figure.page.evaluate(FOCUSED) == ["0", "0"]
    keyboard.press("Control+End")
    keyboard.press("ArrowDown")  # at the edge it stays
    assert figure.page.evaluate(FOCUSED) == ["3", "2"]
    assert figure.sync().row == 3
    assert_page_shows(figure, calculator)


def test_each_matrix_is_one_tab_stop(mount):
    figure = mount(AttentionCalculator())
    unfold(figure, WEIGHTS)
    for name in (*GIVEN, *COMPUTED):
        assert figure.figure.locator(f'[data-name="{name}"][tabindex="0"]').count() == 1
    figure.cell("x", 1, 1).focus()
    figure.page.keyboard.press("Tab")
    assert figure.page.evaluate("document.activeElement.dataset.name") == "query"
    figure.page.keyboard.press("Shift+Tab")
    assert figure.page.evaluate(FOCUSED) == ["1", "1"]


def test_mouse_drag(mount):
    calculator = AttentionCalculator()
    figure = mount(calculator)
    unfold(figure, WEIGHTS)
    box = figure.cell("w_key", 1, 0).bounding_box()
    x, y = box["x"] + 10, box["y"] + 10
    figure.page.mouse.move(x, y)
    figure.page.mouse.down()
    figure.page.mouse.move(x + 30, y)
    figure.page.mouse.move(x + 60, y)
    figure.page.mouse.up()
    figure.page.mouse.move(x - 90, y)
    assert figure.sync().w_key[1][0] == 1.0  # from 0, 60 px, 6 px a step of 0.1
    assert_page_shows(figure, calculator)


def test_hover_explains_and_leaves_no_trace(mount):
    figure = mount(AttentionCalculator())
    explanation = figure.figure.locator(".inorder-explain")
    figure.cell("scaled_scores", 2, 1).click()
    before = explanation.inner_text()
    assert "S₂₁ = (1.00 × 2.00 + 0.50 × 0.00) / √2 ≈ 1.41" in before
    figure.cell("weights", 2, 1).hover()
    assert "A₂₁ = exp(1.41) / (" in explanation.inner_text()
    figure.figure.locator(".inorder-title").hover()
    assert explanation.inner_text() == before


def test_touch(mount):
    calculator = AttentionCalculator()
    figure = mount(calculator, **PHONE)
    figure.cell("weights", 1, 0).tap()
    assert "share of its attention that “cat” gives to “the”" in figure.figure.locator(".inorder-explain").inner_text()
    figure.figure.get_by_role("radio", name="Q K V").check()
    figure.cell("x", 1, 0).tap()
    slider = figure.figure.get_by_label("X, “cat”, entry 0", exact=True)
    box = slider.bounding_box()
    slider.tap(position={"x": box["width"] / 2, "y": box["height"] / 2})
    assert abs(figure.sync().x[1][0]) <= 0.1  # the middle of −2 … 2
    assert_page_shows(figure, calculator)


def marked(figure, kind):
    result = figure.figure.locator(f".inorder-cell.is-{kind}")
    return result.evaluate_all("cells => cells.map(({ dataset: d }) => [d.name, +d.row, +d.col])")


def test_what_a_cell_is_made_of_is_highlighted(mount):
    figure = mount(AttentionCalculator())
    for cell, first, second in (
        (("query", 1, 0), [["x", 1, k] for k in range(3)], [["w_query", k, 0] for k in range(3)]),
        (("scaled_scores", 2, 1), [["query", 2, 0], ["query", 2, 1]], [["key", 1, 0], ["key", 1, 1]]),
        (("weights", 2, 1), [["scaled_scores", 2, 1]], [["scaled_scores", 2, k] for k in range(4)]),
        (("output", 3, 1), [["weights", 3, k] for k in range(4)], [["value", k, 1] for k in range(4)]),
    ):
        figure.cell(*cell).focus()
        assert [marked(figure, kind) for kind in ("target", "first", "second")] == [[list(cell)], first, second]


def test_the_arithmetic_shown_gives_the_number_shown(mount):
    calculator = AttentionCalculator(mask="causal", x=np.array(AttentionCalculator().x) * 0.7)
    figure = mount(calculator)
    for name in COMPUTED:
        for row, column in np.ndindex(getattr(calculator, name).shape):
            figure.cell(name, row, column).focus()
            text = figure.figure.locator(".inorder-sum").inner_text()
            display = figure.cell(name, row, column).inner_text()
            if "−∞" in text:
                assert (name == "scaled_scores" and display == "−∞") or text.endswith("= 0.00")
                continue
            formula, relation, result = re.fullmatch(r".* = (.*) ([=≈]) (\S+)", text).groups()
            assert result == display
            python = formula.replace("−", "-").replace("×", "*").replace("√2", "2**0.5").replace("exp", "np.exp")
            exact = eval(python, {"np": np})
            assert exact == pytest.approx(getattr(calculator, name)[row, column], abs=0.03), text  # rounded inputs
            assert (relation == "=") == (abs(getattr(calculator, name)[row, column] * 100 % 1 - 0.5) > 0.4999999)


def test_a_link_can_be_copied_by_hand(mount):
    figure = mount(AttentionCalculator())
    figure.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed')); }")
    figure.press("Copy link")
    box = figure.figure.get_by_label("Link to this state")
    assert box.input_value().startswith(f"{figure.page.url}#figure-1?")
    assert box.evaluate("box => box.selectionEnd - box.selectionStart") == len(box.input_value())
    assert "%2C" not in box.input_value() and "%3A" not in box.input_value()  # it is long enough without


def test_outside_the_book_there_is_no_link(mount):
    figure = mount(AttentionCalculator(), views=(False,))
    assert figure.figure.get_by_text("Copy link").count() == 0


@pytest.mark.parametrize("device", [{}, PHONE], ids=["wide", "phone"])
def test_the_explanation_never_covers_a_cell(mount, device):
    figure = mount(AttentionCalculator("the cat sat down and slept"), **device)
    explanation = figure.figure.locator(".inorder-explain-area").bounding_box()
    corners = """all => all.map((one) => one.getBoundingClientRect()).filter(({ width }) => width > 0)
      .map(({ right, bottom }) => [right, bottom])"""  # without the cells of another step, on a phone
    for right, bottom in figure.figure.locator(".inorder-lines .inorder-cell").evaluate_all(corners):
        assert right <= explanation["x"] or bottom <= explanation["y"]


def test_the_explanation_describes_the_cell_that_it_explains_and_no_other(mount):
    figure = mount(AttentionCalculator())
    described = figure.figure.locator("[aria-describedby]")
    for cell in (("weights", 1, 2), ("output", 3, 0), ("x", 2, 1)):
        figure.cell(*cell).focus()
        assert described.count() == 1
        assert described.evaluate("node => [node.dataset.name, +node.dataset.row, +node.dataset.col]") == list(cell)
        text = figure.page.locator("#" + described.get_attribute("aria-describedby")).inner_text()
        assert text == figure.figure.locator(".inorder-explain").inner_text()


def test_one_row_walks_through_the_matrices(mount):
    figure = mount(AttentionCalculator())
    walking = figure.figure.locator(".inorder-lines .is-walking .inorder-cell")
    for row, choose in (
        (2, figure.figure.get_by_role("radio", name="The row of “sat”")),
        (1, figure.cell("output", 1, 0)),
    ):
        choose.click(force=True)
        assert figure.sync().row == row
        assert {cell.get_attribute("data-row") for cell in walking.all()} == {str(row)}
        assert {cell.get_attribute("data-name") for cell in walking.all()} == {
            *("x", "query", "scaled_scores", "weights", "output")
        }
        assert figure.summary.inner_text() == figure.python.summary()


def test_on_a_phone_one_step_at_a_time(mount):
    figure = mount(AttentionCalculator(), **PHONE)
    seen = {
        "Q K V": {"x", "query", "key", "value"},
        "S": {"query", "key", "scaled_scores"},
        "A": {"scaled_scores", "weights"},
        "Y": {"weights", "value", "output"},
    }
    for label, names in seen.items():
        figure.figure.get_by_role("radio", name=label, exact=True).check()
        display = {name for name in (*GIVEN, *COMPUTED) if figure.cell(name, 0, 0).is_visible()}
        assert display == names
    wide = mount(AttentionCalculator())
    assert wide.figure.get_by_role("radio", name="Q K V").is_hidden()
