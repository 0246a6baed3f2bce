"""Marks: what a function gives to `interact` to be drawn.

================  ===============================================================================================
`bars`            a labelled row with a bar and its number for each value; two or three series side by side
`lines`           curves in a plane
`points`          places in a plane
`arrows`          vectors in a plane
`threads`         words in a plane, and a thread to each, as wide as its share
`space`           points, arrows and lines of three coordinates, turned by hand
`heat_map`        a matrix as coloured cells
`cakes`           a cake for each row of a table of shares, and what each word eats of them
`clocks`          faces whose hands turn, wheels that count below them, a text that slides above
`sentence`        words on a line, and arcs between them as thick as weights
`ink`             words on a line, and under each a blot of ink as large and as dark as its weight
`crossing`        words in one order above and in another below, threads between them, and their rows as colours
`diagram`         boxes, arrows and doors, and where that goes which comes in by one of them
`mirror`          a text and its mirror image, with one table of numbers for both, or two
`program`         lines of code, and beside each what it lets into which row
`stream`          rows that rise through layers, and what of each word reaches them
`projections`     one row on its way through three matrices, into two planes
`blocks`          a table that is read block by block, and what is kept of each row
`table`           columns of numbers and words
`answer`          the one sentence below all pictures that says what there is to see now, with its sign
================  ===============================================================================================

A function returns one mark, or a list of marks, which stand side by side; an `answer` goes below them. `lines`,
`points`, `arrows` and `threads` are added with ``+`` to lie in one plane: ``lines(x, y) + points(places)``. With
coordinates ``(n, 3)`` the first three lie in space, which the reader turns.

Colours name actors, never amounts: ``actor`` is ``"query"``, ``"key"``, ``"value"``, ``"position"`` or ``"ink"``. Each
has a second cue, so that nothing depends on colour alone: a shape for points and labels (◆ ● ■ ▲), a dash for curves.
A mark that names an argument as ``drag`` can be dragged by mouse or finger, or moved by the arrow keys: it sets that
argument to the state in which it is nearest to the hand.
Axes do not jump: limits that are not given are taken over all states of the figure.

A ``ValueError`` names what a mark cannot draw: NaN anywhere, infinity where it has no place (a heat map and a table can
show it), arrays whose shapes do not fit, an unknown actor or sign.
"""

from collections.abc import Mapping, Sequence
from typing import Any, SupportsFloat

import numpy as np
from jaxtyping import Float

from inorder.widgets import _mark_checks as check
from inorder.widgets.kit.twin import format_number, listed

__all__ = [
    "Mark",
    "answer",
    "arrows",
    "bars",
    "blocks",
    "cakes",
    "clocks",
    "crossing",
    "diagram",
    "heat_map",
    "ink",
    "lines",
    "mirror",
    "points",
    "program",
    "projections",
    "sentence",
    "space",
    "stream",
    "table",
    "threads",
    "view_matrix",
]

SIGNS = ("=", "≠", "✓", "×")
MOST_SERIES = 3
MOST_CELLS = 2**20
MOST_DRAWN_CELLS = 400
MOST_WORDS = 24
MOST_WORDS_IN_INK = 64
MOST_ARCS_IN_WORDS = 8
MOST_THREADS = 1024
MOST_ROWS_TO_PROJECT = 8
MOST_HANDS = 3  # of a clock
MOST_CLOCKS = 256
MOST_WORDS_TO_SLIDE = 256


class Mark:
    """A drawing instruction: its kind and its parts, arrays and words. Made by the functions of this module."""

    def __init__(self, kind: str, **parts: Any) -> None:
        self.kind, self.parts = kind, parts

    def __add__(self, other: "Mark") -> "Mark":
        kinds = [self.kind, getattr(other, "kind", type(other).__name__)]
        if not isinstance(other, Mark) or kinds not in (["plane"] * 2, ["space"] * 2):
            where = "space" if self.kind == "space" else "plane"
            raise ValueError(f"only lines, points and arrows lie in one {where}, got {kinds[0]} + {kinds[1]}")
        mine, theirs = self.parts, other.parts
        if self.kind == "space":
            return Mark("space", **mine | {"layers": [*mine["layers"], *theirs["layers"]]})
        if mine["log"] != theirs["log"]:
            raise ValueError(f"marks of one plane need the same log axes, got {mine['log']!r} and {theirs['log']!r}")
        first = {name: mine[name] or theirs[name] for name in ("title", "x_axis", "y_axis", "x_limits", "y_limits")}
        layers = [*mine["layers"], *theirs["layers"]]
        either = {name: mine[name] or theirs[name] for name in ("equal", "bare")}
        return Mark("plane", layers=layers, log=mine["log"], **either, **first)

    def __repr__(self) -> str:
        return f"<mark: {self.kind}>"


def bars(
    values: Any,
    labels: Any = None,
    *,
    columns: Any = None,
    axis: str = "",
    label_axis: str = "",
    limits: Any = None,
    reference: float | None = None,
    actor: str = "ink",
    digits: int = 2,
    title: str = "",
) -> Mark:
    """A row for each value: its label, its bar, its number.

    Args:
        values: (n,); or ``{"before": (n,), "after": (n,)}``, up to three series, drawn below each other in each row.
        labels: n names; the numbers from 0 if there are none.
        columns: further columns between label and bar, ``{"score": (n,)}``, numbers or words.
        axis, label_axis: what the bars and the labels are, with the unit in brackets.
        limits: (low, high) of the bars; by default from 0, or the smallest value, to the largest of all states.
        reference: where a dashed line goes through all bars.
        actor: whose rows these are: gives the labels their shape, and labels and bars their colour.
        digits: decimals of the numbers.

    >>> bars([0.5, 0.25, 0.25], ["animal", "street", "it"], axis="share of the weight", limits=(0, 1))
    <mark: bars>
    """
    series = values if isinstance(values, Mapping) else {"": values}
    if not 1 <= len(series) <= MOST_SERIES:
        raise ValueError(f"bars: expected 1 to {MOST_SERIES} series, got {len(series)}")
    rows = [check.array("bars", name or "values", row, 1) for name, row in series.items()]
    n = len(rows[0])
    for name, row in zip(series, rows, strict=True):
        if len(row) != n:
            raise ValueError(f"bars: every series must have {n} values like the first, but {name!r} has {len(row)}")
    return Mark(
        "bars",
        title=title,
        values=np.stack(rows),  # (series, row)
        series=[str(name) for name in series],
        labels=check.labels("bars", labels, n),
        columns={str(name): check.column("bars", name, cells, n) for name, cells in (columns or {}).items()},
        column_names=[str(name) for name in columns or {}],
        axis=axis,
        label_axis=label_axis,
        limits=check.limits("bars", limits),
        reference=None if reference is None else float(reference),
        actor=check.actor("bars", actor),
        digits=int(digits),
    )


