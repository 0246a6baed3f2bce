"""The live figures on other layers that mix words: which of them know order."""

from collections.abc import Sequence
from functools import cache
from itertools import permutations

import numpy as np
from jaxtyping import Float

from inorder.audit import ROUNDING
from inorder.mixers.sparse_attention import chunked_hashed_attention, hashed_attention
from inorder.widgets import OrderAudit, marks
from inorder.widgets.kit.twin import listed
from inorder.widgets.order_audit.runs import MOST_MOVED, OTHERS, Run, catalogue_runs

ORDERS = {
    "as it was": (0, 1, 2, 3, 4, 5, 6, 7),
    "man and yard swapped": (0, 1, 5, 3, 4, 2, 6, 7),
    "backwards": (7, 6, 5, 4, 3, 2, 1, 0),
    "well mixed": (3, 6, 0, 5, 2, 7, 1, 4),
}
HEARD = ("dogs", "bit", "men", "last", "night")

# What each word asks for, two numbers: creatures, places, actions. Its bucket is the nearest of ±(1, 0) and ±(0, 1).
ASKS = {
    "dog": (2.0, 0.1),
    "cat": (1.8, 0.4),
    "man": (1.6, -0.3),
    "street": (0.2, 1.7),
    "house": (-0.1, 1.9),
    "yard": (0.4, 1.5),
    "bites": (-1.8, 0.2),
    "runs": (-1.5, -0.4),
}
WAYS = {"hash alone": None, "sorted chunks of 2": 2, "sorted chunks of 4": 4}


def who_follows() -> OrderAudit:
    """The layers of the audit except the Reformer, which the chapter's prediction asks about."""
    figure = OrderAudit("causal self-attention")
    layers = figure.limits["layer"]
    options = [name for name in layers["options"] if not name.startswith("Reformer")]
    figure.set_trait("limits", figure.limits | {"layer": layers | {"options": options}})
    return figure


CHANGES = {"new order": "P", "moved": "S", "new ending": "C"}  # and the law that each tests
TEXT = ("dogs", "bit", "men", "without", "mercy")
TEXT_ORDERS = {" ".join(TEXT[i] for i in order): order for order in permutations(range(len(TEXT)))}


@cache
def layers_of_the_audit() -> tuple[Run, ...]:
    """All layers of the audit on the text of `OrderAudit`, those that obey the same laws together."""
    ranks = ["PSC", "PS", "SC", "S", "C", ""]
    return tuple(sorted(catalogue_runs(TEXT), key=lambda run: ranks.index(run.laws)))


def keeps_rows(run: Run, change: str, order: Sequence[int]) -> bool:
    """Whether a layer gives each word its old row, up to rounding.

    With the words in that order; moved by one row, by two and by three; or with new words from each place on, where
    the rows before it are asked.
    """
    before, n_orders = run.outputs[0], len(TEXT_ORDERS)
    if change == "new order":
        after = run.outputs[list(TEXT_ORDERS.values()).index(tuple(order))]
        pairs = [(after, before[list(order)])]
    elif change == "moved":
        pairs = [(after, before) for after in run.outputs[n_orders : n_orders + MOST_MOVED]]
    else:
        pairs = [(after[:k], before[:k]) for k, after in enumerate(run.outputs[n_orders + MOST_MOVED :], start=2)]
    return all(np.abs(a - b).max() < ROUNDING * np.abs(before).max() for a, b in pairs)


def all_layers(order: str = "mercy bit men without dogs", change: str = "new order") -> list[marks.Mark]:
    """Change the text. Which of 29 layers give every word its old row?"""
    runs, law = layers_of_the_audit(), CHANGES[change]
    kept = [keeps_rows(run, change, TEXT_ORDERS[order]) for run in runs]
    is_new = change != "new order" or order != " ".join(TEXT)
    lucky = [run.name for run, keeps in zip(runs, kept, strict=True) if is_new and keeps and law not in run.laws]
    signs = [("(=)" if run.name in lucky else "=") if keeps else "≠" for run, keeps in zip(runs, kept, strict=True)]
    cards = marks.table({"old rows": signs}, [run.name for run in runs], cards=True)
    line = {
        "new order": marks.sentence(order, order=TEXT_ORDERS[order], drag="order"),
        "moved": marks.sentence(["0", "0", *TEXT], small=[0, 1]),
        "new ending": marks.sentence([*TEXT[:3], *OTHERS[3:]]),
    }[change]
    if not is_new:
        return [line, cards, marks.answer("This is the text as it was: drag a word.", "=")]
    happens = {
        "new order": "give every word its old row",
        "moved": "follow the text as it moves by one, two and three rows",
        "new ending": "give the earlier words their old rows",
    }[change]
    answer = f"{sum(kept)} of {len(runs)} layers {happens}"
    answer += f", {listed([f'“{name}”' for name in lucky])} only by luck: (=)." if lucky else "."
    return [line, cards, marks.answer(answer)]


