"""What a trained encoder, all-MiniLM-L6-v2, does with position, each measurement beside a control.

    python -m studies.trained_encoder          measures all and stores it, with provenance, in inorder/stored
    python -m studies.trained_encoder pairs    this part alone

The controls are the same model without its position table, or with the rows of that table shuffled. The parts:

- `pairs`: how far apart the model puts the same words in two orders, both of them sentences; and pairs of other words.
- `offsets`: where each head looks, relative to the query, after [1].
- `parameters`: how much of the words lies in the directions of the position table; the norms of the heads' biases.
- `pronoun_attention`: the weights of all heads on one sentence, in 8 bits.
- `map_changes`: how much each head's map changes in every order of one sentence, in half precision.
- `every_order`: that sentence in every order, in bytes, for the Loom.

[1] Clark et al. 2019, What Does BERT Look At?, https://arxiv.org/abs/1906.04341
"""

import json
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, permutations, product
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Integer

from inorder._arrays import expect, expect_count
from inorder.lab.provenance import provenance
from inorder.lab.records import chosen_parts, plain, store_parts
from inorder.pretrained.encoder import (
    HUB,
    REVISION,
    SHA256,
    Pretrained,
    Tokens,
    attention,
    load,
    sentence_vector,
    states,
    tokenize,
)
from inorder.stored import FOLDER, stored
from inorder.transformer import Model

COMMAND = "python -m studies.trained_encoder"
RESULTS = "trained_encoder.json"
PRONOUN = "The animal didn't cross the street because it was too tired."
MOVED = "only she said he lied"  # in all orders of its words
BATCH = 8  # windows of text that run through the model at once
OFFSETS = tuple(range(-4, 5))
N_NUMBERS = 16  # of a row, as the Loom shows it
SAME = 1e-9  # rounding leaves less than a thousandth of it

# ---- pairs: minimal pairs by rule, the same words in two orders; and pairs to measure them by

CREATURES = ("dog", "cat", "horse", "wolf", "bear", "man", "woman", "boy", "girl", "teacher")
NAMES = ("alice", "bob", "carol", "david", "emma", "frank", "grace", "henry", "laura", "peter")
CITIES = ("paris", "london", "berlin", "rome", "madrid", "vienna", "boston", "tokyo", "cairo", "sydney")
THINGS = ("door", "food", "road", "room", "shop")
OPPOSITES = (
    ("big", "small"),
    ("cheap", "expensive"),
    ("clean", "dirty"),
    ("cold", "hot"),
    ("dark", "bright"),
    ("good", "bad"),
    ("new", "old"),
    ("open", "closed"),
    ("ready", "late"),
)

RULES = {
    "who bites whom": [(f"the {a} bites the {b}", f"the {b} bites the {a}") for a, b in combinations(CREATURES, 2)],
    "who is older": [(f"{a} is older than {b}", f"{b} is older than {a}") for a, b in combinations(NAMES, 2)],
    "who left first": [(f"{a} left before {b} came", f"{b} left before {a} came") for a, b in combinations(NAMES, 2)],
    "from, to": [(f"flights from {a} to {b}", f"flights from {b} to {a}") for a, b in combinations(CITIES, 2)],
    "not this but that": [
        (f"the {thing} was not {a} but {b}", f"the {thing} was not {b} but {a}")
        for thing, (a, b) in product(THINGS, OPPOSITES)
    ],
    "only": [(f"only the {a} saw the {b}", f"the {a} saw only the {b}") for a, b in permutations(CREATURES[2:9], 2)],
    "question": [(f"is the {thing} {a}", f"the {thing} is {a}") for thing, (a, _) in product(THINGS, OPPOSITES)],
}


def another(creature: str, other: str) -> str:
    """The creature that follows the second of these in the list, which begins again at its end; never the first.

    >>> another("dog", "man"), another("dog", "teacher")
    ('woman', 'cat')
    """
    others = [each for each in CREATURES if each != creature]
    return others[(others.index(other) + 1) % len(others)]


YARDSTICKS = {
    "one word replaced": [
        (f"the {a} bites the {b}", f"the {a} bites the {another(a, b)}") for a, b in combinations(CREATURES, 2)
    ],
    "unrelated sentences": [
        (one, other)
        for first, second in combinations(RULES, 2)
        for (one, _), (other, _) in list(zip(RULES[first], reversed(RULES[second]), strict=False))[::15]
    ],
}