def lines(
    x: Any,
    y: Any = None,
    *,
    actor: Any = "ink",
    axes: Sequence[str] = ("", ""),
    x_limits: Any = None,
    y_limits: Any = None,
    log: str = "",
    equal: bool = False,
    bare: bool = False,
    bands: Any = None,
    levels: Mapping[str, float] | None = None,
    handle: float | None = None,
    drag: str | Sequence[str] = (),
    title: str = "",
) -> Mark:
    """Curves through the points (x, y), each with its name at its end.

    Args:
        x: (n,), shared by all curves; or (n, 3), one curve in space, without y. One that ends where it began is tinted.
        y: (n,); or ``{"scaled": (n,), "unscaled": (n,)}``, whose names are written at the curves.
        actor: one for all, or ``{"scaled": "query"}``. Curves in ink differ by dash and weight.
        axes: what x and y are, with units.
        x_limits, y_limits: (low, high); by default over all states.
        log: ``"x"``, ``"y"`` or ``"xy"`` for logarithmic axes.
        equal: one unit is as long across as up.
        bare: no axes and no numbers at them, for a drawing whose coordinates mean nothing; its lines in ink are solid.
        bands: ``{"scaled": ((n,), (n,))}``: a curve's lowest and highest, as over seeds, between which it is shaded.
        levels: ``{"chance": 0.5}``: dashed lines across the plane, each with its name.
        handle: the x at which an upright line marks the curves; dragged by mouse, finger or ← →, it sets ``drag``.
        drag: the argument that the handle sets.

    >>> t = np.linspace(0, 1, 5)
    >>> lines(t, {"square": t**2, "cube": t**3}, axes=("t", "power of t"))
    <mark: plane>
    """
    if y is None:
        if bands or levels or handle is not None:
            raise ValueError("lines: bands, levels and a handle belong to a plane, and x without y to space")
        places = check.places("lines", "x", x)
        if places.shape[1] != 3:
            raise ValueError(f"lines: without y, x must have shape (n, 3), got {places.shape}")
        curve = {"kind": "lines", "xyz": places, "labels": [], "drag": [], "actor": check.actor("lines", actor)}
        return _plane(curve, axes, x_limits, y_limits, title, log=log, equal=equal, bare=bare)
    named = y if isinstance(y, Mapping) else {"": y}
    across = check.array("lines", "x", x, 1)
    rows = [check.array("lines", name or "y", row, 1) for name, row in named.items()]
    for name, row in zip(named, rows, strict=True):
        if len(row) != len(across):
            raise ValueError(f"lines: y must have {len(across)} numbers like x, but {name or 'y'!r} has {len(row)}")
    if not rows and levels is None:
        raise ValueError("lines: expected a curve, got none")
    actors = [actor.get(name, "ink") if isinstance(actor, Mapping) else actor for name in named]
    layer = {
        "kind": "lines",
        "x": across,
        "y": np.reshape(rows, (-1, len(across))),
        "labels": [*map(str, named)],
    }  # y (curve, n)
    layer["actors"] = [check.actor("lines", one) for one in actors]
    around = {
        name: [check.row("lines", name, edge, len(across)) for edge in edges] for name, edges in (bands or {}).items()
    }
    if unknown := set(around) - set(named):
        raise ValueError(
            f"lines: bands must name curves, {', '.join(map(str, named))}, got {', '.join(sorted(unknown))}"
        )
    edges = [around.get(name, [row, row]) for name, row in zip(named, rows, strict=True)] if around else []
    layer["bands"] = np.array(edges).reshape(len(edges), 2, len(across))  # (curve, edge, n)
    layer["levels"] = check.row("lines", "levels", [*levels.values()], len(levels)) if levels else np.empty(0)
    layer["level_names"] = [str(name) for name in levels or {}]
    layer["handle"] = np.empty(0) if handle is None else check.row("lines", "handle", [handle], 1)
    layer["drag"] = check.drag("lines", drag, most=1)
    if drag and handle is None:
        raise ValueError("lines: drag needs a handle, got none")
    return _plane(layer, axes, x_limits, y_limits, title, log=log, equal=equal, bare=bare)


def points(
    xy: Any,
    labels: Any = None,
    *,
    actor: str = "ink",
    axes: Sequence[str] = ("", ""),
    x_limits: Any = None,
    y_limits: Any = None,
    log: str = "",
    equal: bool = True,
    bare: bool = False,
    drag: str | Sequence[str] = (),
    title: str = "",
) -> Mark:
    """Places in the plane, in the shape of their actor.

    Args:
        xy: (n, 2); or (n, 3) in space. A state may have none: n is 0 there.
        labels: n names beside the points; none by default.
        drag: the argument, or the two, that dragging a point sets; the arrow keys ← → change the first, ↑ ↓ the second.

    The rest is as in `lines`, except that one unit is by default as long across as up.

    >>> points([[2, 1], [1, 2]], ["animal", "street"], actor="key") + arrows([[1.5, 1.5]], ["it"], actor="query")
    <mark: plane>
    """
    places = check.places("points", "xy", xy)
    layer = {"kind": "points", "xy": places, "labels": check.labels("points", labels, len(places), default=[])}
    layer |= {"drag": check.drag("points", drag), "actor": check.actor("points", actor)}
    return _plane(layer, axes, x_limits, y_limits, title, log=log, equal=equal, bare=bare)


def arrows(
    tips: Any,
    labels: Any = None,
    *,
    tails: Any = None,
    actor: str = "ink",
    axes: Sequence[str] = ("", ""),
    x_limits: Any = None,
    y_limits: Any = None,
    drag: str | Sequence[str] = (),
    title: str = "",
) -> Mark:
    """Vectors in the plane, from ``tails``, (n, 2) or the origin, to ``tips``, (n, 2); or (n, 3) in space.

    The rest is as in `points`.

    >>> arrows([[2, 1], [1, 2]], ["q", "k"])
    <mark: plane>
    """
    ends = check.places("arrows", "tips", tips)
    starts = np.zeros_like(ends) if tails is None else check.places("arrows", "tails", tails)
    if starts.shape != ends.shape:
        raise ValueError(f"arrows: tails must have the shape of tips, {ends.shape}, got {starts.shape}")
    layer = {"kind": "arrows", "xy": ends, "tails": starts, "actor": check.actor("arrows", actor)}
    layer["labels"] = check.labels("arrows", labels, len(ends), default=[])
    layer["drag"] = check.drag("arrows", drag)
    return _plane(layer, axes, x_limits, y_limits, title)


