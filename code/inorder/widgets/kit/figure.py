"""What every interactive figure is: a front end, a state, and the static twin that stands in for it.

What marks can draw is less work: see `inorder.widgets.interact.live`, and `inorder.widgets.same_or_not` for one.

**A new figure is a folder** of its own: ``figure.py``, ``view.js``, and ``style.css`` for whatever look it adds.
`inorder.widgets.soft_lookup` is the one to read; here is a small one, complete. ``figure.py`` declares the state, once
(`inorder.widgets.kit.state`), and says in Python what the browser shows:

.. code-block:: python

    class Turn(InteractiveFigure):
        folder = Path(__file__).parent
        title = traitlets.Unicode("Turn the dial: how far to the right is it?").tag(sync=True)
        angle = real(0.5, low=0, high=6)
        backwards = boolean(False)
        templates = {"cosine": "The cosine is {cosine}."}  # sentences that Python and JavaScript share

        def summary(self):  # the answer
            return self.say("cosine", cosine=format_number(math.cos(self.angle)))

        def alt_text(self):  # what there is to see
            return f"A dial. {self.summary()}"

        def figure(self):  # the static twin: matplotlib, the same state
            figure = Figure(figsize=(6.875, 1))
            figure.add_subplot().barh(0, math.cos(self.angle))
            return figure

``view.js`` is an ES module that imports what it needs from ``../kit/``, whose files say what they offer:

.. code-block:: javascript

    import { slider, toggle } from "../kit/inputs.js";
    import { figureShell } from "../kit/shell.js";
    import { html, render } from "../kit/vendor/lit.js";
    import { fill, formatNumber } from "../kit/words.js";

    function view({ model, el, page }) {
      const { controls, stage, limits, change, answer, follow, fold, close } = figureShell({ model, el, page });
      const exact = fold("The number");

      follow(({ angle, backwards }) => {
        const turn = (backwards ? 1 : -1) * angle;
        const cosine = Math.cos(angle);
        const dial = html`<div class="inorder-dial" role="img" aria-label="A dial"
          style="transform: rotate(${turn}rad)"></div>`;
        render(
          [
            slider({ label: "Angle", value: angle, ...limits.angle, step: 0.1, onInput: (x) => change({ angle: x }) }),
            toggle({ label: "Backwards", value: backwards, onInput: (on) => change({ backwards: on }) }),
          ],
          controls,
        );
        render(dial, stage);
        render(html`<output>${cosine}</output>`, exact.lastElementChild);
        answer(fill(model.get("sentences").cosine, { cosine: formatNumber(cosine) }), { sign: cosine > 0 ? "✓" : "×" });
      });
      return close;
    }

    export default { render: view };

``style.css`` applies inside this figure alone (`compose_style`): its rules need no prefix, ``&`` is the root, and the
colours are those of `inorder.palette`. Lengths that belong to type are in em, so that they grow with it.

.. code-block:: css

    .inorder-dial { width: 6em; height: 0; border-top: 2px solid var(--ink); transform-origin: left; }
    &.is-dark .inorder-dial { border-top-style: dotted; }

Writing goes through ``shell.change``, and drawing follows the state; so Python can drive the figure, read it back, and
link it to other widgets. The files are read when a figure is made: run its cell again to see a change.
"""

import base64
import difflib
import html
import inspect
import os
import reprlib
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import traitlets
from IPython import get_ipython
from IPython.display import display
from ipywidgets import Box, Layout
from matplotlib.figure import Figure

from inorder.widgets.host import page_of
from inorder.widgets.kit.compose import compose_module, compose_style, figure_name
from inorder.widgets.kit.state import InvalidState, Part, check_matrix, check_together
from inorder.widgets.kit.twin import png, svg

LARGEST_ENTRY = 1000.0  # a larger number does not fit its cell
SAVED = "inorder-saved"  # in the metadata of an output: a picture that the pages of the book leave out


def matrix_rows(name: str, value: Any) -> list[list[float]]:
    """The rows of a matrix given as lists, NumPy array or torch tensor; `InvalidState` names what does not fit."""
    return check_matrix(name, value, {"low": -LARGEST_ENTRY, "high": LARGEST_ENTRY})


class FromFolder:
    """What a function makes of a figure's folder and extras, made on each access: a changed file needs no restart."""

    def __init__(self, compose: Callable[..., str]) -> None:
        self.compose = compose

    def __get__(self, figure: Any, owner: Any) -> Any:
        if not hasattr(owner, "folder"):
            return self
        return self.compose(owner.folder, extras=figure.extras if figure is not None else ())


