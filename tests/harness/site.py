"""The built site: where it is, its pages, and a server for it."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from _ext.execution import documents
from _ext.redirects import redirects

ROOT = Path(__file__).parents[2]
SITE = ROOT / "_build" / "html"
NOT_HERE = "404.html"  # stands for any page, and is not one of the book's
REDIRECTS = {f"{old}.html": f"{new}.html" for old, new in redirects(documents()).items()}  # nor are these
PAGES = sorted(
    {p.relative_to(SITE).as_posix() for p in SITE.rglob("*.html") if "_static" not in p.parts} - {NOT_HERE, *REDIRECTS}
)


def html(path: str) -> str:
    return (SITE / path).read_text(encoding="utf8")


def widget_state(path: str) -> dict:
    """What the host reads on that page: the state of its figures, and how they are linked."""
    (script,) = re.findall(r"_static/widgets/(state_\w+\.js)", html(path))
    return json.loads(json.loads((SITE / "_static" / "widgets" / script).read_text(encoding="utf8").partition("=")[2]))


def page_with_most(text: str) -> str:
    """The page in whose HTML that text stands most often: chapters come and go, and change their numbers."""
    return max(PAGES, key=lambda path: html(path).count(text))


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def served(folder: Path = SITE, handler: type[SimpleHTTPRequestHandler] = QuietHandler) -> Iterator[str]:
    """Serve a folder on a free port of this machine; its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
