"""The exercises on a model that generates."""

import numpy as np

from inorder.book.exercise import Exercise, Mistake, integers


def _to_neighbours(w: np.ndarray, n_heads: int) -> np.ndarray:
    halves = w.reshape(len(w), n_heads, 2, -1)  # (d_model, head, half, pair)
    return np.swapaxes(halves, -1, -2).reshape(w.shape)


to_neighbours = Exercise(
    name="to_neighbours",
    reference=_to_neighbours,
    cases=[
        {"w": np.arange(1.0, 13.0).reshape(2, 6), "n_heads": 1},
        {"w": integers(90, 3, 12), "n_heads": 2},
        {"w": integers(91, 5, 24), "n_heads": 3},
    ],
    mistakes=[
        Mistake(
            "goes from neighbours to halves",
            "Column 1 of the result has to be the first column of the second half.",
            lambda w, n_heads: np.swapaxes(w.reshape(len(w), n_heads, -1, 2), -1, -2).reshape(w.shape),
        ),
        Mistake(
            "takes the halves of the whole matrix",
            "Each head rotates its own columns: reshape to (d_model, head, …) first.",
            lambda w, n_heads: _to_neighbours(w, 1),
        ),
        Mistake(
            "moves the rows",
            "A head’s query is x W: its numbers are columns of W.",
            lambda w, n_heads: _to_neighbours(np.ascontiguousarray(w.T), n_heads).T,
        ),
        Mistake(
            "swaps the two halves of each head",
            "The halves aren’t swapped but interleaved: first half, second half, first half, second half.",
            lambda w, n_heads: w.reshape(len(w), n_heads, 2, -1)[:, :, ::-1].reshape(w.shape),
        ),
    ],
)


def _positions_seen(n_prompt: int, n_new: int, first: int = 0) -> np.ndarray:
    return first + np.arange(n_prompt + n_new)


def _with_new_tokens_at(n_prompt: int, new: np.ndarray) -> np.ndarray:
    return np.concatenate([np.arange(n_prompt), new])


positions_seen = Exercise(
    name="positions_seen",
    reference=_positions_seen,
    cases=[{"n_prompt": 3, "n_new": 2}, {"n_prompt": 5, "n_new": 4}, {"n_prompt": 1, "n_new": 6}],
    mistakes=[
        Mistake(
            "puts every new token at position 0",
            "The cache holds the earlier tokens. A call for one token has one row, and that row isn’t the first.",
            lambda n_prompt, n_new: _with_new_tokens_at(n_prompt, np.zeros(n_new, dtype=int)),
            planted=True,
        ),
        Mistake(
            "starts again from 0 after the prompt",
            "Count on from the prompt’s last position.",
            lambda n_prompt, n_new: _with_new_tokens_at(n_prompt, np.arange(n_new)),
        ),
        Mistake(
            "puts every new token at the same position",
            "Each new token is one position further on than the last.",
            lambda n_prompt, n_new: _with_new_tokens_at(n_prompt, np.full(n_new, n_prompt)),
        ),
        Mistake(
            "leaves a gap after the prompt",
            "The prompt’s last token is at n_prompt − 1, so the first new one is at n_prompt.",
            lambda n_prompt, n_new: _with_new_tokens_at(n_prompt, n_prompt + 1 + np.arange(n_new)),
        ),
    ],
)


def _solved_both_ways(right: np.ndarray, threshold: float) -> np.ndarray:
    return (right.mean(axis=-1) >= threshold).all(axis=-1)


# (template, question, item): mostly the last name; at the threshold; above it
_ANSWERS = np.array(
    [[[1.0, 0, 0, 1, 0], [1, 1, 1, 1, 1]], [[1, 1, 0, 1, 0], [1, 0, 1, 1, 0]], [[1, 1, 0, 1, 1], [1, 1, 1, 1, 1]]]
)

solved_both_ways = Exercise(
    name="solved_both_ways",
    reference=_solved_both_ways,
    cases=[
        {"right": _ANSWERS, "threshold": 0.6},
        {"right": _ANSWERS[::-1, :, :4], "threshold": 0.75},
        {"right": (integers(92, 5, 2, 6) > 0).astype(float), "threshold": 0.5},
    ],
    mistakes=[
        Mistake(
            "averages over both questions",
            "“Always the last name” is right on every item of one question, and therefore on half of all items. Judge "
            "each question by itself.",
            lambda right, threshold: right.mean(axis=(-1, -2)) >= threshold,
        ),
        Mistake(
            "is satisfied with one of the two questions",
            "Both have to reach the threshold: all, not any.",
            lambda right, threshold: (right.mean(axis=-1) >= threshold).any(axis=-1),
        ),
        Mistake(
            "asks for more than the threshold",
            "Exactly the threshold is enough: ≥.",
            lambda right, threshold: (right.mean(axis=-1) > threshold).all(axis=-1),
        ),
        Mistake(
            "compares item by item",
            "The share of right items is compared with the threshold: mean over the items first.",
            lambda right, threshold: (right >= threshold).all(axis=(-1, -2)),
        ),
    ],
)


def _induction_score(weights: np.ndarray, tokens: np.ndarray, step: int = 1, every: bool = False) -> float:
    scores = []
    for query, token in enumerate(tokens):
        earlier = np.flatnonzero(tokens[:query] == token)
        if len(earlier) and 0 <= earlier[-1] + step < len(tokens):
            scores.append(weights[query, earlier[-1] + step])
    return float(np.sum(scores) / (len(tokens) if every else len(scores)))


def _causal_weights(seed: int, n: int) -> np.ndarray:
    drawn = np.tril(np.abs(integers(seed, n, n)) + 1.0)
    return drawn / drawn.sum(axis=-1, keepdims=True)


def _first_copy(weights: np.ndarray, tokens: np.ndarray) -> float:
    firsts = [(i, np.flatnonzero(tokens[:i] == t)) for i, t in enumerate(tokens)]
    return float(np.mean([weights[i, earlier[0] + 1] for i, earlier in firsts if len(earlier)]))


induction_score = Exercise(
    name="induction_score",
    reference=_induction_score,
    cases=[
        {"weights": _causal_weights(93, 6), "tokens": np.array([4, 7, 2, 4, 7, 2])},
        {"weights": _causal_weights(94, 8), "tokens": np.array([1, 5, 1, 3, 1, 5, 9, 3])},
        {"weights": _causal_weights(95, 7), "tokens": np.array([6, 6, 2, 6, 3, 2, 8])},
    ],
    mistakes=[
        Mistake(
            "looks at the earlier copy itself",
            "That is a same-token head. An induction head looks one to the right of the earlier copy.",
            lambda weights, tokens: _induction_score(weights, tokens, step=0),
        ),
        Mistake(
            "looks at the token before the earlier copy",
            "What came next is to the right.",
            lambda weights, tokens: _induction_score(weights, tokens, step=-1),
        ),
        Mistake(
            "averages over all tokens",
            "A token that hasn’t occurred before has no target: leave it out of the mean.",
            lambda weights, tokens: _induction_score(weights, tokens, every=True),
        ),
        Mistake(
            "takes the first earlier copy",
            "If there are several earlier copies, the last one counts.",
            _first_copy,
        ),
    ],
)
