"""Typesets the mathematics at build time: a page ships no math engine, and TeX that does not typeset is an error."""

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext.third_party import katex_version, stop_katex, use_katex
from _ext.toolchain import NODE, NODE_MODULES

OPTIONS = {"throwOnError": True, "strict": "error", "trust": False, "macros": {r"\softmax": r"\operatorname{softmax}"}}
STYLE = NODE_MODULES / "katex" / "dist" / "katex.min.css"


def configure(app: Sphinx, config) -> None:
    if katex_version().encode() not in STYLE.with_name("katex.min.js").read_bytes():
        raise ExtensionError(f"package.json must pin katex {katex_version()}, as sphinxcontrib-katex does")
    config.katex_prerender = True
    config.katex_css_path = STYLE.name
    config.html_static_path.append(str(STYLE))
    config.myst_update_mathjax = False


def setup(app: Sphinx):
    use_katex(NODE, OPTIONS)
    app.connect("config-inited", configure, priority=100)
    app.connect("build-finished", lambda app, exception: stop_katex())
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
