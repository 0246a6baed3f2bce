"""This side of the wall: starts `child`, sends it a student's cells, and calls their functions through a proxy.

The wall is made of Linux namespaces (`unshare`): a process in a world of its own, without network, that sees Python and
the package read-only and no other file, and has no rights. Where they are not available, nothing runs unless asked to.
"""

import builtins
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

import inorder
from tools.grading.child import Line, decode, encode

CHILD = Path(__file__).with_name("child.py")
PACKAGE = Path(inorder.__file__).parent
UNSHARE = [
    "unshare",
    "--user",
    "--map-root-user",
    "--mount",
    "--net",
    "--pid",
    "--ipc",
    "--uts",
    "--fork",
    "--kill-child",
]
SYSTEM = ["/usr", "/lib", "/lib64", "/bin"]
NO_WALL = (
    "Students' code can't be locked up on this machine ({why}). It needs Linux, and `unshare` with user namespaces; "
    "on Ubuntu: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0. In a container or a virtual machine that "
    "holds nothing else, UNPROTECTED=1 runs it without protection."
)


class NoWall(Exception):
    """There is no protection from students' code here."""


class Stopped(BaseException):
    """A student's cells were stopped, or ended by themselves. No `Exception`: a checker must not go on calling."""


class Sandbox:
    """A process behind the wall that has a chapter's imports and runs one student's cells at a time.

    `seconds` of computing and `memory` bytes are what the cells of one exercise may take, beyond the imports; what
    only waits is stopped after six times that.
    """

    def __init__(
        self,
        imports: Sequence[str],
        checks: str,
        constants: dict[str, Any] | None = None,
        *,
        seconds: int = 10,
        memory: int = 2**30,
        protected: bool = True,
    ) -> None:
        if protected and not (sys.platform == "linux" and shutil.which("unshare")):
            raise NoWall(NO_WALL.format(why="there is no unshare"))
        self.wall = 6 * seconds
        self.control, other = socket.socketpair()
        command = [sys.executable, str(CHILD), str(other.fileno())]
        self.process = subprocess.Popen(
            UNSHARE + command if protected else command,
            pass_fds=[other.fileno()],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        other.close()
        self.line = Line(self.control)
        settings = {
            "imports": list(imports),
            "checks": checks,
            "constants": {name: encode(value) for name, value in (constants or {}).items()},
            "protected": protected,
            "visible": [*SYSTEM, *_prefixes(), str(PACKAGE)],
            "hidden": [str(PACKAGE / "book" / "checks")],
            "package": str(PACKAGE),
            "seconds": seconds,
            "wall": self.wall,
            "memory": memory,
        }
        try:
            self.line.send(settings)
            ready = self.line.receive()
        except OSError:
            ready = None
        if not (ready and ready["ready"]):
            why = ready["why"] if ready else self.process.communicate()[1].decode().strip()[-300:]
            self.close()
            raise NoWall(NO_WALL.format(why=why) if protected else why)

    def run(self, cells: Sequence[str], names: Sequence[str]) -> "Run":
        return Run(self, cells, names)

    def close(self) -> None:
        self.line.close()
        self.process.kill()
        self.process.communicate()

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class Run:
    """One run of a student's cells: `with sandbox.run(cells, names) as run`, and `run.values` are what the names hold.

    A function is a `Proxy`. `run.error` is what the last cell raised, `run.missing` are names that it does not define,
    and `run.handed_on` are functions of the package whose answer the student's function gave as its own, on every call.
    """

    def __init__(self, sandbox: Sandbox, cells: Sequence[str], names: Sequence[str]) -> None:
        self.sandbox, self.cells, self.names = sandbox, list(cells), list(names)
        self.handed_on: set[str] | None = None

    def __enter__(self) -> "Run":
        here, there = socket.socketpair()
        here.settimeout(self.sandbox.wall + 30)
        socket.send_fds(self.sandbox.control, [b"r"], [there.fileno()])
        there.close()
        self.talk = Line(here)
        self.ended = False
        try:
            answer = self.ask({"cells": self.cells, "names": self.names})
            self.error, self.missing = answer["error"], answer["missing"]
            self.values = [
                Proxy(self, i) if isinstance(value, dict) and value.get("function") else decode(value)
                for i, value in enumerate(answer["values"])
            ]
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if not self.ended:
            self._end()

    def ask(self, message: Any) -> Any:
        try:
            self.talk.send(message)
            answer = self.talk.receive()
            if answer is not None and not isinstance(answer, dict):
                raise ValueError
        except (OSError, ValueError, RecursionError):
            answer = None
        if answer is None:
            raise Stopped(self._end())
        return answer

    def _end(self) -> str:
        """Let it go, and say how it ended."""
        self.ended = True
        self.talk.close()
        report = self.sandbox.line.receive()
        if report is None:
            return "the process ended."
        return (
            "it takes too long, and was stopped."
            if report["out_of_time"]
            else "it ended the process, or its answer is too long."
        )


class Proxy:
    """Calls a function on the other side of the wall."""

    def __init__(self, run: Run, index: int) -> None:
        self.run, self.index = run, index

    def __call__(self, *arguments: Any) -> Any:
        answer = self.run.ask({"call": self.index, "arguments": [encode(each) for each in arguments]})
        if "raises" in answer:
            name, text = map(str, answer["raises"])
            raise _exception(name)(text)
        for i, value in answer["changed"].items():
            argument, now = arguments[int(i)], decode(value)
            if isinstance(argument, np.ndarray) and np.shape(now) == argument.shape:
                argument[...] = now
        if np.size(result := decode(answer["returns"])) > 1:
            handed_on = set(answer["handed_on"])
            self.run.handed_on = handed_on if self.run.handed_on is None else self.run.handed_on & handed_on
        return result


def _exception(name: str) -> type[Exception]:
    """The exception of that name; for one that is not of Python itself, another of the same name."""
    known = getattr(builtins, name, None)
    if isinstance(known, type) and issubclass(known, Exception):
        with_text = known not in (UnicodeDecodeError, UnicodeEncodeError, UnicodeTranslateError)
        if with_text and not issubclass(known, BaseExceptionGroup):
            return known
    return type(name, (Exception,), {})


def _prefixes() -> list[str]:
    folders = [sys.prefix, sys.base_prefix]
    return [*dict.fromkeys([*folders, *(str(Path(each).resolve()) for each in folders)])]
