"""Small models on texts three times as long as those of training: one cause of failure taken away at a time.

    python -m studies.longer_texts            trains, measures and stores all, with provenance, in inorder/stored
    python -m studies.longer_texts the_vote   this part alone

The models are those of the sweep (`inorder.lab.runs`), trained on texts of 5 to 20 words, five seeds of each. Nothing
is trained again. The parts:

- `changes`: the accuracy at 20 and at 60 words, as the models are and changed. `squeezed`: 60 words share the 20
  positions of training. `thinned`: a word sees 19 of them. `second hand slowed`, `others slowed`: RoPE's frequency 0.1
  alone is divided by three, or all but that one.
- `the_vote`: which-first with RoPE, 20 words, the second ten of them moved away, so that distances are new and the
  number of keys is not: the share right of the pairs across the gap; the first gap at which it is below one half; and
  two marked words that are more than half a turn of ω = 0.1 apart, with all others less than that from either.
- `two_layers`: Shaw's scheme with a second layer, at 60 words.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64

from inorder._arrays import Array
from inorder.encodings import frequencies, turn_pairs
from inorder.lab.provenance import provenance
from inorder.lab.records import chosen_parts, plain, store_parts
from inorder.lab.runs import Setting, train_model
from inorder.lab.tasks import IGNORED, TASKS, Batch, WhichFirst
from inorder.lab.training import answers
from inorder.stored import FOLDER
from inorder.transformer import Model, Rotary, encode, unembed
from inorder.transformer.schemes import PositionTables

RESULTS = "longer_texts.json"
TRAINED, LONG = 20, 60  # words in the longest text of training, and of the long texts
SEEDS, N_TEXTS = range(5), 400
GAPS = range(64)  # up to a full turn of ω = 0.1
BASES = (10_000.0, 3_000.0)
ENDS = np.array([0, *range(11, 29), 40])  # where the first word stands, all others, and the last
WHICH_FIRST = WhichFirst()


def squeezed(n: int, longest: int = TRAINED) -> Int64[np.ndarray, " position"]:
    """The positions of n words that share those of a text of `longest`: none is new, and they never fall.

    >>> squeezed(6, longest=3), squeezed(3, longest=5)
    (array([0, 0, 1, 1, 2, 2]), array([0, 1, 2]))
    """
    return np.arange(n) * min(n, longest) // n


def thinned(n: int, n_seen: int = TRAINED - 1) -> Bool[np.ndarray, "query key"]:
    """Who may see whom: each word itself, its left neighbour, and others at any distance, `n_seen` in all.

    >>> thinned(6, n_seen=3).sum(axis=1)
    array([3, 3, 3, 3, 3, 3])
    """
    draws = np.random.default_rng(n).random((n, n))
    draws[np.arange(n), np.arange(n)] = draws[np.arange(1, n), np.arange(n - 1)] = -1.0
    return draws.argsort(axis=1).argsort(axis=1) < n_seen  # the first `n_seen` that are drawn


@dataclass(frozen=True)
class PartlySlowedRotary(Rotary):
    """RoPE with some of its frequencies, by their number, divided by `factor`."""

    slowed: tuple[int, ...] = ()
    factor: float = LONG / TRAINED

    def rotate(self, query_or_key: Array, positions: Array, tables: PositionTables) -> Array:
        omega = frequencies(query_or_key.shape[-1], base=self.base)
        is_slowed = np.isin(np.arange(len(omega)), self.slowed)
        return turn_pairs(
            query_or_key, positions, np.where(is_slowed, omega / self.factor, omega), pairing=self.pairing
        )


def is_right(
    model: Model, batch: Batch, positions: Int64[np.ndarray, " position"], mask: Any = None
) -> Bool[np.ndarray, "text row"]:
    """Which answers are right. A row that is not asked counts as wrong."""
    parts = [
        unembed(encode(tokens, *model, positions=positions, mask=mask), model.parameters)
        for tokens in np.array_split(batch.tokens.numpy(), 10)
    ]
    guesses = answers(torch.from_numpy(np.concatenate(parts)), batch.targets).argmax(dim=-1)
    return (guesses == batch.targets).numpy()


def accuracy(model: Model, task: str, n: int, *, positions: Any = None, mask: Any = None) -> float:
    """The share of right answers in texts of n words, which stand at 0 … n − 1 if no positions are given."""
    batch = TASKS[task].draw_test(np.random.default_rng(n), N_TEXTS, n)
    right = is_right(model, batch, np.arange(n) if positions is None else positions, mask)
    return float(right[(batch.targets != IGNORED).numpy()].mean())


def with_slow_hands(model: Model, *slowed: int) -> Model:
    """The same parameters, with some of RoPE's frequencies divided. Raises ValueError: another scheme than RoPE."""
    rotary = model.config.position
    if not isinstance(rotary, Rotary):
        raise ValueError(f"expected a model with rotary positions, got {rotary}")
    position = PartlySlowedRotary(rotary.base, rotary.pairing, slowed=slowed)
    return Model(model.parameters, replace(model.config, position=position))