class InteractiveFigure(anywidget.AnyWidget):
    """An anywidget with a static twin, an alternative text and a state that can be shared. See the module's docstring.

    "Reset" in the figure, and `reset` in Python, go back to the values that the figure was built with.

    Args:
        limits: narrower limits of this one figure, by the name of the part: ``{"depth": {"high": config.n_layers}}``.
        state: where the parts of the state start; traits of ipywidgets, as ``layout``.

    Raises:
        TypeError: a keyword that the figure does not know; the message names the nearest one that it does.
        ValueError: a state that it cannot show.
    """

    folder: ClassVar[Path]  # of view.js and style.css
    state_names: ClassVar[tuple[str, ...]] = ()  # those of the parts that are declared, in their order
    # The sentences that Python and JavaScript share, by name: `say` fills in each {part} here, `fill` there.
    templates: ClassVar[dict[str, str]] = {}
    _picture = traitlets.Unicode().tag(sync=True)  # a class of the pictures that the live figure hides
    title = traitlets.Unicode("Interactive figure").tag(sync=True)
    name = traitlets.Unicode(read_only=True).tag(sync=True)  # the class of its root in the page
    limits = traitlets.Dict(read_only=True).tag(sync=True)  # {part: its limits}, as limits.js takes them
    initial_state = traitlets.Dict(read_only=True).tag(sync=True)
    sentences = traitlets.Dict(read_only=True).tag(sync=True)  # `templates`
    extras: Any = traitlets.List().tag(sync=True)  # files of its folder that not every such figure needs (`compose.py`)

    # anywidget reads both when a figure is made.
    _esm = FromFolder(compose_module)
    _css = FromFolder(compose_style)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        parts = [name for one in reversed(cls.__mro__) for name, part in vars(one).items() if isinstance(part, Part)]
        if parts:
            cls.state_names = tuple(dict.fromkeys(parts))

    @traitlets.default("layout")
    def _as_wide_as_there_is_room(self) -> Layout:
        return Layout(width="100%", min_width="0")  # several in an HBox share its room

    def __init__(self, *, limits: dict[str, dict[str, Any]] | None = None, **state: Any) -> None:
        for keyword in state:
            if not self.has_trait(keyword):
                raise TypeError(self._unknown(keyword))
        self._narrower = limits or {}
        try:
            super().__init__(**state)
        except InvalidState:
            raise
        except traitlets.TraitError as error:
            raise InvalidState(str(error)) from error

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and not hasattr(type(self), name):
            raise AttributeError(self._unknown(name).replace("() got an unexpected keyword argument", " has no"))
        super().__setattr__(name, value)

    @classmethod
    def _unknown(cls, keyword: str) -> str:
        named = inspect.signature(cls.__init__).parameters.values()
        own = [one.name for one in named if one.kind is not one.VAR_KEYWORD and one.name not in ("self", "limits")]
        known = list(dict.fromkeys([*own, *cls.state_names, "title"]))
        (nearest,) = difflib.get_close_matches(keyword, known, n=1, cutoff=0.0)
        return (
            f"{cls.__name__}() got an unexpected keyword argument {keyword!r}; did you mean {nearest!r}? "
            f"It takes {', '.join(known)}"
        )

    @traitlets.default("_picture")
    def _one_of_its_own(self) -> str:
        return f"{SAVED}-{uuid.uuid4().hex}"

    @traitlets.default("name")
    def _name_of_its_folder(self) -> str:
        return figure_name(self.folder)

    @traitlets.default("sentences")
    def _declared_templates(self) -> dict[str, str]:
        return dict(self.templates)

    @traitlets.default("limits")
    def _declared_limits(self) -> dict[str, dict[str, Any]]:
        parts = {name: part for name, part in self.traits().items() if isinstance(part, Part)}
        return {name: parts[name].limits | self._narrower.get(name, {}) for name in self.state_names if name in parts}

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({', '.join(f'{name}={reprlib.repr(part)}' for name, part in self.state.items())})"
        )

    @property
    def state(self) -> dict[str, Any]:
        """The parts of the state by their names."""
        return {name: getattr(self, name) for name in self.state_names}

    def check_together(self, state: dict[str, Any]) -> None:
        """Raise `InvalidState` if the parts of a state do not fit each other; a figure adds what limits cannot say."""
        check_together(self.limits, state)

    @traitlets.default("initial_state")
    def _state_when_built(self) -> dict[str, Any]:
        return self.state

    def reset(self) -> None:
        """Return to the state the figure was built with."""
        with self.hold_trait_notifications():
            for name, value in self.initial_state.items():
                setattr(self, name, value)

    def figure(self) -> Figure:
        """The static twin: this state, drawn by matplotlib."""
        raise NotImplementedError

    def alt_text(self) -> str:
        """What the figure shows, for a reader who does not see it."""
        raise NotImplementedError

    def in_a_file(self) -> dict[str, Any]:
        """What a saved file holds beside the traits, or instead of them, by name.

        Raises ValueError: the state needs Python.
        """
        if getattr(self, "in_python", None):
            position = f"position={getattr(self, 'position', None)!r}"
            raise ValueError(
                f"{type(self).__name__} computes {position} in Python, which a page doesn't have: "
                "choose another position, or save a picture (.png or .svg)"
            )
        return {}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the figure, in its state, into a file.

        ``.html``: a page with the live figure, which needs no kernel, no network and no other file. It holds the states
        that the figure has: of one that asks Python for more, those that were looked at. ``.png`` or ``.svg``: its
        picture.

        >>> from inorder.widgets import SameOrNot
        >>> SameOrNot().save("figure.pdf")
        Traceback (most recent call last):
        ValueError: a figure is saved as .html, .png or .svg, got 'figure.pdf'

        Raises:
            ValueError: another ending; a figure that needs Python for the state in which it is.
            FileNotFoundError: the folder isn't there.
            IsADirectoryError: the path is a folder.
        """
        path = Path(path)
        kind = path.suffix.lower()
        if kind not in (".html", ".png", ".svg"):
            raise ValueError(f"a figure is saved as .html, .png or .svg, got {path.name!r}")
        if not path.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {str(path.parent)!r} to save {path.name!r} in")
        if path.is_dir():
            raise IsADirectoryError(f"{str(path)!r} is a folder: name a file in it")
        if kind == ".html":
            content = page_of(self).encode()
        elif kind == ".svg":
            content = svg(self.figure()).encode()
        else:
            content = png(self.figure(), dpi=200)
        unfinished = path.with_name(f"{path.name}.part")
        try:
            unfinished.write_bytes(content)
            unfinished.replace(path)
        except OSError:
            unfinished.unlink(missing_ok=True)
            raise

    def say(self, sentence: str, /, **parts: str | int) -> str:
        """One of the `templates`, by its name, with its parts filled in."""
        return self.templates[sentence].format(**parts)

    def summary(self) -> str:
        """The answer, in one sentence; JavaScript says the same."""
        raise NotImplementedError

    def note(self) -> str:
        """The smaller line below the answer; none by default."""
        return ""

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict, dict] | None:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, metadata = bundle
        twin = {"text/plain": self.alt_text(), "image/svg+xml": svg(self.figure())}
        return data | twin, metadata | {"image/svg+xml": {"alt": self.alt_text()}}

    def _ipython_display_(self) -> None:
        """Show the figure in a notebook, below its picture, which it hides.

        JupyterLab shows only one form of an output, here the widget. So a notebook saved and opened without a kernel
        would show nothing of the figure if its picture were not an output of its own.
        """
        bundle = self._repr_mimebundle_()
        if bundle is None:
            return
        data, metadata = bundle
        self._display_picture(data)
        display(data, metadata=metadata, raw=True)

    def _display_picture(self, data: dict) -> None:
        source = base64.b64encode(data["image/svg+xml"].encode()).decode()
        alt = html.escape(data["text/plain"])
        picture = f'<img class="{self._picture}" alt="{alt}" src="data:image/svg+xml;base64,{source}">'
        display({"text/html": picture}, metadata={SAVED: True}, raw=True)


def figures_in(box: Box) -> Iterator[InteractiveFigure]:
    """The figures of a box and of the boxes in it."""
    for child in box.children:
        if isinstance(child, InteractiveFigure):
            yield child
        elif isinstance(child, Box):
            yield from figures_in(child)


def display_box(box: Box) -> None:
    """Show a box of ipywidgets below the pictures of the figures in it, as each figure alone is shown."""
    for figure in figures_in(box):
        if bundle := figure._repr_mimebundle_():
            figure._display_picture(bundle[0])
    if data := box._repr_mimebundle_():
        display(data, raw=True)


if shell := get_ipython():
    shell.display_formatter.ipython_display_formatter.for_type(Box, display_box)
