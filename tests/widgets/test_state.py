"""A figure's state, declared once: what Python refuses the browser's limits refuse too, and what it takes they take."""

import numpy as np
import pytest
import torch
import traitlets

from inorder.widgets import EncodingExplorer, PermutationPlayground, SameOrNot
from inorder.widgets.kit.figure import InteractiveFigure
from inorder.widgets.kit.state import (
    InvalidState,
    boolean,
    choice,
    integer,
    integers,
    matrix,
    permutation,
    real,
    texts,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("everything")
    (path / "view.js").write_text("export default {};\n")
    return path


@pytest.fixture
def everything(folder):
    class Everything(InteractiveFigure):
        title = traitlets.Unicode("Everything").tag(sync=True)
        flag = boolean(False)
        depth = integer(1, low=1, high=4)
        key = integer(0, low=0, below="words")
        width = integer(2, low=2, high=10, step=2)
        share = real(0.5, low=0, high=1)
        mask = choice("causal", ["causal", "prefix"])
        words = texts(["a", "b", "c"], fewest=2, most=5, longest=4, spaces=False)
        ids = integers([0, 0, 1], high=6, like="words")
        order = permutation([0, 1, 2], of="words")
        x = matrix(np.ones((3, 2)), low=-2, high=2, rows="words", columns=(1, 3))
        w = matrix([[0.0]], rows=(1, 2))

    Everything.folder = folder
    return Everything


GOOD = [
    ("flag", True),
    ("depth", 4),
    ("key", 2),
    ("width", 8),
    ("share", 1),
    ("share", 0.25),
    ("mask", "prefix"),
    ("words", ["中🐈", "bbbb", "c"]),
    ("ids", [6, 0, 3]),
    ("order", [2, 0, 1]),
    ("x", [[1, 2, 0.5], [0, -2, 1], [1, 1, 1]]),
    ("w", [[1.0, 2.0], [3.0, -1000.0]]),
]
BAD = [
    ("flag", 1, "flag must be True or False, got 1"),
    ("depth", 0, "depth must be a whole number from 1 to 4, got 0"),
    ("depth", True, "from 1 to 4, got True"),
    ("depth", "2", "from 1 to 4, got '2'"),
    ("key", 3, "key must be below 3, as words is, got 3"),
    ("width", 5, "width must be a whole number from 2 to 10 in steps of 2, got 5"),
    ("share", 1.01, "share must be a number from 0 to 1, got 1.01"),
    ("share", float("nan"), "from 0 to 1, got nan"),
    ("share", "0.5", "from 0 to 1, got '0.5'"),
    ("mask", "none", "mask must be one of causal, prefix, got 'none'"),
    ("words", ["a", "b", "ccccc"], "words must be strings of 1 to 4 characters without spaces, got 'ccccc'"),
    ("words", ["a", "b", "c d"], "without spaces, got 'c d'"),
    ("words", ["a", "b"], "must have one row for each of the 2 words, got 3|must hold each of 0 … 1 once"),
    ("words", 7, "words must be a list, got 7"),
    ("ids", [0, 7, 0], "each of ids must be a whole number from 0 to 6, got 7"),
    ("ids", [0, 1], "ids must have one row for each of the 3 words, got 2"),
    ("order", [0, 1, 1], "order must hold each of 0 … 2 once"),
    ("x", [[1, 2], [1, 2]], "x must have one row for each of the 3 words, got 2"),
    ("x", [[1] * 4] * 3, r"x must have 1 to 3 columns, got shape \(3, 4\)"),
    ("x", [[3.0], [0], [0]], "x must hold numbers from -2 to 2, got 3"),
    ("x", [[1], [1, 2], [1]], "x must have rows of equal length, got rows of 1 to 2"),
    ("x", [["a"], ["b"], ["c"]], r"x must be numbers, got \[\['a'\], \['b'\], \['c'\]\]"),
    ("x", [1, 2, 3], r"x must be a matrix with two axes, got shape \(3,\)"),
    ("w", [[1.0]] * 3, r"w must have 1 to 2 rows, got shape \(3, 1\)"),
]


@pytest.mark.parametrize(("name", "value"), GOOD, ids=str)
def test_what_fits_is_taken_here_and_there(everything, kit, name, value):
    figure = everything(**{name: value})
    assert getattr(figure, name) == value
    assert kit("fits", figure.limits[name], value)
    assert kit("fitTogether", figure.limits, figure.state)


@pytest.mark.parametrize(("name", "value", "message"), BAD, ids=str)
def test_what_does_not_fit_is_refused_here_and_there(everything, kit, name, value, message):
    with pytest.raises(ValueError, match=message):
        everything(**{name: value})
    figure = everything()
    with pytest.raises(InvalidState, match=message):
        setattr(figure, name, value)
    assert figure.state == figure.initial_state
    together = figure.state | {name: value}
    assert not (kit("fits", figure.limits[name], value) and kit("fitTogether", figure.limits, together))


@pytest.mark.parametrize("convert", [np.array, torch.tensor, tuple])
def test_arrays_of_any_kind(everything, convert):
    figure = everything(x=convert([[1.0], [2.0], [-0.0]]), order=convert([2, 1, 0]))
    assert (figure.x, figure.order) == ([[1.0], [2.0], [0.0]], [2, 1, 0])
    assert type(figure.order[0]) is int


def test_numbers_that_numpy_does_not_have(everything):
    half = torch.tensor([[0.5], [1.0], [-1.5]], dtype=torch.bfloat16, requires_grad=True)
    assert everything(x=half).x == [[0.5], [1.0], [-1.5]]
    with pytest.raises(InvalidState, match="x must hold real numbers, got complex128: take its real part"):
        everything(x=np.array([[1 + 2j], [0], [1]]))


class Odd:
    """An object whose every answer is an error."""

    def __index__(self) -> int:
        raise RuntimeError("no index")

    __float__ = __len__ = __iter__ = __index__

    def __repr__(self) -> str:
        return "Odd()"


BY_MISTAKE = [object(), Odd(), len, {1, 2}, 10**400, 2 + 1j, np.array("x"), np.zeros((0, 3)), float("nan"), [[[]]]]


def test_what_python_passes_by_mistake_is_named_shortly_and_changes_nothing(types_unchecked, everything):
    figure = everything()
    for part in everything.state_names:
        for value in [*BY_MISTAKE, [[0.0] * 9] * 1000 + [[1.0]], [["word"] * 9] * 1000]:
            with pytest.raises(InvalidState, match=part) as caught:
                setattr(figure, part, value)
            assert len(str(caught.value)) < 200
            assert figure.state == figure.initial_state


def test_parts_that_fit_only_together_change_together(everything):
    figure = everything()
    with figure.hold_trait_notifications():
        figure.words, figure.ids, figure.order, figure.x = "a b", [0, 1], [1, 0], [[1.0], [2.0]]
    assert figure.words == ["a", "b"]
    figure.reset()
    assert figure.words == ["a", "b", "c"]


def test_limits_of_one_figure(everything):
    figure = everything(limits={"depth": {"high": 2}})
    with pytest.raises(ValueError, match="depth must be a whole number from 1 to 2, got 3"):
        figure.depth = 3
    assert figure.limits["depth"] == {"kind": "integer", "low": 1, "high": 2}
    assert everything().limits["depth"]["high"] == 4
    names = ["flag", "depth", "key", "width", "share", "mask", "words", "ids", "order", "x", "w"]
    assert everything.state_names == tuple(names)


@pytest.mark.parametrize(
    ("make", "nearest"),
    [
        (lambda: SameOrNot("a b", positons=True), "'positons'; did you mean 'positions'"),
        (lambda: PermutationPlayground("dog bites man", positions="rotary"), "'positions'; did you mean 'position'"),
        (lambda: EncodingExplorer(lenght=50), "'lenght'; did you mean 'length'"),
    ],
)
def test_an_unknown_keyword_is_named(make, nearest):
    with pytest.raises(TypeError, match=nearest):
        make()
