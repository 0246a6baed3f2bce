"""The mark `stream`: what it holds, its colours, and what the page tells of it. See `test_marks.py`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from harness.contrast import contrast
from inorder.palette import DARK, LIGHT
from inorder.widgets import interact, marks
from inorder.widgets.interact.stream import dye

WORDS = ["dog", "bites", "man", "then"]
CAUSAL = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None]
INKED = 'figure => [...figure.querySelectorAll(".is-inked")].map((node) => node.textContent)'


def cone(word="dog"):
    """Where does it shine?"""
    return marks.stream([CAUSAL] * 2, WORDS, inked=WORDS.index(word), drag="word"), marks.answer(f"“{word}” shines.")


def dyed(alpha=1.0, row=0):
    """What is left of a colour?"""
    layer = (alpha * np.eye(5) + 0.2) / (alpha + 1)
    return marks.stream([layer] * 3, threads=False, drag="row"), marks.answer(f"{alpha}, {row}")


def mixing(n):
    """Weights of a layer whose rows sum to 1."""
    positive = arrays.arrays(float, (n, n), elements=st.floats(0.01, 1))
    return positive.map(lambda weights: weights / weights.sum(axis=1, keepdims=True))


# ------------------------------------------------------------------------------------------------------ what it holds


@given(st.data(), st.integers(1, 5), st.integers(1, 4))
def test_shares_are_carried_along_all_paths(data, n, n_layers):
    """By the sum over all paths, one by one, and so rows that sum to 1 go on doing so."""
    weights = np.stack([data.draw(mixing(n)) for _ in range(n_layers)])
    held = marks.stream(weights).parts["values"]
    source, row = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))

    def carried(level, at):
        if level == 0:
            return float(at == source)
        return sum(weights[level - 1, at, below] * carried(level - 1, below) for below in range(n))

    assert held[n_layers, row, source] == pytest.approx(carried(n_layers, row))
    np.testing.assert_allclose(held.sum(axis=-1), 1)


@given(st.data(), st.integers(2, 5), st.integers(1, 3))
def test_renamed_rows_hold_the_same(data, n, n_layers):
    weights = np.stack([data.draw(mixing(n)) for _ in range(n_layers)])
    order = np.array(data.draw(st.permutations(range(n))))
    inked = data.draw(st.integers(0, n - 1))
    held = marks.stream(weights, inked=int(order[inked])).parts["values"]
    moved = marks.stream(weights[:, order][:, :, order], inked=inked).parts["values"]
    np.testing.assert_allclose(moved, held[:, order])


def test_names_come_from_where_they_are_given():
    parts = marks.stream(np.ones((1, 2, 2)), "a b", shares=np.ones((2, 2, 2)) / 2).parts
    assert (parts["labels"], parts["sources"], parts["levels"]) == (["a", "b"], ["a", "b"], ["0", "1"])
    inked = marks.stream(np.ones((1, 2, 2)) / 2, "a b", layers=["in", "out"], inked=1, threads=False).parts
    assert (inked["sources"], inked["levels"], inked["threads"]) == (["b"], ["in", "out"], None)


# ------------------------------------------------------------------------------------------------------------ colours


@given(arrays.arrays(float, (6,), elements=st.floats(0, 1)), st.booleans())
def test_page_and_twin_mix_the_same_colour(functions, shares, dark):
    page = np.array(functions("interact/dyes.js")("dye", shares.tolist(), dark))
    assert np.abs(page - 255 * dye(shares, 0.7 if dark else 0.6)).max() <= 0.51


@pytest.mark.parametrize("n", [2, 12])
def test_as_much_of_all_is_grey_and_every_colour_stands_out(n):
    for lightness, palette in ((0.6, LIGHT), (0.7, DARK)):
        grey, full = dye(np.full(n, 1 / n), lightness), dye(np.eye(n), lightness)
        assert np.ptp(grey) < 1e-4
        for colour in [grey, *full]:
            assert contrast("#" + bytes(np.round(255 * colour).astype(np.uint8)).hex(), palette["plate"]) >= 2.98
        assert np.ptp(full, axis=1).min() > 0.2


# ------------------------------------------------------------------------------------------------- what the page shows


def shown(mounted, panel=0):
    cells = mounted.figure.locator(f'[data-name="{panel}.values"]')
    read = cells.evaluate_all("all => all.map(({ dataset: d }) => [+d.row, +d.col, d.value.split(' ').map(Number)])")
    levels, rows = 1 + max(level for level, *_ in read), 1 + max(row for _, row, _ in read)
    return np.array([values for *_, values in sorted(read)]).reshape(levels, rows, -1)


def test_the_page_holds_what_the_function_returns(mount):
    mounted = mount(interact(cone, word=WORDS))
    mounted.drive(word="bites")
    expected = cone("bites")[0].parts["values"]
    np.testing.assert_allclose(shown(mounted), expected, rtol=1e-6)
    written = mounted.figure.locator(".inorder-share").all_text_contents()
    assert written == [f"{share:.2f}" if share else "" for share in expected.ravel()]
    assert mounted.figure.evaluate(INKED) == ["bites"]


def test_dyed_rows_hold_all_sources_and_are_read_out_from_the_largest_share(mount):
    mounted = mount(interact(dyed, alpha=[0.0, 1.0, 4.0], row=(0, 4), start={"alpha": 1.0, "row": 0}))
    np.testing.assert_allclose(shown(mounted), dyed()[0].parts["values"], rtol=1e-6)
    tag = mounted.figure.locator(".inorder-tag")
    mounted.page.mouse.move(*mounted.middle('[data-row="0"][data-col="2"]'))
    assert tag.text_content() == "0, 2: 1.00 of 2"
    mounted.page.mouse.move(*mounted.middle('[data-row="1"][data-col="2"]'))
    assert tag.text_content() == "1, 2: 0.60 of 2, 0.10 of 0, 0.10 of 1, and no more of any other"
    mounted.drive(alpha=0.0)
    colours = mounted.figure.locator("stop").evaluate_all("all => all.map((stop) => stop.getAttribute('stop-color'))")
    assert len(set(colours[:4])) == 2, "a colour at the input, one grey above"
    assert colours[1] == colours[5]


def test_columns_in_another_order_are_found_by_their_names(mount):
    def two(word="dog"):
        """Two texts"""
        texts = [WORDS, ["man", "bites", "dog", "then"]]
        return [marks.stream([CAUSAL], text, inked=text.index(word), drag="word") for text in texts]

    mounted = mount(interact(two, word=WORDS))
    mounted.cell("1.values", 1, 0).click()
    assert mounted.sync().word == "man"
    assert mounted.figure.evaluate(INKED) == ["man", "man"]
    for i in range(2):
        handle, word = mounted.middle(f".inorder-handle >> nth={i}"), mounted.middle(f".is-inked >> nth={i}")
        assert handle[0] == pytest.approx(word[0], abs=2)


def test_without_digits_a_cell_says_whether_it_is_reached(mount):
    def reach(word="bites"):
        """Which words can a word reach?"""
        return marks.stream([CAUSAL] * 2, WORDS, inked=WORDS.index(word), digits=None), marks.answer(word)

    picture = mount(interact(reach, word=WORDS)).figure.get_by_role("application")
    description = picture.get_attribute("aria-label")
    assert "2, dog: not reached by bites; 2, bites: reached by bites" in description
