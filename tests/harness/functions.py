"""The figures' pure JavaScript, called from Python: in Node, which needs no page."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from _ext.toolchain import NODE
from harness.figure import WIDGETS
from inorder.widgets.kit.compose import palette_module


class Node:
    """A Node process that calls the functions of the figures' modules, exported or not, one call after the other."""

    def __init__(self) -> None:
        command = [NODE, str(Path(__file__).with_suffix(".mjs")), str(WIDGETS), palette_module()]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def evaluate(self, paths: Sequence[str], script: str, argument: Any) -> Any:
        """What the function ``script`` returns, in which ``js`` has the functions of these modules.

        Raises RuntimeError: it throws.
        """
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps({"paths": paths, "script": script, "argument": plain(argument)}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["result"]

    def close(self) -> None:
        self.process.communicate()


def plain(value: Any) -> Any:
    """NumPy arrays and numbers, also inside lists and dictionaries, as Python's own."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
