"""The book on paper: nothing cut, folds open, figures as their twins, links and numbers that hold in the whole book."""

import re

import pytest
from pypdf import PdfReader

from _ext import pdf
from _ext.execution import documents
from harness.site import PAGES, SITE, html, page_with_most

DOCUMENTS = [path.removesuffix(".html") for path in PAGES if path != "search.html"]
PROOF = next((name for name in DOCUMENTS if name.endswith("_the_permutation_proof")), None)
SOLUTION = re.compile(r"^Solution$", re.MULTILINE)


@pytest.fixture
def sheet(browser):
    with pdf.press(browser, "A4") as page:
        yield page


# Every second page each day: printing says it, too, when a page is cut.
PRINTED = [
    pytest.param(f"{name}.html", marks=[pytest.mark.nightly] if i % 2 else []) for i, name in enumerate(DOCUMENTS)
]


@pytest.mark.parametrize("path", PRINTED)
def test_nothing_is_cut_and_everything_is_there(sheet, path):
    pdf.open_page(sheet, path.removesuffix(".html"), code="all")  # an error if something does not fit
    twins = sheet.locator(".inorder-view + noscript img")
    assert twins.count() == html(path).count('class="inorder-view"')
    for twin in twins.all():
        assert twin.evaluate("image => image.decode().then(() => image.getBoundingClientRect().width > 100)")
    closed = "[...document.querySelectorAll('details > .in')].filter((e) => !e.checkVisibility()).length"
    assert sheet.evaluate(closed) == 0


def test_what_does_not_fit_is_named(sheet):
    sheet.goto((SITE / PAGES[0]).as_uri())
    for wide in (
        '<pre style="white-space: pre">' + "wide " * 60,
        '<div style="overflow: hidden"><p style="width: 2000px">wide',
    ):
        sheet.evaluate("text => document.querySelector('article').insertAdjacentHTML('beforeend', text)", wide)
        assert any("wide" in cut for cut in sheet.evaluate(pdf.CUT))
        sheet.evaluate("document.querySelector('article').lastElementChild.remove()")
        assert sheet.evaluate(pdf.CUT) == []


