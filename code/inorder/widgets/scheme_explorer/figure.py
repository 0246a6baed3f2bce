"""SchemeExplorer: what each position scheme can do, in training and at lengths never trained on."""

from collections.abc import Sequence
from functools import cache, reduce
from operator import add
from typing import Any, ClassVar

import numpy as np
import traitlets

from inorder._arrays import expect
from inorder._extras import extra
from inorder.transformer import layer_states
from inorder.widgets import marks
from inorder.widgets.attention_map import AttentionMap
from inorder.widgets.interact.live import LiveFigure
from inorder.widgets.kit.state import InvalidState, choice, integer, texts
from inorder.widgets.kit.twin import format_number, listed
from inorder.widgets.scheme_explorer.summaries import SETTING, by_setting, check, setting_name, summarise

FIRST = ("none", "sinusoidal", "rotary", "t5-16", "gru")  # of those that are there
EXAMPLE = (2, 5, 8, 0, 7, 9, 3, 1)  # tokens; to which-first 8 is A and 9 is B
TRAINED_ON = (5, 20)  # the lengths of the sweep's training, as in inorder.lab.runs
TIE = 0.005


class SchemeExplorer(LiveFigure):
    """What each position scheme can do: accuracy while a small model learns, and at lengths never trained on.

    Each curve is the mean over seeds; its band goes from the lowest seed to the highest. The floor is the best accuracy
    for a model blind to order, the ceiling the best for one that sees distances but no direction; both are derived
    (`inorder.lab.tasks`). Without tables of your own it shows the sweep that comes with the book.

    Args:
        task: a task of the sweep, as "which-first", or with its setting, as "copy-left, causal, 2 layers". By default
            the first of yours, with your schemes; without any, "which-first".
        schemes: 1 to 6 names of what is drawn.
        length: the length at which the list compares them. By default the longest of yours, or of all.
        results: those of a sweep of yours (`inorder.lab.sweep`), rows and models. Where a task and scheme are in the
            book's sweep too, yours take their place.
        table, curves: rows of yours in their place, pandas tables as `inorder.lab.results.Results.table()` and
            `curves()` make them.

    Raises:
        ValueError: a task, scheme or length that no row has; a table without the columns that are needed; both results
            and a table.
        ImportError: pandas is missing; the message names the extra that brings it.

    >>> explorer = SchemeExplorer("which-first", ["none", "rotary"], length=10)
    >>> round(explorer.accuracy("none"), 2)
    0.5
    """

    title = traitlets.Unicode("Which position scheme learns this, and how far does it reach?").tag(sync=True)
    task = choice("", [""])
    schemes = texts(["none"], fewest=1, most=6, longest=120)
    length = integer(10, low=1)
    data = traitlets.Dict(read_only=True).tag(sync=True)
    trained_on = traitlets.List(list(TRAINED_ON), read_only=True).tag(sync=True)
    templates: ClassVar = {
        "untested": "None of these was tested with {length} tokens.",
        "only": "With {length} tokens {schemes} is right in {accuracy} of all cases.",
        "best": "With {length} tokens {schemes} is right most often: {accuracy}.",
        "several": "With {length} tokens {schemes} are right most often: {accuracy}.",
        "note": (
            "Blind to order, a model gets at most {floor} there; blind to direction, {ceiling}. "
            "Trained on {low} to {high} tokens."
        ),
    }

    def __init__(
        self,
        task: str | None = None,
        schemes: Sequence[str] | None = None,
        length: int | None = None,
        *,
        results: Any = None,
        table: Any = None,
        curves: Any = None,
        **options: Any,
    ) -> None:
        with extra("lab", needed_by="SchemeExplorer"):
            self._results, tables, self._found = _sweep_of_the_book()
        self._own = results
        if results is not None:
            if table is not None or curves is not None:
                raise InvalidState("results already have a table and curves: results or table must be left out")
            table, curves = results.table(), results.curves()
        if table is not None:
            check(table, curves)
            tables = _in_place(tables[0], table, table), _in_place(tables[1], curves, table)
            self._found = summarise(*tables, self._results.bounds_table())
        own = {} if table is None else {setting_name(*setting): rows for setting, rows in by_setting(table)}
        task = next(iter(own), "which-first") if task is None else task
        settings = [name for name in self._found if name == task or name.startswith(f"{task},")]
        settings = [name for name in settings if name in own] or settings  # the reader's own, where there are any
        setting = max(settings, key=lambda name: len(self._found[name]["schemes"]), default=task)
        there = self._found.get(setting, {"schemes": {}, "lengths": [1]})
        if schemes is None:
            mine = list(dict.fromkeys(own[setting]["scheme"]))[:6] if setting in own else FIRST
            schemes = [name for name in mine if name in there["schemes"]] or list(there["schemes"])[:3] or ["none"]
        longest = own[setting]["length"].max() if setting in own else there["lengths"][-1]
        length = int(longest) if length is None else length
        self.set_trait("data", self._found)
        limits = {"task": {"options": list(self._found)}}
        state = {"task": setting, "schemes": list(schemes), "length": length}
        super().__init__(limits=limits, **state, **options)

    def check_together(self, state: dict[str, Any]) -> None:
        super().check_together(state)
        there = self._found[state["task"]]
        for name in state["schemes"]:
            if name not in there["schemes"]:
                raise InvalidState(f"schemes must be among {', '.join(there['schemes'])}, got {name!r}")
        if len(set(state["schemes"])) < len(state["schemes"]):
            raise InvalidState(f"schemes must hold each name once, got {state['schemes']}")
        if state["length"] not in there["lengths"]:
            raise InvalidState(f"length must be one of {there['lengths']}, got {state['length']}")

    @property
    def setting(self) -> dict[str, Any]:
        """What there is of the chosen task: its lengths, floor and ceiling, and of each scheme its curves."""
        return self._found[self.task]

    def accuracy(self, scheme: str) -> float:
        """The mean accuracy of a scheme at the chosen length."""
        test = self.setting["schemes"][scheme]["test"]
        return test["mean"][test["x"].index(self.length)] if self.length in test["x"] else float("nan")

    def attention_map(self, scheme: Any, tokens: Sequence[int] = EXAMPLE) -> AttentionMap:
        """The attention of the trained model of this task and scheme, on tokens of yours.

        scheme is a name, or a scheme of your own as it was given to the sweep.

        Raises ValueError: a task, setting or scheme whose model is not stored.
        """
        from inorder.lab.schemes import scheme_name

        task = self.task.partition(",")[0]
        own = self._own is not None and (task, scheme_name(scheme)) in self._own.modelled()
        parameters, config = (self._own if own else self._results).model(task, scheme)
        stored = setting_name(task, "bidirectional", config.n_layers, False)
        expect(self.task == stored, f"the setting whose models are kept, {stored!r}", self.task)
        states = layer_states(np.array(tokens), parameters, config, positions=np.arange(len(tokens)))
        names = {8: "A", 9: "B"} if task.startswith("which-first") else {}
        return AttentionMap.from_inorder(states, [names.get(token, str(token)) for token in tokens])

    def marks(self) -> list[marks.Mark]:
        there = self.setting
        look: dict[str, Any] = {"y_limits": (0, 1)}
        schemes = [there["schemes"][name] for name in self.schemes]
        last = max([1, *(step for scheme in schemes for step in scheme["curve"]["x"])])
        levels = _bounds(*there["training"]) if there["training"] else {}
        axes = ("training steps", "accuracy")
        ground = marks.lines([0, last], {}, levels=levels, axes=axes, x_limits=(0, last), **look)
        learning = reduce(add, [*_curves(schemes, "curve"), ground])
        bounds = _bounds(there["floor"], there["ceiling"])
        axes = ("tokens; shaded: trained on", "accuracy")
        look["x_limits"] = (0, max(there["lengths"][-1], TRAINED_ON[1]))
        ground = marks.lines(there["lengths"], bounds, handle=float(self.length), drag="length", axes=axes, **look)
        trained = marks.lines(TRAINED_ON, {"": [0, 0]}, bands={"": [[0, 0], [1, 1]]})
        reaching = reduce(add, [*_curves(schemes, "test"), ground, trained])
        accuracies = np.array([self.accuracy(name) for name in self.schemes])
        bars = marks.bars(
            np.nan_to_num(accuracies),
            [scheme["label"] for scheme in schemes],
            columns={"": [_range(scheme, self.length) for scheme in schemes]},
            axis=f"accuracy with {self.length} tokens",
            limits=(0, 1),
        )
        return [learning, reaching, bars, marks.answer(self._answer(accuracies[~np.isnan(accuracies)]))]

    def _answer(self, known: np.ndarray) -> str:
        if not known.size:
            return self.say("untested", length=self.length)
        best = known.max()
        labels = [
            f"“{self.setting['schemes'][name]['label']}”" for name in self.schemes if self.accuracy(name) > best - TIE
        ]
        sentence = "only" if known.size == 1 else "best" if len(labels) == 1 else "several"
        return self.say(sentence, length=self.length, schemes=listed(labels), accuracy=format_number(best))

    def note(self) -> str:
        """The smaller line below the answer."""
        at = self.setting["lengths"].index(self.length)
        floor, ceiling = (format_number(self.setting[bound][at]) for bound in ("floor", "ceiling"))
        low, high = TRAINED_ON
        return self.say("note", floor=floor, ceiling=ceiling, low=low, high=high)


