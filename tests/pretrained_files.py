"""Is the trained model on this machine? `make` installs it (requirements-pretrained.txt); elsewhere its tests skip."""

from functools import cache

from inorder.pretrained import find_files


@cache
def why_missing() -> str | None:
    """None if the weights are here, else what `find_files` says."""
    try:
        find_files()
    except FileNotFoundError as error:
        return str(error)
    return None
