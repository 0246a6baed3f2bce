"""Grades the notebooks that students hand in: ``make grade CHAPTER=ch03 FROM=submissions/``.

`grade` reads the submissions and writes the table and the pages, `sandbox` is this side of the wall and `child` the
other one: a student's code runs there, and nowhere else.
"""
