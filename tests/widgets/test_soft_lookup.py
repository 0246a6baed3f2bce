"""SoftLookup: its numbers in Python, its points under mouse, finger and keyboard, its controls."""

import math

import numpy as np
import pytest
import torch

from harness.figure import PHONE
from inorder.attention import attention_weights, scaled_dot_product_attention
from inorder.widgets import SoftLookup


@pytest.mark.parametrize("seed", range(3))
def test_it_is_attention_and_by_distance_attention_with_a_bias_for_long_keys(seed):
    rng = np.random.default_rng(seed)
    q, k, v = rng.normal(size=(2, 2)), rng.normal(size=(5, 2)), rng.normal(size=(5, 1))
    beta = rng.uniform(0, 5)
    expected = scaled_dot_product_attention(q, k, v, scale=beta)
    np.testing.assert_allclose(SoftLookup(q, k, v, sharpness=beta).output, expected, rtol=0, atol=1e-12)
    bias = np.tile(-0.5 * beta * (k**2).sum(axis=1), (2, 1))
    weights = SoftLookup(q, k, v, sharpness=beta, matching="distance").weights
    np.testing.assert_allclose(weights, attention_weights(q, k, bias=bias, scale=beta), rtol=0, atol=1e-12)


def test_uniform_is_the_mean_and_hard_is_the_best_value():
    q, k, v = [[0, 1]], [[0, 2], [1, 1], [0, 2.5]], [3, 10, 5]
    assert SoftLookup(q, k, v, sharpness=0).output == pytest.approx(6)
    assert SoftLookup(q, k, v, sharpness=math.inf).output == 5
    assert SoftLookup(q, k, v, sharpness=math.inf, matching="distance").output == pytest.approx((3 + 10) / 2)  # a tie


def test_tied_projections_give_symmetric_scores():
    assert not np.allclose(SoftLookup(attention="self").scores, SoftLookup(attention="self").scores.T)
    tied = SoftLookup(attention="self", tied=True)
    np.testing.assert_array_equal(tied.query, tied.key)
    np.testing.assert_allclose(tied.scores, tied.scores.T)


def half(rows):
    return torch.tensor(rows, dtype=torch.bfloat16)  # NumPy has none


@pytest.mark.parametrize("convert", [np.array, half])
def test_lists_numpy_and_torch(convert):
    lookup = SoftLookup(convert([[0.5, 1.0]]), convert([[1.0, 0.0], [0.0, 1.0]]), convert([3.0, 6.0]))
    assert lookup.v == [[3.0], [6.0]] and lookup.tokens == ["the", "cat"] and lookup.output.shape == (1, 1)


def point(figure, name):
    return figure.figure.get_by_role("slider", name=f"Drag {name}", exact=True)


def drag(figure, name, across, up):
    """By so many units, in two steps; what is dragged follows the hand."""
    box, plane = point(figure, name).bounding_box(), figure.figure.locator(".inorder-plane").bounding_box()
    unit = plane["height"] / (2 * 3.5)
    x, y = box["x"] + 22, box["y"] + 22
    mouse = figure.page.mouse
    mouse.move(x + 3, y + 3)  # a little beside: the point does not jump
    mouse.down()
    mouse.move(x + 3 + unit, y + 3)
    mouse.move(x + 3 + across * unit, y + 3 - up * unit)
    held = point(figure, name).bounding_box()
    assert (held["x"] + 22, held["y"] + 22) == pytest.approx((x + across * unit, y - up * unit), abs=1)
    mouse.up()


def test_the_mouse_moves_a_key_or_a_query_and_nothing_else(mount):
    figure = mount(SoftLookup())
    drag(figure, "cat", -1.5, -1)
    assert figure.sync().k == [[2.0, 0.5], [-1.0, 1.0], [-1.5, 1.0], [-1.0, -2.0]]
    assert figure.python.q == SoftLookup().q
    drag(figure, "query 1", 1, 1)
    assert figure.sync().q == [[1.0, 1.5], [-0.5, 1.0]] and figure.python.chosen == 1
    assert figure.summary.inner_text() == figure.python.summary()


