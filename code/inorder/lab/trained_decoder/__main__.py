"""Measures all and stores it, with provenance, in inorder/stored: ``python -m inorder.lab.trained_decoder``."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from inorder.lab.provenance import provenance
from inorder.lab.records import chosen_parts, plain, store_parts
from inorder.lab.trained_decoder.circuit import PARTS as HEAD_PARTS
from inorder.lab.trained_decoder.circuit import CopyRun, copy_run
from inorder.lab.trained_decoder.heads import (
    HeadScores,
    ablation,
    head_scores,
    heads_above,
    mean_outputs,
    random_heads,
    with_constants,
)
from inorder.lab.trained_decoder.order import copy_losses, open_mask, row_differences, swap_effects, swap_share
from inorder.lab.trained_decoder.pairs import prompt_pair
from inorder.lab.trained_decoder.patterns import NAMES, PATTERNS, pattern_answers
from inorder.lab.trained_decoder.placements import placement_costs, window_placements
from inorder.lab.trained_decoder.probes import position_probes, stream_rows, untrained
from inorder.lab.trained_decoder.texts import (
    FIGURE_PAIRS,
    NEIGHBOURS,
    OTHER_TASKS,
    PAIRS,
    PROMPTS,
    TASKS,
    Swap,
    random_words,
    text_windows,
)
from inorder.lab.trained_decoder.word_pairs import FRAMES, STATES, Frame, word_pair_answers
from inorder.pretrained.decoder import (
    NAME,
    PLACEMENTS,
    SHA256,
    WEIGHTS,
    attention,
    generate,
    load,
    next_tokens,
    tokenize,
    without_heads,
)
from inorder.stored import FOLDER, stored
from inorder.transformer import layer_states

RESULTS, MAPS = "trained_decoder.json", "decoder_attention.npz"
MAPPED = "Yesterday Doctor Moore met Captain Hill. Then Doctor"  # whose weights of all heads are kept
N_TOP, N_WRITTEN = 10, 10
STARTS = ("The", "\n")  # row 0 of the copies: a word, and a token that is a sink at any position
THRESHOLD, SINK_THRESHOLD, N_SINKS, N_DRAWS = 0.4, 0.5, 10, 4
LAYERS = (0, 1, 2, 3, 5, 8, 12, 16, 20, 25, 30)  # that are probed
PLACES = 24
STEPS = (0, 1, 2, 3)  # back, where (16, 0) is made to look; and on, where the induction heads then look


def prompts() -> dict[str, Any]:
    """What comes next, and what the model generates, with its tokens in every placement."""
    lm = load()

    def answers(text: str, placement: str) -> dict[str, Any]:
        top = next_tokens(text, lm, N_TOP, placement)
        return {
            "tokens": [each.token for each in top],
            "probabilities": [each.probability for each in top],
            "text": generate(text, lm, N_WRITTEN, positions=placement),
        }

    texts = [text for pair in PAIRS for text in pair] + list(PROMPTS)
    return {
        "pairs": PAIRS,
        "singles": PROMPTS,
        "words": {text: tokenize(text, lm).words for text in texts},
        "placements": {text: {name: answers(text, name) for name in PLACEMENTS} for text in texts},
    }


def rows() -> dict[str, Any]:
    """How much the last row of each pair differs, layer by layer; and of the two words that are swapped, alone."""
    lm = load()
    swapped = [_swapped_words(pair) for pair in PAIRS]
    return {
        "pairs": PAIRS,
        "differences": [row_differences(pair, lm) for pair in PAIRS],
        "two_words": swapped,
        "two_words_differences": [row_differences(pair, lm) for pair in swapped],
    }


def _swapped_words(pair: tuple[str, str]) -> tuple[str, str]:
    """The two words that stand elsewhere in the other text, in both orders, and nothing else: [A, B] and [B, A]."""
    first, second = (text.split() for text in pair)
    moved = [word for word, other in zip(first, second, strict=True) if word != other]
    return f" {moved[0]} {moved[1]}", f" {moved[1]} {moved[0]}"


def swaps() -> dict[str, Any]:
    """What is left of a swap's effect when the mask, or the rotations, say nothing of the order."""
    return _swap_results(TASKS)


def other_swaps() -> dict[str, Any]:
    """The same tasks with other words."""
    return _swap_results(OTHER_TASKS)