def threads(
    tips: Any,
    shares: Any,
    labels: Any,
    *,
    tails: Any = None,
    actor: str = "ink",
    axes: Sequence[str] = ("", ""),
    x_limits: Any = None,
    y_limits: Any = None,
    drag: str | Sequence[str] = (),
    title: str = "",
) -> Mark:
    """Words in the plane, and a thread to each, as wide as its share; the number stands at the widest alone.

    One unit is as long across as up. Where a handle is dragged, let its states reach to the limits.

    Args:
        tips: (n, 2), where the words stand.
        shares: (n,), from 0 to 1.
        labels: the n words.
        tails: (n, 2), where the threads begin; the origin by default. A thread of no length is a dot.

    The rest is as in `points`.

    >>> threads([[2, 0], [0, 2]], [0.9, 0.1], ["animal", "street"]) + arrows([[1.5, 0.5]], actor="query")
    <mark: plane>
    """
    ends = check.places("threads", "tips", tips)
    n = len(ends)
    starts = np.zeros((n, 2)) if tails is None else check.places("threads", "tails", tails)
    if ends.shape != (n, 2) or starts.shape != (n, 2):
        raise ValueError(f"threads: expected shape ({n}, 2), got tips {ends.shape} and tails {starts.shape}")
    layer = {"kind": "threads", "xy": ends, "tails": starts, "labels": check.labels("threads", labels, n)}
    layer["shares"] = check.row("threads", "shares", check.shares("threads", "shares", shares, 1), n)
    layer |= {"actor": check.actor("threads", actor), "drag": check.drag("threads", drag)}
    return _plane(layer, axes, x_limits, y_limits, title)


def space(
    drawing: Any,
    *,
    view: Any = (30, 20),
    turn: str | Sequence[str] = (),
    heights: str = "",
    title: str = "",
) -> Mark:
    """Points, arrows and lines of three coordinates, as they look from one side; the reader turns them by hand.

    Dragged by mouse or finger, or moved by the arrow keys, the whole drawing turns as on a turntable; Home brings it
    back. The third axis is upright, and nothing gets smaller with distance, so what is parallel stays parallel.
    However it is turned, everything fits into the picture.

    Args:
        drawing: what `points`, `arrows` and `lines` return for shape (n, 3), added with ``+``.
        view: (around, above) in degrees: how far the space is turned about its third axis, and how far above the first
            two the eye is, from −90 to 90. `view_matrix` says what is drawn where.
        turn: the argument, or the two, that turning sets: the first around, the second above. In between, the drawing
            follows the hand; let go, it comes to rest at the nearest state. None: the page alone turns.
        heights: what a ruler beside the picture is called, on which every point's height in the picture is marked, the
            second column of `view_matrix`; no ruler without a name.

    >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> space(points(corners, "o x y z") + lines(corners), view=(20, 35))
    <mark: space>
    """
    if getattr(drawing, "kind", "") != "space":
        kind = getattr(drawing, "kind", type(drawing).__name__)
        raise ValueError(f"space: expected points, arrows or lines of shape (n, 3), got {kind}")
    turned = {"view": check.view("space", view), "turn": check.drag("space", turn)}
    return Mark("space", **drawing.parts | turned | {"heights": heights, "title": title or drawing.parts["title"]})


def view_matrix(around: SupportsFloat, above: SupportsFloat) -> Float[np.ndarray, "3 2"]:
    """Where `space` draws a row (x, y, z) from that view: the row times this matrix is (to the right, up).

    With a for ``around`` and e for ``above``, in degrees, its columns are (cos a, −sin a, 0) and
    (sin e sin a, sin e cos a, cos e): of norm 1 and at right angles. The second one can be any direction, so some view
    reads off any given number of the rows.

    >>> np.array([[0, 0, 1]]) @ view_matrix(70, 0)
    array([[0., 1.]])
    """
    a, e = np.radians([float(around), float(above)])
    return np.array(
        [[np.cos(a), np.sin(e) * np.sin(a)], [-np.sin(a), np.sin(e) * np.cos(a)], [0.0, np.cos(e)]]
    )  # (axis, right and up)


def heat_map(
    values: Any,
    rows: Any = None,
    columns: Any = None,
    *,
    axes: Sequence[str] = ("", ""),
    actors: Sequence[str] = ("ink", "ink"),
    limits: Any = None,
    digits: int | None = 2,
    part: Sequence[int] | None = None,
    drag: str | Sequence[str] = (),
    title: str = "",
) -> Mark:
    """A matrix as cells: shares from blank to ink, signed numbers from minus's colour through blank to plus's.

    Args:
        values: (row, column), up to 1,048,576 cells. Infinity is drawn as a hatched cell.
        rows, columns: their names; none by default.
        axes: what the rows and what the columns are.
        actors: whose rows and whose columns these are, ``("query", "key")`` for attention weights.
        limits: (low, high) of the scale; by default over all states, from 0, or symmetric if anything is negative.
        digits: decimals of the numbers in the cells; None writes none. Cells too narrow for numbers have none either.
        part: what is in view, (first row, first column, rows, columns); by default all.
        drag: the argument that the row of a cell under the pointer sets, or two, for row and column.

    >>> heat_map([[1, 0], [0.5, 0.5]], ["it", "is"], ["it", "is"], actors=("query", "key"))
    <mark: heat_map>
    """
    matrix = check.array("heat_map", "values", values, 2, infinity=True)
    if matrix.size > MOST_CELLS:
        raise ValueError(f"heat_map: expected up to {MOST_CELLS} cells, got {matrix.shape[0]} × {matrix.shape[1]}")
    return Mark(
        "heat_map",
        title=title,
        values=matrix,
        rows=check.labels("heat_map", rows, len(matrix), default=[]),
        columns=check.labels("heat_map", columns, matrix.shape[1], default=[]),
        drag=check.drag("heat_map", drag),
        row_axis=axes[0],
        column_axis=axes[1],
        row_actor=check.actor("heat_map", actors[0]),
        column_actor=check.actor("heat_map", actors[1]),
        limits=check.limits("heat_map", limits),
        digits=digits,
        part=None if part is None else [int(number) for number in part],
    )


