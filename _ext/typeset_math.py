"""Typesets the mathematics at build time: a page ships no math engine, and TeX that does not typeset is an error."""

import re
import socket
import time
from pathlib import Path
from subprocess import PIPE, Popen

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinxcontrib import katex

from _ext.toolchain import NODE, NODE_MODULES

OPTIONS = {"throwOnError": True, "strict": "error", "trust": False, "macros": {r"\softmax": r"\operatorname{softmax}"}}
STYLE = NODE_MODULES / "katex" / "dist" / "katex.min.css"
# The TeX comes along once more, a tenth of a page with many formulas, and no browser shows it.
TEX = re.compile(r"<annotation .*?</annotation>", re.DOTALL)
PATIENCE = 60.0  # seconds: a busy machine is no error
RENDER = katex.render_latex


def render(latex: str, options: dict | None = None) -> str:
    """The HTML of a formula; TeX that fails ends the build with an error that names it."""
    try:
        return TEX.sub("", RENDER(latex, options))
    except katex.KaTeXError as error:
        raise ExtensionError(f"this TeX does not typeset: {latex}\n{error}") from error


def start_server(server, rundir: Path, timeout: float) -> tuple[Popen, socket.socket]:
    """As the extension does, but it would connect once the socket exists, which can be before the server listens.

    Its network socket, which tries again, takes 100 ms for each formula, a Unix socket less than one.
    """
    address = rundir / "katex.sock"
    process = Popen(server.build_command(socket=address), stdin=PIPE, stdout=PIPE, cwd=rundir)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        try:
            connection.connect(str(address))
            return process, connection
        except (FileNotFoundError, ConnectionRefusedError):
            time.sleep(0.01)
    process.kill()
    raise server.timeout_error(timeout)


def stop_server(app: Sphinx, exception: Exception | None) -> None:
    """After a failed build it would live on and keep the output of the build open."""
    if katex.KaTeXServer.katex_server:
        katex.KaTeXServer.katex_server.process.kill()


def configure(app: Sphinx, config) -> None:
    if katex.katex_version.encode() not in STYLE.with_name("katex.min.js").read_bytes():
        raise ExtensionError(f"package.json must pin katex {katex.katex_version}, as sphinxcontrib-katex does")
    config.katex_prerender = True
    config.katex_css_path = STYLE.name
    config.html_static_path.append(str(STYLE))
    config.myst_update_mathjax = False


def setup(app: Sphinx):
    katex.NODEJS_BINARY, katex.KATEX_DEFAULT_OPTIONS = NODE, OPTIONS
    katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = PATIENCE
    katex.KaTeXServer.start_server_process = classmethod(start_server)
    katex.render_latex = render
    app.connect("config-inited", configure, priority=100)
    app.connect("build-finished", stop_server)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
