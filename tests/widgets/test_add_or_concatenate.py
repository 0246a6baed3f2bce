"""AddOrConcatenate: its numbers against least squares and in the browser, its controls, its curve, its link."""

from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from harness.figure import PHONE
from inorder.widgets import AddOrConcatenate
from inorder.widgets.add_or_concatenate.figure import WORDS
from inorder.widgets.add_or_concatenate.read_back import column_space, normal_numbers
from inorder.widgets.kit.state import InvalidState


def random_figure(seed: int) -> AddOrConcatenate:
    rng = np.random.default_rng(seed)
    v, m = (int(n) for n in rng.integers(2, 25, size=2))
    pair = {"token": int(rng.integers(24)), "position": int(rng.integers(24))}
    sizes = {"n_tokens": v, "n_positions": m, "d": int(rng.integers(2, 65))}
    return AddOrConcatenate(**sizes, **pair, ratio=rng.uniform(0.1, 3), share=rng.uniform(0.1, 0.9))


def own_tables(seed: int, v: int = 5, m: int = 7, width: int = 9) -> dict:
    rng = np.random.default_rng(seed)
    return {"token_table": rng.normal(size=(v, width)), "position_table": rng.normal(size=(m, width))}


def assert_page_shows(figure, python, view=0):
    display = figure.page.locator(".inorder-figure").nth(view)
    display.locator(".inorder-fold").first.evaluate("fold => { fold.open = true; }")  # the curves are drawn in it
    for way, read in (("added", python.added), ("side_by_side", python.side_by_side)):
        for part in ("tokens", "positions"):
            scores = figure.numbers(f"{way}_{part}", view)[0]
            np.testing.assert_allclose(scores, getattr(read, part), rtol=0, atol=1e-9, err_msg=f"{way} {part}")
        rates = python.rates[way]
        np.testing.assert_allclose(figure.numbers(f"rate_{way}", view)[0], rates.mean(axis=1), rtol=0, atol=1e-9)
        points = display.locator(f'[data-name="rate_{way}"]')
        ends = points.evaluate_all("nodes => nodes.map((node) => [+node.dataset.low, +node.dataset.high])")
        np.testing.assert_allclose(ends, np.stack([rates.min(axis=1), rates.max(axis=1)], axis=1), rtol=0, atol=1e-9)
    (x, p), (t, k), a = python.tables[0], python.pair, python.d_token
    vectors = [x[t, : python.d], p[k, : python.d], x[t, : python.d] + p[k, : python.d]]
    vectors.append(np.concatenate([x[t, :a], p[k, : python.d - a]]))
    np.testing.assert_allclose(figure.numbers("vectors", view), vectors, rtol=0, atol=1e-9)
    assert display.locator(".inorder-summary").inner_text() == python.summary()
    assert display.locator(".inorder-answer .inorder-note").inner_text() == python.note()
    assert display.locator(".inorder-threshold").text_content().startswith(python.threshold())
    won = [
        best(scores) == place
        for read in (python.added, python.side_by_side)
        for scores, place in zip(read, (t, k), strict=True)
    ]
    signs = display.locator(".inorder-question .inorder-sign").all_inner_texts()
    assert signs == ["✓" if right else "×" for right in won]
    assert display.locator(".inorder-answer .inorder-sign").inner_text() == ("✓" if all(won) else "×")


def best(scores):
    """The place of the largest of the scores, or None where two of them are."""
    (first, *others) = np.flatnonzero(scores > scores.max() - 1e-9)
    return None if others else first


