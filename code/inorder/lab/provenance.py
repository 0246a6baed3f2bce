"""Where a record comes from: which command, code, versions and processor made it, and on which day."""

import platform
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from inorder import __version__

__all__ = ["provenance"]

PACKAGE = Path(__file__).parents[1]


def provenance(made_by: str, packages: Iterable[str] = ("numpy", "torch"), **others: Any) -> dict[str, Any]:
    """The command that makes a record; commit, day, versions, processor; and what else is known, say seeds or seconds.

    >>> found = provenance("python -m inorder.lab.sweep", seeds=[0, 1])
    >>> list(found), list(found["versions"])
    (['made_by', 'commit', 'date', 'versions', 'processor', 'seeds'], ['python', 'numpy', 'torch'])
    """
    packages = list(packages)
    return {
        "made_by": made_by,
        "commit": commit(),
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {"python": platform.python_version()} | {name: version(name).split("+")[0] for name in packages},
        "processor": processor(with_torch="torch" in packages),
        **others,
    }


@cache
def commit() -> str:
    """The commit of the clone that the package stands in, with "-dirty" if its code has changed since.

    Outside a clone, where no commit is known, the package's version.
    """
    try:
        if _git("ls-files", "--error-unmatch", "__init__.py").returncode == 0:
            changed = _git("diff", "--quiet", "HEAD", "--", "*.py").returncode != 0
            return _git("rev-parse", "--short=12", "HEAD").stdout.strip() + "-dirty" * changed
    except FileNotFoundError:  # no git
        pass
    return f"inorder {__version__}"


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", "-C", str(PACKAGE), *arguments], capture_output=True, text=True, check=False)


def processor(with_torch: bool = True) -> dict[str, Any]:
    """What the back ends choose their code by: the machine's kind, and the instructions that each of them found.

    >>> list(processor())
    ['machine', 'numpy', 'torch']
    """
    configuration: Any = np.show_config(mode="dicts")  # type: ignore[call-overload, unused-ignore]
    instructions = configuration.get("SIMD Extensions", {})
    found = {
        "machine": platform.machine(),
        "numpy": [*instructions.get("baseline", []), *instructions.get("found", [])],
    }
    if with_torch:
        import torch

        found["torch"] = torch.backends.cpu.get_cpu_capability()
    return found
