"""What holds of every figure, whatever it shows: one page a figure, for links, Python, keys and a screen reader."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO
from itertools import permutations
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

import inorder.widgets
from harness.accessibility import violations
from harness.figure import PARTS_OF_STATE, PHONE, REFUSED, MountedFigure, answer, figure_of
from harness.waiting import wait_until
from inorder.widgets import interact, marks
from inorder.widgets.kit.figure import InteractiveFigure
from inorder.widgets.kit.twin import svg

T = np.linspace(0, 1, 30)
WORDS = ["dog", "bites", "man"]
ORDERS = {" ".join(WORDS[i] for i in order): order for order in permutations(range(3))}
NORMAL = np.random.default_rng(5)
LONG = ["W" * 20, "🐈", "مرحبا", "", "<u>", "it's", "over", "the", "lazy", "dog", "and", "away"]


def chosen(choice="a wave"):
    """Marks of which none is dragged?"""
    plane = marks.lines(T, {"wave": np.sin(6 * T) if choice == "a wave" else np.cos(6 * T)}, axes=("t", ""))
    places = marks.points([[0.1, 0.2], [0.3, 0.4]], ["one", "two"], actor="key")
    many = marks.heat_map(np.outer(T, T), limits=(0, 1))
    few = marks.heat_map(np.eye(2), rows=["cat", "dog"], columns=["cat", "dog"], limits=(0, 1))
    table = marks.table({"n": np.arange(2)}, rows=["first", "second"])
    return plane, places, many, few, table, marks.answer(f"It is {choice}.")


def dragged(x=1, y=0, share=1):
    """A point, a bar and a cell to drag?"""
    point = marks.points([[x, y], [3.5, 3.5]], ["it", "that"], x_limits=(-1, 4), y_limits=(-1, 4), drag=("x", "y"))
    bar = marks.lines([0, 2], [0, 1], handle=share, drag="share")
    cells = marks.heat_map(np.eye(4)[:, [y]], rows=list("0123"), columns=["y"], drag="y", limits=(0, 1))
    return point, bar, cells, marks.answer(f"At {x}, {y}, with {share}.")


def ordered(order=(0, 1, 2), asks=0):
    """Words to drag, and a stream, a crossing and a mirror below?"""
    weights = np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0.0, 0.9375, 0.0625]])[np.ix_(order, order)]
    words = [WORDS[token] for token in order]
    line = marks.sentence(words, weights, order=order, asks=order.index(asks), drag="order")
    distances = np.abs(np.argsort(order) - np.argsort(order)[:, None])
    below = [
        marks.stream([weights] * 2, words, inked=0),
        marks.crossing(WORDS, words, order, notes=["kept"] * 3, drag="order"),
        marks.mirror(WORDS, order, distances, distances, limits=(-2, 2), drag="order"),
    ]
    return line, *below, marks.answer(f"{' '.join(words)}, {WORDS[asks]} asks.")


def taken(word="dog", line=1, block=0, door="", across=1.0):
    """Words, lines, a block, a door and an arrow to take?"""
    place, rows = WORDS.index(word), np.array([[1.0, 0.0], [0.5, 2.0], [0.0, 1.0]])
    weights = np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0.0, 0.9375, 0.0625]])
    values = np.array([[1.0, 0.5], [0.25, 0.0]]) / (block + 1)
    matrices = np.arange(12.0).reshape(3, 2, 2)
    threads = marks.threads(rows, weights[0], WORDS, x_limits=(-1, 3))
    shown = [
        marks.ink(WORDS, weights[place], asks=place, target=0, drag="word"),
        marks.cakes(weights, WORDS, held=1),
        marks.program(["y = x", "z = w @ y"], WORDS, np.stack([np.eye(3), weights]), np.eye(3), lit=line, inked=place),
        marks.projections(rows, WORDS, place, matrices, row_axes="is does", axes=("a", "b", "c", "d"), drag="word"),
        marks.blocks(values, divmod(block, 2), (2, 2), {"sum": np.arange(4.0)}, drag="block"),
        marks.diagram({"X": (10, 50), "Y": (90, 50)}, [("X", "Y")], {"in": (10, 90, ["X"])}, opened=door, drag="door"),
        threads + marks.arrows([[across, 0.0]], ["it asks"], actor="query", drag="across"),
    ]
    return *shown, marks.answer(f"{word}, {line}, {block}, {door}, {across:g}.")


def turned(around=30, above=0, position=3, steps=2):
    """A space to turn, and clocks?"""
    corners = marks.points([[0, 0, 0], [3, 0, 0], [0, 2, 0], [0, 0, 1]], ["o", "x", "y", "z"])
    places = np.array([position, position + steps])
    hands = dict(zip(["here", "there"], np.outer(places, [0.1, 0.5, 2.0]), strict=True))
    text = {"text": [f"w{i}" for i in range(12)], "places": places.tolist(), "drag": ("position", "steps")}
    clocks = marks.clocks(hands, "slow middle fast", wedge=True, **text)
    space = marks.space(corners, view=(around, above), turn=("around", "above"))
    return space, clocks, marks.answer(f"From {around}, {above}; {steps} steps from {position}.")


FIGURES: dict[str, Callable[[], InteractiveFigure]] = {
    **{name: lambda name=name: figure_of(name) for name in inorder.widgets.__all__},
    "chosen": lambda: interact(chosen, choice=["a wave", "another"]),
    "dragged": lambda: interact(dragged, x=(0, 3), y=(0, 3), share=(0, 2)),
    "ordered": lambda: interact(ordered, order=ORDERS, asks=(0, 2), play=False),
    "taken": lambda: interact(
        taken, word=WORDS, line=(0, 2), block=(0, 3), door={"shut": "", "open": "in"}, across=(0.0, 2.0, 1.0)
    ),
    "turned": lambda: interact(turned, around=(0, 90, 30), above=(0, 60, 30), position=(2, 6), steps=(-2, 3)),
}
STAY = {"OrderAudit": {"words"}}  # what a page without Python does not change
# The largest that a figure shows, with words that somebody might send on purpose.
LARGEST: dict[str, dict[str, Any]] = {
    "AddOrConcatenate": {"n_tokens": 24, "n_positions": 24, "d": 64, "ratio": 99.5, "token": 23, "position": 23},
    "AttentionCalculator": {"tokens": LONG[:6], "x": NORMAL.normal(size=(6, 4)), "mask": "causal"}
    | {name: NORMAL.normal(size=(4, 4)) for name in ("w_query", "w_key", "w_value")},
    "EncodingExplorer": {"length": 2048, "d_model": 512, "position": 700},
    "InductionHeads": {"words": ["W" * 8, "🐈", "<u>", *"abcabca"]},
    "LanguageModel": {"first": "W" * 60 + " 🐈 <u>" * 30, "second": "The"},
    "Loom": {"words": ["W" * 10, "m", "transform", "🐈", "<u>", "no"], "mask": True, "positions": True},
    "OrderAudit": {"words": ["W" * 12, "b", "<u>", "🐈", "incomparable"], "layer": "RWKV", "question": "move"},
    "PermutationPlayground": {"tokens": LONG, "position": "sinusoidal", "mask": "prefix"},
    "PromptOrderLab": {"first": LONG[:3] + LONG[4:9], "position": "sinusoidal", "mask": "prefix", "depth": 2},
    "RelativeBiasExplorer": {"n": 64, "as_weights": True, "query": 60},
    "SameOrNot": {"words": ["W" * 20, "m", "<u>", "🐈", "i", "i", "no", "W" * 19], "positions": True},
    "SoftLookup": {"tokens": LONG[:3] + LONG[4:7], "attention": "self", "sharpness": 100.0}
    | {"k": [[9.5, -9.5]] * 6, "x": [[-9.5, 9.5]] * 6, "v": [[1000], [-999.5], [0], [1], [2], [3]]},
}


def assign(figure: InteractiveFigure, state: dict[str, Any]) -> InteractiveFigure:
    with figure.hold_trait_notifications():
        for part, value in state.items():
            setattr(figure, part, value)
    return figure


def largest(name: str) -> InteractiveFigure:
    if name == "AttentionMap":
        weights = np.random.default_rng(0).dirichlet(np.ones(40), size=(12, 12, 40))
        return inorder.widgets.AttentionMap(weights, [*LONG, "to", "be"] * 2 + LONG, layer=11, head=7)
    return getattr(inorder.widgets, name)(**LARGEST[name]) if name in LARGEST else FIGURES[name]()


OTHERS: dict[str, Callable[[Any, dict[str, Any]], list[Any]]] = {
    "boolean": lambda value, limit: [not value],
    "integer": lambda value, limit: [value + limit.get("step", 1), value - limit.get("step", 1)],
    "real": lambda value, limit: [value / 2 + limit["high"] / 4 + limit["low"] / 4],
    "choice": lambda value, limit: [other for other in reversed(limit["options"]) if other != value],
    "texts": lambda value, limit: [value[::-1]],
    "integers": lambda value, limit: [value[::-1]],
    "permutation": lambda value, limit: [value[::-1]],
    "matrix": lambda value, limit: [[[0.5 - entry for entry in row] for row in value]],
}


def another_state(name: str) -> dict[str, Any]:
    """Every part changed that can be changed alone, one after the other, in the order of their declaration."""
    figure = FIGURES[name]()
    keys = {setting.name: setting.keys for setting in getattr(figure, "settings", ())}
    for part in figure.state:
        if part in STAY.get(name, set()):
            continue
        value = getattr(figure, part)
        limit = figure.limits.get(part, {"kind": "choice", "options": keys.get(part)})
        for other in OTHERS[limit["kind"]](value, limit):
            try:
                setattr(figure, part, other)
            except ValueError:
                continue
            break
    return json.loads(json.dumps(figure.state))


# What can be wrong with a value of a kind is in test_state.py; here, that each part has its limit, in Python and links.
WRONG: dict[str, Callable[[dict[str, Any]], Any]] = {
    "boolean": lambda limit: "yes",
    "integer": lambda limit: limit["low"] - 1,
    "real": lambda limit: limit["high"] + 1,
    "choice": lambda limit: "constructor",
    "texts": lambda limit: ["a"] * (limit["most"] + 1),
    "integers": lambda limit: [limit["low"] - 1],
    "permutation": lambda limit: [0, 0, 1],
    "matrix": lambda limit: [[1e9]],
    "setting": lambda limit: "no such",
}
NO_VALUE = {"__proto__": {"polluted": 1}}


@cache
def refused(name: str) -> list[tuple[str, Any, str]]:
    """Each part with what does not fit its kind of limit, and what Python says of it."""
    figure = FIGURES[name]()
    messages = []
    for part in figure.state_names:
        limit = figure.limits.get(part, {"kind": "setting"})
        for value in (WRONG[limit["kind"]](limit), NO_VALUE):
            with pytest.raises(ValueError) as refusal:
                setattr(figure, part, value)
            messages.append((part, value, str(refusal.value)))
            assert figure.state == figure.initial_state
    return messages


# ------------------------------------------------------------------------------------------------- without a browser


@pytest.mark.parametrize("name", FIGURES)
def test_what_does_not_fit_is_named_and_changes_nothing(types_unchecked, name):
    """By its name, with what was expected and what came."""
    names = FIGURES[name]().state_names
    for _, _, message in refused(name):
        assert any(part in message for part in names), message
        assert re.search(r"(must|expected|needs) .*got ", message) and len(message) < 1000, message
    assert {part for part, _, _ in refused(name)} == set(names)


@pytest.mark.parametrize("name", FIGURES)
def test_the_still_and_its_words_are_of_the_state(name):
    figure = FIGURES[name]()
    data, metadata = figure._repr_mimebundle_()
    ElementTree.fromstring(data["image/svg+xml"])
    assert data["text/plain"] == metadata["image/svg+xml"]["alt"] == figure.alt_text()
    assign(figure, another_state(name))
    assert svg(figure.figure()) != data["image/svg+xml"]
    assert figure.alt_text() != data["text/plain"]
    assert figure.summary() in figure.alt_text()


# ------------------------------------------------------------------------------------------------------------ the page

# Before anything else of the page: what goes on although the figure is gone. Of listeners, those that outlive it.
WATCH_WHAT_LASTS = """(() => {
  const lasting = { listeners: [], observers: new Map(), timers: new Set(), frames: new Set() };
  const isOnPage = (targets) => targets.some((target) => target.isConnected);
  window.lasting = () => ({ listeners: lasting.listeners.length, timers: lasting.timers.size,
    frames: lasting.frames.size, observers: [...lasting.observers.values()].filter(isOnPage).length });
  const outside = (target) => !(target instanceof Element) || target === document.documentElement;
  const same = (one, other) => one.every((part, i) => part === other[i]);
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (...told) {
    const [type, listener] = told;
    const once = typeof told[2] === "object" && (told[2].once || told[2].signal);
    if (outside(this ?? window) && !once) lasting.listeners.push([this ?? window, type, listener]);
    return addEventListener.apply(this, told);
  };
  EventTarget.prototype.removeEventListener = function (...told) {
    lasting.listeners = lasting.listeners.filter((one) => !same(one, [this ?? window, told[0], told[1]]));
    return removeEventListener.apply(this, told);
  };
  for (const kind of ["MutationObserver", "ResizeObserver", "IntersectionObserver"]) {
    const { observe, disconnect } = window[kind].prototype;
    window[kind].prototype.observe = function (...told) {
      lasting.observers.set(this, [...(lasting.observers.get(this) ?? []), told[0]]);
      return observe.apply(this, told);
    };
    window[kind].prototype.disconnect = function () {
      lasting.observers.delete(this);
      return disconnect.apply(this);
    };
  }
  const counted = (start, stop, kind, isRepeated) => {
    const [begin, end] = [window[start], window[stop]];
    window[start] = (task, ...more) => {
      const id = begin((...told) => {
        if (!isRepeated) lasting[kind].delete(id);
        task(...told);
      }, ...more);
      if (!(more[0] >= 10_000)) lasting[kind].add(id); // for a download, and of the test itself
      return id;
    };
    window[stop] = (id) => {
      lasting[kind].delete(id);
      end(id);
    };
  };
  counted("setTimeout", "clearTimeout", "timers");
  counted("setInterval", "clearInterval", "timers", true);
  counted("requestAnimationFrame", "cancelAnimationFrame", "frames");
})();"""
# The answer, and all numbers at full precision, by what they are of. What a view has open is its own affair.
SHOWN = """(figure) => {
  const numbers = Object.groupBy(figure.querySelectorAll("[data-name][data-value]"), ({ dataset }) =>
    [dataset.name, dataset.row, dataset.col].join());
  const alone = Object.entries(numbers).filter(([, all]) => all.length === 1);
  return { answer: figure.querySelector(".inorder-answer").textContent,
    ...Object.fromEntries(alone.map(([of, [{ dataset }]]) => [of, dataset.value])) };
}"""


@pytest.fixture(scope="module")
def page(browser) -> Iterator[Page]:
    permissions = ["clipboard-read", "clipboard-write"]
    context = browser.new_context(
        viewport={"width": 1008, "height": 900}, reduced_motion="reduce", permissions=permissions
    )
    page = context.new_page()
    page.set_default_timeout(5000)
    page.add_init_script(WATCH_WHAT_LASTS)
    page.route("**/*", answer)
    page.trouble = []
    page.on("console", lambda message: page.trouble.append(message.text))
    page.on("pageerror", lambda error: page.trouble.append(str(error)))
    yield page
    context.close()


@pytest.fixture(scope="module", params=FIGURES)
def figure(page, request) -> Iterator[MountedFigure]:
    """Two views of the figure, for all the tests below: one on a page of the book, one in a notebook."""
    figure = MountedFigure(page, FIGURES[request.param](), views=(True, False))
    figure.name = request.param
    expect(figure.summary).to_have_text(figure.python.summary())
    return figure


@pytest.fixture(autouse=True)
def no_complaint(request) -> Iterator[None]:
    if "page" not in request.fixturenames:
        yield
        return
    page = request.getfixturevalue("page")
    page.trouble.clear()
    yield
    assert page.trouble == []


def views(figure: MountedFigure) -> list[Any]:
    return [figure.page.locator(".inorder-figure").nth(i) for i in range(2)]


def differ(one: dict[str, str], other: dict[str, str]) -> dict[str, tuple[str, str]]:
    return {of: (one[of], other[of]) for of in one.keys() & other.keys() if one[of] != other[of]}


def wait_for(figure: MountedFigure, state: dict[str, Any]) -> dict[str, str]:
    """What both views show once they have drawn this state, which is then Python's, too."""
    assign(figure.python, state)
    for view in views(figure):
        expect(view.locator(".inorder-summary")).to_have_text(figure.python.summary())
    shown = [{}, {"answer": ""}]
    for _ in range(40):  # of some figures a part comes late
        before, shown = shown, [view.evaluate(SHOWN) for view in views(figure)]
        if before == shown and not differ(*shown):
            break
        figure.page.wait_for_timeout(30)
    assert differ(*shown) == {}
    return shown[0]


