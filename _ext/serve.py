"""Serves the built site on this machine: ``make serve``."""

import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SITE = Path(__file__).parents[1] / "_build" / "html"


def main(port: int) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", port), partial(SimpleHTTPRequestHandler, directory=str(SITE)))
    print(f"The book is at http://127.0.0.1:{server.server_address[1]}/ (stop with Ctrl-C)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
