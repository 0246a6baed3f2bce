"""An installed Firefox, driven by WebDriver BiDi over a web socket: Playwright drives only a Firefox of its own.

``$FIREFOX`` first, then the PATH.
"""

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import websocket

NAMES = ["firefox", "firefox-esr"]
PATIENCE = 600  # seconds, for one answer
QUIET = {
    "app.normandy.enabled": "false",
    "nimbus.rollouts.enabled": "false",
    "datareporting.policy.dataSubmissionEnabled": "false",
}


def firefox() -> str | None:
    """The path of a Firefox, or None."""
    return os.environ.get("FIREFOX") or next(filter(None, map(shutil.which, NAMES)), None)


class Firefox:
    """One window of a Firefox. ``RuntimeError``: what it says has gone wrong.

    The protocol: https://w3c.github.io/webdriver-bidi/.
    """

    def __init__(self, address: str) -> None:
        self._socket = websocket.create_connection(f"{address}/session", timeout=PATIENCE, suppress_origin=True)
        self._last = 0
        self.version: str = self.send("session.new", capabilities={})["capabilities"]["browserVersion"]
        self._window = self.send("browsingContext.getTree")["contexts"][0]["context"]

    def send(self, method: str, **params: Any) -> Any:
        """A command and its result; events are passed over."""
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") != self._last:
                continue
            if answer["type"] == "error":
                raise RuntimeError(f"{method}: {answer['message']}")
            return answer["result"]

    def goto(self, url: str) -> None:
        self.send("browsingContext.navigate", context=self._window, url=url, wait="complete")

    def evaluate(self, expression: str, argument: Any = None) -> Any:
        """As Playwright's ``page.evaluate`` of a function, with one argument: it may return a promise."""
        call = f"(async () => JSON.stringify(await ({expression})({json.dumps(argument)})) ?? 'null')()"
        target = {"context": self._window}
        answer = self.send("script.evaluate", expression=call, target=target, awaitPromise=True)
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])


@contextmanager
def launched() -> Iterator[Firefox]:
    """A headless Firefox with a profile of its own, which goes when it ends."""
    path = firefox()
    if path is None:
        raise FileNotFoundError("expected Firefox on this machine (Debian: apt-get install firefox-esr), got none")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        profile = Path(folder)
        (profile / "user.js").write_text(
            "".join(f"user_pref({json.dumps(name)}, {value});\n" for name, value in QUIET.items())
        )
        command = [path, "--headless", "--no-remote", "--profile", folder, "--remote-debugging-port", "0"]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
            try:
                yield Firefox(_address(profile / "WebDriverBiDiServer.json", process))
            finally:
                process.terminate()


def _address(file: Path, process: subprocess.Popen) -> str:
    """Where it listens, which Firefox writes into that file of its profile once it does."""
    for _ in range(10 * PATIENCE):
        if file.exists() and (text := file.read_text()):
            server = json.loads(text)
            return f"ws://{server['ws_host']}:{server['ws_port']}"
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError("expected Firefox to listen to WebDriver BiDi, but it does not")
