"""A figure of marks whose states the page itself computes: Python and JavaScript return the same picture."""

from pathlib import Path
from typing import ClassVar

import traitlets
from matplotlib.figure import Figure

from inorder.widgets.interact.states import Tree, call
from inorder.widgets.interact.twin import describe_panel, draw_twin
from inorder.widgets.kit.figure import InteractiveFigure
from inorder.widgets.marks import Mark


class LiveFigure(InteractiveFigure):
    """A figure whose marks follow from its state: `marks` in Python, ``picture`` in the ``live.js`` of its own folder.

    The state is declared as that of any figure. ``live.js`` enters `LIVE` of ``kit/marks.js`` under its folder's name.
    """

    folder = Path(__file__).parent
    extra_marks: ClassVar[tuple[str, ...]] = ()  # those of its marks that have a module of their own, as "sentence"
    live = traitlets.Unicode(read_only=True).tag(sync=True)  # the folder of its own

    @traitlets.default("live")
    def _own_folder(self) -> str:
        return type(self).__module__.split(".")[-2]

    @traitlets.default("extras")
    def _own_module_and_marks(self) -> list[str]:
        return [*self.extra_marks, f"../{self.live}/live"]

    def marks(self) -> list[Mark]:
        """What there is to see, as a function gives it to `interact`."""
        raise NotImplementedError

    def picture(self) -> Tree:
        """``{"panels": […], "answer": …}``, the same as in JavaScript."""
        return call(self.marks, {})

    def summary(self) -> str:
        return self.picture()["answer"]["words"]

    def alt_text(self) -> str:
        panels = " ".join(map(describe_panel, self.picture()["panels"]))
        return f"{self.title} {panels} {self.summary()} {self.note()}".rstrip()

    def figure(self) -> Figure:
        return draw_twin(self.picture(), self.title, self.note())
