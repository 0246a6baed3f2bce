"""Packages that the base install leaves out: where one is missing, the error says which extra brings it."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str, *, needed_by: str) -> Iterator[None]:
    """Around imports: a missing package raises ImportError that says `pip install "inorder[name]"`.

    >>> with extra("lab", needed_by="this example"):
    ...     import no_such_package
    Traceback (most recent call last):
    ...
    ImportError: this example needs no_such_package: pip install "inorder[lab]"
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ImportError(f'{needed_by} needs {error.name}: pip install "inorder[{name}]"', name=error.name) from error
