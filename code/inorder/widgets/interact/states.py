"""Every state of a figure, computed once and stored once.

The marks of a state are a tree: panels, their layers, and as leaves arrays and words. All states must have the same
tree; only leaves may differ. Each leaf becomes a **slot**: the distinct things that stand there in any state, and, if
there is more than one, which of them each state shows. Arrays are packed as bytes, one after the other; words stay
JSON.

``{"slot": 3}`` in the tree stands for the leaf that slot 3 holds. A slot of arrays is ``{"type": "float32", "shapes":
…, "start": byte offset, "index": …}``, where ``shapes`` is one shape or a list of them, and ``index`` the byte offset
of the states' 16-bit numbers. It is ``"own"`` where every state shows another thing, in the order of the states, and
left out where all share one. A quantised slot adds ``low`` and ``step``.
A slot of words is ``{"type": "words", "table": […], "index": …}``. `states.js` reads the same.
"""

import itertools
import json
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from inorder.widgets.interact.controls import Control
from inorder.widgets.interact.kinds import KINDS
from inorder.widgets.marks import Mark

MOST_STATES = 20_000
PRECISIONS = {"float32": np.float32, "uint16": np.uint16, "uint8": np.uint8}
Tree = Any  # dictionaries and lists whose leaves are arrays, words, numbers or None


class Slots:
    """The distinct leaves of the states seen so far, and which of them each state shows."""

    def __init__(self) -> None:
        self.paths: list[tuple[Any, ...]] = []
        self.tables: list[dict[Any, int]] = []  # what stands there -> its number
        self.leaves: list[list[Any]] = []
        self.index: list[list[int]] = []
        self.n_numbers = 0
        self.n_letters = 0

    def add(self, tree: Tree) -> None:
        """The next state."""
        entries = list(_leaves(tree))
        if not self.paths:
            self.paths = [path for path, _ in entries]
            self.tables, self.leaves, self.index = ([new() for _ in entries] for new in (dict, list, list))  # type: ignore[assignment]
        for (_, leaf), table, leaves, index in zip(entries, self.tables, self.leaves, self.index, strict=True):
            is_array = isinstance(leaf, np.ndarray)
            key = (leaf.shape, leaf.astype(_floats(leaf)).tobytes()) if is_array else json.dumps(leaf)
            if key not in table:
                table[key] = len(table)
                leaves.append(leaf)
                self.n_numbers += leaf.size if is_array else 0
                self.n_letters += 0 if is_array else len(key)
            index.append(table[key])

    def only(self, numbers: Sequence[int]) -> "Slots":
        """These states alone, in this order."""
        some = Slots()
        some.paths = self.paths
        for leaves, index in zip(self.leaves, self.index, strict=True):
            place = {leaf: i for i, leaf in enumerate(dict.fromkeys(index[number] for number in numbers))}
            some.leaves.append([leaves[leaf] for leaf in place])
            some.index.append([place[index[number]] for number in numbers])
        return some

    def state(self, tree: Tree, number: int) -> Tree:
        """The tree of one state, out of the first state's tree and the slots."""
        leaves = {
            path: leaves[index[number]] for path, leaves, index in zip(self.paths, self.leaves, self.index, strict=True)
        }
        return _map_leaves(tree, lambda path, _: leaves[path])


class States:
    """Every state of a figure, by the keys of its controls.

    `first` and `slots` travel with the figure. `visited` names the states in `slots`, unless they are all there are,
    the last control running fastest.
    """

    visited: list[list[Any]] | None = None

    def __init__(self, first: Tree, slots: Slots, controls: Sequence[Control]) -> None:
        self.first, self.slots, self.controls = first, slots, controls

    def tree(self, keys: tuple[Any, ...]) -> Tree:
        """The marks of one state."""
        number = 0
        for control, key in zip(self.controls, keys, strict=True):
            number = number * len(control.keys) + control.index(key)
        return self.slots.state(self.first, number)


