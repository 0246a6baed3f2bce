"""Words that point at a part of the figure before them, and numbers that set it, by ``scripts/pointers.js``.

``*scores*<!-- points at: scores -->`` lights the cells of that ``data-name`` (``scores 1 0`` is row 1, column 0), the
``data-part`` or the actor of that name. ``*21*<!-- sets: position -->`` shows a control of an `interact` figure and can
be dragged. Emphasis, a link or a formula stands before the comment; in a notebook it is that and no more.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from _ext.folds import MakeFolds

COMMENT = re.compile(r"<!-- (points at|sets): ([^<>]+) -->")
logger = logging.getLogger(__name__)


class MakePointers(SphinxPostTransform):
    default_priority = MakeFolds.default_priority - 2  # before what stands in a fold is moved
    formats = ("html",)

    def run(self, **kwargs) -> None:
        for comment in list(self.document.findall(nodes.raw)):
            if not (match := COMMENT.fullmatch(comment.astext().strip())):
                continue
            before = comment.parent[: comment.parent.index(comment)]
            words = next((one for one in reversed(before) if one.astext()), None)  # MyST-Parser leaves empty texts
            if not isinstance(words, nodes.Element):
                logger.warning("no emphasis, link or formula before %r", comment.astext(), location=comment)
                continue
            kind = "part" if match[1] == "points at" else "sets"
            opening = f'<span class="pointer" data-{kind}="{match[2]}">'
            inner = words.children if kind == "sets" else [words.deepcopy()]
            comment.replace_self(nodes.raw("", "</span>", format="html"))
            words.replace_self([nodes.raw("", opening, format="html"), *inner])


def setup(app: Sphinx):
    app.add_post_transform(MakePointers)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
