"""The live figures on texts longer than those of training: new angles, the crowd, who still works, slower hands."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int64

from inorder.encodings import frequencies, interpolated_frequencies, ntk_frequencies, yarn_frequencies
from inorder.lab.schemes import compared, scheme_labels
from inorder.stored import read_record
from inorder.widgets import marks

TRAINED = 20  # words in the longest text of training; the shortest has 5
LENGTHS = (10, 20, 30, 40, 60)
D_MODEL, N_HEADS = 32, 4
TASKS = ("which-first", "copy-left", "last-token")


D_HEAD = D_MODEL // N_HEADS
FACES = ((1.2, 0.0), (3.9, 0.0), (6.6, 0.0), (9.3, 0.0))  # where the clock faces stand
TEXT_ROW, WIDTH = -1.9, 10.2  # the text below them, and the length of one of 60 words


def clock_faces(words: int = TRAINED) -> list[marks.Mark]:
    """Pull the end of the text. How far do the hands of a head turn?

    A head of eight columns has four hands. Rays: the angles from a word to those on its right, in
    texts of up to 20. Arrow: the angle from the first word to the last.
    """
    omega, distance = frequencies(D_HEAD), words - 1
    limits: dict[str, Any] = {"x_limits": (-0.3, 11.1), "y_limits": (-2.4, 1.7)}
    end = words * WIDTH / 60
    plane = marks.lines([0, end], [TEXT_ROW, TEXT_ROW], equal=True, bare=True, **limits)
    for centre, hand in zip(FACES, omega, strict=True):
        face = _face(centre, hand)
        plane += marks.lines(face[:, 0], face[:, 1], **limits)
        newest = min(distance, 2 * np.pi / hand - (TRAINED - 1))  # beyond it lie the rays of the left side
        arc = _at(centre, np.linspace(min(TRAINED - 1, distance), newest, 30) * (hand if _is_new(hand) else 0), 1.14)
        plane += marks.lines(arc[:, 0], arc[:, 1], actor="position", **limits)
    tips = np.concatenate([_at(centre, hand * distance) for centre, hand in zip(FACES, omega, strict=True)])
    plane += marks.arrows(tips, tails=FACES, actor="position", **limits)
    names = [f"ω = {hand:g}" for hand in omega]
    plane += marks.points([[x, y + 1] for x, y in FACES], names, **limits)
    plane += marks.points(
        [[TRAINED * WIDTH / 60, TEXT_ROW]], ["20, as in training" if words > TRAINED + 16 else ""], **limits
    )
    plane += marks.points([[end, TEXT_ROW]], [f"{words} words"], actor="position", drag="words", **limits)
    if words <= TRAINED:
        return [plane, marks.answer("In training, every hand has met every angle of this text.", "=")]
    beyond = [hand for hand in omega if _is_new(hand)]
    new = [f"{hand:g}" for hand in beyond if hand * (distance + TRAINED - 1) < 2 * np.pi]
    round_again = [f"{hand:g}" for hand in beyond if f"{hand:g}" not in new]
    which = f"{', '.join(new[:-1])} and {new[-1]}" if len(new) > 1 else new[0]
    sentence = (
        f"Between the first word and the last, the hands with ω = {which} point where they never pointed in training."
    )
    if round_again:
        sentence += f" The one with ω = {round_again[0]} has come round to where it pointed for words on the left."
    return [plane, marks.answer(sentence, "≠")]


def _is_new(hand: float) -> bool:
    """Whether texts of training leave angles of a hand unseen."""
    return bool(hand * (TRAINED - 1) < 2 * np.pi)


def _at(centre: tuple[float, float], angle: Any, radius: float = 1.0) -> Float[np.ndarray, "angle 2"]:
    """Places on a face, from twelve o'clock."""
    turn = np.atleast_1d(np.asarray(angle, dtype=float))
    return np.array(centre) + radius * np.stack([np.sin(turn), np.cos(turn)], axis=1)


def _face(centre: tuple[float, float], hand: float) -> Float[np.ndarray, "corner 2"]:
    """A ray for each distance of training, and the rim, in one stroke."""
    rays = [ray for k in range(TRAINED) for ray in ([centre], _at(centre, hand * k), [centre])]
    return np.concatenate([*rays, _at(centre, 2 * np.pi * np.linspace(0, 1, 49))])


def share_of_the_best(
    lengths: Int64[np.ndarray, " text"], lead: int | float, slope: int | float = 0, distance: int = 3
) -> Float[np.ndarray, " text"]:
    """The weight of a key to the left whose score leads all others by `lead` before ALiBi, in texts of these lengths.

    The query is the last word, so that the keys stand at the distances 0 … n − 1.

    >>> share_of_the_best(np.array([20, 60]), np.log(19)).round(3)
    array([0.5  , 0.244])
    """
    counts = np.exp(-slope * np.arange(lengths.max()))
    crowd = counts.cumsum()[lengths - 1] - counts[distance]
    return 1 / (1 + crowd / (np.exp(lead) * counts[distance]))


def more_keys(lead: int | float = 4, slope: str = "0", words: int = 60) -> list[marks.Mark]:
    """One key matches best. What do more words take away from it?"""
    lengths = np.arange(5, 201, 5)
    weights = share_of_the_best(lengths, lead, SLOPES[slope])
    axes = ("words in the text", "weight of the best key")
    curve = marks.lines(lengths, weights, axes=axes, y_limits=(0, 1), actor="key")
    before, after = share_of_the_best(np.array([TRAINED, words]), lead, SLOPES[slope])
    at = [[TRAINED, before], [words, after]]
    curve += marks.points(at, [f"{before:.2f}", f"{after:.2f}" if words > TRAINED else ""], actor="key", equal=False)
    lost = f"With {TRAINED} words the best key gets {before:.2f}, with {words} it gets {after:.2f}."
    return [curve, marks.answer(lost, "=" if abs(before - after) < 0.005 else "≠")]


