"""LanguageModel before anything is fetched: stored results, prompts, words that are swapped, positions."""

import json

import numpy as np
import pytest

from harness.accessibility import violations
from harness.figure import PHONE
from inorder.pretrained.decoder import PLACEMENTS, Placement
from inorder.stored import stored
from inorder.widgets import LanguageModel
from inorder.widgets.kit.state import InvalidState
from inorder.widgets.language_model.results import pairs
from inorder.widgets.language_model.twin import next_rows
from inorder.widgets.language_model.words import POSITIONS

RECORD = json.loads(stored("trained_decoder.json").read_text(encoding="utf8"))["figure"]
PARIS = "From Paris to London and"


def word(figure, prompt, place):
    return figure.figure.get_by_role("group", name=f"The {prompt} prompt").locator(".inorder-lm-word").nth(place)


def assert_page_shows(figure, python, view=0):
    root = figure.page.locator(".inorder-figure").nth(view)
    assert root.locator(".inorder-summary").inner_text() == python.summary()
    assert root.locator(".inorder-answer .inorder-note").inner_text() == python.note()
    prompts = root.locator(".inorder-lm-line > :first-child").all_inner_texts()
    assert prompts == python.prompts
    shares = [[np.nan if p is None else p for p in sides] for _, sides in next_rows(python.results)]
    np.testing.assert_allclose(figure.numbers("next", view)[: len(shares)], shares)
    written = root.locator(".inorder-lm-written").all_inner_texts()
    assert written == [text.replace("\n", "⏎") for text in python.results["texts"]]


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
    assert same.summary() == "The two prompts are identical: swap two words. Next comes “Paris”."


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
    for name in PLACEMENTS:
        figure.figure.get_by_label("Positions").select_option(POSITIONS[name])
        assert figure.sync().positions == name
        assert_page_shows(figure, python)
    figure.figure.get_by_label("Positions").select_option(POSITIONS["unrotated"])
    assert sign.inner_text() == "="
    assert figure.figure.get_by_label("Positions").locator("option:not([hidden])").count() == len(PLACEMENTS)


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


def test_two_words_are_swapped(mount):
    python = LanguageModel(PARIS)
    figure = mount(python)
    word(figure, "second", 1).click()
    assert word(figure, "second", 1).get_attribute("aria-pressed") == "true"
    word(figure, "second", 1).click()  # another thought
    assert word(figure, "second", 1).get_attribute("aria-pressed") == "false"
    word(figure, "second", 1).click()
    word(figure, "second", 3).click()
    assert figure.sync().prompts == [PARIS, PARIS]
    assert_page_shows(figure, python)
    word(figure, "first", 0).focus()
    figure.page.keyboard.press("Enter")
    for _ in range(4):
        figure.page.keyboard.press("Tab")
    figure.page.keyboard.press("Space")
    assert figure.sync().prompts[0] == "and Paris to London From"
    assert figure.summary.inner_text() == python.summary()
    assert figure.figure.get_by_label("Prompts").evaluate("select => select.value") == "yours"
    assert figure.page.evaluate("document.activeElement.textContent") == "From"


@pytest.mark.parametrize(
    ("text", "i", "j", "expected"),
    [
        ("The dog bites the man.", 1, 4, "The man bites the dog."),
        ("don't  stop,\nnow", 0, 2, "now  stop,\ndon't"),
        ("الكلب عض الرجل", 0, 2, "الرجل عض الكلب"),
        ("🐈 a 🐕 b", 0, 2, "🐕 a 🐈 b"),
        ("I ❤️ 👩‍🚀, he 👍🏽", 1, 4, "I 👍🏽 👩‍🚀, he ❤️"),
        ("a b", 1, 1, "a b"),
    ],
)
def test_what_stands_between_words_stays(functions, text, i, j, expected):
    assert functions("language_model/prompts.js")("swapped", text, i, j) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There is nothing to read yet: type a word or more."),
        (" \n ", "There is nothing to read yet: type a word or more."),
        ("é" * 10_000, "This text has 10000 characters; a prompt here has at most 300."),
        ("half \ud800", "This text holds half a character, which no model can read."),
        ("🐈 \u0001 עברית", ""),
    ],
    ids=["empty", "blank", "long", "half", "odd but good"],
)
def test_a_text_that_is_no_prompt_is_refused(functions, text, message):
    expression = "(units) => js.refusal(String.fromCharCode(...units), 300)"
    raw = text.encode("utf-16-le", "surrogatepass")
    units = [int.from_bytes(raw[i : i + 2], "little") for i in range(0, len(raw), 2)]
    assert functions("language_model/words.js").script(expression, units) == message


def test_editing(mount):
    python = LanguageModel(PARIS)
    figure = mount(python)
    figure.press("Edit the first prompt")
    box = figure.figure.get_by_label("Text of the first prompt")
    assert box.input_value() == PARIS
    box.fill("  ")
    box.press("Enter")
    assert figure.figure.get_by_text("There is nothing to read yet").is_visible()
    box.press("Escape")
    assert figure.sync().prompts[0] == PARIS and not box.is_visible()
    figure.press("Edit the first prompt")
    box.fill("<img src=x onerror=alert(1)> שלום")
    box.press("Enter")
    assert figure.sync().prompts[0] == "<img src=x onerror=alert(1)> שלום"
    assert figure.figure.locator("img").count() == 0
    assert "Nothing is stored" in figure.summary.inner_text()
    assert figure.page.evaluate("document.activeElement.ariaLabel") == "Edit the first prompt"
    assert figure.figure.get_by_text("made without the model").is_visible()


def test_the_layers_as_a_curve_and_as_numbers(mount):
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
    assert not figure.figure.locator(".inorder-lm-chart").is_visible()
    figure.figure.get_by_text("Where does a head look?").click()
    assert figure.figure.get_by_text("Only the model itself can tell: load").is_visible()


def test_a_prompt_that_is_edited_fits_and_is_accessible(mount):
    figure = mount(LanguageModel("W" * 60 + " 🐈 cats" * 30, PARIS), **PHONE)
    figure.press("Edit the second prompt")
    assert figure.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(figure.page, ".inorder-figure") == []


def test_the_twin_shows_the_same():
    figure = LanguageModel(PARIS)
    (axes,) = figure.figure().axes
    texts = " ".join(text.get_text() for text in axes.texts)
    assert figure.summary() in texts and figure.note() in texts and "Paris to New York" in texts
    longest = max(p for _, sides in next_rows(figure.results) for p in sides if p)
    widths = np.array([bar.get_width() for bar in axes.patches]).reshape(-1, 2)
    shares = [[p or 0 for p in sides] for _, sides in next_rows(figure.results)]
    np.testing.assert_allclose(widths / widths.max(), np.array(shares) / longest)
