"""Each mark of `interact`: what the page shows of a state, how it is moved by hand, its still, and what it refuses."""

from collections.abc import Callable, Iterator
from functools import wraps
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import pytest
from playwright.sync_api import expect

from harness.figure import MountedFigure
from inorder.attention import softmax
from inorder.widgets import interact, marks

WORDS = ["<b>dog</b>", "bites", "man"]
ORDERS = {" ".join(WORDS[i] for i in order): order for order in permutations(range(3))}
DOG_LAST, DOG_SECOND = "bites man <b>dog</b>", "bites <b>dog</b> man"
MIXED = np.array([[0.5, 0.3, 0.2], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8]])
ROWS = np.array([[1.0, 0.0], [0.5, 2.0], [0.0, 0.0]])


def bars(height=2):
    return marks.bars([height, 1.0], ["one", "two"], limits=(0, 10))


def heat_map(query=0, key=0):
    values = np.arange(12.0).reshape(3, 4) + query + key
    return marks.heat_map(values, ["a", "b", "c"], axes=("query", "key"), digits=None, drag=("query", "key"))


def points(x=0, y=0):
    limits = {"x_limits": (-1, 5), "y_limits": (-1, 5), "equal": False}
    return marks.points([[x, y], [4.5, 4.5]], ["it", ""], drag=("x", "y"), **limits)


def lines(at=2.0):
    x = np.arange(5.0)
    return marks.lines(x, {"up": x}, bands={"up": (x - 1, x + 1)}, levels={"three": 3}, handle=at, drag="at")


def threads(across=1.0, up=0.0):
    shares = softmax(2 * ROWS @ [across, up])
    plane = marks.threads(2 * ROWS, shares, WORDS, axes=("creature", "place"), x_limits=(-1, 3))
    return plane + marks.arrows([[across, up]], ["it asks"], actor="query", drag=("across", "up"))


def space(around=30, above=0):
    corners = marks.points([[0, 0, 0], [3, 0, 0], [0, 2, 0], [0, 0, 1]], ["o", "x", "y", "z"])
    return marks.space(corners, view=(around, above), turn=("around", "above"))


def sentence(order=(0, 1, 2), asks=2):
    words, place = [WORDS[token] for token in order], list(order).index(asks)
    weights = {"all": MIXED[np.ix_(order, order)], "one": MIXED[asks, list(order)]}
    return marks.sentence(words, weights, order=order, asks=place, notes=[0, 1, ""], drag="order")


def crossing(order=(0, 1, 2)):
    kept = [place == word for place, word in enumerate(order)]
    notes = ["=" if one else "≠" for one in kept]
    rows = (ROWS, ROWS[list(order)] * 0.5)
    return marks.crossing(WORDS, [WORDS[i] for i in order], order, rows=rows, kept=kept, notes=notes, drag="order")


def mirror(order=(0, 1, 2), sign=False):
    offsets = np.argsort(order) - np.argsort(order)[:, None]
    left, right = (offsets, -offsets) if sign else (abs(offsets), abs(offsets))
    return marks.mirror(WORDS, order, left, right, limits=(-2, 2), drag="order")


def ink(asks=1, sharpness=1.0):
    weights = softmax(-sharpness * np.abs(np.arange(6) - asks + 1.0))
    return marks.ink("the tired animal fell asleep soon", weights, asks=asks, target=0, drag="asks")


def stream(word="bites"):
    return marks.stream([np.tril(MIXED)] * 2, WORDS, inked=WORDS.index(word), drag="word")


def program(line=1, word=WORDS[0]):
    inked = WORDS.index(word)
    shares = np.stack([np.eye(3)[inked], np.eye(3)[inked], MIXED[:, inked], 0.5 * (MIXED + np.eye(3))[:, inked]])
    weights = np.stack([np.eye(3), MIXED, np.eye(3)])
    code = ["y = norm(x)", "z = mix(y)", "x = x + z"]
    return marks.program(code, WORDS, weights, shares, lit=line, inked=inked, adds={2: 0}, drag=("line", "word"))


def projections(word="bites"):
    matrices = np.arange(12.0).reshape(3, 2, 2)
    axes = ("creature", "place", "warm", "large")
    return marks.projections(ROWS, WORDS, WORDS.index(word), matrices, row_axes="is does", axes=axes, drag="word")


