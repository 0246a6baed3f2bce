"""The running sentence of Part I, with vectors made by hand: two numbers for each word, on axes that have names.

*The animal didn't cross the street because it was too tired*, or *too wide*. Five of its words are kept.

>>> WORDS
('animal', 'cross', 'street', 'it', 'tired')
>>> tuple(SENTENCE[place] for place in PLACES) == WORDS
True
>>> words, keys, queries, values = sentence("wide")
>>> words[-1], queries[3].tolist()
('wide', [0.0, 2.0])

Where the three come from: one row of five numbers for each word, after *it* has had its first look, and three matrices.

>>> all((ROWS @ w == made).all() for w, made in ((W_Q, QUERIES), (W_K, KEYS), (W_V, VALUES)))
True
"""

import numpy as np

KEY_AXES = ("creature", "place")  # what a word offers, and what it asks for
VALUE_AXES = ("warm", "large")  # what it hands over

_KEYS = {"animal": (2, 0), "street": (0, 2)}
_QUERIES = {"cross": (1, 1), "tired": (2, 0), "wide": (0, 2)}
_VALUES = {"animal": (2, 1), "street": (0, 3), "tired": (1, 0), "wide": (0, 1)}


def sentence(last: str = "tired") -> tuple[tuple[str, ...], np.ndarray, np.ndarray, np.ndarray]:
    """The words and their keys, queries and values, each (5, 2); `last` is "tired" or "wide".

    *It* asks for what the last word describes: a creature where it is *tired*, a place where it is *wide*.

    Raises:
        ValueError: `last` is another word.
    """
    if last not in ("tired", "wide"):
        raise ValueError(f'expected last to be "tired" or "wide", got {last!r}')
    words = ("animal", "cross", "street", "it", last)

    def table(rows: dict[str, tuple[int, int]]) -> np.ndarray:
        return np.array([rows.get(word, (0, 0)) for word in words], dtype=float)  # (word 5, axis 2)

    return words, table(_KEYS), table(_QUERIES | {"it": _QUERIES[last]}), table(_VALUES)


WORDS, KEYS, QUERIES, VALUES = sentence()

SENTENCE = tuple(["The", "animal", "didn't", "cross", "the", "street", "because", "it", "was", "too", "tired"])
PLACES = (1, 3, 5, 7, 10)  # of the five words
OTHERS = tuple(place for place in range(len(SENTENCE)) if place not in PLACES)

ROW_AXES = ("creature", "place", "describes creatures", "describes places", "feeling")
ROWS = np.array([[2, 0, 0, 0, 0], [0, 0, 1, 1, 0], [0, 2, 0, 0, 0], [0, 0, 2, 0, 0], [0, 0, 2, 0, 1]], dtype=float)
W_Q = np.array([[0, 0], [0, 0], [1, 0], [0, 1], [0, 0]], dtype=float)  # (axis 5, key axis 2): what a word describes
W_K = np.array([[1, 0], [0, 1], [0, 0], [0, 0], [0, 0]], dtype=float)  # (axis 5, key axis 2): what it is
W_V = np.array([[1, 0.5], [0, 1.5], [0, 0], [0, 0], [1, 0]], dtype=float)  # (axis 5, value axis 2)
