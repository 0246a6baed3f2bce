"""PermutationPlayground in a real browser: numbers, dragging, switches, words, link, picture; and in Python."""

import dataclasses
import json
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pytest
import traitlets
from axe_playwright_python.sync_playwright import Axe

from inorder.symmetry import equivariance_error, permute
from inorder.transformer import Binary, Learned, Rotary, Scalar, Sinusoidal, encode, init_parameters
from inorder.widgets import PermutationPlayground
from inorder.widgets.base import svg
from inorder.widgets.permutation_playground import SCHEMES, default_model
from transformer_models import ALL_SCHEMES, make_model, to_torch

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LONG = "the quick brown fox jumps over the lazy dog and runs away"
STILL = "getComputedStyle(document.querySelector('.inorder-chip')).transform"
# Every cell of the map of that kind which was computed anew, by arrow keys, and what the page says of it.
WALK = """async (kind) => {
  const canvas = document.querySelectorAll(`.inorder-map[role="application"]`)[kind === "weights" ? 0 : 1];
  const press = (key) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const read = () => [...document.querySelectorAll(".inorder-number")].map(({ dataset: d }) => ({ ...d }));
  const found = [];
  let last = "";
  canvas.focus();
  for (let row = 0; row < 12; row += 1) {
    for (;;) {
      found.push(...read());
      last = JSON.stringify(read());
      press(row % 2 ? "ArrowLeft" : "ArrowRight");
      if (JSON.stringify(read()) === last) break;
    }
    press("ArrowDown");
    if (JSON.stringify(read()) === last) break;
  }
  canvas.blur();
  return found;
}"""