def blocks(block=0):
    row, column = divmod(block, 2)
    kept = {"m": np.arange(6.0) - 3, "sum": np.arange(6.0) + column}
    return marks.blocks(np.array([[1.0, 0.5], [0.25, 0.0]]) / (block + 1), (row, column), (3, 2), kept, drag="block")


def cakes(word="bites", pull=0.0):
    scores = np.array([[1.0, 0, 2], [0, 0, 1], [2, 1, 0]])
    scores[1, WORDS.index(word)] += pull
    return marks.cakes(softmax(scores), WORDS, held=1, first=WORDS.index(word), drag=("word", "pull"))


def clocks(position=3, steps=2):
    places = np.array([position, position + steps])
    hands = dict(zip(["here", "there"], np.outer(places, [0.1, 0.5, 2.0]), strict=True))
    text = {"text": [f"w{i}" for i in range(24)], "places": places.tolist(), "drag": ("position", "steps")}
    return marks.clocks(hands, "slow middle fast", wedge=True, **text)


def diagram(door="shut"):
    boxes = {"X": (10, 50), "W/keys": (30, 50), "K": (50, 50), "V": (50, 90), "Y": (90, 50)}
    arrows = [("X", "W/keys"), ("W/keys", "K"), ("X", "V"), ("K", "Y"), ("V", "Y")]
    doors = {"rows": (10, 90, ["X"]), "keys": (50, 10, ["K"]), "matrix": (30, 10, ["W/keys"])}
    opened = door if door in doors else ""
    return marks.diagram(boxes, arrows, doors, opened=opened, details={"X": "the rows"}, small=["W/keys"], drag="door")


Gesture = Callable[[MountedFigure], None]


def press(selector: str, *keys: str) -> Gesture:
    def pressed(figure):
        for key in keys:
            figure.figure.locator(selector).first.press(key)

    return pressed


def click(selector: str) -> Gesture:
    return lambda figure: figure.figure.locator(selector).first.click()


def drag(start: str, end: str, at: tuple[float, float] = (0.5, 0.5)) -> Gesture:
    """What is dragged is under the hand at the end, which had taken it beside its middle."""

    def dragged(figure):
        beside, [mouse, goal] = np.array([3, -2]), [figure.page.mouse, figure.middle(end, at)]
        mouse.move(*figure.middle(start) + beside)
        mouse.down()
        mouse.move(*goal + beside, steps=8)
        held = figure.figure.locator(":is(.is-held, .is-dragged)")
        if held.count():  # it goes no farther than its states
            assert np.abs(figure.middle(":is(.is-held, .is-dragged)") - goal).min() < 8
            assert "".join(figure.figure.locator(".inorder-tag").all_text_contents()) == "", "no tag covers it"
        mouse.up()

    return dragged


class Case(NamedTuple):
    """A mark, from which state the page goes to which other, what the hand does there, and what the still has."""

    make: Callable[..., marks.Mark]
    controls: dict[str, Any]
    other: dict[str, Any]  # a state
    numbers: dict[str, str]  # the name of what the page holds: of the mark's part
    hand: list[tuple[Gesture, dict[str, Any]]]  # each with the state that it leads to
    told: str  # by the alternative text, at the start
    drawn: list[str]  # among the words of the still
    read: tuple[str, ...] = ()  # by the keys → and ↓, and then in the other state
    pointed: tuple[str, str] = ("", "")  # at what, and what is read there