CHANGES: dict[str, Callable[[Model, str], float]] = {
    "at 20 words": lambda model, task: accuracy(model, task, TRAINED),
    "at 60 words": lambda model, task: accuracy(model, task, LONG),
    "squeezed": lambda model, task: accuracy(model, task, LONG, positions=squeezed(LONG)),
    "thinned": lambda model, task: accuracy(model, task, LONG, mask=thinned(LONG)),
    "second hand slowed": lambda model, task: accuracy(with_slow_hands(model, 1), task, LONG),
    "others slowed": lambda model, task: accuracy(with_slow_hands(model, 0, 2, 3), task, LONG),
}
TRIED = {
    ("which-first", "learned"): ["squeezed"],
    ("which-first", "sinusoidal"): ["squeezed"],
    ("which-first", "t5"): ["squeezed"],
    ("which-first", "rotary"): ["squeezed", "second hand slowed", "others slowed"],
    ("last-token", "rotary"): ["second hand slowed", "others slowed"],
    ("copy-left", "rotary"): ["squeezed"],
    ("copy-left", "t5-16"): ["thinned"],
}


def pairs_across(model: Model, gap: int) -> float:
    """Of the pairs with one word in either half of 20, `gap` positions between the halves: the share that is right."""
    words = np.arange(TRAINED)
    batch = WHICH_FIRST.draw_test(np.random.default_rng(TRAINED), N_TEXTS, TRAINED)
    right = is_right(model, batch, words + gap * (words >= TRAINED // 2))[:, 0]
    first, second = ((batch.tokens.numpy() == WHICH_FIRST.n_fillers + k).argmax(axis=1) for k in (0, 1))
    return float(right[(first < TRAINED // 2) != (second < TRAINED // 2)].mean())


def tipping_gap(shares: Float[np.ndarray, " gap"]) -> int:
    """The first gap at which fewer than half of the pairs across it are right. Raises ValueError: there is none.

    >>> tipping_gap(np.array([1.0, 0.7, 0.4, 0.6]))
    2
    """
    (below,) = np.nonzero(shares < 0.5)
    if not len(below):
        raise ValueError(f"expected a share below one half, got {shares.min()} at the least")
    return int(below[0])


def right_at_ends(model: Model) -> float:
    """What which-first gets right where the marked words are the first and the last, and the words stand at `ENDS`."""
    rng = np.random.default_rng(0)
    texts = rng.integers(WHICH_FIRST.n_fillers, size=(N_TEXTS, len(ENDS)))
    marked = np.tile([WHICH_FIRST.n_fillers, WHICH_FIRST.n_fillers + 1], (N_TEXTS, 1))
    texts[:, [0, -1]] = rng.permuted(marked, axis=1)
    votes = unembed(encode(texts, *model, positions=ENDS), model.parameters).mean(axis=1)  # (text, answer)
    return float((votes.argmax(axis=-1) == (texts[:, 0] == WHICH_FIRST.n_fillers)).mean())


def measure_changes() -> dict[str, Any]:
    results = {}
    for (task, scheme), tried in TRIED.items():
        models = [train_model(Setting(task, scheme, seed)) for seed in SEEDS]
        names = ["at 20 words", "at 60 words", *tried]
        results[f"{task}, {scheme}"] = {name: [CHANGES[name](model, task) for model in models] for name in names}
        print(task, scheme, flush=True)
    return results


def measure_the_vote() -> list[dict[str, Any]]:
    results = []
    for base in BASES:
        models = [train_model(Setting("which-first", Rotary(base), seed)) for seed in SEEDS]
        across = np.array([[pairs_across(model, gap) for gap in GAPS] for model in models])  # (seed, gap)
        result = {"base": base, "across": across, "tips at": [tipping_gap(shares) for shares in across]}
        if base == BASES[0]:  # half a turn of its second hand is 31.4 positions
            result["ends"] = [right_at_ends(model) for model in models]
        results.append(result)
    return results


def measure_two_layers() -> dict[str, Any]:
    tasks = ("which-first", "copy-left", "last-token")
    return {
        task: [accuracy(train_model(Setting(task, "shaw", seed, n_layers=2)), task, LONG) for seed in SEEDS]
        for task in tasks
    }


PARTS: dict[str, Callable[[], Any]] = {
    "changes": measure_changes,
    "the_vote": measure_the_vote,
    "two_layers": measure_two_layers,
}


def main() -> None:
    command = "python -m studies.longer_texts"
    for name in chosen_parts(command, (__doc__ or "").partition("\n")[0], PARTS):
        part = plain({"provenance": provenance(command), "results": PARTS[name]()}, 4)
        store_parts(FOLDER / RESULTS, {name: part}, PARTS)
        print(f"stored {name}", flush=True)


if __name__ == "__main__":
    main()