EXAMPLES = (  # for the text box of the chapter's figure
    ("the dog bites the man", "the man bites the dog"),
    ("the dog bites the man", "the dog bites the woman"),
    ("flights from london to berlin", "flights from berlin to london"),
    ("the food was not good but bad", "the food was not bad but good"),
    ("is the door open", "the door is open"),
    ("only she said that he lied", "she said that only he lied"),
    ("we eat to live and do not live to eat", "we live to eat and do not eat to live"),
    ("race horse", "horse race"),
    ("i love you", "you love me"),
    (
        "the animal did not cross the street because it was too tired",
        "street too the was because tired animal it not the cross did",
    ),
)


def distances(
    pairs: Sequence[tuple[str, str]], pretrained: Pretrained, *, positions: bool = True
) -> Float[np.ndarray, " pair"]:
    """1 − the cosine of the two sentences' vectors."""
    one, other = (sentence_vector([pair[side] for pair in pairs], pretrained, positions) for side in (0, 1))
    return 1 - np.asarray((one * other).sum(-1))


# ---- texts: windows of running text, and one sentence in other orders of its words


def windows(text: str, pretrained: Pretrained, n_tokens: int, n_windows: int, step: int | None = None) -> Tokens:
    """The first n_windows pieces of a text, of n_tokens tokens each, between [CLS] and [SEP].

    A piece begins `step` tokens after the one before it; by default where that one ends.

    Raises ValueError: a text that is too short; sizes that are not positive whole numbers.

    >>> windows("One two three four five.", load(), 2, 3).words[2]
    ['[CLS]', 'five', '.', '[SEP]']
    """
    expect_count("n_tokens", n_tokens)
    expect_count("n_windows", n_windows)
    step = n_tokens if step is None else step
    expect_count("step", step)
    encoding = pretrained.tokenizer.encode(text, add_special_tokens=False)
    needed = n_tokens + step * (n_windows - 1)
    expect(len(encoding.ids) >= needed, f"a text of {needed} tokens or more", len(encoding.ids))
    begin, end = (pretrained.tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
    starts = range(0, step * n_windows, step)
    ids = np.array([[begin, *encoding.ids[i : i + n_tokens], end] for i in starts])
    words = [["[CLS]", *encoding.tokens[i : i + n_tokens], "[SEP]"] for i in starts]
    return Tokens(words, ids, np.ones(ids.shape, dtype=bool))


def batches(tokens: Tokens, size: int = BATCH) -> Iterable[Tokens]:
    """The same texts, a few at a time, so that the weights of all heads fit in memory."""
    for i in range(0, len(tokens.ids), size):
        yield Tokens(tokens.words[i : i + size], tokens.ids[i : i + size], tokens.mask[i : i + size])


def reordered(
    sentence: str, pretrained: Pretrained, orders: Integer[np.ndarray, "order word"]
) -> tuple[Tokens, Integer[np.ndarray, "order token"]]:
    """The sentence with its words in each of these orders, [CLS] and [SEP] where they are; the place of each token.

    Raises ValueError: orders that are no permutations of the words; words that are not one token each.

    >>> tokens, places = reordered("dog bites man", load(), np.array([[2, 0, 1]]))
    >>> load().tokenizer.decode(tokens.ids[0]), places
    ('man dog bites', array([[0, 2, 3, 1, 4]]))
    """
    tokens = tokenize(sentence, pretrained)
    n = tokens.ids.shape[1]
    expect(n == len(sentence.split()) + 2, "words of one token each", tokens.words[0])
    expect(
        orders.ndim == 2 and bool((np.sort(orders, axis=1) == np.arange(n - 2)).all()),
        f"rows that hold each of 0 to {n - 3} once",
        orders,
    )
    ends = np.zeros((len(orders), 1), dtype=np.int64)
    sources = np.concatenate([ends, 1 + orders, ends + n - 1], axis=1)  # (order, n): the token at each place
    words = [[tokens.words[0][i] for i in row] for row in sources]
    mask = np.repeat(tokens.mask, len(orders), axis=0)
    return Tokens(words, tokens.ids[0][sources], mask), np.argsort(sources, axis=1)


# ---- the position table, and where each head looks


def shuffled_table(pretrained: Pretrained, seed: int) -> Pretrained:
    """A control: the same model, the rows of its position table in another order.

    Every position still has a row of its own, with the same norms; which position follows which is lost.
    """
    parameters, config = pretrained.model
    rows = np.asarray(parameters.position["rows"])
    shuffled = rows[np.random.default_rng(seed).permutation(len(rows))]
    position = {**parameters.position, "rows": shuffled}
    return pretrained._replace(model=Model(parameters._replace(position=position), config))


class Room(NamedTuple):
    """How many directions hold a share of a position table's variance, and how much of the words' lies in them."""

    n_directions: int
    words: float
    chance: float  # in as many directions turned at random, on average: n_directions / d_model


def room_for_positions(
    positions: Float[np.ndarray, "position d_model"], words: Float[np.ndarray, "word d_model"], share: float = 0.95
) -> Room:
    """Principal directions of the position table, as many as hold that share of its variance; and the words in them."""
    positions, words = (np.asarray(table, dtype=np.float64) for table in (positions, words))
    centred, words = positions - positions.mean(axis=0), words - words.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    n = int(np.searchsorted(np.cumsum(sizes**2) / np.sum(sizes**2), share) + 1)
    inside = float(((words @ directions[:n].T) ** 2).sum() / (words**2).sum())
    return Room(n, inside, n / words.shape[1])


def offset_weights(
    tokens: Tokens, pretrained: Pretrained, offsets: Sequence[int] = OFFSETS, *, positions: bool = True
) -> Float[np.ndarray, "layer head offset"]:
    """The mean weight of each head on the key at each offset from the query, [CLS] and [SEP] left out. Source: [1]."""
    config = pretrained.model.config
    n = tokens.ids.shape[1] - 2
    sums, n_texts = np.zeros((config.n_layers, config.n_heads, len(offsets))), len(tokens.ids)
    for batch in batches(tokens):
        for layer, state in enumerate(states(batch, pretrained, positions=positions)):
            inner = np.asarray(state.weights)[:, :, 1:-1, 1:-1]
            for column, offset in enumerate(offsets):
                diagonal = np.diagonal(inner, offset, axis1=-2, axis2=-1)  # key − query = offset
                sums[layer, :, column] += diagonal.sum(axis=(0, -1)) / (n - abs(offset))
    return sums / n_texts


def map_changes(
    sentence: str, pretrained: Pretrained, orders: Integer[np.ndarray, "order word"], *, positions: bool = True
) -> Float[np.ndarray, "order layer head"]:
    """How much of its weight each head gives to other tokens once the words stand in another order.

    Each token is followed to its new place, so that a map whose rows and columns have only moved has a change of 0.
    Otherwise, half of the sum over keys of |A' − A|, the mean over the queries: 1 if all weight has gone elsewhere.
    [CLS] and [SEP] stay where they are, and count.

    Raises ValueError: orders that are no permutations of the words; words that are not one token each.
    """
    tokens = tokenize(sentence, pretrained)
    moved, back = reordered(sentence, pretrained, orders)
    every = np.arange(len(orders))[:, None, None, None]
    layers = zip(
        states(tokens, pretrained, positions=positions), states(moved, pretrained, positions=positions), strict=True
    )
    changes = []
    for still, other in layers:
        heads = np.arange(other.weights.shape[1])[:, None, None]
        returned = np.asarray(other.weights)[every, heads, back[:, None, :, None], back[:, None, None, :]]
        changes.append(np.abs(returned - np.asarray(still.weights)).sum(axis=-1).mean(axis=-1) / 2)
    return np.stack(changes, axis=1)


# ---- one sentence in every order


class EveryOrder(NamedTuple):
    """The orders stand as `itertools.permutations` lists them; ``since`` says 0 of the first, from which none differs.

    The numbers of a row are its parts along the directions in which the last rows of all orders vary most, the largest
    first, each divided by its standard deviation.
    """

    heads: list[int]  # by layer: the one whose weights change most from order to order
    weights: Float[np.ndarray, "order layer query key"]  # of these heads; the rest of a row goes to [CLS] and [SEP]
    rows: Float[np.ndarray, "order word number"]
    since: Integer[np.ndarray, "order word"]  # 0: its row is another as it enters, 1: as it leaves layer 0, …
    least_change: float  # of a number, over all orders but the first


def every_order(sentence: str, pretrained: Pretrained, n_numbers: int) -> EveryOrder:
    """The sentence in all orders of its words; [CLS] and [SEP] stay where they are.

    Raises ValueError: words that are not one token each; more numbers than a row has; an order in which a row stays.

    >>> found = every_order("dog bites man", load(like=np.zeros(1)), 8)
    >>> found.weights.shape, found.rows.shape
    ((6, 6, 3, 3), (6, 3, 8))
    >>> found.since[5], found.least_change > SAME  # man bites dog
    (array([0, 1, 0]), True)
    """
    orders = np.array(list(permutations(range(len(sentence.split())))))
    d_model = pretrained.model.config.d_model
    expect(0 < n_numbers <= d_model, f"1 to {d_model} numbers", n_numbers)
    tokens, back = reordered(sentence, pretrained, orders)
    heads = map_changes(sentence, pretrained, orders).mean(axis=0).argmax(axis=-1)  # (layer,)
    layers = states(tokens, pretrained)
    every, words = np.arange(len(orders))[:, None], back[:, 1:-1]  # (order, word): the place of each word

    def by_word(h: np.ndarray) -> Float[np.ndarray, "order word d_model"]:
        return np.asarray(h)[every, words]

    rows = np.stack([by_word(h) for h in (layers[0].x, *(state.hidden for state in layers))])
    differs = (abs(rows - rows[:, :1]) > SAME).any(axis=-1)  # (layer + 1, order, word)
    expect(bool(differs[-1, 1:].all()), "rows that change in every order", "one that stays")
    weights = [
        np.asarray(state.weights)[every[..., None], head, words[:, :, None], words[:, None]]
        for state, head in zip(layers, heads, strict=True)
    ]
    numbers = along_main_directions(rows[-1], n_numbers)
    return EveryOrder(
        heads=heads.tolist(),
        weights=np.stack(weights, axis=1),
        rows=numbers,
        since=np.where(differs.any(axis=0), differs.argmax(axis=0), 0),
        least_change=float(abs(numbers - numbers[0])[1:].min()),
    )


def along_main_directions(rows: Float[np.ndarray, "*some d_model"], n: int) -> Float[np.ndarray, "*some {n}"]:
    """The parts of the rows along their first n principal directions, each of mean 0 and standard deviation 1.

    The sign of a direction is that of its largest entry, so that it is the same on every machine.
    """
    flat = rows.reshape(-1, rows.shape[-1])
    centred = flat - flat.mean(axis=0)
    directions = np.linalg.svd(centred, full_matrices=False)[2][:n]  # (n, d_model)
    largest = np.take_along_axis(directions, abs(directions).argmax(axis=1)[:, None], axis=1)
    parts = centred @ (directions * np.sign(largest)).T
    return (parts / parts.std(axis=0)).reshape(*rows.shape[:-1], n)


# ---- what is stored


def pairs() -> dict[str, Any]:
    """1 − cosine of every pair, as trained and with the position table left out."""
    exact = load(like=np.zeros(1))
    return {
        "examples": EXAMPLES,
        **{
            name: {
                group: distances(of_group, exact, positions=positions)
                for group, of_group in (RULES | YARDSTICKS | {"examples": EXAMPLES}).items()
            }
            for name, positions in (("as trained", True), ("left out", False))
        },
    }


def offsets() -> dict[str, Any]:
    """The mean weight of each head at each offset, in 20 pieces of 126 tokens."""
    model = load()
    tokens = windows(_alice(), model, 126, 20)
    weights = offset_weights(tokens, model)
    layer, head = map(int, np.unravel_index(weights[..., OFFSETS.index(-1)].argmax(), weights.shape[:2]))
    return {
        "offsets": OFFSETS,
        "n_tokens": int(tokens.ids.size),
        "with_positions": weights,
        "without": offset_weights(tokens, model, positions=False),
        "shuffled": [offset_weights(tokens, shuffled_table(model, seed)) for seed in range(3)],
        "previous_token_head": [layer, head],
    }


def parameters() -> dict[str, Any]:
    """How much of the words lies in the directions of the position table; the norms of all heads' biases."""
    model = load()
    learned, n_heads = model.model.parameters, model.model.config.n_heads
    words = np.array([i for token, i in model.tokenizer.get_vocab().items() if not token.startswith("[")])
    table, embedding = learned.position["rows"], learned.embedding[words]
    biases = {
        side: np.array([np.reshape(getattr(b.attention, f"b_{side}"), (n_heads, -1)) for b in learned.blocks])
        for side in ("query", "key")
    }  # (layer, head, d_head)
    return {
        "room": {
            f"{n} positions": room_for_positions(table[:n], embedding)._asdict() for n in (len(table), len(table) // 4)
        },
        "bias_norms": {side: np.linalg.norm(rows, axis=-1) for side, rows in biases.items()},
    }


def in_255(weights: Float[np.ndarray, "*rows key"]) -> np.ndarray:
    """Whole numbers whose rows sum to 255: rounded down, and the largest remainders up."""
    whole = np.floor(255 * weights)
    rank = np.argsort(np.argsort(whole - 255 * weights, axis=-1), axis=-1)  # 0: the largest remainder
    return (whole + (rank < np.rint(255 - whole.sum(axis=-1, keepdims=True)))).astype(np.uint8)


def store_pronoun_attention() -> None:
    """The weights of all heads on one sentence, in steps of 1/255; each row still sums to 1."""
    words, weights = attention(PRONOUN, load())
    np.savez_compressed(FOLDER / "pronoun_attention.npz", tired=in_255(np.asarray(weights)))
    _describe("pronoun_attention.json", {"sentence": PRONOUN, "words": words})


def store_map_changes() -> None:
    """How much each head's map changes in every order of one sentence, in half precision, and the same without the
    position table, as the largest of all."""
    exact, orders = load(like=np.zeros(1)), np.array(list(permutations(range(len(MOVED.split())))))
    changes = map_changes(MOVED, exact, orders)
    without = map_changes(MOVED, exact, orders, positions=False)
    np.savez_compressed(FOLDER / "map_changes.npz", changes=changes.astype(np.float16))
    _describe("map_changes.json", {"sentence": MOVED, "without_table": float(without.max())})


def store_every_order() -> None:
    """The same sentence in every order, in bytes: weights in steps of 1/255, numbers in steps that are stored, too."""
    found = every_order(MOVED, load(like=np.zeros(1)), N_NUMBERS)
    step = float(abs(found.rows).max() / 127)
    np.savez_compressed(
        FOLDER / "every_order.npz",
        weights=np.round(found.weights * 255).astype(np.uint8),
        rows=np.round(found.rows / step).astype(np.int8),
        since=found.since.astype(np.uint8),
    )
    about = {"sentence": MOVED, "heads": found.heads, "step": step, "least_change": found.least_change}
    _describe("every_order.json", about)


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "pairs": pairs,
    "offsets": offsets,
    "parameters": parameters,
}
FILES: dict[str, Callable[[], None]] = {
    "pronoun_attention": store_pronoun_attention,
    "map_changes": store_map_changes,
    "every_order": store_every_order,
}


def _alice() -> str:
    return stored("alice.txt").read_text(encoding="utf-8")


def _made() -> dict[str, Any]:
    return provenance(COMMAND, ["numpy", "tokenizers"], model=HUB, revision=REVISION, sha256=SHA256)


def _describe(name: str, about: dict[str, Any]) -> None:
    text = json.dumps({"provenance": _made(), **about}, indent=1)
    (FOLDER / name).write_text(text + "\n", encoding="utf-8")


def main() -> None:
    for name in chosen_parts(COMMAND, (__doc__ or "").partition("\n")[0], [*PARTS, *FILES]):
        if name in FILES:
            FILES[name]()
        else:
            store_parts(FOLDER / RESULTS, {name: plain({"provenance": _made(), **PARTS[name]()}, 6)}, PARTS)
        print(f"stored {name}", flush=True)


if __name__ == "__main__":
    main()
