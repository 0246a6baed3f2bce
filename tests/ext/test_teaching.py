"""The page on teaching: its questions have keys, its numbers are computed, and its times are those of the chapters."""

import re

import nbformat
import numpy as np
import pytest

from _ext.course_notebooks import ROOT
from _ext.section_times import Section, count_words, exercise_minutes, sections_of
from chapter_tests import whole_chapters
from inorder.attention import attention_weights, causal_mask, softmax
from inorder.encodings import rotary_encoding
from inorder.encodings.waves import frequencies
from inorder.widgets import AddOrConcatenate

PAGE = (ROOT / "chapters" / "teaching.md").read_text(encoding="utf8")
KEY = (ROOT / "chapters" / "teaching_key.md").read_text(encoding="utf8")
CHAPTERS = whole_chapters()


def answers() -> dict[str, str]:
    parts = re.split(r"^\*\*([QE]\d+)[^*]*\*\*", KEY, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_question_has_a_key_and_every_key_a_question():
    asked = re.findall(r"^\*\*([QE]\d+)[^*]*\*\*", PAGE, re.MULTILINE)
    assert asked == list(answers())
    assert len([name for name in asked if name.startswith("Q")]) >= 20


def test_every_way_to_hand_out_the_course_is_named_and_there():
    targets = set(re.findall(r"`make (\w+)", PAGE))
    assert {"notebooks", "slides", "handout", "pdf"} <= targets
    made = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf8"), re.MULTILINE))
    assert targets <= made
    assert "`?solutions=none`" in PAGE  # tests/book/test_print.py tries it
    assert "`deploy/jupyterhub`" in PAGE and (ROOT / "deploy" / "jupyterhub" / "README.md").is_file()


def test_the_points_of_the_exam_add_up():
    exam = PAGE.partition("## An exam")[2].partition("## A project")[0]
    total = int(re.search(r"(\d+) points", exam)[1])
    problems = re.split(r"^\*\*E\d+ \((\d+) points\)\.\*\*", exam, flags=re.MULTILINE)
    points = [int(each) for each in problems[1::2]]
    assert sum(points) == total
    for whole, text in zip(points, problems[2::2], strict=True):
        assert sum(map(int, re.findall(r"\((\d+)\)", text))) == whole, text[:60]


def test_the_numbers_of_the_keys_are_computed():
    key = answers()
    share = softmax(np.array([4.0, 0, 0, 0, 0]))[0]
    assert f"{share:.2f}" == "0.93" and "0.93" in key["Q1"]
    assert np.allclose(softmax(np.array([[1000.0, 1000.0], [0.0, np.log(3)]])), [[0.5, 0.5], [0.25, 0.75]])
    assert np.sqrt(512 / 8) == 8 and "By 8" in key["Q5"]
    assert np.allclose(frequencies(4, base=100.0), [1, 1 / 10])
    marked = attention_weights(np.zeros((6, 1)), np.zeros((6, 1)), mask=causal_mask(6))[:, 0]
    assert marked[4] == 1 / 5
    assert AddOrConcatenate(n_tokens=24, n_positions=4).exact_from["added"] == 26
    rows = np.random.default_rng(0).normal(size=(2, 1, 8))
    near, far = (
        rotary_encoding(rows[0], np.array([10 + k])) @ rotary_encoding(rows[1], np.array([7 + k])).T for k in (0, 50)
    )
    assert np.allclose(near, far)
    row = (np.eye(4) + 1 / 4)[0] / 2
    assert row[0] == 0.625 and "0.625" in key["Q25"]


def test_the_exam_is_right():
    scores = np.log(2) * np.array([[1.0, 0, 1], [0, 2, 1], [1, 1, 0]])
    value = np.array([[35.0, 0], [0, 35], [35, 35]])
    for mask, rows in (
        (np.ones((3, 3), bool), [(28, 21), (15, 30), (21, 21)]),
        (np.tri(3, dtype=bool), [(35, 0), (7, 28), (21, 21)]),
    ):
        assert np.allclose(softmax(np.where(mask, scores, -np.inf)) @ value, rows)
        assert all(f"({x}, {y})" in answers()["E1"] for x, y in rows)
    rng = np.random.default_rng(0)
    x, w_query, w_key, g = (rng.normal(size=size) for size in ((5, 6), (6, 2), (6, 2), (2, 2)))
    assert np.allclose(x @ w_query @ g @ (x @ w_key @ np.linalg.inv(g).T).T, x @ w_query @ w_key.T @ x.T)

    many = rng.normal(size=(40, 6))  # tokens enough to see every number that can be seen

    def scores_of(numbers):
        return (many @ numbers[:12].reshape(6, 2) @ numbers[12:].reshape(6, 2).T @ many.T).ravel()

    at = rng.normal(size=24)
    slopes = [(scores_of(at + 1e-6 * e) - scores_of(at - 1e-6 * e)) / 2e-6 for e in np.eye(24)]
    assert np.linalg.matrix_rank(np.array(slopes), tol=1e-4) == 20
    waves = np.array([[np.sin(np.pi / 2 * i), np.cos(np.pi / 2 * i)] for i in range(5)])
    assert np.allclose(waves, [(0, 1), (1, 0), (0, -1), (-1, 0), (0, 1)])
    assert np.allclose(waves[:-1] @ [[0, -1], [1, 0]], waves[1:])
    assert r"0 & -1 \\ 1 & 0" in answers()["E5"]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_chapter_has_an_objective_a_place_in_the_module_and_no_typed_number(path):
    objectives = PAGE.partition("## What students can do")[2].partition("## How long")[0]
    module = PAGE.partition("**A module")[2].partition("## What students")[0]
    assert path.name in objectives and path.name in module
    assert not re.search(r"\b[Cc]hapters? \d", PAGE + KEY)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_the_times_of_the_sections_add_up_to_the_time_of_the_chapter(path):
    notebook = nbformat.read(path, 4)
    sections = sections_of(notebook)
    counted = sum(section.minutes for section in sections)
    assert abs(counted - notebook.metadata["minutes"]) <= 0.2 * notebook.metadata["minutes"]
    assert sum(section.core for section in sections) >= 4
    assert not all(section.core for section in sections)
    assert exercise_minutes(notebook) >= 25


OPENING = """\
(ch-x)=
# Title

::::{admonition} Predict
:class: predict
One two three?
:::{dropdown} 1. Yes
Folded.
:::
::::"""
FIRST = """\
## See it

A *b* $c + d$ [e f](x.md#y).

:::{dropdown} Measured · 1 minute
f g h
:::

More words. <!-- fold -->"""


def test_sections_are_counted():
    caption = {"mystnb": {"figure": {"caption": "p q r"}}}
    cells = [
        nbformat.v4.new_markdown_cell(OPENING),
        nbformat.v4.new_markdown_cell(FIRST),
        nbformat.v4.new_code_cell("interact(f, x=3)"),
        nbformat.v4.new_markdown_cell("<!-- end of fold -->\n\n## Measured: it\n\nx y"),
        nbformat.v4.new_code_cell("PLANE = 1\nSoftLookup(PLANE)", metadata=caption),
        nbformat.v4.new_code_cell("interact(f)", metadata={"tags": ["solution"]}),
    ]
    question, see, measured = sections_of(nbformat.v4.new_notebook(cells=cells))
    assert (question.title, see.title, measured.title) == ("The question", "See it", "Measured: it")
    assert question.words == count_words("One two three?") == 3 and question.folded_words == 1
    assert (see.words, see.figures) == (7, 0)
    assert (see.folded_words, see.folded_figures) == (3, 1)
    assert (measured.words, measured.figures) == (5, 1)
    assert see.core and not measured.core
    assert Section("x", words=300, figures=1).minutes == 5
