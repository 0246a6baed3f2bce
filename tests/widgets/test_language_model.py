"""LanguageModel before anything is fetched: stored results, the prompt, words that are moved, positions."""

import json
import re

import numpy as np
import pytest

from harness.figure import PHONE
from inorder.pretrained.decoder import PLACEMENTS, Placement
from inorder.stored import stored
from inorder.widgets import LanguageModel
from inorder.widgets.kit.state import InvalidState
from inorder.widgets.language_model.results import pairs
from inorder.widgets.language_model.twin import MOST
from inorder.widgets.language_model.words import POSITIONS

RECORD = json.loads(stored("trained_decoder.json").read_text(encoding="utf8"))["figure"]
PARIS = "From Paris to London and"


def tile(figure, place):
    return figure.figure.locator(".inorder-lm-tiles .inorder-tile").nth(place)


def shares(results):
    return np.array([[p for _, p in tokens[:MOST]] for tokens in results["next"]]).T


def assert_page_shows(figure, python, view=0):
    root = figure.page.locator(".inorder-figure").nth(view)
    assert root.locator(".inorder-summary").inner_text() == python.summary()
    assert root.locator(".inorder-answer .inorder-note").inner_text() == python.note()
    words = root.locator(".inorder-lm-tiles .inorder-tile").all_inner_texts()
    assert words == re.findall(r"\w+", python.prompts[1])
    np.testing.assert_allclose(figure.numbers("next", view), shares(python.results))
    written = root.locator(".inorder-lm-written").all_text_contents()
    assert written == [re.sub(r"\n+", " ↵ ", text) for text in python.results["texts"]]


@pytest.mark.parametrize("name", PLACEMENTS)
def test_what_is_stored_is_what_is_shown(name):
    for pair, placements in zip(RECORD["pairs"], RECORD["placements"], strict=True):
        figure, result = LanguageModel(*pair, positions=name), placements[name]
        assert figure.results["texts"] == result["texts"]
        for shares, expected in zip(figure.results["next"], result["next"], strict=True):
            assert [token for token, _ in shares] == list(expected)
            np.testing.assert_allclose([p for _, p in shares], list(expected.values()), rtol=0.01)
        np.testing.assert_allclose(figure.results["layers"], result["layers"], rtol=0.06)
        assert figure.results["distance"] == pytest.approx(result["distance"], rel=0.01)


def test_a_dozen_pairs_are_stored_in_every_placement():
    assert len(RECORD["pairs"]) == 12
    assert all(list(placements) == list(PLACEMENTS) for placements in RECORD["placements"])
    assert set(POSITIONS) == {*PLACEMENTS, "own"}


def test_prompts_in_the_other_order_and_one_twice():
    first, second = pairs()[1]
    one, other = LanguageModel(first, second), LanguageModel(second, first)
    assert one.results["texts"] == other.results["texts"][::-1] and one.results["layers"] == other.results["layers"]
    same = LanguageModel(first, first)
    assert same.results["distance"] == 0 and not any(same.results["layers"])
    assert same.summary() == "Lift a word out and drop it on another. So far, next comes “Paris”."


def test_nothing_is_stored_for_other_prompts_and_numbers():
    assert LanguageModel("A b c").results == {}
    figure = LanguageModel(positions="shifted")
    assert figure.results
    figure.shift = 7
    assert figure.results == {} and figure.placement == Placement(offset=7) and figure.note() == ""
    assert "Nothing is stored" in figure.summary() and figure.summary() in figure.alt_text()
    figure.positions = "stretched"
    assert figure.results and figure.placement == Placement(scale=2)
    own = LanguageModel(positions=np.arange(11) * 3)
    assert (own.positions, own.own[:3], own.placement) == ("own", [0, 3, 6], own.own)
    figure.figure(), own.figure()


def test_own_positions_are_as_many_as_the_tokens(types_unchecked):
    with pytest.raises(InvalidState, match=r"own must hold a position for each token where positions is own, got \[\]"):
        LanguageModel(positions=[])


