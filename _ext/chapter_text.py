"""Finds what a notebook would show raw in the chapters: ``python -m _ext.chapter_text``, a part of ``make lint``.

The site is built from the chapters by Sphinx, but people read them in JupyterLab, Notebook, VS Code, Colab and on
GitHub too. So directives are fenced with colons, links to another page are Markdown links to its file, a reference
without words of its own points to something in the same notebook's text, and no solution stands open beside its stub.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from unicodedata import normalize

import nbformat
from nbformat import NotebookNode
from pybtex.database import BibliographyData, Entry, parse_file

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"^ *`{3,}\{([^}]+)\}", re.MULTILINE)
CODE = re.compile(r"^```\w+\n.*?^```$|(?P<role>\{[a-z:]+\}`[^`]*`)|`[^`\n]+`", re.MULTILINE | re.DOTALL)
CELL = re.compile(r"^```\{code-cell\}.*?^```$", re.MULTILINE | re.DOTALL)
ROLE = re.compile(r"\{([a-z:]+)\}`([^`]*)`")
SHOWN = {"eq", "numref", "prf:ref", "ref"}  # by jupyterlab-myst, if the label stands in the same notebook's text
LABEL = re.compile(r"^\(([\w-]+)\)=$|^:(?:label|name): +(\S+)$|^\$\$ +\(([\w-]+)\)$|\\label\{([\w-]+)\}", re.MULTILINE)
LINK = re.compile(r"\[([^\]]*)\]\(([^()\s#]*)(?:#([^()\s]*))?\)")
NUMBER = re.compile(r"\b[Cc]hapters? \d+")  # which is another one as soon as somebody drops or moves a chapter
NEIGHBOUR = re.compile(r"\b(?:next|previous|last|preceding|following) chapters?\b", re.IGNORECASE)  # as well
PER_CENT = re.compile(r"\d\s%")  # a line could end between them
GATE = re.compile(r"^:{3,}\{solution-(?:start|end)\}", re.MULTILINE)
SOLUTION = re.compile(r"^(:{3,})\{solution\} [^\n]*\n(?P<options>(?::[^\n]*\n)*)(?:.*\n)*?\1$", re.MULTILINE)
FOLDED = {"source_hidden": True}


def text_of(notebook: NotebookNode) -> str:
    """The Markdown of a notebook, without its code spans and blocks."""
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return CODE.sub(lambda match: match["role"] or "", text)


def labels_of(text: str) -> set[str]:
    return {label for match in LABEL.finditer(text) for label in match.groups() if label}


def wrong_fences_and_roles(text: str) -> Iterator[str]:
    for fence in FENCE.finditer(text):
        yield f"fence {{{fence[1]}}} with colons, not with backticks"
    for gate in GATE.finditer(text):
        yield f"put the text of the solution into one {{solution}}, its code into cells tagged 'solution': {gate[0]}"
    for role, body in ROLE.findall(text):
        label = re.sub(r".*<(.*)>", r"\1", body, flags=re.DOTALL)
        if role not in SHOWN:
            yield f"write a Markdown link instead of {{{role}}}`{body}`"
        elif label not in labels_of(text):
            yield f"{{{role}}}`{body}`: no such label in the text of this notebook; to another page, link its file"


def typed_numbers(text: str) -> Iterator[str]:
    for number in NUMBER.findall(text):
        yield f"{number!r}: link the chapter by its title, the numbers come from _toc.yml"
    for neighbour in NEIGHBOUR.findall(text):
        yield f"{neighbour!r}: link the chapter by its title, in a fork it may be another"
    for share in PER_CENT.findall(text):
        yield f"{share!r}: write per cent without a space"


def wrong_links(text: str, folder: Path, bibliography: BibliographyData) -> Iterator[str]:
    for words, target, fragment in LINK.findall(text):
        if ":" in target:
            continue
        if not words.strip():
            yield f"a link needs words: [](…{target}#{fragment})"
        if target and not (folder / target).is_file():
            yield f"[{words}]({target}): no such file beside the chapter"
        if not target and fragment not in labels_of(text):
            yield f"[{words}](#{fragment}): no such label in this text; for a figure, say where it is"
        if target == "bibliography.md" and fragment:
            yield from wrong_citation(words, fragment, bibliography)


def wrong_citation(words: str, key: str, bibliography: BibliographyData) -> Iterator[str]:
    if key not in bibliography.entries:
        yield f"[{words}]: references.bib has no {key!r}"
    elif year := re.search(r"\b(?:1[89]|20)\d\d\b", words):
        entry: Entry = bibliography.entries[key]
        person = (entry.persons.get("author") or entry.persons["editor"])[0]
        name = re.sub(r"[{}\\]", "", " ".join(person.last_names))
        if year[0] != entry.fields["year"] or plain(name) not in plain(words):
            yield f"[{words}] is not {name}, {entry.fields['year']} ({key})"


def plain(name: str) -> str:
    return normalize("NFKD", name).encode("ascii", "ignore").decode().lower()


def wrong_solutions(notebook: NotebookNode) -> Iterator[str]:
    before = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            before = cell.source
            for solution in SOLUTION.finditer(before):
                if ":class: dropdown" not in solution["options"]:
                    yield f"a solution needs ':class: dropdown': {solution[0].splitlines()[0]}"
        elif "solution" not in cell.metadata.get("tags", []):
            before = ""
        else:
            what = f"a cell tagged 'solution', {cell.source[:40]!r},"
            if not any(match.end() == len(before.rstrip()) for match in SOLUTION.finditer(before)):
                yield f"{what} needs a {{solution}} at the end of the cell above it"
            if not FOLDED.items() <= cell.metadata.get("jupyter", {}).items():
                yield f'{what} needs the metadata "jupyter": {FOLDED}, so that it is folded'
            if not cell.source.startswith("#"):
                yield f"{what} must begin with a comment, which a folded cell shows"


def complaints(path: Path, bibliography: BibliographyData) -> list[str]:
    """One sentence for each thing that a notebook would show raw, each link that leads nowhere, each typed number."""
    if path.suffix == ".md":
        text = CELL.sub("", path.read_text(encoding="utf8"))
        sentences = [*typed_numbers(text), *wrong_links(text, path.parent, bibliography)]
    else:
        notebook = nbformat.read(path, 4)
        text = text_of(notebook)
        sentences = [*wrong_fences_and_roles(text), *typed_numbers(text), *wrong_links(text, path.parent, bibliography)]
        sentences += wrong_solutions(notebook)
    return [f"{path.name}: {sentence}" for sentence in sentences]


if __name__ == "__main__":
    entries = parse_file(ROOT / "references.bib")
    pages = [ROOT / "index.md", *sorted((ROOT / "chapters").glob("*.ipynb")), *sorted((ROOT / "chapters").glob("*.md"))]
    sys.exit("\n".join(line for page in pages for line in complaints(page, entries)) or None)