def _swap_results(tasks: Mapping[str, tuple[Swap, ...]]) -> dict[str, Any]:
    lm = load()
    results = {}
    for name, task in tasks.items():
        effects = swap_effects(task, lm)
        shares = {view: swap_share(effects, view) for view in effects}
        results[name] = {"texts": [swap.text for swap in task], "effects": effects, "shares": shares}
    return results


def copies() -> dict[str, Any]:
    """The loss on the second copy of random lists, by what is left of the order of the first."""
    lm = load()
    results = {}
    for length, start, n_lists in ((10, "The", 6), (20, "The", 4), (20, "\n", 4), (40, "The", 3)):
        words = random_words(lm, length, n_lists, seed=length)
        results[f"{length} words after {start!r}"] = copy_losses(words, lm, int(tokenize(start, lm).ids[0]))
    return results


def sinks() -> dict[str, Any]:
    """How many heads give row 0 half of their weight or more, in the second copy of lists of 20 words: with a causal
    mask, with the first copy open, and with row 0 open as well.
    """
    lm, words = load(), random_words(load(), 20, 4, seed=20)
    n = 2 * words.shape[1] + 1
    opened = {"untouched": (0, 0), "rotations": (1, 21), "rotations, first row too": (0, 21)}
    results = {}
    for start in STARTS:
        ids = np.concatenate([np.full((len(words), 1), tokenize(start, lm).ids[0]), words, words], axis=1)
        for name, rows in opened.items():
            states = layer_states(ids, *lm.model, positions=np.arange(n), mask=open_mask(n, *rows))
            shares = [np.asarray(state.weights)[..., 21:, 0].mean(axis=(0, 2)) for state in states]
            results[f"{name}, after {start!r}"] = int((np.array(shares) >= SINK_THRESHOLD).sum())
    return results


def placements() -> dict[str, Any]:
    """The loss on prose, in every placement."""
    lm, n, start = load(), 64, 16
    costs = placement_costs(text_windows(_alice(), lm, n, 6), lm, window_placements(n, start))
    return {"n_tokens": n, "written_from": start, "costs": {name: cost._asdict() for name, cost in costs.items()}}


def heads() -> dict[str, Any]:
    """The heads of each kind, chosen on one half of the texts, scored on the other, and taken out there."""
    lm = load()
    prose = text_windows(_alice(), lm, 48, 12)
    words = random_words(lm, 20, 8, seed=1)
    copied = np.concatenate([np.full((8, 1), tokenize(STARTS[0], lm).ids[0]), words, words], axis=1)
    first = head_scores(prose[::2], copied[::2], lm)
    second = head_scores(prose[1::2], copied[1::2], lm)
    chosen = {
        "previous": heads_above(first.previous, THRESHOLD),
        "induction": heads_above(first.induction, THRESHOLD),
        "duplicate": heads_above(first.duplicate, THRESHOLD),
    }
    busy = [head for kind in chosen.values() for head in kind]
    sinks = heads_above(first.sink, SINK_THRESHOLD)
    chosen["sink"] = [head for head in sinks if head not in busy][:N_SINKS]
    taken = busy + chosen["sink"]
    means, held_out = mean_outputs(prose[::2], lm), (prose[1::2], copied[1::2])

    def removed(lost: list[tuple[int, int]], n_draws: int = N_DRAWS) -> dict[str, Any]:
        model = without_heads(lm, lost)
        scores = head_scores(held_out[0][:1], held_out[1], model).induction.mean(axis=0)
        return {
            "zero": ablation(*held_out, model, lost)._asdict(),
            "mean": ablation(*held_out, with_constants(model, lost, means), lost)._asdict(),
            "induction_scores": [scores[head] for head in chosen["induction"]],
            "random": [
                ablation(*held_out, without_heads(lm, drawn), drawn)._asdict()
                for drawn in (random_heads(lost, taken, lm.model.config.n_heads, seed) for seed in range(n_draws))
            ],
        }

    return {
        "thresholds": {"previous, induction, duplicate": THRESHOLD, "sink": SINK_THRESHOLD},
        "n_sinks": len(sinks),
        "scores": {
            "first half": _means(first),
            "second half": _means(second),
            "unrotated": _means(head_scores(prose[1::2], copied[1::2], lm, "unrotated")),
        },
        "chosen": chosen,
        "intact": ablation(*held_out, lm, [])._asdict(),
        "ablations": {kind: removed(lost) for kind, lost in chosen.items()},
        "previous, one at a time": [removed([head], n_draws=0) for head in chosen["previous"]],
    }