def cakes(
    shares: Any,
    labels: Any,
    *,
    held: int = 0,
    first: int = 0,
    drag: str | Sequence[str] = (),
    title: str = "",
) -> Mark:
    """A cake for each row of a table of shares, and below what each word eats of all of them.

    Args:
        shares: (n, n), from 0 to 1: the slices of a row make one cake.
        labels: n names, of those who cut a cake, queries, and of those who eat, keys.
        held: the row whose cake is large, and whose slices can be pulled.
        first: the column whose slice begins at the top, at the ring.
        drag: the two arguments that pulling sets: which slice is first, by a tap or ← →, and how far it is pulled, by
            the ring or ↑ ↓.

    >>> cakes([[0.5, 0.5], [0.9, 0.1]], ["dog", "bites"])
    <mark: cakes>
    """
    names = check.labels("cakes", labels, len(labels))
    table = check.shares("cakes", "shares", shares, 2)
    n = len(names)
    if table.shape != (n, n):
        raise ValueError(f"cakes: shares must have a row and a column for each of {n} words, got {table.shape}")
    totals = table.sum(axis=1)
    if np.abs(totals - 1).max() > 1e-6:
        raise ValueError(f"cakes: the slices of a row must sum to 1, got {totals.tolist()}")
    return Mark(
        "cakes",
        title=title,
        values=table,
        labels=names,
        held=check.place("cakes", "held", held, n),
        first=check.place("cakes", "first", first, n),
        drag=check.drag("cakes", drag),
    )


def clocks(
    angles: Any,
    labels: Any = None,
    *,
    lengths: Any = None,
    actor: Any = "position",
    wedge: bool = False,
    halves: bool = False,
    notes: Any = None,
    wheels: Any = None,
    digits: str = "0123456789",
    text: Any = None,
    places: Any = None,
    drag: str | Sequence[str] = (),
    title: str = "",
) -> Mark:
    """Faces whose hands turn, one or many: an angle for each.

    Dragged, a hand or the text follows the pointer between the states, and comes to rest at the nearest one.

    Args:
        angles: (n,) in radians, clockwise from straight up, so that the sine of one is how far its hand reaches to the
            right, the cosine how far up; or ``{"query": (n,), "key": (n,)}``, up to three hands on each face. Angles
            of more than a turn are welcome: hands go from state to state by the difference, turns and all.
        labels: n names below the faces; none by default.
        lengths: (n,) from 0 to 1, of the hands, or by their names; 1 for those left out.
        actor: one for all hands, or ``{"query": "query"}``.
        wedge: tints what lies between the first two hands: a spiral, where that is more than a turn.
        halves: tints the left half of each face.
        notes: n words below the labels, in the colour of positions.
        wheels: whole numbers (n,), shown by wheels below the faces, as an odometer counts; or up to three rows of
            them with their names. A later row is marked where its digit is not that of the first.
        digits: what a wheel shows for 0, 1, …: it begins anew after the last.
        text: words above the faces, or a string with spaces between them; they slide.
        places: at which word of the text each hand is. That of the first stays in the middle.
        drag: the argument that dragging the first hand, or the text, sets; or two, for the second hand and its word.

    >>> position = np.array([21, 19])[:, None] / [8, 4, 2]  # (word 2, clock 3), in radians
    >>> clocks(dict(zip(["this word", "two to its left"], position)), wedge=True)
    <mark: clocks>
    """
    by_name = angles if isinstance(angles, Mapping) else {"": angles}
    if not 1 <= len(by_name) <= MOST_HANDS:
        raise ValueError(f"clocks: expected 1 to {MOST_HANDS} hands, got {len(by_name)}")
    n = len(check.array("clocks", "angles", next(iter(by_name.values())), 1))
    if n > MOST_CLOCKS:
        raise ValueError(f"clocks: expected 1 to {MOST_CLOCKS} clocks, got {n}")
    words = [] if text is None else check.split(text)
    if len(words) > MOST_WORDS_TO_SLIDE:
        raise ValueError(f"clocks: expected up to {MOST_WORDS_TO_SLIDE} words, got {len(words)}")
    if bool(words) != (places is not None) or (words and len(places) != len(by_name)):
        got = "none" if places is None else len(places)
        raise ValueError(f"clocks: a text needs a place for each of {len(by_name)} hands, and no text none, got {got}")
    if wedge and len(by_name) < 2:
        raise ValueError("clocks: a wedge lies between two hands, got 1")
    if len(digits) < 2:
        raise ValueError(f"clocks: expected two digits or more, got {digits!r}")
    hands = []
    for i, (name, turned) in enumerate(by_name.items()):
        reach = lengths.get(name) if isinstance(lengths, Mapping) else lengths
        row = check.row("clocks", name or "angles", turned, n)
        outs = None if reach is None else check.row("clocks", "lengths", check.shares("clocks", "lengths", reach, 1), n)
        own = check.actor("clocks", actor.get(name, "ink") if isinstance(actor, Mapping) else actor)
        at = None if not words else np.array([check.place("clocks", "places", places[i], len(words))], dtype=np.float64)
        hands.append({"name": str(name), "actor": own, "angles": row, "lengths": outs, "place": at})
    counts = {} if wheels is None else wheels if isinstance(wheels, Mapping) else {"": wheels}
    if len(counts) > MOST_HANDS:
        raise ValueError(f"clocks: expected up to {MOST_HANDS} rows of wheels, got {len(counts)}")
    return Mark(
        "clocks",
        title=title,
        hands=hands,
        labels=check.labels("clocks", labels, n, default=[]),
        notes=check.labels("clocks", notes, n, default=[]),
        wheels=[
            {"name": str(name), "counts": check.whole("clocks", name or "wheels", row, n)}
            for name, row in counts.items()
        ],
        wheel=digits,
        wedge=bool(wedge),
        halves=bool(halves),
        text=words,
        drag=check.drag("clocks", drag, most=min(2, len(by_name))),
    )


