"""Write the TypeScript interfaces of the figures' states, ``_build/states.d.ts``, from what Python declares.

``make lint`` does it before it calls ``tsc``.
"""

import string
from pathlib import Path

import inorder.widgets
from inorder.widgets.kit.figure import InteractiveFigure
from inorder.widgets.kit.state import Part

FILE = Path(__file__).parents[1] / "_build" / "states.d.ts"
HEAD = """\
// The states of the figures, and the sentences that they share with Python, as their figure.py declares them.
// Written by tools/state_types.py.
"""
TYPES = {
    "boolean": "boolean",
    "integer": "number",
    "real": "number",
    "texts": "string[]",
    "integers": "number[]",
    "permutation": "number[]",
    "matrix": "Matrix",
}


def type_of(part: Part) -> str:
    """The type of one part. A choice of a few is one of them; of many, or of what each figure knows alone, a string."""
    if part.limits["kind"] == "choice":
        options = part.limits["options"]
        return " | ".join(f'"{option}"' for option in options) if 2 <= len(options) <= 5 else "string"
    return TYPES[part.limits["kind"]]


def parts_of(template: str) -> list[str]:
    """The names of the parts that are filled in, each once. ValueError: a field that is more than a name."""
    fields = [field for field in string.Formatter().parse(template) if field[1] is not None]
    for _, name, format_spec, conversion in fields:
        if not (name and name.isidentifier()) or format_spec or conversion:
            raise ValueError(f"expected fields that are names, as {{row}}, got {template!r}")
    return list(dict.fromkeys(str(name) for _, name, *_ in fields))


def sentence_type(template: str) -> str:
    """The type of a sentence, which names its parts; one without is a string."""
    parts = " | ".join(f'"{part}"' for part in parts_of(template))
    return f"Sentence<{parts}>" if parts else "string"


def state_types() -> str:
    """The text of ``states.d.ts``: interfaces for each figure's state, and for its sentences if it has any."""
    figures = [getattr(inorder.widgets, name) for name in inorder.widgets.__all__]
    declared = [one for one in figures if isinstance(one, type) and issubclass(one, InteractiveFigure)]
    interfaces = []
    for figure in sorted(declared, key=lambda one: one.__name__):
        parts = [f"  {name}: {type_of(getattr(figure, name))};\n" for name in figure.state_names]
        interfaces.append(f"\ninterface {figure.__name__}State {{\n{''.join(parts)}}}\n")
        if figure.templates:
            sentences = [f"  {name}: {sentence_type(text)};\n" for name, text in figure.templates.items()]
            interfaces.append(f"\ninterface {figure.__name__}Sentences {{\n{''.join(sentences)}}}\n")
    return HEAD + "".join(interfaces)


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(state_types(), encoding="utf-8")
