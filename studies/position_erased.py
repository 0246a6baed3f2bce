"""Position erased from the rows of two real models: is it missed, and does it come back?

    python -m studies.position_erased        measures and stores, with provenance, in inorder/stored

LEACE [1] is the affine map that gives the rows of all positions one mean and moves them least; no linear reader then
finds the position. Ours is fitted to prose, after some number of layers, and applied to other texts there.

- `two_orders`: all-MiniLM-L6-v2 reads pairs of sentences, the same words in two orders. How much of the distance of
  their vectors is left, with position erased from the words' rows, or as many directions that mean nothing?
- `returns`: position erased from SmolLM2-135M after 8 layers. Does a probe find it 4 layers later, with the causal
  mask and the rotations there, with one of the two, with neither?

[1] Belrose et al. 2023, LEACE: Perfect linear concept erasure in closed form, https://arxiv.org/abs/2306.03819
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Integer

from inorder.attention import causal_mask
from inorder.lab.probes import position_accuracy
from inorder.lab.provenance import provenance
from inorder.lab.records import plain, store_parts
from inorder.pretrained import decoder, encoder
from inorder.stored import FOLDER, stored
from inorder.transformer import Model, block, embed
from studies.trained_encoder import windows
from studies.two_sources import FRAMES

Rows = Float[np.ndarray, "text position d_model"]

N_LAYERS, N_PIECES = 6, 400  # of the encoder; pieces of prose for each length of sentence
N_TRAIN, N_TEST = 80, 24  # longer pieces, of 32 tokens, for the probe of the untouched encoder
FROM, TO, N_POSITIONS, N_FITTED, N_TESTED = 8, 12, 24, 150, 40  # of the decoder
CARRIERS = {
    "mask and rotations": (True, True),
    "mask": (True, False),
    "rotations": (False, True),
    "neither": (False,) * 2,
}
ROUNDING = 1e-10  # relative to the largest: what is smaller counts as 0
OTHER_SENTENCES = (  # each the same words in two orders
    ("the dog bites the man", "the man bites the dog"),
    ("alice loves bob but bob loves carol", "bob loves alice but carol loves bob"),
    ("only she said that he lied", "she said that only he lied"),
    ("the cat chased the mouse that ate the cheese", "the mouse chased the cat that ate the cheese"),
    ("we eat to live and do not live to eat", "we live to eat and do not eat to live"),
    ("france beat brazil after italy beat spain", "brazil beat france after spain beat italy"),
    ("is this the house that jack built", "this is the house that jack built"),
    (
        "the animal did not cross the street because it was too tired",
        "street too the was because tired animal it not the cross did",
    ),
)


def text_windows(
    text: str, lm: decoder.LanguageModel, n_tokens: int, n_windows: int
) -> Integer[np.ndarray, "window position"]:
    """Pieces of a text as the decoder reads it, at even distances; they overlap if the text is short."""
    ids = decoder.tokenize(text, lm).ids
    starts = np.linspace(0, len(ids) - n_tokens, n_windows).astype(int)
    return ids[starts[:, None] + np.arange(n_tokens)]


class Eraser(NamedTuple):
    """r(x) = x − (x − mean) reader writer."""

    mean: Float[np.ndarray, " d"]
    reader: Float[np.ndarray, "d rank"]
    writer: Float[np.ndarray, "rank d"]

    def erase(self, rows: Float[np.ndarray, "*batch d"]) -> Float[np.ndarray, "*batch d"]:
        """In float64, and back in the dtype of the rows."""
        return (rows - (rows - self.mean) @ self.reader @ self.writer).astype(rows.dtype)


def fit_eraser(rows: Rows, permuted: int | None = None) -> Eraser:
    """LEACE for the position: r(x) = x − (x − μ) W Uᵀ U W⁺, with W = Σ^(−1/2).

    Σ is the covariance of all rows, μ their mean, and the rows of U an orthonormal basis of what the positions' means
    are after W, less the mean. Directions in which no row varies stay as they are.

    permuted: a seed; the rows of each text are first permuted, so that as many directions go, and none says a position.
    """
    if permuted is not None:
        places = np.tile(np.arange(rows.shape[1]), (len(rows), 1))
        order = np.random.default_rng(permuted).permuted(places, axis=1)  # (text, position)
        rows = np.take_along_axis(rows, order[..., None], axis=1)
    rows = rows.astype(np.float64)
    mean = rows.mean(axis=(0, 1))
    centred = rows - mean
    flat = centred.reshape(-1, len(mean))
    variances, axes = np.linalg.eigh(flat.T @ flat / len(flat))
    varying = variances > ROUNDING * variances.max()
    deviations, axes = np.sqrt(variances[varying]), axes[:, varying]  # (axis,), (d, axis)
    _, sizes, directions = np.linalg.svd(centred.mean(axis=0) @ axes / deviations, full_matrices=False)
    directions = directions[sizes > ROUNDING * max(sizes.max(), 1.0)]  # (rank, axis), orthonormal
    return Eraser(mean, axes / deviations @ directions.T, directions * deviations @ axes.T)


# The encoder


def listed_pairs() -> dict[str, list[tuple[str, str]]]:
    """Every two words of three lists, in both orders, in a frame that the list goes with; and pairs of several kinds.

    >>> {name: len(pairs) for name, pairs in listed_pairs().items()}
    {'cities': 55, 'names': 45, 'animals': 55, 'other sentences': 8}
    """
    lists = {
        name: [
            (frame.text.format(a=one, b=other), frame.text.format(a=other, b=one))
            for one, other in combinations(frame.words, 2)
        ]
        for name, frame in FRAMES.items()
    }
    return lists | {"other sentences": list(OTHER_SENTENCES)}


def run(x: Rows, model: Model, first: int, last: int, mask: Any = None) -> Iterator[Rows]:
    """The rows that enter layer `first`, and those that leave each layer, up to the one before `last`."""
    parameters, config = model
    yield x
    for p in parameters.blocks[first:last]:
        positions = np.arange(x.shape[1])
        x = block(x, p, config, positions=positions, mask=mask, tables=parameters.position).hidden
        yield x


def embedded(ids: Integer[np.ndarray, "text position"], model: Model) -> Rows:
    return embed(ids, *model, positions=np.arange(ids.shape[1]))


def sentence_rows(texts: list[str], pretrained: encoder.Pretrained) -> dict[int, tuple[list[int], Rows]]:
    """By the number of tokens: which texts have it, and the rows that enter layer 0."""
    ids = [encoder.tokenize(text, pretrained).ids[0] for text in texts]
    lengths = {len(each) for each in ids}
    which = {n: [i for i, each in enumerate(ids) if len(each) == n] for n in sorted(lengths)}
    return {n: (chosen, embedded(np.array([ids[i] for i in chosen]), pretrained.model)) for n, chosen in which.items()}


def two_orders(alice: str) -> dict[str, Any]:
    """1 − cosine of the two vectors of each pair: untouched, and with rows changed after 0 to 6 layers, (state, pair).

    The rows of [CLS] and [SEP] stay. And how often a probe finds the position in the untouched model, by state.
    """
    pretrained, inner = encoder.load(), slice(1, -1)
    model, lists = pretrained.model, listed_pairs()
    texts = [text for pairs in lists.values() for pair in pairs for text in pair]
    states = range(N_LAYERS + 1)
    vectors = {"untouched": np.zeros((1, len(texts), model.config.d_model))}
    vectors |= {name: np.zeros((len(states), *vectors["untouched"].shape[1:])) for name in ("position", "others")}
    for n, (chosen, x) in sentence_rows(texts, pretrained).items():
        prose = list(run(embedded(windows(alice, pretrained, n - 2, N_PIECES).ids, model), model, 0, N_LAYERS))
        rows = list(run(x, model, 0, N_LAYERS))
        vectors["untouched"][0, chosen] = rows[-1].mean(axis=1)
        for state in states:
            for name, permuted in (("position", None), ("others", 0)):
                changed = rows[state].copy()
                changed[:, inner] = fit_eraser(prose[state][:, inner], permuted).erase(changed[:, inner])
                vectors[name][state, chosen] = list(run(changed, model, state, N_LAYERS))[-1].mean(axis=1)
    results: dict[str, Any] = {name: {} for name in vectors}
    for name, of_texts in vectors.items():
        unit = of_texts / np.linalg.norm(of_texts, axis=-1, keepdims=True)
        distances = 1 - (unit[:, ::2] * unit[:, 1::2]).sum(axis=-1)  # (state, pair)
        ends = np.cumsum([len(pairs) for pairs in lists.values()])[:-1]
        results[name] = dict(zip(lists, np.split(distances, ends, axis=1), strict=True))
    whole = list(run(embedded(windows(alice, pretrained, 32, N_TRAIN + N_TEST).ids, model), model, 0, N_LAYERS))
    halves = ((rows[:N_TRAIN, inner], rows[N_TRAIN:, inner]) for rows in whole)
    return results | {"probe": [position_accuracy(*pair) for pair in halves]}


# The decoder


def returns(alice: str) -> dict[str, Any]:
    """How often a probe finds the position after 8 layers and the 4 that follow, untouched and erased, by carrier.

    The first row, which all others look at, stays.
    """
    lm = decoder.load()
    parameters, config = lm.model
    half, inner = alice.index("\n", len(alice) // 2), slice(1, None)
    texts = ((alice[:half], N_FITTED), (alice[half:], N_TESTED))  # to fit on, to test on
    mask = causal_mask(N_POSITIONS + 1)
    entering = []
    for text, n in texts:
        x = embedded(text_windows(text, lm, N_POSITIONS + 1, n), lm.model)
        entering.append(list(run(x, lm.model, 0, FROM, mask))[-1])
    eraser = fit_eraser(entering[0][:, inner])
    erased = [x.copy() for x in entering]
    for x in erased:
        x[:, inner] = eraser.erase(x[:, inner])
    results: dict[str, Any] = {}
    for what, pair in (("untouched", entering), ("erased", erased)):
        results[what] = {}
        for carrier, (masked, rotated) in CARRIERS.items():
            model = Model(parameters, config if rotated else replace(config, position="none"))
            streams = (run(x, model, FROM, TO, mask if masked else None) for x in pair)
            accuracies = [position_accuracy(a[:, inner], b[:, inner]) for a, b in zip(*streams, strict=True)]
            results[what][carrier] = accuracies
    return results


def main() -> None:
    alice = stored("alice.txt").read_text(encoding="utf8")
    made = provenance(
        "python -m studies.position_erased",
        ["numpy", "scikit-learn"],
        encoder=f"{encoder.HUB}, SHA-256 {encoder.SHA256}",
        decoder=f"{decoder.NAME}, SHA-256 {decoder.SHA256}",
    )
    for name, measure in {"two orders": two_orders, "returns": returns}.items():
        parts = {"provenance": made, name: plain(measure(alice), 4)}
        store_parts(FOLDER / "position_erased.json", parts, ["provenance", "two orders", "returns"])


if __name__ == "__main__":
    main()