def sentence(
    words: Any,
    weights: Any = None,
    *,
    order: Any = None,
    asks: int | None = None,
    small: Sequence[int] = (),
    notes: Any = None,
    heads: bool = False,
    limits: Any = None,
    drag: str | Sequence[str] = (),
    title: str = "",
) -> Mark:
    """Words on a line as tiles, with arcs from each word to those that it looks at.

    Words without arcs stand on a line of their own, above all other marks.

    Args:
        words: n words as they stand, or a string with spaces between them.
        weights: (query n, key n), drawn above the line; or two of them with their names, ``{"first round": …,
            "second round": …}``, the second below. Where one word asks, its row will do, (key n).
        order: which word of the first order each place shows, a permutation of 0 to n − 1: words travel between states.
        asks: the place of the word that asks, if one does; its arcs wear the colour of queries.
        small: the places of words that take no part and have no tile.
        notes: n words or numbers, one under each word; none where it is "".
        heads: arrows instead of arcs, all of one thickness: which words are joined, and in which direction.
        limits: (low, high) of the weights; by default from 0 to the largest of all states.
        drag: the argument whose states are orders: a tile that is dragged sets the one in which it stands there. Since
            tiles answer to the arrow keys, too, the page has no list of these orders.

    >>> sentence("animal street it", [0.9, 0.05, 0.05], asks=2)
    <mark: sentence>
    """
    tokens = check.split(words)
    n = len(tokens)
    if not 1 <= n <= MOST_WORDS:
        raise ValueError(f"sentence: expected 1 to {MOST_WORDS} words, got {n}")
    places = check.permutation("sentence", order, n)
    asking = None if asks is None else check.place("sentence", "asks", asks, n)
    rounds = {} if weights is None else weights if isinstance(weights, Mapping) else {"": weights}
    if len(rounds) > 2:
        raise ValueError(f"sentence: expected weights of one or two rounds, got {len(rounds)}")
    matrices = np.zeros((len(rounds), n, n))  # (round, query, key), in the first order
    for matrix, (name, given) in zip(matrices, rounds.items(), strict=True):
        matrix[np.ix_(places, places)] = check.weights("sentence", str(name) or "weights", given, n, asking)
    under = check.labels("sentence", notes, n, default=[""] * n)
    parts = {
        "labels": [tokens[place] for place in np.argsort(places)],
        "places": np.argsort(places).astype(np.float64),
        "weights": matrices,
        "rounds": [str(name) for name in rounds],
        "across": not rounds,
        "asks": None if asking is None else int(places[asking]),
        "small": [int(places[check.place("sentence", "small", one, n)]) for one in small],
        "notes": [under[place] for place in np.argsort(places)],
        "heads": bool(heads),
        "limits": check.limits("sentence", limits),
        "drag": check.drag("sentence", drag, most=1),
    }
    return Mark("sentence", title=title, **parts, spoken=_arcs_in_words(parts))


def ink(
    words: Any,
    weights: Any,
    *,
    asks: int | None = None,
    target: int | None = None,
    absent: Sequence[int] = (),
    notes: Any = None,
    actor: str = "ink",
    drag: str | Sequence[str] = (),
    title: str = "",
) -> Mark:
    """The words of one line, and under each a blot of ink, whose area and darkness are its weight.

    The largest weight is printed, from 0.05 on, if no more than three share it; the others are read out under the
    pointer. The line is as wide as the figure; long words wrap. Below a plane that is ``bare``, with ``x_limits`` from
    −½ to n − ½, word i is under x = i.

    Args:
        words: n words as they stand, or a string with spaces between them; up to 64.
        weights: (n,), from 0 to 1: of the word that asks, if one does.
        asks: the place of the word that asks, marked ◆.
        target: the place of the word that should have the ink, which gets a ring.
        absent: the places of words that are not there, or not seen: grey.
        notes: n words or numbers, one under each word; none where it is "".
        actor: whose words these are: gives them its colour, as ``"position"`` on a ruler.
        drag: the argument that a tap on a word sets, or ◆ dragged to it by mouse, finger or ← →: to the state in which
            that word asks.

    >>> ink("animal street it", [0.9, 0.05, 0.05], asks=2)
    <mark: ink>
    """
    tokens = check.split(words)
    n = len(tokens)
    if not 1 <= n <= MOST_WORDS_IN_INK:
        raise ValueError(f"ink: expected 1 to {MOST_WORDS_IN_INK} words, got {n}")
    if drag and asks is None:
        raise ValueError("ink: drag moves the word that asks, but asks is None")
    return Mark(
        "ink",
        title=title,
        across=True,
        labels=check.labels("ink", tokens, n),
        weights=check.shares("ink", "weights", check.row("ink", "weights", weights, n), 1),
        asks=None if asks is None else check.place("ink", "asks", asks, n),
        target=None if target is None else check.place("ink", "target", target, n),
        absent=[check.place("ink", "absent", one, n) for one in absent],
        notes=check.labels("ink", notes, n, default=[""] * n),
        actor=check.actor("ink", actor),
        drag=check.drag("ink", drag, most=1),
    )


def crossing(
    upper: Any,
    lower: Any,
    order: Any,
    *,
    rows: Any = None,
    limits: Any = None,
    kept: Any = None,
    notes: Any = None,
    drag: str | Sequence[str] = (),
    title: str = "",
) -> Mark:
    """Words above, words below, and a thread from each word to where it stands then. It stands above all other marks.

    A word that no thread leaves or reaches is grey, and has no strip.

    Args:
        upper: n words, or a string with spaces between them.
        lower: m words.
        order: (m,): which upper word, from 0, the thread to each lower one comes from, each at most once; −1 for none.
        rows: numbers of the words, ``((n, d), (m, d))``, drawn as strips of colour above and below the threads.
        limits: (low, high) of the strips' colours; by default symmetric about 0, as far as the largest of these rows.
        kept: m booleans: whether a thread is whole, else dashed; by default all are.
        notes: m words or numbers, one under each lower word; none where it is "".
        drag: the argument whose states are orders of the lower words: a word that is dragged sets the one in which it
            stands there. The words answer to the arrow keys, too.

    >>> crossing("dog bites man", "man bites dog", [2, 1, 0], kept=[False, True, False])
    <mark: crossing>
    """
    above, below = check.split(upper), check.split(lower)
    n, m = len(above), len(below)
    if not (1 <= n <= MOST_WORDS and 1 <= m <= MOST_WORDS):
        raise ValueError(f"crossing: expected 1 to {MOST_WORDS} words above and below, got {n} and {m}")
    threads = check.whole("crossing", "order", order, m).astype(np.int64)
    joined = threads[threads >= 0]
    if threads.min() < -1 or threads.max() >= n or len(set(joined.tolist())) < len(joined):
        raise ValueError(
            f"crossing: order must hold places from 0 to {n - 1}, each at most once, or −1, got {order!r:.80}"
        )
    if drag and not np.array_equal(np.sort(threads), np.arange(n)):
        raise ValueError(f"crossing: drag needs the same words above and below, got order {order!r:.80}")
    strips = {"above": np.zeros((n, 0)), "below": np.zeros((m, 0))}
    if rows is not None:
        strips = {side: check.array("crossing", side, part, 2) for side, part in zip(strips, rows, strict=True)}
        if [len(part) for part in strips.values()] != [n, m] or strips["above"].shape[1] != strips["below"].shape[1]:
            got = " and ".join(str(part.shape) for part in strips.values())
            raise ValueError(f"crossing: rows must have shapes ({n}, d) and ({m}, d), got {got}")
    largest = max(np.abs(part).max(initial=0) for part in strips.values()) or 1.0
    whole = [True] * m if kept is None else [bool(one) for one in kept]
    if len(whole) != m:
        raise ValueError(f"crossing: kept must have {m} booleans, one for each lower word, got {len(whole)}")
    return Mark(
        "crossing",
        title=title,
        across=True,
        upper=check.labels("crossing", above, n),
        lower=check.labels("crossing", below, m),
        order=threads.astype(np.float64),
        **strips,
        limits=check.limits("crossing", limits) or [-float(largest), float(largest)],
        kept=whole,
        notes=check.labels("crossing", notes, m, default=[""] * m),
        drag=check.drag("crossing", drag, most=1),
    )


