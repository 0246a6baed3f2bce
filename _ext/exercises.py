"""Reads the exercises out of a chapter, and derives a stub from its solution: ``python -m _ext.exercises`` writes them.

An exercise is an ``{exercise}``, then, if code checks it, a cell with its stub, perhaps a hint, and a ``{solution}``
with its cells. A stub is the solution with blanks, of one of three kinds: *write it*, where `NotImplementedError`
stands for the body of the function, and which the script writes; *change it*, where lines end in ``# change this``; and
*find the bug*, where some lines are others. The solution's function is called as the reader's with
`solution_` before it: a notebook that is run from top to bottom leaves the reader's own function alone.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

ROOT = Path(__file__).parent.parent
DIRECTIVE = re.compile(
    r"^(?P<fence>:{3,})\{(?P<kind>exercise|solution|dropdown)\} ?(?P<title>[^\n]*)\n(?P<body>(?:.*\n)*?)(?P=fence)$",
    re.MULTILINE,
)
LABEL = re.compile(r"^:label: +(\S+)$", re.MULTILINE)
CHECKER = re.compile(r"^(?:verdict = )?checks\.(\w+)\(([^()]*)\)$", re.MULTILINE)
BLANK = "raise NotImplementedError  # your lines go here"
CHANGE = "# change this"
SOLVED = "solution_"  # before the name of a solution's function
HINT = "Hint"


@dataclass
class BookExercise:
    label: str
    title: str
    text: str
    stub: NotebookNode | None = None
    hint: str = ""
    solution: str = ""
    cells: list[NotebookNode] = field(default_factory=list)

    @property
    def checker(self) -> str:
        """The name of the checker that the stub calls, if it has one."""
        return checker_in(self.stub.source) if self.stub else ""

    @property
    def answer(self) -> NotebookNode | None:
        """The solution's cell that calls the same checker."""
        return next((cell for cell in self.cells if self.checker and checker_in(cell.source) == self.checker), None)

    @property
    def kind(self) -> str:
        if not self.checker:
            return "in words"
        source = self.stub.source
        return "write" if "raise NotImplementedError" in source else "change" if CHANGE in source else "bug"


def checker_in(source: str) -> str:
    calls = CHECKER.findall(source)
    return calls[-1][0] if calls else ""


def tags_of(cell: NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])


def exercises_of(notebook: NotebookNode) -> list[BookExercise]:
    """The exercises of a notebook, in their order."""
    exercises: dict[str, BookExercise] = {}
    current = None
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for match in DIRECTIVE.finditer(cell.source):
                if match["kind"] == "exercise":
                    label = LABEL.search(match["body"])[1]
                    text = LABEL.sub("", match["body"], count=1).strip()
                    current = exercises[label] = BookExercise(label, match["title"], text)
                elif match["kind"] == "solution":
                    current = exercises[match["title"]]
                    current.solution = re.sub(r"^:.*\n", "", match["body"], flags=re.MULTILINE).strip()
                elif current and match["title"] == HINT and not current.solution:
                    current.hint = match["body"].strip()
        elif current and "solution" in tags_of(cell):
            current.cells.append(cell)
        elif current and not current.solution and not current.stub:
            current.stub = cell
    return list(exercises.values())


def stub_of(solution: str) -> str:
    """The stub of a function to be written: the signature and the docstring of its solution, a blank, and the check.

    >>> solution = "def solution_twice(x):\\n    return 2 * x\\n\\n\\nverdict = checks.twice(solution_twice)\\nverdict"
    >>> print(stub_of(solution))
    def twice(x):
        raise NotImplementedError  # your lines go here
    <BLANKLINE>
    <BLANKLINE>
    checks.twice(twice)
    """
    solution = as_written_by_reader(solution)
    checker, name = CHECKER.findall(solution)[-1]
    lines = solution.splitlines()
    function = next(node for node in ast.parse(solution).body if getattr(node, "name", "") == name)
    first = function.body[0]
    has_docstring = ast.get_docstring(function) is not None
    end = first.end_lineno if has_docstring else first.lineno - 1
    return "\n".join([*lines[function.lineno - 1 : end], f"    {BLANK}", "", "", f"checks.{checker}({name})"])


def as_written_by_reader(solution: str) -> str:
    """The code of a solution with its function called as the reader's."""
    return re.sub(rf"\b{SOLVED}(?=\w)", "", solution)


def wrong_stub(exercise: BookExercise) -> Iterator[str]:
    """What keeps a stub from being its solution with blanks, one sentence each."""
    answer = exercise.answer
    if answer is None:
        yield "no cell tagged 'solution' calls the stub's checker"
        return
    if not answer.source.rstrip().endswith("verdict"):
        yield "the solution's cell must end in 'verdict = checks.…', 'assert verdict.passed' and 'verdict'"
    if not answer.metadata.get("jupyter", {}).get("outputs_hidden"):
        yield 'the verdict on the solution would stand below the reader\'s own: say "outputs_hidden": true in its cell'
    _, handed_over = CHECKER.findall(answer.source)[-1]
    if exercise.kind != "change" and not handed_over.startswith(SOLVED):
        yield f"Run All would replace the reader's function with the solution: call it {SOLVED}{handed_over}"
    if exercise.kind == "write" and exercise.stub.source != stub_of(answer.source):
        yield "the stub is not the solution with a blank: run python -m _ext.exercises"


def write_stubs(path: Path) -> bool:
    """Renew the stubs of the functions to be written in a notebook; False where nothing changes."""
    notebook, changed = nbformat.read(path, 4), False
    for exercise in exercises_of(notebook):
        if exercise.kind == "write" and exercise.answer is not None:
            stub = stub_of(exercise.answer.source)
            changed |= stub != exercise.stub.source
            exercise.stub.source = stub
    if changed:
        path.write_text(nbformat.writes(notebook) + "\n", encoding="utf8")
    return changed


if __name__ == "__main__":
    for path in sorted((ROOT / "chapters").glob("ch*.ipynb")):
        if write_stubs(path):
            print(f"written  {path.name}")
