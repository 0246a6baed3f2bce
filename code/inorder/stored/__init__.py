"""Results of what takes too long to compute on a page: the modules of `inorder.lab` write them, the book reads them.

`README.md` beside them says where each comes from.
"""

from pathlib import Path

FOLDER = Path(__file__).parent  # where a new result is written


def stored(name: str) -> Path:
    """The file of that name among the stored results.

    Raises:
        ValueError: there is none; the message names those that there are.

    >>> stored("two_looks.json").suffix
    '.json'
    """
    names = sorted(path.name for path in FOLDER.iterdir() if path.suffix in {".json", ".npz", ".txt"})
    if name not in names:
        raise ValueError(f"name must be one of {', '.join(names)}, got {name!r}")
    return FOLDER / name
