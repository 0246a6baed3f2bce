"""The exercises on learning order."""

import numpy as np

from inorder.book.exercise import Exercise, Mistake


def _bag_guess(tokens: np.ndarray, *, own: bool = False, first: bool = False, neighbour: int = 1) -> float:
    right = []
    for i in range(0 if first else 1, len(tokens)):
        bag = tokens if own else np.delete(tokens, i)
        right.append(np.bincount(bag).argmax() == tokens[(i - neighbour) % len(tokens)])
    return float(np.mean(right))


guess_from_bag = Exercise(
    name="guess_from_bag",
    reference=_bag_guess,
    cases=[
        {"tokens": np.array([1, 2, 0, 1, 0])},
        {"tokens": np.array([2, 1, 0, 1, 0, 2])},
        {"tokens": np.array([2, 2, 0, 0, 2, 1, 1])},
        {"tokens": np.array([3, 3, 1, 0, 1, 3, 3, 2, 3])},
    ],
    mistakes=[
        Mistake(
            "counts the row’s own word",
            "The word to the left is one of the others. Take the row’s own word out of the bag.",
            lambda tokens: _bag_guess(tokens, own=True),
        ),
        Mistake(
            "lets the first word count",
            "The first word has no left neighbour. (In Python index −1 is the last word, and no error is raised.)",
            lambda tokens: _bag_guess(tokens, first=True),
        ),
        Mistake(
            "compares with the word to the right",
            "The word to the left of word i is word i − 1.",
            lambda tokens: _bag_guess(tokens, neighbour=-1),
        ),
    ],
)


def _share_right(guesses: np.ndarray, targets: np.ndarray) -> float:
    counts = targets != -100
    return float((guesses[counts] == targets[counts]).mean())


def _mean_of_texts(guesses: np.ndarray, targets: np.ndarray) -> float:
    counts = targets != -100
    return float(np.mean([(g[c] == t[c]).mean() for g, t, c in zip(guesses, targets, counts, strict=True)]))


share_right = Exercise(
    name="share_right",
    reference=_share_right,
    cases=[
        {"guesses": np.array([[4, 1, 2]]), "targets": np.array([[-100, 1, 3]])},
        {"guesses": np.array([[0, 1, 2], [2, 2, 2]]), "targets": np.array([[-100, 1, 2], [-100, -100, 2]])},
        {
            "guesses": np.array([[7, 1, 1, 0], [3, 3, 0, 5]]),
            "targets": np.array([[-100, 1, 0, -100], [-100, 3, 0, 6]]),
        },
    ],
    mistakes=[
        Mistake(
            "counts the rows without an answer as wrong",
            "Where the target is −100 there is nothing to get right. Leave these rows out of both counts.",
            lambda guesses, targets: float((guesses == targets).mean()),
            planted=True,
        ),
        Mistake(
            "takes the mean of the texts’ shares",
            "A text with few rows that count would weigh as much as one with many. Count over all texts at once.",
            _mean_of_texts,
        ),
        Mistake(
            "returns how many are right",
            "It should be a share: divide by the number of rows that count.",
            lambda guesses, targets: float((guesses == targets).sum()),
        ),
    ],
)