def diagram(
    boxes: Mapping[str, tuple[float, float]],
    arrows: Sequence[tuple[str, str]],
    doors: Mapping[str, tuple[float, float, Sequence[str]]],
    *,
    opened: str = "",
    details: Mapping[str, str] | None = None,
    small: Sequence[str] = (),
    drag: str | Sequence[str] = (),
    title: str = "",
) -> Mark:
    """Boxes and arrows between them, and doors: what comes in by an open one goes on along the arrows, in red.

    Args:
        boxes: ``{"X": (8, 50)}``: where each stands, in hundredths of the width and of the height. Of a name such as
            ``"W/keys"``, which there may be twice, the part before the stroke is written.
        arrows: from which box to which.
        doors: ``{"in the rows": (8, 92, ["X"])}``: where each stands, and the boxes into which it leads.
        opened: the door that is open; none by default.
        details: ``{"X": "the rows"}``, written below the name.
        small: boxes drawn as small circles, through which what comes in goes without colouring them.
        drag: the argument, whose first state is that of no open door, that a press on a door sets.

    >>> door = {"here": (10.0, 90.0, ["X"])}
    >>> diagram({"X": (10.0, 50.0), "Y": (90.0, 50.0)}, [("X", "Y")], door, opened="here").parts["box_depths"]
    [0, 1]
    """
    names = [*boxes]
    ends = {name for pair in arrows for name in pair} | {name for *_, into in doors.values() for name in into}
    if unknown := sorted(ends - set(names)):
        raise ValueError(f"diagram: arrows and doors must lead to boxes, {', '.join(names)}, got {unknown}")
    if opened and opened not in doors:
        raise ValueError(f"diagram: opened must be one of {', '.join(doors)}, or empty, got {opened!r}")
    entered = [*doors[opened][2]] if opened else []
    depths = dict.fromkeys(entered, 0)  # of the boxes that it has reached
    frontier = list(entered)
    while frontier:
        box = frontier.pop(0)
        for start, end in arrows:
            if start == box and end not in depths:
                depths[end] = depths[box] + 1
                frontier.append(end)
    hidden = set(small) - set(entered)
    return Mark(
        "diagram",
        title=title,
        labels=[name.partition("/")[0] for name in names],
        places=check.array("diagram", "boxes", [*boxes.values()], 2),
        details=[(details or {}).get(name, "") for name in names],
        round=[name in small for name in names],
        ways=[[names.index(start), names.index(end)] for start, end in arrows],
        doors=[*doors],
        door_places=check.array("diagram", "doors", [place[:2] for place in doors.values()], 2),
        leads=[[names.index(name) for name in into] for *_, into in doors.values()],
        opened=opened,
        box_depths=[-1 if name in hidden else depths.get(name, -1) for name in names],
        way_depths=[depths.get(start, -1) for start, _ in arrows],
        drag=check.drag("diagram", drag, most=1),
    )


def mirror(
    labels: Any,
    order: Any,
    left: Any,
    right: Any,
    *,
    limits: Any = None,
    digits: int = 0,
    drag: str | Sequence[str] = (),
    title: str = "",
) -> Mark:
    """A text, its mirror image beside it, and below them their tables: one if the two are equal, else two.

    Args:
        labels: n words, the rows and columns of both tables.
        order: (n,): which word, from 0, stands at each position of the text.
        left, right: (n, n): the numbers of the text, and those of its mirror image.
        limits: (low, high) of the colours; by default symmetric about 0, as far as the largest of these numbers.
        digits: decimals of the numbers.
        drag: the argument whose states are orders: a word that is dragged, here or in the mirror, sets the one in which
            it stands there. The words answer to the arrow keys, too.

    >>> mirror("dog bites", [1, 0], [[0, 1], [1, 0]], [[0, 1], [1, 0]])
    <mark: mirror>
    """
    words = check.split(labels)
    n = len(words)
    tables = {name: check.array("mirror", name, part, 2) for name, part in (("left", left), ("right", right))}
    for name, part in tables.items():
        if part.shape != (n, n):
            raise ValueError(f"mirror: {name} must have a row and a column for each of {n} words, got {part.shape}")
    largest = float(max(np.abs(part).max(initial=0) for part in tables.values())) or 1.0
    return Mark(
        "mirror",
        title=title,
        labels=check.labels("mirror", words, n),
        order=check.permutation("mirror", order, n).astype(np.float64),
        **tables,
        limits=check.limits("mirror", limits) or [-largest, largest],
        digits=int(digits),
        drag=check.drag("mirror", drag, most=1),
    )


def program(
    lines: Sequence[str],
    labels: Any,
    weights: Any,
    shares: Any,
    *,
    lit: int,
    inked: int,
    adds: Mapping[int, int] | None = None,
    drag: str | Sequence[str] = (),
    title: str = "",
) -> Mark:
    """Lines of code, one below the other, and beside each what it does to the rows of a table.

    Args:
        lines: n_lines lines of code.
        labels: names of the n rows.
        weights: (n_lines, n, n), from 0 to 1: how much of each row above, the last axis, a line lets into a row below.
        shares: (n_lines + 1, n), from 0 to 1: what each row holds of the inked one, at first and after each line.
        lit: how many lines have been carried out; the others are still to come.
        inked: the row whose ink is followed.
        adds: ``{2: 0}``: line 2 also adds, to each row, what that row was before line 0.
        drag: the argument, or the two, that the hand sets: how many lines are lit, with a state for each number from 0,
            and which row is inked, with a state for each.

    >>> program(["y = mix(x)"], ["dog", "man"], [[[0.5, 0.5], [0.5, 0.5]]], [[1, 0], [0.5, 0.5]], lit=1, inked=0)
    <mark: program>
    """
    code = [str(line) for line in lines]
    names = check.labels("program", labels, len(labels))
    n_lines, n = len(code), len(names)
    threads, held = check.shares("program", "weights", weights, 3), check.shares("program", "shares", shares, 2)
    for name, array, shape in (("weights", threads, (n_lines, n, n)), ("shares", held, (n_lines + 1, n))):
        if array.shape != shape:
            raise ValueError(f"program: {name} must have shape {shape}, got {array.shape}")
    if lit not in range(n_lines + 1) or inked not in range(n):
        raise ValueError(f"program: expected up to {n_lines} lit lines and one of {n} rows, got {lit!r} and {inked!r}")
    levels = [(adds or {}).get(line, -1) for line in range(n_lines)]
    if any(level > line for line, level in enumerate(levels)):
        raise ValueError(f"program: a line adds what was there before it, got {adds!r}")
    return Mark(
        "program",
        title=title,
        lines=code,
        labels=names,
        threads=threads,
        values=held,
        lit=int(lit),
        row=int(inked),
        adds=levels,
        drag=check.drag("program", drag),
    )


