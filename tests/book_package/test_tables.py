"""Tables say what they are given: ranges, formats, minus signs, and heads that a screen reader can follow."""

import numpy as np
from bs4 import BeautifulSoup

from inorder.book.tables import table

ROWS = [
    {"name": "a < b", "n": 12_345, "error": [3e-16, -2e-17], "same": True},
    {"name": "c", "n": 7, "error": np.array([0.0, 0.25, 0.5]), "same": np.False_},
]
PAIRS = [{("", "d"): 4, ("plain", "peak"): 0.5, ("plain", "floor"): 0.25, ("streaming", "peak"): -1.0}]


def cells(display, tag: str) -> list[str]:
    return [cell.get_text() for cell in BeautifulSoup(display._repr_html_(), "html.parser").find_all(tag)]


def test_text_is_aligned_and_html_holds_the_same_cells():
    display = table(ROWS, caption="Two rows", formats={"error": ".1e"})
    assert repr(display).splitlines() == [
        "Two rows",
        "",
        "name       n                error  same",
        "a < b  12345  −2.0e−17 to 3.0e−16  yes",
        "c          7         0 to 5.0e−01  no",
    ]
    assert cells(display, "th") == ["name", "n", "error", "same", "a < b", "c"]
    assert cells(display, "td") == ["12345", "−2.0e−17 to 3.0e−16", "yes", "7", "0 to 5.0e−01", "no"]


def test_html_can_be_walked_through():
    soup = BeautifulSoup(table(ROWS, caption='A "small" <one>')._repr_html_(), "html.parser")
    assert soup.table["class"] == ["inorder-table"] and soup.caption.get_text() == 'A "small" <one>'
    assert [each["scope"] for each in soup.find_all("th")] == ["col"] * 4 + ["row"] * 2
    right = [each.get_text() for each in soup.find_all(["td", "th"]) if "tabular-nums" in each.get("style", "")]
    assert right == ["n", "error", "12345", "−2e−17 to 3e−16", "7", "0 to 0.5"]


def test_pairs_of_titles_make_two_head_rows():
    soup = BeautifulSoup(table(PAIRS, caption="Pairs", formats=".2f")._repr_html_(), "html.parser")
    first, second = soup.thead.find_all("tr")
    assert [(each.get_text(), each["colspan"]) for each in first.find_all("th")] == [("plain", "2"), ("streaming", "1")]
    assert len(first.find_all("td")) == 1
    assert [each.get_text() for each in second.find_all("th")] == ["d", "peak", "floor", "peak"]
    assert repr(table(PAIRS, caption="Pairs", formats=".2f")).splitlines()[2:] == [
        "   plain         streaming",
        "d   peak  floor       peak",
        "4   0.50   0.25      −1.00",
    ]
