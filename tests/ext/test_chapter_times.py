"""The times of a chapter on the page on teaching."""

import nbformat

from _ext.chapter_times import times_of
from _ext.way import Chapter


def test_the_times_of_a_chapter_count_its_exercises():
    exercises = "".join(f":::{{exercise}} Say it\n:label: ex-{i}\n\nWhy?\n:::\n\n" for i in range(2))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(exercises)])
    write = ":::{exercise} Write it\n:label: ex-write\n\nNow.\n:::"
    stub = "def f(x):\n    raise NotImplementedError\n\n\nchecks.f(f)"
    notebook.cells += [nbformat.v4.new_markdown_cell(write), nbformat.v4.new_code_cell(stub)]
    result = times_of(Chapter("chapters/ch01_x", "X", "1", minutes=65), notebook)
    assert result.replace("\N{NBSP}", " ") == "1 h 5 min; 3 exercises, 20 min"
