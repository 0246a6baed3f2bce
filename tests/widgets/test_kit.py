"""The kit's JavaScript, function by function: its arithmetic against inorder, its words and colours against twin.py."""

import string

import matplotlib.colors
import numpy as np
import pytest
import traitlets

import inorder.widgets
from inorder import attention
from inorder.encodings import sinusoidal_encoding
from inorder.palette import LIGHT
from inorder.widgets.kit import twin
from inorder.widgets.kit.figure import InteractiveFigure
from inorder.widgets.kit.model_state import numbers_from_text

CLOSE = {"rtol": 0, "atol": 1e-9}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_matmul(kit, rng):
    a, b = rng.normal(size=(3, 5)), rng.normal(size=(5, 2))
    np.testing.assert_allclose(kit("matmul", a, b), a @ b, **CLOSE)


@pytest.mark.parametrize("size", [1.0, 1000.0])
def test_softmax(kit, rng, size):
    x = size * rng.normal(size=7)
    x[2] = -np.inf
    np.testing.assert_allclose(kit("softmax", x), attention.softmax(x), **CLOSE)
    assert kit("softmax", x)[2] == 0


def test_softmax_of_nothing_visible(kit):
    with pytest.raises(Exception, match="every entry is masked"):
        kit("softmax", [-np.inf, -np.inf])


@pytest.mark.parametrize("scale", [None, 1.0, 0.3])
def test_attention(kit, rng, scale):
    query, key, value = rng.normal(size=(3, 4)), rng.normal(size=(5, 4)), rng.normal(size=(5, 2))
    bias = rng.normal(size=(3, 5))
    mask = rng.random((3, 5)) < 0.6
    mask[:, 1] = True
    arguments = {} if scale is None else {"scale": scale}
    both = {"mask": mask, "bias": bias}
    scores = attention.attention_scores(query, key, scale=scale)
    np.testing.assert_allclose(kit("attentionScores", query, key, arguments), scores, **CLOSE)
    np.testing.assert_allclose(kit("maskedScores", scores, both), np.where(mask, scores + bias, -np.inf), **CLOSE)
    for options in ({}, {"mask": mask}, {"bias": bias}, both):
        np.testing.assert_allclose(
            kit("attentionWeights", query, key, arguments | options),
            attention.attention_weights(query, key, scale=scale, **options),
            **CLOSE,
        )
        np.testing.assert_allclose(
            kit("scaledDotProductAttention", query, key, value, arguments | options),
            attention.scaled_dot_product_attention(query, key, value, scale=scale, **options),
            **CLOSE,
        )


@pytest.mark.parametrize("sizes", [(1,), (4,), (2, 5)])
def test_causal_mask(kit, sizes):
    assert kit("causalMask", *sizes) == attention.causal_mask(*sizes).tolist()


@pytest.mark.parametrize("base", [None, 100.0])
def test_sinusoidal_encoding(kit, base):
    positions, arguments = [0, 1, 7, 1000], {} if base is None else {"base": base}
    expected = sinusoidal_encoding(np.array(positions), 10, **arguments)
    np.testing.assert_allclose(kit("sinusoidalEncoding", positions, 10, arguments), expected, **CLOSE)


def test_numbers_from_text(kit):
    for text in ["", "dog", "Dog", "naïve", "犬", "🐈🐈", "\ud83d", "x" * 500]:
        assert kit("numbersFromText", text, 12) == numbers_from_text(text, 12)


def test_largest_magnitude(kit, rng):
    a, b = 3 * rng.normal(size=(3, 5)), rng.normal(size=(5, 2))
    a[0, 0] = -np.inf
    assert kit("largestMagnitude", a, b) == max(1, np.abs(a[np.isfinite(a)]).max(), np.abs(b).max())
    assert kit("largestMagnitude", [[0.25]]) == 1


def test_numbers_read_the_same_in_python(kit, rng):
    ties = [0.125, -0.125, 0.375, 2.5, 1.005, -0.001, 0.0, -0.0, 999.995, np.inf, -np.inf]
    for x in [*ties, *(10.0 ** rng.uniform(-4, 3, size=20) * rng.choice([-1, 1], size=20))]:
        for digits in (1, 2):
            assert kit("formatNumber", float(x), digits) == twin.format_number(x, digits), x


def test_differences_read_the_same_in_python(kit, rng):
    for x in [0.0, 0.005, 0.00499, 1e-16, 9.6e-13, 1.5, *(10.0 ** rng.uniform(-18, 1, size=30))]:
        assert kit("formatDifference", float(x)) == twin.format_difference(x), x


