"""The exercises on texts that are longer than those of training."""

import math

import numpy as np

from inorder.book.exercise import Exercise, Mistake


def _lead_for(weight: float, n: int) -> float:
    return math.log((n - 1) * weight / (1 - weight))


lead_for = Exercise(
    name="lead_for",
    reference=_lead_for,
    cases=[{"weight": w, "n": n} for w, n in ((0.5, 2), (0.5, 20), (0.9, 20), (0.9, 60), (0.99, 1000))],
    mistakes=[
        Mistake(
            "counts the best key among its rivals",
            "There are n keys, and one of them is the best: it has n − 1 rivals.",
            lambda weight, n: math.log(n * weight / (1 - weight)),
        ),
        Mistake(
            "has weight and rest the wrong way round",
            "The larger the weight has to be, the larger the lead must be.",
            lambda weight, n: math.log((n - 1) * (1 - weight) / weight),
        ),
        Mistake(
            "asks for the weight itself to be n − 1 times as large as the rest",
            "Solve w = 1/(1 + (n − 1)e^(−c)) for c: first take the reciprocal.",
            lambda weight, n: math.log((n - 1) * weight),
        ),
    ],
)


def _squeezed(n: int, longest: int) -> np.ndarray:
    return np.arange(n) * min(n, longest) // n


squeezed = Exercise(
    name="squeezed",
    reference=_squeezed,
    cases=[{"n": n, "longest": longest} for n, longest in ((6, 3), (4, 4), (3, 5), (7, 3), (60, 20), (50, 20))],
    mistakes=[
        Mistake(
            "stretches short texts as well",
            "A text that is no longer than the training texts keeps its positions 0, 1, 2 …",
            lambda n, longest: np.arange(n) * longest // n,
        ),
        Mistake(
            "cuts the text off",
            "All words beyond the border get the last position. Squeezing spreads the words evenly over the positions.",
            lambda n, longest: np.minimum(np.arange(n), longest - 1),
        ),
        Mistake(
            "begins again from 0",
            "That repeats the positions: the last word of the text may come before the first. They must never fall.",
            lambda n, longest: np.arange(n) % longest,
        ),
    ],
)


def _mean_rank(accuracy: np.ndarray) -> np.ndarray:
    better = (accuracy[None] > accuracy[:, None]).sum(axis=1)  # (scheme, task): how many others are ahead
    return 1 + better.mean(axis=1)


mean_rank = Exercise(
    name="mean_rank",
    reference=_mean_rank,
    cases=[
        {"accuracy": np.array([[0.5, 0.9], [0.9, 1.0], [0.7, 0.8]])},
        {"accuracy": np.array([[0.6, 0.2, 0.5], [0.8, 0.9, 0.4], [0.3, 0.7, 0.6], [0.9, 0.1, 0.7]])},
        {"accuracy": np.random.default_rng(5).permutation(30).reshape(6, 5) / 30},
    ],
    mistakes=[
        Mistake(
            "lists which scheme is first, second, third …, and not the rank of each",
            "argsort says *which scheme* has each rank. Sort once more, or count how many are ahead.",
            lambda accuracy: 1 + (-accuracy).argsort(axis=0).mean(axis=1),
            planted=True,
        ),
        Mistake(
            "gives rank 1 to the worst",
            "The largest accuracy has rank 1.",
            lambda accuracy: 1 + accuracy.argsort(axis=0).argsort(axis=0).mean(axis=1),
        ),
        Mistake(
            "ranks the tasks of each scheme",
            "Compare the schemes with one another on the same task: along axis 0.",
            lambda accuracy: 1 + (-accuracy).argsort(axis=1).argsort(axis=1).mean(axis=1),
        ),
    ],
)
