"""How the models of a library tell positions: counts of code, not of use.

    python -m studies.position_census        counts, and stores in inorder/stored/position_census.json

It counts the families of Hugging Face's transformers, one folder each, that define a class …ForCausalLM. A family has
RoPE if its code calls a function that turns, and ALiBi if it has the name in it. Some import that function and never
call it, and some call it for something other than their text (`ELSEWHERE`, found by reading). Of those with neither,
which have a table or sinusoids to be added? (Many name a greatest number of positions, which says nothing.) A family is
dated by the first year in its copyright notices.
"""

import importlib.util
import json
import re
from pathlib import Path

from inorder.lab.provenance import provenance
from inorder.stored import FOLDER

KIND = re.compile(r"^class \w*ForCausalLM\b", re.MULTILINE)
NAMES = {"rotary": re.compile(r"(?<!def )\bapply_\w*rotary\w*\("), "alibi": re.compile("alibi", re.IGNORECASE)}
ADDED = re.compile("(?<!max_)position_embed|embed_position|wpe")
ELSEWHERE = {
    "clvp": "its encoder turns, its decoder adds a table",
    "granitemoehybrid": "turns only if asked to",
    "inkling2": "turns in images; its text has a bias of its own",
    "zamba2": "turns only if asked to",
}
YEAR = re.compile(r"copyright\D{0,12}(20\d\d)", re.IGNORECASE)
LIST = re.compile(r"^MODEL_FOR_CAUSAL_LM_MAPPING_NAMES = OrderedDict\((.*?)^\)", re.MULTILINE | re.DOTALL)


def count(models: Path, kind: re.Pattern[str] = KIND) -> dict:
    """{"families": how many folders define the kind, a scheme: the names of those that have it, "neither": the others}.

    The folder auto isn't counted, because it only finds the others. Of those with RoPE, some are written as changes to
    another folder's code. "years" holds the year of each family, or None.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> codes = {"a": "class AForCausalLM: apply_rotary(q)", "b": "class BForCausalLM: wpe", "c": "alibi"}
    >>> for name, code in codes.items():
    ...     (folder / name).mkdir()
    ...     _ = (folder / name / f"modeling_{name}.py").write_text(code)
    >>> counts = count(folder)
    >>> counts.pop("years")
    {'a': None, 'b': None}
    >>> counts
    {'families': 2, 'rotary': ['a'], 'alibi': [], 'neither': ['b'], 'neither, added': ['b'], 'rotary, modular': 0}
    """
    codes = {
        folder.name: "\n".join(path.read_text(encoding="utf8") for path in sorted(folder.glob("modeling_*.py")))
        for folder in sorted(models.iterdir())
        if folder.name != "auto"
    }
    writers = {family: code for family, code in codes.items() if kind.search(code)}
    counts: dict = {"families": len(writers)}
    for scheme, name in NAMES.items():
        counts[scheme] = [family for family, code in writers.items() if name.search(code)]
    with_name = {family for scheme in NAMES for family in counts[scheme]}
    counts["neither"] = [family for family in writers if family not in with_name]
    counts["neither, added"] = [family for family in counts["neither"] if ADDED.search(writers[family])]
    counts["rotary, modular"] = sum((models / f / f"modular_{f}.py").exists() for f in counts["rotary"])
    years = {family: YEAR.findall(code) for family, code in writers.items()}
    counts["years"] = {family: int(min(found)) if found else None for family, found in years.items()}
    return counts


def on_the_list(models: Path) -> re.Pattern[str]:
    """The kind of the classes that the library itself lists as decoders, such as GPT2LMHeadModel."""
    match = LIST.search((models / "auto" / "modeling_auto.py").read_text(encoding="utf8"))
    if match is None:
        raise ValueError("expected a list of decoders in auto/modeling_auto.py, found none")
    names = "|".join(re.findall(r'"(\w+)"\)', match[1]))
    return re.compile(rf"^class ({names})\b", re.MULTILINE)


def installed() -> Path:
    """The folder of the installed library's models. Raises ModuleNotFoundError if there is none."""
    spec = importlib.util.find_spec("transformers")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("expected the library transformers to be installed, found none")
    return Path(spec.origin).parent / "models"


def main() -> None:
    path = FOLDER / "position_census.json"
    made = provenance("python -m studies.position_census", ["transformers"])
    stored = {"provenance": made, **count(installed())}
    listed = count(installed(), on_the_list(installed()))
    stored["by the library's list"] = {"families": listed["families"], "rotary": len(listed["rotary"])}
    path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf8")
    print(f"stored {path}")


if __name__ == "__main__":
    main()