CASES = [
    Case(
        bars,
        {"height": (0, 10)},
        {"height": 5},
        {"0.values": "values"},
        [(press("role=slider[name='height'] >> visible=true", "ArrowLeft"), {"height": 1})],
        "one 2.00, two 1.00",
        ["one", "2.00"],
    ),
    Case(
        heat_map,
        {"query": (0, 2), "key": (0, 3)},
        {"query": 2, "key": 1},
        {"0.values": "values"},
        [
            (click("[data-row='2'][data-col='1']"), {"query": 2, "key": 1}),
            (drag("[data-row='0'][data-col='0']", "[data-row='1'][data-col='3']"), {"query": 1, "key": 3}),
        ],
        "A map of 3 (query) × 4 (key) cells",
        [],
        ("query a, key 1: 1.00", "query b, key 1: 5.00", "query b, key 1: 8.00"),
        ("[data-row='2'][data-col='1']", "query c, key 1: 9.00"),
    ),
    Case(
        points,
        {"x": (0, 4), "y": (0, 4)},
        {"x": 1, "y": 3},
        {},
        [
            (drag("role=slider[name='Drag it']", ".inorder-plane"), {"x": 2, "y": 2}),
            (press("role=slider[name='Drag it']", "ArrowLeft", "ArrowDown"), {"x": 1, "y": 1}),
            (press("role=slider[name='Drag it']", "Home"), {"x": 0, "y": 1}),
        ],
        "2 points (among them it)",
        ["it"],
    ),
    Case(
        lines,
        {"at": (0, 4, 1)},
        {"at": 3},
        {},
        [
            (drag(".inorder-handle", ".inorder-plane", (0.27, 0.5)), {"at": 1}),
            (press(".inorder-handle", "ArrowRight"), {"at": 2}),
        ],
        "1 curve (up)",
        ["up"],
        ("up: x 1, y 1", "up: x 1, y 1", "up: x 1, y 1"),
    ),
    Case(
        threads,
        {"across": (0, 2, 0.5), "up": (0, 2, 0.5)},
        {"across": 0.5, "up": 1.0},
        {"0.0.shares": "shares"},
        [
            (drag("role=slider", ".inorder-thread-word:has-text('bites')"), {"across": 1.0, "up": 2.0}),
            (press("role=slider", "ArrowRight"), {"across": 1.5, "up": 2.0}),
        ],
        "3 threads (<b>dog</b> 0.67, bites 0.24, man 0.09)",
        ["bites"],
        ("bites: share 0.24", "it asks: creature 1, place 0", "it asks: creature 0.50, place 1"),
        (".inorder-thread-word:has-text('man')", "man: share 0.09"),
    ),
    Case(
        space,
        {"around": (0, 90, 15), "above": (0, 90, 10)},
        {"around": 60, "above": 20},
        {},
        [
            (
                lambda figure: figure.drag(figure.middle("svg"), figure.middle("svg") + np.array([43, 34])),
                {"around": 45, "above": 20},
            ),
            (press(".inorder-space", "ArrowLeft", "ArrowUp"), {"around": 30, "above": 30}),
        ],
        "Space, turned by 30° and seen from 0° above, with 4 points (o, x, y, z)",
        ["o", "z"],
    ),
    Case(
        sentence,
        {"order": ORDERS, "asks": (0, 2)},
        {"order": DOG_LAST, "asks": 1},
        {},
        [
            (drag(".inorder-tile:has-text('dog')", ".inorder-tile:has-text('man')"), {"order": DOG_LAST, "asks": 2}),
            (press(".inorder-tile:has-text('dog')", "ArrowLeft"), {"order": DOG_SECOND, "asks": 2}),
        ],
        "one: man to man 0.80",
        ["<b>dog</b>\n0", "bites\n1", "man"],
        ("all: <b>dog</b> → bites 0.30", "all: bites → bites 0.60", "all: man → man 0.80"),
    ),
    Case(
        crossing,
        {"order": ORDERS},
        {"order": DOG_SECOND},
        {},
        [
            (drag(".inorder-tile:has-text('dog')", ".inorder-tile:has-text('man')"), {"order": DOG_LAST}),
            (press(".inorder-tile:has-text('dog')", "Home"), {"order": " ".join(WORDS)}),
        ],
        "whole are those of <b>dog</b>, bites, man",
        [*WORDS, "man\n="],
    ),
    Case(
        mirror,
        {"order": ORDERS, "sign": False},
        {"order": DOG_SECOND, "sign": True},
        {"0.left": "left", "0.right": "right"},
        [
            (
                drag("[aria-label^='The text, “<b>dog']", "[aria-label^='The text, “bites']"),
                {"order": DOG_SECOND, "sign": False},
            ),
            (press("[aria-label^='Its mirror image, “<b>dog']", "End"), {"order": " ".join(WORDS), "sign": False}),
        ],
        "its mirror image “man bites <b>dog</b>”, with one table",
        [*WORDS, "2"],
    ),
    Case(
        ink,
        {"asks": (0, 5), "sharpness": (0.0, 4.0, 1.0)},
        {"asks": 4, "sharpness": 2.0},
        {"0.weights": "weights"},
        [
            (drag(".inorder-handle", ".inorder-ink-word:nth-child(5)"), {"asks": 4, "sharpness": 1.0}),
            (click(".inorder-word >> nth=1"), {"asks": 1, "sharpness": 1.0}),
            (press(".inorder-handle", "ArrowRight"), {"asks": 2, "sharpness": 1.0}),
        ],
        "“tired” asks. Ink under the 0.63, tired 0.23, animal 0.09.",
        ["tired", "0.63"],
        ("tired: 0.23", "tired: 0.23", "tired: 0.01"),
    ),
    Case(
        stream,
        {"word": WORDS},
        {"word": "man"},
        {},
        [
            (click("[data-row='2'][data-col='2']"), {"word": "man"}),
            (drag("[data-row='2'][data-col='2']", "[data-row='0'][data-col='1']"), {"word": "bites"}),
            (drag("role=slider[name='Drag word']", ".is-word:has-text('dog')"), {"word": WORDS[0]}),
            (press("role=slider[name='Drag word']", "ArrowRight"), {"word": "bites"}),
        ],
        "At the end <b>dog</b> has 0.00 of bites, bites has 0.36 of bites",
        ["0.36"],
        ("2, bites: 0.36 of bites", "1, bites: 0.60 of bites", "1, bites: 0.00 of man"),
        ("[data-row='1'][data-col='2']", "1, man: 0.10 of bites"),
    ),
    Case(
        program,
        {"line": {str(n): n for n in range(4)}, "word": WORDS},
        {"line": "2", "word": "man"},
        {"0.values": "values"},
        [
            (
                drag("role=slider[name='Drag the last line that is lit']", ".inorder-program", (0.5, 0.97)),
                {"line": "3", "word": WORDS[0]},
            ),
            (press("role=slider[name='Drag the last line that is lit']", "ArrowUp"), {"line": "2", "word": WORDS[0]}),
            (press("role=slider[name='Drag the inked word']", "ArrowRight"), {"line": "2", "word": "bites"}),
            (click("text=man"), {"line": "2", "word": "man"}),
            (click("text=norm"), {"line": "1", "word": "man"}),
        ],
        "1 of 3 lines of code are lit, the last “y = norm(x)”",
        ["z = mix(y)", *WORDS],
        (
            "before, row of “bites”: 0.00 of “<b>dog</b>”",
            "y = norm(x), row of “bites”: 0.00 of “<b>dog</b>”",
            "y = norm(x), row of “bites”: 0.00 of “man”",
        ),
    ),
    Case(
        projections,
        {"word": WORDS},
        {"word": "man"},
        {"0.landed": "landed"},
        [
            (click(".inorder-row-of >> nth=0"), {"word": WORDS[0]}),
            (drag("role=slider[name='Drag the row']", ".inorder-row-of >> nth=2"), {"word": "man"}),
            (press("role=slider[name='Drag the row']", "ArrowUp"), {"word": "bites"}),
        ],
        "query (4.0, 6.5), key (14.0, 16.5) and value (24.0, 26.5)",
        ["◆ (4.0, 6.5)"],
    ),
    Case(
        blocks,
        {"block": {f"{i + 1} of 6": i for i in range(6)}},
        {"block": "4 of 6"},
        {"0.values": "values"},
        [
            (drag(".inorder-handle", ".is-table", (0.8, 0.8)), {"block": "6 of 6"}),
            (press(".inorder-handle", "ArrowLeft"), {"block": "5 of 6"}),
        ],
        "only the block of 2 × 2 in row 0 and column 0 is there",
        ["m", "−3.00", "sum"],
        ("queries 0: m −3.00, sum 0.00", "queries 1: m −2.00, sum 1.00", "queries 1: m −2.00, sum 2.00"),
    ),
    Case(
        cakes,
        {"word": WORDS, "pull": {f"{pull:g}": float(pull) for pull in range(-2, 5)}},
        {"word": "man", "pull": "3"},
        {"0.values": "values"},
        [
            (click("[data-row='1'][data-col='2']"), {"word": "man", "pull": "0"}),
            (press(".inorder-handle", "ArrowUp"), {"word": "man", "pull": "1"}),
            (press(".inorder-handle", "ArrowLeft"), {"word": "bites", "pull": "1"}),
        ],
        "3 cakes, each cut into 3 slices. Eaten in all: <b>dog</b>",
        WORDS,
        (
            "“<b>dog</b>” gives “<b>dog</b>” 0.24",
            "“bites” gives “<b>dog</b>” 0.21",
            "“bites” gives “<b>dog</b>” 0.02",
        ),
    ),
    Case(
        clocks,
        {"position": (2, 20), "steps": (-2, 3)},
        {"position": 20, "steps": -2},
        {},
        [
            (press("role=slider[name='Drag the text']", "ArrowRight", "ArrowUp"), {"position": 5, "steps": 2}),
            (press("role=slider[name='Drag there']", "ArrowRight"), {"position": 5, "steps": 3}),
        ],
        "3 clocks. here at 17°, 86°, 344°; there at 29°, 143°, 213°. here: “w3” at 3; there: “w5” at 5.",
        ["slow", "w5"],
        (
            "middle: here 86°, there 143°, on by 57°",
            "middle: here 86°, there 143°, on by 57°",
            "middle: here 213°, there 156°, back by 57°",
        ),
        (".inorder-face >> nth=1", "middle: here 86°, there 143°, on by 57°"),
    ),
    Case(
        diagram,
        {"door": ["shut", "rows", "keys", "matrix"]},
        {"door": "matrix"},
        {"0.boxes": "box_depths", "0.ways": "way_depths"},
        [
            (click("role=button[name='keys']"), {"door": "keys"}),
            (press("role=button[name='rows']", "Enter"), {"door": "rows"}),
            (press("role=button[name='rows']", "Enter"), {"door": "shut"}),
        ],
        "A drawing of boxes and arrows: X, the rows; W; K; V; Y. All doors are shut.",
        ["X\nthe rows", "W", "rows", "keys", "matrix"],
    ),
]