def circuit() -> dict[str, Any]:
    """How the induction heads, found before, come by what to copy: new lists; rotations taken from some layers alone;
    each head of layer 16, and of the layers below, taken out; the other previous-token heads below taken out together;
    and the loss of (16, 0) passed on through one part of the induction heads alone.
    """
    lm = load()
    induction, previous = (
        [tuple(head) for head in _stored("heads")["chosen"][kind]] for kind in ("induction", "previous")
    )
    words = random_words(lm, 20, 6, seed=7)
    copies = np.concatenate([np.full((6, 1), tokenize(STARTS[0], lm).ids[0]), words, words], axis=1)

    def measured(run: CopyRun) -> dict[str, Any]:
        queries, length = np.arange(21, 40), 20  # all of the second copy but the last word, after which nothing came
        scores = [run.weights[layer, :, head][:, queries, queries - length + 1].mean() for layer, head in induction]
        return {"loss": run.loss, "induction_scores": scores}

    def means(run: CopyRun) -> dict[str, float]:
        return {name: float(np.mean(values)) for name, values in measured(run).items()}

    layers = {
        "none": (),
        "0 to 15": range(16),
        "16": (16,),
        "17 to 24": range(17, 25),
        "all": range(lm.model.config.n_layers),
    }
    lost = [(16, 0)]
    others = [head for head in previous if head not in lost and head[0] < min(induction)[0]]
    return {
        "induction": induction,
        "lost": lost,
        "unrotated": {name: measured(copy_run(copies, lm, unrotated=each)) for name, each in layers.items()},
        "one of layer 16": [
            measured(copy_run(copies, lm, removed=[(16, head)])) for head in range(lm.model.config.n_heads)
        ],
        "others": others,
        "without others": measured(copy_run(copies, lm, removed=others)),
        "one below": [
            [means(copy_run(copies, lm, removed=[(layer, head)])) for head in range(lm.model.config.n_heads)]
            for layer in range(16)
        ],
        "one layer unrotated": [means(copy_run(copies, lm, unrotated=[layer])) for layer in range(17)],
        "damaged": {
            part: measured(copy_run(copies, lm, removed=lost, damaged=induction, part=part)) for part in HEAD_PARTS
        },
    }


def redirected() -> dict[str, Any]:
    """(16, 0) made to look so many tokens back: where do the induction heads look? Their weight on the word that came
    so many after the same word last time, and the loss.
    """
    lm = load()
    induction = [tuple(head) for head in _stored("heads")["chosen"]["induction"]]
    words = random_words(lm, 20, 6, seed=7)
    copies = np.concatenate([np.full((6, 1), tokenize(STARTS[0], lm).ids[0]), words, words], axis=1)
    queries = np.arange(21, 38)  # those with three words after the same word last time

    def measured(run: CopyRun) -> dict[str, Any]:
        weights = [run.weights[layer, :, head] for layer, head in induction]
        after = [np.mean([each[:, queries, queries - 20 + step].mean() for each in weights]) for step in STEPS]
        return {"loss": run.loss.mean(), "after": after}

    return {
        "steps": STEPS,
        "intact": measured(copy_run(copies, lm)),
        "back": [measured(copy_run(copies, lm, redirected={(16, 0): step})) for step in STEPS],
    }


def unrotated_heads() -> dict[str, Any]:
    """Rotations taken from one head of layer 16 alone, and from the eight beside (16, 0): the induction heads' weight
    on what came next, and the loss, on the lists of `circuit`.
    """
    lm = load()
    induction = [tuple(head) for head in _stored("heads")["chosen"]["induction"]]
    words = random_words(lm, 20, 6, seed=7)
    copies = np.concatenate([np.full((6, 1), tokenize(STARTS[0], lm).ids[0]), words, words], axis=1)
    queries = np.arange(21, 40)  # all of the second copy but the last word

    def measured(heads: list[tuple[int, int]]) -> dict[str, Any]:
        run = copy_run(copies, lm, unrotated_heads=heads)
        scores = [run.weights[layer, :, head][:, queries, queries - 19].mean() for layer, head in induction]
        return {"loss": run.loss, "induction_scores": scores}

    heads = [(16, head) for head in range(lm.model.config.n_heads)]
    return {"none": measured([]), "alone": [measured([head]) for head in heads], "others": measured(heads[1:])}


