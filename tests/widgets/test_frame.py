"""The frame of every figure: how high it may be, full screen, what a screen reader hears, colours in JupyterLab."""

import re
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

import inorder.widgets
from harness.contrast import contrast
from harness.figure import WIDGETS, figure_of
from inorder.palette import DARK, LIGHT
from inorder.widgets import SameOrNot
from inorder.widgets.kit import figure as recipe
from inorder.widgets.kit.figure import InteractiveFigure

# Of design, where it is not that of all figures: how high at most when wide, with a fold open, and on a phone.
LIMITS = {
    "AddOrConcatenate": (640, 720, 860),
    "EncodingExplorer": (660, 860, 1180),
    "LanguageModel": (640, 1120, 830),
    "Loom": (640, 980, 840),
    "PermutationPlayground": (640, 720, 720),
    "RelativeBiasExplorer": (640, 700, 760),
    "SchemeExplorer": (640, 700, 880),
    "TrainingPlayground": (640, 700, 780),
}
ZOOMED = {"width": 328, "height": 256}  # to 400%: a figure of 296 pixels, as on a page 320 wide
WIDE, PHONE = {"viewport": {"width": 1008, "height": 900}}, {"viewport": {"width": 402, "height": 900}}


def height(figure):
    return figure.figure.evaluate("figure => figure.offsetHeight")


# What stands outside the frame, or is wider than its box, which neither scrolls nor says that it is cut.
CUT = """(figure) => {
  const { left, right } = figure.getBoundingClientRect();
  const isCut = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 1 && (box.left < left - 1 || box.right > right + 1);
  };
  return [...figure.querySelectorAll("*")]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && isCut(element))
    .filter((element) => !element.closest(".inorder-said, .inorder-sideways, .inorder-numbers"))
    .filter((element) => !element.closest(".inorder-heads, .inorder-map-frame"))
    .map((element) => `${element.tagName} ${element.getAttribute("class")}`);
}"""
SILENT = """(figure) => [...figure.querySelectorAll("*")]
  .filter((box) => /auto|scroll/.test(getComputedStyle(box).overflowX) && box.scrollWidth > box.clientWidth + 1)
  .filter((box) => getComputedStyle(box).backgroundImage === "none")
  .map((box) => box.getAttribute("class"))"""


def resize(figure, viewport):
    figure.page.set_viewport_size(viewport)
    figure.page.wait_for_timeout(200)  # what follows the width has followed


@pytest.mark.parametrize("name", inorder.widgets.__all__)
def test_a_figure_fits_every_screen(mount, name):
    closed, opened, phone = LIMITS.get(name, (640, 700, 720))
    figure = mount(figure_of(name), **WIDE)
    resize(figure, WIDE["viewport"])
    assert figure.figure.evaluate("figure => figure.offsetWidth") == 976
    assert height(figure) <= closed
    for fold in figure.figure.locator(".inorder-fold:not([hidden]) > summary").all():
        fold.click()
        assert height(figure) <= opened
        fold.click()
    resize(figure, PHONE["viewport"])
    assert figure.figure.evaluate("figure => figure.offsetWidth") == 370
    answer = figure.figure.locator(".inorder-answer").evaluate("answer => answer.offsetTop + answer.offsetHeight")
    assert answer - figure.figure.evaluate("figure => figure.offsetTop") <= phone
    if name == "Loom":  # all of it, with its folds closed
        assert height(figure) <= phone
    resize(figure, ZOOMED)
    for fold in [None, *figure.figure.locator(".inorder-fold:not([hidden])").all()]:
        if fold:
            fold.evaluate("fold => { fold.open = true }")
            figure.page.wait_for_timeout(50)
        assert figure.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert figure.figure.evaluate(CUT) == []
        assert figure.figure.evaluate(SILENT) == [], "it scrolls sideways and does not show it"


@pytest.mark.parametrize("look", ["light", "dark"])
def test_forced_colours_show_what_is_chosen_and_what_is_answered(mount, look):
    forced = {"forced_colors": "active", "color_scheme": look}
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


def test_the_colours_are_those_of_the_book(mount):
    for look, colours in (("light", LIGHT), ("dark", DARK)):
        figure = mount(SameOrNot(), color_scheme=look)
        plate = figure.figure.evaluate("figure => getComputedStyle(figure).backgroundColor")
        channels = [int(colours["plate"][at : at + 2], 16) for at in (1, 3, 5)]
        assert plate == f"rgb({', '.join(map(str, channels))})"


