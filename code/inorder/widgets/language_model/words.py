"""What the figure says; words.js fills in the same sentences on the page."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inorder.widgets.language_model.figure import LanguageModel

TEMPLATES = {
    "same": "The next word stays the same: “{token}”.",
    "other": "The next word changes: “{first}” before the move, “{second}” after it.",
    "unmoved": "Lift a word out and drop it on another. So far, next comes “{token}”.",
    "missing": "Nothing is stored for this order and these positions: only the model itself can tell.",
    "stored": "Stored with the book.",
    "computed": "Computed by the model.",
}
POSITIONS = {
    "trained": "as trained",
    "unrotated": "no rotations (all equal)",
    "shifted": "shifted by a number",
    "stretched": "spread out",
    "reversed": "reversed",
    "restarted": "each generated token at 0",
    "mispaired": "pairs read as halves",
    "own": "your own, from Python",
}


def spell(token: str) -> str:
    """A token as it is shown: without the space that it begins with, never empty.

    >>> spell(" Paris"), spell("\\n"), spell(" ")
    ('Paris', '↵', '␣')
    """
    return re.sub(r"\n+", "↵", token).replace("\t", "⇥").strip() or "␣"


def summary(figure: "LanguageModel") -> str:
    """The answer: is the next word the same?"""
    if not figure.results:
        return figure.say("missing")
    first, second = (spell(tokens[0][0]) for tokens in figure.results["next"])
    if figure.prompts[0] == figure.prompts[1]:
        return figure.say("unmoved", token=first)
    return figure.say("same", token=first) if first == second else figure.say("other", first=first, second=second)


def note(figure: "LanguageModel") -> str:
    """The smaller line below: who says so."""
    return figure.say("stored" if figure.results["stored"] else "computed") if figure.results else ""


def alt_text(figure: "LanguageModel") -> str:
    before, after = figure.prompts
    if not figure.results:
        return f"A prompt for a language model, “{after}”; before a word was moved, “{before}”. {figure.summary()}"
    old, new = (text.strip() for text in figure.results["texts"])
    return (
        f"A prompt for a language model, “{after}”. Positions: {POSITIONS[figure.positions]}. It generates “{new}”; "
        f"before a word was moved, the prompt was “{before}”, and the text, now struck through, “{old}”. Below each, "
        f"the likeliest next tokens as bars. {figure.summary()} {note(figure)}"
    )
