"""The still that ends the whole argument: where order can get into one attention layer."""

from typing import Any

import matplotlib as mpl

from inorder.book.drawing import KEY, POSITION, RAISED, STYLE, VALUE, Picture, draw_arrow, draw_box


@mpl.rc_context(STYLE)
def four_doors() -> Picture:
    """One attention layer from its rows to its output, and the four places where a position can enter."""
    figure = Picture(
        "A drawing of one attention layer, from top to bottom. A box X, the rows. Arrows through matrices W lead from "
        "it to two boxes, Q and K on the left and V, the values, on the right. Q and K lead to the scores, those to "
        "the shares A. A and V lead to the output, Y = AV. Four red arrows come in from outside: into the rows, into "
        "the scores, into the values, into the matrices W.",
        height=5,
    )
    axes = figure.subplots()
    axes.set(xlim=(0, 102), ylim=(98, 0))
    axes.axis("off")
    draw_box(axes, 56, 2, 12, "$X$", "the rows")
    draw_box(axes, 42, 32, 12, "$Q$, $K$", "queries, keys", colour=KEY)
    draw_box(axes, 84, 32, 12, "$V$", "values", colour=VALUE)
    draw_box(axes, 42, 58, 12, "$A$", "scores, then shares")
    draw_box(axes, 62, 84, 12, "$Y = AV$", "the output")
    draw_arrow(axes, (52, 14), (42, 31))
    draw_arrow(axes, (62, 14), (78, 31))
    draw_arrow(axes, (42, 44), (42, 57))
    draw_arrow(axes, (42, 70), (56, 83))
    draw_arrow(axes, (84, 44), (68, 83))
    ground: dict[str, Any] = {"facecolor": RAISED, "edgecolor": "none", "pad": 1.5}
    for x, y in ((47, 22.5), (70, 22.5)):
        axes.text(x, y, "$W$", ha="center", va="center", bbox=ground)
    for words, x, y, start, end in (
        ("in the rows", 0, 8, (25.0, 8.0), (39.0, 8.0)),
        ("in the\nmatrices", 0, 22.5, (21.0, 22.5), (44.0, 22.5)),
        ("in the\nscores", 0, 64, (19.0, 64.0), (25.0, 64.0)),
        ("in the values", 78, 14, (94.0, 17.0), (94.0, 31.0)),
    ):
        axes.text(x, y, words, ha="left", va="center", color=POSITION)
        draw_arrow(axes, start, end, POSITION)
    return figure
