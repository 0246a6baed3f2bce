"""Reads the submissions of a chapter, and writes a table, a page for each student, and what a person must read."""

import argparse
import ast
import csv
import html
import importlib
import inspect
import itertools
import os
import queue
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat
from nbformat import NotebookNode

from _ext.course_notebooks import ANSWER, EXERCISE, NAME, NAME_CELL, chapter_paths, rubric_of, student_notebook
from _ext.exercises import CHECKER, BookExercise, exercises_of
from inorder.book.exercise import Verdict
from tools.grading.sandbox import NoWall, Sandbox, Stopped

ROOT = Path(__file__).parents[2]
CHECKS = "inorder.book.checks"
UNREADABLE = "The notebook can't be read: {error}"
YOURSELF = "Not yet: this is the answer of the package's own {name}. Write it yourself."
STYLE = """body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
pre { white-space: pre-wrap; background: #8881; padding: .75rem; } table { border-collapse: collapse; }
td, th { border: 1px solid #8886; padding: .25rem .5rem; text-align: left; }"""


@dataclass
class Submission:
    """A notebook that was handed in: `cells` are those of the exercises by label, `own` what the student added."""

    path: Path
    student: str
    error: str = ""
    name: str = ""
    cells: dict[str, str] = field(default_factory=dict)
    own: list[tuple[int, str]] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)

    def before(self, label: str) -> list[str]:
        """The student's own cells above that of the exercise."""
        return [source for i, source in self.own if i < self.places[label]]


class Chapter:
    """What there is to grade in a chapter, and with what."""

    def __init__(self, path: Path) -> None:
        notebook = nbformat.read(path, 4)
        self.name = path.stem
        self.exercises = exercises_of(notebook)
        self.by_code = [exercise for exercise in self.exercises if exercise.checker]
        self.in_words = [exercise for exercise in self.exercises if not exercise.checker]
        self.handed_out = {cell.source.strip() for cell in student_notebook(notebook).cells}
        self.checks_name = f"{CHECKS}.{self.name.partition('_')[2]}"
        self.checks = importlib.import_module(self.checks_name) if self.by_code else ModuleType(self.checks_name)
        self.imports = [
            ast.unparse(node)
            for cell in notebook.cells
            if cell.cell_type == "code" and "%pip" not in cell.source
            for node in ast.parse(cell.source).body
            if isinstance(node, ast.Import | ast.ImportFrom)
        ]

    def constants(self) -> dict[str, Any]:
        """What the stubs take from the checkers' module: functions without arguments, such as `own_word_tables`."""
        functions = inspect.getmembers(self.checks, inspect.isfunction)
        used = "\n".join(exercise.stub.source for exercise in self.by_code)
        return {name: function() for name, function in functions if f"checks.{name}()" in used}

    def read(self, path: Path, student: str) -> Submission:
        """A submission; what is wrong with its file is its `error`, and nothing is ever written."""
        submission = Submission(path, student)
        try:
            notebook = nbformat.reads(path.read_text(encoding="utf8"), 4)
            cells = [(i, cell, str(cell.source), dict(cell.metadata)) for i, cell in enumerate(notebook.cells)]
        except Exception as error:
            submission.error = UNREADABLE.format(error=str(error).partition("\n")[0][:200] or type(error).__name__)
            return submission
        for i, cell, source, metadata in cells:
            label = metadata.get(EXERCISE) or self.label_in(cell, source)
            if metadata.get(NAME) or source.startswith(NAME_CELL.strip()):
                submission.name = source.replace(NAME_CELL.strip(), "").strip()[:100]
            elif label in {exercise.label for exercise in self.exercises}:
                submission.cells[label] = source
                submission.places[label] = i
            elif cell.cell_type == "code" and source.strip() not in self.handed_out:
                submission.own.append((i, source))
        if not submission.cells:
            submission.error = f"There is no exercise of {self.name} in this notebook."
        return submission

    def label_in(self, cell: NotebookNode, source: str) -> str | None:
        """Whose cell it is, where an editor has lost the cells' metadata."""
        for exercise in self.exercises:
            if exercise.stub is None:
                if cell.cell_type == "markdown" and source.startswith(ANSWER.format(title=exercise.title).strip()):
                    return exercise.label
            elif cell.cell_type == "code" and f"checks.{exercise.checker}(" in source:
                return exercise.label
        return None

    def answer_in_words(self, exercise: BookExercise, submission: Submission) -> str:
        """What the student wrote, without the words that the cell came with."""
        source = submission.cells.get(exercise.label, "")
        given = exercise.stub.source if exercise.stub else ANSWER.format(title=exercise.title)
        return source.replace(given.strip(), "").strip()

    def grade(self, submission: Submission, sandbox: Callable[[], Sandbox]) -> None:
        """Fill in the verdicts: each exercise in a run of its own, so that none stops another."""
        for exercise in [] if submission.error else self.by_code:
            submission.verdicts[exercise.label] = self.verdict(exercise, submission, sandbox)

    def verdict(self, exercise: BookExercise, submission: Submission, sandbox: Callable[[], Sandbox]) -> Verdict:
        """By its cell alone; if that does not pass, with the student's own cells above it."""
        source = submission.cells.get(exercise.label)
        if source is None:
            return Verdict(False, "Not yet: the exercise's cell is missing.")
        before = submission.before(exercise.label)
        first = None
        for cells in [[source], [*before, source]] if before else [[source]]:
            try:
                verdict = self.tried(exercise, cells, sandbox())
            except Stopped as stopped:
                verdict = Verdict(False, f"Not yet: {stopped}")
            except Exception as error:
                verdict = Verdict(False, f"Not yet: the check came to no result ({type(error).__name__}).")
            if verdict.passed:
                return verdict
            first = first or verdict
            if len(cells) > 1 and "is not defined" in first.message:
                return verdict
        return first

    def tried(self, exercise: BookExercise, cells: Sequence[str], sandbox: Sandbox) -> Verdict:
        names = re.findall(r"\w+", CHECKER.findall(exercise.stub.source)[-1][1])
        with sandbox.run(cells, names) as run:
            if run.missing:
                error = f"\n{run.error}" if run.error else ""
                return Verdict(False, f"Not yet: after the cell there is no {', '.join(run.missing)}.{error}")
            verdict = getattr(self.checks, exercise.checker)(*run.values)
            known = CHECKER.sub("", "\n".join([exercise.stub.source, *(cell.source for cell in exercise.cells)]))
            borrowed = [name for name in sorted(run.handed_on or ()) if name.isidentifier()]
            if verdict.passed and borrowed and not any(uses(known, name) for name in borrowed):
                public = [name for name in borrowed if not name.startswith("_")] or borrowed
                name = exercise.checker if exercise.checker in public else public[0]
                return Verdict(False, YOURSELF.format(name=name))
            return verdict