@pytest.mark.skipif(PROOF is None, reason="the permutation proof is not in the book")
def test_a_handout_has_22_sheets_at_most_and_solutions_only_if_asked(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(pdf, "BUILD", tmp_path)
    texts = {}
    for solutions in (True, False):
        target = pdf.print_handout(browser, "A4", "the_permutation_proof", solutions=solutions)
        sheets = [page.extract_text() for page in PdfReader(target).pages]
        assert len(sheets) <= 22
        assert [text.split()[0] for text in sheets] == [str(number) for number in range(1, len(sheets) + 1)]
        texts[solutions] = "\n".join(sheets)
    n_solutions = html(f"{PROOF}.html").count('class="fold solution')
    assert len(SOLUTION.findall(texts[True])) == n_solutions > 3
    assert not SOLUTION.search(texts[False])
    assert "What we settled" in texts[False]


@pytest.mark.skipif(PROOF is None, reason="the permutation proof is not in the book")
def test_a_worksheet_has_every_exercise_room_to_write_and_no_answer(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(pdf, "BUILD", tmp_path)
    with pdf.press(browser, "A4") as page:
        pdf.open_page(page, PROOF, code="shown", solutions="none")
        n_exercises = page.evaluate(pdf.WORKSHEET)
        assert page.locator(".lines").count() == n_exercises == html(f"{PROOF}.html").count('class="exercise ') >= 5
    text = "\n".join(page.extract_text() for page in PdfReader(pdf.print_worksheet(browser, "A4", "ch06")).pages)
    assert "Name:" in text and "Dog bites dog" in text and "raise NotImplementedError" in text
    assert not SOLUTION.search(text) and "a hint" not in text and "Not yet" not in text
    with pytest.raises(ValueError, match="a chapter with exercises; got 'glossary'"):
        pdf.print_worksheet(browser, "A4", "glossary")


def test_a_handout_names_the_chapters_there_are(browser):
    with pytest.raises(ValueError, match=r"expected CHAPTER=one of .*glossary.*; got 'ch99'"):
        pdf.print_handout(browser, "A4", "ch99", solutions=True)


def elements_of(parent):
    """The elements of a tree of tags below one of them."""
    below = parent.get("/K", [])
    for each in below if isinstance(below, list) else [below]:
        each = each.get_object()
        if isinstance(each, dict) and "/S" in each:
            yield each
            yield from elements_of(each)


def test_pages_are_bound_to_one_book(browser, tmp_path):
    citing = next(name for name in documents() if "bibliography.html#" in html(f"{name}.html"))
    contents = [("", ["index"]), ("A part", [citing]), ("The rest", ["chapters/bibliography"])]
    target = tmp_path / "book.pdf"
    pdf.print_book(browser, "A4", contents, target)
    book = PdfReader(target)
    front, labels = book.page_labels.index("1"), book.page_labels
    assert labels[:front] == ["i", "ii"]
    assert labels[front:] == [str(number + 1) for number in range(len(labels) - front)]
    texts = [page.extract_text() for page in book.pages]
    assert [text.split()[0] for text in texts[1:]] == labels[1:], "each sheet but the first shows its number"

    root, tree = book.trailer["/Root"], book.trailer["/Root"]["/StructTreeRoot"]
    assert root["/Lang"] == "en" and root["/MarkInfo"]["/Marked"]
    numbers = tree["/ParentTree"]["/Nums"]
    assert list(numbers[::2]) == list(range(tree["/ParentTreeNextKey"]))
    for page in book.pages[len(labels) - 3 :]:
        numbered = numbers[2 * page["/StructParents"] + 1]
        tagged = [each.get_object() for each in numbered.get_object() if each]
        assert page.indirect_reference in {each["/Pg"].indirect_reference for each in tagged if "/Pg" in each}
    kinds = [str(each["/S"]) for each in elements_of(tree)]
    assert kinds.count("/H1") == 4 and {"/P", "/L", "/LI", "/Link", "/Figure"} <= set(kinds)
    assert any(each.get("/Alt") for each in elements_of(tree) if each["/S"] == "/Figure")

    part = next(item for item in book.outline if not isinstance(item, list) and item.title == "A part")
    chapter, sections = book.outline[book.outline.index(part) + 1]
    assert f"{chapter.title} {labels[book.get_destination_page_number(chapter)]}" in " ".join(texts[1].split())
    for section in sections:
        assert section.title.split()[-1] in texts[book.get_destination_page_number(section)]

    goals = [(page, note.get_object()) for page in book.pages for note in page.get("/Annots", [])]
    addresses = [str(link["/A"]["/URI"]) for _, link in goals if "/A" in link]
    inside = [
        address for address in addresses if address in {pdf.address(name) for _, under in contents for name in under}
    ]
    assert inside == [] and addresses, "links to printed pages are links of the book"
    start = next(number for number, text in enumerate(texts) if text.split()[1:2] == ["Bibliography"])
    to_entries = {
        book.get_page_number(link["/Dest"][0].get_object())
        for page, link in goals
        if "/Dest" in link and book.get_page_number(page) < start and page is not book.pages[1]
    } & set(range(start, len(texts)))
    assert len(to_entries) > 1, "citations lead to their entries, which stand on several sheets"


def test_figures_are_light_on_paper_and_dark_again_on_the_screen(browser, tmp_path):
    page = browser.new_page(color_scheme="dark", viewport={"width": 1280, "height": 800})
    page.goto((SITE / page_with_most('class="inorder-view"')).as_uri())
    page.locator(".inorder-figure.is-dark").first.wait_for()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".inorder-figure.is-dark").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.locator(".inorder-figure.is-dark").first.wait_for()
    page.close()


def test_the_address_leaves_the_solutions_out(browser):
    path = page_with_most('class="fold solution')
    page = browser.new_page()
    for query, visible in (("", True), ("?solutions=none", False)):
        page.goto((SITE / path).as_uri() + query)
        assert page.locator(".solution").first.is_visible() == visible
    page.close()