def state_of(figure: MountedFigure) -> dict[str, Any]:
    return figure.page.evaluate(PARTS_OF_STATE, list(figure.python.state))


HEAR = """() => {
  window.heard = [];
  const live = "[role=status], [aria-live=polite]";
  const told = new MutationObserver((changes) => changes.forEach(({ target }) => {
    const element = target.nodeType === Node.TEXT_NODE ? target.parentElement : target;
    const said = element?.closest(live)?.textContent;
    if (said) heard.push(said);
  }));
  told.observe(document.querySelector(".inorder-figure"), { childList: true, characterData: true, subtree: true });
}"""


def test_two_views_follow_python_speak_once_and_start_again(figure):
    first, other = wait_for(figure, figure.python.initial_state), another_state(figure.name)
    figure.page.evaluate(HEAR)
    figure.drive(**other)
    assert differ(wait_for(figure, other), first)
    ids = figure.page.evaluate("[...document.querySelectorAll('[id]')].map(({ id }) => id)")
    assert len(set(ids)) == len(ids)
    figure.page.wait_for_timeout(800)
    heard = figure.page.evaluate("heard")
    assert len(heard) == 1 and figure.python.summary() in heard[0], heard
    figure.press("Reset")
    assert figure.sync().state == figure.python.initial_state
    assert state_of(figure) == json.loads(json.dumps(figure.python.initial_state))
    assert not differ(wait_for(figure, figure.python.initial_state), first)