def test_examples_and_positions(mount):
    python = LanguageModel()
    figure = mount(python)
    assert_page_shows(figure, python)
    figure.figure.get_by_label("Prompts").select_option(PARIS)
    assert figure.sync().prompts == pairs()[1]
    assert_page_shows(figure, python)
    sign = figure.figure.locator(".inorder-answer .inorder-sign")
    assert sign.inner_text() == "≠"
    for name in list(PLACEMENTS)[1::2]:
        figure.figure.get_by_label("Positions").select_option(POSITIONS[name])
        assert figure.sync().positions == name
        assert_page_shows(figure, python)
    figure.figure.get_by_label("Positions").select_option(POSITIONS["unrotated"])
    assert sign.inner_text() == "="
    assert figure.figure.get_by_label("Positions").locator("option").count() == len(PLACEMENTS)


def test_a_number_out_of_range_is_refused_and_freezes_nothing(mount):
    python = LanguageModel(positions="shifted")
    figure = mount(python)
    box = figure.figure.get_by_label("by, as a number")
    box.fill("20000")
    assert figure.figure.locator(".inorder-notice").inner_text() == "Choose a number from −8000 to 8000."
    assert figure.sync().shift == 1000
    figure.figure.get_by_label("Positions").select_option(POSITIONS["unrotated"])
    assert figure.sync().positions == "unrotated"
    assert_page_shows(figure, python)
    assert figure.figure.locator(".inorder-notice").inner_text() == ""


def drag(figure, source, target, *, drop=True):
    """Carry a tile by its middle on to another, in twenty steps."""
    x, y, to_x, to_y = (
        box[side] + box[size] / 2
        for box in (tile(figure, source).bounding_box(), tile(figure, target).bounding_box())
        for side, size in (("x", "width"), ("y", "height"))
    )
    figure.page.mouse.move(x, y)
    figure.page.mouse.down()
    figure.page.mouse.move(to_x, to_y, steps=20)
    if drop:
        figure.page.mouse.up()
    return to_x, to_y


def test_a_word_is_lifted_out_and_dropped_on_another(mount):
    """It stays under a still hand, on another line too; the answer waits until it is dropped."""
    python = LanguageModel()
    figure = mount(python, **PHONE)
    before = figure.summary.inner_text()
    at = drag(figure, 2, 5, drop=False)
    figure.page.wait_for_timeout(300)
    held = figure.figure.locator(".inorder-tile.is-dragged")
    box = held.bounding_box()
    assert held.inner_text() == "Hill" and figure.summary.inner_text() == before
    np.testing.assert_allclose([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2], at, atol=8)
    figure.page.mouse.up()
    assert figure.sync().prompts == pairs()[0][::-1]
    assert figure.summary.inner_text() == python.summary() != before
    written = figure.figure.locator(".inorder-lm-written").all_text_contents()
    assert written == python.results["texts"]
    assert figure.figure.locator(".is-moved").all_inner_texts() == ["Moore", "Hill"]


def test_every_swap_of_the_first_prompt_is_stored(mount):
    python = LanguageModel()
    figure = mount(python)
    drag(figure, 3, 0)
    assert figure.sync().prompts == [pairs()[0][1], "met Doctor Hill Yesterday Captain Moore. Then Doctor"]
    assert figure.summary.inner_text() == python.summary() and "distance" not in python.results
    assert figure.figure.locator(".inorder-answer .inorder-note").inner_text() == "Stored with the book."
    np.testing.assert_allclose(figure.numbers("next"), shares(python.results))
    record = RECORD["swaps"][python.prompts[1]]
    assert python.results["texts"][1] == record["text"]
    np.testing.assert_allclose(shares(python.results)[:, 1], list(record["next"].values())[:MOST], rtol=0.01)


def test_words_are_moved_by_press_and_by_key(mount):
    python = LanguageModel(PARIS)
    figure = mount(python)
    tile(figure, 1).click()
    assert tile(figure, 1).get_attribute("aria-pressed") == "true"
    tile(figure, 1).click()  # another thought
    assert tile(figure, 1).get_attribute("aria-pressed") == "false"
    tile(figure, 1).click()
    tile(figure, 3).click()
    assert figure.sync().prompts == pairs()[1][::-1]
    tile(figure, 1).focus()
    figure.page.keyboard.press("ArrowRight")
    figure.page.keyboard.press("ArrowRight")
    assert figure.sync().prompts == [PARIS, pairs()[1][1]]  # still the move of this one word
    assert_page_shows(figure, python)
    figure.page.keyboard.press("End")
    assert figure.sync().prompts == [PARIS, "From and to London Paris"]
    assert figure.summary.inner_text() == python.summary()
    assert figure.figure.get_by_label("Prompts").evaluate("select => select.value") == "yours"
    assert figure.page.evaluate("document.activeElement.textContent") == "Paris"