def best_affine(inputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """The predictions of least squares with a bias, by a solver that knows nothing of projectors."""
    inputs = np.column_stack([inputs, np.ones(len(inputs))])
    return inputs @ np.linalg.lstsq(inputs, targets, rcond=None)[0]


# ------------------------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize("seed", range(6))
def test_every_number_is_pythons(mount, seed):
    python = random_figure(seed)
    assert_page_shows(mount(python), python)


@pytest.mark.parametrize("seed", range(3))
def test_every_number_of_own_tables_is_pythons(mount, seed):
    python = AddOrConcatenate(**own_tables(seed), d=6, ratio=1.7)
    figure = mount(python)
    assert_page_shows(figure, python)
    figure.figure.get_by_text("Sizes and scale").click()
    assert figure.figure.get_by_label("Position scale", exact=True).is_visible()
    assert figure.figure.get_by_label("Number of tokens", exact=True).is_hidden()
    assert "random tables" not in figure.figure.inner_text()


@pytest.mark.parametrize("seed", range(12))
def test_the_readout_is_least_squares_over_all_pairs(seed):
    python = random_figure(seed)
    (x, p), (t, k), d, a = python.tables[0], python.pair, python.d, python.d_token
    v, m = len(x), len(p)
    token, position = np.repeat(np.arange(v), m), np.tile(np.arange(m), v)
    targets = np.concatenate([np.eye(v)[token], np.eye(m)[position]], axis=1)
    ways = {
        "added": x[token, :d] + p[position, :d],
        "side_by_side": np.concatenate([x[token, :a], p[position, : d - a]], axis=1),
    }
    for way, inputs in ways.items():
        scores = best_affine(inputs, targets)
        read = getattr(python, way)
        np.testing.assert_allclose(read.tokens, scores[t * m + k, :v], atol=1e-8)
        np.testing.assert_allclose(read.positions, scores[t * m + k, v:], atol=1e-8)
        own = np.take_along_axis(scores, np.stack([token, v + position], axis=1), axis=1)
        right = [
            (np.where(targets[:, part] > 0, -np.inf, scores[:, part]).max(axis=1) < own[:, i] - 1e-7)
            for i, part in enumerate((slice(0, v), slice(v, None)))
        ]
        assert python.rates[way][d - 2, 0] == pytest.approx((right[0] & right[1]).mean())


@pytest.mark.parametrize(("v", "m"), [(2, 2), (3, 7), (16, 16), (24, 17), (5, 24)])
def test_exact_decoding_switches_on_where_it_is_proved_to(v, m):
    python = AddOrConcatenate(n_tokens=v, n_positions=m, share=(v - 1) / (v + m - 2))
    assert python.exact_from == {"added": v + m - 2, "side_by_side": v + m - 2}
    for d, exact in ((v + m - 2, True), (v + m - 3, False)):
        if d >= 2:
            python.d = d
            right = np.eye(v)[python.pair[0]]
            assert np.allclose(python.added.tokens, right, atol=1e-9) == exact


def test_a_bad_split_is_exact_later():
    python = AddOrConcatenate(n_tokens=24, n_positions=4, share=0.5)
    assert python.exact_from == {"added": 26, "side_by_side": 45}  # rounded up, d_x = 23 from d = 45 on
    python.share = 0.05
    assert python.exact_from["side_by_side"] is None
    assert python.threshold() == "Exact from d = 26 on when added, at no width here side by side."


def test_tables_that_share_a_direction_are_never_exact():
    x = np.eye(3, 6)
    p = np.concatenate([[x[1] - x[0]], np.eye(2, 6, k=4)])  # a difference of tokens is a difference of positions
    python = AddOrConcatenate(token_table=x, position_table=np.concatenate([np.zeros((1, 6)), p]), d=6)
    assert python.exact_from["added"] is None


@pytest.mark.parametrize("seed", range(5))
def test_projectors_of_growing_width(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(7, 4)) @ rng.normal(size=(4, 10))  # rank 4
    for width, (projector, rank) in enumerate(column_space(rows), start=1):
        assert rank == min(width, 4)
        np.testing.assert_allclose(projector, rows[:, :width] @ np.linalg.pinv(rows[:, :width]), atol=1e-9)


def test_drawn_numbers_are_normal():
    numbers = normal_numbers("any text", 20_000)
    assert abs(numbers.mean()) < 0.03 and abs(numbers.std() - 1) < 0.02
    assert abs((numbers**4).mean() - 3) < 0.2
    np.testing.assert_array_equal(numbers[:5], normal_numbers("any text", 5))


# ------------------------------------------------------------------------------------------------------ controls


def test_controls(mount):
    python = AddOrConcatenate()
    figure = mount(python)
    figure.figure.get_by_text("Sizes and scale").click()
    labels = {"Width d": ("d", 21), "Number of tokens": ("n_tokens", 9), "Number of positions": ("n_positions", 11)}
    labels |= {"Position scale": ("ratio", 2.5), "Tokens’ share of d": ("share", 0.3)}
    for label, (name, value) in labels.items():
        figure.figure.get_by_label(f"{label}, as a number").fill(str(value))
        assert getattr(figure.sync(), name) == value
        assert_page_shows(figure, python)
    figure.figure.get_by_label("Token", exact=True).select_option("sat")
    figure.figure.get_by_label("Position", exact=True).select_option("7")
    assert (figure.sync().token, python.position) == (2, 7)
    assert_page_shows(figure, python)


@pytest.mark.parametrize(
    ("label", "typed", "name", "held"),
    [
        ("Width d", "1000", "d", 64),
        ("Width d", "7.4", "d", 7),
        ("Number of tokens", "1", "n_tokens", 2),
        ("Position scale", "0", "ratio", 0.01),
        ("Tokens’ share of d", "2", "share", 0.99),
    ],
)
def test_a_number_beyond_the_ends_is_held(mount, label, typed, name, held):
    figure = mount(AddOrConcatenate())
    figure.figure.get_by_text("Sizes and scale").click()
    figure.figure.get_by_label(f"{label}, as a number").fill(typed)
    assert getattr(figure.sync(), name) == held


def across(figure, d):
    """Where on the page the curve has that d."""
    dot = figure.cell("rate_added", 0, d - 2).bounding_box()
    box = figure.figure.locator(".inorder-plot").bounding_box()
    return dot["x"] + dot["width"] / 2 + 2, box["y"] + box["height"] / 2


def test_a_press_and_a_drag_on_the_curve_pick_d(mount):
    figure = mount(AddOrConcatenate())
    figure.figure.get_by_text("All pairs against d").click()
    box = figure.figure.locator(".inorder-plot").bounding_box()
    _, y = across(figure, 30)
    figure.page.mouse.click(box["x"] + box["width"] - 2, y)
    assert figure.sync().d == 64
    figure.page.mouse.move(*across(figure, 30))
    figure.page.mouse.down()
    assert figure.sync().d == 30
    figure.page.mouse.move(*across(figure, 2))
    assert figure.sync().d == 2
    figure.page.mouse.up()
    figure.page.mouse.move(*across(figure, 40))
    assert figure.sync().d == 2


def swipe(page, x, y, down):
    """A finger that moves up or down from there."""
    touch = page.context.new_cdp_session(page)
    for step in range(11):
        points = [{"x": x, "y": y + down * step / 10}]
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove" if step else "touchStart", "touchPoints": points})
        page.wait_for_timeout(16)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(100)


def test_a_swipe_that_begins_on_a_slider_scrolls_the_page_and_does_not_move_it(mount):
    figure = mount(AddOrConcatenate(), **PHONE)
    figure.figure.get_by_text("All pairs against d").click()
    slider = figure.figure.get_by_label("Width d", exact=True)
    box = slider.bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    figure.page.evaluate("scrollTo(0, 0)")
    swipe(figure.page, *middle, -60)
    assert figure.page.evaluate("scrollY") > 0
    assert (figure.sync().d, slider.input_value()) == (12, "12")
    figure.page.evaluate("scrollTo(0, 0)")
    figure.page.touchscreen.tap(*middle)
    assert figure.sync().d == 33


def test_touch_on_the_curve_picks_d_and_a_swipe_scrolls_the_page(mount):
    figure = mount(AddOrConcatenate(n_tokens=20), **PHONE)
    figure.figure.get_by_text("All pairs against d").click()
    figure.figure.locator(".inorder-plot").scroll_into_view_if_needed()
    figure.page.touchscreen.tap(*across(figure, 30))
    assert figure.sync().d == 30
    x, y = across(figure, 10)
    before = figure.page.evaluate("scrollY")
    swipe(figure.page, x, y, 150)
    assert figure.page.evaluate("scrollY") < before
    assert figure.sync().d == 30


def test_nothing_leaves_the_card_of_a_narrow_phone(mount):
    """Its boxes did at 360 pixels, and could not be scrolled to."""
    figure = mount(AddOrConcatenate(n_tokens=24, d=64, token=9), viewport={"width": 320, "height": 800})
    for fold in figure.figure.locator(".inorder-fold > summary").all():
        fold.click()
    outside = figure.figure.evaluate(
        """root => [...root.querySelectorAll("*")].filter((node) =>
          !node.closest(".inorder-said") && node.getBoundingClientRect().right > root.getBoundingClientRect().right
        ).map((node) => node.outerHTML)"""
    )
    assert outside == []


def test_fewer_tokens_than_the_one_chosen(mount):
    python = AddOrConcatenate(token=15, position=15)
    figure = mount(python)
    figure.figure.get_by_text("Sizes and scale").click()
    figure.figure.get_by_label("Number of tokens, as a number").fill("4")
    assert figure.sync().n_tokens == 4 and python.pair == (3, 15)
    assert figure.figure.get_by_label("Token", exact=True).locator("option").all_inner_texts() == WORDS[:4]
    assert_page_shows(figure, python)


def test_python_changes_the_tables(mount):
    python = AddOrConcatenate(**own_tables(0), d=5)
    figure = mount(python)
    other = AddOrConcatenate(**own_tables(1), d=5)
    figure.drive(token_table=other.token_table, position_table=other.position_table)
    assert_page_shows(figure, other)


def test_links_that_do_not_fit_the_tables_are_refused(mount):
    figure = mount(AddOrConcatenate(**own_tables(0)))  # 5 tokens, 9 columns
    figure.assert_refuses([{"n_tokens": 6}, {"d": 10}])


# -------------------------------------------------------------------------------------------------------- Python


@pytest.mark.parametrize("convert", [np.ndarray.tolist, np.array, torch.tensor])
def test_lists_numpy_and_torch(convert):
    python = AddOrConcatenate(**{name: convert(table) for name, table in own_tables(0).items()})
    assert (python.n_tokens, python.n_positions, python.d, python.widest) == (5, 7, 9, 9)
    assert python.rates["added"].shape == (8, 1)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"token_table": [[1, 2], [3, 4]]}, "must both be given, or neither"),
        (own_tables(0) | {"n_tokens": 4}, "n_tokens must be a whole number from 5 to 5, got 4"),
        (own_tables(0) | {"d": 10}, "d must be a whole number from 2 to 9, got 10"),
        (own_tables(0, v=1), r"token_table must have 2 to 24 rows and 2 to 64 columns, got shape \(1, 9\)"),
        (own_tables(0, m=25), "position_table must have 2 to 24 rows"),
        (own_tables(0, width=65), "2 to 64 columns"),
        (own_tables(0) | {"position_table": np.eye(3)}, r"same number of columns, got \(5, 9\) and \(3, 3\)"),
        (own_tables(0) | {"token_table": np.full((5, 9), np.nan)}, "token_table must hold numbers"),
        (own_tables(0) | {"token_table": [1, 2]}, "token_table must be a matrix with two axes"),
    ],
)
def test_bad_input(bad, message):
    with pytest.raises(ValueError, match=message):
        AddOrConcatenate(**bad)


