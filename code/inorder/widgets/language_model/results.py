"""What the model makes of two prompts: as it is stored with the book, or computed."""

import json
from functools import cache
from typing import Any

from inorder.stored import stored

Results = dict[str, Any]  # next: of each prompt [[token, probability], …]; texts; stored; perhaps distance, layers


@cache
def pairs() -> list[list[str]]:
    """The pairs of prompts whose results are stored."""
    return _record()["pairs"]


@cache
def travelling() -> dict[str, Any]:
    """The stored results as the page takes them, in the digits that it shows.

    pairs, placements: for each pair of prompts, the results by the placement. swaps: {prompt: {next, text}} for the
    second prompt and each swap of two of its words, as trained. heads: what all heads weigh in the second prompt.
    """
    record = _record()
    placements = [{name: _rounded(result) for name, result in each.items()} for each in record["placements"]]
    swaps = {prompt: {**each, "next": _next(each["next"])} for prompt, each in record["swaps"].items()}
    for prompt, tokens, text in zip(
        pairs()[0], *(placements[0]["trained"][name] for name in ("next", "texts")), strict=True
    ):
        swaps[prompt] = {"next": tokens, "text": text}
    return {"pairs": pairs(), "placements": placements, "swaps": swaps, "heads": record["heads"]}


def stored_results(prompts: list[str], positions: str) -> Results:
    """Those of two stored prompts, in either order, or of one of them twice; {} if there are none."""
    every = travelling()
    for pair, placements in zip(every["pairs"], every["placements"], strict=True):
        if positions in placements and set(prompts) <= set(pair):
            result, which = placements[positions], [pair.index(text) for text in prompts]
            sides = {name: [result[name][i] for i in which] for name in ("next", "texts")}
            if which[0] == which[1]:
                return {**sides, "distance": 0, "layers": [0] * len(result["layers"]), "stored": True}
            return {**result, **sides, "stored": True}
    if positions == "trained" and all(prompt in every["swaps"] for prompt in prompts):
        both = [every["swaps"][prompt] for prompt in prompts]
        return {"next": [each["next"] for each in both], "texts": [each["text"] for each in both], "stored": True}
    return {}


def computed_results(prompts: list[str], positions: Any) -> Results:
    """The same by `inorder.lab.trained_decoder.prompt_pair`, with the model's weights.

    Raises ValueError, FileNotFoundError, ImportError: as `inorder.pretrained.decoder`.
    """
    from inorder.lab.trained_decoder import prompt_pair
    from inorder.pretrained.decoder import load

    first, second = prompts
    return {**_rounded(prompt_pair((first, second), load(), positions)._asdict()), "stored": False}


def _rounded(result: dict[str, Any]) -> Results:
    return {
        "next": [_next(tokens) for tokens in result["next"]],
        "texts": result["texts"],
        "distance": _digits(result["distance"], 3),
        "layers": [_digits(x, 2) for x in result["layers"]],
    }


def _next(tokens: dict[str, float]) -> list[list[Any]]:
    return [[token, _digits(p, 3)] for token, p in tokens.items()]


def _digits(x: float, n: int) -> float:
    return float(f"{x:.{n}g}")


@cache
def _record() -> dict[str, Any]:
    return json.loads(stored("trained_decoder.json").read_text(encoding="utf8"))["figure"]
