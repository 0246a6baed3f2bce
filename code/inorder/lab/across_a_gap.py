"""Whose distances reverse a pair of words across a gap in the positions, under RoPE, and how wide a gap it takes.

    python -m inorder.lab.across_a_gap             trains, measures and stores all, with provenance, in inorder/stored
    python -m inorder.lab.across_a_gap tipping     this part alone

A gap moves the words that come after it and adds none: 20 words, ten of them 40 positions farther on, have distances
that training never met, and no more keys than ever. The models are those of the sweep (`inorder.lab.runs`) with rotary
positions, trained on texts of 5 to 20 tokens. Nothing is trained again. The parts:

- `frequencies`: which-first and last-token with gaps of 40, of 10 and of 63, a full turn of ω = 0.1; and in texts of 60
  words. Then one frequency alone turns by the moved positions, or is slowed down; then all others do.
- `distances`: which-first, with 40 positions added to some of the distances across a gap and not to the others; and
  two marked words that are more than half a turn of ω = 0.1 apart, with all other words less than that from either.
- `tipping`: the gap at which half of the pairs across it are right, for three bases of the frequencies. The middles of
  the two halves are half a turn of ω apart at a gap of π/ω − n/2.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from einops import rearrange
from jaxtyping import Bool, Float, Int64

from inorder._arrays import Array, expect, expect_count, expect_positive
from inorder.encodings import frequencies, relative_positions, turn_pairs
from inorder.encodings.waves import columns_of
from inorder.lab.longer_than_trained import FACTOR, N_SEQUENCES, TRAINED, right, with_position
from inorder.lab.provenance import provenance
from inorder.lab.records import chosen_parts, plain, store_parts
from inorder.lab.runs import Setting, train_model
from inorder.lab.tasks import WhichFirst
from inorder.lab.training import answers
from inorder.stored import FOLDER
from inorder.transformer import Model, Rotary, encode, unembed
from inorder.transformer.schemes import PositionTables

RESULTS = "across_a_gap.json"
TASK = WhichFirst()
LONG = 60  # words, three times as many as in training
GAP, SHORT_GAP, FULL_TURN = 40, 10, 63  # positions: more than half a turn of ω = 0.1, less, and a whole one
SECOND = 1  # of the frequencies 1, 0.1, 0.01 and 0.001
NEAR = 10  # words less than this apart are near
ENDS = np.array([0, *range(11, 29), 40])  # where the first word stands, all others, and the last
SEEDS, FEWER_SEEDS = (0, 1, 2, 3, 4), (0, 1, 2)
BASES = {10_000.0: SEEDS, 3_000.0: SEEDS, 30_000.0: tuple(range(10))}  # the last strays further
HALVES, UNEVEN = (20, 10), (5, 15)  # words in texts that the gap halves; words before a gap in a text of 20


@dataclass(frozen=True)
class PartlyMovedRotary(Rotary):
    """RoPE with a gap for some frequencies alone: for the others, positions from `start` on are `gap` smaller.

    pair j of a row at position p turns by p ω_j if j is in `moved`, and otherwise by (p − gap · [p ≥ start]) ω_j
    """

    moved: tuple[int, ...] = ()
    start: int = TRAINED // 2 + GAP
    gap: int = GAP

    def rotate(self, query_or_key: Array, positions: Array, tables: PositionTables) -> Array:
        omega = frequencies(query_or_key.shape[-1], base=self.base)
        moves = _among(self.moved, len(omega))
        near = positions - self.gap * (positions >= self.start)
        turned = turn_pairs(query_or_key, near, omega * ~moves, pairing=self.pairing)
        return turn_pairs(turned, positions, omega * moves, pairing=self.pairing)


@dataclass(frozen=True)
class PartlySlowedRotary(Rotary):
    """RoPE with some frequencies divided by `factor`, as `interpolated_frequencies` divides all: ω_j → ω_j / factor."""

    slowed: tuple[int, ...] = ()
    factor: float = FACTOR

    def rotate(self, query_or_key: Array, positions: Array, tables: PositionTables) -> Array:
        omega = frequencies(query_or_key.shape[-1], base=self.base)
        slow = np.where(_among(self.slowed, len(omega)), omega / self.factor, omega)
        return turn_pairs(query_or_key, positions, slow, pairing=self.pairing)


def _among(chosen: Iterable[int], n_frequencies: int) -> Bool[np.ndarray, " frequency"]:
    return np.isin(np.arange(n_frequencies), list(chosen))


@dataclass(frozen=True, eq=False)
class ShiftedRotary(Rotary):
    """RoPE with distances of your choice: that from query a to key b becomes p_b − p_a + shift_ab.

        score of a and b = Re Σ_j conj(q_aj) k_bj e^(i ω_j (p_b − p_a + shift_ab)) / √d_head

    Pair j of a row is read as a complex number, as in `turn_pairs`. A `shift` of 0 is RoPE itself. One of shape
    (query, key) serves all texts; one of shape (text, query, key) gives each text of a batch its own.
    """

    shift: Any = 0

    def rotate(self, query_or_key: Array, positions: Array, tables: PositionTables) -> Array:
        return query_or_key

    def bias(
        self, query: Array, key: Array, query_positions: Array, key_positions: Array, tables: PositionTables
    ) -> Array:
        """What RoPE makes of the scores, less the scores without it: (text, head, query, key)."""
        d_head, shift = query.shape[-1], np.asarray(self.shift)
        distances = relative_positions(query_positions, key_positions) + (shift[:, None] if shift.ndim == 3 else shift)
        pattern = f"... position {columns_of('pairing', self.pairing)} -> pair ... position frequency"
        q, k = (real + 1j * imaginary for real, imaginary in (rearrange(x, pattern, pair=2) for x in (query, key)))
        turned = sum(
            (q.conj()[..., :, None, j] * k[..., None, :, j] * np.exp(1j * omega * distances)).real
            for j, omega in enumerate(frequencies(d_head, base=self.base))
        )
        return (turned - query @ key.swapaxes(-1, -2)) / np.sqrt(d_head)


def gap_positions(n: int, gap: int, left: int | None = None) -> Int64[np.ndarray, " position"]:
    """Where n words stand if all but the first `left` of them, half of all if not given, are `gap` positions farther.

    Raises ValueError: an n that is not a positive whole number.

    >>> gap_positions(6, 40), gap_positions(4, 10, left=1)
    (array([ 0,  1,  2, 43, 44, 45]), array([ 0, 11, 12, 13]))
    """
    expect_count("n", n)
    return np.arange(n) + gap * (np.arange(n) >= (n // 2 if left is None else left))


def half_turn_gap(omega: float, n: int) -> float:
    """The gap, π/ω − n/2, at which the middles of the halves of n words are half a turn of ω apart.

    Raises ValueError: an omega that is not a positive number.

    >>> round(half_turn_gap(0.1, 20), 1), round(half_turn_gap(0.1, 10), 1)
    (21.4, 26.4)
    """
    expect_positive("omega", omega)
    return np.pi / omega - n / 2


class PairAnswers(NamedTuple):
    """At which-first, of each text: whether the answer is right, and which words are A and B, counted from 0."""

    is_right: Bool[np.ndarray, " text"]
    a: Int64[np.ndarray, " text"]
    b: Int64[np.ndarray, " text"]

    def are_across(self, left: int) -> Bool[np.ndarray, " text"]:
        """Of which texts one of the two words is among the first `left`, and the other is not."""
        return (self.a >= left) != (self.b >= left)


def pair_answers(model: Model, positions: Int64[np.ndarray, " position"]) -> PairAnswers:
    """The answers of a model to which-first, on the texts of `longer_than_trained.right`, at these positions.

    Raises ValueError: as `inorder.transformer.encode`.
    """
    n = len(positions)
    batch = TASK.draw_test(np.random.default_rng(n), N_SEQUENCES, n)
    tokens = batch.tokens.numpy()
    logits = torch.from_numpy(unembed(encode(tokens, *model, positions=positions), model.parameters))
    is_right = answers(logits, batch.targets).argmax(dim=-1) == batch.targets  # (text, 1)
    a, b = ((tokens == TASK.n_fillers + k).argmax(axis=1) for k in (0, 1))
    return PairAnswers(is_right.numpy()[:, 0], a, b)


def share_across_gap(model: Model, n: int, gap: int, left: int | None = None) -> float:
    """Of the pairs with one word on either side of a gap, the share that which-first gets right; n and left as above.

    Raises ValueError: a gap that no pair is across.
    """
    found = pair_answers(model, gap_positions(n, gap, left))
    across = found.are_across(n // 2 if left is None else left)
    expect(across.any(), f"a gap inside a text of {n} words", f"one after word {left}")
    return float(found.is_right[across].mean())


def tipping_gap(model: Model, n: int, left: int | None = None, *, gaps: Iterable[int] = range(100)) -> float:
    """The first gap at which half of the pairs across it are right, interpolated between these gaps, which must rise.

    Raises ValueError: at the first of the gaps fewer than half are right already; at none of them are they fewer.
    """
    before: tuple[int, float] | None = None
    for gap in gaps:
        share = share_across_gap(model, n, gap, left)
        if share < 0.5:
            expect(before is not None, "half of the pairs right at the first gap", f"{share:.2f} at {gap}")
            (last, above) = before or (gap, share)
            return float(np.interp(0.5, (share, above), (gap, last)))
        before = gap, share
    raise ValueError(f"expected gaps at which fewer than half of the pairs are right, got none up to {before}")


def distance_groups(
    a: Int64[np.ndarray, " text"], b: Int64[np.ndarray, " text"], n: int
) -> dict[str, Bool[np.ndarray, "text query key"]]:
    """Which distances of n words are all, which are within the pair of words a and b, which lead from others to it.

    >>> {name: int(which.sum()) for name, which in distance_groups(np.array([0]), np.array([2]), 4).items()}
    {'all': 16, 'of the pair': 4, 'all but of the pair': 12, 'to the pair': 4, 'all but to the pair': 12}
    """
    pair = np.equal.outer(a, np.arange(n)) | np.equal.outer(b, np.arange(n))  # (text, word)
    of_the_pair, to_the_pair = pair[:, :, None] & pair[:, None], ~pair[:, :, None] & pair[:, None]
    return {
        "all": np.ones_like(of_the_pair),
        "of the pair": of_the_pair,
        "all but of the pair": ~of_the_pair,
        "to the pair": to_the_pair,
        "all but to the pair": ~to_the_pair,
    }


def share_right_at_ends(model: Model, positions: Int64[np.ndarray, " position"]) -> float:
    """What which-first gets right where the first and the last word are A and B, in random order, at these positions.

    Raises ValueError: as `inorder.transformer.encode`.
    """
    rng = np.random.default_rng(0)
    texts = rng.integers(TASK.n_fillers, size=(N_SEQUENCES, len(positions)))
    marked = np.tile([TASK.n_fillers, TASK.n_fillers + 1], (N_SEQUENCES, 1))
    texts[:, [0, -1]] = rng.permuted(marked, axis=1)
    votes = unembed(encode(texts, *model, positions=positions), model.parameters).mean(axis=1)  # (text, answer)
    return float((votes.argmax(axis=-1) == (texts[:, 0] == TASK.n_fillers)).mean())


def measure_frequencies(model: Model, task: str, chosen: int = SECOND) -> dict[str, float]:
    """The accuracy with and without a gap; for one frequency alone, the chosen one, and for all others alone.

    Raises ValueError: a model with other positions than plain RoPE.
    """
    rotary, n_frequencies = _rotary(model), len(_omega(model))
    others = tuple(j for j in range(n_frequencies) if j != chosen)
    words = TRAINED

    def with_gap(each: Model, gap: int, n: int = words) -> float:
        return right(each, task, n, places=lambda n: gap_positions(n, gap))

    results = {
        f"{words} words, gap {GAP}": with_gap(model, GAP),
        f"{words} words, gap {SHORT_GAP}": with_gap(model, SHORT_GAP),
        f"{words} words, gap {FULL_TURN}": with_gap(model, FULL_TURN),
        f"{words // 2} words, gap {SHORT_GAP}": with_gap(model, SHORT_GAP, words // 2),
        f"{LONG} words": right(model, task, LONG),
    }
    for name, which in (("one", (chosen,)), ("others", others)):
        moved = PartlyMovedRotary(rotary.base, rotary.pairing, moved=which)
        slowed = PartlySlowedRotary(rotary.base, rotary.pairing, slowed=which)
        results[f"{words} words, gap {GAP}, {name}"] = with_gap(with_position(model, moved), GAP)
        results[f"{LONG} words, {name} slowed"] = right(with_position(model, slowed), task, LONG)
    return results


def measure_pairs(model: Model) -> dict[str, float]:
    """What which-first gets right of pairs across a gap in 20 words, of the others, and of near pairs in 60 words."""
    long = pair_answers(model, np.arange(LONG))
    results = {f"{LONG} words, near": float(long.is_right[abs(long.a - long.b) < NEAR].mean())}
    for gap in (GAP, SHORT_GAP):
        found = pair_answers(model, gap_positions(TRAINED, gap))
        across = found.are_across(TRAINED // 2)
        results[f"gap {gap}, across"] = float(found.is_right[across].mean())
        results[f"gap {gap}, one side"] = float(found.is_right[~across].mean())
    return results


def measure_distances(model: Model) -> dict[str, float]:
    """What which-first gets right of pairs across a gap that is there for some distances alone; and `ENDS`.

    Raises ValueError: a model with other positions than plain RoPE.
    """
    rotary, words = _rotary(model), np.arange(TRAINED)
    places = gap_positions(TRAINED, GAP)
    shift = relative_positions(places, places) - relative_positions(words, words)  # (query, key)
    plain_answers = pair_answers(model, words)
    across = plain_answers.are_across(TRAINED // 2)
    results = {}
    for name, which in distance_groups(plain_answers.a, plain_answers.b, TRAINED).items():
        shifted = ShiftedRotary(rotary.base, rotary.pairing, shift=which * shift)
        found = pair_answers(with_position(model, shifted), words)
        results[name] = float(found.is_right[across].mean())
    return results | {"ends": share_right_at_ends(model, ENDS)}


def _rotary(model: Model) -> Rotary:
    """Its scheme. A subclass of `Rotary` turns otherwise, and the schemes of this module would not do so."""
    position = model.config.scheme
    if type(position) is not Rotary:
        raise ValueError(f"expected a model with plain rotary positions, got {position}")
    return position


def _omega(model: Model) -> Float[np.ndarray, " frequency"]:
    return frequencies(model.config.d_model // model.config.n_heads, base=_rotary(model).base)


def _part_frequencies() -> dict[str, Any]:
    results: dict[str, list[dict[str, float]]] = {"which-first": [], "last-token": []}
    for task, models in results.items():
        for seed in FEWER_SEEDS:
            model = train_model(Setting(task, "rotary", seed))
            models.append(measure_frequencies(model, task) | (measure_pairs(model) if task == "which-first" else {}))
    return {"seeds": FEWER_SEEDS, "tasks": {task: _by_name(models) for task, models in results.items()}}


def _part_distances() -> dict[str, Any]:
    models = (train_model(Setting("which-first", "rotary", seed)) for seed in SEEDS)
    return {"seeds": SEEDS, **_by_name([measure_distances(model) for model in models])}


def _part_tipping() -> list[dict[str, Any]]:
    results = []
    for base, seeds in BASES.items():
        models = [train_model(Setting("which-first", Rotary(base), seed)) for seed in seeds]
        omega = float(_omega(models[0])[SECOND])
        cuts = [(n, n // 2) for n in HALVES]
        cuts += [(TRAINED, left) for left in UNEVEN if base == Rotary().base]
        results += [
            {
                "base": base,
                "words": n,
                "before the gap": left,
                "half a turn": half_turn_gap(omega, n),
                "seeds": seeds,
                "gap": [tipping_gap(model, n, left) for model in models],
            }
            for n, left in cuts
        ]
    return results


def _by_name(models: list[dict[str, float]]) -> dict[str, list[float]]:
    """The numbers of each model, a list of them for each name."""
    return {name: [model[name] for model in models] for name in models[0]}


PARTS: dict[str, Callable[[], Any]] = {
    "frequencies": _part_frequencies,
    "distances": _part_distances,
    "tipping": _part_tipping,
}


def main() -> None:
    command = "python -m inorder.lab.across_a_gap"
    for name in chosen_parts(command, (__doc__ or "").partition("\n")[0], PARTS):
        part = plain({"provenance": provenance(command), "results": PARTS[name]()}, 4)
        store_parts(FOLDER / RESULTS, {name: part}, PARTS)
        print(f"stored {name}", flush=True)


if __name__ == "__main__":
    main()
