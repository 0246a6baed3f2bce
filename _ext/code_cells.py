"""Code on the page: each cell in a fold with a title, and the names of the actors in their colours.

"Code, 6 lines: attention by hand" takes its words from a comment in the cell's first line. The switch *Code* of the
header closes all of them; the results are outside and stay. A cell tagged ``hide-input`` starts closed. The code of a
figure stands below it and its caption, so that the text leads to the figure.
"""

import re

from docutils import nodes
from IPython.lib.lexers import IPython3Lexer
from pygments.lexers import PythonLexer
from pygments.token import Name
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from _ext.folds import make_fold
from _ext.solution_cells import cells_with_code
from _ext.way import curly

CELLS_HIDDEN = 199  # the priority at which MyST-NB makes toggles of what is hidden at first
ACTORS = {
    name: getattr(Name, actor.capitalize())
    for actor, names in {
        "query": ("query", "queries", "Q"),
        "key": ("key", "keys", "K"),
        "value": ("value", "values", "V"),
        "position": ("position", "positions", "P"),
    }.items()
    for name in names
}


class Actors:
    """Gives the names of queries, keys, values and positions their own token types, and so their own style classes."""

    def get_tokens_unprocessed(self, text, *arguments):
        for place, token, word in super().get_tokens_unprocessed(text, *arguments):
            yield place, ACTORS.get(word, token) if token is Name else token, word


class PythonWithActors(Actors, PythonLexer):
    pass


class IPythonWithActors(Actors, IPython3Lexer):
    pass


def title_of(code: nodes.literal_block) -> str:
    """What the fold is called; the comment that names it is taken out of the code."""
    text = code.astext()
    first, _, rest = text.partition("\n")
    named = first.startswith("# ") and bool(rest.strip())
    if named:
        code.children, code.rawsource = [nodes.Text(rest.lstrip("\n"))], rest.lstrip("\n")
        code.children[0].parent = code
    lines = sum(bool(line.strip()) for line in code.astext().splitlines())
    count = f"Code, {lines} line{'s' * (lines != 1)}"
    return f"{count}: {curly(without_capital(first[2:].rstrip('.')))}" if named else count


def without_capital(sentence: str) -> str:
    """A sentence after a colon: its first letter is small, but RoPE, W_Q and Q keep theirs, as do PyTorch and GPT-2."""
    word = re.match(r"\w*", sentence)[0]
    keeps = word[1:] != word[1:].lower() or "_" in word or (len(word) == 1 and word != "A")
    return sentence if keeps else sentence[:1].lower() + sentence[1:]


class FoldCode(SphinxPostTransform):
    default_priority = CELLS_HIDDEN - 1
    formats = ("html",)

    def run(self, **kwargs) -> None:
        for cell, source in cells_with_code(self.document):
            code = next(source.findall(nodes.literal_block), None)
            if code is None:
                continue
            mode = cell.attributes.pop("hide_mode", "")  # MyST-NB then no longer hides it
            title = nodes.Text(title_of(code))
            if mode in ("all", "input+output"):
                fold = make_fold([title], cell.children, classes=["code"])
                cell.children = []
                cell += fold
            else:
                fold = make_fold([title], [source], classes=["code"], opened=mode != "input")
                cell.remove(source)
                cell.insert(len(cell) if any(cell.findall(nodes.figure)) else 0, fold)


def setup(app: Sphinx):
    app.add_lexer("python", PythonWithActors)
    app.add_lexer("ipython3", IPythonWithActors)
    app.add_post_transform(FoldCode)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
