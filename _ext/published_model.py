"""Puts the language model of the live figure `LanguageModel` on the site, for readers who ask for it.

The file comes from the Python package that carries it (`inorder.pretrained.decoder.find_file`) and lies in
``_static/model``, under its hash, in parts that any host takes. Without that package, or with ``publish_model: false``
in ``_config.yml``, nothing is there, and the figure says that its results are stored ones. The figure's worker lies
beside the scripts of the figures, as a script that holds its text.
"""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from _ext.toolchain import esbuild
from inorder.pretrained.decoder import SHA256, find_file
from inorder.widgets import LanguageModel
from inorder.widgets.kit.compose import compose_worker

PART = 8_000_000  # bytes: hosts refuse files above 25 MB, and of a lost connection no more than one part is lost


def file_to_publish(app: Sphinx) -> Path | None:
    """The model's file; None if this site should have none, or its package is not installed."""
    try:
        return find_file() if app.config.publish_model else None
    except FileNotFoundError:
        return None


def published(app: Sphinx, pagename: str) -> dict[str, Any]:
    """Where that page finds the model, as the figure's trait ``published`` says it; {} if it is not on the site."""
    file = file_to_publish(app)
    if file is None:
        return {}
    up, size = "../" * pagename.count("/"), file.stat().st_size
    folder = write_parts(file, Path(app.outdir))
    worker = (
        Path(app.outdir) / "_static" / "widgets" / f"{hashlib.sha256(worker_script().encode()).hexdigest()[:12]}.js"
    )
    worker.write_text(worker_script(), encoding="utf8")
    names = [f"{up}{path.relative_to(app.outdir).as_posix()}" for path in sorted(folder.iterdir())]
    engine = f"{up}{worker.relative_to(app.outdir).as_posix()}"
    return {"parts": names, "size": size, "engine": engine}


def write_parts(file: Path, site: Path) -> Path:
    """Write the file's parts into the site, unless another page has; the folder that holds them.

    Raises ValueError: the file has another SHA-256 than it should have.
    """
    folder = site / "_static" / "model" / SHA256[:12]
    if folder.exists():
        return folder
    content = file.read_bytes()
    if (digest := hashlib.sha256(content).hexdigest()) != SHA256:
        raise ValueError(f"expected {file} of SHA-256 {SHA256}, got {digest}")
    folder.mkdir(parents=True)
    for i, start in enumerate(range(0, len(content), PART)):
        (folder / f"{i:02}.bin").write_bytes(content[start : start + PART])
    return folder


@cache
def worker_script() -> str:
    """A classic script that leaves the worker's text where the figure looks for it."""
    source = esbuild(compose_worker(LanguageModel.folder / "engine"), "--minify")
    return f"window.inorderEngine={json.dumps(source)}"


def setup(app: Sphinx):
    app.add_config_value("publish_model", True, "html", bool)
    return {"version": "1", "parallel_read_safe": True}