def test_move_within(kit):
    for start, to in [(0, 3), (3, 0), (1, 2), (2, 2)]:
        expected = list("abcd")
        expected.insert(to, expected.pop(start))
        assert kit("moveWithin", list("abcd"), start, to) == expected


def test_what_is_kept_is_computed_anew_only_for_other_arguments(module_page):
    page = module_page("kit/kept.js")
    result = page.evaluate(
        """() => {
          let nComputed = 0;
          const sum = js.kept(({ a, b }, list) => ({ sum: a + b + list[0], nComputed: (nComputed += 1) }));
          const list = [3];
          const given = [[{ a: 1, b: 2 }, list], [{ a: 1, b: 2 }, list], [{ a: 2, b: 1 }, list], [{ a: 2, b: 1 }, [3]]];
          return given.map((each) => sum(...each));
        }"""
    )
    assert [(each["sum"], each["nComputed"]) for each in result] == [(6, 1), (6, 1), (6, 2), (6, 3)]


def test_words(kit):
    assert kit("equalsOrNearly", 0.25) == "="
    assert kit("equalsOrNearly", 1 / 3) == "≈"
    assert kit("subscript", 120) == "₁₂₀"
    assert kit("shorten", "attention", 6) == "atten…"
    assert kit("shorten", "🐈🐈🐈", 3) == "🐈🐈🐈"
    assert kit("tidy", 0.1 + 0.2) == 0.3


@pytest.mark.parametrize("dark", [False, True])
def test_every_colour_can_be_read(kit, dark):
    for amount in np.linspace(-1, 1, 41):
        for colour in (kit("divergingColour", amount, dark), kit("sequentialColour", abs(amount), dark)):
            fill = np.array([int(channel) for channel in colour["fill"][4:-1].split()]) / 255
            linear = np.where(fill <= 0.04045, fill / 12.92, ((fill + 0.055) / 1.055) ** 2.4)
            luminance = linear @ [0.2126, 0.7152, 0.0722]
            contrast = (1.05 / (luminance + 0.05)) if colour["ink"] == "#fff" else ((luminance + 0.05) / 0.05)
            assert contrast >= 4.5, (amount, colour)


def test_the_twin_has_the_same_colours(kit):
    for amount in (-1.0, -0.4, 0.0, 0.3, 1.0):
        pole = twin.POSITIVE if amount > 0 else twin.NEGATIVE
        for there, (fill, ink) in [
            (kit("divergingColour", amount, False), twin.blend(pole, abs(amount))),
            (kit("sequentialColour", abs(amount), False), twin.blend(LIGHT["ink"], abs(amount))),
        ]:
            channels = [int(channel) for channel in there["fill"][4:-1].split()]
            np.testing.assert_allclose(channels, 255 * np.array(fill), atol=0.51)
            assert matplotlib.colors.to_rgb(there["ink"]) == matplotlib.colors.to_rgb(ink)


DIAL = """
import { make, svgNode } from "../kit/elements.js";
import { radios, select, slider, toggle, wordsBox } from "../kit/inputs.js";
import { figureShell } from "../kit/shell.js";
import { render } from "../kit/vendor/lit.js";

const checks = { angle: (x) => typeof x === "number", unit: (x) => x === "turn" || x === "radian" };
const limits = { kind: "texts", fewest: 2, most: 3, shortest: 1, longest: 4, spaces: false };

function view({ model, el, page }) {
  const { controls, stage, change, notify, follow, answer, close } = figureShell({ model, el, page, checks });
  const drawing = svgNode("svg", { width: 40, height: 40 });
  drawing.append(svgNode("circle", { r: 9, cx: 20, cy: 20, class: "dial-circle" }));
  const hidden = make("p", { style: "display: none" }, "hidden");
  stage.append(drawing, make("canvas", { width: 30, height: 20 }), hidden);
  const hand = radios();
  follow(({ angle, unit, small, base, hands, words }) => {
    const set = (name) => (value) => change({ [name]: value });
    const turns = [["turn", "turns"], ["radian", "radians"]];
    const both = [["one", "one hand"], ["two", "two hands"]];
    render([
      slider({ label: "Angle", value: angle, low: 0.5, high: 6, step: 0.5, onInput: set("angle") }),
      select({ label: "Unit", value: unit, options: turns, onInput: set("unit") }),
      toggle({ label: "Small", value: small, onInput: set("small") }),
      slider({ label: "Base", value: base, low: 1, high: 10000, scale: "log", onInput: set("base") }),
      hand({ label: "Hands", value: hands, options: both, onInput: set("hands") }),
      wordsBox({ label: "Words", words, limits, claim: "A dial has", notify, onInput: set("words") }),
    ], controls);
    answer(`${angle} ${unit}`);
  });
  return close;
}

export default { render: view };
"""


