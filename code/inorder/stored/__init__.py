"""Results of what takes too long to compute on a page: `studies` and `inorder.lab` write them, the book reads them.

`README.md` beside them says where each comes from. What a chapter's own code trains is stored by `recorded`.
"""

import functools
import inspect
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent  # where a new result is written
FORMAT = 1  # of the records below


def stored(name: str) -> Path:
    """The file of that name among the stored results.

    Raises ValueError: there is none; the message names those that there are.

    >>> stored("two_looks.json").suffix
    '.json'
    """
    names = sorted(path.name for path in FOLDER.iterdir() if path.suffix in {".json", ".npz", ".txt"})
    if name not in names:
        raise ValueError(f"name must be one of {', '.join(names)}, got {name!r}")
    return FOLDER / name


@functools.cache
def read_record(name: str) -> dict[str, Any]:
    """The content of a stored .json file, or the arrays of an .npz file by their names: read once, not to be changed.

    Raises ValueError: as `stored`.

    >>> list(read_record("two_looks.json"))
    ['frames', 'looks', 'provenance']
    """
    path = stored(name)
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return dict(arrays)
    return json.loads(path.read_text(encoding="utf-8"))


class RecordError(ValueError):
    """A record that is missing, or is not the one asked for: the message says which command makes it."""

    def _render_traceback_(self) -> list[str]:
        return [f"RecordError: {self}"]  # all that a notebook shows


def recorded(name: str) -> Callable[[Callable[..., Any]], "Recorded"]:
    """Give a function that trains the results of its last run: ``@recorded("the_block/losses")`` above it.

    Called with the arguments of that run, it reads the record of that name, a chapter's slug and a word; its method
    ``again`` runs it, with any others, too. What it returns is made of dicts with strings as keys, lists, numbers,
    strings and arrays of NumPy or torch; a record keeps six digits of each number, and a tuple becomes a list, a tensor
    an array.

    With INORDER_AGAIN set to a folder, as `make records` does, a call runs the function and writes its record there;
    its method ``stored`` still reads what the last run gave.

    Raises RecordError: the record is missing, of another format, or of other arguments (seeds, say); ValueError: a name
    that is not SLUG/WORD; a result made of anything else, with its type.
    """
    slug, _, word = name.partition("/")
    if not (slug.isidentifier() and word.isidentifier()):
        raise ValueError(f"expected a name like 'the_block/losses', got {name!r}")
    return lambda function: Recorded(name, function)


class Recorded:
    """A function with a record of its results; made by `recorded`."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name, self.function = name, function
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        folder = os.environ.get("INORDER_AGAIN")
        return self._record(Path(folder), args, kwargs) if folder else self.stored(*args, **kwargs)

    def stored(self, *args: Any, **kwargs: Any) -> Any:
        """Read the record, which must be one of these arguments."""
        slug = self.name.partition("/")[0]
        remedy = f"`make records CHAPTER={slug}` makes it, and .again() runs the function here"
        path = FOLDER / _file_name(self.name)
        if not path.exists():
            raise RecordError(f"expected the record {path.name} among the stored results, found none: {remedy}")
        record = json.loads(path.read_text(encoding="utf-8"))
        if record.get("format") != FORMAT:
            raise RecordError(f"expected {path.name} in format {FORMAT}, got {record.get('format')}: {remedy}")
        arguments = self._arguments(args, kwargs)
        if record["arguments"] != arguments:
            raise RecordError(f"expected a record for {arguments}, {path.name} has {record['arguments']}: {remedy}")
        return _read(record["result"])

    def again(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function, and return what its record would give, with all digits."""
        return _read(_written(self.function(*args, **kwargs), digits=None))

    def _record(self, folder: Path, args: tuple, kwargs: dict[str, Any]) -> Any:
        from inorder.lab.records import write_record

        start = time.perf_counter()
        result = self.again(*args, **kwargs)
        record = {"format": FORMAT, "arguments": self._arguments(args, kwargs), "result": _written(result)}
        write_record(folder / _file_name(self.name), record, seconds=time.perf_counter() - start)
        return result

    def _arguments(self, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by name, defaults included, as JSON gives them back."""
        bound = inspect.signature(self.function).bind(*args, **kwargs)
        bound.apply_defaults()
        return {
            name: _written(list(each) if isinstance(each, range) else each) for name, each in bound.arguments.items()
        }


def _file_name(name: str) -> str:
    return f"{name.replace('/', '.')}.json"


def _written(value: Any, digits: int | None = 6) -> Any:
    """The value as JSON can hold it, floats with that many significant digits."""
    if hasattr(value, "detach"):  # a tensor
        value = value.detach().cpu().numpy()
    if isinstance(value, np.ndarray):
        return {"dtype": str(value.dtype), "array": _written(value.tolist(), digits)}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _written(each, digits) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_written(each, digits) for each in value]
    if isinstance(value, float) and digits is not None:
        return float(f"{value:.{digits}g}")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(
        f"expected dicts with strings as keys, lists, numbers, strings and arrays, got {type(value).__name__}"
    )


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {"dtype", "array"}:
            return np.array(value["array"], dtype=value["dtype"])
        return {key: _read(each) for key, each in value.items()}
    return [_read(each) for each in value] if isinstance(value, list) else value