def test_a_link_opens_the_figure_as_it_was(figure):
    other = another_state(figure.name)
    figure.drive(**other)
    shown = wait_for(figure, other)
    assert figure.copied_state() == other
    figure.press("Reset")
    wait_for(figure, figure.sync().state)
    figure.follow(other)
    assert figure.notice.inner_text() == ""
    assert not differ(wait_for(figure, other), shown)


def test_of_an_old_link_what_still_fits_is_taken_and_the_rest_told(figure):
    figure.press("Reset")
    start = json.loads(json.dumps(figure.python.initial_state))
    wait_for(figure, start)
    part, other = next((part, value) for part, value in another_state(figure.name).items() if value != start[part])
    alone = assign(FIGURES[figure.name](), {part: other}).state
    figure.follow({"gone": 1, part: other})
    assert figure.notice.inner_text() == REFUSED
    wait_for(figure, alone)


FOLLOW_ALL = """async ([names, notice, links]) => {
  const state = () => JSON.stringify(names.map((name) => model.get(name)));
  const [start, unlike] = [state(), []];
  for (const link of links) {
    const before = window.nMounted;
    location.hash = `figure-1?${encodeURIComponent(link)}`;
    for (let i = 0; window.nMounted === before; i += 1) {
      if (i > 500) return [link, "is not followed"];
      await new Promise((done) => setTimeout(done));
    }
    const text = document.querySelector(".inorder-figure .inorder-notice").textContent;
    if (text !== notice || state() !== start) unlike.push([link, text, state()]);
  }
  return unlike;
}"""