def compute(f: Callable[..., Any], controls: Sequence[Control], budget: int, precision: str) -> tuple[Tree, Slots]:
    """Run ``f`` at every state. Returns the first state's tree and the slots."""
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be {', '.join(map(repr, PRECISIONS))}, got {precision!r}")
    n_states = math.prod(len(control.values) for control in controls)
    if n_states > MOST_STATES:
        raise ValueError(
            f"{' × '.join(f'{len(c.values)} of {c.name}' for c in controls)} are {n_states} states, more than "
            f"{MOST_STATES}: {_coarsen(controls, n_states / MOST_STATES)}"
            ", or set lazy=True, which computes a state when it is asked for"
        )
    slots, first = Slots(), None
    itemsize = np.dtype(PRECISIONS[precision]).itemsize
    combinations = itertools.product(*(range(len(control.values)) for control in controls))
    for done, numbers in enumerate(combinations, start=1):
        arguments = {c.name: c.values[i] for c, i in zip(controls, numbers, strict=True)}
        tree = call(f, arguments)
        if first is None:
            first, first_arguments = tree, arguments
        check_same_marks(f, (first_arguments, first), (arguments, tree))
        slots.add(tree)
        size = slots.n_numbers * itemsize + slots.n_letters
        if size > budget:
            whole = size * n_states / done
            raise ValueError(
                f"the states take more than the budget of {_kB(budget)}: {_kB(size)} after {done} of {n_states}, about "
                f"{_kB(whole)} in all. {_coarsen(controls, whole / budget)}; or draw fewer numbers, "
                f'set precision="uint8", raise budget=, or set lazy=True'
            )
    return first, slots


def check_same_marks(
    f: Callable[..., Any], first: tuple[dict[str, Any], Tree], other: tuple[dict[str, Any], Tree]
) -> None:
    """Raise ``ValueError`` unless two states, their arguments and their trees, have the same marks."""
    (first_arguments, first_tree), (arguments, tree) = first, other
    if _shape(tree) != _shape(first_tree):
        raise ValueError(
            f"every state must give the same marks: {describe(f, first_arguments)} gave {_names(first_tree)}, but "
            f"{describe(f, arguments)} gave {_names(tree)}"
        )


def call(f: Callable[..., Any], arguments: dict[str, Any]) -> Tree:
    """The tree that ``f`` gives for these arguments: ``{"panels": […], "answer": …}``."""
    try:
        result = f(**arguments)
    except Exception as error:
        raise ValueError(f"{describe(f, arguments)} raised {type(error).__name__}: {error}") from error
    marks = list(result) if isinstance(result, (list, tuple)) else [result]
    wrong = [mark for mark in marks if not isinstance(mark, Mark)]
    if wrong or not marks:
        got = type(wrong[0]).__name__ if wrong else "an empty list"
        raise ValueError(
            f"{describe(f, arguments)} must return a mark of inorder.widgets.marks or a list of them, got {got}"
        )
    answers = [mark.parts for mark in marks if mark.kind == "answer"]
    panels = [{"kind": mark.kind, **mark.parts} for mark in marks if mark.kind != "answer"]
    if len(answers) > 1 or not panels:
        what = f"{len(answers)} answers" if panels else "an answer alone"
        raise ValueError(f"{describe(f, arguments)} must return marks and at most one answer, got {what}")
    return {"panels": panels, "answer": answers[0] if answers else None}


def describe(f: Callable[..., Any], arguments: dict[str, Any]) -> str:
    """``f(beta=1.0)``, for messages."""
    settings = ", ".join(f"{name}={value!r:.40}" for name, value in arguments.items())
    return f"{getattr(f, '__name__', 'the function')}({settings})"


def pack(first: Tree, slots: Slots, precision: str) -> tuple[Tree, list[dict[str, Any]], bytes]:
    """The tree with its slots' numbers in place of the leaves, the slots, and the bytes that they point to."""
    out = bytearray()

    def put(array: np.ndarray) -> int:
        out.extend(bytes(-len(out) % array.itemsize))  # typed arrays begin at multiples of their item's size
        start = len(out)
        out.extend(array.astype(array.dtype.newbyteorder("<")).tobytes())
        return start

    described = []
    for leaves, index in zip(slots.leaves, slots.index, strict=True):
        if isinstance(leaves[0], np.ndarray):
            shapes = [list(leaf.shape) for leaf in leaves]
            numbers = np.concatenate([leaf.ravel() for leaf in leaves])
            slot: dict[str, Any] = {"shapes": shapes[0] if all(shape == shapes[0] for shape in shapes) else shapes}
            slot |= _quantised(numbers, precision if len(leaves) > 1 else "float32", put)
        else:
            slot = {"type": "words", "table": leaves}
        if len(leaves) > 1:
            slot["index"] = "own" if len(leaves) == len(index) else put(np.array(index, dtype=np.uint16))
        described.append(slot)
    number = {path: i for i, path in enumerate(slots.paths)}
    return _map_leaves(first, lambda path, _: {"slot": number[path]}), described, bytes(out)