def test_an_assignment_that_does_not_fit_is_undone():
    python = AddOrConcatenate()
    with pytest.raises(InvalidState):
        python.d = 100
    assert python.d == 12
    with pytest.raises(InvalidState):
        python.token_table = [[1, "x"]]
    assert python.token_table == []
    python = AddOrConcatenate(**own_tables(0))
    before = python.token_table
    with pytest.raises(ValueError, match=r"token_table must have the shape that it had .*, got \(4, 9\)"):
        python.token_table = np.ones((4, 9))
    assert python.token_table == before


@pytest.mark.parametrize("options", [{}, {"d": 30}, own_tables(2)], ids=["default", "exact", "own"])
def test_static_twin(options):
    python = AddOrConcatenate(**options)
    data, metadata = python._repr_mimebundle_()
    ElementTree.fromstring(data["image/svg+xml"])
    assert data["image/svg+xml"] == python._repr_mimebundle_()[0]["image/svg+xml"]
    assert metadata["image/svg+xml"]["alt"] == python.alt_text()
    assert python.summary() in python.alt_text()
    axes = python.figure().axes
    assert [text.get_text() for text in axes[0].get_yticklabels()] == ["$x$", "$p$", "$x+p$", "$[x;p]$"]
    assert axes[0].collections[0].get_array().shape == (4, python.d)
    heights = [[bar.get_height() for bar in each.patches] for each in axes[1:]]
    expected = [python.added.tokens, python.added.positions, python.side_by_side.tokens, python.side_by_side.positions]
    for drawn, scores in zip(heights, expected, strict=True):
        np.testing.assert_allclose(drawn, scores)
    assert python.summary() in python.figure().get_supxlabel()