def uses(source: str, name: str) -> bool:
    """Whether the code uses a name that it does not define itself."""
    nodes = list(ast.walk(ast.parse(source)))
    defined = any(isinstance(node, ast.FunctionDef) and node.name == name for node in nodes)
    return not defined and any(name in (getattr(node, "id", None), getattr(node, "attr", None)) for node in nodes)


def submissions_in(folder: Path) -> Iterator[tuple[Path, str]]:
    """The notebooks of a folder, each with its student: the folder in which it lies, or its own name."""
    paths = [
        path
        for path in sorted(folder.rglob("*.ipynb"))
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and path.is_file()
        and path.resolve().is_relative_to(folder.resolve())
    ]
    parents = [path.relative_to(folder).parts[:-1] for path in paths]
    for path, parts in zip(paths, parents, strict=True):
        yield path, "/".join(parts if parts and parents.count(parts) == 1 else [*parts, path.stem])


def grade(
    chapter: Chapter, submissions: Sequence[Submission], start: Callable[[], Sandbox], workers: int
) -> Iterator[Submission]:
    """Grade them in parallel, a sandbox for each worker, and yield each when it is done."""
    todo: queue.SimpleQueue = queue.SimpleQueue()
    done: queue.SimpleQueue = queue.SimpleQueue()
    for submission in submissions:
        todo.put(submission)

    def work() -> None:
        current: list[Sandbox] = []

        def sandbox() -> Sandbox:
            if current and current[0].process.poll() is not None:
                current.pop().close()
            if not current:
                current.append(start())
            return current[0]

        try:
            sandbox()
            while True:
                submission = todo.get_nowait()
                chapter.grade(submission, sandbox)
                done.put(submission)
        except queue.Empty:
            pass
        except BaseException as error:
            done.put(error)
        finally:
            for each in current:
                each.close()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(max(1, min(workers, len(submissions))))]
    for thread in threads:
        thread.start()
    for _ in submissions:
        result = done.get()
        if isinstance(result, BaseException):
            raise result
        yield result
    for thread in threads:
        thread.join()


# ---- what is written


def write(chapter: Chapter, submissions: Sequence[Submission], out: Path) -> None:
    (out / "feedback").mkdir(parents=True, exist_ok=True)
    with (out / "grades.csv").open("w", encoding="utf-8-sig", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["student", "name", *(each.label for each in chapter.exercises), "by code", "note"])
        for submission in submissions:
            rows.writerow(row(chapter, submission))
    for submission in submissions:
        name = re.sub(r"[^\w.-]", "_", submission.student)
        (out / "feedback" / f"{name}.html").write_text(feedback(chapter, submission), encoding="utf8")
    (out / "to_read.html").write_text(to_read(chapter, submissions), encoding="utf8")


