"""The other side of the wall: imports what a chapter imports, locks itself up, and runs one student's cells at a time.

`sandbox` starts it. Each student's cells run in a fork of this process, so the imports are done once, and the limits of
time and memory begin after them. Values cross as JSON, arrays inside it as npy; no pickle is ever read. This file needs
NumPy and the standard library, and nothing of the book.
"""

import base64
import builtins
import contextlib
import ctypes
import gc
import io
import json
import os
import re
import resource
import select
import signal
import socket
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

CELL = "<a cell of the student's>"
MAGIC = re.compile(r"^(\s*)[%!].*$", re.MULTILINE)
LONGEST = 32 * 2**20  # bytes of one message
MS_NODEV, MS_NOSUID, MS_BIND, MS_REC, MS_PRIVATE = 4, 2, 0x1000, 0x4000, 1 << 18
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID, MOUNT_ATTR_NODEV = 1, 2, 4
MNT_DETACH = 2
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE = 442, -100, 0x8000
PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 4, 38


# ---- values


def encode(value: Any) -> Any:
    """A value as JSON: numbers, text and lists as they are, arrays as npy, and of anything else its type's name."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [encode(each) for each in value]
    with contextlib.suppress(Exception):
        array = np.asarray(value)
        if array.dtype.kind in "biufc":
            file = io.BytesIO()
            np.save(file, array, allow_pickle=False)
            return {"npy": base64.b64encode(file.getvalue()).decode()}
    return {"type": type(value).__name__}


def decode(value: Any) -> Any:
    if isinstance(value, list):
        return [decode(each) for each in value]
    if isinstance(value, dict) and "npy" in value:
        array = np.load(io.BytesIO(base64.b64decode(value["npy"])), allow_pickle=False)
        return array if array.ndim else array[()]
    if isinstance(value, dict):
        return type(str(value.get("type", "object")), (), {})()  # a stand-in, whose type has the name
    return value


class Line:
    """JSON over a socket, a message a line."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.file = connection.makefile("rb")

    def send(self, message: Any) -> None:
        self.connection.sendall(json.dumps(message).encode() + b"\n")

    def receive(self) -> Any:
        """The next message; None where the other side has gone."""
        line = self.file.readline(LONGEST)
        return json.loads(line) if line.endswith(b"\n") else None

    def close(self) -> None:
        self.file.close()
        self.connection.close()


# ---- the wall


def lock_up(visible: list[str], hidden: list[str]) -> None:
    """Leave this process and its children nothing but these folders, read-only, without devices and without rights.

    It has a mount namespace of its own already, and the rights of root in there, which it gives up at the end.
    """
    libc = ctypes.CDLL(None, use_errno=True)

    def call(name: str, *arguments: Any) -> None:
        if getattr(libc, name)(*arguments) != 0:
            raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")

    root = "/mnt"
    call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    call("mount", b"tmpfs", root.encode(), b"tmpfs", 0, None)
    for folder in visible:
        target = root + folder
        if os.path.islink(folder):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.symlink(os.readlink(folder), target)
        elif os.path.isdir(folder) and not os.path.isdir(target):
            os.makedirs(target)
            call("mount", folder.encode(), target.encode(), None, MS_BIND | MS_REC, None)
    for folder in hidden:
        if os.path.isdir(root + folder):
            call("mount", b"tmpfs", (root + folder).encode(), b"tmpfs", 0, None)
    flags = (ctypes.c_uint64 * 4)(MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, 0, 0, 0)
    call("syscall", MOUNT_SETATTR, AT_FDCWD, root.encode(), AT_RECURSIVE, flags, ctypes.sizeof(flags))
    os.chdir(root)
    call("pivot_root", b".", b".")
    call("umount2", b".", MNT_DETACH)
    os.chdir("/")
    call("prctl", PR_SET_DUMPABLE, 0, 0, 0, 0)  # no child may look into this process
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    header, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    call("capset", header, nothing)


def limit(cpu_seconds: int, more_memory: int) -> None:
    """What a student's cells may take, beyond what the imports have taken."""
    if address_space:
        resource.setrlimit(resource.RLIMIT_AS, (address_space + more_memory,) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NPROC, (64, 64))


address_space = 0  # of this process after its imports, in bytes; read before /proc is out of sight


# ---- a student's cells


