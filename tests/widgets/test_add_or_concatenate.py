"""AddOrConcatenate: its numbers against least squares and in the browser, its controls, its curve, its link."""

import numpy as np
import pytest
import torch

from harness.figure import PHONE
from inorder.widgets import AddOrConcatenate
from inorder.widgets.add_or_concatenate.figure import WORDS
from inorder.widgets.add_or_concatenate.read_back import column_space, normal_numbers


def random_figure(seed: int) -> AddOrConcatenate:
    rng = np.random.default_rng(seed)
    v, m = (int(n) for n in rng.integers(2, 25, size=2))
    pair = {"token": int(rng.integers(24)), "position": int(rng.integers(24))}
    sizes = {"n_tokens": v, "n_positions": m, "d": int(rng.integers(2, 65))}
    return AddOrConcatenate(**sizes, **pair, ratio=rng.uniform(0.1, 3), share=rng.uniform(0.1, 0.9))


def own_tables(seed: int, v: int = 5, m: int = 7, width: int = 9) -> dict:
    rng = np.random.default_rng(seed)
    return {"token_table": rng.normal(size=(v, width)), "position_table": rng.normal(size=(m, width))}


def best_affine(inputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """The predictions of least squares with a bias, by a solver that knows nothing of projectors."""
    inputs = np.column_stack([inputs, np.ones(len(inputs))])
    return inputs @ np.linalg.lstsq(inputs, targets, rcond=None)[0]


# ------------------------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize("seed", range(5))
def test_the_readout_is_least_squares_over_all_pairs(seed):
    python = random_figure(seed)
    (x, p), (t, k), d, a = python.tables, python.pair, python.d, python.d_token
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
        assert python.rates[way][d - 2] == pytest.approx((right[0] & right[1]).mean())


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
    assert python.note() == "Exact from d = 26 on when added, at no width here side by side."


def test_tables_that_share_a_direction_are_never_exact():
    x = np.eye(3, 6)
    p = np.concatenate([[x[1] - x[0]], np.eye(2, 6, k=4)])  # a difference of tokens is a difference of positions
    python = AddOrConcatenate(token_table=x, position_table=np.concatenate([np.zeros((1, 6)), p]), d=6)
    assert python.exact_from["added"] is None


def test_projectors_of_growing_width():
    rng = np.random.default_rng(0)
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
    figure.figure.get_by_label("Token", exact=True).select_option("sat")
    figure.figure.get_by_label("Position", exact=True).select_option("7")
    assert (figure.sync().token, python.position) == (2, 7)
    assert figure.summary.inner_text() == python.summary()


def test_a_number_beyond_the_ends_is_held(mount):
    figure = mount(AddOrConcatenate())
    figure.figure.get_by_text("Sizes and scale").click()
    for label, typed, name, held in (
        ("Width d", "1000", "d", 64),
        ("Width d", "7.4", "d", 7),
        ("Number of tokens", "1", "n_tokens", 2),
        ("Position scale", "0", "ratio", 0.01),
        ("Tokens’ share of d", "2", "share", 0.99),
    ):
        figure.figure.get_by_label(f"{label}, as a number").fill(typed)
        assert getattr(figure.sync(), name) == held


def test_the_handle_on_the_curve_sets_d(mount):
    figure = mount(AddOrConcatenate())
    box = figure.figure.locator(".inorder-handle").bounding_box()
    figure.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    figure.page.mouse.down()
    figure.page.mouse.move(2000, box["y"])
    assert figure.sync().d == 64
    figure.page.mouse.move(0, box["y"])
    figure.page.mouse.up()
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


def test_fewer_tokens_than_the_one_chosen(mount):
    python = AddOrConcatenate(token=15, position=15)
    figure = mount(python)
    figure.figure.get_by_text("Sizes and scale").click()
    figure.figure.get_by_label("Number of tokens, as a number").fill("4")
    assert figure.sync().n_tokens == 4 and python.pair == (3, 15)
    assert figure.figure.get_by_label("Token", exact=True).locator("option").all_inner_texts() == WORDS[:4]
    assert figure.figure.get_by_label("Token", exact=True).input_value() == "3"


def test_tables_of_ones_own_have_their_sizes(mount):
    python = AddOrConcatenate(**own_tables(0), d=5)
    figure = mount(python)
    np.testing.assert_allclose(figure.numbers("1.values"), [python.added.tokens, python.side_by_side.tokens], atol=1e-9)
    figure.figure.get_by_text("Sizes and scale").click()
    assert figure.figure.get_by_label("Position scale", exact=True).is_visible()
    assert figure.figure.get_by_label("Number of tokens", exact=True).count() == 0


# -------------------------------------------------------------------------------------------------------- Python


@pytest.mark.parametrize("convert", [np.ndarray.tolist, torch.tensor])
def test_lists_numpy_and_torch(convert):
    python = AddOrConcatenate(**{name: convert(table) for name, table in own_tables(0).items()})
    assert (python.n_tokens, python.n_positions, python.d, python.widest) == (5, 7, 9, 9)
    assert python.rates["added"].shape == (8,)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"token_table": [[1, 2], [3, 4]]}, "must both be given, or neither"),
        (own_tables(0) | {"n_tokens": 4}, "n_tokens must be a whole number from 5 to 5, got 4"),
        (own_tables(0) | {"d": 10}, "d must be a whole number from 2 to 9, got 10"),
        (own_tables(0, v=1), r"token_table must have 2 to 24 rows, got shape \(1, 9\)"),
        (own_tables(0) | {"position_table": np.eye(3)}, r"same number of columns, got \(5, 9\) and \(3, 3\)"),
        (own_tables(0) | {"token_table": np.full((5, 9), np.nan)}, "token_table must hold numbers"),
    ],
)
def test_bad_input(bad, message):
    with pytest.raises(ValueError, match=message):
        AddOrConcatenate(**bad)
