"""What is measured: position in untrained encoders, erased from small trained ones, and in two real models."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Integer

from inorder._arrays import Array, expect
from inorder.attention import causal_mask
from inorder.lab.erasure import Eraser, erase, fit_eraser
from inorder.lab.position_by_layer import LEARNED, N_TOKENS, TASK, VOCABULARY, probe_texts
from inorder.lab.position_in_depth.own_part import own_part
from inorder.lab.position_in_depth.stream import Change, Rows, erasing, fit_erasers, run_stream, shares
from inorder.lab.probes import fit_probe, hidden_states, place_labels, probe_accuracy
from inorder.lab.trained_decoder.order import target_losses
from inorder.lab.trained_decoder.probes import untrained as untrained_decoder
from inorder.lab.trained_decoder.texts import text_windows
from inorder.lab.trained_decoder.word_pairs import FRAMES
from inorder.lab.trained_encoder.texts import PAIRS, windows
from inorder.lab.training import as_numpy, train
from inorder.pretrained import decoder, encoder
from inorder.transformer import Model, TransformerConfig, block, embed, fresh_model, map_parameters, unembed
from inorder.transformer.layers import normalise

SIZES: dict[str, Any] = {"vocabulary_size": VOCABULARY, "d_model": 32, "n_heads": 4, "d_ff": 64, "activation": "relu"}
NORMS = ("post", "pre")
PLACES = np.arange(N_TOKENS)

# Untrained models

DEPTH = 24
SCHEMES = {"learned": LEARNED, "sinusoids": "sinusoidal", "rotary": "rotary", "none": "none"}
SMALL = 0.02  # the deviation of every weight in the start of BERT and of GPT-2


class Depth(NamedTuple):
    """By state, from the input to the last layer."""

    exact: list[float]  # the accuracy of the position probe
    near: list[float]  # the same, within one
    own: list[float]


def by_depth(model: Model) -> Depth:
    """The position probe and the own part at the input and after each layer.

    >>> by_depth(fresh_model(0, n_layers=1, **SIZES)).exact
    [0.0625, 0.0625]
    """
    fitted_on, tested_on = (hidden_states(texts, *model, positions=PLACES) for texts in probe_texts())
    exact, near = zip(*(probe(*pair) for pair in zip(fitted_on, tested_on, strict=True)), strict=True)
    return Depth(list(exact), list(near), [own_part(rows) for rows in tested_on])


def probe(fitted_on: Rows, tested_on: Rows) -> tuple[float, float]:
    """The accuracy of a position probe, exact and within one.

    >>> rows = np.eye(4, 6) + 0.01 * np.random.default_rng(0).normal(size=(20, 4, 6))
    >>> probe(rows[:10], rows[10:])
    (1.0, 1.0)
    """
    labels, reader = place_labels(tested_on), fit_probe(fitted_on, place_labels(fitted_on))
    exact, near = (probe_accuracy(reader, tested_on, labels, within=within) for within in (0, 1))
    return exact, near


def without_queries(model: Model) -> Model:
    """All queries 0: every row weighs all rows equally."""
    parameters, config = model
    blocks = []
    for p in parameters.blocks:
        attention = p.attention._replace(w_query=0 * p.attention.w_query)
        blocks.append(p._replace(attention=attention))
    return Model(parameters._replace(blocks=tuple(blocks)), config)


def small_start(model: Model) -> Model:
    """The same model, each of its matrices and tables scaled to a deviation of 0.02."""

    def rescale(w: Array) -> Array:
        return w if w.ndim == 1 else w * (SMALL / w.std())

    return Model(map_parameters(rescale, model.parameters), model.config)


def depths(seeds: Sequence[int] = (0, 1, 2)) -> dict[str, Any]:
    """Every combination of norm, positions, residual and queries; and another start, with the residual."""
    results: dict[str, Any] = {}
    for norm in NORMS:
        for name, position in SCHEMES.items():
            for residual in (True, False):
                settings = SIZES | {"position": position, "norm": norm, "residual": float(residual), "n_layers": DEPTH}
                models = [fresh_model(seed, **settings) for seed in seeds]
                ways = {"queries": models, "no queries": [without_queries(model) for model in models]}
                if residual:
                    ways["small start"] = [small_start(model) for model in models]
                for way, chosen in ways.items():
                    key = f"{name}, {norm}, {'residual' if residual else 'no residual'}, {way}"
                    results[key] = [by_depth(model)._asdict() for model in chosen]
    return {"n_layers": DEPTH, "n_positions": N_TOKENS, "seeds": seeds, "models": results}


# Small models that learned to name the token to the left

N_STEPS, LAYERS = 300, 3
ERASED = {"nothing": (), **{f"state {k}": (k,) for k in range(LAYERS + 1)}, "every state from 1": (1, 2, 3)}


def train_small(position: Any, norm: str, seed: int, n_steps: int = N_STEPS) -> Model:
    """An encoder of three layers that learned to name the token to the left of each token."""
    config = fresh_model(seed, position=position, norm=norm, n_layers=LAYERS, **SIZES).config
    run: dict[str, Any] = {"n_steps": n_steps, "lengths": [N_TOKENS], "batch_size": 32}
    return Model(as_numpy(train(config, TASK, seed=seed, **run).parameters), config)


def erased(model: Model, states: Sequence[int], permuted: int | None = None) -> dict[str, Any]:
    """The probe in every state, and the task, with position erased from the rows of these states."""
    train_rows, test_rows = (embed(tokens, *model, positions=PLACES) for tokens in probe_texts())
    options: dict[str, Any] = {"positions": PLACES}
    erasers = fit_erasers(train_rows, model, states, permuted=permuted, **options) if states else {}
    fitted_on, tested_on = (
        list(run_stream(x, model, change=erasing(erasers), **options)) for x in (train_rows, test_rows)
    )
    exact = [probe(*pair)[0] for pair in zip(fitted_on, tested_on, strict=True)]
    return {"task": task_right(model, erasers), "probe": exact}


def task_right(model: Model, erasers: Mapping[int, Eraser]) -> float:
    """The share of rows that name the token to their left, with these erasers in these states."""
    parameters, config = model
    asked = TASK.draw(np.random.default_rng(99), 500, N_TOKENS)
    x = embed(asked.tokens.numpy(), *model, positions=PLACES)
    *_, last = run_stream(x, model, positions=PLACES, change=erasing(erasers))
    rows = last if parameters.norm_output is None else normalise(last, parameters.norm_output, config)
    right = unembed(rows, parameters).argmax(axis=-1) == asked.targets.numpy()
    return float(right[:, 1:].mean())


def share_erased(rows: Rows, eraser: Eraser) -> float:
    """How much of the variance of the rows an eraser takes out.

    >>> rows = np.array([[[0.0, 1.0], [0.0, -1.0]], [[4.0, 1.0], [4.0, -1.0]]])
    >>> round(share_erased(rows, fit_eraser(rows, np.array([[0, 0], [1, 1]]))), 9)
    0.8
    """
    moved, around = rows - erase(rows, eraser), rows - rows.mean(axis=(0, 1))
    return float((moved**2).sum() / (around**2).sum())


def of_rank(eraser: Eraser, rank: int) -> Eraser:
    """An eraser with the first directions of this one."""
    return Eraser(eraser.mean, eraser.reader[:, :rank], eraser.writer[:rank])


MATCHED_STATE, N_CONTROLS = 2, 5


def matched(seeds: Sequence[int] = (0, 1, 2)) -> dict[str, Any]:
    """Position erased after layer 2, beside meaningless directions: as many, and those that take out as much."""
    torch.set_num_threads(1)
    state = MATCHED_STATE
    results: dict[str, Any] = {}
    for norm in NORMS:
        runs = []
        for seed in seeds:
            model = train_small(LEARNED, norm, seed)
            x = embed(probe_texts()[0], *model, positions=PLACES)
            rows = list(run_stream(x, model, positions=PLACES))[state]
            position, *controls = (
                fit_erasers(x, model, (state,), positions=PLACES, permuted=permuted)[state]
                for permuted in (None, *range(N_CONTROLS))
            )
            erased_share, as_much = share_erased(rows, position), []
            for control in controls:
                fewer = [of_rank(control, rank) for rank in range(1, control.rank + 1)]
                as_much.append(min(fewer, key=lambda each: abs(share_erased(rows, each) - erased_share)))
            runs.append(
                {
                    name: [
                        {"rank": e.rank, "erased": share_erased(rows, e), "task": task_right(model, {state: e})}
                        for e in erasers
                    ]
                    for name, erasers in (("position", [position]), ("as many", controls), ("as much", as_much))
                }
            )
        results[norm] = runs
    return {"state": state, "seeds": seeds, "models": results}


def small(seeds: Sequence[int] = (0, 1, 2)) -> dict[str, Any]:
    """Position erased from models with learned and with rotary positions, under both norms."""
    torch.set_num_threads(1)
    results: dict[str, Any] = {}
    for name, position in (("learned", LEARNED), ("rotary", "rotary")):
        for norm in NORMS:
            models = [train_small(position, norm, seed) for seed in seeds]
            for what, states in ERASED.items():
                results[f"{name}, {norm}, {what}"] = [erased(model, states) for model in models]
                if states:
                    control = [erased(model, states, permuted=0) for model in models]
                    results[f"{name}, {norm}, {what}, control"] = control
    return {"n_steps": N_STEPS, "seeds": seeds, "floor": TASK.floor(N_TOKENS), "models": results}


# Two real models

N_TEXTS, N_WORDS = 24, 32  # to weigh the stream
ENCODER_TRAIN, ENCODER_TEST = 80, 24
SENTENCE_TRAIN = 400  # pieces of prose as long as a sentence
LEFT_TRAIN, LEFT_TEST = 160, 160  # other pieces, for a probe of what erasers of sentences leave
LEFT_LENGTHS = (5, 6, 7)  # of longer ones the text has too few
DECODER_TRAIN, DECODER_TEST, DECODER_PLACES = 150, 40, 24


def streams(alice: str) -> dict[str, Any]:
    """What each block adds to the stream: a post-norm encoder and a pre-norm decoder, trained and untrained."""
    reader, writer = encoder.load(), decoder.load()
    tokens = windows(alice, reader, N_WORDS, N_TEXTS)
    ids = text_windows(alice, writer, N_WORDS + 1, N_TEXTS)
    readers = {"trained": reader, "untrained": encoder.untrained(reader, 0)}
    writers = {"trained": writer, "untrained": untrained_decoder(writer, 0)}
    results: dict[str, Any] = {"n_texts": N_TEXTS, "n_tokens": N_WORDS}
    results["encoder"] = {
        name: [each._asdict() for each in shares(encoder.states(tokens, model), model.model, slice(1, -1))]
        for name, model in readers.items()
    }
    results["decoder"] = {
        name: [each._asdict() for each in shares(decoder.states(ids, model), model.model, slice(1, None))]
        for name, model in writers.items()
    }
    return results


ENCODER_ERASED = {
    "nothing": (),
    **{f"state {k}": (k,) for k in range(7)},
    "every state": tuple(range(7)),
}


def reader(alice: str) -> dict[str, Any]:
    """Position erased from the real encoder: the probe, the sentence vectors, and pairs of one bag of words."""
    pretrained = encoder.load()
    model = pretrained.model
    tokens = windows(alice, pretrained, N_WORDS, ENCODER_TRAIN + ENCODER_TEST)
    inner, places = slice(1, -1), np.arange(tokens.ids.shape[1])
    x = embed(tokens.ids, *model, positions=places)
    train_rows, test_rows = x[:ENCODER_TRAIN], x[ENCODER_TRAIN:]
    whole = list(run_stream(test_rows, model, positions=places))[-1]

    results: dict[str, Any] = {"n_train": ENCODER_TRAIN, "n_test": ENCODER_TEST, "n_positions": N_WORDS}
    for what, states in ENCODER_ERASED.items():
        for control in (False, True) if states else (False,):
            permuted = 0 if control else None
            options: dict[str, Any] = {"positions": places}
            erasers = fit_erasers(train_rows, model, states, rows=inner, permuted=permuted, **options) if states else {}
            change = erasing(erasers, inner)
            fitted_on, tested_on = (
                list(run_stream(x, model, change=change, **options)) for x in (train_rows, test_rows)
            )
            pairs = zip(fitted_on, tested_on, strict=True)
            exact, near = zip(*(probe(a[:, inner], b[:, inner]) for a, b in pairs), strict=True)
            results[what + (", control" if control else "")] = {
                "probe": exact,
                "near": near,
                "same vector": (_vectors(tested_on[-1]) * _vectors(whole)).sum(axis=-1).mean(),
                "pairs": pair_cosines(PAIRS, pretrained, _by_length(alice, pretrained, states, permuted)),
            }
    return results


def _pieces(alice: str, pretrained: encoder.Pretrained, n_tokens: int, n_pieces: int | None = SENTENCE_TRAIN) -> Rows:
    """The rows of so many pieces of prose of that length, or of all that there are."""
    if n_pieces is None:
        n_pieces = len(pretrained.tokenizer.encode(alice, add_special_tokens=False).ids) // n_tokens
    ids = windows(alice, pretrained, n_tokens, n_pieces).ids
    return embed(ids, *pretrained.model, positions=np.arange(ids.shape[1]))


def _by_length(
    alice: str, pretrained: encoder.Pretrained, states: Sequence[int], permuted: int | None = None
) -> Callable[[int], Change]:
    """Position erased from sentences of n tokens, by erasers fitted to pieces of prose of n tokens."""
    inner = slice(1, -1)

    @cache
    def change(n_tokens: int) -> Change:
        x = _pieces(alice, pretrained, n_tokens)
        options: dict[str, Any] = {"positions": np.arange(n_tokens + 2), "rows": inner, "permuted": permuted}
        return erasing(fit_erasers(x, pretrained.model, states, **options) if states else {}, inner)

    return change


def _vectors(rows: np.ndarray) -> np.ndarray:
    mean = rows.mean(axis=1)
    return mean / np.linalg.norm(mean, axis=-1, keepdims=True)


def pair_cosines(
    pairs: Sequence[tuple[str, str]], pretrained: encoder.Pretrained, change_of: Callable[[int], Change] | None = None
) -> list[float]:
    """The cosine of the two sentence vectors of each pair of texts.

    change_of: from the number of tokens between [CLS] and [SEP] to a change of the stream.

    >>> round(pair_cosines([("the dog bites the man", "the man bites the dog")], encoder.load())[0], 2)
    0.97
    """
    cosines = []
    for pair in pairs:
        sides = []
        for text in pair:
            one = encoder.tokenize(text, pretrained)
            at = np.arange(one.ids.shape[1])
            rows = embed(one.ids, *pretrained.model, positions=at)
            change = change_of(len(at) - 2) if change_of else None
            sides.append(_vectors(list(run_stream(rows, pretrained.model, positions=at, change=change))[-1])[0])
        cosines.append(float(sides[0] @ sides[1]))
    return cosines


def listed_pairs() -> dict[str, list[tuple[str, str]]]:
    """Every two words of each of the lists that the decoder was asked about, in both orders, in the same frames.

    >>> {name: len(pairs) for name, pairs in listed_pairs().items()}
    {'cities': 55, 'names': 45, 'animals': 55}
    """
    return {
        name: [
            (frame.text.format(a=one, b=other), frame.text.format(a=other, b=one))
            for one, other in combinations(frame.words, 2)
        ]
        for name, frame in FRAMES.items()
    }


def reader_pairs(alice: str) -> dict[str, Any]:
    """Position erased from the real encoder: what is left of the distance between the two orders of `listed_pairs`."""
    pretrained, lists = encoder.load(), listed_pairs()
    results: dict[str, Any] = {"n_train": SENTENCE_TRAIN, "nothing": {}}
    for name, pairs in lists.items():
        results["nothing"][name] = pair_cosines(pairs, pretrained)
    for state in range(7):
        for control in (False, True):
            change_of = _by_length(alice, pretrained, (state,), 0 if control else None)
            results[f"state {state}" + (", control" if control else "")] = {
                name: pair_cosines(pairs, pretrained, change_of) for name, pairs in lists.items()
            }
    return results


def left(alice: str) -> dict[str, Any]:
    """What the erasers of sentences leave of position, by the length of the text and by state.

    A probe fitted to the pieces that made an eraser finds nothing by construction: their means are equal. This one is
    fitted to other pieces and tested on others again; and the lists are asked once more with erasers of all pieces.
    """
    pretrained, inner = encoder.load(), slice(1, -1)
    results: dict[str, Any] = {"n_train": SENTENCE_TRAIN, "n_probe": LEFT_TRAIN, "n_test": LEFT_TEST}
    results |= {"n_more": {}, "n_all": {}, "untouched": {}, "erased": {}, "more": {}, "pairs": {}}
    erasers: dict[int, list[Eraser]] = {}  # of all pieces, by length and state
    for n_tokens in LEFT_LENGTHS:
        x = _pieces(alice, pretrained, n_tokens, None)
        n_all = len(x)
        n_more = n_all - LEFT_TRAIN - LEFT_TEST
        expect(n_more >= SENTENCE_TRAIN, "a text of enough pieces", n_all)
        results["n_all"][n_tokens], results["n_more"][n_tokens] = n_all, n_more
        accuracies: dict[str, list[float]] = {"untouched": [], "erased": [], "more": []}
        erasers[n_tokens] = []
        for rows in run_stream(x, pretrained.model, positions=np.arange(n_tokens + 2)):
            rows = rows[:, inner]
            fitted_on, tested_on = rows[n_more : n_more + LEFT_TRAIN], rows[n_more + LEFT_TRAIN :]
            accuracies["untouched"].append(probe(fitted_on, tested_on)[0])
            for name, n_pieces in (("erased", SENTENCE_TRAIN), ("more", n_more)):
                eraser = _eraser(rows[:n_pieces])
                accuracies[name].append(probe(erase(fitted_on, eraser), erase(tested_on, eraser))[0])
            erasers[n_tokens].append(_eraser(rows))
        for name, values in accuracies.items():
            results[name][n_tokens] = values
    for state in range(7):

        def change_of(n_tokens: int, state: int = state) -> Change:
            return erasing({state: erasers[n_tokens][state]}, inner)

        results["pairs"][f"state {state}"] = {
            name: pair_cosines(pairs, pretrained, change_of) for name, pairs in listed_pairs().items()
        }
    return results


def _eraser(rows: Rows) -> Eraser:
    return fit_eraser(rows, place_labels(rows))


def _prose(alice: str, lm: Any) -> tuple[np.ndarray, np.ndarray]:
    """Windows of the first half of the text to fit on, and of the second to test on."""
    half = alice.index("\n", len(alice) // 2)
    return (
        text_windows(alice[:half], lm, DECODER_PLACES + 1, DECODER_TRAIN),
        text_windows(alice[half:], lm, DECODER_PLACES + 1, DECODER_TEST),
    )


DECODER_ERASED = {"nothing": (), "state 8": (8,), "every state from 1": tuple(range(1, 31))}
PROBED = (1, 2, 5, 8, 9, 12, 16, 20, 25, 30)


def writer(alice: str) -> dict[str, Any]:
    """Position erased from the real decoder, row 0 left alone: the probe, and the loss on prose."""
    lm = decoder.load()
    train_ids, test_ids = _prose(alice, lm)
    results: dict[str, Any] = {"n_train": DECODER_TRAIN, "n_test": DECODER_TEST, "n_positions": DECODER_PLACES}
    results["probed"] = PROBED
    for what, states in DECODER_ERASED.items():
        for control in (False, True) if states else (False,):
            results[what + (", control" if control else "")] = _written(
                lm, train_ids, test_ids, states, 0 if control else None
            )
    return results


RETURN_FROM, RETURN_TO = 8, 12
SOURCES = {"mask and rotary": (True, True), "mask": (True, False), "rotary": (False, True), "neither": (False, False)}


def returns(alice: str) -> dict[str, Any]:
    """Position erased from the real decoder once, and what brings it back.

    From there on the layers run with the mask and the rotary encoding, with one of the two, and with neither.
    """
    lm = decoder.load()
    parameters, config = lm.model
    places, inner = np.arange(DECODER_PLACES + 1), slice(1, None)
    mask = causal_mask(len(places))

    def run(x: Rows, first: int, last: int, settings: TransformerConfig, mask: Any) -> Iterator[Rows]:
        for p in parameters.blocks[first:last]:
            x = block(x, p, settings, positions=places, mask=mask, tables=parameters.position).hidden
            yield x

    halves = [
        list(run(embed(ids, *lm.model, positions=places), 0, RETURN_FROM, config, mask))[-1]
        for ids in _prose(alice, lm)
    ]
    eraser = fit_eraser(halves[0][:, inner], place_labels(halves[0][:, inner]))
    changed = [x.copy() for x in halves]
    for x in changed:
        x[:, inner] = erase(x[:, inner], eraser)
    results: dict[str, Any] = {"from": RETURN_FROM, "to": RETURN_TO, "n_positions": DECODER_PLACES}
    for what, pair in (("untouched", halves), ("erased", changed)):
        for source, (masked, rotary) in SOURCES.items():
            settings = config if rotary else replace(config, position="none")
            streams = (run(x, RETURN_FROM, RETURN_TO, settings, mask if masked else None) for x in pair)
            exact = [probe(a[:, inner], b[:, inner])[0] for a, b in zip(*streams, strict=True)]
            results[f"{what}, {source}"] = exact
    return results


def _written(
    lm: Any,
    train_ids: Integer[np.ndarray, "window position"],
    test_ids: Integer[np.ndarray, "window position"],
    states: Sequence[int],
    permuted: int | None,
) -> dict[str, Any]:
    parameters, config = lm.model
    places = np.arange(train_ids.shape[1])
    inner = slice(1, None)
    options: dict[str, Any] = {"positions": places, "mask": causal_mask(len(places))}
    train_rows, test_rows = (embed(ids, *lm.model, positions=places) for ids in (train_ids, test_ids))
    erasers = {}
    if states:
        erasers = fit_erasers(train_rows, lm.model, states, rows=inner, permuted=permuted, **options)
    change = erasing(erasers, inner)
    probes: list[tuple[float, float]] = []
    pairs = zip(*(run_stream(x, lm.model, change=change, **options) for x in (train_rows, test_rows)), strict=True)
    for state, (fitted_on, tested_on) in enumerate(pairs):
        if state in PROBED:
            probes.append(probe(fitted_on[:, inner], tested_on[:, inner]))
    rows = normalise(tested_on, parameters.norm_output, config)[:, :-1]
    losses = target_losses(rows, test_ids[:, 1:], lm)  # (window, position)
    exact, near = zip(*probes, strict=True)
    return {"probe": exact, "near": near, "loss": losses.mean(), "window losses": losses.mean(axis=1)}
