"""The engine in a Node process, and a small random model in a file, read by `inorder.pretrained.decoder` too."""

import base64
import hashlib
import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from _ext.toolchain import NODE
from inorder.pretrained import decoder
from inorder.transformer import Rotary
from pretrained_files import why_missing
from small_language_model import D_FF, D_MODEL, N_LAYERS, TOKENS, write_small

ENGINE = Path(__file__).with_name("engine.mjs")
MISSING = why_missing("decoder")


class Small(NamedTuple):
    path: Path
    lm: decoder.LanguageModel


def _floats(record: dict[str, Any]) -> Any:
    if "float32" in record:
        return np.frombuffer(base64.b64decode(record["float32"]), np.float32)
    return record


@pytest.fixture(scope="session")
def engine() -> Iterator[Callable]:
    """engine("logits", name=…, ids=…): the action of that name of engine.mjs. RuntimeError: it throws."""
    command = [NODE, "--no-warnings", str(ENGINE)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as node:
        assert node.stdin
        assert node.stdout

        def call(action: str, **options: Any) -> Any:
            node.stdin.write(json.dumps({"do": action, **options}) + "\n")
            node.stdin.flush()
            answer = json.loads(node.stdout.readline(), object_hook=_floats)
            if "error" in answer:
                raise RuntimeError(answer["error"])
            return answer["result"]

        yield call
        node.stdin.close()


@pytest.fixture(scope="session")
def small(tmp_path_factory) -> Small:
    """The small model as the package reads it, in float64."""
    path = tmp_path_factory.mktemp("model") / "small.gguf"
    write_small(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decoder, "find_file", lambda: path)
        patch.setattr(decoder, "SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
        patch.setattr(decoder, "_open", decoder._open.__wrapped__)  # past what is remembered of the large one
        config = replace(
            decoder.CONFIG,
            vocabulary_size=len(TOKENS),
            d_model=D_MODEL,
            n_heads=4,
            n_key_heads=2,
            d_ff=D_FF,
            n_layers=N_LAYERS,
            position=Rotary(base=1000.0, pairing="interleaved"),
        )
        patch.setattr(decoder, "CONFIG", config)
        return Small(path, decoder._read(np.zeros(1)))


@pytest.fixture
def small_name(engine, small) -> str:
    """The small model's name in the engine."""
    engine("open", path=str(small.path), name="small")
    return "small"


@pytest.fixture(scope="session")
def large(engine) -> decoder.LanguageModel:
    """SmolLM2 as the package reads it; in the engine its name is "large"."""
    if MISSING is not None:
        pytest.skip(MISSING)
    engine("open", path=str(decoder.find_file()), name="large")
    return decoder.load()