TOLD_ALIKE = [cakes, clocks, diagram, ink, program, sentence]  # by the page, too
NUMBERS = "all => all.map(({ dataset }, i) => [+(dataset.row ?? i), +(dataset.col ?? 0), +dataset.value])"
# How many pictures are drawn one after the other on the way to a state.
PICTURES = """(state) => new Promise((resolve) => {
  const [panels, drawn] = [document.querySelector(".inorder-panels"), []];
  const look = () => {
    drawn.push(panels.outerHTML);
    if (drawn.length === 30) resolve(new Set(drawn).size);
    else requestAnimationFrame(look);
  };
  for (const [name, part] of Object.entries(state)) model.set(name, part);
  look();
})"""


def described(make):
    """A function as `interact` takes it."""

    @wraps(make)
    def shown(**state):
        return make(**state), marks.answer(f"Now {state}.")

    shown.__doc__ = "What is there?"
    return shown


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case.make.__name__)
def case(request) -> Case:
    return request.param


@pytest.fixture(scope="module")
def figure(pages, case) -> Iterator[MountedFigure]:
    """One page a mark, for the tests below."""
    yield MountedFigure(pages(), interact(described(case.make), **case.controls))
    assert pages.trouble == []


@pytest.fixture(autouse=True)
def at_the_start(request):
    if "figure" in request.fixturenames:
        figure = request.getfixturevalue("figure")
        figure.page.emulate_media(reduced_motion="reduce")
        figure.page.mouse.move(0, 0)
        figure.python.reset()
        figure.drive(**figure.python.state)


