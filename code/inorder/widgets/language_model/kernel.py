"""The model in a notebook's kernel: it answers the requests of engine/client.js as engine/worker.js does, by `inorder`.

The worker's limits are the page's; here `positions` are whatever `inorder.pretrained.decoder` takes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from inorder._arrays import expect
from inorder.pretrained import decoder
from inorder.transformer import LayerState

MOST = 512  # tokens of a generated text
INTERRUPTED = "The kernel was interrupted while the model was running. Ask it again."


class Reply(NamedTuple):
    """What goes to the page: plain data, and arrays of float32 under one of its names."""

    content: dict[str, Any]
    name: str = ""
    arrays: tuple[np.ndarray, ...] = ()

    def message(self, number: int) -> tuple[dict[str, Any], list[bytes]]:
        arrays = [np.ascontiguousarray(array, np.float32).tobytes() for array in self.arrays]
        return {**self.content, "id": number, "done": True, "floats": self.name}, arrays


@dataclass
class Text:
    """A text that the model has read."""

    ids: list[int]
    positions: Any
    steps: Iterator[int]
    added: list[int] = field(default_factory=list)
    states: list[LayerState] | None = None

    def once_more(self) -> Iterator[int]:
        """The steps still to come; the text is read again when the first of them is asked for."""
        steps = decoder.new_tokens(self.ids, decoder.load(), MOST, positions=self.positions)
        yield from islice(steps, len(self.added), None)


class Kernel:
    """The texts that the pages of one figure have asked for, by their slots."""

    def __init__(self) -> None:
        self._texts: dict[str, Text] = {}

    def answer(self, request: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
        """The reply to one request, or its error as a sentence."""
        kinds: dict[str, Callable[..., Reply]] = {
            "load": self._load,
            "tokenize": self._tokenize,
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

    def _tokenize(self, text: str) -> Reply:
        tokens = decoder.tokenize(text, decoder.load())
        return Reply({"ids": tokens.ids.tolist(), "words": tokens.words, "unreadable": []})

    def _prompt(self, slot: str, ids: list[int], positions: Any, k: int) -> Reply:
        lm = decoder.load()
        places = decoder.Placement(**positions) if isinstance(positions, dict) else positions
        rows, steps = decoder.read(ids, lm, MOST, positions=places)
        self._texts[slot] = Text(ids, places, steps)
        likeliest = decoder.likeliest(rows[-1], lm, k)
        return Reply({"likeliest": [each._asdict() for each in likeliest]}, "logits", (np.asarray(rows[-1]),))

    def _next(self, slot: str) -> Reply:
        text = self._texts[slot]
        try:
            token = next(text.steps, None)
        except KeyboardInterrupt:  # which ends a generator
            text.steps = text.once_more()
            raise
        text.added += [] if token is None else [token]
        return Reply({"end": token is None, "text": decoder.load().tokenizer.decode(text.added)})

    def _states(self, slot: str) -> list[LayerState]:
        text = self._texts[slot]
        text.states = text.states or decoder.states(text.ids, decoder.load(), text.positions)
        return text.states

    def _rows(self, slot: str) -> Reply:
        """Of the last token only: it is what the figure compares."""
        from inorder.lab.trained_decoder import last_rows  # which loads what only measurements need

        rows = last_rows(self._states(slot))
        return Reply({"n": 1, "dModel": rows.shape[-1]}, "rows", tuple(rows))

    def _attention(self, slot: str, layer: int, head: int) -> Reply:
        states = self._states(slot)
        expect(layer in range(len(states)), f"a layer from 0 to {len(states) - 1}", layer)
        weights = np.asarray(states[layer].weights)
        expect(head in range(len(weights)), f"a head from 0 to {len(weights) - 1}", head)
        return Reply({"n": weights.shape[-1]}, "weights", (weights[head],))


def _sentence(message: str) -> str:
    """Our errors already say what was expected.

    >>> _sentence("expected a text, got ''.")
    "expected a text, got ''"
    """
    return message.rstrip(".") if message.startswith("expected") else f"could not answer: {message.rstrip('.')}"
