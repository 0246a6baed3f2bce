"""A file of weights in the format GGUF [1]: what its header says, and its tensors, each read when it is asked for.

The library `gguf` has a reader, too, which makes several arrays of each of a hundred thousand tokens and merges: it
takes seconds, this one a fraction of one. What turns the bytes of a tensor into numbers is the library's.

[1] https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import math
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from inorder._arrays import expect

NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, LIST = 8, 9
VERSIONS = (2, 3)
ALIGNMENT = 32  # bytes, if the file names no other


class Tensor(NamedTuple):
    """shape: its axes as the file has them, the one whose numbers are neighbours first; kind: how they are written."""

    shape: tuple[int, ...]
    kind: int
    offset: int  # of its first byte, from the first byte of all tensors

    @property
    def size(self) -> int:
        return math.prod(self.shape)


class GGUFFile:
    """fields: what the header says, by name; tensors: what it says of each tensor, by name.

    Raises ValueError: a file of another format or version.
    """

    def __init__(self, path: Path) -> None:
        self._data = np.memmap(path, np.uint8, "r")
        self._bytes, self._at = self._data.data, 4
        start = bytes(self._bytes[:4])
        expect(start == b"GGUF", f"{path} to be a file that begins with GGUF", start)
        version = self._number("I")
        expect(version in VERSIONS, f"{path} of version 2 or 3 of GGUF", version)
        n_tensors, n_fields = self._number("Q"), self._number("Q")
        self.fields: dict[str, Any] = {self._text(): self._value(self._number("I")) for _ in range(n_fields)}
        self.tensors = {self._text(): self._tensor() for _ in range(n_tensors)}
        alignment = self.fields.get("general.alignment", ALIGNMENT)
        self._start = -(-self._at // alignment) * alignment

    def array(self, name: str) -> Float[np.ndarray, "..."]:
        """A tensor's numbers in float32, its axes as NumPy has them: the first in the file is the last."""
        from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, dequantize

        tensor = self.tensors[name]
        kind = GGMLQuantizationType(tensor.kind)
        numbers_of_block, bytes_of_block = GGML_QUANT_SIZES[kind]
        row, *rows = tensor.shape
        start = self._start + tensor.offset
        data = self._data[start : start + tensor.size // numbers_of_block * bytes_of_block]
        return np.asarray(dequantize(data.reshape(*reversed(rows), row // numbers_of_block * bytes_of_block), kind))

    def _number(self, code: str) -> Any:
        (number,) = struct.unpack_from(f"<{code}", self._bytes, self._at)
        self._at += struct.calcsize(f"<{code}")
        return number

    def _text(self) -> str:
        length = self._number("Q")
        self._at += length
        return str(self._bytes[self._at - length : self._at], "utf-8")

    def _value(self, kind: int) -> Any:
        if kind == LIST:
            kind_of_each, length = self._number("I"), self._number("Q")
            return [self._value(kind_of_each) for _ in range(length)]
        return self._text() if kind == TEXT else self._number(NUMBERS[kind])

    def _tensor(self) -> Tensor:
        shape = tuple(self._number("Q") for _ in range(self._number("I")))
        return Tensor(shape, self._number("I"), self._number("Q"))