def test_the_page_and_the_still_show_what_the_function_returns(figure, case):
    for state in (figure.python.state, case.other):
        figure.drive(**state)
        figure.python.set_state(state)
        now = {control.name: control.value(state[control.name]) for control in figure.python.settings}
        mark = case.make(**now)
        for name, part in case.numbers.items():
            expected = {**mark.parts, **mark.parts.get("layers", [{}])[0]}[part]
            shown = sorted(figure.figure.locator(f'[data-name="{name}"]').evaluate_all(NUMBERS))
            np.testing.assert_allclose([number for *_, number in shown], np.ravel(expected), rtol=1e-6, err_msg=name)
        assert figure.summary.text_content() == figure.python.summary()
        if case.make in TOLD_ALIKE:
            (label, *_) = figure.figure.locator(".inorder-panels [aria-label]").all()
            told = label.get_attribute("aria-label").partition(" Arrow keys read")[0]
            assert told.lower() in figure.python.alt_text().lower()
    assert figure.figure.locator("b").count() == 0, "a word is text"
    figure.python.reset()
    assert case.told in figure.python.alt_text()
    texts = [text.get_text() for text in figure.python.figure().findobj(lambda one: hasattr(one, "get_text"))]
    assert set(case.drawn) <= set(texts)


def test_the_hand_and_the_keys_set_its_arguments(figure, case):
    for gesture, state in case.hand:
        gesture(figure)
        assert figure.sync().state == state
    assert figure.page.evaluate("String(getSelection())") == ""
    if case.make is not stream:  # words and orders are set in the picture
        assert figure.figure.locator("select:visible, fieldset:visible").count() == 0


