"""interact in Python: its controls, the packing of its states, and what its messages name."""

import io
import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from inorder.widgets import interact, marks
from inorder.widgets.interact.controls import parse_controls
from inorder.widgets.interact.states import PRECISIONS, compute, pack

WORDS = ["animal", "street", "it"]


def bars_of(beta=1.0):
    """Bars"""
    return marks.bars(np.array([1.0, 2.0, 3.0]) * beta, WORDS)


# ------------------------------------------------------------------------------------------------------ controls


@pytest.mark.parametrize(
    ("abbreviation", "kind", "keys"),
    [
        ((0, 7, 3), "slider", (0, 3, 6)),
        ((0.0, 0.3), "slider", (0.0, 0.1, 0.2, 0.3)),
        ([1, 4, 16], "slider", (1, 4, 16)),
        (range(2, 5), "slider", (2, 3, 4)),
        (np.geomspace(1, 100, 3), "slider", (1.0, 10.0, 100.0)),
        ([3, 1, 2], "choice", ("3", "1", "2")),
        (["no", "yes"], "choice", ("no", "yes")),
        ({"none": None, "all": (1, 2)}, "choice", ("none", "all")),
        (np.False_, "switch", (False, True)),
    ],
    ids=str,
)
def test_a_control_has_the_states_a_reader_would_write(abbreviation, kind, keys):
    (control,) = parse_controls(lambda x: x, {"x": abbreviation}, {})
    assert (control.kind, control.keys) == (kind, keys)
    assert all(type(key) is type(keys[0]) for key in control.keys)
    expected = list(abbreviation.values()) if isinstance(abbreviation, dict) else list(keys)
    assert [str(value) for value in control.values] == [str(value) for value in expected]


def test_controls_stand_in_the_order_of_the_arguments_and_start_at_their_defaults():
    def f(size, sharpness=0.4, mask="causal", seed=0):
        return None

    controls = parse_controls(f, {"mask": ["none", "causal"], "sharpness": (0.0, 1.0), "size": (1, 5)}, {})
    assert [(control.name, control.keys[control.start]) for control in controls] == [
        ("size", 3),
        ("sharpness", 0.4),
        ("mask", "causal"),
    ]
    (size,) = parse_controls(f, {"size": (1, 5)}, {"size": 2})
    assert size.keys[size.start] == 2


@pytest.mark.parametrize(
    ("controls", "options", "message"),
    [
        ({}, {}, "needs a control: name an argument of bars_of, and give .low, high."),
        ({"gamma": (0, 1)}, {}, "gamma is not an argument of bars_of, which has beta"),
        ({"beta": 5}, {}, r"beta: expected \(low, high\), .* or a bool, got 5"),
        ({"beta": (0.0, 1e9, 0.1)}, {"lazy": True}, "beta: expected up to 2000000 states of a slider, got 10000000001"),
        ({"beta": ["a", "a"]}, {}, "every choice needs its own name, got a, a"),
        ({"beta": [np.eye(2), "a"]}, {}, "beta: choices that are not numbers or words need names: give a dict"),
        (
            {"beta": (0, 2, 0.3)},
            {},
            "beta starts at 1.0, which is not one of its states; the nearest are 0.6, 0.9, 1.2",
        ),
        ({"beta": (0, 4, 1)}, {"start": {"beta": 5}}, "beta must be a number from 0 to 4, got 5"),
        ({"beta": (0, 4, 1)}, {"play": "x"}, "play must name a slider, beta, got 'x'"),
        ({"beta": (0, 4, 1)}, {"precision": "float16"}, "precision must be 'float32', .*, got 'float16'"),
    ],
    ids=str,
)
def test_a_bad_control_is_named(controls, options, message):
    with pytest.raises(ValueError, match=message):
        interact(bars_of, **options, **controls)


