"""Training that is interrupted resumes where it stopped."""

import os
from pathlib import Path
from typing import Any, NamedTuple

import torch

from inorder._arrays import expect

__all__ = [
    "Checkpoint",
]


class Checkpoint(NamedTuple):
    """Where the state of a training run is kept, of which run, and after how many steps it is written again."""

    path: Path
    run: str  # all that determines the training
    every: int = 100

    def read(self) -> dict[str, Any] | None:
        """What was written last; None if there is nothing yet.

        Raises ValueError: a file that belongs to another training run.

        >>> from tempfile import mkdtemp
        >>> kept = Checkpoint(Path(mkdtemp()) / "state.pt", "seed 0")
        >>> kept.read() is None
        True
        >>> kept.write({"step": 100})
        >>> kept.read()
        {'step': 100}
        >>> kept._replace(run="seed 1").read()
        Traceback (most recent call last):
        ValueError: expected a checkpoint of seed 1, got one of seed 0
        """
        if not self.path.exists():
            return None
        kept = torch.load(self.path, weights_only=True)
        expect(kept["run"] == self.run, f"a checkpoint of {self.run}", f"one of {kept['run']}")
        return kept["state"]

    def write(self, state: dict[str, Any]) -> None:
        """Keep this state, whole or not at all."""
        unfinished = self.path.with_name(self.path.name + ".part")
        torch.save({"run": self.run, "state": state}, unfinished)
        os.replace(unfinished, self.path)
