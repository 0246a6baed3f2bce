"""The page ``404.html``, which names the chapters: a static host answers with it where it has no page.

GitHub Pages, GitLab Pages, Netlify and others do so. The page cannot know at which address it is shown, so its links
begin with the site's own address or, where that is not known, at the root of the host.
"""

from sphinx.application import Sphinx

from _ext.repository import site_address
from inorder.palette import DARK, LIGHT


def page_not_here(app: Sphinx):
    yield "404", {"root": site_address(app) or "/", "light": LIGHT, "dark": DARK}, "404.html"


def setup(app: Sphinx):
    app.connect("html-collect-pages", page_not_here)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