SLOPES = {"0": 0.0, "1/64": 1 / 64, "1/16": 1 / 16, "1/4": 1 / 4}


@cache
def runs() -> Any:
    """The stored runs of this chapter: encoders of one layer without a first-token mark; one row a run and length."""
    from inorder.lab.results import read

    table = read().table()
    plain = (table["mask"] == "bidirectional") & ~table["mark"].astype(bool) & (table["n_layers"] == 1)
    added = [name for name, entry in compared().items() if not getattr(entry.scheme, "concatenate", 0)]
    return table[plain & table["scheme"].isin(added) & table["task"].isin(TASKS)]


@cache
def labels() -> dict[str, str]:
    """{name of a scheme: what a reader sees}, for the schemes of the registry that have stored runs."""
    names = set(runs()["scheme"])
    return {name: label for name, label in scheme_labels().items() if name in names}


def accuracies(task: str, scheme: str, length: int) -> Float[np.ndarray, " seed"]:
    """The stored accuracy of each seed."""
    table = runs()
    these = (table["task"] == task) & (table["scheme"] == scheme) & (table["length"] == length)
    return table[these].sort_values("seed")["accuracy"].to_numpy()


def floor(task: str, length: int) -> float:
    """The best that a model blind to order can do."""
    table = runs()
    return float(table[(table["task"] == task) & (table["length"] == length)]["floor"].iloc[0])


def who_still_stands(task: str = "copy-left", words: int = 60) -> list[marks.Mark]:
    """Let the texts grow. Which schemes still work?"""
    means, worst = [], []
    for scheme in labels():
        shares = accuracies(task, scheme, words)
        means.append(shares.mean())
        worst.append(shares.min())
    bars = marks.bars(
        means,
        list(labels().values()),
        columns={"worst": worst},
        axis="right answers",
        limits=(0, 1),
        reference=floor(task, words),
        actor="position",
    )
    standing = sum(mean > 0.95 for mean in means)
    asked = "in training" if words <= TRAINED else "never met in training"
    sentence = f"{words} words, a length {asked}: {standing} of {len(means)} give more than 95 right answers in 100."
    return [bars, marks.answer(sentence)]


# A real decoder: SmolLM2-135M, whose heads have 32 hands.
READ, READ_IN_TRAINING, D_HEAD_READ, BASE_READ = 12_288, 8_192, 64, 100_000.0
FACTOR = READ / READ_IN_TRAINING
TEXTS = {"Alice": "alice", "this book": "book"}


class Remedy(NamedTuple):
    """A stored run, the frequencies of its hands, and the largest distance between two tokens."""

    run: str
    omega: Float[np.ndarray, " frequency"]
    farthest: int = READ - 1


_HANDS = frequencies(D_HEAD_READ, base=BASE_READ)
REMEDIES = {
    "as trained": Remedy("trained", _HANDS),
    "interpolated": Remedy("interpolated", interpolated_frequencies(D_HEAD_READ, FACTOR, base=BASE_READ)),
    "NTK-aware": Remedy("ntk", ntk_frequencies(D_HEAD_READ, FACTOR, base=BASE_READ)),
    "YaRN": Remedy("yarn", yarn_frequencies(D_HEAD_READ, FACTOR, READ_IN_TRAINING, base=BASE_READ)),
    "half the text": Remedy("cut", _HANDS, READ // 2 - 1),
    "half, with a gap": Remedy("gap", _HANDS),
}


def losses(text: str, run: str) -> Float[np.ndarray, " block"]:
    """The mean loss of each 1,024 tokens of a text, or of its second half; −log p, in nats."""
    blocks = np.array(read_record("longer_decoder.json")[f"{text}/{run}"])
    return blocks.reshape(-1, 4).mean(axis=1)


def slower_hands(remedy: str = "as trained", text: str = "Alice") -> list[marks.Mark]:
    """Read half as much again as in training. What does each remedy take away?"""
    run, omega, farthest = REMEDIES[remedy]
    share = omega * farthest / (_HANDS * (READ_IN_TRAINING - 1))
    limits: dict[str, Any] = {"x_limits": (0, 31), "y_limits": (0.6, 1.6)}
    axes = ("hand, the fastest first", "largest angle ÷ largest in training")
    hands = marks.lines(np.arange(32), {"": share}, actor="position", axes=axes, **limits)
    hands += marks.lines([0, 31], [1, 1], **limits) + marks.lines([20, 20], [0.6, 1.6], **limits)
    curve, trained = losses(TEXTS[text], run), losses(TEXTS[text], "trained")
    limits = {"x_limits": (0, 12.288), "y_limits": (1.8, 4.2)}
    middles = 1.024 * (np.arange(12) + 0.5)
    plane = marks.lines(middles, trained, axes=("tokens read (thousands)", "loss"), **limits)
    plane += marks.lines([8.192, 8.192], [1.8, 4.2], **limits)
    plane += marks.lines(middles[-len(curve) :], curve, actor="position", **limits)
    last = f"Loss of the last 1,024 tokens, {text}: {curve[-1]:.2f}"
    if run == "trained":
        return [hands, plane, marks.answer(f"{last}.")]
    return [
        hands,
        plane,
        marks.answer(f"{last}, and {trained[-1]:.2f} as trained.", "✓" if curve[-1] < trained[-1] - 0.1 else "×"),
    ]
