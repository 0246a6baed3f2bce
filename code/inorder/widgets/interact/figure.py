"""A live figure of any Python function, by states computed beforehand."""

import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import traitlets
from matplotlib.figure import Figure

from inorder.widgets.interact.asked import Asked
from inorder.widgets.interact.controls import Control, parse_controls
from inorder.widgets.interact.kinds import KINDS
from inorder.widgets.interact.states import States, Tree, compute, describe, pack, with_limits
from inorder.widgets.interact.twin import describe_panel, draw_twin
from inorder.widgets.kit.figure import InteractiveFigure
from inorder.widgets.kit.state import InvalidState
from inorder.widgets.kit.twin import listed

BASIC = {"bars", "plane", "table"}  # marks that view.js has; any other is an extra of a figure
BUDGET = 200_000  # bytes of states; gzip makes a page's share of it smaller
EVERY_STATE = "INORDER_EVERY_STATE"  # in the environment of notebooks that become pages, which have no kernel


class Setting(traitlets.TraitType):
    """The value of one control. A number between two states of a slider becomes the nearer one."""

    def __init__(self, control: Control) -> None:
        self.control = control
        super().__init__(default_value=control.keys[control.start])

    def validate(self, obj: Any, value: Any) -> Any:
        try:
            return self.control.nearest(value)
        except ValueError as error:
            raise InvalidState(str(error)) from error


class Interact(InteractiveFigure):
    """What `interact` makes: a figure with one trait for each control."""

    folder = Path(__file__).parent
    settings: ClassVar[tuple[Control, ...]] = ()

    title = traitlets.Unicode().tag(sync=True)
    controls: Any = traitlets.List().tag(sync=True)
    tree: Any = traitlets.Dict().tag(sync=True)
    slots: Any = traitlets.List().tag(sync=True)
    numbers = traitlets.Bytes().tag(sync=True)
    walked = traitlets.Unicode().tag(sync=True)  # the slider of the play button, if any
    visited: Any = traitlets.Any().tag(sync=True)  # the states in `slots`, by their keys, if they are not all
    said: Any = traitlets.Dict().tag(sync=True)  # of the state that was asked for last: see asking.js

    def __init__(self, f: Callable[..., Any], states: States, precision: str, docstring: str, **parts: Any) -> None:
        self._f, self._states, self._precision, self._docstring = f, states, precision, docstring
        super().__init__(**parts | self._travelling(parts["controls"]))
        if isinstance(states, Asked):
            self.observe(lambda _: self._visit(), self.state_names)

    def _keys(self) -> tuple[Any, ...]:
        return tuple(getattr(self, control.name) for control in self.settings)

    def _now(self) -> Tree:
        return self._states.tree(self._keys())

    def _travelling(self, controls: list[dict[str, Any]]) -> dict[str, Any]:
        """What the page gets of the states that there are now. Texts that were typed are offered from then on."""
        states = self._states
        tree, slots, numbers = pack(states.first, states.slots, self._precision)
        visited = states.visited
        for i, control in enumerate(self.settings):
            if control.kind == "text" and visited:
                texts = list(dict.fromkeys([*control.keys, *(keys[i] for keys in visited)]))
                controls = [*controls[:i], controls[i] | {"keys": texts, "texts": texts}, *controls[i + 1 :]]
        return {"tree": tree, "slots": slots, "numbers": numbers, "controls": controls, "visited": visited}

    def _visit(self) -> None:
        """Compute the state that the reader asks for. Whatever goes wrong is told in the figure."""
        keys, states = self._keys(), self._states
        if not isinstance(states, Asked) or keys in states:
            return
        call = describe(self._f, states.arguments(keys))
        self.said = {"asked": list(keys), "words": f"Python is computing {call}.", "failed": False}
        try:
            states.visit(keys)
        except (ValueError, KeyboardInterrupt) as error:
            words = f"Python was interrupted at {call}" if isinstance(error, KeyboardInterrupt) else str(error)
            self.said = {"asked": list(keys), "words": f"{words}. The last picture stays.", "failed": True}
            return
        with self.hold_sync():
            for name, part in self._travelling(self.controls).items():
                self.set_trait(name, part)

    def summary(self) -> str:
        answer = self._now()["answer"]
        return answer["words"] if answer else f"{self._settings_in_words()}."

    def _settings_in_words(self) -> str:
        return ", ".join(
            f"{described['label']} = {control.text(getattr(self, control.name))}"
            for control, described in zip(self.settings, self.controls, strict=True)
        )

    def alt_text(self) -> str:
        panels = " ".join(describe_panel(panel) for panel in self._now()["panels"])
        settings = listed(
            f"“{described['label']}” set to {_as_spoken(control.text(getattr(self, control.name)))}"
            for control, described in zip(self.settings, self.controls, strict=True)
        )
        answer = f": {self.summary()}" if self._now()["answer"] else "."
        told = self._docstring if self._docstring.endswith((".", "?", "!")) else f"{self._docstring}."
        return f"{told} {panels} With {settings}{answer}"

    def figure(self) -> Figure:
        return draw_twin(self._now(), self.title, self._settings_in_words())