@pytest.mark.parametrize(
    ("text", "i", "j", "expected"),
    [
        ("The dog bites the man.", 1, 4, "The man bites the dog."),
        ("don't  stop,\nnow", 0, 2, "now  stop,\ndon't"),
        ("الكلب عض الرجل", 0, 2, "الرجل عض الكلب"),
        ("I ❤️ 👩‍🚀, he 👍🏽", 1, 4, "I 👍🏽 👩‍🚀, he ❤️"),
        ("a b", 1, 1, "a b"),
    ],
)
def test_what_stands_between_words_stays(functions, text, i, j, expected):
    script = """([text, i, j]) => {
      const { words, gaps } = js.cut(text);
      return js.textOf(words, gaps, js.swap([...words.keys()], i, j));
    }"""
    assert functions("language_model/prompts.js").script(script, [text, i, j]) == expected


def test_the_layers_as_a_curve(mount):
    python = LanguageModel(PARIS, positions="unrotated")
    figure = mount(python)
    figure.figure.get_by_text("layer by layer").click()
    np.testing.assert_allclose(figure.numbers("layers")[0], python.results["layers"])
    curve = figure.figure.locator(".inorder-lm-curve").get_attribute("d").removeprefix("M").split("L")
    heights = [float(point.split()[1]) for point in curve]
    np.testing.assert_allclose(heights[1:], 1 - np.log10(python.results["layers"][1:]), atol=1e-3)
    assert heights[1] > heights[2]  # the first block sees no difference
    figure.drive(shift=5, positions="shifted")
    assert figure.figure.get_by_text("These differences are not stored").is_visible()


def test_all_heads_as_a_field_of_dots(mount):
    """The stored ones: how far back each looks, in 35ths, and the arcs of the head that is pinned and pointed at."""
    figure = mount(LanguageModel())
    figure.figure.get_by_text("Where does a head look?").click()
    n = len(RECORD["heads"]["words"])
    weights = np.zeros((30, 9, n, n))
    stored_weights = np.array([[int(digit, 36) / 35 for digit in head] for head in RECORD["heads"]["weights"]])
    weights[:, :, *np.tril_indices(n)] = stored_weights.reshape(30, 9, -1)
    steps = np.maximum(np.subtract.outer(np.arange(n), np.arange(n)), 0)
    seen = weights[:, :, 1:, 1:]
    back = (seen * steps[1:, 1:]).sum(axis=(2, 3)) / np.maximum(seen.sum(axis=(2, 3)), 1e-9)
    np.testing.assert_allclose(figure.numbers("back"), back, atol=1e-5)
    np.testing.assert_allclose(figure.numbers("weights")[9, 3], weights[17, 4, 9, 3], atol=1e-6)
    field = figure.figure.get_by_role("slider", name="The heads of the model")
    field.focus()
    figure.page.keyboard.press("ArrowDown")
    assert (figure.sync().layer, figure.python.head) == (17, 5)
    assert "Layer 17, head 5" in field.get_attribute("aria-valuetext")
    field.click(position={"x": 4, "y": 4})
    assert (figure.sync().layer, figure.python.head) == (0, 0)
    figure.figure.get_by_role("switch", name="looks for what came next").check()
    lit = figure.figure.locator("[data-name=back][opacity='1']").evaluate_all(
        "all => all.map((one) => [+one.dataset.row, +one.dataset.col])"
    )
    assert sorted(map(tuple, lit)) == list(zip(*np.nonzero(weights[:, :, 9, 3] >= 0.4), strict=True))


def test_the_twin_shows_the_same():
    figure = LanguageModel(PARIS)
    (axes,) = figure.figure().axes
    texts = " ".join(text.get_text() for text in axes.texts)
    assert figure.summary() in texts and figure.note() in texts and "Paris to New York" in texts
    widths = np.array([bar.get_width() for bar in axes.patches]).reshape(2, -1)
    np.testing.assert_allclose(widths.T / widths.max(), shares(figure.results) / shares(figure.results).max())
