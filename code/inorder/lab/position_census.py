"""How the models of a library tell positions: counts of code, not of use.

    python -m inorder.lab.position_census        counts, and stores in inorder/stored/position_census.json

It counts the families of Hugging Face's transformers, one folder each, that define a class …ForCausalLM. A family has
RoPE if its code calls a function that turns, and ALiBi if it has the name in it. Some import that function and never
call it. Of those with neither, which have a table or sinusoids to be added? (Many name a greatest number of positions,
which says nothing.)
"""

import importlib.util
import json
import re
from importlib.metadata import version
from pathlib import Path

from inorder.stored import FOLDER

__all__ = [
    "count",
    "installed",
]

KIND = re.compile(r"^class \w*ForCausalLM\b", re.MULTILINE)
NAMES = {"rotary": re.compile(r"(?<!def )\bapply_\w*rotary\w*\("), "alibi": re.compile("alibi", re.IGNORECASE)}
ADDED = re.compile("(?<!max_)position_embed|embed_position|wpe")


def count(models: Path) -> dict:
    """{"families": how many folders define the kind, a scheme: the names of those that have it, "neither": the others}.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> codes = {"a": "class AForCausalLM: apply_rotary(q)", "b": "class BForCausalLM: wpe", "c": "alibi"}
    >>> for name, code in codes.items():
    ...     (folder / name).mkdir()
    ...     _ = (folder / name / f"modeling_{name}.py").write_text(code)
    >>> count(folder)
    {'families': 2, 'rotary': ['a'], 'alibi': [], 'neither': ['b'], 'neither, added': ['b']}
    """
    codes = {
        folder.name: "\n".join(path.read_text(encoding="utf8") for path in sorted(folder.glob("modeling_*.py")))
        for folder in sorted(models.iterdir())
    }
    writers = {family: code for family, code in codes.items() if KIND.search(code)}
    counts: dict = {"families": len(writers)}
    for scheme, name in NAMES.items():
        counts[scheme] = [family for family, code in writers.items() if name.search(code)]
    with_name = {family for scheme in NAMES for family in counts[scheme]}
    counts["neither"] = [family for family in writers if family not in with_name]
    counts["neither, added"] = [family for family in counts["neither"] if ADDED.search(writers[family])]
    return counts


def installed() -> Path:
    """The folder of the installed library's models. Raises ModuleNotFoundError if there is none."""
    spec = importlib.util.find_spec("transformers")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("expected the library transformers to be installed, found none")
    return Path(spec.origin).parent / "models"


def main() -> None:
    path = FOLDER / "position_census.json"
    library = f"transformers {version('transformers')}"
    stored = {"library": library, "made by": "python -m inorder.lab.position_census", **count(installed())}
    path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf8")
    print(f"stored {path}")


if __name__ == "__main__":
    main()
