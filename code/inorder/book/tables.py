"""Tables for the book's pages: a caption, a format for each column, and HTML that a screen reader can walk through.

>>> rows = [
...     {"d": 16, "derived": 0.25, "measured": [0.2412, 0.2603]},
...     {"d": 1024, "derived": -0.031, "measured": [-0.0312, -0.0311]},
... ]
>>> table(rows, caption="Largest weight, 2 seeds", formats={"measured": ".3f"})
Largest weight, 2 seeds
<BLANKLINE>
   d  derived        measured
  16     0.25  0.241 to 0.260
1024   −0.031          −0.031
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

Format = str | Callable[[Any], str]
RIGHT = ' style="text-align: right; font-variant-numeric: tabular-nums"'


def table(
    rows: pd.DataFrame | Sequence[Mapping[Any, Any]],
    *,
    caption: str,
    formats: Format | Mapping[Any, Format] = ".3g",
    groups: Any = None,
) -> "Table":
    """A table that shows itself in a notebook and on a page. The first column names the rows.

    Args:
        rows: A data frame, or one dictionary for each row, from a column's title to its cell. A cell is text, a number,
            True or False, or several numbers, which are shown as their range. Titles that are pairs make two head rows.
        caption: What the table shows, in plain text.
        formats: A format for every column after the first, or one for each title: what `format` understands, or a
            function. A column without one has ".3g". Whole numbers are shown whole unless their column is named, and
            an exact zero is shown as 0.

    Raises:
        ValueError: no rows, no caption, or a format for a column that is not there.
    """
    frame = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame.from_records(list(rows))
    if frame.empty:
        raise ValueError("expected at least one row with one column, got none")
    if not caption.strip():
        raise ValueError("expected a caption, got an empty text")
    if isinstance(formats, Mapping) and (unknown := [title for title in formats if title not in frame.columns]):
        raise ValueError(f"expected formats for columns among {list(frame.columns)}, got one for {unknown[0]!r}")
    headings: list[str] | None = None
    if groups is not None:
        if groups not in frame.columns[1:]:
            raise ValueError(f"expected groups among {list(frame.columns[1:])}, got {groups!r}")
        headings = [str(heading) for heading in frame[groups]]
        runs = [heading for heading, _ in groupby(headings)]
        if len(runs) > len(set(runs)):
            raise ValueError(f"expected the rows of each group together, got {runs}")
        frame = frame.drop(columns=groups)
    return Table(frame, caption, formats, headings)


def _html(text: str) -> str:
    """Escaped, with curly apostrophes, as the rest of a page has them; quoted text keeps its straight ones."""
    quoted = re.search(r"(?<!\w)'\w", text)
    return escape(text if quoted else re.sub(r"(?<=\w)'(?=\w)|(?<=s)'(?= )", "’", text))


class Table:
    """What `table` returns: `frame` as it was given, and its texts."""

    def __init__(
        self,
        frame: pd.DataFrame,
        caption: str,
        formats: Format | Mapping[Any, Format],
        headings: Sequence[str] | None = None,
    ) -> None:
        self.frame, self.caption = frame, caption
        columns = [frame.iloc[:, k] for k in range(frame.shape[1])]
        self._titles = [title if isinstance(title, tuple) else (title,) for title in frame.columns]
        self._numeric = [not any(isinstance(cell, str | bool | np.bool) for cell in column) for column in columns]
        named = formats if isinstance(formats, Mapping) else dict.fromkeys(frame.columns[1:], formats)
        whole = not isinstance(formats, Mapping)  # whole numbers stay so where no column is named
        texts = [
            [_text(cell, named.get(title, ".3g"), whole=whole or title not in named) for cell in column]
            for title, column in zip(frame.columns, columns, strict=True)
        ]
        self._rows = list(zip(*texts, strict=True))
        self._headings = headings or [""] * len(self._rows)

    def _groups(self) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
        """Each heading with its rows; "" and all of them where there are no groups."""
        rows = iter(self._rows)
        for heading, same in groupby(self._headings):
            yield heading, [next(rows) for _ in same]

    def _repr_html_(self) -> str:
        head = "".join(f"<tr>{cells}</tr>" for cells in self._head())
        body = ""
        for heading, rows in self._groups():
            body += "<tbody>"
            if heading:
                body += (
                    f'<tr><th scope="rowgroup" colspan="{len(self._titles)}"><span>{_html(heading)}</span></th></tr>'
                )
            for row in rows:
                body += "<tr>"
                for k, (text, numeric) in enumerate(zip(row, self._numeric, strict=True)):
                    tag, scope = ("td", "") if k else ("th", ' scope="row"')
                    body += f"<{tag}{scope}{RIGHT if numeric else ''}>{_html(text)}</{tag}>"
                body += "</tr>"
            body += "</tbody>"
        caption = _html(self.caption)
        return (
            f'<div style="overflow-x: auto" role="group" tabindex="0" aria-label="{caption}">'
            f'<table class="inorder-table"><caption>{caption}</caption>'
            f"<thead>{head}</thead>{body}</table></div>"
        )

    def _head(self) -> list[str]:
        """The cells of each head row. Neighbours with the same title above share a cell."""
        *groups, names = zip(*self._titles, strict=True)
        lines = []
        for group in groups:
            spans = [(title, len(list(same))) for title, same in groupby(group)]
            lines.append(
                "".join(
                    f'<th scope="colgroup" colspan="{width}">{_html(str(title))}</th>' if title else "<td></td>" * width
                    for title, width in spans
                )
            )
        last = ""
        for name, numeric in zip(names, self._numeric, strict=True):
            last += f'<th scope="col"{RIGHT if numeric else ""}>{_html(str(name))}</th>'
        return [*lines, last]

    def __repr__(self) -> str:
        heads = [tuple(map(str, line)) for line in zip(*self._titles, strict=True)]
        for line in heads[:-1]:  # a title that spans columns is written once
            heads[heads.index(line)] = tuple(t if not k or t != line[k - 1] else "" for k, t in enumerate(line))
        lines: list[Sequence[str]] = [*heads, *self._rows]
        widths = [max(len(line[k]) for line in lines) for k in range(len(self._numeric))]
        padded = [
            "  ".join(
                text.rjust(width) if numeric else text.ljust(width)
                for text, width, numeric in zip(line, widths, self._numeric, strict=True)
            ).rstrip()
            for line in lines
        ]
        grouped: list[str] = []
        body = iter(padded[len(heads) :])
        for heading, rows in self._groups():
            padded_rows = [next(body) for _ in rows]
            grouped += [*(["", heading] if heading else []), *padded_rows]
        return "\n".join([self.caption, "", *padded[: len(heads)], *grouped])


def _text(cell: Any, form: Format, *, whole: bool) -> str:
    if callable(form):
        return form(cell)
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool | np.bool):
        return "yes" if cell else "no"
    if isinstance(cell, Number):
        whole = not cell or (whole and isinstance(cell, int | np.integer))
        return (f"{cell:.0f}" if whole else f"{cell:{form}}").replace("-", "−")
    numbers = list(cell)
    ends = dict.fromkeys(_text(end, form, whole=whole) for end in (min(numbers), max(numbers)))
    return " to ".join(ends)
