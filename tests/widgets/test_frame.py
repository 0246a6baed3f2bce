"""The frame of every figure: its colours, menu and full screen, when it is drawn, and what a screen reader hears."""

import re
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import expect

from harness.contrast import channels, contrast
from harness.figure import WIDGETS, figure_of
from inorder.palette import DARK, LIGHT
from inorder.widgets import SameOrNot
from inorder.widgets.kit import figure as recipe
from inorder.widgets.kit.figure import InteractiveFigure


def test_forced_colours_show_what_is_chosen_and_what_is_answered(mount):
    forced = {"forced_colors": "active", "color_scheme": "dark"}
    figure = mount(figure_of("AttentionCalculator"), **forced)
    grounds = figure.figure.locator(".inorder-radios span").evaluate_all(
        "spans => spans.map((e) => [e.previousElementSibling.checked, getComputedStyle(e).backgroundColor])"
    )
    assert {ground for chosen, ground in grounds if chosen}.isdisjoint({g for chosen, g in grounds if not chosen})
    assert "gradient" in figure.figure.get_by_role("switch").first.evaluate("e => getComputedStyle(e).backgroundImage")
    text, ground = figure.figure.evaluate("f => [getComputedStyle(f).color, getComputedStyle(f).backgroundColor]")
    assert contrast(text, ground) > 20, "the machine's own colours"
    answer = mount(SameOrNot(), **forced).figure.locator(".inorder-answer-text").first.screenshot()
    assert len(Image.open(BytesIO(answer)).convert("L").getcolors()) > 8, "letters, not a blank"


def test_forced_colours_have_a_name_for_each_of_the_book():
    style = (WIDGETS / "kit" / "style.css").read_text(encoding="utf8")
    (forced,) = re.findall(r"@media \(forced-colors: active\) \{(.*?)\n\}", style, re.DOTALL)
    assert set(re.findall(r"--(\w+):", forced)) == set(LIGHT)


def test_the_menu_of_tools_opens_and_closes_by_key_and_by_pointer(mount):
    figure = mount(SameOrNot())
    menu, dots = (figure.figure.locator(f".inorder-tools{part}") for part in ("", " > summary"))
    reset = figure.figure.get_by_role("button", name="Reset")
    expect(reset).to_be_hidden()
    dots.press("Enter")
    figure.page.keyboard.press("Tab")
    expect(reset).to_be_focused()
    figure.page.keyboard.press("Escape")
    expect(dots).to_be_focused()
    expect(reset).to_be_hidden()
    dots.click()
    figure.summary.click()
    expect(reset).to_be_hidden()
    figure.drive(order=[2, 1, 0])
    dots.click()
    reset.click()
    assert figure.sync().order == figure.python.initial_state["order"]
    expect(dots).to_be_focused()
    expect(menu).not_to_have_attribute("open", "")
    figure.page.emulate_media(media="print")
    expect(dots).to_be_hidden()
    figure.page.emulate_media(media="screen")  # other tests have the same page


def test_the_theme_of_the_page_is_followed_with_the_colours_of_the_book(mount):
    figure = mount(SameOrNot(), color_scheme="light")
    for change, colours in (
        ("document.documentElement.dataset.theme = 'dark'", DARK),
        ("document.documentElement.dataset.theme = 'light'", LIGHT),
        ("delete document.documentElement.dataset.theme", LIGHT),
        ("document.body.dataset.jpThemeLight = 'false'", DARK),
        ("delete document.body.dataset.jpThemeLight", LIGHT),
    ):
        figure.page.evaluate(change)
        plate = figure.figure.evaluate("figure => getComputedStyle(figure).backgroundColor")
        assert channels(plate) == pytest.approx(channels(colours["plate"])), change
    system = mount(SameOrNot(), color_scheme="dark").figure
    assert channels(system.evaluate("e => getComputedStyle(e).backgroundColor")) == pytest.approx(
        channels(DARK["plate"])
    )


def test_full_screen_uses_the_screen(mount):
    figure = mount(SameOrNot(), viewport={"width": 1800, "height": 1100})
    size = "selector => parseFloat(getComputedStyle(document.querySelector(selector)).fontSize)"
    before = figure.page.evaluate(size, ".inorder-summary")
    drawing = figure.figure.locator(".inorder-threads")
    height_before = drawing.bounding_box()["height"]
    figure.press("Full screen")
    figure.page.wait_for_function("document.fullscreenElement")
    assert figure.page.evaluate(size, ".inorder-summary") > 1.4 * before
    assert drawing.bounding_box()["height"] > 1.4 * height_before
    figure.press("Leave full screen")