def run_cells(talk: Line, scope: dict, package: str) -> None:
    """Run the cells, say which values the names have, and answer calls of those that are functions."""
    request = talk.receive()
    scope["display"] = lambda *_: None
    error = None
    for source in request["cells"]:
        error = None
        try:
            exec(compile(MAGIC.sub(r"\1pass", source), CELL, "exec"), scope)
        except SystemExit as exit_:
            error = f"SystemExit: {exit_}"
        except Exception as exception:
            error = f"{type(exception).__name__}: {exception}"
    values = [scope.get(name) for name in request["names"]]
    missing = [name for name in request["names"] if name not in scope]
    talk.send(
        {
            "error": error,
            "missing": missing,
            "values": [{"function": True} if callable(value) else encode(value) for value in values],
        }
    )
    while (message := talk.receive()) is not None:
        talk.send(answer(values[message["call"]], decode(message["arguments"]), package))


def answer(function: Callable, arguments: list, package: str) -> dict:
    """What the function returns or raises, which arguments it changed, and whose answer of the package it hands on."""
    before = [np.copy(each) if isinstance(each, np.ndarray) else each for each in arguments]
    answers: list[tuple[str, Any]] = []

    def watch(frame: types.FrameType, event: str, value: Any) -> None:
        if event == "return" and frame.f_code.co_filename.startswith(package):
            answers.append((frame.f_code.co_name, value))

    try:
        sys.setprofile(watch)
        with np.errstate(all="ignore"):
            result = function(*arguments)
    except BaseException as exception:
        return {"raises": [type(exception).__name__, str(exception)[:2000]]}
    finally:
        sys.setprofile(None)
    changed = {
        i: encode(now)
        for i, (now, old) in enumerate(zip(arguments, before, strict=True))
        if isinstance(old, np.ndarray) and not np.array_equal(now, old, equal_nan=old.dtype.kind in "fc")
    }
    handed_on = []
    if np.size(result) > 1:
        with contextlib.suppress(Exception):
            handed_on = [name for name, value in answers if np.array_equal(value, result)]
    return {"returns": encode(result), "changed": changed, "handed_on": sorted(set(handed_on))}


# ---- this process


def stop_all(pid: int) -> None:
    """End a fork and what it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.getpid() == 1:  # of a namespace of its own: all others in it are the student's
            os.kill(-1, signal.SIGKILL)
        else:
            os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while os.getpid() == 1 and os.waitpid(-1, 0):
            pass


def serve(control: socket.socket, scope: dict, settings: dict) -> None:
    """A fork for each request, one after the other. A request is a socket on which the fork talks."""
    report = Line(control)
    while True:
        data, sockets, *_ = socket.recv_fds(control, 1, 1)
        if not data:
            return
        connection = socket.socket(fileno=sockets[0])
        pid = os.fork()
        if pid == 0:
            try:
                os.setsid()
                control.close()
                limit(settings["seconds"], settings["memory"])
                run_cells(Line(connection), scope, settings["package"])
            finally:
                os._exit(0)
        connection.close()
        ended = os.pidfd_open(pid)
        in_time = bool(select.select([ended], [], [], settings["wall"])[0])
        os.close(ended)
        if not in_time:
            os.kill(pid, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        stop_all(pid)
        report.send({"out_of_time": not in_time or code in (-signal.SIGXCPU, -signal.SIGKILL), "code": code})


def stand_in(settings: dict) -> types.ModuleType:
    """What the notebook imports as `checks`: it knows no answers, and its checks say nothing."""
    module = types.ModuleType(settings["checks"])
    module.__getattr__ = lambda name: lambda *_: None  # type: ignore[attr-defined]
    for name, value in settings["constants"].items():
        setattr(module, name, lambda value=value: decode(value))
    return module


def main() -> None:
    global address_space
    control = socket.socket(fileno=int(sys.argv[1]))
    settings = Line(control).receive()
    parent, _, name = settings["checks"].rpartition(".")
    package = types.ModuleType(parent)
    package.__path__ = []  # type: ignore[attr-defined]
    sys.modules[parent] = package
    sys.modules[settings["checks"]] = stand_in(settings)
    setattr(package, name, sys.modules[settings["checks"]])
    scope: dict = {"__name__": "__main__", "__builtins__": builtins}
    for line in settings["imports"]:
        with contextlib.suppress(Exception):
            exec(line, scope)
    with contextlib.suppress(OSError), open("/proc/self/statm") as statm:
        address_space = int(statm.read().split()[0]) * resource.getpagesize()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    if settings["protected"]:
        try:
            lock_up(settings["visible"], settings["hidden"])
        except OSError as error:
            Line(control).send({"ready": False, "why": str(error)})
            return
    gc.freeze()
    Line(control).send({"ready": True})
    serve(control, scope, settings)


if __name__ == "__main__":
    main()