def test_names_that_figures_use_and_missing_arguments_are_named():
    def shown(title, other):
        """A figure"""

    def called(precision=1):
        """Another"""

    with pytest.raises(ValueError, match="title is a name that figures use themselves: rename that argument of shown"):
        interact(shown, title=(0, 1))
    with pytest.raises(ValueError, match="precision is an option of interact: rename that argument of called"):
        interact(called, precision=(0, 2))
    with pytest.raises(ValueError, match="shown needs a control or a default for title"):
        interact(shown, other=(0, 1))
    with pytest.raises(ValueError, match="<lambda> needs a docstring: its first paragraph is the title"):
        interact(lambda x: None, x=(0, 1))


def test_marks_take_lists_arrays_and_tensors_with_gradients():
    for values in ([1, 2], np.array([1, 2]), torch.tensor([1.0, 2.0], requires_grad=True)):
        assert marks.bars(values).parts["values"].tolist() == [[1.0, 2.0]]


# -------------------------------------------------------------------------------------------- what f gives and does


def fails(beta=1.0):
    """Fails at one state"""
    if beta == 2:
        raise ZeroDivisionError("by zero")
    return marks.bars([beta])


def changes_kind(beta=1.0):
    """Changes"""
    return marks.bars([beta]) if beta < 2 else [marks.table({"two": [2]}), marks.bars([beta])]


def renames_a_column(beta=1.0):
    """Changes"""
    return marks.table({f"column {beta}": [1]})


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (fails, r"fails\(beta=2.0\) raised ZeroDivisionError: by zero"),
        (
            changes_kind,
            r"every state must give the same marks: changes_kind\(beta=0.0\) gave \[bars\] without an answer, but "
            r"changes_kind\(beta=2.0\) gave \[table of two, bars\] without",
        ),
        (renames_a_column, r"gave \[table of column 0.0\] .* gave \[table of column 1.0\]"),
        (lambda beta=1.0: None, r"must return a mark of inorder.widgets.marks or a list of them, got NoneType"),
        (lambda beta=1.0: [marks.bars([1]), marks.answer("b"), marks.answer("c")], "at most one answer, got 2 answers"),
    ],
)
def test_what_f_does_wrong_is_named_with_its_state(f, message):
    f.__doc__ = f.__doc__ or "A figure"
    with pytest.raises(ValueError, match=message):
        interact(f, beta=(0.0, 4.0, 1.0))


def test_a_budget_exceeded_says_how_much_and_what_to_coarsen():
    rng = np.random.default_rng(0)

    def noise(n=0, kind="a"):
        """Noise"""
        return marks.heat_map(rng.standard_normal((50, 20)))

    with pytest.raises(
        ValueError, match=r"budget of 200 kB: 200 kB after 50 of 200, about 800 kB in all. Give n fewer states, 24"
    ):
        interact(noise, n=(0, 99), kind=["a", "b"])
    assert len(interact(noise, n=(0, 99), kind=["a", "b"], precision="uint8", budget=250_000).numbers) < 202_000
    with pytest.raises(ValueError, match=r"30001 of n × 2 of kind are 60002 states, more than 20000: Give n fewer"):
        interact(noise, n=(0, 30_000), kind=["a", "b"])
    with pytest.raises(ValueError, match=r"Give fewer controls, .* or set lazy=True"):
        interact(ten_controls, **dict.fromkeys("abcdeghijk", (0, 100)))


def ten_controls(a=0, b=0, c=0, d=0, e=0, g=0, h=0, i=0, j=0, k=0):
    """Which state is it?"""
    return marks.bars([1.0])


# ------------------------------------------------------------------------------------------------------- packing


def unpacked(tree, slots, numbers, number, n_states):
    """An independent reader of the format."""
    if isinstance(tree, list):
        return [unpacked(part, slots, numbers, number, n_states) for part in tree]
    if set(tree) != {"slot"}:
        return {name: unpacked(part, slots, numbers, number, n_states) for name, part in tree.items()}
    slot = slots[tree["slot"]]
    which = 0
    if slot.get("index") == "own":
        which = number
    elif "index" in slot:
        which = int(np.frombuffer(numbers, "<u2", n_states, slot["index"])[number])
    if slot["type"] == "words":
        return slot["table"][which]
    shapes = slot["shapes"]
    several = bool(shapes) and isinstance(shapes[0], list)
    sizes = [int(np.prod(shapes[i] if several else shapes)) for i in range(which + 1)]
    dtype = np.dtype(PRECISIONS[slot["type"]]).newbyteorder("<")
    values = np.frombuffer(numbers, dtype, sizes[-1], slot["start"] + sum(sizes[:-1]) * dtype.itemsize).astype(float)
    if "step" in slot:
        values = slot["low"] + slot["step"] * values
    return values.reshape(shapes[which] if several else shapes)