@pytest.fixture
def dial(mount, tmp_path):
    """A widget of another author, on the kit."""
    (tmp_path / "view.js").write_text(DIAL, encoding="utf-8")
    (tmp_path / "style.css").write_text(".dial-circle { fill: rgb(1, 2, 3); }")

    class Dial(InteractiveFigure):
        folder = tmp_path
        state_names = ("angle", "unit", "small", "base", "hands", "words")
        title = traitlets.Unicode("<b>Dial</b>").tag(sync=True)
        angle = traitlets.Float(1.0).tag(sync=True)
        unit = traitlets.Unicode("turn").tag(sync=True)
        small = traitlets.Bool(False).tag(sync=True)
        base = traitlets.Float(100.0).tag(sync=True)
        hands = traitlets.Unicode("one").tag(sync=True)
        words = traitlets.List(["dog", "bit"]).tag(sync=True)

    return mount(Dial())


def test_controls(dial):
    box = dial.figure.get_by_label("Angle, as a number")
    box.fill("2.25")
    box.press("End")
    box.press("5")
    dial.figure.get_by_label("Unit").select_option("radians")
    dial.figure.get_by_label("Small").check()
    python = dial.sync()
    assert (python.angle, python.unit, python.small) == (2.255, "radian", True)
    assert dial.summary.inner_text() == "2.255 radian"
    slider = dial.figure.get_by_role("slider", name="Angle", exact=True)
    for key, angle in (("Home", 0.5), ("ArrowLeft", 0.5), ("ArrowRight", 1)):
        slider.press(key)
        assert dial.sync().angle == angle
    box.fill("")  # not a number, so nothing happens
    assert dial.sync().angle == 1
    dial.drive(angle=40)  # outside the slider, which makes room
    assert slider.input_value() == "40"


def test_a_logarithmic_slider(dial):
    slider = dial.figure.get_by_role("slider", name="Base", exact=True)
    assert float(slider.input_value()) == 2  # a hundred is halfway from one to ten thousand
    assert slider.get_attribute("aria-valuetext") == "100"
    slider.press("End")
    assert dial.sync().base == 10_000
    slider.evaluate("range => { range.value = 1.5; range.dispatchEvent(new Event('input')); }")
    assert dial.sync().base == 31.6  # three digits
    box = dial.figure.get_by_label("Base, as a number")
    box.fill("0")  # has no logarithm
    assert dial.sync().base == 31.6
    box.fill("1234.5")
    assert dial.sync().base == 1234.5
    box.fill("-5")
    assert box.input_value() == "-5"  # while it is being typed
    box.blur()
    assert (box.input_value(), dial.sync().base) == ("1234.5", 1234.5)


def test_radios(dial):
    group = dial.figure.get_by_role("group", name="Hands")
    assert group.get_by_role("radio", name="one hand").is_checked()
    group.get_by_role("radio", name="two hands").check()
    assert dial.sync().hands == "two"
    dial.page.keyboard.press("ArrowLeft")
    assert dial.sync().hands == "one"
    dial.drive(hands="two")
    assert group.get_by_role("radio", name="two hands").is_checked()


def test_words_are_typed(dial):
    box = dial.figure.get_by_role("textbox", name="Words")
    box.fill("man  bit ")
    assert dial.sync().words == ["man", "bit"]
    assert box.input_value() == "man  bit ", "a space stays while it is being typed"
    box.fill("man bites")
    assert (dial.sync().words, dial.notice.inner_text()) == (
        ["man", "bit"],
        "A dial has 2 to 3 words of up to 4 letters each.",
    )
    box.blur()
    assert (box.input_value(), dial.notice.inner_text()) == ("man bit", "")
    dial.drive(words=["a", "b", "c"])
    assert box.input_value() == "a b c"


def test_a_sentence_is_filled_in_as_in_python(kit):
    sentences = {
        f"{name}, {key}": template
        for name in inorder.widgets.__all__
        for key, template in getattr(getattr(inorder.widgets, name), "templates", {}).items()
    }
    assert len(sentences) > 10
    for template in sentences.values():
        fields = {field for _, field, *_ in string.Formatter().parse(template) if field}
        parts = {field: f"“{{{field}}} $& $1 {i} {{row}}”" for i, field in enumerate(sorted(fields))}
        assert kit("fill", template, parts) == template.format(**parts)
    assert kit("fill", "{n} of {n}, {m}", {"n": 12, "m": -1}) == "12 of 12, -1"
