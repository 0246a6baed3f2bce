"""The figures in which the reader moves the tokens, on the built pages: no kernel, from a server and from the disk."""

import pytest

PERMUTATIONS = "chapters/ch04_the_permutation_proof.html"
PROMPTS = ["chapters/ch05_ab_against_ba.html", "chapters/ch06_what_a_causal_mask_knows.html"]


@pytest.fixture(params=["server", "disk"])
def open_figure(request, browser, origins):
    """open_figure(path, name): the figure of that name on a page of the site."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    trouble = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)

    def open_one(path, name):
        page.goto(f"{origins[request.param]}/{path}")
        figure = page.locator(f'.inorder-view[id^="{name}"] .inorder-figure').first
        figure.scroll_into_view_if_needed()
        return figure

    yield open_one
    page.close()
    assert trouble == []


def drag(chip, places):
    """With the mouse, by so many places to the right."""
    chip.scroll_into_view_if_needed()
    box, mouse = chip.bounding_box(), chip.page.mouse
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + places * box["width"], y, steps=12)
    mouse.up()


def number(figure, name):
    return float(figure.locator(f'[data-name="{name}"]').get_attribute("data-value"))


def test_dragging_a_token_changes_nothing_until_there_are_positions(open_figure):
    figure = open_figure(PERMUTATIONS, "permutation-playground")
    summary = figure.locator(".inorder-summary")
    figure.get_by_role("button", name="Back in order").click()
    assert "Nothing has moved yet." in summary.text_content()
    drag(figure.get_by_role("button", name="dog, token 2"), 3)
    assert "“the dog bites the old man” read as “the bites the old dog man”" in summary.text_content()
    assert 0 < number(figure, "error") < 1e-12
    assert number(figure, "pooled_error") < 1e-12
    figure.get_by_label("Positions").select_option("sinusoidal")
    assert number(figure, "error") > 1e-3
    drag(figure.get_by_role("button", name="man, token 6"), -2)
    assert "read as “the bites the man old dog”" in summary.text_content()
    assert number(figure, "error") > 1e-3
    assert number(figure, "pooled_error") > 1e-3


@pytest.mark.parametrize("path", PROMPTS)
def test_four_steps(open_figure, path):
    """[A, B, C] against [B, A, C]: one causal layer, two, two without a mask, two with a prefix mask."""
    figure = open_figure(path, "prompt-order-lab")
    assert "“A B C” against “B A C”" in figure.locator(".inorder-summary").text_content()
    verdict = figure.locator(".inorder-lab-verdict")
    for group, option, equal in [
        ("Layers", "1", True),
        ("Layers", "2", False),
        ("Mask", "none", True),
        ("Mask", "prefix", True),
        ("Mask", "causal", False),
    ]:
        figure.get_by_role("group", name=group, exact=True).get_by_label(option, exact=True).check()
        assert (number(figure, "distance") < 1e-12) == equal, option
        assert verdict.inner_text().startswith("=\nEqual" if equal else "≠\nDifferent"), option
    assert number(figure, "distance") > 0.1
    second = figure.get_by_role("group", name="The second prompt", exact=True).locator("button")
    drag(second.first, 1)
    assert second.all_inner_texts() == ["A", "B", "C"]
    assert number(figure, "distance") == 0
