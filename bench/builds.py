"""The build: cold, unchanged, and after a change of one chapter; and how it and the pages grow with the chapters.

In a copy of the project, whose book grows from its first chapter to all of them. Notebooks are executed once, so the
cold build of n chapters is the time of their notebooks so far plus that of making all pages. What a page weighs is what
comes before its figures and pictures: its own text, the style sheet, the script and the letters, compressed.

With arguments, the book grows to these numbers of chapters.
"""

import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import yaml

from harness.aims import Aims
from harness.site import ROOT
from harness.small_book import environment

NOT_COPIED = shutil.ignore_patterns("_build", ".venv", "node_modules", ".git", "__pycache__", ".*_cache", "*.egg-info")
COLD = 360  # seconds
DRAWN = ROOT / "_build" / "bench" / "builds.svg"
PAGES = re.compile(r"([\d.]+) s  the site is in")


def copy_of_the_project(folder: Path) -> Path:
    book = folder / "book"
    shutil.copytree(ROOT, book, ignore=NOT_COPIED)
    for name in (".venv", "node_modules"):
        (book / name).symlink_to(ROOT / name)
    return book


def keep_chapters(book: Path, n: int) -> list[str]:
    """Take all but the first n of the numbered chapters out of the contents; the pages that are left."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text("utf8"))
    left = n
    for part in contents["parts"]:
        if part.get("numbered"):
            part["chapters"] = part["chapters"][:left]
            left -= len(part["chapters"])
    contents["parts"] = [part for part in contents["parts"] if part["chapters"]]
    (book / "_toc.yml").write_text(yaml.safe_dump(contents), "utf8")
    return [chapter["file"] for part in contents["parts"] for chapter in part["chapters"]]


def build(book: Path) -> tuple[float, float]:
    """Seconds of the whole build, and of its pages. A book without some chapters has links to nowhere: no errors."""
    command = [sys.executable, "-m", "_ext.build"]
    options = {"env": environment(book) | {"LENIENT": "1"}, "capture_output": True, "text": True}
    start = time.monotonic()
    done = subprocess.run(command, cwd=book, check=False, **options)
    whole = time.monotonic() - start
    if done.returncode:
        sys.exit(f"The book was not built.\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return whole, float(PAGES.search(done.stdout)[1])


def forget_pages(book: Path) -> None:
    shutil.rmtree(book / "_build" / ".pages", ignore_errors=True)


def weight(book: Path, page: str) -> float:
    """Kilobytes of a page before its figures and pictures."""
    site = book / "_build" / "html"
    static = site / "_static"
    texts = [site / f"{page}.html", static / "site.css", static / "site.js"]
    fonts = sum(os.path.getsize(path) for path in static.glob("*.woff2"))
    return (fonts + sum(len(gzip.compress(path.read_bytes(), 6)) for path in texts)) / 1000


def change(chapter: Path) -> None:
    """Another comment in its last cell of code: its results are made again."""
    notebook = nbformat.read(chapter, as_version=4)
    cell = [cell for cell in notebook.cells if cell.cell_type == "code"][-1]
    cell.source += "\n# another comment"
    nbformat.write(notebook, chapter)


def draw(rows: list[tuple[int, float, float, dict[str, float]]]) -> None:
    counts, notebooks, pages, weights = zip(*rows, strict=True)
    figure, (times, sizes) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    times.stackplot(counts, notebooks, pages, labels=["notebooks", "pages"], alpha=0.7)
    times.set(xlabel="chapters", ylabel="cold build, s", xlim=(0, counts[-1]), ylim=(0, None))
    times.legend(loc="upper left")
    for page in weights[0]:
        sizes.plot(counts, [row[page] for row in weights], marker="o", label=page)
    sizes.set(xlabel="chapters", ylabel="page before figures and pictures, kB", xlim=(0, counts[-1]), ylim=(0, None))
    sizes.legend(loc="lower right")
    DRAWN.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(DRAWN)


def main(counts: list[int]) -> Aims:
    aims = Aims()
    rows = []
    executed = 0.0
    with tempfile.TemporaryDirectory() as folder:
        book = copy_of_the_project(Path(folder))
        for n in counts:
            files = keep_chapters(book, n)
            forget_pages(book)
            whole, pages = build(book)
            executed += whole - pages
            weights = {page: weight(book, page) for page in ("index", files[0], "chapters/api")}
            rows.append((n, executed, pages, weights))
            sizes = ", ".join(f"{page} {kilobytes:.1f} kB" for page, kilobytes in weights.items())
            print(f"{n:3} chapters, cold: {executed + pages:6.1f} s, of it pages {pages:6.1f} s; {sizes}", flush=True)
        draw(rows)
        print(f"drawn in {DRAWN.relative_to(ROOT)}")
        verdict = aims.verdict("cold build, s", executed + pages, at_most=COLD)
        print(f"cold           {executed + pages:6.1f} s   {verdict}")
        print(f"unchanged      {build(book)[0]:6.1f} s")
        change(book / f"{files[n // 2]}.ipynb")
        print(f"one chapter    {build(book)[0]:6.1f} s ({files[n // 2]})")
    return aims


if __name__ == "__main__":
    sys.exit(main([int(n) for n in sys.argv[1:]] or [1, 6, 12, 18]).exit_status())
