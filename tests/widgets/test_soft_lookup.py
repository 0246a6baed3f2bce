"""SoftLookup: its numbers in the browser and in Python, its points under mouse, finger and keyboard, its link."""

import math
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from matplotlib.text import Text

from harness.figure import PHONE
from inorder.attention import attention_weights, scaled_dot_product_attention
from inorder.widgets import SoftLookup
from inorder.widgets.kit.state import InvalidState


def random_lookup(seed: int, **options) -> SoftLookup:
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 5), rng.integers(2, 7)
    arrays = {"q": (m, 2), "k": (n, 2), "v": (n, 1), "x": (n, 2), "w_query": (2, 2), "w_key": (2, 2), "w_value": (2, 1)}
    arguments = {name: rng.normal(size=shape) for name, shape in arrays.items()}
    arguments |= {"attention": ["cross", "self"][seed % 2], "matching": ["dot", "distance"][seed // 2 % 2]}
    arguments |= {"tied": seed % 3 == 0, "sharpness": rng.uniform(0, 5), "tokens": [f"t{i}" for i in range(n)]}
    return SoftLookup(**arguments | options)


def assert_page_shows(figure, lookup):
    """Every number of every query: shares, scores and coordinates are those of one query at a time."""
    np.testing.assert_allclose(figure.numbers("output"), lookup.output, rtol=0, atol=1e-9)
    for row in range(len(lookup.query)):
        figure.figure.locator(".inorder-queries input").nth(row).check()
        for name in ("scores", "weights"):
            expected = getattr(lookup, name)[row]
            np.testing.assert_allclose(figure.numbers(name)[row], expected, rtol=0, atol=1e-9, err_msg=name)
        np.testing.assert_allclose(figure.numbers("query")[row], lookup.query[row], rtol=0, atol=1e-9)
        for name in ("key", "value"):
            np.testing.assert_allclose(figure.numbers(name), getattr(lookup, name), rtol=0, atol=1e-9, err_msg=name)
        lookup.chosen = row
        assert figure.summary.inner_text() == lookup.summary()
    assert figure.figure.locator(".inorder-answer .inorder-note").inner_text() == lookup.note()


def unfold(figure, label):
    figure.figure.locator("summary", has_text=label).click()


def grip(figure, kind, index):
    return figure.figure.locator(f'.inorder-grip[data-kind="{kind}"][data-index="{index}"]')


def centre(locator):
    box = locator.locator(".inorder-reach").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def unit(figure):
    """How many CSS pixels one unit of the plane is: its half side is 1.15 · 3 units."""
    return figure.figure.locator(".inorder-plane").bounding_box()["width"] / (2 * 1.15 * 3)


# ------------------------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize("seed", range(8))
def test_every_number_is_pythons(mount, seed):
    lookup = random_lookup(seed)
    assert_page_shows(mount(lookup), lookup)


@pytest.mark.parametrize("options", [{"sharpness": 0}, {"sharpness": math.inf}, {"sharpness": 100}])
@pytest.mark.parametrize("seed", range(2))
def test_the_ends_of_the_slider(mount, seed, options):
    lookup = random_lookup(seed, **options)
    assert_page_shows(mount(lookup), lookup)


@pytest.mark.parametrize("seed", range(0, 12, 4))
def test_dot_product_matching_is_attention(seed):
    lookup = random_lookup(seed)
    q, k, v = (np.array(each) for each in (lookup.q, lookup.k, lookup.v))
    expected = scaled_dot_product_attention(q, k, v, scale=lookup.sharpness)
    np.testing.assert_allclose(lookup.output, expected, rtol=0, atol=1e-12)


def test_distance_matching_is_attention_with_a_bias_for_long_keys():
    lookup = random_lookup(2)
    q, k, beta = np.array(lookup.q), np.array(lookup.k), lookup.sharpness
    bias = np.tile(-0.5 * beta * (k**2).sum(axis=1), (len(q), 1))
    np.testing.assert_allclose(lookup.weights, attention_weights(q, k, bias=bias, scale=beta), rtol=0, atol=1e-12)


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
    assert not np.allclose(tied.weights, tied.weights.T)


# -------------------------------------------------------------------------------------------------------- points


def test_mouse_drag_moves_a_key_and_nothing_else(mount):
    lookup = SoftLookup()
    figure = mount(lookup)
    x, y = centre(grip(figure, "k", 1))
    figure.page.mouse.move(x + 3, y + 3)  # a little beside: the point does not jump
    figure.page.mouse.down()
    figure.page.mouse.move(x + 3 + unit(figure), y + 3)
    figure.page.mouse.move(x + 3 - 1.5 * unit(figure), y + 3 + unit(figure))
    figure.page.mouse.up()
    figure.page.mouse.move(x, y)
    assert figure.sync().k == [[2.0, 0.5], [-1.0, 1.0], [-1.5, 1.0], [-1.0, -2.0]]
    assert lookup.q == SoftLookup().q
    assert_page_shows(figure, lookup)


def test_a_drag_stays_in_the_plane(mount):
    lookup = SoftLookup()
    figure = mount(lookup)
    x, y = centre(grip(figure, "q", 1))
    figure.page.mouse.move(x, y)
    figure.page.mouse.down()
    figure.page.mouse.move(x + 5000, y - 5000)
    figure.page.mouse.up()
    assert figure.sync().q[1] == [3.0, 3.0]
    assert lookup.chosen == 1


def test_in_self_attention_a_token_takes_its_query_key_and_value_along(mount):
    lookup = SoftLookup(attention="self")
    before = [lookup.query, lookup.key, lookup.value]
    figure = mount(lookup)
    assert grip(figure, "q", 0).count() == grip(figure, "k", 0).count() == 0
    x, y = centre(grip(figure, "x", 2))
    figure.page.mouse.move(x, y)
    figure.page.mouse.down()
    figure.page.mouse.move(x - unit(figure), y)
    figure.page.mouse.up()
    assert figure.sync().x[2] == [0.0, 2.5]
    for old, new in zip(before, [lookup.query, lookup.key, lookup.value], strict=True):
        assert (old[2] != new[2]).any()
        np.testing.assert_array_equal(np.delete(old, 2, axis=0), np.delete(new, 2, axis=0))
    assert lookup.chosen == 2
    assert_page_shows(figure, lookup)


@pytest.fixture
def finger(mount):
    """A figure on a phone, and finger((x, y), (x, y), …), which touches, moves and leaves."""
    figure = mount(SoftLookup(), **PHONE)
    figure.page.evaluate("() => { document.body.style.paddingBottom = '2000px'; }")  # room to scroll
    session = figure.page.context.new_cdp_session(figure.page)

    def touch(*places):
        kinds = ["touchStart"] + ["touchMove"] * (len(places) - 1)
        for kind, (x, y) in zip(kinds, places, strict=True):
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    return figure, touch


def test_touch_drag(finger):
    figure, touch = finger
    x, y = centre(grip(figure, "q", 0))
    step = unit(figure)
    touch(*((x + 8 - 0.4 * i * step, y + 8 + 0.2 * i * step) for i in range(6)))  # 8 pixels beside
    assert figure.sync().q[0] == [-1.0, 0.5]
    assert figure.page.evaluate("scrollY") == 0
    assert grip(figure, "q", 0).locator(".inorder-reach").bounding_box()["width"] >= 36
    assert_page_shows(figure, figure.python)


def test_a_swipe_beside_the_points_scrolls_the_page(finger):
    figure, touch = finger
    box = figure.figure.locator(".inorder-plane").bounding_box()
    x, y = box["x"] + 0.8 * box["width"], box["y"] + 0.9 * box["height"]
    touch(*((x, y - 30 * i) for i in range(6)))
    figure.page.wait_for_function("scrollY > 50")
    assert figure.sync().k == SoftLookup().k and figure.python.q == SoftLookup().q


def test_a_swipe_that_begins_on_the_slider_scrolls_and_leaves_it(finger):
    figure, touch = finger
    box = figure.figure.get_by_label("Sharpness β", exact=True).bounding_box()
    assert box["height"] >= 40
    x, y = box["x"] + 0.8 * box["width"], box["y"] + 0.5 * box["height"]
    touch(*((x - 10 * i, y) for i in range(8)))
    moved = figure.sync().sharpness
    assert 0 < moved != 1
    touch(*((x, y - 15 * i) for i in range(8)))
    figure.page.wait_for_function("scrollY > 50")
    assert figure.sync().sharpness == moved and not figure.python.hard


def test_arrow_keys(mount):
    lookup = SoftLookup()
    figure = mount(lookup)
    grip(figure, "q", 1).focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "Shift+ArrowDown", "ArrowLeft", "a"):
        figure.page.keyboard.press(key)
    assert figure.sync().q[1] == [-1.4, -0.4]
    assert lookup.chosen == 1
    assert grip(figure, "q", 1).get_attribute("aria-valuetext") == "across −1.40, up −0.40"
    figure.page.keyboard.press("Shift+Tab")  # queries come after keys, in their order
    assert figure.page.evaluate("document.activeElement.dataset.kind + document.activeElement.dataset.index") == "q0"
    assert_page_shows(figure, lookup)


def test_exact_coordinates_without_dragging(mount):
    lookup = SoftLookup()
    figure = mount(lookup)
    x, y = centre(grip(figure, "k", 3))
    figure.page.mouse.click(x, y)
    unfold(figure, "Coordinates")
    figure.figure.get_by_label("key of “down”, across, as a number").fill("2.345")
    figure.figure.get_by_label("key of “down”, up, as a number").fill("99")  # held at the largest
    assert figure.sync().k[3] == [2.345, 10.0]
    assert_page_shows(figure, lookup)


def test_of_two_points_in_one_place_the_upper_is_taken(mount):
    lookup = SoftLookup([[1, 1]], [[1, 1], [0, -1]], [1, 2])
    figure = mount(lookup)
    grip(figure, "q", 0).focus()
    x, y = centre(grip(figure, "q", 0))
    figure.page.mouse.move(x, y)
    figure.page.mouse.down()
    figure.page.mouse.move(x - unit(figure), y)
    figure.page.mouse.up()
    assert figure.sync().q == [[0.0, 1.0]]
    assert lookup.k[0] == [1.0, 1.0]


# ------------------------------------------------------------------------------------------------------ controls


def test_switches(mount):
    lookup = SoftLookup()
    figure = mount(lookup)
    unfold(figure, "Match")
    assert figure.figure.get_by_text("q · k").is_visible()
    figure.figure.get_by_role("radio", name="distance").check()
    assert figure.sync().matching == "distance"
    assert figure.figure.get_by_text("−‖q − k‖²/2").is_visible()
    assert_page_shows(figure, lookup)
    unfold(figure, "Two inputs")
    figure.figure.get_by_role("radio", name="self-attention").check()
    assert figure.sync().attention == "self"
    assert_page_shows(figure, lookup)
    unfold(figure, "The three matrices")
    figure.figure.get_by_role("switch", name="Tie").check()
    assert figure.sync().tied
    assert_page_shows(figure, lookup)
    assert "W_Q = W_K" in lookup.note()


def test_no_control_does_nothing(mount):
    """The matrices and their tie make nothing in cross-attention; a value of your own, nothing in self-attention."""
    figure = mount(SoftLookup())
    matrices = figure.figure.locator("summary", has_text="The three matrices")
    assert matrices.is_hidden()
    unfold(figure, "Coordinates")
    grip(figure, "k", 1).focus()
    worth = figure.figure.get_by_label("Value of", exact=False).first
    assert worth.is_visible()
    grip(figure, "q", 1).focus()
    assert worth.is_hidden()
    figure.drive(attention="self")
    assert matrices.is_visible() and worth.is_hidden()


def test_sharpness_from_uniform_to_hard(mount):
    lookup = SoftLookup()
    figure = mount(lookup)
    slider = figure.figure.get_by_label("Sharpness β", exact=True)
    box = figure.figure.get_by_label("Sharpness β, as a number")
    slider.focus()
    figure.page.keyboard.press("Home")
    assert figure.sync().sharpness == 0
    assert "weighs all 4 keys equally and gets the mean of the values, 6.25" in figure.summary.inner_text()
    figure.page.keyboard.press("End")
    assert figure.sync().hard
    assert slider.get_attribute("aria-valuetext") == "hard look-up"
    assert figure.numbers("weights")[0].tolist() == [0, 1, 0, 0]
    assert box.input_value() == "" and box.get_attribute("placeholder") == "∞"
    assert_page_shows(figure, lookup)
    slider.focus()
    figure.page.keyboard.press("ArrowLeft")
    assert not figure.sync().hard and lookup.sharpness == pytest.approx(20)
    box.fill("0.7")
    assert figure.sync().sharpness == 0.7
    box.fill("1000")  # outside 0 to 100, so it is ignored
    assert figure.sync().sharpness == 0.7
    assert_page_shows(figure, lookup)


def test_values_are_the_readers(mount):
    lookup = SoftLookup()
    figure = mount(lookup)
    unfold(figure, "Coordinates")
    grip(figure, "k", 2).focus()
    figure.figure.get_by_label("Value of “sat”, as a number").fill("-250.5")
    assert figure.sync().v[2] == [-250.5]
    assert_page_shows(figure, lookup)


def test_weights_are_the_readers(mount):
    lookup = SoftLookup(attention="self")
    figure = mount(lookup)
    unfold(figure, "The three matrices")
    figure.cell("w_query", 0, 1).focus()
    figure.page.keyboard.press("+")
    assert figure.sync().w_query == [[-1.0, -0.9], [0.5, 1.0]]
    figure.figure.get_by_label("Tie").check()
    figure.cell("w_query", 1, 0).focus()
    figure.page.keyboard.press("-")  # one matrix with two names
    assert figure.sync().w_key == [[0.5, 0.0], [0.4, -1.0]]
    np.testing.assert_array_equal(figure.numbers("w_query"), figure.numbers("w_key"))
    assert_page_shows(figure, lookup)


def test_the_sum_written_out_is_the_output(mount):
    figure = mount(SoftLookup([[1, 1]], [[1, 0], [0, 2], [-1, 1]], [7, -14, 0], sharpness=0))
    assert figure.figure.locator(".inorder-sum").inner_text() == ("0.33 × 7 + 0.33 × (−14) + 0.33 × 0 ≈ −2.33")


def test_token_text_is_text(mount):
    hostile = ["<img src=x onerror=…>"[:20], "<b>b</b>", "&amp;", "<script>x()</script>"]
    for attention in ("cross", "self"):
        figure = mount(SoftLookup(tokens=hostile, attention=attention, chosen=1))
        assert "<b>b</b>" in figure.figure.locator(".inorder-shares").inner_text()
        assert figure.figure.locator("img, b, script").count() == 0
        display = figure.figure.locator(".inorder-plane text").all_text_contents()
        assert any("&amp;" in text for text in display)


# -------------------------------------------------------------------------------------------------------- Python


def half(rows):
    return torch.tensor(rows, dtype=torch.bfloat16)  # NumPy has none


@pytest.mark.parametrize("convert", [tuple, np.array, torch.tensor, half])
def test_lists_numpy_and_torch(convert):
    lookup = SoftLookup(convert([[0.5, 1.0]]), convert([[1.0, 0.0], [0.0, 1.0]]), convert([3.0, 6.0]))
    assert lookup.v == [[3.0], [6.0]] and lookup.tokens == ["the", "cat"]
    assert lookup.output.shape == (1, 1)


def test_an_assignment_that_does_not_fit_is_undone():
    lookup = SoftLookup()
    with pytest.raises(InvalidState):
        lookup.k = [[1, 2]] * 3
    assert lookup.k == SoftLookup().k
    with lookup.hold_trait_notifications():
        lookup.k, lookup.v, lookup.x, lookup.tokens = [[1, 2]] * 3, [[1]] * 3, [[0, 1]] * 3, ["a", "b", "c"]
    assert lookup.output.shape == (2, 1)


@pytest.mark.parametrize("seed", range(4))
def test_static_twin(seed):
    lookup = random_lookup(seed, tokens=["$x$", "a" * 20, "<b>", "é", "e", "f"][: len(random_lookup(seed).tokens)])
    data, metadata = lookup._repr_mimebundle_()
    ElementTree.fromstring(data["image/svg+xml"])
    assert data["image/svg+xml"] == lookup._repr_mimebundle_()[0]["image/svg+xml"]
    assert metadata["image/svg+xml"]["alt"] == lookup.alt_text()
    assert lookup.summary() in lookup.alt_text()
    plane, bars = lookup.figure().axes
    assert [bar.get_width() for bar in bars.patches] == pytest.approx(lookup.weights[lookup.row].tolist())
    assert sum(bool(text.get_text()) for text in plane.findobj(Text)) >= len(lookup.k)
