"""The exercises on what a causal mask knows."""

import numpy as np

from inorder.book.exercise import Exercise, Mistake


def _one_hot(tokens: np.ndarray, n_vocabulary: int) -> np.ndarray:
    return np.eye(n_vocabulary)[tokens]


def _prefix_shares(tokens: np.ndarray, n_vocabulary: int) -> np.ndarray:
    counts = _one_hot(tokens, n_vocabulary).cumsum(axis=0)
    return counts / counts.sum(axis=1, keepdims=True)


def _shares_without_own_token(tokens: np.ndarray, n_vocabulary: int) -> np.ndarray:
    counts = _one_hot(tokens, n_vocabulary).cumsum(axis=0) - _one_hot(tokens, n_vocabulary)
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)


prefix_shares = Exercise(
    name="prefix_shares",
    reference=_prefix_shares,
    cases=[
        {"tokens": np.array([0, 0, 1]), "n_vocabulary": 2},
        {"tokens": np.array([2, 0, 2, 1]), "n_vocabulary": 3},
        {"tokens": np.array([1, 1, 1, 1, 3]), "n_vocabulary": 5},
    ],
    mistakes=[
        Mistake(
            "counts instead of taking shares",
            "The weights of a softmax sum to 1: attention sees what share of the prefix a token makes up, not a count.",
            lambda tokens, n: _one_hot(tokens, n).cumsum(axis=0),
        ),
        Mistake(
            "takes the shares of the whole text",
            "Under a causal mask row i sees tokens 0 … i and no later one.",
            lambda tokens, n: np.tile(_one_hot(tokens, n).mean(axis=0), (len(tokens), 1)),
        ),
        Mistake(
            "leaves out the token itself",
            "A token may attend to itself: the prefix of row i ends with token i.",
            _shares_without_own_token,
        ),
    ],
)


def _cached_mask(n_query: int, n_key: int) -> np.ndarray:
    return np.tri(n_query, n_key, n_key - n_query, dtype=bool)


cached_mask = Exercise(
    name="cached_mask",
    reference=_cached_mask,
    cases=[{"n_query": 1, "n_key": 3}, {"n_query": 2, "n_key": 5}, {"n_query": 4, "n_key": 4}],
    mistakes=[
        Mistake(
            "begins its staircase in the top left corner",
            "Query 0 is not the first word of the text. With 3 queries and 10 keys it is at position 7.",
            lambda n_query, n_key: np.tri(n_query, n_key, dtype=bool),
            planted=True,
        ),
        Mistake(
            "leaves out the word itself",
            "A word may look at itself: query i is at position n_key − n_query + i, and may see the key there.",
            lambda n_query, n_key: np.tri(n_query, n_key, n_key - n_query - 1, dtype=bool),
        ),
        Mistake(
            "lets every new word see everything",
            "One new word may see all keys. Of several, the first may not see those that come after it.",
            lambda n_query, n_key: np.ones((n_query, n_key), dtype=bool),
        ),
        Mistake(
            "is true where a query may not look",
            "In this book True means: may look. (torch.nn.MultiheadAttention has it the other way round.)",
            lambda n_query, n_key: ~_cached_mask(n_query, n_key),
        ),
    ],
)