def _floats(numbers: np.ndarray) -> str:
    """float32; float64 for whole numbers that it would change, those above 2²⁴."""
    large = np.isfinite(numbers) & (np.abs(numbers) > 2**24) & (numbers == np.rint(numbers))
    return "float64" if (numbers.astype(np.float32) != numbers)[large].any() else "float32"


def _quantised(numbers: np.ndarray, precision: str, put: Callable[[np.ndarray], int]) -> dict[str, Any]:
    if precision == "float32" or not numbers.size or not np.isfinite(numbers).all():
        kind = _floats(numbers)
        return {"type": kind, "start": put(numbers.astype(kind))}
    dtype = np.dtype(PRECISIONS[precision])
    low = float(numbers.min())
    step = (float(numbers.max()) - low) / int(np.iinfo(precision).max) or 1.0
    if step < 1 and np.array_equal(numbers, np.rint(numbers)):
        step = 1.0  # whole numbers stay whole: a word's place, a digit
    whole = np.rint((numbers - low) / step).astype(dtype)
    return {"type": precision, "low": low, "step": step, "start": put(whole)}


def _leaves(tree: Tree, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Everything in the tree that may differ between states, with its path. Lists of words are one leaf."""
    if isinstance(tree, dict):
        for name, part in tree.items():
            yield from _leaves(part, (*path, name))
    elif _is_branch(tree):
        for place, part in enumerate(tree):
            yield from _leaves(part, (*path, place))
    else:
        yield path, tree


def _map_leaves(tree: Tree, change: Callable[[tuple[Any, ...], Any], Any], path: tuple[Any, ...] = ()) -> Tree:
    if isinstance(tree, dict):
        return {name: _map_leaves(part, change, (*path, name)) for name, part in tree.items()}
    if _is_branch(tree):
        return [_map_leaves(part, change, (*path, place)) for place, part in enumerate(tree)]
    return change(path, tree)


def _is_branch(tree: Tree) -> bool:
    return isinstance(tree, list) and bool(tree) and isinstance(tree[0], dict)


def _shape(tree: Tree) -> list[Any]:
    """What must be the same in every state: the paths, the kinds of marks, and whether a leaf is an array."""
    return [(path, leaf if path[-1] == "kind" else isinstance(leaf, np.ndarray)) for path, leaf in _leaves(tree)]


def _names(tree: Tree) -> str:
    panels = []
    for panel in tree["panels"]:
        inner = panel.get("layers", [panel])
        columns = f" of {', '.join(panel['columns'])}" if panel.get("columns") else ""
        panels.append(" + ".join(layer["kind"] for layer in inner) + columns)
    return f"[{', '.join(panels)}] {'with' if tree['answer'] else 'without'} an answer"


def with_limits(first: Tree, slots: Slots) -> Slots:
    """The slots, and in them the limits that the marks leave open, over all states, so that axes do not jump."""
    fixed = Slots()
    fixed.paths, fixed.index, fixed.leaves = slots.paths, slots.index, list(slots.leaves)
    place = {path: i for i, path in enumerate(slots.paths)}
    for i, panel in enumerate(first["panels"]):
        kind = KINDS[panel["kind"]]
        if not hasattr(kind, "limits"):
            continue
        for name, found in kind.limits(panel, lambda *path, i=i: slots.leaves[place["panels", i, *path]]).items():
            slot = place["panels", i, name]
            fixed.leaves[slot] = [found if limits is None else limits for limits in slots.leaves[slot]]
    return fixed


def _coarsen(controls: Sequence[Control], factor: float) -> str:
    longest = max(controls, key=lambda control: len(control.values))
    if len(longest.values) / factor < 2:
        return "Give fewer controls, or controls with fewer states"
    states = int(len(longest.values) / factor)
    return f"Give {longest.name} fewer states, {states} instead of {len(longest.values)}"


def _kB(size: float | int) -> str:
    return f"{size / 1000:,.0f} kB"
