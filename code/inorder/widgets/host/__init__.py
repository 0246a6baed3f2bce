"""A figure as one file: live and offline, in a state of its own, with no request to anywhere."""

import base64
import gzip
import hashlib
import html
import io
import json
from functools import cache
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from ipywidgets.embed import dependency_state
from PIL import Image  # Matplotlib needs it

from inorder.palette import DARK, LIGHT
from inorder.widgets.kit.compose import compose_script, compose_style
from inorder.widgets.kit.twin import png

if TYPE_CHECKING:
    from inorder.widgets.kit.figure import InteractiveFigure

FOLDER = Path(__file__).parent
NO_STATE = {"extras", "layout", "tabbable", "tooltip"}  # of a model: what the host has no use for


@cache
def page_template() -> str:
    """The page of a saved figure, with the colours of the book; the host fills it as `page_of` does."""
    colours = {
        f"{name}_{kind}": theme[kind] for name, theme in (("light", LIGHT), ("dark", DARK)) for kind in ("paper", "ink")
    }
    return Template((FOLDER / "page.html").read_text(encoding="utf-8")).safe_substitute(colours)


def host_script() -> str:
    """host.js, with the template that it needs for a figure to be saved from its page."""
    return f"const PAGE = {json.dumps(page_template())};\n{(FOLDER / 'host.js').read_text(encoding='utf-8')}"


def traits_of(state: dict[str, Any], *unused: str) -> dict[str, Any]:
    """What the host needs of the state of a model."""
    left_out = {*NO_STATE, *unused}
    return {name: value for name, value in state.items() if not name.startswith("_") and name not in left_out}


def still(figure: "InteractiveFigure") -> bytes:
    """The figure's picture for a page on which no script runs: a small PNG of sixteen colours."""
    small = io.BytesIO()
    large = Image.open(io.BytesIO(png(figure.figure(), dpi=80)))
    large.convert("RGB").quantize(16).save(small, "png", optimize=True)
    return small.getvalue()


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def page_of(figure: "InteractiveFigure") -> str:
    """The figure in its state as a page that needs no other file, no kernel and no network."""
    model = dependency_state([figure], drop_defaults=False)[figure.model_id]
    traits = traits_of(model["state"]) | figure.in_a_file()
    one = {"definition": figure.name, "state": traits, "buffers": model.get("buffers", [])}
    state = json.dumps({"models": {"figure": one}, "links": []}, separators=(",", ":"))
    script = compose_script(figure.folder, extras=figure.extras) + host_script()
    script = script.replace("</script", "<\\/script")
    return Template(page_template()).substitute(
        hash=base64_of(hashlib.sha256(script.encode()).digest()),
        title=html.escape(figure.title),
        style=compose_style(figure.folder, extras=figure.extras),
        model="figure",
        opening="",
        still=f'<img alt="{html.escape(figure.alt_text())}" src="data:image/png;base64,{base64_of(still(figure))}">',
        state=base64_of(gzip.compress(state.encode(), mtime=0)),
        script=script,
    )
