"""What the figure says; words.js fills in the same sentences on the page."""

from typing import TYPE_CHECKING

from inorder.widgets.kit.twin import format_difference

if TYPE_CHECKING:
    from inorder.widgets.language_model.figure import LanguageModel

TEMPLATES = {
    "same": "The same likeliest word after both: “{token}”.",
    "other": "Different next words: “{first}” after the first, “{second}” after the second.",
    "unmoved": "The two prompts are identical: swap two words. Next comes “{token}”.",
    "missing": "Nothing is stored for these prompts and positions: only the model itself can tell.",
    "distance": "Total variation distance ½ Σ |p − q| = {distance}. {source}",
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
    ('Paris', '⏎', '␣')
    """
    return token.replace("\n", "⏎").replace("\t", "⇥").strip() or "␣"


def summary(figure: "LanguageModel") -> str:
    """The answer: is the next word the same?"""
    if not figure.results:
        return figure.say("missing")
    first, second = (spell(tokens[0][0]) for tokens in figure.results["next"])
    if figure.prompts[0] == figure.prompts[1]:
        return figure.say("unmoved", token=first)
    return figure.say("same", token=first) if first == second else figure.say("other", first=first, second=second)


def note(figure: "LanguageModel") -> str:
    """The smaller line below: by how much the distributions differ, and who says so."""
    if not figure.results:
        return ""
    source = figure.say("stored" if figure.results["stored"] else "computed")
    return figure.say("distance", distance=format_difference(figure.results["distance"]), source=source)


def alt_text(figure: "LanguageModel") -> str:
    if not figure.results:
        return f"Two prompts for a language model, “{'” and “'.join(figure.prompts)}”. {figure.summary()}"
    written = "; ".join(
        f"after “{prompt}” it generates “{text.strip()}”"
        for prompt, text in zip(figure.prompts, figure.results["texts"], strict=True)
    )
    return (
        f"Two prompts for a language model. Positions: {POSITIONS[figure.positions]}; {written}. Beside them, the "
        f"likeliest next tokens after each, as paired bars. {figure.summary()} {note(figure)}"
    )
