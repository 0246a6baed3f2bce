"""The engine's reader of GGUF files, against the library gguf; and what it says of files that it can't read."""

import base64
import hashlib
import re

import numpy as np
import pytest
from gguf import GGUFReader, GGUFValueType, GGUFWriter

from small_language_model import write_small


def test_every_type_of_value(engine, tmp_path):
    writer = GGUFWriter(tmp_path / "values.gguf", "llama")
    values = {
        "UINT8": 255,
        "INT8": -128,
        "UINT16": 65535,
        "INT16": -2,
        "UINT32": 2**32 - 1,
        "INT32": -(2**31),
        "FLOAT32": 0.25,
        "BOOL": True,
        "STRING": "Être\ufeff 東京 🙂 \0",
        "UINT64": 2**64 - 1,
        "INT64": -(2**40),
        "FLOAT64": 0.1,
    }
    for name, value in values.items():
        writer.add_key_value(name, value, GGUFValueType[name])
    lists = {"numbers": [1, -2, 3], "words": ["a", ""], "bools": [True, False]}
    for name, value in lists.items():
        writer.add_array(name, value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    assert engine("gguf", path=str(tmp_path / "values.gguf"))["metadata"] == {
        "general.architecture": "llama",
        **values,
        **lists,
    }


def test_the_tensors_are_where_the_library_finds_them(engine, small):
    header = engine("gguf", path=str(small.path))
    tensors = {tensor["name"]: tensor for tensor in header["tensors"]}
    reader = GGUFReader(small.path)
    assert len(tensors) == len(reader.tensors) == 29
    for tensor in reader.tensors:
        assert tensors[tensor.name] == {
            "name": tensor.name,
            "kind": int(tensor.tensor_type),
            "shape": tensor.shape.tolist(),
            "offset": tensor.data_offset,
        }


def changed(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


def kind_at(data: bytes, name: str) -> int:
    """Where the kind of that tensor, of two axes, is written."""
    return data.index(name.encode() + b"\x02\0\0\0") + len(name) + 4 + 16


UNREADABLE = {
    "html": (lambda data: b"<!doctype html>", 'not a GGUF file: it begins with "<!do"'),
    "version": (lambda data: changed(data, 4, b"\1"), "is version 1 of GGUF. Versions 2 and 3 can be read"),
    "in the header": (lambda data: data[:1000], "ends within its header, at byte 1000: it is truncated or altered"),
    "in the weights": (
        lambda data: data[:-100],
        r"has \d+ bytes, but the tensor blk.2.ffn_down.weight reaches to byte \d+: the file is truncated or altered",
    ),
    "many tensors": (lambda data: changed(data, 8, b"\xff" * 8), r"has 2147483648 axes .* so it was altered"),
    "type": (lambda data: changed(data, 24 + 8 + 20, b"\x0d"), "a value of unknown type 13"),
    "quantised otherwise": (
        lambda data: changed(data, kind_at(data, "blk.1.attn_k.weight"), b"\x0c"),
        "The tensor blk.1.attn_k.weight is stored as Q4_K. This page can read F32, Q4_1, Q8_0",
    ),
    "shape": (
        lambda data: changed(data, kind_at(data, "blk.1.attn_k.weight") - 16, b"\x21"),
        "The tensor blk.1.attn_k.weight has the shape 33 × 32, which its kind cannot have",
    ),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_is_said_of_a_file_that_cannot_be_read(engine, small, tmp_path, case):
    change, message = UNREADABLE[case]
    path = tmp_path / "changed.gguf"
    path.write_bytes(change(small.path.read_bytes()))
    with pytest.raises(RuntimeError, match=message):
        engine("open", path=str(path), name="changed")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"without": "blk.2.ffn_gate"}, "has no tensor blk.2.ffn_gate.weight: it is incomplete or altered"),
        ({"without": "token_embd"}, "has no tensor token_embd.weight"),
        ({"architecture": "gpt2"}, 'a model of the kind "gpt2". This page can run "llama"'),
        ({"head_count_kv": 3}, "4 query heads and 3 key heads of 16 numbers each, which do not fit together"),
        ({"head_count_kv": 1}, "blk.0.attn_k.weight has the shape 64 × 32 and type 3, but the model needs 64 × 16"),
        ({"pre": "llama3"}, 'a tokenizer "gpt2" with "llama3". This page can read "gpt2" with "smollm"'),
        ({"merges": ["x yz"]}, 'The merge "x yz" of the model’s file has no tokens'),
    ],
)
def test_what_is_said_of_another_model(engine, tmp_path, settings, message):
    write_small(tmp_path / "other.gguf", **settings)
    with pytest.raises(RuntimeError, match=re.escape(message)):
        engine("open", path=str(tmp_path / "other.gguf"), name="other")


def test_sha256_in_parts(engine):
    rng = np.random.default_rng(0)
    for lengths in [[], [0], [3], [55], [56], [64], [63, 1, 64], [1, 62, 200, 7], [5000, 119]]:
        parts = [rng.bytes(length) for length in lengths]
        digest = engine("sha256", parts=[base64.b64encode(part).decode() for part in parts])
        assert digest == hashlib.sha256(b"".join(parts)).hexdigest(), lengths
