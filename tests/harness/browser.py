"""The browser of the tests and benchmarks: found, or installed where that is possible.

``$CHROMIUM`` first, then the PATH, then Debian's package if we are root, then Playwright's own download.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright._impl.protocol import validator_primitives
from playwright.sync_api import Browser, Page, sync_playwright

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
# Playwright checks each number that a page returns against its own protocol, twenty microseconds for each of millions.
validator_primitives.scheme["SerializedValue"] = validator_primitives.t_any


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
        with sync_playwright() as playwright:
            found = playwright.chromium.executable_path
    if not shutil.which(found):
        sys.exit(
            f"No browser can be started at {found}, and the tests need Chromium. "
            "Install it (Debian: apt-get install chromium) or set CHROMIUM to its path."
        )
    return found


def firefox() -> str | None:
    """The path of a Firefox, from Debian's package if we are root; None where there is none."""
    found = os.environ.get("FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
    if found is None and shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "install", "-y", "-qq", "firefox-esr"], check=False, stdin=subprocess.DEVNULL)
        found = shutil.which("firefox-esr")
    return found


@contextmanager
def launched() -> Iterator[Browser]:
    """A headless Chromium. One at a time: a second Playwright cannot run beside the first."""
    with sync_playwright() as playwright:
        features = f"--disable-features={','.join(WITHOUT)}"
        browser = playwright.chromium.launch(executable_path=chromium(), args=[*FLAGS, features])
        yield browser
        browser.close()


def wait_until(page: Page, expression: str, arg: object = None) -> None:
    """Wait until an expression of the page is true: ``wait_for_function``, which our pages' policy forbids its eval."""
    for _ in range(300):
        if page.evaluate(expression, arg):
            return
        page.wait_for_timeout(100)
    raise TimeoutError(f"after 30 seconds still not true: {expression}")


def wait_for_figures(page: Page) -> None:
    """Wait until all figures stand, those far below too: they come once the reader does something."""
    wait_until(page, "dispatchEvent(new Event('scroll')) && !document.querySelector('.inorder-view:empty')")


if __name__ == "__main__":
    print(f"Browser of the tests: {chromium()}")
