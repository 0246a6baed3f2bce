"""The site's one style sheet, its one script, and its fonts, which have only the characters that the site uses.

The theme and the extensions bring some 15 style sheets and 15 scripts. Pages link ``site.css`` and ``site.js`` instead
(``_templates/layout.html``), which are made here of ``styles/`` and ``scripts/`` once all pages are written, and fonts
with the characters of these. The colours are those of `inorder.palette`.

Each page says itself what a browser may load for it (a content security policy): its own files, pictures made on the
page, a worker made on the page, and of scripts that stand in the page ``head.js`` and ``figures_now.js``; WebAssembly
only where a figure needs it. The words of
a code box that are not coloured, and those of code in a sentence, are plain text.
"""

import base64
import hashlib
import html
import logging
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer
from markupsafe import Markup
from pygments.token import STANDARD_TYPES
from sphinx.application import Sphinx
from sphinx.util.images import get_image_size

from _ext.toolchain import NODE_MODULES, esbuild
from inorder.palette import DARK, LIGHT, css_variables

HERE = Path(__file__).parent
STYLES = ["type", "page", "header", "parts", "code", "front", "print"]
SCRIPTS = [
    "late_layout",
    "colours",
    "code_switch",
    "contents",
    "search",
    "folds",
    "predict",
    "boxes",
    "copy",
    "sections",
    "paper",
    "place",
    "pointers",
    "after_words",
]
KATEX = NODE_MODULES / "katex" / "dist"
SERIF = NODE_MODULES / "@fontsource" / "source-serif-4"
SANS = NODE_MODULES / "@fontsource-variable" / "source-sans-3"
# The page's head names these before the style sheet is read.
PRELOADED = {
    "source-serif-4-latin-400-normal": "serif.woff2",
    "source-sans-3-latin-wght-normal": "sans.woff2",
    "source-serif-4-latin-400-italic": "serif_italic.woff2",
}
# `file:` is for a copy on the reader's own disk, where 'self' may match nothing; formulas have styles in them.
OWN = "'self' file:"
WEBASSEMBLY = "'wasm-unsafe-eval'"
POLICY = {
    "default-src": OWN,  # Firefox fetches the next chapter ahead, and asks this
    "object-src": "'none'",
    "frame-src": "'none'",
    "script-src": OWN,
    "style-src": f"{OWN} 'unsafe-inline'",
    "img-src": f"{OWN} data: blob:",
    "font-src": OWN,
    "connect-src": OWN,
    "worker-src": "blob:",
    "form-action": OWN,
    "base-uri": "'none'",
}
STYLED_WORDS = set(re.findall(r"\.([\w-]+)", (HERE / "styles" / "code.css").read_text("utf8")))
BARE_WORDS = {*STANDARD_TYPES.values(), "pre"} - STYLED_WORDS - {""}
CODE = re.compile(r"<(pre|code)\b.*?</\1>", re.DOTALL)
BARE_WORD = re.compile(rf'<span class="(?:{"|".join(sorted(BARE_WORDS))})">([^<]*)</span>')
IN_FORMULAS = re.compile(r'<span class="(?:m|delim|op-|tag|text)[^>]*>([^<]+)<')
PICTURE = re.compile(r'<img [^>]*?\bsrc="(?:\.\./)*_images/([^"]+)"')
logging.getLogger("fontTools").setLevel(logging.WARNING)  # or it reports every table