def test_a_screen_reader_hears_the_answer_again_where_a_change_leaves_it_as_it_was(mount):
    figure = mount(SameOrNot("a b c", order=[1, 0, 2]))
    message = figure.figure.locator(".inorder-said")
    assert message.inner_text() == ""
    figure.figure.get_by_role("button", name="“b”").press("End")
    figure.page.wait_for_timeout(900)
    assert message.inner_text().startswith("All 16 numbers stay the same.")


def test_a_figure_that_plays_on_is_heard_now_and_then(mount):
    figure = mount(SameOrNot())
    figure.page.evaluate("const wait = setTimeout; window.setTimeout = (f, ms) => wait(f, Math.min(ms, 700))")
    message = figure.figure.locator(".inorder-said")
    figure.page.evaluate("const now = performance.now; performance.now = () => 10 * now.call(performance)")
    for step in range(30):
        figure.drive(order=[[0, 1, 2], [1, 0, 2]][step % 2])
        figure.page.wait_for_timeout(50)
        if message.inner_text():
            return
    raise AssertionError("nothing was heard")


def test_a_figure_that_is_not_yet_on_the_page_is_drawn_once_it_is(mount):
    """JupyterLab renders before it attaches."""
    figure = mount(SameOrNot())
    figure.page.evaluate(
        """async (module) => {
          const source = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
          const { default: widget } = await import(source);
          const el = document.createElement("div");
          window.stops.push(widget.render({ model, el }));
          window.drawnBefore = el.querySelectorAll(".inorder-tile").length;
          document.querySelector("main").append(el);
        }""",
        figure.python._esm,
    )
    figure.page.wait_for_function("document.querySelectorAll('.inorder-tile').length === 6")
    assert figure.page.evaluate("drawnBefore") == 0


def test_in_a_closed_fold_of_the_page_nothing_is_drawn_until_it_opens_or_is_printed(mount):
    figure = mount(figure_of("interact"), color_scheme="light")
    page = figure.page
    page.evaluate(
        """async (module) => {
          const source = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
          const { default: widget } = await import(source);
          window.fold = document.createElement("details");
          const [outer, el] = [document.createElement("details"), document.createElement("div")];
          outer.append(fold);
          fold.append(el);
          document.querySelector("main").prepend(outer);
          window.stops.push(widget.render({ model, el }));
          window.theme = () => fold.querySelector(".is-dark") ? "dark" : "light"; // in which it was last drawn
        }""",
        figure.python._esm,
    )
    page.wait_for_timeout(100)
    folded = page.locator("details .inorder-summary").first
    assert folded.text_content() == ""
    page.evaluate("fold.open = true")
    assert folded.text_content() == "", "the fold around it is closed"
    page.evaluate("fold.parentElement.open = true")
    assert folded.text_content() == figure.summary.inner_text()
    for ask in ("fold.open = true", "dispatchEvent(new Event('beforeprint'))"):
        page.evaluate("fold.open = false; document.documentElement.dataset.theme = 'dark'")
        page.wait_for_timeout(100)
        assert page.evaluate("theme()") == "light"
        page.evaluate(ask)
        assert page.evaluate("theme()") == "dark"
        page.evaluate("fold.open = true; document.documentElement.dataset.theme = 'light'")


def test_the_recipe_works_as_it_is_written(mount, tmp_path):
    """The three files of the docstring, copied."""
    python, view, style = re.findall(r"code-block:: \w+\n\n((?:    .*\n|\n)+)", recipe.__doc__)
    (tmp_path / "view.js").write_text(re.sub("^    ", "", view, flags=re.MULTILINE))
    (tmp_path / "style.css").write_text(re.sub("^    ", "", style, flags=re.MULTILINE))
    head = (
        "import math\nfrom pathlib import Path\nimport traitlets\nfrom matplotlib.figure import Figure\n"
        "from inorder.widgets.kit.figure import InteractiveFigure\n"
        "from inorder.widgets.kit.state import boolean, real\n"
        "from inorder.widgets.kit.twin import format_number\n"
    )
    names = {"__file__": str(tmp_path / "figure.py"), "__name__": "turn"}
    exec(head + re.sub("^    ", "", python, flags=re.MULTILINE), names)
    turn = names["Turn"]()
    assert isinstance(turn, InteractiveFigure)
    figure = mount(turn)
    assert figure.summary.inner_text() == turn.summary()
    figure.figure.get_by_role("slider", name="Angle", exact=True).press("End")
    figure.figure.get_by_role("switch", name="Backwards").click()
    assert (figure.sync().angle, turn.backwards) == (6, True)
    assert figure.summary.inner_text() == turn.summary() == "The cosine is 0.96."
    figure.figure.get_by_text("The number").click()
    assert figure.figure.locator("output").inner_text().startswith("0.960170")
    assert turn._repr_mimebundle_()[0]["image/svg+xml"].count("<svg") == 1
    assert mount(names["Turn"](), initial_state={"angle": 7}).notice.inner_text() != ""
