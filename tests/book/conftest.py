"""The built site, from a server and from the disk."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from built_site import PAGES, SITE

assert PAGES, "the site is not built: run `make book` first"


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="session")
def origins():
    """Where the site can be read: an http server of this machine, and the folder itself."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield {"server": f"http://127.0.0.1:{server.server_address[1]}", "disk": SITE.as_uri()}
    server.shutdown()