def _bounds(floor: Any, ceiling: Any) -> dict[str, Any]:
    """Both by their names; one curve if they are the same."""
    return {"floor and ceiling": floor} if floor == ceiling else {"floor": floor, "ceiling": ceiling}


def _curves(schemes: list[dict[str, Any]], part: str) -> list[marks.Mark]:
    """The mean of each scheme that has this part, and the range around it."""
    known = [(scheme["label"], scheme[part]) for scheme in schemes if scheme[part]["x"]]
    return [
        marks.lines(one["x"], {label: one["mean"]}, bands={label: [one["low"], one["high"]]}) for label, one in known
    ]


def _range(scheme: dict[str, Any], length: int) -> str:
    """How many seeds, and from where to where they reach at that length."""
    test, seeds = scheme["test"], scheme["seeds"]
    if length not in test["x"]:
        return "not tested"
    at = test["x"].index(length)
    return "1 seed" if seeds == 1 else f"{format_number(test['low'][at])} to {format_number(test['high'][at])}"


@cache
def _sweep_of_the_book() -> tuple[Any, tuple[Any, Any], dict[str, Any]]:
    """Its results, their table and curves, and what the figure shows of them."""
    from inorder.lab.results import read

    results = read()
    tables = results.table(), results.curves()
    return results, tables, summarise(*tables, results.bounds_table())


def _in_place(stored: Any, own: Any, table: Any) -> Any:
    """The stored rows, except where the reader's table has that task, setting and scheme; then the reader's."""
    import pandas as pd

    keys = [*SETTING, "scheme"]
    taken = set(table[keys].itertuples(index=False, name=None))
    is_kept = [row not in taken for row in stored[keys].itertuples(index=False, name=None)]
    return pd.concat([stored[is_kept], own], ignore_index=True)  # None is passed over
