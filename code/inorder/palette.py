"""The colours of the book, one name each, for its pages, figures and drawings, by day and by night."""

LIGHT = {
    "paper": "#fdfcf9",
    "plate": "#f5f1e8",
    "raised": "#ffffff",
    "ink": "#1a222d",
    "muted": "#55606e",
    "edge": "#838a93",
    "hair": "#ddd7ca",
    "query": "#2456f3",
    "key": "#0a574d",
    "value": "#4b148c",
    "position": "#cc3311",
    "negative": "#a06400",
    "positive": "#33658a",
}
DARK = {
    "paper": "#11151b",
    "plate": "#1a2029",
    "raised": "#232b36",
    "ink": "#e9e5db",
    "muted": "#a3a9b2",
    "edge": "#6f7884",
    "hair": "#2e3641",
    "query": "#abd7fd",
    "key": "#4f9e96",
    "value": "#a580f7",
    "position": "#ff7a55",
    "negative": "#d9952e",
    "positive": "#7fb0d6",
}


def css_variables(colours: dict[str, str] = LIGHT) -> str:
    """The declarations that give a style sheet these colours under their names: ``--ink: #1a222d; …``.

    >>> css_variables(DARK).split("; ")[3]
    '--ink: #e9e5db'
    """
    return "; ".join(f"--{name}: {colour}" for name, colour in colours.items()) + ";"