@settings(max_examples=15)
@given(
    n_first=st.integers(2, 7),
    n_second=st.integers(2, 5),
    seed=st.integers(0, 1000),
    precision=st.sampled_from(list(PRECISIONS)),
)
def test_every_state_is_found_again_to_the_stated_precision(n_first, n_second, seed, precision):
    def f(a, b):
        """Random, of a shape that depends on the state"""
        rng = np.random.default_rng([seed, a, b])
        values = rng.standard_normal((2 + a % 3, 3)) * 10 ** (seed % 5)
        return [marks.heat_map(values), marks.bars([a, b], ["a", "b"]), marks.answer(f"state {a}, {b % 2}")]

    controls = parse_controls(f, {"a": (0, n_first - 1), "b": (0, n_second - 1)}, {})
    packed = pack(*compute(f, controls, 10**6, precision), precision)
    spread = max(
        np.ptp([f(a, b)[0].parts["values"].max(), f(a, b)[0].parts["values"].min()]) for a in range(2) for b in range(2)
    )
    for number, (a, b) in enumerate(itertools.product(range(n_first), range(n_second))):
        state = unpacked(*packed, number, n_first * n_second)
        heat_map, bars, answer = f(a, b)
        values = heat_map.parts["values"]
        assert state["panels"][0]["values"].shape == values.shape
        if precision == "float32":
            np.testing.assert_allclose(state["panels"][0]["values"], values, rtol=6e-8)
        else:
            step = next(slot["step"] for slot in packed[1] if "step" in slot)
            assert np.abs(state["panels"][0]["values"] - values).max() <= 0.5001 * step
            assert step > 0 and step * np.iinfo(PRECISIONS[precision]).max >= 0.999 * spread
        np.testing.assert_allclose(state["panels"][1]["values"], bars.parts["values"], atol=6.01 / 255 / 2)
        assert state["answer"] == answer.parts


@given(
    numbers=st.lists(st.integers(-100, 100), min_size=2, max_size=9, unique=True),
    precision=st.sampled_from(["uint16", "uint8"]),
)
def test_whole_numbers_stay_whole(numbers, precision):
    """The place of a word is read out, and counted on from by the arrow keys."""

    def f(n=0):
        return marks.bars([numbers[n], 7], ["a", "b"])

    packed = pack(*compute(f, parse_controls(f, {"n": (0, len(numbers) - 1)}, {}), 10**6, precision), precision)
    for state, number in enumerate(numbers):
        (bars,) = unpacked(*packed, state, len(numbers))["panels"]
        assert bars["values"].ravel().tolist() == [number, 7]


def test_equal_arrays_are_stored_once():
    def f(a, b):
        """The map depends on a alone"""
        return marks.heat_map(np.full((20, 10), float(a)))

    few = interact(f, a=(0, 3), b=(0, 1))
    many = interact(f, a=(0, 3), b=(0, 20))
    assert len(few.numbers) == 4 * 200 * 4 + 2 * 8
    assert len(many.numbers) == 4 * 200 * 4 + 2 * 84


def test_axes_stand_still_over_all_states():
    def f(n=1):
        """Grows"""
        t = np.arange(1, n + 2)
        plane = marks.lines(t, t**2.0) + marks.points([[3, -n]])
        return [plane, marks.bars([-n, 2 * n]), marks.heat_map([[n, 0]]), marks.heat_map([[-n, 0]])]

    figure = interact(f, n=(1, 4))
    for n in range(1, 5):
        figure.n = n
        plane, bars, shares, signed = figure._now()["panels"]
        assert plane["x_limits"][0] < 1 and 5 < plane["x_limits"][1] < 6
        assert plane["y_limits"][0] < -4 and 25 < plane["y_limits"][1] < 28
        assert (bars["limits"], shares["limits"], signed["limits"]) == ([-4, 8], [0, 4], [-4, 4])


