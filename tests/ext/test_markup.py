"""Folds, predictions, code cells and the search index, each in a small book of one page and no theme."""

import json

import nbformat
import pytest
from bs4 import BeautifulSoup

from _ext.search_index import plain
from _ext.way import Chapter, Part, the_way
from harness.page_of_cells import page_of

OURS = ["_ext.folds", "_ext.predict", "_ext.code_cells", "_ext.valid_markup"]
EXTENSIONS = ["myst_nb", "sphinx_design", "sphinx_exercise", "sphinx_proof", *OURS]


@pytest.fixture
def build(tmp_path):
    """build(cells): the page that these cells make, and the warnings."""

    def build_one(*cells: str | tuple[str, list[str]] | nbformat.NotebookNode):
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}, "language_info": {"name": "python"}}
        notebook = nbformat.v4.new_notebook(metadata=kernel)
        for cell in cells:
            if isinstance(cell, str):
                notebook.cells.append(nbformat.v4.new_markdown_cell(cell))
            elif isinstance(cell, tuple):
                notebook.cells.append(nbformat.v4.new_code_cell(cell[0], metadata={"tags": cell[1]}))
            else:
                notebook.cells.append(cell)
        markup = ["colon_fence", "dollarmath"]
        settings = {"extensions": EXTENSIONS, "myst_enable_extensions": markup, "numfig": True, "html_theme": "basic"}
        html, warnings = page_of(notebook, tmp_path, **settings)
        return BeautifulSoup(html, "html.parser").find(class_="body"), warnings

    return build_one


def texts(fold) -> tuple[str, str, str]:
    name, cost = fold.summary.find_all("span", recursive=False)[0], fold.summary.select_one(".cost")
    return name.text, cost.text if cost else "", " ".join(fold.select_one(".in").text.split())


def test_a_dropdown_is_a_fold_with_its_cost(build):
    page, warnings = build("# Title\n\n:::{dropdown} Proof · four *short* lines, 2 minutes\nBecause $a$.\n:::\n")
    assert warnings == ""
    (fold,) = page.select("details.fold")
    assert not fold.has_attr("open")
    assert fold.summary.text == "Proof · four short lines, 2 minutes"
    page, _ = build("# Title\n\n:::{dropdown} For the *curious* · 2 minutes\nBecause.\n:::\n")
    assert texts(page.select_one("details.fold")) == ("For the curious", "2 minutes", "Because.")


def test_a_fold_goes_over_cells(build):
    page, warnings = build(
        "# Title\n\nBefore.\n\n**Measured · ten seeds, 3 minutes** <!-- fold -->\n\nInside.",
        ("x = 1", []),
        "Inside, too.\n\n<!-- end of fold -->\n\nAfter.",
    )
    assert warnings == ""
    (fold,) = page.select("details.fold")
    assert texts(fold)[:2] == ("Measured", "ten seeds, 3 minutes")
    assert [p.text for p in fold.select(".in > p")] == ["Inside.", "Inside, too."]
    assert fold.select_one("details.code pre").text.strip() == "x = 1"
    assert [p.text for p in page.select("section > p")] == ["Before.", "After."]


def test_an_open_end_is_told(build):
    _, warnings = build("# Title\n\n**Measured · 3 minutes** <!-- fold -->\n\n## Next\n\n<!-- end of fold -->\n")
    assert "a fold needs its '<!-- end of fold -->' in the section in which it begins" in warnings
    assert "Measured" in warnings


def test_solutions_and_proofs_are_folds_and_keep_their_places(build):
    page, warnings = build(
        "# Title\n\n:::{prf:theorem} It holds\n:label: thm\n\nFor all $P$.\n:::\n\n"
        ":::{dropdown} Proof · one line\nIt is *clear*.\n:::\n\n"
        ":::{exercise}\n:label: ex\n\nShow it.\n:::\n\n:::{solution} ex\n:label: sol\n\nSee above.\n:::\n"
    )
    assert warnings == ""
    proof, solution = page.select("details.fold")
    assert texts(proof) == ("Proof", "one line", "It is clear.")
    assert proof.parent["id"] == "thm" and not proof.find_next_sibling(), "it is the last row of its theorem"
    assert solution["id"] == "sol"
    assert texts(solution) == ("Solution", "", "See above.")
    assert not solution.summary.find("a")


PREDICT = """# Title

::::{admonition} Predict
:class: predict

Which?

:::{dropdown} 1. One
Too few.
:::
:::{dropdown} 2. Two
Just {ref}`so <here>`. <!-- right -->
:::
:::{dropdown} Three
Close, but too many.
:::
::::

(here)=
## Here
"""


@pytest.mark.parametrize(
    ("result", "replaced"),
    [(" <!-- right -->", ""), ("Too few.", "Too few. <!-- right -->"), ("Close, but too many.\n", "")],
    ids=["no right one", "two right ones", "no reason"],
)
def test_a_prediction_without_one_right_answer_is_told(build, result, replaced):
    assert "a prediction needs two options or more" in build(PREDICT.replace(result, replaced))[1]


def test_code_says_what_it_is(build):
    page, warnings = build(
        "# Title",
        ("# The weights, by hand.\nQ = query @ W\nsorted(x, key=len)", []),
        ("import numpy", ["hide-input"]),
        ("# only a comment", []),
    )
    assert warnings == ""
    first, second, third = page.select("details.code")
    assert first.summary.text == "Code, 2 lines: the weights, by hand"
    assert first.pre.text.splitlines() == ["Q = query @ W", "sorted(x, key=len)"]
    assert first.has_attr("open") and not second.has_attr("open")
    assert second.summary.text == third.summary.text == "Code, 1 line"
    assert [(name["class"][-1], name.text) for name in first.select("[class*=n-]")] == [
        ("n-Query", "Q"),
        ("n-Query", "query"),
        ("n-Key", "key"),
    ]


def test_formulas_are_searched_as_one_writes_them():
    assert plain(r"\softmax\!\left(\frac{\textcolor{query}{Q}\textcolor{key}{K}^\top}{\sqrt{d}}\right)") == (
        "softmax (QKᵀ√d)"
    )
    assert plain(r"\lambda_j \le \text{base}^2") == "λj ≤ base2"


def test_the_way_has_the_numbered_chapters_and_each_knows_its_place():
    front = Part("Front matter", (Chapter("preface", "Preface"),))
    one = Part("Part I · Start", (Chapter("chapters/ch01_what_is", "What?", "1", 20),))
    two = Part("Part II", (Chapter("ch02_how", "How?", "2", 30), Chapter("appendix", "More")))
    way = the_way([front, one, two])
    answer = [(part.label, part.title, part.minutes) for part in way]
    assert answer == [("Part I", "Start", 20), ("Part II", "Part II", 30)]
    chapters = [chapter for part in way for chapter in part.chapters]
    assert [(c.slug, c.part, c.total) for c in chapters] == [("what_is", "Part I · Start", 2), ("how", "Part II", 2)]
    assert "svg" in chapters[0].emblem, "a chapter without an emblem of its own has one all the same"
    assert json.dumps(str(Chapter("x/ch14_the_block", "").emblem)) != json.dumps(str(chapters[0].emblem))
