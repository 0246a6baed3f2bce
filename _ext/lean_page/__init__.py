"""Makes the pages light: one style sheet and one script for the site, and fonts with only the signs that it uses.

The theme and the extensions bring some 15 style sheets and 15 scripts, among them a 1.5 MB icon script whose web font
draws the same icons. Pages link ``site.css`` and ``site.js`` instead (``_templates/layout.html``), which are made here
once all pages are written: style sheets joined, rules without a use purged, fonts subset; scripts joined and minified.
"""

import hashlib
import html
import json
import logging
import posixpath
import re
from pathlib import Path
from urllib.parse import unquote, urlparse

from fontTools import subset
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from toolchain import NODE_MODULES, esbuild, node

HERE = Path(__file__).parent
THEME_CSS = ["basic.css", "styles/pydata-sphinx-theme.css"]  # linked by the theme's template, not registered
THEME_JS = ["scripts/bootstrap.js", "scripts/pydata-sphinx-theme.js"]
ON_DISK = 'if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false'  # it fetches pages
OWN_CSS = HERE / "book.css"
LATE_LAYOUT = HERE / "late_layout.js"
EVERY_TAB_STOP = re.compile(r"(?<=\.forEach\()(\w+)=>\{\1\.tabIndex=\1\.scrollWidth[^}]*\}")  # as the theme sets them
SAFE = [
    r"data-(bs-)?(theme|mode|popper)",
    "^tooltip",
    "^modal",
    "^collapse",
    "^collapsing",
    "^show$",
    "^fade$",
    "^bs-",
    "^inorder",
    "^laid-out$",
]
logging.getLogger("fontTools").setLevel(logging.WARNING)  # or it tells of every table


def split_files(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Tell the template which style sheets and scripts are this page's own."""
    builder = app.builder
    builder.lean_pages_written = True
    context["page_css_files"] = [f for f in builder._css_files if f not in builder._orig_css_files]
    own = [f for f in builder._js_files if f not in builder._orig_js_files]
    context["page_script_files"] = [f for f in own if "DOCUMENTATION_OPTIONS" not in str(f.attributes)]


def local_name(asset) -> str:
    return urlparse(str(asset.filename or "")).path.removeprefix("_static/")


def joined_script(app: Sphinx, static: Path) -> str:
    """All scripts of the site, the settings first: deferred scripts find the page loaded and begin at once."""
    registered = sorted(app.builder._orig_js_files, key=lambda f: f.priority)
    settings = [script.attributes["body"] for script in registered if not script.filename]
    names = [*(local_name(script) for script in registered if script.filename), *THEME_JS]
    scripts = ";\n".join((static / name).read_text("utf8") for name in names)
    scripts, n_found = EVERY_TAB_STOP.subn("tabStopUntilNear", scripts)
    if n_found != 1:
        raise ExtensionError(f"expected one place where the theme sets tab stops, found {n_found}")
    parts = [*dict.fromkeys(settings), LATE_LAYOUT.read_text("utf8"), scripts, ON_DISK]
    return esbuild(";\n".join(parts), "--minify-whitespace", "--minify-syntax", "--legal-comments=eof")


def rebased(css: str, folder: str) -> str:
    """The addresses of a style sheet in ``folder``, as they are one level up."""

    def rebase(match: re.Match) -> str:
        address = match[1].strip("'\"")
        return match[0] if ":" in address else f"url({posixpath.normpath(posixpath.join(folder, address))})"

    return re.sub(r"url\(([^)]*)\)", rebase, css)


def joined_style(app: Sphinx, static: Path) -> str:
    """All style sheets of the site in their order, their addresses made relative to ``_static/``."""
    registered = [local_name(f) for f in sorted(app.builder._orig_css_files, key=lambda f: f.priority)]
    parts = []
    for name in dict.fromkeys([*THEME_CSS, *registered]):
        if name.startswith("widgets/"):
            continue

        parts.append(rebased((static / name).read_text("utf8"), posixpath.dirname(name)))
    parts.append(OWN_CSS.read_text("utf8"))
    return "\n".join(parts)


def subset_fonts(css: str, static: Path, texts: list[str]) -> str:
    """Replace each font of an ``@font-face`` by one with only the signs of the site; drop fonts without any."""
    letters = {sign for text in texts for sign in html.unescape(text)}
    icons = {chr(int(code, 16)) for code in re.findall(r'"\\(f[0-9a-f]{3}|e[0-9a-f]{3})"', css)}
    (static / "fonts").mkdir(exist_ok=True)

    def shrink(match: re.Match) -> str:
        face = match[0]
        address = unquote(re.search(r"url\(([^)]+?\.woff2)\)", face)[1])
        source = static / address if (static / address).exists() else NODE_MODULES / "katex" / "dist" / address
        font = TTFont(source)
        used = sorted((icons if "Awesome" in face else letters) & {chr(code) for code in font.getBestCmap()})
        if not used:
            return ""
        key = hashlib.sha256(source.read_bytes() + "".join(used).encode()).hexdigest()[:8]
        target = static / "fonts" / f"{source.stem}.{key}.woff2"
        if not target.exists():
            options = subset.Options(flavor="woff2", layout_features=["*"])
            shrunk = subset.Subsetter(options)
            shrunk.populate(unicodes=map(ord, used))
            shrunk.subset(font)
            subset.save_font(font, target, options)
        return re.sub(r"src:[^;}]*", f'src:url(fonts/{target.name}) format("woff2")', face)

    return re.sub(r"@font-face\s*\{[^}]*\}", shrink, css)


def pages_of_an_interrupted_build(app: Sphinx, env, added: set, changed: set, removed: set) -> set[str]:
    """All pages, if one is newer than the site's files: to Sphinx, which only looks at pages, nothing is left to do."""
    style = Path(app.outdir) / "_static" / "site.css"
    finished = style.stat().st_mtime if style.exists() else 0.0
    pages = Path(app.outdir).rglob("*.html")
    return env.found_docs if any(page.stat().st_mtime > finished for page in pages) else set()


def write_site_files(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html" or not hasattr(app.builder, "lean_pages_written"):
        return
    static = Path(app.outdir) / "_static"
    pages = sorted(Path(app.outdir).rglob("*.html"))
    (static / "site.js").write_text(joined_script(app, static), encoding="utf8")
    content = [str(path) for path in [*pages, static / "site.js"]]
    style = esbuild(joined_style(app, static), "--loader=css", "--minify")
    style = node(HERE / "purge.mjs", json.dumps({"css": style, "content": content, "safelist": SAFE}))
    old_fonts = set((static / "fonts").glob("*"))
    style = subset_fonts(style, static, [page.read_text("utf8") for page in pages])
    for font in old_fonts:
        if font.name not in style:
            font.unlink()
    (static / "site.css").write_text(style, encoding="utf8")


def setup(app: Sphinx):
    app.connect("env-get-outdated", pages_of_an_interrupted_build)
    app.connect("html-page-context", split_files, priority=950)
    app.connect("build-finished", write_site_files, priority=900)
    return {"version": "1", "parallel_read_safe": True}