def test_what_is_dragged_stays_in_the_plane(mount):
    figure = mount(SoftLookup())
    handle, plane = point(figure, "query 1"), figure.figure.locator(".inorder-ground").bounding_box()
    handle.hover()
    figure.page.mouse.down()
    figure.page.mouse.move(2000, 0)
    held = handle.bounding_box()
    corner = plane["x"] + plane["width"], plane["y"]
    assert (held["x"] + 22, held["y"] + 22) == pytest.approx(corner, abs=1), "it stops at the drawn edge"
    figure.page.mouse.up()
    assert figure.sync().q[1] == [3.5, 3.5]


def test_in_self_attention_a_token_takes_its_query_key_and_value_along(mount):
    lookup = SoftLookup(attention="self")
    before = [lookup.query, lookup.key, lookup.value]
    figure = mount(lookup)
    assert figure.figure.get_by_role("slider", name="Drag query").count() == 0
    drag(figure, "x of sat", -1, 0)
    assert figure.sync().x[2] == [0.0, 2.5] and lookup.chosen == 2
    for old, new in zip(before, [lookup.query, lookup.key, lookup.value], strict=True):
        np.testing.assert_array_equal(np.delete(old, 2, axis=0), np.delete(new, 2, axis=0))


def test_a_finger_moves_a_point_and_not_the_page(mount):
    figure = mount(SoftLookup(), **PHONE)
    box = point(figure, "query 0").bounding_box()
    session = figure.page.context.new_cdp_session(figure.page)
    x, y = box["x"] + 26, box["y"] + 26
    for kind, i in [("touchStart", 0), *[("touchMove", i) for i in range(1, 5)]]:
        places = [{"x": x - 10 * i, "y": y + 5 * i}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    across, up = figure.sync().q[0]
    assert across < 0.5 and up < 1.5 and figure.page.evaluate("scrollY") == 0


def test_arrow_keys(mount):
    figure = mount(SoftLookup())
    point(figure, "query 1").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "Shift+ArrowDown", "ArrowLeft", "a"):
        figure.page.keyboard.press(key)
    assert figure.sync().q[1] == [-1.4, -0.4] and figure.python.chosen == 1
    assert point(figure, "query 1").get_attribute("aria-valuetext") == "across −1.40, up −0.40"


def test_exact_numbers_without_dragging(mount):
    figure = mount(SoftLookup())
    figure.figure.locator("summary", has_text="Numbers").click()
    figure.figure.get_by_label("Keys, down, column 0").fill("2.345")
    figure.figure.get_by_label("Keys, down, column 1").fill("99")  # held at the largest
    figure.figure.get_by_label("Values, sat, column 0").fill("-250.5")
    assert figure.sync().k[3] == [2.345, 10.0] and figure.python.v[2] == [-250.5]


def test_sharpness_from_uniform_to_hard(mount):
    figure = mount(SoftLookup())
    slider = figure.figure.get_by_label("Sharpness β", exact=True)
    box = figure.figure.get_by_label("Sharpness β, as a number")
    slider.press("Home")
    assert figure.sync().sharpness == 0
    assert "weighs all 4 keys equally and gets the mean of the values, 6.25" in figure.summary.inner_text()
    slider.press("End")
    assert figure.sync().hard and slider.get_attribute("aria-valuetext") == "hard look-up"
    assert figure.numbers("1.values").tolist() == [[0, 1, 0, 0]]
    assert box.input_value() == "" and box.get_attribute("placeholder") == "∞"
    box.fill("0.7")
    assert figure.sync().sharpness == 0.7 and not figure.python.hard


def test_inputs_match_and_tie(mount):
    figure = mount(SoftLookup())
    figure.figure.locator("summary", has_text="Inputs and match").click()
    tie = figure.figure.get_by_role("switch", name="Tie")
    assert tie.count() == 0, "in cross-attention there is nothing to tie"
    figure.figure.get_by_role("radio", name="distance").check()
    figure.figure.get_by_role("radio", name="self-attention").check()
    tie.check()
    python = figure.sync()
    assert (python.matching, python.attention, python.tied) == ("distance", "self", True)
    assert figure.figure.locator(".inorder-answer .inorder-note").inner_text() == python.note()