def _as_spoken(value: str) -> str:
    """A number as it is, words in quotation marks."""
    return value if value.lstrip("−-")[:1].isdigit() else f"“{value}”"


def interact(
    f: Callable[..., Any] | None = None,
    /,
    *,
    start: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
    ends: Mapping[str, Sequence[str]] | None = None,
    play: str | bool = True,
    by_hand: Sequence[str] = (),
    precision: str = "float32",
    budget: int = BUDGET,
    lazy: bool = False,
    **controls: Any,
) -> Any:
    """A live figure of ``f``: its controls above, the marks it returns below, and one sentence that says what to see.

    Without ``f`` it is a decorator, which leaves the figure under the function's name: ``@interact(beta=(0, 8, 0.2))``.

    ``f(**values)`` returns a mark of `inorder.widgets.marks`, or a list of marks, side by side, with an `answer`
    among them. The first paragraph of its docstring is the title; the whole docstring begins the alternative text.
    It is called once for every combination of the controls, here and now; the results travel with the figure, so it
    needs no kernel, in a notebook or on a built page. The pointer and the arrow keys read out the numbers that the
    marks do not write, those of a plane, of small cells, of ink, of arcs and of streams; a space is turned by them.

    Args:
        f: the function.
        controls: for each argument that the reader may change, abbreviated as in ipywidgets:

            * ``(low, high)`` or ``(low, high, step)``: a slider; the step is 1 for whole numbers, else 0.1;
            * ``[1, 4, 16, 64]``, three or more increasing numbers: a slider with these stops;
            * ``["none", "causal"]`` or ``{"no mask": None, "causal": mask}``: a choice; the trait holds the name;
            * ``True`` or ``False``: a switch, and how it starts;
            * ``"the dog barks"``, or a tuple of texts: a text box. Where there is a kernel, it takes any text, whose
              states are computed then; a page without one offers these texts alone, and says so.

            A slider, a choice and a text box start at the function's default, or without one in the middle, at the
            first choice and with the first text. A slider with more than 64 stops has a box beside it, in which a
            number is typed; it goes to the nearest stop.
        start: other starts, ``{"beta": 2.0}``.
        names: what the page calls the controls, ``{"beta": "sharpness β"}``; by default the arguments' own names.
        ends: what the ends of a slider mean, ``{"beta": ("every word alike", "the best alone")}``.
        play: which slider a button walks through, by name; by default the only one, False for none.
        by_hand: arguments without a control above the picture, because a mark that is dragged or turned sets them, as
            the arrow keys do: ``["position"]``.
        precision: how numbers are kept: ``"float32"``, 7 digits; or in steps of 1/65,535 (``"uint16"``) or 1/255
            (``"uint8"``) of the range that the array has over all states, in a half or a quarter of the bytes; whole
            numbers that fit stay whole. An array that is equal in several states is kept once.
        budget: the most bytes that all states may take.
        lazy: compute a state when the reader asks for it, for functions that take their time or controls with too many
            states. This needs a kernel. What travels with the figure, and is saved with the notebook, is the opening
            state and those asked for last, as many as the budget holds. If ``f`` fails at a state, the figure says so
            and stays as it was. A mark that is dragged brings all states along to which it can be dragged. In a build
            of the book, whose pages have no kernel, all states are computed and the budget is a limit.

    Returns:
        The figure, an anywidget with a trait for each control, to be read, set and linked from Python. ``figure()``,
        ``summary()``, ``alt_text()`` and ``reset()`` are those of every figure of `inorder.widgets`.

    Raises:
        ValueError: a control without states, an argument that does not exist or has neither control nor default, a
            start that is none of the states, a function that has no docstring, raises an error, or returns something
            that isn't a mark; marks that differ in kind between states; NaN and infinity where they cannot be drawn;
            more states than the budget holds. The message names the state or the control and says how to fix it.

    >>> from inorder.widgets import marks
    >>> def share(beta=1.0):
    ...     '''How much does a better score count?'''
    ...     weights = softmax(beta * np.array([1.9, 1.3, 0.6]))
    ...     best = marks.answer(f"“animal” gets {weights[0]:.2f} of the weight.")
    ...     return marks.bars(weights, ["animal", "street", "tired"], axis="share", limits=(0, 1)), best
    >>> import numpy as np
    >>> from inorder.attention import softmax
    >>> figure = interact(share, beta=(0, 8, 0.2), ends={"beta": ("uniform", "the best alone")})
    >>> figure.summary()
    '“animal” gets 0.55 of the weight.'
    >>> figure.beta = 8.0
    >>> figure.summary()
    '“animal” gets 0.99 of the weight.'
    >>> figure.beta = 9.0
    Traceback (most recent call last):
    ...
    inorder.widgets.kit.state.InvalidState: beta must be a number from 0.0 to 8.0, got 9.0
    """
    if f is None:
        options: dict[str, Any] = {
            "start": start,
            "names": names,
            "ends": ends,
            "play": play,
            "by_hand": by_hand,
            "precision": precision,
            "budget": budget,
            "lazy": lazy,
        }
        return functools.partial(interact, **options, **controls)
    docstring = inspect.getdoc(f)
    if not docstring:
        name = getattr(f, "__name__", "the function")
        raise ValueError(f"{name} needs a docstring: its first paragraph is the title of the figure")
    own_options = [
        name
        for name, parameter in inspect.signature(interact).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY and name in inspect.signature(f).parameters
    ]
    if own_options:
        name = getattr(f, "__name__", "the function")
        raise ValueError(f"{own_options[0]} is an option of interact: rename that argument of {name}")
    taken = [name for name in controls if hasattr(Interact, name)]
    if taken:
        raise ValueError(f"{taken[0]} is a name that figures use themselves: rename that argument of {f.__name__}")
    settings = parse_controls(f, controls, start or {})
    walked = _walked(settings, play)
    for option in (names or {}, ends or {}):
        if unknown := set(option) - {control.name for control in settings}:
            raise ValueError(f"{', '.join(sorted(unknown))}: no control has this name")
    states = _states_of(f, settings, budget, precision, lazy=lazy)
    first = states.first
    _check_drags(first, settings)
    parts_of_marks = [part for panel in first["panels"] for part in (panel, *panel.get("layers", ()))]
    if fixed := set(by_hand).difference(*(part.get(move, ()) for part in parts_of_marks for move in ("drag", "turn"))):
        raise ValueError(
            f"by_hand must name what a mark sets that is dragged or turned, got {', '.join(sorted(fixed))}"
        )
    described = []
    for control in settings:
        own_ends = (control.texts[0], control.texts[-1]) if control.kind == "slider" else ()
        is_set = {"by_hand": any(control.name in some for some in (by_hand, *map(_set_by_hand, first["panels"])))}
        label = (names or {}).get(control.name, control.name.replace("_", " "))
        described.append(control.front_end(label, (ends or {}).get(control.name, own_ends)) | is_set)
    parts = {"boxes": any("typed" in control for control in described), "asking": isinstance(states, Asked)}
    paragraph = " ".join(docstring.split("\n\n")[0].split())
    traits: dict[str, Any] = {control.name: Setting(control).tag(sync=True) for control in settings}
    states_of_class: dict[str, Any] = {
        "settings": tuple(settings),
        "state_names": tuple(traits),
        "__module__": Interact.__module__,
    }
    kinds = {panel["kind"] for panel in first["panels"]}
    states_of_class["extras"] = traitlets.List(
        sorted(kinds - BASIC | {name for name, is_needed in parts.items() if is_needed})
    ).tag(sync=True)
    camel = "".join(part.capitalize() for part in getattr(f, "__name__", "").strip("<>").split("_"))
    figure_class = type(f"Interact{camel}", (Interact,), traits | states_of_class)
    whole = " ".join(docstring.split())
    return figure_class(f, states, precision, whole, title=paragraph, controls=described, walked=walked)