def test_the_keys_and_the_pointer_read_it_out(figure, case):
    tag = figure.figure.locator(".inorder-tag")
    if case.read:
        picture, read = figure.figure.locator(":is([role=application], .inorder-cells)"), []
        picture.press("Escape")
        picture.press("ArrowRight")  # to the first
        for key in ("ArrowRight", "ArrowDown"):
            picture.press(key)
            read.append(tag.text_content())
        figure.drive(**case.other)
        assert (*read, tag.text_content()) == case.read, "what is read follows the state"
    at, words = case.pointed
    if at:
        figure.drive(**figure.python.state)
        figure.page.mouse.move(*figure.middle(at))
        assert tag.text_content() == words
        assert figure.sync().state == figure.python.initial_state, "to point is not to choose"


@pytest.mark.flaky(reruns=1, reason="counts frames of an animation, and a busy machine leaves some out")
def test_it_glides_unless_less_motion_is_asked_for(figure, case):
    assert figure.page.evaluate(PICTURES, case.other) <= 2
    figure.page.emulate_media(reduced_motion="no-preference")
    assert (figure.page.evaluate(PICTURES, figure.python.state) > 3) == (case.make is not diagram)


# ----------------------------------------------------------------------------- what is drawn is as large as its number


WIDTHS = "all => all.map((one) => one.getBoundingClientRect().width)"
STROKES = "all => all.map((one) => parseFloat(getComputedStyle(one).strokeWidth))"


def test_the_area_of_a_blot_is_its_weight_and_the_largest_is_printed(mount):
    mounted = mount(interact(described(ink), asks=(0, 5), sharpness=(0.0, 4.0, 1.0)))
    weights = ink().parts["weights"]
    areas = np.array(mounted.figure.locator(".inorder-blot").evaluate_all(WIDTHS)) ** 2
    np.testing.assert_allclose(areas / areas.sum(), weights, atol=2e-3)
    assert "".join(mounted.figure.locator(".inorder-ink-share").all_inner_texts()) == "0.63"
    mounted.drive(sharpness=0.0)
    expect(mounted.figure.locator(".inorder-ink-share", has_text=".")).to_have_count(0)  # a tie of six


def test_a_thread_is_as_wide_as_its_share_and_the_widest_has_its_number(mount):
    mounted = mount(interact(described(threads), across=(0, 2, 0.5), up=(0, 2, 0.5)))
    widths = np.array(mounted.figure.locator(".inorder-thread").evaluate_all(STROKES))
    first, second, third = softmax(2 * ROWS @ [1.0, 0.0])
    assert (widths[0] - widths[1]) / (widths[1] - widths[2]) == pytest.approx(
        (first - second) / (second - third), rel=1e-3
    )
    assert mounted.figure.locator(".inorder-thread-number").all_text_contents() == ["0.67", "", ""]