# -------------------------------------------------------------------------------------------------------- figure


def everything(beta=1.0, mask="none", positions=True):
    """What does it show?

    A second paragraph, for those who listen."""
    weights = np.array([0.5, 0.25, 0.25]) * beta
    plane = marks.lines([0, 1, 2], {"a": weights, "b": -weights}, axes=("x", "y"))
    plane += marks.points([[1, beta]], ["$x$"], actor="key") + marks.arrows([[1, 1]], ["q"], actor="query")
    return [
        marks.bars({"before": weights, "after": 2 * weights}, WORDS, columns={"score": weights, "kind": WORDS}),
        plane,
        marks.heat_map(np.outer(weights, weights), WORDS, WORDS, actors=("query", "key"), title="A"),
        marks.heat_map([[-np.inf, 1.0]], digits=None),
        marks.table({"n": [1, 2], "word": ["a", "b"]}, ["one", "two"]),
        marks.answer(f"beta is {beta:g}, mask {mask}, {positions}", "="),
    ]


def test_traits_are_read_set_reset_and_linked():
    import ipywidgets

    figure = interact(everything, beta=(0, 2, 0.5), mask={"none": "no", "causal": "c"}, positions=True)
    assert (figure.beta, figure.mask, figure.positions) == (1.0, "none", True)
    assert figure.summary() == "beta is 1, mask no, True"
    slider = ipywidgets.FloatSlider(min=0, max=2)
    link = ipywidgets.link((slider, "value"), (figure, "beta"))
    slider.value = 1.4
    assert figure.beta == 1.5  # the nearest state
    link.unlink()
    figure.mask, figure.positions = "causal", False
    assert figure.summary() == "beta is 1.5, mask c, False"
    for name, value in {"beta": 2.1, "mask": "c", "positions": 1}.items():
        with pytest.raises(ValueError, match=f"{name} must be"):
            setattr(figure, name, value)
    figure.reset()
    assert figure.summary() == "beta is 1, mask no, True"


def test_docstring_title_and_alternative_text():
    figure = interact(everything, beta=(0, 2, 0.5), names={"beta": "β"})
    assert figure.title == "What does it show?"
    text = figure.alt_text()
    assert text.startswith("What does it show? A second paragraph, for those who listen. ")
    assert "animal 0.50, street 0.25" in text and "With “β” set to 1.0: " in text
    assert text.endswith(figure.summary())
    quiet = interact(bars_of, beta=(0, 2, 0.5))
    assert quiet.summary() == "beta = 1.0."


def test_the_twin_draws_the_state():
    figure = interact(everything, beta=(0, 2, 0.5), mask=["none", "causal"])
    figure.beta = 2.0
    twin = figure.figure()
    twin.savefig(io.BytesIO())
    display = [text.get_text() for axes in twin.axes for text in axes.texts]
    assert {"1.00", "0.50", "2.00", "a", "b", "$x$", "q"} <= set(display)
    assert "beta is 2, mask none, True" in twin.get_supxlabel()
    assert len(twin.axes) == 5


def test_whole_numbers_of_a_table_stay_whole():
    def f(x=1):
        """Which numbers are these?"""
        return marks.table({"n": [2**24 + 1 + x, 123456791, 2**53]}, digits=0)

    figure = interact(f, x=(0, 1))
    (slot,) = [slot for slot in figure.slots if slot["type"] == "float64"]
    numbers = np.frombuffer(figure.numbers, "<f8", 6, slot["start"])
    np.testing.assert_array_equal(numbers.reshape(2, 3)[:, 0], [2**24 + 1, 2**24 + 2])
    np.testing.assert_array_equal(figure._now()["panels"][0]["columns"]["n"], [2**24 + 2, 123456791, 2**53])
