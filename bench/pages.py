"""Lighthouse (mobile) on every built page, served gzipped as a static host does.

One run a page; where an aim is missed two more, and the median of the three counts. With arguments, only these pages.
"""

import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from aims import Aims

from _ext.toolchain import NODE
from harness.site import PAGES, ROOT, QuietHandler, html, served
from tools.browser import FLAGS, chromium

CATEGORIES = ["performance", "accessibility", "best-practices", "seo"]
RUNS = 3
LIGHTHOUSE = ROOT / "node_modules" / "lighthouse" / "cli" / "index.js"


class GzipHandler(QuietHandler):
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


def audit(address: str) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [NODE, str(LIGHTHOUSE), address, "--quiet", "--output=json", f"--output-path={report}"]
        command += [f"--only-categories={','.join(CATEGORIES)}", f"--chrome-flags=--headless=new {' '.join(FLAGS)}"]
        subprocess.run(command, check=True, env=os.environ | {"CHROME_PATH": chromium()})
        return json.loads(report.read_text())


def transferred(report: dict, *, images: bool) -> int:
    requests = report["audits"]["network-requests"]["details"]["items"]
    return sum(r["transferSize"] for r in requests if images or r.get("resourceType") != "Image")


def failures(report: dict) -> set[str]:
    """The audits below 1 of the categories that should stand at 100."""
    result = set()
    for category in CATEGORIES[1:]:
        for reference in report["categories"][category]["auditRefs"]:
            audit = report["audits"][reference["id"]]
            if reference["weight"] and audit["score"] is not None and audit["score"] < 1:
                result.add(f"{category}: {audit['title']}")
    return result


MEASURED = {  # name: (how to read it from a report, the aim)
    "performance": (lambda r: 100 * r["categories"]["performance"]["score"], {"at_least": 98}),
    "kB": (lambda r: transferred(r, images=False) / 1000, {"at_most": 300}),
    "kB + images": (lambda r: transferred(r, images=True) / 1000, {}),
    "LCP, s": (lambda r: r["audits"]["largest-contentful-paint"]["numericValue"] / 1000, {"at_most": 1.5}),
    "blocked, ms": (lambda r: r["audits"]["total-blocking-time"]["numericValue"], {"at_most": 100}),
    "machine": (lambda r: r["environment"]["benchmarkIndex"], {}),  # its speed meanwhile, as Lighthouse counts it
    "CLS": (lambda r: r["audits"]["cumulative-layout-shift"]["numericValue"], {"at_most": 0.02}),
}
TEXT_KB = 150  # without a figure


def aims_of(page: str) -> dict[str, dict]:
    aims = {name: aim for name, (_, aim) in MEASURED.items()}
    return aims if 'class="inorder-view"' in html(page) else aims | {"kB": {"at_most": TEXT_KB}}


def measure(page: str) -> tuple[dict[str, float], set[str]]:
    """The medians of what is measured, and the audits that should be at 100 and are not."""
    reports: list[dict] = []
    while len(reports) < RUNS:
        with served(handler=GzipHandler) as address:
            reports.append(audit(f"{address}/{page}"))
        row = {name: statistics.median(read(r) for r in reports) for name, (read, _) in MEASURED.items()}
        trial = Aims()
        for name, aim in aims_of(page).items():
            trial.verdict(name, row[name], **aim)
        if not trial.missed:
            break
    return row, set().union(*map(failures, reports))


def main(pages: list[str]) -> Aims:
    aims = Aims()
    print(f"{'page':50}" + "".join(f"{name:>13}" for name in MEASURED))
    for page in pages:
        row, failed = measure(page)
        print(f"{page:50}" + "".join(f"{value:13.4g}" for value in row.values()), flush=True)
        for name, aim in aims_of(page).items():
            verdict = aims.verdict(f"{page}, {name}", row[name], **aim)
            if verdict != "ok":
                print(f"    {name}: {verdict}")
        for failure in sorted(failed):
            print(f"    below 100: {failure}")
            aims.missed.append(f"{page}, {failure}")
    return aims


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [page for page in PAGES if page != "search.html"]).exit_status())