def _states_of(
    f: Callable[..., Any], settings: Sequence[Control], budget: int, precision: str, *, lazy: bool
) -> States:
    texts = [control for control in settings if control.kind == "text"]
    if (lazy or texts) and not os.environ.get(EVERY_STATE):
        return Asked(f, settings, budget, precision, lazy=lazy)
    for control in texts:
        if len(control.keys) < 2:
            raise ValueError(f"{control.name}: a page has no kernel, so it offers these texts alone: give two or more")
    first, slots = compute(f, settings, budget, precision)
    return States(first, with_limits(first, slots), settings)


def _set_by_hand(panel: Tree) -> Sequence[str]:
    """The arguments of a panel that need no control above it: those of a handle that goes across and up, of a turned
    space, of moved words, of a row that is taken.
    """
    both = [name for layer in panel.get("layers", ()) if len(layer["drag"]) == 2 for name in layer["drag"]]
    return [*both, *panel.get(getattr(KINDS[panel["kind"]], "SET_BY_HAND", ""), ())]


def _walked(settings: Sequence[Control], play: str | bool) -> str:
    sliders = [control.name for control in settings if control.kind == "slider"]
    if isinstance(play, str):
        if play not in sliders:
            raise ValueError(f"play must name a slider, {', '.join(sliders) or 'of which there is none'}, got {play!r}")
        return play
    return sliders[0] if play and len(sliders) == 1 else ""


def _check_drags(first: Tree, settings: Sequence[Control]) -> None:
    """What is dragged or turned sets arguments that have a control, and a map has as many cells as there are states."""
    n_states = {control.name: len(control.keys) for control in settings}
    for panel in first["panels"]:
        for name in panel.get("turn", ()):
            if name not in n_states:
                raise ValueError(f"turn must name an argument with a control, {', '.join(n_states)}, got {name!r}")
        for part in panel.get("layers", [panel]):
            for axis, name in enumerate(part.get("drag", ())):
                if name not in n_states:
                    raise ValueError(f"drag must name an argument with a control, {', '.join(n_states)}, got {name!r}")
                lines = n_states[name]
                if part["kind"] in ("heat_map", "stream"):
                    lines = len(part["labels"]) if part["kind"] == "stream" else part["values"].shape[axis]
                if lines != n_states[name]:
                    what = "columns" if part["kind"] == "stream" else ("rows", "columns")[axis]
                    raise ValueError(f"drag expected {n_states[name]} {what}, one for each {name}, got {lines}")