def may_hear(blind: bool, past_only: bool) -> Float[np.ndarray, "row row"]:
    """Which row of the output may depend on which row of the input, 1 for yes.

    A blind layer treats all pairs of different rows in one way. So if one of them is forbidden, all are.
    """
    n = len(HEARD)
    allowed = np.tril(np.ones((n, n))) if past_only else np.ones((n, n))
    others = ~np.eye(n, dtype=bool)
    if blind and not allowed[others].all():
        allowed[others] = 0
    return allowed


def blind_and_past_only(blind: bool = True, past_only: bool = False) -> list[marks.Mark]:
    """Which words may a row hear, if the layer obeys these laws?"""
    allowed = may_hear(blind, past_only)
    plane = marks.heat_map(
        allowed,
        list(HEARD),
        list(HEARD),
        axes=("the row of", "may hear"),
        actors=("query", "key"),
        limits=(0, 1),
        digits=None,
    )
    if not allowed[~np.eye(len(HEARD), dtype=bool)].any():
        return [plane, marks.answer("Each word hears itself and no other: the layer mixes nothing.")]
    if blind:
        return [plane, marks.answer("Each word may hear all others, but must treat them all the same.")]
    if past_only:
        return [plane, marks.answer("Each word may hear itself and those before it.")]
    return [plane, marks.answer("Each word may hear any other, each in its own way.")]


def looks(order: np.ndarray, chunk_size: int | None) -> Float[np.ndarray, "word word"]:
    """Reformer's weights, with rows and columns in the order of `ASKS` whatever the order of the text.

    The values are one-hot, so the output of the layer *is* its weights.
    """
    query, value = np.array(list(ASKS.values()))[order], np.eye(len(ASKS))[order]
    directions = np.eye(2)
    if chunk_size is None:
        output = hashed_attention(query, value, directions)
    else:
        output = chunked_hashed_attention(query, value, directions, chunk_size=chunk_size)
    weights = np.zeros_like(output)
    weights[order] = output
    return weights


def whole_or_chunks(how: str = "hash alone", order: str = "backwards") -> list[marks.Mark]:
    """Hash the words, with and without chunks. Which words look at which?"""
    before, after = (looks(np.array(ORDERS[o]), WAYS[how]) for o in ("as it was", order))
    maps = [
        marks.heat_map(
            table,
            list(ASKS),
            list(ASKS),
            axes=("asks", "is asked"),
            actors=("query", "key"),
            limits=(0, 1),
            digits=None,
            title=title,
        )
        for table, title in ((before, "text as it was"), (after, f"text: {order}"))
    ]
    unchanged = int((np.abs(after - before).max(axis=1) < 1e-12).sum())
    answer = (
        f"All {unchanged} words look"
        if unchanged == len(ASKS)
        else f"{unchanged or 'None'} of the {len(ASKS)} words look{'s' * (unchanged == 1)}"
    )
    return [*maps, marks.answer(f"{answer} where they looked before.", "=" if unchanged == len(ASKS) else "≠")]


def law(error: float) -> str:
    """✓ for an error that is rounding, else × and the error."""
    return "✓" if error < 1e-12 else f"× {error:.2g}"


MODELS = {
    "bag-of-words": "bag of words",
    "none": "encoder, no positions",
    "sinusoidal": "encoder, sinusoids",
    "rotary": "encoder, rotary (RoPE)",
    "cnn": "CNN",
    "gru": "GRU",
    "mixer": "MLP-Mixer",
}


def same_data() -> list[dict[str, str]]:
    """Models trained on the same data, from the stored sweep: the mean accuracy over seeds."""
    from inorder.lab.results import read  # needs pandas, which the package's core does not need

    runs = read().table()
    runs = runs[(runs["mask"] == "bidirectional") & (runs["n_layers"] == 1) & ~runs["mark"]]
    means = runs.groupby(["scheme", "task", "length"])["accuracy"].mean()
    return [
        {"model": name}
        | {
            f"{task.replace('-', ' ')}, {length}": f"{means[scheme, task, length]:.2f}"
            for task in ("which-first", "copy-left")
            for length in (10, 60)
        }
        for scheme, name in MODELS.items()
    ]