def test_equal_tables_lie_on_each_other_and_others_apart(mount):
    mounted = mount(interact(described(mirror), order=ORDERS, sign=False))
    corners = ['[data-name="0.left"]', '[data-name="0.right"]']
    assert mounted.middle(corners[0]) == pytest.approx(mounted.middle(corners[1]), abs=0.5)
    mounted.page.emulate_media(reduced_motion="reduce")
    mounted.drive(sign=True)
    assert mounted.middle(corners[1])[0] - mounted.middle(corners[0])[0] > 300


def test_words_that_no_hand_moves_are_plain_and_read_with_their_notes(mount):
    def still(round: int = 0) -> list[marks.Mark]:
        """Where does each word go?"""
        line = marks.crossing("dog bites", "bites dog", [1, 0], notes=["=", ""])
        return [line, marks.mirror("dog bites", [1, 0], MIXED[:2, :2], MIXED[:2, :2])]

    panels = mount(interact(still, round=(0, 1))).figure.locator(".inorder-panels")
    assert panels.locator("button, [tabindex]").count() == 0
    assert (
        panels.locator(".inorder-mirror .inorder-tile").first.evaluate("tile => getComputedStyle(tile).cursor")
        == "auto"
    )
    assert panels.get_by_role("img", name="“bites”, =").count() == 1


def test_a_block_stands_at_its_place_in_the_whole_table(mount):
    mounted = mount(interact(described(blocks), block=(0, 5), start={"block": 4}))
    expected = mounted.middle(".is-table", (0, 2 / 3))
    assert mounted.middle('[data-name="0.values"]', (0, 0)) == pytest.approx(expected, abs=1)


# ------------------------------------------------------------------------------------------------------ what is refused


def bars_alone(x=1):
    """Bars"""
    return marks.bars([x])


