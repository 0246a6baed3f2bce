"""What the mask and the rotations each say of the order: one taken away, then the other, then both.

The mask says nothing of the order of some rows if they all see each other; the rotations, if they share one position.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Bool, Float, Integer

from inorder._arrays import expect, expect_choice
from inorder.attention import causal_mask
from inorder.lab.trained_decoder.texts import Swap, swap_tokens
from inorder.pretrained.decoder import LanguageModel, tokenize
from inorder.transformer import LayerState, encode, layer_states, unembed

SKIPPED = 8  # rows at the start of a piece of prose, which have little to go by: means leave them out
SOURCES = ("both", "rotations", "mask", "neither")  # that still say something of the order


def open_mask(n: int, start: int, end: int) -> Bool[np.ndarray, "query key"]:
    """A causal mask, opened: rows start … end − 1 see each other whatever their order.

    >>> open_mask(4, 1, 3).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 1, 0],
           [1, 1, 1, 0],
           [1, 1, 1, 1]])
    """
    mask = np.array(causal_mask(n))
    mask[start:end, start:end] = True
    return mask


def row_differences(pair: tuple[str, str], lm: LanguageModel) -> dict[str, Float[np.ndarray, " state"]]:
    """By how much the last rows of two texts differ, before the first layer and after each, for each of `SOURCES`:

        |a − b| / √(|a| |b|)

    Raises ValueError: two texts of different lengths.

    >>> from inorder.lab.trained_decoder.texts import PAIRS
    >>> from inorder.pretrained.decoder import load
    >>> differences = row_differences(PAIRS[0], load())
    >>> bool(differences["mask"][1] < 1e-6 < 1e-3 < differences["mask"][2]), bool(differences["neither"].max() < 1e-4)
    (True, True)
    """
    ids = np.stack([tokenize(text, lm).ids for text in pair])  # NumPy refuses different lengths
    n = ids.shape[1]
    differences = {}
    for source in SOURCES:
        positions = np.arange(n) if source in ("both", "rotations") else np.zeros(n, int)
        mask = open_mask(n, 0, n if source in ("rotations", "neither") else 0)
        rows = last_rows(layer_states(ids, *lm.model, positions=positions, mask=mask))
        differences[source] = relative_differences(*np.moveaxis(rows, 1, 0))
    return differences


def last_rows(states: Iterable[LayerState]) -> Float[np.ndarray, "state *batch d_model"]:
    """The last row of the stream, before the first layer and after each."""
    first, *others = states
    return np.stack([np.asarray(x)[..., -1, :] for x in (first.x, first.hidden, *(state.hidden for state in others))])


def relative_differences(
    a: Float[np.ndarray, "*batch d_model"], b: Float[np.ndarray, "*batch d_model"]
) -> Float[np.ndarray, "*batch"]:
    """|a − b| / √(|a| |b|), row by row.

    >>> relative_differences(np.array([[4.0, 0.0]]), np.array([[1.0, 0.0]]))
    array([1.5])
    """
    norm_a, norm_b = (np.linalg.norm(rows, axis=-1) for rows in (a, b))
    return np.linalg.norm(a - b, axis=-1) / np.sqrt(norm_a * norm_b)


ACCESS = tuple(f"mask, second, {change}" for change in ("between", "other word", "hidden"))
VIEWS = ("both", "rotations", "rotations, narrow", "mask, first", "mask, second", *ACCESS, "neither", "unrotated")


def swap_effects(
    swaps: Sequence[Swap], lm: LanguageModel, views: Sequence[str] = VIEWS
) -> dict[str, Float[np.ndarray, "swap 2"]]:
    """logit of the first answer − logit of the second, for each text and for its two words swapped.

    views: "both" (nothing is taken away); "rotations" (the mask is open from row 1 to the second word) and "rotations,
    narrow" (open from the first of the two words on: this, too, says nothing of their order); "mask, first" and "mask,
    second" (both words stand at the position of the first, or of the second); "mask, second, between" (the same, and
    the first word may see the words between the two as well), "mask, second, other word" (it may see the second word
    instead) and "mask, second, hidden" (the words between don't see the first); "neither" (the mask open, both at the
    first); "unrotated" (all tokens at one position). Row 0 always sees only itself.

    Raises ValueError: as `swap_tokens`; an unknown view.

    >>> from inorder.lab.trained_decoder.texts import TASKS
    >>> from inorder.pretrained.decoder import load
    >>> effects = swap_effects(TASKS["title, 3 apart"][:1], load(), ["both", "neither"])
    >>> bool(abs(np.diff(effects["both"])).max() > 1), bool(abs(np.diff(effects["neither"])).max() < 1e-3)
    (True, True)
    """
    effects = {view: np.empty((len(swaps), 2)) for view in views}
    for group in swap_tokens(tuple(swaps), lm):
        n, (first, second) = group.ids.shape[1], group.rows
        order = np.arange(n)
        order[[first, second]] = second, first
        texts = np.concatenate([group.ids, group.ids[:, order]])
        for view in views:
            positions, mask = _view(view, n, first, second)
            rows = encode(texts, *lm.model, positions=positions, mask=mask)[:, -1]
            logits = np.asarray(unembed(rows, lm.model.parameters)).reshape(2, len(group.members), -1)
            answers = np.take_along_axis(logits, group.answers[None], axis=-1)  # (order, swap, answer)
            effects[view][group.members] = (answers[..., 0] - answers[..., 1]).T
    return effects


def _view(view: str, n: int, first: int, second: int) -> tuple[np.ndarray, np.ndarray]:
    expect_choice("view", view, VIEWS)
    positions, opened = np.arange(n), view in ("rotations", "neither")
    if view in ("mask, first", "neither"):
        positions[second] = first
    elif view in ("mask, second", *ACCESS):
        positions[first] = second
    elif view == "unrotated":
        positions[:] = 0
    mask = open_mask(n, 1, second + 1 if opened else 1)
    if view == "rotations, narrow":
        mask = open_mask(n, first, second + 1)
    elif view == "mask, second, between":
        mask[first, first:second] = True
    elif view == "mask, second, other word":
        mask[first, second] = True
    elif view == "mask, second, hidden":
        mask[first + 1 : second, first] = False
    return positions, mask


def swap_share(
    effects: dict[str, Float[np.ndarray, "swap 2"]], view: str, *, n_draws: int = 1000, seed: int = 0
) -> dict[str, float | list[float]]:
    """How much of the swap's effect is left in a view, with the interval of 95% of bootstrap samples of the swaps; and
    how often the answer is right, as the text stands and swapped.

    >>> effects = {"both": np.array([[3.0, -1.0], [2.0, -2.0]]), "mask": np.array([[2.0, 0.0], [1.0, -1.0]])}
    >>> swap_share(effects, "mask")["share"]
    0.5
    """
    whole, left = (effects[name][:, 0] - effects[name][:, 1] for name in ("both", view))
    draws = np.random.default_rng(seed).integers(0, len(whole), (n_draws, len(whole)))
    shares = left[draws].sum(axis=1) / whole[draws].sum(axis=1)
    right = [float((effects[view][:, 0] > 0).mean()), float((effects[view][:, 1] < 0).mean())]
    interval = np.quantile(shares, [0.025, 0.975]).tolist()
    return {"share": float(left.sum() / whole.sum()), "interval": interval, "right": right}


COPIES = (
    "untouched",
    "rotations",
    "rotations, rows shuffled",
    "mask",
    "neither",
    "rotations, first row too",
    "by position",
    "by row",
    "unrotated",
    "another list",
)


def copy_losses(
    words: Integer[np.ndarray, "list word"], lm: LanguageModel, first: int, *, seed: int = 0
) -> dict[str, Float[np.ndarray, " list"]]:
    """A token `first`, a list of words, and the same list again: the mean loss of each list's second copy, in nats.

    untouched                 as the model reads any text
    rotations                 the words of the first copy all see each other: no order in their mask. Row 0 sees itself
    rotations, rows shuffled  the same with the rows in another order, and each word's position as it was
    mask                      the words of the first copy share one position: no order in their rotations
    neither                   both
    rotations, first row too  the first copy and row 0 all see each other
    by position, by row       the rows are shuffled, each word keeps its position, the mask is causal: the second copy
                              goes on in the order of the positions, or of the rows
    unrotated                 all tokens at one position
    another list              the first copy is another list: what an unpredictable word costs

    Raises ValueError: fewer than three words, or than two lists (each is another list for its neighbour).

    >>> from inorder.lab.trained_decoder.texts import random_words
    >>> from inorder.pretrained.decoder import load
    >>> losses = copy_losses(random_words(load(), 8, 2, seed=0), load(), first=504)
    >>> bool((losses["rotations"] < losses["mask"]).all())
    True
    """
    n_lists, length = words.shape
    expect(n_lists > 1 and length > 2, "two lists or more, of three words or more", words.shape)
    rng, n = np.random.default_rng(seed), 2 * length + 1
    order, start = rng.permutation(length), np.full((n_lists, 1), first)
    shuffled, others = words[:, order], np.roll(words, 1, axis=0)[:, ::-1]
    ordered, equal, permuted = np.arange(n), np.arange(n), np.arange(n)
    equal[1 : length + 1] = (length + 1) // 2
    permuted[1 : length + 1] = 1 + order
    causal, opened, wide = (open_mask(n, *rows) for rows in ((0, 0), (1, length + 1), (0, length + 1)))
    views = {  # the first copy, the second, positions, mask
        "untouched": (words, words, ordered, causal),
        "rotations": (words, words, ordered, opened),
        "rotations, rows shuffled": (shuffled, words, permuted, opened),
        "mask": (words, words, equal, causal),
        "neither": (words, words, equal, opened),
        "rotations, first row too": (words, words, ordered, wide),
        "by position": (shuffled, words, permuted, causal),
        "by row": (shuffled, shuffled, permuted, causal),
        "unrotated": (words, words, 0 * ordered, causal),
        "another list": (others, words, ordered, causal),
    }
    losses = {}
    for name, (copy, again, positions, mask) in views.items():
        ids = np.concatenate([start, copy, again], axis=1)
        losses[name] = token_losses(ids, lm, positions, mask)[:, length + 1 :].mean(axis=1)
    return losses


def token_losses(
    ids: Integer[np.ndarray, "text position"],
    lm: LanguageModel,
    positions: Integer[np.ndarray, " position"],
    mask: Bool[np.ndarray, "position position"] | None = None,
) -> Float[np.ndarray, "text position-1"]:
    """−log p(token i + 1) in row i, in nats; causal unless a mask says otherwise.

    >>> from inorder.pretrained.decoder import load
    >>> ids = np.array([[504, 3575, 282, 4649, 314, 7042]])  # The capital of France is Paris
    >>> bool(token_losses(ids, load(), np.arange(6))[0, -1] < 1)
    True
    """
    mask = np.asarray(causal_mask(ids.shape[1])) if mask is None else mask
    rows = encode(ids, *lm.model, positions=positions, mask=mask)[:, :-1]
    return target_losses(rows, ids[:, 1:], lm)


def target_losses(
    rows: Float[np.ndarray, "text position d_model"], targets: Integer[np.ndarray, "text position"], lm: LanguageModel
) -> Float[np.ndarray, "text position"]:
    """−log p(target) that the last rows of the stream, after the output norm, give each target, in nats."""
    scores = log_probabilities(np.asarray(unembed(rows, lm.model.parameters)))
    return -np.take_along_axis(scores, targets[..., None], axis=-1)[..., 0]


def log_probabilities(logits: Float[np.ndarray, "*batch vocabulary"]) -> Float[np.ndarray, "*batch vocabulary"]:
    """log softmax, without going through numbers that round to 0.

    >>> log_probabilities(np.array([0.0, -2000.0]))
    array([    0., -2000.])
    """
    logits = logits - logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