def random_playground(seed: int) -> PermutationPlayground:
    rng = np.random.default_rng(seed)
    scheme = ALL_SCHEMES[sorted(ALL_SCHEMES)[seed % len(ALL_SCHEMES)]]
    settings = {"norm": ("pre", "post", "none")[seed % 3], "residual": (1.0, 0.5)[seed % 2], "d_ff": (20, 0)[seed % 2]}
    config, parameters = make_model(scheme, seed=seed, n_layers=seed % 4 + 1, **settings)
    n = int(rng.integers(3, 13))
    return PermutationPlayground(
        [f"t{i}" for i in range(n)],
        config,
        parameters,
        ids=rng.integers(0, config.vocabulary_size, size=n),
        order=rng.permutation(n),
        mask=("none", "causal", "prefix")[seed // 2 % 3],
        n_prefix=int(rng.integers(1, 5)),
        mask_moves=bool(rng.integers(2)),
        depth=int(rng.integers(1, config.n_layers + 1)),
        residual=bool(rng.integers(2)),
        layer=int(rng.integers(1, config.n_layers + 1)),
        head=int(rng.integers(1, config.n_heads + 1)),
    )


def value(figure, name):
    return float(figure.figure.locator(f'[data-name="{name}"]').get_attribute("data-value"))


def order_on_page(figure):
    """The tokens in reading order, by where they stand."""
    return figure.page.evaluate(
        """async () => {
          const chips = [...document.querySelector(".inorder-moved-row").querySelectorAll(".inorder-chip")];
          const places = () => chips.map((chip) => chip.getBoundingClientRect().x);
          for (let before = null; JSON.stringify(before) !== JSON.stringify(places());) {
            before = places();
            await new Promise((wake) => setTimeout(wake, 60)); // until they have arrived
          }
          const read = chips.map((chip) => Number(chip.dataset.token));
          const stand = [...chips].sort((a, b) => a.getBoundingClientRect().x - b.getBoundingClientRect().x);
          if (JSON.stringify(stand.map((chip) => Number(chip.dataset.token))) !== JSON.stringify(read)) {
            throw new Error("the reading order is not the order on the page");
          }
          return read;
        }"""
    )


def assert_page_shows(figure, playground):
    place = np.argsort(playground.order)
    for kind, square in (("weights", True), ("output", False)):
        wanted = {
            kind: getattr(playground, kind),
            f"moved_{kind}": getattr(playground, kind),
            f"new_{kind}": getattr(playground, f"new_{kind}")[place][:, place if square else slice(None)],
        }
        shown = {name: np.full(matrix.shape, np.nan) for name, matrix in wanted.items()}
        for cell in figure.page.evaluate(WALK, kind):
            shown[cell["name"]][int(cell["row"]), int(cell["col"])] = float(cell["value"])
        for name, matrix in wanted.items():
            np.testing.assert_allclose(shown[name], matrix, rtol=0, atol=1e-9, err_msg=name)
    np.testing.assert_allclose(figure.numbers("pooled"), playground.pooled[:, :8], rtol=0, atol=1e-9)
    assert_headline(figure, playground)


def assert_headline(figure, playground):
    """The numbers and words that stand above and below the maps."""
    for name in ("error", "pooled_error"):
        assert value(figure, name) == pytest.approx(getattr(playground, name), rel=0, abs=1e-9), name
    change = abs(playground.new_weights - playground.moved_weights).max()
    assert value(figure, "weights_change") == pytest.approx(change, rel=0, abs=1e-9)
    assert figure.summary.text_content() == playground.summary()
    assert figure.figure.locator(".inorder-law").inner_text() == playground.law()
    assert order_on_page(figure) == playground.order


@pytest.mark.parametrize("seed", range(12))
def test_every_number_is_inorders(mount, seed):
    playground = random_playground(seed)
    assert_page_shows(mount(playground), playground)


@pytest.mark.parametrize("position", SCHEMES)
def test_the_theorem_on_the_page(mount, position):
    """Below 1e-12 without positions, whatever the depth; above 1e-3 with any, and with a mask that stays."""
    playground = PermutationPlayground(order=[3, 1, 5, 0, 4, 2], depth=4)
    figure = mount(playground)
    figure.figure.get_by_label("Positions").select_option(position)
    figure.figure.get_by_label("Residual").uncheck()
    assert_headline(figure, figure.sync())
    assert (value(figure, "error") < 1e-12) == (position == "none")
    if position == "none":
        figure.figure.get_by_label("Mask", exact=True).select_option("causal")
        assert value(figure, "error") > 1e-3
        figure.figure.get_by_label("the mask moves along").check()
        assert value(figure, "error") < 1e-12
        assert_headline(figure, figure.sync())
    else:
        assert value(figure, "error") > 1e-3


def test_the_switches(mount):
    playground = PermutationPlayground()
    figure = mount(playground)
    prefix, moves = (figure.figure.get_by_label(label) for label in ("Length of the prefix", "the mask moves along"))
    assert not prefix.is_visible()
    assert not moves.is_visible()
    for label, option, name, wanted in [
        ("Positions", "rotary", "position", "rotary"),
        ("Mask", "prefix", "mask", "prefix"),
        ("Length of the prefix", "4", "n_prefix", 4),
        ("Depth", "4", "depth", 4),
        ("Layer", "3", "layer", 3),
        ("head", "2", "head", 2),
    ]:
        figure.figure.get_by_label(label, exact=True).select_option(option)
        assert getattr(figure.sync(), name) == wanted
        assert_headline(figure, playground)
    figure.figure.get_by_label("Residual").uncheck()
    moves.check()
    assert (figure.sync().residual, playground.mask_moves) == (False, True)
    assert_page_shows(figure, playground)
    figure.figure.get_by_label("Depth").select_option("1")  # layer 3 is gone: the last one stands in
    assert figure.figure.get_by_label("Layer").input_value() == "1"
    assert_page_shows(figure, figure.sync())


def drag(figure, token, to, *, steps=8):
    """With the mouse, to the middle of the place `to`, given as a number of places."""
    row = figure.figure.locator(".inorder-moved-row").bounding_box()
    width = row["width"] / len(figure.python.order)
    y, start = row["y"] + row["height"] / 2, figure.python.order.index(token)
    figure.page.mouse.move(row["x"] + width * (start + 0.5), y)
    figure.page.mouse.down()
    figure.page.mouse.move(row["x"] + width * (to + 0.5), y, steps=steps)
    figure.page.mouse.up()


def test_mouse_drag(mount):
    playground = PermutationPlayground("a b c d e", order=range(5))
    figure = mount(playground)
    assert "Nothing has moved yet." in figure.summary.inner_text()
    drag(figure, 0, 3.2)
    assert figure.sync().order == [1, 2, 3, 0, 4]
    assert_page_shows(figure, playground)
    drag(figure, 4, -5)  # beyond the edge
    assert figure.sync().order == [4, 1, 2, 3, 0]
    drag(figure, 2, 2.4)  # not far enough
    assert figure.sync().order == [4, 1, 2, 3, 0]
    figure.page.mouse.move(700, 300)  # the button is up: nothing is dragged
    assert_headline(figure, figure.sync())


def test_rows_follow_the_pointer_while_it_drags(mount):
    figure = mount(PermutationPlayground("a b c d", order=range(4)))
    row = figure.figure.locator(".inorder-moved-row").bounding_box()
    figure.page.mouse.move(row["x"] + row["width"] / 8, row["y"] + 10)
    figure.page.mouse.down()
    figure.page.mouse.move(row["x"] + row["width"] * 0.225, row["y"] + 10)  # 0.4 of a place
    chip = figure.figure.locator('.inorder-chip[data-token="0"]')
    figure.page.wait_for_function(
        "([chip, x]) => Math.abs(chip.getBoundingClientRect().x - x) < 2",
        arg=[chip.element_handle(), row["x"] + row["width"] * 0.1],
    )
    assert figure.sync().order == [0, 1, 2, 3]
    figure.page.mouse.up()
    assert order_on_page(figure) == [0, 1, 2, 3]  # and it goes back


def test_touch_drag(mount):
    playground = PermutationPlayground("a b c d e", order=range(5))
    figure = mount(playground, **PHONE)
    figure.figure.locator(".inorder-moved-row").scroll_into_view_if_needed()
    row = figure.figure.locator(".inorder-moved-row").bounding_box()
    touch = figure.page.context.new_cdp_session(figure.page)
    width, y = row["width"] / 5, row["y"] + 20

    def send(kind, place=None):
        points = [] if place is None else [{"x": row["x"] + width * (place + 0.5), "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", 1)
    for place in (1.3, 1.8, 2.4, 3.1):
        send("touchMove", place)
    send("touchEnd")
    assert figure.sync().order == [0, 2, 3, 1, 4]
    assert_headline(figure, playground)
    canvas = figure.figure.get_by_role("application").first
    canvas.tap(position={"x": 30, "y": 30})
    assert "“a” (1) attends to “a” (1)" in figure.figure.locator(".inorder-readout").inner_text()


def test_keyboard(mount):
    playground = PermutationPlayground("a b c d e", order=range(5))
    figure = mount(playground)
    chip = figure.figure.locator('.inorder-chip[data-token="1"]')
    chip.focus()
    for key, order in [
        ("ArrowRight", [0, 2, 1, 3, 4]),
        ("ArrowDown", [0, 2, 3, 1, 4]),
        ("ArrowLeft", [0, 2, 1, 3, 4]),
        ("End", [0, 2, 3, 4, 1]),
        ("ArrowRight", [0, 2, 3, 4, 1]),  # the edge: stays
        ("Home", [1, 0, 2, 3, 4]),
        ("ArrowUp", [1, 0, 2, 3, 4]),
    ]:
        figure.page.keyboard.press(key)
        assert figure.sync().order == order, key
        assert chip.evaluate("chip => chip === document.activeElement"), key
    assert_headline(figure, playground)
    assert chip.get_attribute("aria-label") == "b, token 2, at place 1 of 5"
    figure.page.keyboard.press("Tab")
    assert figure.page.evaluate("document.activeElement.dataset.token") == "0"  # the next one on the page


def test_shuffle_and_back(mount):
    playground = PermutationPlayground("a b c", order=range(3))
    figure = mount(playground)
    assert figure.figure.get_by_role("button", name="Back in order").is_disabled()
    before = list(range(3))
    for _ in range(5):
        figure.press("Shuffle")
        assert figure.sync().order != before
        before = playground.order
    assert_headline(figure, playground)
    figure.drive(order=[2, 0, 1])
    figure.press("Back in order")
    assert figure.sync().order == [0, 1, 2]
    assert value(figure, "error") == 0


def test_motion_ends_where_it_should_and_can_be_switched_off(mount):
    for options in ({}, {"reduced_motion": "reduce"}):
        figure = mount(PermutationPlayground("a b c d", order=range(4)), **options)
        figure.figure.locator('.inorder-chip[data-token="0"]').focus()
        for key in ("End", "Home", "End", "Home", "End"):  # each interrupts the one before
            figure.page.keyboard.press(key)
        assert order_on_page(figure) == [1, 2, 3, 0]
    frames = figure.page.evaluate(
        """async () => {
          const seen = new Set();
          const chip = document.querySelector('.inorder-chip[data-token="0"]');
          chip.dispatchEvent(new KeyboardEvent("keydown", { key: "Home", bubbles: true }));
          for (let k = 0; k < 12; k += 1) {
            await new Promise(requestAnimationFrame);
            seen.add(chip.style.transform);
          }
          return seen.size;
        }"""
    )
    assert frames <= 2  # before and after, nothing between


def test_hover_shows_where_a_cell_went(mount):
    playground = PermutationPlayground(position="sinusoidal")
    figure = mount(playground)
    readout = figure.figure.locator(".inorder-readout")
    assert "Point at a cell" in readout.inner_text()
    figure.figure.locator(".inorder-map").nth(1).hover(position={"x": 72, "y": 50})  # second row, first column
    assert readout.inner_text().startswith("“man” (6) attends to “the” (1): ")
    numbers = [float(text) for text in readout.locator(".inorder-number").all_inner_texts()]
    wanted = [playground.weights[5, 0], playground.moved_weights[1, 0], playground.new_weights[1, 0]]
    np.testing.assert_allclose(numbers, wanted, atol=0.0005)
    figure.figure.locator(".inorder-title").hover()
    assert "Point at a cell" in readout.inner_text()


def test_sentence(mount):
    playground = PermutationPlayground("a b c", order=[2, 1, 0])
    figure = mount(playground)
    box = figure.figure.get_by_label("Sentence")
    box.fill("a b  new c")
    assert (figure.sync().tokens, playground.ids) == (["a", "b", "new", "c"], [0, 1, 3, 2])  # c keeps its vector
    assert playground.order == [2, 1, 0, 3]
    box.fill("a b new c a b new c a b new c")
    assert figure.sync().ids == [0, 1, 3, 2] * 3
    assert_headline(figure, playground)
    for bad in ("a b", "a " * 13, f"a b {'c' * 21}"):
        box.fill(bad)
        assert "3 to 12 words" in figure.notice.inner_text()
        assert len(figure.sync().tokens) == 12
    box.blur()
    assert box.input_value() == "a b new c a b new c a b new c"
    assert figure.notice.inner_text() == ""


def test_a_model_knows_so_many_words(mount):
    config, parameters = make_model("none", vocabulary_size=3)
    figure = mount(PermutationPlayground("a b c", config, parameters))
    figure.figure.get_by_label("Sentence").fill("a b c d")
    assert figure.notice.inner_text() == "This model knows 3 different words."
    assert figure.sync().tokens == ["a", "b", "c"]


def test_token_text_is_text(mount):
    hostile = ["<img src=x onerror=…>"[:20], "<b>b</b>", "", "New York", "مرحبا", "🐈" * 20]
    playground = PermutationPlayground(hostile)
    figure = mount(playground)
    assert_headline(figure, playground)
    figure.figure.get_by_label("Sentence").fill("<script>x()</script> </p> a")
    assert figure.figure.locator("img, b, script").count() == 0
    assert_headline(figure, figure.sync())


def test_python_drives(mount):
    figure = mount(PermutationPlayground())
    other = PermutationPlayground(
        LONG, position="T5", mask="prefix", n_prefix=3, depth=3, residual=False, layer=2, head=2
    )
    figure.drive(**{name: getattr(other, name) for name in PermutationPlayground.state_names})
    assert_page_shows(figure, other)


def test_two_views_of_one_model(mount):
    playground = PermutationPlayground("a b c d")
    figure = mount(playground, views=(True, False))
    figure.figure.locator('.inorder-chip[data-token="0"]').focus()
    figure.page.keyboard.press("End")
    figure.sync()
    assert_headline(figure, playground)
    summaries = figure.page.locator(".inorder-summary").all_inner_texts()
    assert summaries == [playground.summary()] * 2
    ids = figure.page.evaluate("[...document.querySelectorAll('[id]')].map((node) => node.id)")
    assert len(ids) == len(set(ids))


def test_reset(mount):
    playground = PermutationPlayground(mask="causal")
    figure = mount(playground, initial_state={"position": "learned"})
    figure.press("Shuffle")
    figure.figure.get_by_label("Sentence").fill("one two three four")
    assert len(figure.sync().tokens) == 4
    figure.press("Reset")
    figure.sync()
    assert {name: getattr(playground, name) for name in playground.state_names} == playground.initial_state
    assert_page_shows(figure, PermutationPlayground(mask="causal"))


def test_a_link_reproduces_the_state(mount):
    wanted = PermutationPlayground(LONG, position="Shaw", mask="causal", mask_moves=True, depth=1, head=2)
    figure = mount(wanted, permissions=["clipboard-read", "clipboard-write"])
    figure.press("Copy link")
    figure.figure.get_by_text("Link copied").wait_for()
    link = figure.page.evaluate("navigator.clipboard.readText()")
    state = json.loads(unquote(link.partition("?")[2]))
    assert state == {name: getattr(wanted, name) for name in wanted.state_names}
    opened = mount(PermutationPlayground(), initial_state=state)
    assert_page_shows(opened, wanted)
    assert opened.notice.inner_text() == ""


@pytest.mark.parametrize(
    "hostile",
    [
        {"tokens": ["a"] * 13, "ids": [0] * 13, "order": list(range(13))},
        {"tokens": ["a", "b"], "ids": [0, 1], "order": [0, 1]},
        {"tokens": ["a", "b", "c"]},  # good by itself, but there are six ids
        {"tokens": ["d" * 21] * 6},
        {"tokens": [{"toString": "x"}] * 6},
        {"ids": [0, 1, 2, 3, 4, 12]},
        {"ids": [0, 1, 2, 3, 4, 0.5]},
        {"order": [0, 0, 1, 2, 3, 4]},
        {"order": ["0", "1", "2", "3", "4", "5"]},
        {"order": 7},
        {"position": "toString"},
        {"position": {"name": "none"}},
        {"mask": "future"},
        {"mask_moves": 1},
        {"n_prefix": 0},
        {"depth": 5},
        {"depth": "2"},
        {"residual": "yes"},
        {"layer": -1},
        {"head": 3},
        {"transformer": {"config": {}}},
        {"__proto__x": 1, "constructor": {"prototype": 1}},
        [1, 2],
    ],
    ids=str,
)
def test_a_link_that_does_not_fit_is_refused(mount, hostile):
    playground = PermutationPlayground()
    figure = mount(playground, initial_state=hostile)
    assert figure.notice.inner_text() == "Part of the link does not fit this figure and was left out."
    assert_headline(figure, playground)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_save_picture(mount, tmp_path, theme):
    figure = mount(PermutationPlayground())
    figure.page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    with figure.page.expect_download() as download:
        figure.press("Save picture")
    assert download.value.suggested_filename == "shuffle-the-tokens-what-follows-them.svg"
    download.value.save_as(tmp_path / "picture.svg")
    root = ElementTree.parse(tmp_path / "picture.svg").getroot()
    names = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f".//{names}image")) == 6
    assert len(root.findall(f".//{names}path")) == 6  # the threads
    words = [node.text for node in root.iter(f"{names}text")]
    assert {"dog", "bites", "error", "f(X)"} <= set(words)
    assert not {"Back", "Reset", "Sentence", "Layer"} & set(words)


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("device", [{}, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("tokens", ["a b c", ["W" * 20, "", "🐈", "مرحبا", *LONG.split()[4:]]], ids=["short", "long"])
def test_it_fits_and_is_accessible(mount, tokens, device, look):
    playground = PermutationPlayground(tokens, position="sinusoidal", mask="prefix")
    figure = mount(playground, color_scheme=look, **device)
    assert figure.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert ("is-dark" in figure.figure.get_attribute("class")) == (look == "dark")
    order_on_page(figure)  # it stands still
    found = Axe().run(figure.page, context=".inorder-figure").response["violations"]
    assert [(problem["id"], problem["nodes"][0]["target"]) for problem in found] == []
    chips = figure.figure.locator(".inorder-moved-row .inorder-chip").all()
    assert all(min(chip.bounding_box()["width"], chip.bounding_box()["height"]) >= 24 for chip in chips)


def test_a_wide_model_fits(mount):
    config, parameters = make_model("none", d_model=64, n_heads=4)
    figure = mount(PermutationPlayground("a b c d e", config, parameters), **PHONE)
    assert figure.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert "the first 8 of 64 entries" in figure.figure.inner_text()


def test_the_maps_are_drawn_anew_when_the_page_changes_its_width(mount):
    figure = mount(PermutationPlayground())
    canvas = figure.figure.locator(".inorder-map").first
    before = canvas.bounding_box()["width"]
    figure.page.set_viewport_size({"width": 620, "height": 900})
    figure.page.wait_for_function(
        "([canvas, before]) => canvas.getBoundingClientRect().width < before", arg=[canvas.element_handle(), before]
    )
    assert figure.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    figure.page.set_viewport_size({"width": 1280, "height": 900})


def test_cleaning_up(mount):
    figure = mount(PermutationPlayground())
    figure.page.evaluate("stops[0]()")
    assert figure.page.locator("main > div > *").count() == 0
    assert figure.page.evaluate("Object.values(model.listeners).flat().length") == 0
    figure.drive(position="rotary")
    figure.page.set_viewport_size({"width": 1200, "height": 900})


# in Python


def test_the_error_is_that_of_symmetry():
    playground = PermutationPlayground("a b c d e", position="rotary", depth=3)
    x = playground.parameters.embedding[playground.ids]
    f = lambda x: encode(x, playground.parameters, playground.config, positions=np.arange(5))  # noqa: E731
    error, order = equivariance_error(f, x)
    playground.order = order.tolist()
    assert playground.error == pytest.approx(error, rel=1e-12)
    np.testing.assert_allclose(playground.new_output, f(permute(x, order)), atol=1e-12)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("residual", [True, False])
def test_the_law(depth, residual):
    playground = PermutationPlayground(order=[5, 2, 0, 4, 3, 1], depth=depth, residual=residual)
    assert playground.error < 1e-12
    assert playground.pooled_error < 1e-12
    for mask in ("causal", "prefix"):
        playground.mask = mask
        assert playground.error > 1e-3
        playground.mask_moves = True
        assert playground.error < 1e-12
        playground.mask_moves = False
    playground.mask = "none"
    for position in SCHEMES:
        playground.position = position
        assert (playground.error < 1e-12) == (position == "none")


def test_a_move_within_the_prefix_goes_unnoticed():
    playground = PermutationPlayground("a b c d", order=[1, 0, 2, 3], mask="prefix", n_prefix=2)
    assert playground.error < 1e-12
    assert "f(PX; M) = P f(X; M)" in playground.summary()


def test_own_weights_from_numpy_and_torch():
    config, parameters = make_model(Rotary(base=100.0), n_layers=3)
    here, there = (PermutationPlayground("a b c", config, p) for p in (parameters, to_torch(parameters)))
    assert here.transformer == there.transformer
    assert here.position == "rotary"
    assert here.config.scheme == Rotary(base=100.0)
    ids = np.array([0, 1, 2])
    full = dataclasses.replace(here.config, n_layers=2)
    wanted = encode(ids, parameters._replace(blocks=parameters.blocks[:2]), full, positions=np.arange(3))
    np.testing.assert_allclose(here.output, wanted)


def test_schemes_that_do_not_fit_are_left_out():
    odd = PermutationPlayground("a b c", *make_model("none", d_model=21, n_heads=3))
    assert list(odd.transformer["schemes"]) == ["none", "learned", "ALiBi", "T5", "Shaw"]
    beside = PermutationPlayground("a b c", *make_model(Sinusoidal(concatenate=4)))
    assert list(beside.transformer["schemes"]) == ["sinusoidal"]
    for scheme in (Learned(length=5), Scalar(length=5)):
        assert PermutationPlayground("a b c", *make_model(scheme)).transformer["most_tokens"] == 5
    assert PermutationPlayground("a b c", *make_model(Binary(n_bits=2))).transformer["most_tokens"] == 4


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"tokens": "a b"}, "tokens must be 3 to 12 strings, got 2"),
        ({"tokens": LONG + " again"}, "tokens must be 3 to 12 strings, got 13"),
        ({"tokens": ["a", "b", "c" * 21]}, "a token may have up to 20 characters, got 'ccc"),
        ({"tokens": "a b c", "ids": [0, 1]}, "ids must be one whole number from 0 to 11 for each of the 3 tokens"),
        ({"tokens": "a b c", "ids": [0, 1, 12]}, "ids must be one whole number from 0 to 11"),
        ({"order": [0, 1]}, r"order must hold each of 0 … 5 once, got \[0, 1\]"),
        ({"position": "spiral"}, "position must be one of none, sinusoidal, .*, got 'spiral'"),
        ({"mask": "future"}, "mask must be one of none, causal, prefix, got 'future'"),
        ({"depth": 5}, "depth must be from 1 to 4, got 5"),
        ({"layer": 0}, "layer must be from 1 to 4, got 0"),
        ({"head": 3}, "head must be from 1 to 2, got 3"),
        ({"n_prefix": 13}, "n_prefix must be from 1 to 12, got 13"),
        ({"residual": "yes"}, "residual"),
        ({"config": default_model()[0]}, "config and parameters must come together"),
    ],
    ids=str,
)
def test_bad_input(types_unchecked, state, message):
    with pytest.raises(ValueError, match=message):
        PermutationPlayground(**state)


def test_a_bad_assignment_is_undone():
    playground = PermutationPlayground()
    with pytest.raises(traitlets.TraitError, match="depth must be from 1 to 4, got 9"):
        playground.depth = 9
    assert playground.depth == 2


@pytest.mark.parametrize("seed", range(3))
def test_twin(seed):
    playground = random_playground(seed)
    ElementTree.fromstring(svg(playground.figure()))
    assert svg(playground.figure()) == svg(playground.figure())
    assert playground.summary() in playground.alt_text()
    data, _ = playground._repr_mimebundle_()
    assert data["text/plain"] == playground.alt_text()


def test_the_default_model_is_light():
    """A page carries it as text."""
    assert len(json.dumps(PermutationPlayground().transformer)) < 25_000
    config, parameters = default_model()
    fresh = init_parameters(config, np.random.default_rng(4))
    np.testing.assert_allclose(parameters.embedding, fresh.embedding, atol=0.005)
