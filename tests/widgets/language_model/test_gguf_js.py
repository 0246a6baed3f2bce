"""The engine's reader of GGUF files, against the library gguf; and what it says of files that it can't read."""

import re

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
        "UINT64": 2**53 - 1,
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


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"without": "blk.2.ffn_gate"}, "has no tensor blk.2.ffn_gate.weight of type 3 or 8"),
        ({"architecture": "gpt2"}, 'a model of the kind "gpt2". This page can run "llama"'),
    ],
)
def test_what_is_said_of_another_model(engine, tmp_path, settings, message):
    write_small(tmp_path / "other.gguf", **settings)
    with pytest.raises(RuntimeError, match=re.escape(message)):
        engine("open", path=str(tmp_path / "other.gguf"), name="other")


def test_what_is_said_of_another_file(engine, tmp_path):
    (tmp_path / "page.html").write_text("<!doctype html>")
    with pytest.raises(RuntimeError, match='begins with "<!do", not with "GGUF"'):
        engine("gguf", path=str(tmp_path / "page.html"))
