"""The check of the chapters' text finds what a notebook would show raw, and nothing in what it shows well."""

import nbformat
import pytest
from pybtex.database import parse_string

from _ext.chapter_text import FOLDED, complaints
from _ext.links import linked_to_site, without_dropped

BIBLIOGRAPHY = parse_string(
    "@article{kučera2020order, author = {Kučera, Ada and Lee, Bo}, title = {Order}, year = {2020}}", "bibtex"
)
GOOD = """\
(sec-sum)=
# A sum

:::{prf:theorem} One
:label: thm-one

$$
x = x
$$ (eq-same)
:::

See {prf:ref}`thm-one`, {eq}`eq-same`, {ref}`the sum <sec-sum>`, [the next](next.ipynb#sec-next), `{term}` in code and
[Kucera and Lee (2020)](bibliography.md#kučera2020order).

```python
"{ref}`no role`"
```

:::{exercise} Do it
:label: ex-do
:::

:::{solution} ex-do
:label: sol-do
:class: dropdown

So.
:::"""
BAD = {
    "```{prf:theorem} Two\n```": "fence {prf:theorem} with colons",
    ":::{solution-start} ex-do\n:::": "into one {solution}",
    "a {term}`query`": "write a Markdown link instead of {term}`query`",
    "{ref}`the other <sec-other>`": "{ref}`the other <sec-other>`: no such label",
    "[](next.ipynb)": "a link needs words",
    "[there](there.ipynb)": "[there](there.ipynb): no such file",
    "[the model of chapter 4](next.ipynb)": "'chapter 4': link the chapter by its title",
    "a share of 14 %": "'4 %': write per cent without a space",
    "[Lee (2020)](bibliography.md#lee2020)": "references.bib has no 'lee2020'",
    "[Lee (2020)](bibliography.md#kučera2020order)": "is not Kučera, 2020",
    ":::{solution} ex-do\n:label: sol-do\n\nOpen.\n:::": "needs ':class: dropdown'",
}


def found_in(folder, markdown: str, code: str = "# Solution", **metadata) -> list[str]:
    for name in ("next.ipynb", "bibliography.md"):
        (folder / name).touch()
    metadata = {"tags": ["solution"], "jupyter": FOLDED} | metadata
    cells = [nbformat.v4.new_markdown_cell(markdown), nbformat.v4.new_code_cell(code, metadata=metadata)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "ch01_sum.ipynb")
    return complaints(folder / "ch01_sum.ipynb", BIBLIOGRAPHY)


def test_good_text_passes(tmp_path):
    assert found_in(tmp_path, GOOD) == []
    assert found_in(tmp_path, "No solution above.", tags=[]) == []


@pytest.mark.parametrize(("text", "says"), BAD.items())
def test_raw_text_is_found(tmp_path, text, says):
    (sentence,) = found_in(tmp_path, f"{text}\n\n{GOOD}")
    assert sentence.startswith("ch01_sum.ipynb: ")
    assert says in sentence


def test_an_open_solution_is_found(tmp_path):
    assert "needs a {solution}" in found_in(tmp_path, f"{GOOD}\n\nMore.")[0]
    assert "needs the metadata" in found_in(tmp_path, GOOD, jupyter={})[0]
    assert "begin with a comment" in found_in(tmp_path, GOOD, code="x = 1")[0]


def test_a_link_without_its_file_is_found_on_every_page(tmp_path):
    (tmp_path / "next.ipynb").touch()
    page = tmp_path / "glossary.md"
    page.write_text("[here](next.ipynb), [not](next).\n\n```{code-cell}\nf[0](1)\n```\n")
    assert complaints(page, BIBLIOGRAPHY) == ["glossary.md: [not](next): no such file beside the chapter"]


@pytest.mark.parametrize(
    ("link", "page"),
    [
        ("ch02_b.ipynb#sec-c", "https://book.example/chapters/ch02_b.html#sec-c"),
        ("glossary.md#term-e", "https://book.example/chapters/glossary.html#term-e"),
        ("#sec-g", "#sec-g"),
        ("https://other.example/j.md", "https://other.example/j.md"),
    ],
)
def test_links_of_a_downloaded_notebook_lead_to_the_site(link, page):
    here = "https://book.example/chapters/ch01_a.ipynb"
    assert linked_to_site(f"[a]({link}), [b]({link})", here) == f"[a]({page}), [b]({page})"


def test_links_to_chapters_that_were_dropped_become_their_words():
    text = "[[A, B] against *[B, A]*](ch01_a.ipynb#sec-b), [here](ch02_b.ipynb#c), [softmax](glossary.md#term-softmax)"
    without = text.replace("[here](ch02_b.ipynb#c)", "here")
    assert without_dropped(text, {"ch01_a.ipynb"}) == without
    assert without_dropped(without, set()).startswith("[A, B] against *[B, A]*, here, [softmax](")
