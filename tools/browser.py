"""The browser that tests, benchmarks and printing share: found, or installed where that is possible.

``$CHROMIUM`` first, then the PATH, then Debian's package if we are root, then Playwright's own download.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright._impl.protocol import validator_primitives
from playwright.sync_api import Browser, sync_playwright

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
# In each new window Chromium loads two pages for the list below its address bar, half a second's work, though nobody
# types there. Of this switch the last one counts, so the rest is what Playwright's own would say.
WITHOUT = [
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup"),
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "LensOverlay"),
    *("HttpsFirstBalancedModeAutoEnable", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning"),
    *("AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled"),
    "PreconnectToSearch",
]
# Or Playwright checks each number that a page returns against its protocol, twenty microseconds for each.
validator_primitives.scheme["SerializedValue"] = validator_primitives.t_any


def on_path() -> str | None:
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def chromium() -> str:
    """The path of a Chromium; ``SystemExit`` with what to do where there is none and none can be installed."""
    path = on_path()
    if path is None and shutil.which("apt-get") and os.geteuid() == 0:
        print("Installing Debian's chromium", flush=True)
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "chromium"]):
            subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        path = on_path()
    if path is None:
        print("Asking Playwright for its own Chromium", flush=True)
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
        with sync_playwright() as playwright:
            path = playwright.chromium.executable_path
    if not shutil.which(path):
        sys.exit(
            f"No browser can be started at {path}, and tests and printing need Chromium. "
            "Install it (Debian: apt-get install chromium) or set CHROMIUM to its path."
        )
    return path


@contextmanager
def launched() -> Iterator[Browser]:
    """A headless Chromium. One at a time: a second Playwright cannot run beside the first."""
    with sync_playwright() as playwright:
        features = f"--disable-features={','.join(WITHOUT)}"
        browser = playwright.chromium.launch(executable_path=chromium(), args=[*FLAGS, features])
        yield browser
        browser.close()


if __name__ == "__main__":
    print(f"Browser: {chromium()}")
