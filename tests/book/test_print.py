"""The book on paper: nothing cut, folds open, live figures, links and numbers that hold in the whole book."""

import re

import pytest
from pypdf import PdfReader

from _ext import pdf
from _ext.execution import documents
from harness.site import PAGES, html

DOCUMENTS = [path.removesuffix(".html") for path in PAGES if path != "search.html"]
PROOF = next((name for name in DOCUMENTS if name.endswith("_the_permutation_proof")), None)
SOLUTION = re.compile(r"^Solution$", re.MULTILINE)
CUT = """() => {
  const edge = document.documentElement.clientWidth + 1, range = document.createRange();
  const runsOff = ({ width, left, right }) => width && (left < -1 || right > edge);
  const cut = (element) => {
    if (element.closest(".katex-mathml, .unseen, svg") || !element.checkVisibility()) return false;
    const isText = !element.closest(".inorder-figure"); // which shortens long labels itself
    const hides = isText && getComputedStyle(element).overflowX !== "visible";
    const clips = hides && element.scrollWidth > element.clientWidth + 1;
    if (clips || runsOff(element.getBoundingClientRect())) return true;
    return [...element.childNodes].some((node) => {
      if (node.nodeType !== Node.TEXT_NODE) return false;
      range.selectNodeContents(node);
      return runsOff(range.getBoundingClientRect());
    });
  };
  const description = (element) => `<${element.localName} class="${element.className}"> ${element.textContent.trim()}`;
  return [...document.querySelectorAll("article *")].filter(cut).map((element) => description(element).slice(0, 120));
}"""
CLOSED = "selector => [...document.querySelectorAll(selector)].filter((e) => !e.checkVisibility()).length"


# Every twelfth page each day.
PRINTED = [pytest.param(name, marks=[pytest.mark.nightly] if i % 12 else []) for i, name in enumerate(DOCUMENTS)]


@pytest.mark.parametrize("name", PRINTED)
def test_nothing_is_cut_and_everything_is_there(browser, name):
    with pdf.opened(browser, name, "A4", {"code": "all"}) as sheet:
        assert sheet.evaluate(CUT) == []
        figures = sheet.locator(".inorder-view > div > .inorder-figure")
        assert figures.count() == html(f"{name}.html").count('class="inorder-view"')
        for figure in figures.all():
            assert figure.evaluate("figure => figure.offsetWidth > 100 && figure.offsetHeight > 60")
        assert sheet.evaluate(CLOSED, "details:not(.option, .inorder-fold, .inorder-tools) > .in") == 0
        options = "details.option > .in"
        assert sheet.evaluate(CLOSED, options) == sheet.locator(options).count(), "a prediction keeps its answer"


@pytest.mark.skipif(PROOF is None, reason="the permutation proof is not in the book")
def test_a_chapter_is_printed_with_what_its_address_asks_for(browser, monkeypatch, tmp_path):
    monkeypatch.setattr(pdf, "BUILD", tmp_path)
    result = []
    for query in ("", "?solutions=none&only=exercises"):
        target = pdf.print_chapter(browser, f"the_permutation_proof{query}", "A4")
        sheets = [page.extract_text() for page in PdfReader(target).pages]
        assert [text.split()[0] for text in sheets] == [str(number) for number in range(1, len(sheets) + 1)]
        result.append((len(sheets), "\n".join(sheets)))
    (n_whole, whole), (n_alone, alone) = result
    assert n_alone < n_whole <= 22
    assert len(SOLUTION.findall(whole)) == html(f"{PROOF}.html").count('class="fold solution') > 3
    assert not SOLUTION.search(alone)
    for words, is_there in (
        ("Which step breaks", True),
        ("What we settled", False),
        ("Predict", False),
        ("Fig. 4.1", False),
    ):
        assert words in whole and (words in alone) == is_there, words


@pytest.mark.parametrize(
    ("chapter", "message"),
    [
        ("ch99", r"expected CHAPTER=one of .*glossary.*; got 'ch99'"),
        ("index?solution=none", r"expected, after the chapter, \?solutions=none.*; got 'solution=none'"),
        ("index?solutions", r"expected, after the chapter, \?solutions=none.*; got 'solutions'"),
    ],
)
def test_what_cannot_be_printed_is_named(browser, chapter, message):
    with pytest.raises(ValueError, match=message):
        pdf.print_chapter(browser, chapter, "A4")


def test_pages_are_bound_to_one_book(browser, tmp_path):
    citing = next(name for name in documents() if "bibliography.html#" in html(f"{name}.html"))
    parts = [("", ["index"]), ("A part", [citing]), ("The rest", ["chapters/bibliography"])]
    pdf.print_book(browser, parts, "A4", tmp_path / "book.pdf")
    book = PdfReader(tmp_path / "book.pdf")
    texts = [page.extract_text() for page in book.pages]
    assert [text.split()[0] for text in texts] == [str(number + 1) for number in range(len(texts))]
    root = book.trailer["/Root"]
    assert root["/Lang"] == "en" and root["/MarkInfo"]["/Marked"] and root["/StructTreeRoot"]["/K"]

    sheets = {item.title: book.get_destination_page_number(item) for item in book.outline if not isinstance(item, list)}
    first = sheets["Bibliography"]
    assert f"Bibliography {first + 1}" in texts[1], "the contents say where it begins"
    assert texts[first].split()[1] == "Bibliography"
    links = [(number, note.get_object()) for number, page in enumerate(book.pages) for note in page.get("/Annots", [])]
    assert not [link for _, link in links if str(link.get("/A", {}).get("/URI", "")).endswith("bibliography.html")]
    places = {name.lstrip("/"): place for name, place in book.named_destinations.items()}
    to_entries = {
        book.get_destination_page_number(places[str(link["/Dest"]).lstrip("/")])
        for number, link in links
        if "/Dest" in link and 1 < number < first
    } & set(range(first, len(texts)))
    assert len(to_entries) > 1, "citations lead to their entries, which stand on several sheets"