ONES, HALF = np.ones((2, 2)), np.array([0.0, 3.0])
# One for each kind of check, and one for each rule of a mark alone.
WRONG = [
    (lambda: marks.bars([1.0, np.nan]), r"bars: values must be finite, got nan at \[1\]"),
    (lambda: marks.bars([1, 2], ["a"]), "bars: expected 2 labels, got 1: a"),
    (lambda: marks.bars([1.0], ["\ud83d"]), "labels must be whole characters"),
    (lambda: marks.bars({}), "expected 1 to 3 series, got 0"),
    (lambda: marks.bars({"a": [1], "b": [1, 2]}), "every series must have 1 values like the first, but 'b' has 2"),
    (lambda: marks.bars([1, 2], columns={"score": [1]}), "column 'score' must have 2 cells, got 1"),
    (lambda: marks.bars([1], actor="token"), "actor must be one of query, key, value, position, ink, got 'token'"),
    (lambda: marks.stream([ONES / 2], drag=("a", "b")), "drag must name up to 1 arguments"),
    (lambda: marks.lines([1, 2], ["a", "b"]), "lines: y must be numbers, got"),
    (lambda: marks.lines([1, 2], {"a": [1, 2]}, bands={"b": (HALF, HALF)}), "bands must name curves, a, got b"),
    (lambda: marks.lines(np.zeros((2, 3)), handle=1), "a handle belong to a plane, and x without y to space"),
    (lambda: marks.lines([0, 2], [1, 2], log="x"), "a logarithmic axis needs positive numbers, got x = 0"),
    (lambda: marks.lines([1], [1], log="x") + marks.points(ONES), "need the same log axes, got 'x' and ''"),
    (lambda: marks.bars([1]) + marks.points(ONES), "only lines, points and arrows lie in one plane, got bars"),
    (lambda: marks.points([[1, 2, 3, 4]]), r"xy must have shape \(n, 2\), or \(n, 3\) in space, got \(1, 4\)"),
    (lambda: marks.points(np.eye(3), log="x"), r"belong to a plane, and shape \(n, 3\) to space"),
    (lambda: marks.space(marks.points(np.eye(3)), view=(0, 100)), "above from −90 to 90, got"),
    (lambda: marks.heat_map([[np.nan]]), r"heat_map: values may not be NaN, got nan at \[0, 0\]"),
    (lambda: marks.heat_map(np.zeros((2000, 1000))), "up to 1048576 cells, got 2000 × 1000"),
    (lambda: marks.heat_map(np.ma.masked_array([[1.0]], mask=[[1]])), "without a mask, got a masked array"),
    (lambda: marks.heat_map([[2**53 + 1]]), r"whole numbers up to 2\*\*53, got 9007199254740993"),
    (lambda: marks.table({"a": [1]}, digits={"b": 0}), "table: digits must name columns, a, got b"),
    (lambda: marks.answer("yes", "!"), "answer: sign must be =, ≠, ✓, × or None, got '!'"),
    (lambda: marks.cakes([[0.5, 0.6], [0.5, 0.5]], ["a", "b"]), "the slices of a row must sum to 1"),
    (lambda: marks.clocks({}), "expected 1 to 3 hands, got 0"),
    (lambda: marks.clocks(HALF, lengths=[1, 2]), "lengths must lie from 0 to 1"),
    (lambda: marks.clocks(HALF, wedge=True), "a wedge lies between two hands, got 1"),
    (lambda: marks.clocks(HALF, wheels=[1, 0.5]), "wheels must be whole numbers, got 0.5"),
    (lambda: marks.clocks(HALF, text="a b"), "a place for each of 1 hands, and no text none, got none"),
    (lambda: marks.sentence("a b", np.ones((2, 3))), r"a row and a column for each of 2 words, got \(2, 3\)"),
    (lambda: marks.sentence("a b", order=[0, 2]), "order must be a permutation of 0 to 1, got"),
    (lambda: marks.sentence("a", {name: [[1]] for name in "abc"}), "one or two rounds, got 3"),
    (lambda: marks.ink("a b", [1, 0], drag="x"), "drag moves the word that asks, but asks is None"),
    (lambda: marks.crossing("a b", "b a", [1, 1]), "order must hold places from 0 to 1, each at most once"),
    (lambda: marks.crossing("a b", "b c", [1, -1], drag="x"), "drag needs the same words above and below"),
    (lambda: marks.diagram({"X": (1, 1)}, [("X", "Z")], {}), r"must lead to boxes, X, got \['Z'\]"),
    (
        lambda: marks.program(["y"], ["a", "b"], [ONES / 2], ONES / 2, lit=2, inked=0),
        "up to 1 lit lines and one of 2 rows",
    ),
    (
        lambda: marks.program(["y"], ["a", "b"], [ONES / 2], ONES / 2, lit=1, inked=0, adds={0: 1}),
        "a line adds what was there before it",
    ),
    (lambda: marks.stream(np.ones((1, 2, 3))), r"weights must have shape \(layer, row, row\), got \(1, 2, 3\)"),
    (lambda: marks.stream([np.eye(30)] * 20), "up to 400 cells, got 21 × 30"),
    (lambda: marks.stream([np.eye(20)] * 3), "up to 1024 threads, got 1200: try threads=False"),
    (
        lambda: marks.projections(-ONES, "a b", 0, np.ones((3, 2, 2)), row_axes="c d", axes="e f g h"),
        "no number may be negative, got -1",
    ),
    (lambda: marks.blocks([[1.0]], (0, 2), (1, 1), {"m": [1.0]}), r"at must be one of 1 × 1 blocks, got \(0, 2\)"),
]


@pytest.mark.parametrize(("make", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_cannot_be_drawn_is_named(types_unchecked, make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "states", "message"),
    [
        (lambda x: marks.points([[x, 0]], drag="z"), (0, 2), "drag must name an argument with a control, x, got 'z'"),
        (lambda x: marks.heat_map(ONES, drag="x"), (0, 2), "drag expected 3 rows, one for each x, got 2"),
        (lambda x: marks.stream([ONES / 2], drag="x"), (0, 2), "drag expected 3 columns, one for each x, got 2"),
    ],
)
def test_a_mark_sets_an_argument_with_as_many_states_as_it_has_places(make, states, message):
    def shown(x=0):
        """Refused"""
        return make(x)

    with pytest.raises(ValueError, match=message):
        interact(shown, x=states)
    with pytest.raises(ValueError, match="by_hand must name what a mark sets that is dragged or turned, got x"):
        interact(bars_alone, x=(0, 2), by_hand=["x"])