def stream(
    weights: Any,
    labels: Any = None,
    *,
    shares: Any = None,
    layers: Any = None,
    inked: int | None = None,
    threads: bool = True,
    digits: int | None = 2,
    drag: str | Sequence[str] = (),
    title: str = "",
) -> Mark:
    """Rows that rise through layers, one column for each, the input at the foot: what of each word reaches which row?

    Each source has a hue, and each row the mixture of what it holds, which is grey if it holds equal amounts of all. Or
    one source is ``inked``: then a row is as dark as its share of that source.

    Args:
        weights: (layer, row, row), from 0 to 1: how much of each row below, the last axis, each layer takes into a row
            above. Attention weights, or what a residual makes of them.
        labels: names of the rows; the numbers from 0 if there are none.
        shares: (layer + 1, row, row), from 0 to 1: what each row holds of each at the input, the input first. By
            default layers multiply: ``shares[k + 1] = weights[k] @ shares[k]``.
        layers: names of the input and of what each layer gives, (layer + 1).
        inked: which source is inked; by default each has its hue.
        threads: whether the weights are drawn, as threads of that thickness from row to row; else each row is a ribbon.
        digits: decimals of the shares of an inked source, written where there is room; None writes none.
        drag: the argument that the column under the pointer sets: that of its name, or else of its place.

    >>> halves = np.array([[1, 0], [0.5, 0.5]])
    >>> twice = stream([halves, halves], ["dog", "bites"], inked=0)
    >>> twice.parts["values"][:, 1, 0]  # of "dog" in the row of "bites", layer by layer
    array([0.  , 0.5 , 0.75])
    """
    below = check.shares("stream", "weights", weights, 3)
    n_layers, n = below.shape[:2]
    if below.shape[2] != n:
        raise ValueError(f"stream: weights must have shape (layer, row, row), got {below.shape}")
    if shares is None:
        held = [np.eye(n)]
        for layer in below:
            held.append(layer @ held[-1])
        shares = np.stack(held)  # (layer + 1, row, source)
    holds = check.shares("stream", "shares", shares, 3)
    if holds.shape != (n_layers + 1, n, n):
        raise ValueError(f"stream: shares must have shape ({n_layers + 1}, {n}, {n}), got {holds.shape}")
    if (n_layers + 1) * n > MOST_DRAWN_CELLS:
        raise ValueError(f"stream: expected up to {MOST_DRAWN_CELLS} cells, got {n_layers + 1} × {n}")
    if threads and below.size > MOST_THREADS:
        raise ValueError(f"stream: expected up to {MOST_THREADS} threads, got {below.size}: try threads=False")
    names = check.labels("stream", labels, n)
    if inked is not None and inked not in range(n):
        raise ValueError(f"stream: inked must be one of the rows 0 to {n - 1}, or None, got {inked!r}")
    return Mark(
        "stream",
        title=title,
        values=holds if inked is None else holds[:, :, [inked]],  # (layer + 1, row, source)
        threads=below if threads else None,
        labels=names,
        sources=names if inked is None else [names[inked]],
        levels=check.labels("stream", layers, n_layers + 1),
        inked=inked is not None,
        digits=digits,
        drag=check.drag("stream", drag, most=1),
    )


def projections(
    rows: Any,
    labels: Any,
    chosen: int,
    matrices: Any,
    *,
    row_axes: Any,
    axes: Sequence[str],
    drag: str | Sequence[str] = (),
    title: str = "",
) -> Mark:
    """One row on its way through W_Q, W_K and W_V, into the plane of queries and keys and into that of values.

    Args:
        rows: (n, d), 2 to 8 rows of up to 8 numbers, none of them negative.
        labels: n words.
        chosen: the row that is lit, from 0.
        matrices: the three, in this order, each (d, 2), without negative numbers.
        row_axes: d names of the rows' numbers.
        axes: four names: across and up of queries and keys, across and up of values.
        drag: the argument that a tap on a row sets, or the ring at its end, pulled up and down, or ↑ ↓.

    >>> projections(np.eye(2), ["dog", "man"], 0, [np.eye(2)] * 3, row_axes="a b", axes=("a", "b", "a", "b"))
    <mark: projections>
    """
    x = check.array("projections", "rows", rows, 2)
    w = check.array("projections", "matrices", matrices, 3)
    n, d = x.shape
    if not (2 <= n <= MOST_ROWS_TO_PROJECT and d <= MOST_ROWS_TO_PROJECT):
        raise ValueError(f"projections: expected 2 to {MOST_ROWS_TO_PROJECT} rows of as many numbers, got {n} × {d}")
    if w.shape != (3, d, 2):
        raise ValueError(f"projections: matrices must have shape (3, {d}, 2), got {w.shape}")
    if x.min() < 0 or w.min() < 0:
        raise ValueError(f"projections: no number may be negative, got {min(x.min(), w.min()):g}")
    made = x @ w  # (matrix 3, row, axis 2)
    at = check.place("projections", "chosen", chosen, n)
    return Mark(
        "projections",
        title=title,
        rows=x,
        labels=check.labels("projections", labels, n),
        chosen=np.array([at], dtype=float),
        matrices=w,
        made=made,
        landed=made[:, at],
        row_axes=check.labels("projections", row_axes, d),
        axes=check.labels("projections", axes, 4),
        drag=check.drag("projections", drag, most=1),
    )


