"""Exercises on the page: solutions are folds with their code, and what a stub's check says is left out.

Cells tagged ``solution`` join the ``{solution}`` above them.

A notebook cannot fold a Markdown cell together with a code cell. So the text stands in a ``{solution}`` of class
``dropdown``, and the code in the cells after it, which JupyterLab folds because their metadata asks for it. On the page
both are one fold. With ``hide_solutions: true`` in the settings neither is there. The verdict on a stub would give its
bug away, or tell a reader who has written nothing that nothing is written: a notebook shows it when the cell is run.
"""

from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx_exercise.nodes import solution_node

from _ext.exercises import checker_in

TAG = "solution"
SOLUTION_GATES_CLOSED = 10  # the priority at which sphinx-exercise joins what stands between the gates of a solution
logger = logging.getLogger(__name__)


def cells_with_code(document: nodes.document) -> Iterator[tuple[nodes.container, nodes.container]]:
    """Each code cell whose code is shown, with the container of the code."""
    for cell in list(document.findall(nodes.container)):
        if cell.get("nb_element") == "cell_code" and cell.children:
            source = cell[0]
            if source.get("nb_element") == "cell_code_source":
                yield cell, source


def is_solution_cell(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and TAG in node.get("cell_metadata", {}).get("tags", [])


class JoinSolutions(SphinxTransform):
    default_priority = SOLUTION_GATES_CLOSED

    def apply(self, **kwargs) -> None:
        for cell in list(self.document.findall(is_solution_cell)):
            before = cell.parent[cell.parent.index(cell) - 1]
            if isinstance(before, solution_node):
                cell.parent.remove(cell)
                before[-1] += cell
            elif self.config.hide_solutions:
                cell.parent.remove(cell)
            else:
                logger.warning("a cell tagged 'solution' needs a {solution} above it", location=cell, type="exercise")


class DropVerdictsOfStubs(SphinxTransform):
    default_priority = SOLUTION_GATES_CLOSED

    def apply(self, **kwargs) -> None:
        for cell, source in cells_with_code(self.document):
            if checker_in(source.astext()) and not is_solution_cell(cell):
                del cell[cell.index(source) + 1 :]


def setup(app: Sphinx):
    app.add_transform(DropVerdictsOfStubs)  # before the solutions' cells are moved
    app.add_transform(JoinSolutions)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