def row(chapter: Chapter, submission: Submission) -> list[str | int]:
    points: list[str | int] = []
    for exercise in chapter.exercises:
        if exercise.checker:
            points.append(int(passed(submission, exercise)))
        else:  # a person's to fill in
            points.append("read" if chapter.answer_in_words(exercise, submission) else 0)
    total = sum(passed(submission, exercise) for exercise in chapter.by_code)
    return [plain(submission.student), plain(submission.name), *points, total, submission.error]


def passed(submission: Submission, exercise: BookExercise) -> bool:
    return exercise.label in submission.verdicts and submission.verdicts[exercise.label].passed


def plain(text: str) -> str:
    """Text of a student that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def page(title: str, body: Sequence[str]) -> str:
    head = (
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{html.escape(title)}</title>'
    )
    parts = ["<!doctype html>", '<html lang="en">', head, f"<style>{STYLE}</style>", f"<h1>{html.escape(title)}</h1>"]
    return "\n".join([*parts, *body, "</html>", ""])


def feedback(chapter: Chapter, submission: Submission) -> str:
    total = sum(passed(submission, exercise) for exercise in chapter.by_code)
    body = [f"<p>{html.escape(submission.name or submission.student)}: {total} of {len(chapter.by_code)} by code.</p>"]
    if submission.error:
        body.append(f"<p>{html.escape(submission.error)}</p>")
    for exercise in chapter.exercises:
        body.append(f"<h2>{html.escape(exercise.title)}</h2>")
        if exercise.checker:
            verdict = submission.verdicts.get(exercise.label)
            body.append(f"<pre>{html.escape(str(verdict or 'not graded'))}</pre>")
        else:
            answered = chapter.answer_in_words(exercise, submission)
            body.append("<p>A person reads your answer.</p>" if answered else "<p>No answer was found.</p>")
    return page(chapter.name, body)


def to_read(chapter: Chapter, submissions: Sequence[Submission]) -> str:
    """The answers in words, exercise by exercise, each with the task and the book's answer."""
    body = []
    for exercise in chapter.in_words:
        body += [
            f"<h2>{html.escape(exercise.title)} ({exercise.label})</h2>",
            f"<pre>{html.escape(exercise.text)}</pre>",
        ]
        rubric = "".join(f"<li>{html.escape(line)}</li>" for line in rubric_of(exercise))
        body.append(f"<p>A point for each:</p><ol>{rubric}</ol>")
        body.append(
            f"<details><summary>The book's answer</summary><pre>{html.escape(exercise.solution)}</pre></details>"
        )
        for submission in submissions:
            if answer := chapter.answer_in_words(exercise, submission):
                body += [f"<h3>{html.escape(submission.student)}</h3>", f"<pre>{html.escape(answer)}</pre>"]
    return page(f"{chapter.name}: to read", body)


def chapter_named(name: str) -> Chapter:
    paths = [path for path in chapter_paths() if path.stem == name or path.stem.startswith(f"{name}_")]
    if len(paths) != 1:
        raise SystemExit(
            f"There is no chapter {name!r} in the book. There are {', '.join(p.stem for p in chapter_paths())}."
        )
    return Chapter(paths[0])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="make grade")
    parser.add_argument("--chapter", required=True)
    parser.add_argument("--from", dest="folder", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--seconds", type=int, default=10, help="of computing, for each exercise")
    parser.add_argument("--unprotected", action="store_true")
    options = parser.parse_args(arguments)
    began = time.perf_counter()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    chapter = chapter_named(options.chapter)
    out = options.out or ROOT / "_build" / "grades" / chapter.name
    if not options.folder.is_dir():
        raise SystemExit(f"There is no folder {options.folder}.")
    submissions = [chapter.read(*each) for each in submissions_in(options.folder)]
    constants = chapter.constants()

    def start() -> Sandbox:
        return Sandbox(
            chapter.imports,
            chapter.checks_name,
            constants,
            seconds=options.seconds,
            protected=not options.unprotected,
        )

    number = itertools.count(1)
    try:
        for done in grade(chapter, submissions, start, os.cpu_count() or 1):
            total = sum(passed(done, exercise) for exercise in chapter.by_code)
            note = f"  {done.error}" if done.error else ""
            print(
                f"{next(number):4} of {len(submissions)}  {total}/{len(chapter.by_code)}  {done.student}{note}",
                flush=True,
            )
    except NoWall as error:
        sys.exit(str(error))
    write(chapter, submissions, out)
    wall = "without protection" if options.unprotected else "behind Linux namespaces: no network, no files, no rights"
    print(f"{len(submissions)} submissions in {time.perf_counter() - began:.0f} s, {wall}.")
    print(f"{os.path.relpath(out)}: grades.csv, to_read.html, feedback/")


if __name__ == "__main__":
    main()
