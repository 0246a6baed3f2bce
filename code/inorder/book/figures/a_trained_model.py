"""The live figures on a trained sentence encoder, over the records of `studies.trained_encoder`."""

from itertools import permutations

import numpy as np
from jaxtyping import Float

from inorder.stored import read_record
from inorder.widgets import marks
from inorder.widgets.marks import Mark

LAYERS, HEADS = tuple(f"layer {layer}" for layer in range(6)), tuple(str(head) for head in range(12))
DARKEST = 0.5  # a change of a map; few are larger
TABLES = ("as trained", "left out")
OF_OTHER_WORDS = ("one word replaced", "unrelated sentences")


def by_rule(table: str = "as trained") -> dict[str, Float[np.ndarray, " pair"]]:
    """The stored 1 − cosine of all pairs, by the rule that they were made by; those of other words last."""
    stored = read_record("trained_encoder.json")["pairs"][table]
    rules = {name: np.array(of_pairs) for name, of_pairs in stored.items() if name != "examples"}
    return {name: np.abs(of_pairs.round(9)) for name, of_pairs in rules.items()}  # no rounding, nor a zero's sign


def of_the_same_words(table: str = "as trained") -> Float[np.ndarray, " pair"]:
    """All pairs of the same words in two orders."""
    return np.concatenate([of_pairs for name, of_pairs in by_rule(table).items() if name not in OF_OTHER_WORDS])


def examples() -> tuple[str, ...]:
    """The pairs that a page offers."""
    return tuple(" / ".join(pair) for pair in read_record("trained_encoder.json")["pairs"]["examples"])


def distance(pair: str, table: str = "as trained") -> float:
    """1 − cosine of two sentences with a slash between them: stored, or with the model, where it is at hand.

    Raises ValueError: not two sentences; a pair that isn't stored, and no weights on this machine.

    >>> distance("race horse / horse race") > 0.01
    True
    """
    if pair in examples():
        return float(read_record("trained_encoder.json")["pairs"][table]["examples"][examples().index(pair)])
    sentences = [sentence.strip() for sentence in pair.split("/")]
    if len(sentences) != 2 or not all(sentences):
        raise ValueError(f"expected two sentences with / between them, got {pair!r}")
    from inorder import pretrained

    try:
        model = pretrained.load()
    except (FileNotFoundError, ImportError) as missing:
        raise ValueError(f"a pair of your own needs the model: {missing}") from missing
    one, other = pretrained.sentence_vector(sentences, model, table == "as trained")
    return float(1 - one @ other)


def two_orders(pair: str = "the dog bites the man / the man bites the dog", table: str = "as trained") -> list[Mark]:
    """Two sentences, two vectors. How far apart?"""
    yours, rules = distance(pair, table), by_rule(table)
    plane = marks.bars(
        [float(np.median(of_pairs)) for of_pairs in rules.values()],
        list(rules),
        columns={"largest": [of_pairs.max() for of_pairs in rules.values()]},
        axis="median of 1 − cosine; dashed: yours",
        limits=(0, 1),
        digits=3,
        reference=round(yours, 6),
    )
    if yours < 1e-5:
        return [plane, marks.answer("Your two sentences have one vector: the cosine is 1.", "=")]
    same = of_the_same_words(table)
    words = f"Your two sentences are {yours:.3f} apart: the cosine is {1 - yours:.3f}."
    if table == "as trained":
        words += f" Of the {len(same)} pairs of the same words, {(same < yours).sum()} are closer together."
    return [plane, marks.answer(words, "≠")]


def pronoun_map() -> tuple[tuple[str, ...], Float[np.ndarray, "layer head query key"]]:
    """The stored weights of all heads on "… because it was too tired.", and its tokens."""
    weights = read_record("pronoun_attention.npz")["tired"] / 255
    return tuple(read_record("pronoun_attention.json")["words"]), weights


def map_changes() -> tuple[tuple[str, ...], Float[np.ndarray, "order layer head"], float]:
    """A sentence, the stored change of every map in each order of its words, and the most without the position table.

    The orders are those of `itertools.permutations`.
    """
    about = read_record("map_changes.json")
    changes = read_record("map_changes.npz")["changes"].astype(np.float64)
    return tuple(about["sentence"].split()), changes, about["without_table"]


def orders_of_words() -> dict[str, tuple[int, ...]]:
    """All orders of the words of that sentence, as `permutations` has them."""
    words, _, _ = map_changes()
    return {" ".join(words[i] for i in order): order for order in permutations(range(len(words)))}


def flinch(order: str = "she said only he lied", table: str = "as trained") -> list[Mark]:
    """Drag a word. Which of the 72 attention maps flinch?"""
    words, changes, _ = map_changes()
    orders = orders_of_words()
    change = changes[list(orders).index(order)] * (table == "as trained")  # (layer, head)
    line = marks.sentence(order, order=orders[order], drag="order")
    grid = marks.heat_map(
        change,
        LAYERS,
        HEADS,
        axes=("layer", "head"),
        limits=(0, DARKEST),
        digits=None,
        title="share of a head's weight that now goes elsewhere",
    )
    if order == " ".join(words):
        return [line, grid, marks.answer("The words as they were: drag one.", "=")]
    if table != "as trained":
        return [line, grid, marks.answer("No map changes: each has only moved along with its words.", "=")]
    (most_layer, most_head), (layer, head) = (
        np.unravel_index(where, change.shape) for where in (change.argmax(), change.argmin())
    )
    answer = f"On average {change.mean():.2f} of a head's weight goes elsewhere: most in layer {most_layer}, head "
    answer += f"{most_head} ({change.max():.2f}), least in layer {layer}, head {head} ({change.min():.2f})."
    return [line, grid, marks.answer(answer, "≠")]
