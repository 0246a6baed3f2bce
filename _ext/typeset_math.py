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
# The TeX comes along once more, a tenth of a page with many formulas, and no browser shows it.
TEX = re.compile(r"<annotation .*?</annotation>", re.DOTALL)
STYLE = NODE_MODULES / "katex" / "dist" / "katex.min.css"


def configure(app: Sphinx, config) -> None:
    if katex.katex_version.encode() not in STYLE.with_name("katex.min.js").read_bytes():
        raise ExtensionError(f"package.json must pin katex {katex.katex_version}, as sphinxcontrib-katex does")
    config.katex_prerender = True
    config.katex_css_path = STYLE.name
    config.html_static_path.append(str(STYLE))
    config.myst_update_mathjax = False


def start_server(cls: type[katex.KaTeXServer], rundir: Path, timeout: float) -> tuple[Popen, socket.socket]:
    """As the extension does, but it would connect once the socket exists, which can be before the server listens.

    Its network socket, which tries again, takes 100 ms for each formula, a Unix socket less than one.
    """
    address = rundir / "katex.sock"
    process = Popen(cls.build_command(socket=address), stdin=PIPE, stdout=PIPE, cwd=rundir)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        try:
            connection.connect(str(address))
            return process, connection
        except (FileNotFoundError, ConnectionRefusedError):
            time.sleep(0.01)
    process.kill()
    raise cls.timeout_error(timeout)


def stop_server(app: Sphinx, exception: Exception | None) -> None:
    """After a failed build the server would live on, and whoever reads the build's output would wait for its end."""
    if katex.KaTeXServer.katex_server:
        katex.KaTeXServer.katex_server.process.kill()


def setup(app: Sphinx):
    katex.NODEJS_BINARY = NODE
    katex.KATEX_DEFAULT_OPTIONS = OPTIONS
    katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = 60.0  # a busy machine is no error
    katex.KaTeXServer.start_server_process = classmethod(start_server)
    render = katex.render_latex

    def render_or_name_it(latex: str, options: dict | None = None) -> str:
        try:
            return TEX.sub("", render(latex, options))
        except katex.KaTeXError as error:
            raise ExtensionError(f"this TeX does not typeset: {latex}\n{error}") from error

    katex.render_latex = render_or_name_it
    app.connect("config-inited", configure, priority=100)
    app.connect("build-finished", stop_server)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
