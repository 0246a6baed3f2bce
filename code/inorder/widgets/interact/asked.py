"""States that are computed as they are asked for, while there is a kernel.

A figure on a page asks by setting its traits. What was computed is kept; what travels with the figure, and so is saved
with a notebook, is the opening state and those asked for last, as many as the figure's budget holds.
"""

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from inorder.widgets.interact.controls import Control
from inorder.widgets.interact.states import (
    PRECISIONS,
    Slots,
    States,
    Tree,
    call,
    check_same_marks,
    compute,
    with_limits,
)

Keys = tuple[Any, ...]  # of all controls: a state


class Asked(States):
    """The states of ``f`` that were asked for. Unless ``lazy``, all that the controls name are computed at once.

    Raises:
        ValueError: as `inorder.widgets.interact.states.compute`; a state that fails names itself.
    """

    def __init__(
        self, f: Callable[..., Any], controls: Sequence[Control], budget: int, precision: str, *, lazy: bool
    ) -> None:
        self._f, self._budget, self._itemsize = f, budget, np.dtype(PRECISIONS[precision]).itemsize
        self._opening = tuple(control.keys[control.start] for control in controls)
        self._numbers: dict[Keys, int] = {}  # in the order in which they were asked for, the latest last
        self._all = Slots()
        first: Tree = None
        if not lazy:
            first, self._all = compute(f, controls, budget, precision)
            every = itertools.product(*(control.keys for control in controls))
            self._numbers = {keys: number for number, keys in enumerate(every)}
        super().__init__(first, self._all, controls)
        self.visit(self._opening)

    def __contains__(self, keys: Keys) -> bool:
        """Whether it travels with the figure."""
        return keys in self._places

    def tree(self, keys: Keys) -> Tree:
        if keys not in self:
            self.visit(keys)
        return self.slots.state(self.first, self._places[keys])

    def arguments(self, keys: Keys) -> dict[str, Any]:
        """What the function is called with."""
        return {control.name: control.value(key) for control, key in zip(self.controls, keys, strict=True)}

    def visit(self, keys: Keys) -> None:
        """Compute a state, unless it is known, and all to which a hand can drag it; they travel from now on."""
        self._compute(keys)
        for other in self._within_reach(keys):
            self._compute(other)
        self._numbers[keys] = self._numbers.pop(keys)  # the latest
        travelling = self._that_travel()
        self.visited = [list(one) for one in travelling]
        self._places = {one: place for place, one in enumerate(travelling)}
        self.slots = with_limits(self.first, self._all.only([self._numbers[one] for one in travelling]))

    def _compute(self, keys: Keys) -> None:
        if keys not in self._numbers:
            arguments = self.arguments(keys)
            tree = call(self._f, arguments)
            if self.first is None:
                self.first = tree
            check_same_marks(self._f, (self.arguments(self._opening), self.first), (arguments, tree))
            self._all.add(tree)
            self._numbers[keys] = len(self._numbers)
        self._numbers[keys] = self._numbers.pop(keys)

    def _within_reach(self, keys: Keys) -> Iterator[Keys]:
        """A hand that drags a mark goes to the state whose mark is nearest: all of them must be known."""
        names = {
            name
            for panel in self.first["panels"]
            for part in (panel, *panel.get("layers", ()))
            for name in (*part.get("drag", ()), *part.get("turn", ()))
            if part["kind"] not in ("heat_map", "stream")  # there each cell is a state
        }
        choices = [
            control.keys if control.name in names else (key,) for control, key in zip(self.controls, keys, strict=True)
        ]
        return itertools.product(*choices)

    def _that_travel(self) -> list[Keys]:
        """The opening state, the latest, and of the others the latest, as many as the budget holds."""
        travelling: list[Keys] = []
        seen: set[tuple[int, int]] = set()
        size = 0
        for keys in dict.fromkeys((self._opening, *reversed(self._numbers))):
            number = self._numbers[keys]
            leaves = {(slot, index[number]) for slot, index in enumerate(self._all.index)} - seen
            size += sum(self._size(self._all.leaves[slot][leaf]) for slot, leaf in leaves)
            if size > self._budget and len(travelling) > 1:
                break
            travelling.append(keys)
            seen |= leaves
        return travelling

    def _size(self, leaf: Any) -> int:
        return leaf.size * self._itemsize if isinstance(leaf, np.ndarray) else len(json.dumps(leaf))
