"""The browser of the tests: found, or installed where that is possible.

``$CHROMIUM`` first, then the PATH, then Debian's package if we are root, then Playwright's own download.
"""

import os
import shutil
import subprocess
import sys

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def on_path() -> str | None:
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def chromium() -> str:
    """The path of a Chromium; ``SystemExit`` with what to do where there is none and none can be installed."""
    found = on_path()
    if found is None and shutil.which("apt-get") and os.geteuid() == 0:
        print("Installing Debian's chromium for the tests", flush=True)
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "chromium"]):
            subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        found = on_path()
    if found is None:
        print("Asking Playwright for its own Chromium", flush=True)
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            found = playwright.chromium.executable_path
    if not os.path.exists(found):
        sys.exit("The tests need Chromium. Install it (Debian: apt-get install chromium) or set CHROMIUM to its path.")
    return found


if __name__ == "__main__":
    print(f"Browser of the tests: {chromium()}")
