"""The model in a notebook's kernel: it answers what engine/client.js asks as engine/worker.js does, by `inorder`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from inorder._arrays import expect
from inorder.pretrained import decoder
from inorder.transformer import LayerState

MOST, MOST_WRITTEN = 64, 512  # tokens of a prompt, and of a generated text
INTERRUPTED = "The kernel was interrupted while the model was running. Ask it again."


class Reply(NamedTuple):
    """What goes to the page: plain data, and arrays of float32 under one of its names."""

    content: dict[str, Any]
    name: str = ""
    arrays: tuple[np.ndarray, ...] = ()

    def message(self, number: int) -> tuple[dict[str, Any], list[bytes]]:
        arrays = [np.ascontiguousarray(array, np.float32).tobytes() for array in self.arrays]
        return {**self.content, "id": number, "floats": self.name}, arrays


@dataclass
class Text:
    """A text that the model has read."""

    ids: list[int]
    positions: Any
    steps: Iterator[int]
    added: list[int] = field(default_factory=list)

    def states(self) -> list[LayerState]:
        return decoder.states(self.ids, decoder.load(), self.positions)


class Kernel:
    """The texts that the pages of one figure have asked for, by their slots."""

    def __init__(self) -> None:
        self._texts: dict[str, Text] = {}

    def answer(self, request: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
        """The reply to one request, or its error as a sentence."""
        kinds: dict[str, Callable[..., Reply]] = {
            "load": self._load,
            "prompt": self._prompt,
            "next": self._next,
            "rows": self._rows,
            "attention": self._attention,
        }
        fields = {name: value for name, value in request.items() if name not in ("id", "kind")}
        number = request["id"]
        try:
            return kinds[request["kind"]](**fields).message(number)
        except (ValueError, FileNotFoundError, ImportError) as error:
            return {"id": number, "error": f"The model {_sentence(str(error))}."}, []
        except KeyboardInterrupt:  # which Jupyter would note in its log, and nobody would answer
            return {"id": number, "error": INTERRUPTED}, []

    def _load(self) -> Reply:
        decoder.load()
        return Reply({})

    def _prompt(self, slot: str, text: str, positions: Any, k: int) -> Reply:
        lm = decoder.load()
        tokens = decoder.tokenize(text, lm)
        ids = tokens.ids.tolist()
        expect(len(ids) <= MOST, f"a prompt of at most {MOST} tokens", len(ids))
        places = decoder.Placement(**positions) if isinstance(positions, dict) else positions
        rows, steps = decoder.read(ids, lm, MOST_WRITTEN, positions=places)
        self._texts[slot] = Text(ids, places, steps)
        likeliest = decoder.likeliest(rows[-1], lm, k)
        return Reply({"words": tokens.words, "likeliest": [each._asdict() for each in likeliest]})

    def _next(self, slot: str) -> Reply:
        text = self._texts[slot]
        token = next(text.steps, None)
        text.added += [] if token is None else [token]
        return Reply({"end": token is None, "text": decoder.load().tokenizer.decode(text.added)})

    def _rows(self, slot: str) -> Reply:
        from inorder.lab.trained_decoder import last_rows  # which loads what only measurements need

        return Reply({}, "rows", tuple(last_rows(self._texts[slot].states())))

    def _attention(self, slot: str) -> Reply:
        layers = [np.asarray(state.weights) for state in self._texts[slot].states()]
        return Reply({"nHeads": len(layers[0])}, "weights", tuple(np.concatenate(layers)))


def _sentence(message: str) -> str:
    """Our errors already say what was expected.

    >>> _sentence("expected a text, got ''.")
    "expected a text, got ''"
    """
    return message.rstrip(".") if message.startswith("expected") else f"could not answer: {message.rstrip('.')}"