def test_links_that_do_not_fit_change_nothing_and_leave_nothing_behind(figure):
    """Each opens the figure anew, in the place of the one before, which is closed."""
    figure.press("Reset")
    wait_for(figure, figure.python.initial_state)
    wrong = [json.dumps({part: value}) for part, value, _ in refused(figure.name)]
    lasting = []
    wrong.append('["words"]')
    for links in (wrong[:2], wrong[2:] if len(wrong) > 12 else (wrong * 4)[2:12]):
        assert figure.page.evaluate(FOLLOW_ALL, [figure.python.state_names, REFUSED, links]) == []
        figure.page.wait_for_timeout(100)
        lasting.append(figure.page.evaluate("lasting()"))
        lasting[-1]["of the model"] = figure.page.evaluate("Object.values(model.listeners).flat().length")
    first, last = lasting
    assert all(last[kind] <= first[kind] + 3 for kind in first), lasting  # some are of the figure that is open now
    assert not figure.page.evaluate("'polluted' in {}")


# --------------------------------------------------------------------------------- one view, for eyes, ears and fingers

OPEN = "figure => figure.querySelectorAll('details').forEach((fold) => { fold.open = true; })"
# So that no test need wait until a reader has stopped: a hundred times as fast.
HURRY = "() => { const wait = setTimeout; window.setTimeout = (f, ms, ...more) => wait(f, ms / 100, ...more); }"
FITS = "document.documentElement.scrollWidth <= innerWidth"
# What is pressed and is smaller than the 24 pixels that WCAG 2.2 asks for.
SMALL = """(figure) => [...figure.querySelectorAll("button, select, summary")]
  .filter((one) => one.checkVisibility() && Math.min(one.offsetWidth, one.offsetHeight) < 24)
  .map((one) => one.outerHTML)"""