def blocks(
    values: Any,
    at: Sequence[int],
    counts: Sequence[int],
    kept: Mapping[str, Any],
    *,
    limits: Any = None,
    drag: str | Sequence[str] = (),
    title: str = "",
) -> Mark:
    """A table of queries and keys of which one block at a time is there, and beside it what is kept of each row.

    Args:
        values: (row, column), from 0, of the block that is there; the larger, the more ink.
        at: (row, column) of that block, among the blocks.
        counts: how many blocks the table has, (down, across).
        kept: ``{"m": (n,), "ℓ": (n,)}``, up to three numbers for each row of the table. Below the block none is shown.
        limits: (0, high) of the ink; by default over all states.
        drag: the argument that dragging the block sets.

    >>> blocks([[1.0, 0.5]], (0, 1), (2, 2), {"sum": [1.5, 0.0]})
    <mark: blocks>
    """
    block = check.array("blocks", "values", values, 2)
    if block.min() < 0:
        raise ValueError(f"blocks: values must be 0 or more, got {block.min():g}")
    sizes = [int(count) for count in check.whole("blocks", "counts", counts, 2)]
    place = check.whole("blocks", "at", at, 2)
    if not all(0 <= one < size for one, size in zip(place, sizes, strict=True)):
        raise ValueError(f"blocks: at must be one of {sizes[0]} × {sizes[1]} blocks, got {tuple(at)!r}")
    n = sizes[0] * len(block)
    if n * sizes[1] * block.shape[1] > MOST_DRAWN_CELLS:
        raise ValueError(f"blocks: expected up to {MOST_DRAWN_CELLS} cells, got {n} × {sizes[1] * block.shape[1]}")
    if not 1 <= len(kept) <= MOST_SERIES:
        raise ValueError(f"blocks: expected 1 to {MOST_SERIES} numbers kept, got {len(kept)}")
    return Mark(
        "blocks",
        title=title,
        values=block,
        at=place,
        counts=sizes,
        kept=np.stack([check.row("blocks", name, row, n) for name, row in kept.items()]),  # (name, row)
        names=[str(name) for name in kept],
        limits=check.limits("blocks", limits),
        drag=check.drag("blocks", drag, most=1),
    )


def table(
    columns: Any,
    rows: Any = None,
    *,
    digits: int | Mapping[str, int] = 2,
    cards: bool = False,
    title: str = "",
) -> Mark:
    """Columns of numbers, or of words, under their names.

    Args:
        columns: ``{"score": (n,), "verdict": n words}``.
        rows: n names, the first column; none by default.
        digits: decimals of the numbers, in all columns or by column, ``{"length": 0}``; those left out have 2.
        cards: each row as a small card, as many beside each other as there is room for; one with a sign ``"≠"`` or
            ``"×"`` among its cells is filled with ink.

    >>> table({"length": [3, 4], "cost": [9, 16.5]}, ["short", "long"], digits={"length": 0})
    <mark: table>
    """
    if not isinstance(columns, Mapping) or not columns:
        raise ValueError(f"table: expected columns as a dictionary of names and cells, got {type(columns).__name__}")
    n = len(next(iter(columns.values())))
    cells = {str(name): check.column("table", name, column, n) for name, column in columns.items()}
    by_column = digits if isinstance(digits, Mapping) else dict.fromkeys(cells, digits)
    if unknown := set(by_column) - set(cells):
        raise ValueError(f"table: digits must name columns, {', '.join(cells)}, got {', '.join(sorted(unknown))}")
    labels = check.labels("table", rows, n, default=[])
    # Their order is kept separately, because a saved notebook sorts the names of a dictionary.
    names = list(cells)
    decimals = [int(by_column.get(name, 2)) for name in names]
    parts = {"columns": cells, "column_names": names, "rows": labels, "column_digits": decimals}
    return Mark("table", title=title, cards=bool(cards), **parts)


def answer(sentence: str, sign: str | None = None) -> Mark:
    """The sentence below the pictures: what there is to see in this state. A figure has at most one.

    Args:
        sentence: plain words, with the numbers that matter.
        sign: ``"="`` equal, ``"≠"`` different, ``"✓"`` right, ``"×"`` wrong, or none.

    >>> answer("Shuffled first or last, the rows are the same.", "=")
    <mark: answer>
    """
    if sign not in (None, *SIGNS):
        raise ValueError(f"answer: sign must be {', '.join(SIGNS)} or None, got {sign!r}")
    return Mark("answer", words=check.words("answer", sentence), sign=sign or "")


def _arcs_in_words(parts: Mapping[str, Any]) -> str:
    """The arcs of a sentence, the thickest first."""
    sentences = []
    for name, weights in zip(parts["rounds"], parts["weights"], strict=True):
        pairs = [(int(row), int(column)) for row, column in np.argwhere(weights > 0)]
        pairs.sort(key=lambda pair: (-weights[pair], parts["places"][pair[0]], parts["places"][pair[1]]))
        arcs = [f"{parts['labels'][row]} to {parts['labels'][column]}" for row, column in pairs[:MOST_ARCS_IN_WORDS]]
        if not parts["heads"]:
            numbers = (format_number(weights[pair]) for pair in pairs)
            arcs = [f"{arc} {number}" for arc, number in zip(arcs, numbers, strict=False)]
        more = [f"{len(pairs) - len(arcs)} thinner ones"] if len(pairs) > len(arcs) else []
        sentences.append((f"{name}: " if name else "") + (listed([*arcs, *more]) if arcs else "no arcs"))
    return f"{'; '.join(sentences)}." if sentences else ""


def _plane(layer: dict, axes: Sequence[str], x_limits: Any, y_limits: Any, title: str, **looks: Any) -> Mark:
    """A plane, or a space, with this layer; ``looks``: log, equal and bare."""
    looks = {"log": "", "equal": True, "bare": False} | looks
    kind, log = layer["kind"], looks["log"]
    if kind != "lines" and layer["xy"].shape[1] == 3:
        layer["xyz"] = layer.pop("xy")
    if "xyz" in layer:
        if log or x_limits is not None or y_limits is not None or any(axes):
            raise ValueError(f"{kind}: axes, limits and log belong to a plane, and shape (n, 3) to space")
        view = check.view("space", (30, 20))
        return Mark("space", title=title, layers=[layer], view=view, turn=[], heights="", sphere=None)
    if log not in ("", "x", "y", "xy"):
        raise ValueError(f'{kind}: log must be "", "x", "y" or "xy", got {log!r}')
    for letter in log:
        numbers = layer[letter] if kind == "lines" else layer["xy"][:, "xy".index(letter)]
        if numbers.min() <= 0:
            raise ValueError(f"{kind}: a logarithmic axis needs positive numbers, got {letter} = {numbers.min():g}")
    limits = {"x_limits": check.limits(kind, x_limits), "y_limits": check.limits(kind, y_limits)}
    return Mark("plane", title=title, layers=[layer], x_axis=axes[0], y_axis=axes[1], **looks, **limits)
