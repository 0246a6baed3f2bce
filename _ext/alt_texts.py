"""Gives each image that a cell shows the alternative text that its own code wrote: the ``text/plain`` beside it.

So a text is written once, where its picture is drawn, and isn't copied into the notebook's metadata. An image without
one is a warning, and so an error of the build.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

MIME_TYPES_CHOSEN = 4  # the priority at which MyST-NB chooses one mime type of each output
logger = logging.getLogger(__name__)


class AltTexts(SphinxPostTransform):
    """Runs before the widgets are mounted and MyST-NB chooses one mime type: both drop the text."""

    default_priority = MIME_TYPES_CHOSEN - 2

    def run(self, **kwargs) -> None:
        outputs = [node for node in self.document.findall(nodes.container) if node.get("nb_element") == "mime_bundle"]
        for bundle in outputs:
            images = list(bundle.findall(nodes.image))
            text = next((each.astext() for each in bundle.children if each.get("mime_type") == "text/plain"), "")
            if images and (not text or text.startswith("<")):  # as in <Figure size 640x480 with 1 Axes>
                logger.warning("an image has no alternative text: its text/plain is %r", text, location=images[0])
            for image in images:
                image["alt"] = text


def setup(app: Sphinx):
    app.add_post_transform(AltTexts)
    return {"version": "1", "parallel_read_safe": True}