@pytest.fixture
def alone(figure) -> MountedFigure:
    """One view, with its folds open and all that arrives late there."""
    if figure.page.locator(".inorder-figure").count() == 2:
        figure.press("Reset")
        figure.page.evaluate("stops[1]()")
        figure.figure.evaluate(OPEN)
        figure.page.evaluate(HURRY)
        figure.page.wait_for_timeout(150)
    return figure


# What a saved picture leaves out, though it stays on the page: closed folds, and the grips of tiles.
NOT_IN_A_PICTURE = "details:not([open]), .inorder-tile::before { visibility: hidden !important }"


def test_the_picture_that_is_saved_looks_as_the_page_and_has_no_control(figure):
    figure.press("Reset")
    before, now = "", figure.figure.inner_html()
    while before != now:  # a worker answers when it can
        figure.page.wait_for_timeout(300)
        before, now = now, figure.figure.inner_html()
    with figure.page.expect_download() as download:
        figure.press("Save picture")
    text = download.value.path().read_text("utf-8")
    words = " ".join(node.text or "" for node in ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}text"))
    assert all(word in words for word in figure.summary.inner_text().split())
    assert "Reset" not in words and "Copy link" not in words
    title = re.sub("[^a-z0-9]+", "-", figure.python.title.lower()).strip("-")
    assert download.value.suggested_filename == f"{title}.svg"

    hidden = figure.page.add_style_tag(content=NOT_IN_A_PICTURE)
    figure.figure.evaluate("(root) => root.classList.add('is-picture')")
    on_page = Image.open(BytesIO(figure.figure.screenshot()))
    figure.figure.evaluate("(root) => root.classList.remove('is-picture')")
    hidden.evaluate("(style) => style.remove()")
    page = figure.page.context.new_page()
    page.set_content(f"<body style='margin: 0'>{text}")
    saved = Image.open(BytesIO(page.locator("svg").first.screenshot()))
    page.close()
    # Letters and lines may lie half a pixel off, and one box: squares of six pixels are compared by their means.
    size = min(on_page.width, saved.width) // 6, min(on_page.height, saved.height) // 6
    squares = [image.convert("L").crop((0, 0, 6 * size[0], 6 * size[1])) for image in (on_page, saved)]
    one, other = (np.asarray(image.resize(size, Image.Resampling.BOX), float) for image in squares)
    off = np.argwhere(abs(one - other) > 45)[:, ::-1] * 6
    assert len(off) <= 1, f"unlike at x, y = {off[:5].tolist()}"
    assert abs(one - other).mean() < 12
    assert one.mean() == pytest.approx(other.mean(), abs=5)