def split_files(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Tell the template which style sheets and scripts are this page's own."""
    needs = (WEBASSEMBLY,) if context.get("runs_webassembly") else ()
    scripts, policy = scripts_in_page(HERE / "head.js", HERE / "figures_now.js", needs=needs)
    context["head_script"], context["figures_now"] = scripts
    context["policy"] = policy if app.config.content_policy else None
    builder = app.builder
    scripts = [file for file in builder._js_files if file not in builder._orig_js_files]
    scripts = [file for file in scripts if "DOCUMENTATION_OPTIONS" not in str(file.attributes)]
    of_figures = [file for file in scripts if "/widgets/" in str(file.filename)]  # come after the words: after_words.js
    context["page_css_files"] = [file for file in builder._css_files if file not in builder._orig_css_files]
    context["page_script_files"] = [file for file in scripts if file not in of_figures]
    context["figure_scripts"] = of_figures


def drop_bare_words(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Unwrap words of code without a style of their own: on a page with much code they are two elements of three."""
    body = context.get("body", "").replace("docutils literal notranslate", "notranslate")
    context["body"] = CODE.sub(lambda code: BARE_WORD.sub(r"\1", code[0]), body)


def size_pictures(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Say how large each picture is, so that it can come after the words (after_words.js) and move nothing."""
    files = {name: Path(app.srcdir) / source for source, name in app.builder.images.items()}

    def sized(picture: re.Match) -> str:
        file = files.get(unquote(picture[1]))
        size = file and get_image_size(file)
        if not size:
            return picture[0]  # not Sphinx's, or of a format that it does not know: it comes at once
        return f'<img loading="lazy" width="{size[0]}" height="{size[1]}"{picture[0].removeprefix("<img")}'

    context["body"] = PICTURE.sub(sized, context.get("body", ""))


@cache
def scripts_in_page(*paths: Path, needs: tuple[str, ...] = ()) -> tuple[list[Markup], str]:
    """The scripts that stand in the page itself, and the policy that lets these run, and what else a script needs."""
    scripts = [esbuild(path.read_text(encoding="utf8"), "--minify").strip() for path in paths]
    known = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    rules = POLICY | {"script-src": " ".join([OWN, *(f"'sha256-{one}'" for one in known), *needs])}
    return [Markup(script) for script in scripts], "; ".join(f"{name} {sources}" for name, sources in rules.items())


def joined_script() -> str:
    imports = "".join(f'import "{HERE / "scripts" / name}.js";' for name in SCRIPTS)
    return esbuild(imports, "--bundle", "--format=iife", "--minify")


def colours() -> str:
    """Both themes, as the reader has chosen or, where no script runs, as the machine has them."""
    light, dark = (css_variables(theme) for theme in (LIGHT, DARK))
    return (
        f":root {{ {light} color-scheme: light }} :root[data-theme=dark] {{ {dark} color-scheme: dark }}"
        f"@media screen and (prefers-color-scheme: dark) {{ :root:not([data-theme]) {{ {dark} color-scheme: dark }} }}"
        f"@media print {{ :root[data-theme] {{ {light} color-scheme: light }} }}"
    )


def joined_style() -> str:
    """KaTeX's rules, the colours, and the book's own rules."""
    own = [(HERE / "styles" / f"{name}.css").read_text("utf8") for name in STYLES]
    katex = (KATEX / "katex.min.css").read_text("utf8")
    return esbuild("\n".join([katex, colours(), *own]), "--loader=css", "--minify")


def signs(texts: Iterable[str]) -> set[str]:
    return {sign for text in texts for sign in html.unescape(text)}


def subset_fonts(css: str, static: Path, texts: list[str]) -> str:
    """Replace each font of an ``@font-face`` by one with only the site's characters and weights, or by none."""
    letters = signs(texts)
    formulas = signs(piece for text in texts for piece in IN_FORMULAS.findall(text))

    def shrink(match: re.Match) -> str:
        face = match[0]
        if "local(" in face:
            return face
        address = unquote(re.search(r"url\([\"']?([^)\"']+?\.woff2)", face)[1])
        source = next(folder / address for folder in (KATEX, SERIF, SANS) if (folder / address).exists())
        font = TTFont(source, recalcTimestamp=False)  # the same site, the same bytes
        used = sorted((formulas if "KaTeX" in face else letters) & {chr(code) for code in font.getBestCmap()})
        if not used:
            return ""
        weights = re.findall(r"font-weight:\s*(\d+)\s(\d+)", face)  # from and to, of a font that has all between
        options = subset.Options(flavor="woff2", layout_features=["kern", "liga", "tnum"], hinting=False)
        shrunk = subset.Subsetter(options)
        shrunk.populate(unicodes=map(ord, used))
        shrunk.subset(font)
        if weights:
            font = instancer.instantiateVariableFont(font, {"wght": tuple(map(int, weights[0]))})
        address = PRELOADED.get(source.stem, source.name)
        subset.save_font(font, static / address, options)
        return re.sub(r"src:[^;}]*", f'src:url({address}) format("woff2")', face)

    return re.sub(r"@font-face\s*\{[^}]*\}", shrink, css)


def write_site_files(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    (static / "site.js").write_text(joined_script(), encoding="utf8")
    texts = [path.read_text("utf8") for path in [*Path(app.outdir).rglob("*.html"), *(static / "widgets").glob("*.js")]]
    (static / "site.css").write_text(subset_fonts(joined_style(), static, texts), encoding="utf8")


def setup(app: Sphinx):
    app.add_config_value("content_policy", True, "html", bool)
    app.connect("html-page-context", split_files, priority=950)
    app.connect("html-page-context", drop_bare_words)
    app.connect("html-page-context", size_pictures)
    app.connect("build-finished", write_site_files, priority=900)
    return {"version": "1", "parallel_read_safe": True}
