"""Serves the built site on this machine as a static host does: where there is no page, ``404.html`` answers."""

import sys
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SITE = Path(__file__).parents[1] / "_build" / "html"


class StaticHost(SimpleHTTPRequestHandler):
    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        page = Path(self.directory) / "404.html"
        if code != HTTPStatus.NOT_FOUND or not page.exists():
            return super().send_error(code, message, explain)
        content = page.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


def main(port: int) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", port), partial(StaticHost, directory=str(SITE)))
    print(f"The book is at http://127.0.0.1:{server.server_address[1]}/ (stop with Ctrl-C)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
