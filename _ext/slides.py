"""Lecture slides: ``python -m _ext.slides``, which is ``make slides``, makes a deck of each chapter of the built site.

A deck is the chapter's page with another script: slides.js, which cuts the text into screens as it is opened, laid out
whole. Its figures are the site's own, live, and the folder holds all that they need: it can be carried on a disk.
"""

import shutil
from pathlib import Path

from _ext.build import BUILD, SITE
from _ext.execution import ROOT, documents

HERE = Path(__file__).parent
SLIDES = BUILD / "slides"
NOT_NEEDED = shutil.ignore_patterns("*.html", "*.whl", "_sources", "searchindex.js", "objects.inv")
INDEX = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Slides</title><link rel="stylesheet" href="_static/site.css"></head>
<body class="page"><main><h1>Slides</h1><p>A deck opens full screen with F11. The arrow keys, Space and a clicker move
through it; inside a figure, the arrow keys are the figure's.</p><ul>{lines}</ul></main></body>
</html>"""


def make_slides(site: Path, target: Path) -> list[str]:
    """A deck of each chapter of the site, and a page that lists them; the names of the chapters."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(site, target, ignore=NOT_NEEDED)
    shutil.copy(HERE / "slides.js", target / "_static" / "site.js")
    style = (site / "_static" / "site.css").read_text("utf8") + (HERE / "slides.css").read_text("utf8")
    (target / "_static" / "site.css").write_text(style, encoding="utf8")
    names, lines = [name for name in documents() if name.startswith("chapters/ch")], []
    for name in names:
        page = (site / f"{name}.html").read_text(encoding="utf8")
        (target / f"{name}.html").write_text(page.replace("<html", "<html data-laid-out", 1), encoding="utf8")
        title = page.partition("<title>")[2].partition(" &#8212; ")[0]
        lines.append(f'<li><a href="{name}.html">{title}</a></li>')
    (target / "index.html").write_text(INDEX.format(lines="".join(lines)), encoding="utf8")
    return names


if __name__ == "__main__":
    print(f"Slides of {len(make_slides(SITE, SLIDES))} chapters: {(SLIDES / 'index.html').relative_to(ROOT)}")
