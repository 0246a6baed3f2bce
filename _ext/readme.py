"""Renews what README.md lists: ``python -m _ext.readme`` writes the chapters of ``_toc.yml`` and the figures."""

import inspect
import re
from pathlib import Path

import nbformat
import yaml

import inorder.widgets

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"


def title(chapter: Path) -> str:
    text = "\n".join(cell.source for cell in nbformat.read(chapter, 4).cells if cell.cell_type == "markdown")
    return re.search(r"^# (.*)$", text, re.MULTILINE)[1]


def chapter_list() -> str:
    """The notebooks by part, each a link; those of numbered parts are chapters, numbered through."""
    lines, number = [], 0
    for part in yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf8"))["parts"]:
        notebooks = [path for each in part["chapters"] if (path := ROOT / f"{each['file']}.ipynb").is_file()]
        if notebooks:
            lines += ["", *([f"**{part['caption']}**", ""] if "caption" in part else [])]
        for notebook in notebooks:
            number += part.get("numbered", False)
            sign = f"{number}." if part.get("numbered") else "-"
            lines.append(f"{sign} [{title(notebook)}]({notebook.relative_to(ROOT).as_posix()})")
    return "\n".join(lines[1:])


def figure_list() -> str:
    """The interactive figures, each with the first sentence of its docstring."""
    docs = {name: inspect.getdoc(getattr(inorder.widgets, name)) for name in inorder.widgets.__all__}
    first = {name: " ".join(doc.split("\n\n")[0].split()) for name, doc in docs.items()}
    return "\n".join(f"- `{name}`: {sentence}" for name, sentence in first.items())


def renewed(readme: str) -> str:
    """The text of README.md with its lists as they should be."""
    for name, text in (("chapters", chapter_list()), ("figures", figure_list())):
        before, _, after = re.split(rf"(<!-- {name} -->\n.*?<!-- end of {name} -->)", readme, flags=re.DOTALL)
        readme = f"{before}<!-- {name} -->\n{text}\n<!-- end of {name} -->{after}"
    return readme


if __name__ == "__main__":
    README.write_text(renewed(README.read_text(encoding="utf8")), encoding="utf8")