def test_the_theme_of_the_page_is_followed(mount):
    figure = mount(SameOrNot(), color_scheme="light")

    def is_dark(change):
        figure.page.evaluate(change)
        return figure.figure.evaluate("figure => figure.classList.contains('is-dark')")

    assert is_dark("document.documentElement.dataset.theme = 'dark'")
    assert not is_dark("document.documentElement.dataset.theme = 'light'")
    assert not is_dark("delete document.documentElement.dataset.theme")
    assert is_dark("document.body.dataset.jpThemeLight = 'false'")
    assert not is_dark("delete document.body.dataset.jpThemeLight")


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


def test_type_follows_the_size_that_the_reader_has_set(mount):
    figure = mount(SameOrNot())
    before = figure.figure.locator(".inorder-tile").first.bounding_box()["height"]
    figure.page.evaluate("document.documentElement.style.fontSize = '32px'")
    assert figure.figure.locator(".inorder-tile").first.bounding_box()["height"] == pytest.approx(2 * before, abs=1)


def test_a_screen_reader_hears_the_answer_once(mount):
    figure = mount(SameOrNot())
    message = figure.figure.locator(".inorder-said")
    figure.page.evaluate("window.heard = []")
    message.evaluate(
        "node => new MutationObserver(() => node.textContent && heard.push(node.textContent))"
        ".observe(node, { childList: true })"
    )
    for order in ([0, 1, 2], [1, 0, 2], [0, 1, 2], [2, 1, 0]):
        figure.drive(order=order, positions=True)
    figure.page.wait_for_timeout(900)
    note = figure.figure.locator(".inorder-answer .inorder-note").inner_text()
    assert figure.page.evaluate("heard") == [f"All 16 numbers change. {note}"]


def test_a_screen_reader_hears_the_answer_again_where_a_change_leaves_it_as_it_was(mount):
    figure = mount(SameOrNot("a b c", order=[1, 0, 2]))
    message = figure.figure.locator(".inorder-said")
    assert message.inner_text() == ""
    figure.figure.get_by_role("button", name="“b”, position 0").press("End")
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


@pytest.mark.parametrize("name", ["interact", "PermutationPlayground"])
def test_in_a_closed_fold_of_the_page_nothing_is_drawn_until_it_opens_or_is_printed(mount, name):
    figure = mount(figure_of(name), color_scheme="light")
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


# What a saved picture leaves out, though it stays on the page: closed folds, and the grips of tiles.
NOT_IN_A_PICTURE = "details:not([open]), .inorder-tile::before { visibility: hidden !important }"


@pytest.mark.parametrize("name", inorder.widgets.__all__)
def test_a_saved_picture_looks_as_the_page(mount, tmp_path, name):
    figure = mount(figure_of(name), reduced_motion="reduce")
    figure.page.wait_for_timeout(500)
    with figure.page.expect_download() as download:
        figure.press("Save picture")
    download.value.save_as(tmp_path / "picture.svg")
    figure.page.add_style_tag(content=NOT_IN_A_PICTURE)
    figure.figure.evaluate("(root) => root.classList.add('is-picture')")
    on_page = Image.open(BytesIO(figure.figure.screenshot()))
    page = figure.page.context.new_page()
    page.set_content(f"<body style='margin: 0'>{(tmp_path / 'picture.svg').read_text()}")
    saved = Image.open(BytesIO(page.locator("svg").first.screenshot()))
    page.close()
    # Letters and lines may lie half a pixel off, and one box: squares of six pixels are compared by their means.
    size = min(on_page.width, saved.width) // 6, min(on_page.height, saved.height) // 6
    cut = [image.convert("L").crop((0, 0, 6 * size[0], 6 * size[1])) for image in (on_page, saved)]
    one, other = (np.asarray(image.resize(size, Image.Resampling.BOX), float) for image in cut)
    off = np.argwhere(abs(one - other) > 45)[:, ::-1] * 6
    assert len(off) <= 1, f"unlike at x, y = {off[:5].tolist()}"
    assert abs(one - other).mean() < 12
    assert one.mean() == pytest.approx(other.mean(), abs=5)


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
