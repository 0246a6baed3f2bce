"""The figure that ends the whole argument: where order can get into one attention layer."""

from inorder.widgets import marks

BOXES = {
    "X": (7.0, 50.0),
    "W/QK": (25.0, 24.0),
    "Q, K": (43.0, 24.0),
    "A": (68.0, 24.0),
    "W/V": (25.0, 76.0),
    "V": (55.0, 76.0),
    "Y = AV": (92.0, 50.0),
}
DETAILS = {"X": "the rows", "Q, K": "queries, keys", "A": "the shares", "V": "values", "Y = AV": "the output"}
ARROWS = [
    ("X", "W/QK"),
    ("W/QK", "Q, K"),
    ("Q, K", "A"),
    ("A", "Y = AV"),
    ("X", "W/V"),
    ("W/V", "V"),
    ("V", "Y = AV"),
]
DOORS = {
    "in the rows": (7.0, 90.0, ["X"]),
    "in the scores": (90.0, 10.0, ["A"]),
    "in the values": (78.0, 92.0, ["V"]),
    "in the matrices": (33.0, 50.0, ["W/QK", "W/V"]),
}
ANSWERS = {
    "shut": "All doors are shut: no row knows where it stands.",
    "in the rows": "Positions run through everything from here. The first transformer added its clocks to the rows.",
    "in the scores": "Positions decide how much a word is heard: RoPE, ALiBi, T5, and every mask.",
    "in the values": "Positions decide what a word hands over, as in Shaw's scheme.",
    "in the matrices": "Each neighbour has matrices of its own, as in a convolution.",
}


def four_doors(door: str = "shut") -> tuple[marks.Mark, marks.Mark]:
    """Open a door. How far does order get?"""
    opened = door if door in DOORS else ""
    drawing = marks.diagram(BOXES, ARROWS, DOORS, opened=opened, details=DETAILS, small=["W/QK", "W/V"], drag="door")
    return drawing, marks.answer(ANSWERS[door])