def patterns() -> dict[str, Any]:
    """Patterns of two names: which question's answer does the model prefer, when each is asked?"""
    lm = load()
    return {"names": NAMES, "patterns": PATTERNS, "differences": [pattern_answers(each, lm) for each in PATTERNS]}


def other_patterns() -> dict[str, Any]:
    """The same patterns with other names."""
    lm = load()
    return {
        "names": NEIGHBOURS,
        "patterns": PATTERNS,
        "differences": [pattern_answers(each, lm, NEIGHBOURS) for each in PATTERNS],
    }


def word_pairs() -> dict[str, Any]:
    """The clean pair with every two words of three lists, with each source of order alone."""
    lm = load()
    return {
        "frames": {name: frame._asdict() for name, frame in FRAMES.items()},
        "states": STATES,
        "answers": {name: word_pair_answers(frame, lm) for name, frame in FRAMES.items()},
        "crossed": {  # each prompt with the words of each other one
            name: {
                words: word_pair_answers(Frame(frame.text, FRAMES[words].words), lm, ("both",))["both"]["preference"]
                for words in FRAMES
                if words != name
            }
            for name, frame in FRAMES.items()
        },
    }


def _means(scores: HeadScores) -> dict[str, np.ndarray]:
    return {kind: texts.mean(axis=0) for kind, texts in scores._asdict().items()}


def probes() -> dict[str, Any]:
    """Where position can be read: trained, without rotations, untrained, and with labels that mean nothing."""
    lm = load()
    text = _alice()
    half = text.index("\n", len(text) // 2)
    train, test = text_windows(text[:half], lm, PLACES + 1, 200), text_windows(text[half:], lm, PLACES + 1, 40)

    def rows_of(model: Any, positions: str | None = None) -> list[np.ndarray]:
        """Without row 0: it sees only itself, and any probe would tell it from the others."""
        return [stream_rows(ids, model, LAYERS, positions)[..., 1:, :] for ids in (train, test)]

    trained = rows_of(lm)
    return {
        "states": LAYERS,
        "positions": PLACES,
        "n_train": len(train),
        "n_test": len(test),
        "trained": position_probes(*trained),
        "unrotated": position_probes(*rows_of(lm, "unrotated")),
        "untrained": position_probes(*rows_of(untrained(lm, 0))),
        "permuted labels": position_probes(*trained, permuted=0),
    }


def maps() -> dict[str, Any]:
    """The weights of all heads on one text, with rotations and without, in steps of 1/255: into a file of their own."""
    lm = load()
    weights = {name: np.asarray(attention(MAPPED, lm, name).weights) for name in ("trained", "unrotated")}
    packed = {name: np.rint(255 * array).astype(np.uint8) for name, array in weights.items()}
    np.savez_compressed(FOLDER / MAPS, **packed)
    return {"text": MAPPED, "words": tokenize(MAPPED, lm).words, "file": MAPS, "one": 255}


def figure() -> dict[str, Any]:
    """What the live figure shows before it has a model: the two prompts of each pair, in every placement."""
    lm = load()
    return {
        "pairs": FIGURE_PAIRS,
        "placements": [{name: prompt_pair(pair, lm, name)._asdict() for name in PLACEMENTS} for pair in FIGURE_PAIRS],
    }


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    part.__name__: part
    for part in (
        prompts,
        rows,
        word_pairs,
        patterns,
        other_patterns,
        swaps,
        other_swaps,
        copies,
        sinks,
        placements,
        heads,
        circuit,
        redirected,
        unrotated_heads,
        probes,
        maps,
        figure,
    )
}


def main() -> None:
    about = (__doc__ or "").partition("\n")[0]
    command = "python -m inorder.lab.trained_decoder"
    made = provenance(command, ["numpy", "tokenizers", "gguf"], model=NAME, file=WEIGHTS, sha256=SHA256)
    for part in chosen_parts(command, about, PARTS):
        store_parts(FOLDER / RESULTS, {part: plain({"provenance": made, **PARTS[part]()})}, PARTS)
        print(part, flush=True)


def _stored(part: str) -> dict[str, Any]:
    """What has been measured before."""
    return json.loads(stored(RESULTS).read_text(encoding="utf-8"))[part]


def _alice() -> str:
    return stored("alice.txt").read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