CONTROLS = {"application", "button", "checkbox", "combobox", "radio", "slider", "spinbutton", "switch", "textbox"}
NAMED = CONTROLS | {"grid", "group", "image", "list", "region", "DisclosureTriangle"}
SIGNS = set("=≠✓×●◆■▲→←↓‹›")  # alone, they are read as "times", or not at all
CONTROL = "button, input, select, [tabindex]:not(section, [role=region], .inorder-heads)"
# What Tab reaches is one of a group: arrows do the rest.
ONE_OF_A_GROUP = "control => control.type === 'radio' || control.tabIndex < 0"

STEP = "(figure, reached) => { const at = document.activeElement; reached.add(at); return figure.contains(at) }"


def tree(page):
    """The nodes that a screen reader is given, each with its role, its name and the place in the tree that names it."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    by_id = {node["nodeId"]: node for node in nodes}
    text = {key: lambda node, key=key: (node.get(key) or {}).get("value", "") for key in ("role", "name")}

    def walk(node, role, inside):
        """``inside``: the ids of the named parts around it, the innermost last."""
        mine, name = text["role"](node), text["name"](node)
        if not node["ignored"] and mine not in ("none", "generic", "InlineTextBox"):
            yield {"role": mine, "name": name, "parent": role, "inside": inside}
            role = mine
            if name and mine in NAMED:
                inside = (*inside, (mine, name))
        if mine != "image":  # a leaf to a screen reader
            for child in node.get("childIds", []):
                yield from walk(by_id[child], role, inside)

    return list(walk(next(node for node in nodes if text["role"](node) == "main"), "", ()))


def test_every_part_has_a_name_of_its_own(alone):
    nodes = tree(alone.page)
    assert len(nodes) > 10

    # a fold is a group whose summary is its name
    folds = [node for i, node in enumerate(nodes[:-1]) if nodes[i + 1]["role"] == "DisclosureTriangle"]
    nameless = [node for node in nodes if node["role"] in NAMED and not node["name"].strip()]
    assert [node for node in nameless if node not in folds] == []

    controls = Counter((node["inside"], node["role"], node["name"]) for node in nodes if node["role"] in CONTROLS)
    assert [control for control, times in controls.items() if times > 1] == []

    # words that stand alone; in a control or a header they are part of its name
    texts = [node["name"].strip() for node in nodes if node["role"] == "StaticText" and node["parent"] not in CONTROLS]
    assert [text for text in texts if text in SIGNS] == []

    # two places speak: the figure's answer and what it has to notify
    assert [node["role"] for node in nodes if node["role"] in ("status", "alert", "log")] == ["status", "status"]

    tables = alone.figure.locator("table, [role=grid]").evaluate_all(
        "all => all.map((one) => one.querySelectorAll('th, [role$=header]').length)"
    )
    assert all(tables)


def test_tab_reaches_every_control_and_leaves(alone):
    page = alone.page
    page.evaluate("document.body.tabIndex = -1; document.body.focus()")
    reached = alone.figure.evaluate_handle("() => new Set()")
    for _ in range(120):
        page.keyboard.press("Tab")
        inside = alone.figure.evaluate(STEP, reached)
        if not inside:
            break
    assert not inside, "Tab does not lead out"
    missed = alone.figure.evaluate(
        f"""(figure, reached) => [...figure.querySelectorAll("{CONTROL}")]
          .filter((control) => control.checkVisibility() && !control.disabled && !reached.has(control))
          .filter((control) => !({ONE_OF_A_GROUP})(control))
          .map((control) => control.outerHTML)""",
        reached,
    )
    assert missed == []


def change(page, control, names):
    """By keyboard; False where there is nothing to change."""
    kind = control.evaluate("c => c.type === 'text' ? 'text' : c.getAttribute('role') ?? c.type")
    control.focus()
    if kind in ("range", "slider", "number"):
        before = control.evaluate("c => c.value ?? c.getAttribute('aria-valuetext')")
        page.keyboard.press("ArrowUp")
        if control.evaluate("c => c.value ?? c.getAttribute('aria-valuetext')") == before:  # it stood at its end
            page.keyboard.press("ArrowDown")
    elif kind == "select-one":
        before = control.input_value()
        page.keyboard.press("ArrowDown")
        if control.input_value() == before:
            page.keyboard.press("ArrowUp")
    elif kind == "radio":
        if control.is_checked():
            return False
        page.keyboard.press("Space")
    elif kind in ("checkbox", "switch"):
        page.keyboard.press("Space")
    elif kind == "application":
        page.keyboard.press("ArrowRight")
    elif "inorder-tile" in (control.get_attribute("class") or ""):
        for key in ("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"):  # it may stand at an end, or in a column
            before = page.evaluate(PARTS_OF_STATE, names)
            page.keyboard.press(key)
            if page.evaluate(PARTS_OF_STATE, names) != before:
                return True
        return True
    elif kind == "gridcell" and control.evaluate("c => c.closest('[aria-readonly=false]') !== null"):
        page.keyboard.press("+")
    else:
        return False
    return True


TOLD = """async (control) => {
  for (let frame = 0; frame < 60; frame += 1) {
    if (heard.length || control.ariaInvalid === "true") return true;
    await new Promise(requestAnimationFrame);
  }
  return false;
}"""


def test_every_control_works_by_keyboard_and_is_told(alone):
    """What is typed and pressed has tests of its own; here, all that is set."""
    page, root = alone.page, alone.figure
    page.evaluate(HEAR)
    controls = root.locator(CONTROL)
    untold, asked = [], 0
    for i in range(controls.count()):
        control = controls.nth(i)
        if i >= controls.count() or not control.evaluate("c => c.checkVisibility() && !c.disabled && c.tabIndex >= 0"):
            continue
        page.evaluate("heard.length = 0")
        changed = control.element_handle()  # there may be fewer of them afterwards
        if not change(page, control, alone.python.state_names):
            continue
        asked += 1
        if not changed.evaluate(TOLD):
            untold.append(changed.evaluate("c => c.outerHTML + c.value"))
    assert asked
    assert untold == []


def test_axe_finds_nothing_when_wide_and_light(alone):
    assert violations(alone.page, ".inorder-figure") == []


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
ZOOMED = {"width": 328, "height": 256}  # to 400%: a figure of 296 pixels, as on a page 320 wide


def test_zoomed_to_400_percent_nothing_is_cut(alone):
    before = alone.page.viewport_size
    alone.page.set_viewport_size(ZOOMED)
    alone.page.wait_for_timeout(200)  # what follows the width has followed
    wait_until(alone.page, FITS)
    assert alone.figure.evaluate(SILENT) == [], "it scrolls sideways and does not show it"
    assert alone.name not in inorder.widgets.__all__ or alone.figure.evaluate(CUT) == []
    alone.page.set_viewport_size(before)


def test_closed_it_is_gone(figure):
    figure.page.evaluate("stops.forEach((stop) => stop())")
    assert figure.page.locator(".inorder-figure").count() == 0
    assert figure.page.evaluate("Object.values(model.listeners).flat().length") == 0
    figure.page.wait_for_timeout(100)
    assert figure.page.evaluate("[document.getAnimations().length, lasting().frames, lasting().timers]") == [0, 0, 0]
    for _ in range(30):
        figure.page.wait_for_timeout(100 * len(figure.page.workers))
    assert figure.page.workers == []
    figure.drive(**another_state(figure.name))


@pytest.mark.parametrize("name", FIGURES)
def test_the_largest_fits_a_dark_phone_and_its_words_are_only_text(mount, name):
    figure = mount(largest(name), color_scheme="dark", **PHONE)
    expect(figure.summary).to_have_text(figure.python.summary())
    assert figure.page.evaluate(FITS)
    figure.figure.evaluate(OPEN)
    figure.page.wait_for_timeout(150)
    assert figure.page.evaluate(FITS)
    assert "is-dark" in figure.figure.get_attribute("class")
    assert figure.figure.locator("u").count() == 0
    assert figure.figure.evaluate(SMALL) == []
    assert violations(figure.page, ".inorder-figure") == []
