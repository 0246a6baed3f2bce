"""The figures in which the reader moves the tokens, on the built pages: no kernel, from a server and from the disk."""

import re

import pytest
from playwright.sync_api import expect

from harness.site import PAGES, html, widget_state
from harness.waiting import wait_for_figures, wait_until


def chapters_with(figure: str, **state) -> list[str]:
    """The chapters whose first figure of that name starts in that state, whatever their number."""
    result = []
    for path in (path for path in PAGES if path.startswith("chapters/ch")):
        if view := re.search(f'id="{figure}-1" data-model="(\\w+)"', html(path)):
            start = widget_state(path)["models"][view[1]]["state"]
            if all(start[name] == value for name, value in state.items()):
                result.append(path)
    return result


SENTENCE = ["big", "dog", "bites", "old", "dog"]
PERMUTATIONS = chapters_with("permutation-playground", tokens=SENTENCE, position="none")
PROMPTS = chapters_with("prompt-order-lab", tokens=["A", "B", "C"])


def from_both(paths: list[str]):
    """Each page from the server or from the disk, by turns; the other way weekly."""
    origins = ("server", "disk")
    chosen = [pytest.param(origins[i % 2], path) for i, path in enumerate(paths)]
    others = [pytest.param(origins[1 - i % 2], path, marks=pytest.mark.nightly) for i, path in enumerate(paths)]
    return pytest.mark.parametrize(("origin", "path"), [*chosen, *others])


@pytest.fixture
def open_figure(origin, browser, origins):
    """open_figure(path, name): the figure of that name on a page of the site."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    trouble = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)

    def open_one(path, name):
        page.goto(f"{origins[origin]}/{path}")
        wait_for_figures(page)  # those far below come five seconds later, if nobody scrolls
        figure = page.locator(f'.inorder-view[id^="{name}"] .inorder-figure').first
        figure.evaluate(
            "figure => figure.closest('details')?.setAttribute('open', '')"
        )  # in one chapter it is in a fold
        figure.scroll_into_view_if_needed()
        seen = "figure => figure.checkVisibility({ contentVisibilityAuto: true })"  # far sections are laid out late
        wait_until(page, seen, arg=figure.element_handle())
        return figure

    yield open_one
    page.close()
    assert trouble == []


def drag(tile, right=0, down=0):
    """With the mouse, by so many places to the right or down."""
    tile.scroll_into_view_if_needed()
    box, mouse = tile.bounding_box(), tile.page.mouse
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + right * box["width"], y + down * box["height"] * 1.15, steps=12)
    mouse.up()


def number(figure, name):
    return float(figure.locator(f'[data-name="{name}"]').get_attribute("data-value"))


@from_both(PERMUTATIONS)
def test_dragging_a_token_changes_nothing_until_there_are_positions(open_figure, path):
    figure = open_figure(path, "permutation-playground")
    summary, note = figure.locator(".inorder-summary"), figure.locator(".inorder-note")
    words = figure.locator(".inorder-tile")
    figure.get_by_role("button", name="Back in order").click()
    assert "Nothing has moved yet" in summary.text_content()
    drag(figure.get_by_role("button", name="dog, word 1"), down=3)
    expect(words).to_have_text(["big", "bites", "old", "dog", "dog"])  # once they have arrived
    assert "Each word has kept its row" in summary.text_content()
    assert "the mean of the rows is the same" in note.text_content()
    figure.get_by_role("switch", name="Give it the positions").check()
    assert "numbers are new" in summary.text_content()
    assert "the mean of the rows has changed" in note.text_content()
    drag(figure.get_by_role("button", name=re.compile("^old, word")), down=-2)
    expect(words).to_have_text(["old", "big", "bites", "dog", "dog"])
    assert "the mean of the rows has changed" in note.text_content()


@from_both(PROMPTS)
def test_four_steps(open_figure, path):
    """[A, B, C] against [B, A, C]: one causal layer, two, two without a mask, two with a prefix mask."""
    figure = open_figure(path, "prompt-order-lab")
    prompts = [figure.get_by_role("group", name=f"The {which} prompt", exact=True) for which in ("first", "second")]
    words = [prompt.locator(".inorder-word") for prompt in prompts]
    assert [prompt.all_inner_texts() for prompt in words] == [["A", "B", "C"], ["B", "A", "C"]]
    sign, note = (figure.locator(f".inorder-answer .inorder-{part}") for part in ("sign", "note"))
    for group, option, equal in [
        ("Layers", "1", True),
        ("Layers", "2", False),
        ("Mask", "none", True),
        ("Mask", "prefix", True),
        ("Mask", "causal", False),
    ]:
        figure.get_by_role("group", name=group, exact=True).get_by_label(option, exact=True).check()
        assert (number(figure, "distance") < 1e-12) == equal, option
        assert sign.inner_text() == ("=" if equal else "≠"), option
        assert note.inner_text().startswith("Equal" if equal else "Different"), option
    assert number(figure, "distance") > 0.1
    drag(prompts[1].locator("button").first, 1.2)
    assert words[1].all_inner_texts() == ["A", "B", "C"]
    assert number(figure, "distance") == 0
