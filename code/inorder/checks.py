"""Checkers for the book's exercises. They try your function and name the usual mistakes.

    >>> import numpy as np
    >>> from inorder.checks import check_softmax
    >>> verdict = check_softmax(lambda scores: np.exp(scores) / np.exp(scores).sum())
    >>> print(verdict.message.splitlines()[0])
    Not yet: softmax divides by the sum over the whole array.

An exercise is a reference function, a few inputs, and the wrong answers that people are known to give, each as a
function. A new exercise is one `Exercise(...)`; the frame does the rest.
"""

import copy
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inorder.attention import causal_mask, scaled_dot_product_attention, softmax


@dataclass(frozen=True)
class Mistake:
    """A known wrong answer: `says` completes the sentence "your function …", `wrong` is the function that does it."""

    says: str
    hint: str
    wrong: Callable[..., Any]


@dataclass(frozen=True)
class Verdict:
    """What a check found. `mistake` is the known mistake, if one explains the answer."""

    passed: bool
    message: str
    mistake: Mistake | None = None

    def __repr__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Exercise:
    """A function to write, with the inputs it is tried on and the mistakes that are known.

    Each case is a dictionary from argument name to value, passed in that order. Cases are tried from the smallest
    to the largest, so that a failure is shown on numbers small enough to follow by hand. A mistake is named when,
    on that smallest failing case, it gives exactly what the student's function gave; when several do, the one that
    agrees on the most cases is named.

    Example:
        >>> double = Exercise(
        ...     name="double",
        ...     reference=lambda x: 2 * x,
        ...     cases=[{"x": np.array([1.0, 3.0])}, {"x": np.eye(2)}],
        ...     mistakes=[Mistake("squares", "2x is x + x, not x times x.", lambda x: x * x)],
        ... )
        >>> double(lambda x: x + x)
        Correct: double is right on all 2 inputs.
        >>> double(lambda x: x**2).mistake.says
        'squares'
    """

    name: str
    reference: Callable[..., Any]
    cases: Sequence[dict[str, Any]]
    mistakes: Sequence[Mistake]
    tolerance: float = 1e-9

    def __call__(self, student: Any) -> Verdict:
        """Try `student` on every case and say what was found. Never raises: an error of `student` is a finding."""
        if not callable(student):
            return self._not_yet(f"expected a function, got {type(student).__name__}. Pass its name, without brackets.")
        cases = sorted(self.cases, key=_size)
        for case in cases:
            arguments = copy.deepcopy(case)
            try:
                got = _call(student, arguments)
            except NotImplementedError:
                return self._not_yet(f"{self.name} is still to be written.")
            except Exception as error:
                return self._not_yet(f"your function raised {type(error).__name__}: {error}", _show(case))
            expected = np.asarray(_call(self.reference, case))
            if got is None:
                return self._not_yet("your function returned None. Is the `return` missing?", _show(case))
            try:
                got = np.asarray(np.asarray(got) + 0.0)  # a sum of single numbers is no array
            except (TypeError, ValueError):
                return self._not_yet(
                    f"expected an array of numbers, your function returned {type(got).__name__}.", _show(case)
                )
            if not self._agree(got, expected):
                return self._explain(student, cases, case, got, expected)
            if not all(np.array_equal(arguments[name], case[name]) for name in case):
                return self._not_yet("the answer is right, but your function changes its input. Work on a copy.")
        return Verdict(True, f"Correct: {self.name} is right on all {len(cases)} inputs.")

    def _explain(self, student: Callable, cases: list, case: dict, got: np.ndarray, expected: np.ndarray) -> Verdict:
        found = _show(case) + _lines("expected", expected) + _lines("your function gave", got)
        candidates = [mistake for mistake in self.mistakes if self._agree(_try(mistake.wrong, case), got)]
        if candidates:
            answers = [_try(student, each) for each in cases]

            def agreements(mistake: Mistake) -> int:
                return sum(self._agree(_try(mistake.wrong, c), a) for c, a in zip(cases, answers, strict=True))

            mistake = max(candidates, key=agreements)
            return self._not_yet(f"{self.name} {mistake.says}.\n{mistake.hint}", found, mistake)
        if got.shape != expected.shape:
            return self._not_yet(f"expected shape {expected.shape}, your function gave shape {got.shape}.", found)
        return self._not_yet("the numbers differ, and not in a way that this check knows.", found)

    def _not_yet(self, what: str, where: str = "", mistake: Mistake | None = None) -> Verdict:
        said = "\n".join(textwrap.fill(line, 72) for line in f"Not yet: {what}".splitlines())
        if where:
            said += "\nThe smallest input on which it fails:\n" + where.rstrip("\n")
        return Verdict(False, said, mistake)

    def _agree(self, a: np.ndarray | None, b: np.ndarray | None) -> bool:
        if a is None or b is None:
            return a is b
        return a.shape == b.shape and np.allclose(a, b, rtol=self.tolerance, atol=self.tolerance, equal_nan=True)


def _call(function: Callable, case: dict[str, Any]) -> Any:
    with np.errstate(all="ignore"):
        return function(*case.values())


def _try(function: Callable, case: dict[str, Any]) -> np.ndarray | None:
    """The answer as an array of floats, or None where the function fails."""
    try:
        return np.asarray(np.asarray(_call(function, copy.deepcopy(case))) + 0.0)
    except Exception:
        return None


def _size(case: dict[str, Any]) -> int:
    return sum(np.size(value) for value in case.values())


def _show(case: dict[str, Any]) -> str:
    return "".join(_lines(name, value) for name, value in case.items())


def _lines(name: str, value: Any) -> str:
    """`name = value`, arrays with their shape above their numbers."""
    if np.ndim(value) == 0:
        return f"  {name} = {value}\n"
    text = np.array2string(np.asarray(value), precision=4, suppress_small=True, threshold=64, prefix="    ")
    return f"  {name}, shape {np.shape(value)}\n    {text}\n"


# ---- chapter 2 -----------------------------------------------------------------------------------------------------


def _integers(seed: int, *shape: int) -> np.ndarray:
    """Small whole numbers, so that a failing input can be followed by hand."""
    return np.random.default_rng(seed).integers(-3, 4, size=shape).astype(float)


def _scores_case(seed: int, head: int, n_query: int, n_key: int, d_head: int) -> dict[str, Any]:
    return {"query": _integers(seed, head, n_query, d_head), "key": _integers(seed + 1, head, n_key, d_head)}


check_scaled_scores = Exercise(
    name="scaled_scores",
    reference=lambda query, key: query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1]),
    cases=[
        _scores_case(0, 2, 1, 2, 3),
        _scores_case(2, 2, 3, 3, 2),
        _scores_case(4, 3, 2, 5, 4),
        _scores_case(6, 8, 4, 6, 16),
    ],
    mistakes=[
        Mistake(
            "does not scale",
            "The dot products are right. Divide them by the square root of the number of terms in each.",
            lambda query, key: query @ key.swapaxes(-1, -2),
        ),
        Mistake(
            "divides by d_head",
            "The variance of a dot product is d_head, so its typical size is the square root of d_head.",
            lambda query, key: query @ key.swapaxes(-1, -2) / query.shape[-1],
        ),
        Mistake(
            "scales by d_model instead of d_head",
            "Each head's dot product has d_head terms. The other heads' columns are not in it.",
            lambda query, key: query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[0] * query.shape[-1]),
        ),
        Mistake(
            "scales by the number of keys",
            "The sum in a score runs over the d_head columns, so it is their number that counts.",
            lambda query, key: query @ key.swapaxes(-1, -2) / np.sqrt(key.shape[-2]),
        ),
        Mistake(
            "multiplies by the square root instead of dividing",
            "Scaling must make the scores smaller.",
            lambda query, key: query @ key.swapaxes(-1, -2) * np.sqrt(query.shape[-1]),
        ),
        Mistake(
            "has keys as rows and queries as columns",
            "Row i belongs to query i: the product is query times transposed key.",
            lambda query, key: key @ query.swapaxes(-1, -2) / np.sqrt(query.shape[-1]),
        ),
    ],
)


def _softmax_without_keepdims(scores: np.ndarray) -> np.ndarray:
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1)


def _softmax_global_maximum(scores: np.ndarray) -> np.ndarray:
    shifted = np.exp(scores - scores.max())
    return shifted / shifted.sum(axis=-1, keepdims=True)


check_softmax = Exercise(
    name="softmax",
    reference=softmax,
    cases=[
        {"scores": np.array([[0.0, 1.0], [3.0, 1.0]])},
        {"scores": _integers(10, 2, 3)},
        {"scores": _integers(11, 2, 3, 4)},
        {"scores": np.array([[0.0, 1000.0, 1000.0, 0.0], [1.0, 2.0, 3.0, 4.0]])},
        {"scores": np.array([[-np.inf, 0.0, 1.0, 0.0, -np.inf], [1.0, -np.inf, 2.0, 3.0, 4.0]])},
    ],
    mistakes=[
        Mistake(
            "divides by the sum over the whole array",
            "Each query shares out a total weight of 1: the sum runs over the last axis only.",
            lambda scores: np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum(),
        ),
        Mistake(
            "normalises over the wrong axis",
            "The columns sum to 1 and the rows do not. The weights of one query lie along the last axis.",
            lambda scores: softmax(scores, axis=-2),
        ),
        Mistake(
            "divides by the sums of the wrong rows",
            "`sum(axis=-1)` drops the axis, and broadcasting then lines it up with the columns. Use keepdims=True.",
            _softmax_without_keepdims,
        ),
        Mistake(
            "overflows",
            "exp(1000) is infinite in float64, and infinity over infinity is not a number. "
            "Subtract each row's maximum first: the result is the same.",
            lambda scores: np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True),
        ),
        Mistake(
            "subtracts one maximum from all rows",
            "A row far below that maximum becomes all zeros, and 0/0 is not a number. Subtract each row's own maximum.",
            _softmax_global_maximum,
        ),
        Mistake(
            "divides by the maximum instead of the sum",
            "The largest weight is then 1 in every row and the weights do not sum to 1.",
            lambda scores: np.exp(scores - scores.max(axis=-1, keepdims=True)),
        ),
        Mistake(
            "leaves out the exponential",
            "A score can be negative, a weight cannot.",
            lambda scores: scores / scores.sum(axis=-1, keepdims=True),
        ),
    ],
)


def _attention_case(seed: int, n_query: int, n_key: int, d_head: int, d_value: int, mask: Any) -> dict[str, Any]:
    return {
        "query": _integers(seed, n_query, d_head),
        "key": _integers(seed + 1, n_key, d_head),
        "value": _integers(seed + 2, n_key, d_value),
        "mask": np.asarray(mask, dtype=bool),
    }


def _scores(query: np.ndarray, key: np.ndarray) -> np.ndarray:
    return query @ key.T / np.sqrt(query.shape[-1])


check_masked_attention = Exercise(
    name="masked_attention",
    reference=lambda query, key, value, mask: scaled_dot_product_attention(query, key, value, mask=mask),
    cases=[
        _attention_case(20, 3, 3, 2, 1, [[1, 0, 0], [1, 1, 0], [0, 1, 1]]),  # inverted or transposed, no row is empty
        _attention_case(23, 4, 4, 2, 2, causal_mask(4)),
        _attention_case(26, 2, 4, 3, 2, [[1, 0, 1, 1], [0, 1, 1, 0]]),
        _attention_case(29, 5, 5, 4, 3, causal_mask(5)),
    ],
    mistakes=[
        Mistake(
            "ignores the mask",
            "Every query attends to every key.",
            lambda query, key, value, mask: softmax(_scores(query, key)) @ value,
        ),
        Mistake(
            "has the mask inverted",
            "True means *may attend*: it is the False places that get the score minus infinity.",
            lambda query, key, value, mask: softmax(np.where(mask, -np.inf, _scores(query, key))) @ value,
        ),
        Mistake(
            "has the mask on the wrong side",
            "Row i of the mask belongs to query i. The transposed mask lets each query see the keys that it must not.",
            lambda query, key, value, mask: softmax(np.where(mask.T, _scores(query, key), -np.inf)) @ value,
        ),
        Mistake(
            "masks after the softmax and does not renormalise",
            "The forbidden keys took part in the sum, so the remaining weights sum to less than 1. "
            "Put minus infinity in their scores before the softmax.",
            lambda query, key, value, mask: (softmax(_scores(query, key)) * mask) @ value,
        ),
        Mistake(
            "gives forbidden keys the score 0",
            "A score of 0 still attends: its weight is proportional to exp(0) = 1. The score must be minus infinity.",
            lambda query, key, value, mask: softmax(_scores(query, key) * mask) @ value,
        ),
        Mistake(
            "adds the mask to the scores",
            "A boolean added to a number is 0 or 1. The mask decides which scores become minus infinity.",
            lambda query, key, value, mask: softmax(_scores(query, key) + mask) @ value,
        ),
        Mistake(
            "masks correctly but does not scale the scores",
            "Divide the scores by the square root of d_head before the softmax.",
            lambda query, key, value, mask: softmax(np.where(mask, query @ key.T, -np.inf)) @ value,
        ),
    ],
)


check_split_heads = Exercise(
    name="split_heads",
    reference=lambda x, n_heads: x.reshape(x.shape[0], n_heads, -1).swapaxes(0, 1),
    cases=[
        {"x": np.arange(8.0).reshape(2, 4), "n_heads": 2},
        {"x": np.arange(12.0).reshape(3, 4), "n_heads": 2},
        {"x": np.arange(18.0).reshape(3, 6), "n_heads": 3},
        {"x": np.arange(40.0).reshape(5, 8), "n_heads": 2},
    ],
    mistakes=[
        Mistake(
            "deals the columns out in turn",
            "Head h takes d_head *neighbouring* columns, not every n_heads-th one.",
            lambda x, n_heads: x.reshape(x.shape[0], -1, n_heads).transpose(2, 0, 1),
        ),
        Mistake(
            "reshapes straight to (head, n, d_head)",
            "The shape is right, the rows are not: a row of a head now holds numbers of other tokens. "
            "Split the columns first, then swap the axes.",
            lambda x, n_heads: x.reshape(n_heads, x.shape[0], -1),
        ),
        Mistake(
            "does not swap the axes",
            "The columns are split as they should be. The head axis must come first: (head, n, d_head).",
            lambda x, n_heads: x.reshape(x.shape[0], n_heads, -1),
        ),
        Mistake(
            "has the last two axes swapped",
            "A head's rows are the tokens: (head, n, d_head), not (head, d_head, n).",
            lambda x, n_heads: x.reshape(x.shape[0], n_heads, -1).transpose(1, 2, 0),
        ),
    ],
)


def _merge_case(seed: int, *, scale: float, d_value: int) -> dict[str, Any]:
    """Two blocks of keys, seen by one query: the maximum, sum and average of each."""
    case: dict[str, Any] = {}
    for block in ("a", "b"):
        scores = scale * _integers(seed, 3)
        value = _integers(seed + 1, 3, d_value)
        case[f"max_{block}"] = float(scores.max())
        case[f"total_{block}"] = float(np.exp(scores - scores.max()).sum())
        case[f"average_{block}"] = softmax(scores) @ value
        seed += 2
    return case


def _merge_blocks(
    max_a: float, total_a: float, average_a: np.ndarray, max_b: float, total_b: float, average_b: np.ndarray
) -> np.ndarray:
    top = max(max_a, max_b)
    weight_a, weight_b = total_a * np.exp(max_a - top), total_b * np.exp(max_b - top)
    return (weight_a * average_a + weight_b * average_b) / (weight_a + weight_b)


def _merge_without_shift(
    max_a: float, total_a: float, average_a: np.ndarray, max_b: float, total_b: float, average_b: np.ndarray
) -> np.ndarray:
    weight_a, weight_b = total_a * np.exp(max_a), total_b * np.exp(max_b)
    return (weight_a * average_a + weight_b * average_b) / (weight_a + weight_b)


def _merge_swapped(
    max_a: float, total_a: float, average_a: np.ndarray, max_b: float, total_b: float, average_b: np.ndarray
) -> np.ndarray:
    return _merge_blocks(max_b, total_a, average_a, max_a, total_b, average_b)


check_merge_blocks = Exercise(
    name="merge_blocks",
    reference=_merge_blocks,
    cases=[
        _merge_case(40, scale=1.0, d_value=1),
        _merge_case(44, scale=1.0, d_value=2),
        _merge_case(48, scale=0.5, d_value=3),
        _merge_case(52, scale=400.0, d_value=4),
    ],
    mistakes=[
        Mistake(
            "takes the plain mean of the two averages",
            "A block that holds more of the weight must count for more.",
            lambda ma, ta, a, mb, tb, b: (a + b) / 2,
        ),
        Mistake(
            "weighs by the totals without bringing them to one maximum",
            "Each total was computed relative to its own block's maximum. "
            "Multiply it by exp(own maximum - common maximum) first.",
            lambda ma, ta, a, mb, tb, b: (ta * a + tb * b) / (ta + tb),
        ),
        Mistake(
            "adds the two averages",
            "The weights of all keys together must sum to 1, not those of each block.",
            lambda ma, ta, a, mb, tb, b: a + b,
        ),
        Mistake(
            "overflows",
            "exp of a maximum can be infinite. Subtract the larger of the two maxima before the exponential.",
            _merge_without_shift,
        ),
        Mistake(
            "rescales each block by the other block's maximum",
            "A block's total is multiplied by exp(its own maximum - common maximum).",
            _merge_swapped,
        ),
    ],
)


# ---- chapter 1 -----------------------------------------------------------------------------------------------------


def _lookup_case(seed: int, n_query: int, n_key: int, d: int, d_value: int, sharpness: float) -> dict[str, Any]:
    return {
        "query": _integers(seed, n_query, d),
        "key": _integers(seed + 1, n_key, d),
        "value": _integers(seed + 2, n_key, d_value),
        "sharpness": sharpness,
    }


check_soft_lookup = Exercise(
    name="soft_lookup",
    reference=lambda query, key, value, sharpness: softmax(sharpness * query @ key.T) @ value,
    cases=[
        _lookup_case(60, 2, 2, 2, 2, 0.5),
        _lookup_case(63, 2, 3, 2, 2, 0.25),
        _lookup_case(66, 3, 3, 2, 1, 2.0),
        _lookup_case(69, 4, 6, 3, 2, 0.1),
    ],
    mistakes=[
        Mistake(
            "ignores the sharpness",
            "Multiply the scores by the sharpness before the exponential: at 0 all values must count alike.",
            lambda query, key, value, sharpness: softmax(query @ key.T) @ value,
        ),
        Mistake(
            "divides by the sharpness",
            "A larger sharpness must spread the scores, so that the best key gets more of the weight.",
            lambda query, key, value, sharpness: softmax(query @ key.T / sharpness) @ value,
        ),
        Mistake(
            "shares out the weights among the queries",
            "Each query shares out a weight of 1 among the keys: the sum runs along a row, axis -1.",
            lambda query, key, value, sharpness: softmax(sharpness * query @ key.T, axis=-2) @ value,
        ),
        Mistake(
            "divides by the sum of the whole table",
            "Each query shares out a weight of 1 of its own. Divide each row by its own sum.",
            lambda query, key, value, sharpness: (
                softmax((sharpness * query @ key.T).ravel()).reshape(len(query), len(key)) @ value
            ),
        ),
        Mistake(
            "does not divide by the sum",
            "Exponentials are positive, but they do not sum to 1: the result is a sum, not an average.",
            lambda query, key, value, sharpness: np.exp(sharpness * query @ key.T) @ value,
        ),
        Mistake(
            "returns one value instead of a blend",
            "That is the hard look-up, the limit of a very large sharpness. Every key gets a share.",
            lambda query, key, value, sharpness: value[np.argmax(query @ key.T, axis=-1)],
        ),
        Mistake(
            "averages the keys",
            "Keys decide the weights. What is averaged are the values.",
            lambda query, key, value, sharpness: softmax(sharpness * query @ key.T) @ key,
        ),
        Mistake(
            "leaves out the exponential",
            "A dot product can be negative, a weight cannot.",
            lambda query, key, value, sharpness: (query @ key.T / (query @ key.T).sum(axis=-1, keepdims=True)) @ value,
        ),
    ],
)


def _sources_case(seed: int, n_query: int, n_key: int, d_model: int, d_head: int) -> dict[str, Any]:
    return {
        "x_query": _integers(seed, n_query, d_model),
        "x_key_value": _integers(seed + 1, n_key, d_model),
        "w_query": _integers(seed + 2, d_model, d_head) / 2,
        "w_key": _integers(seed + 3, d_model, d_head) / 2,
        "w_value": _integers(seed + 4, d_model, d_head) / 2,
    }


def _soft(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    return softmax(query @ key.T) @ value


check_cross_attention = Exercise(
    name="cross_attention",
    reference=lambda xq, xkv, wq, wk, wv: _soft(xq @ wq, xkv @ wk, xkv @ wv),
    cases=[
        _sources_case(80, 2, 2, 2, 2),
        _sources_case(85, 3, 3, 2, 2),
        _sources_case(90, 2, 4, 3, 3),
        _sources_case(95, 5, 3, 4, 2),
    ],
    mistakes=[
        Mistake(
            "compares the sources, not their projections",
            "The arguments are sources. Queries and keys come after W_Q and W_K.",
            lambda xq, xkv, wq, wk, wv: _soft(xq, xkv, xkv @ wv),
        ),
        Mistake(
            "projects nothing",
            "The arguments are sources. Multiply each by its own matrix first.",
            lambda xq, xkv, wq, wk, wv: _soft(xq, xkv, xkv),
        ),
        Mistake(
            "does not project the values",
            "What is averaged is the value, x W_V, not the source itself.",
            lambda xq, xkv, wq, wk, wv: _soft(xq @ wq, xkv @ wk, xkv),
        ),
        Mistake(
            "takes the keys from the source of the queries",
            "With two inputs, keys and values both come from the second.",
            lambda xq, xkv, wq, wk, wv: _soft(xq @ wq, xq @ wk, xkv @ wv),
        ),
        Mistake(
            "takes the values from the source of the queries",
            "There is one value for each key, so both come from the second input.",
            lambda xq, xkv, wq, wk, wv: _soft(xq @ wq, xkv @ wk, xq @ wv),
        ),
        Mistake(
            "takes everything from the first input",
            "That is self-attention. Keys and values come from the second input.",
            lambda xq, xkv, wq, wk, wv: _soft(xq @ wq, xq @ wk, xq @ wv),
        ),
        Mistake(
            "has the two inputs exchanged",
            "The queries come from the first input: the output has one row for each of its rows.",
            lambda xq, xkv, wq, wk, wv: _soft(xkv @ wq, xq @ wk, xq @ wv),
        ),
        Mistake(
            "uses one matrix for queries and keys",
            "Tied matrices are a choice that some models make. Here W_Q and W_K differ.",
            lambda xq, xkv, wq, wk, wv: _soft(xq @ wq, xkv @ wq, xkv @ wv),
        ),
    ],
)


# ---- chapter 5 -----------------------------------------------------------------------------------------------------


def _writing_case(seed: int, tokens: Sequence[int], d_model: int, d_head: int) -> dict[str, Any]:
    return {
        "tokens": np.array(tokens),
        "embedding": _integers(seed, max(tokens) + 1, d_model),
        "w_query": _integers(seed + 1, d_model, d_head),
        "w_key": _integers(seed + 2, d_model, d_head),
    }


def _all_weights(
    tokens: np.ndarray, embedding: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, axis: int = -1
) -> np.ndarray:
    """The weights of every query over every key, (query, key), without a mask."""
    x = embedding[tokens]
    return softmax(_scores(x @ w_query, x @ w_key), axis=axis)


def _weights_of_mean_query(
    tokens: np.ndarray, embedding: np.ndarray, w_query: np.ndarray, w_key: np.ndarray
) -> np.ndarray:
    x = embedding[tokens]
    return softmax(_scores(x.mean(axis=0) @ w_query, x @ w_key))


def _weights_without_own_key(
    tokens: np.ndarray, embedding: np.ndarray, w_query: np.ndarray, w_key: np.ndarray
) -> np.ndarray:
    x = embedding[tokens]
    return softmax(_scores(x[-1] @ w_query, x[:-1] @ w_key))


check_writing_weights = Exercise(
    name="writing_weights",
    reference=lambda tokens, embedding, w_query, w_key: _all_weights(tokens, embedding, w_query, w_key)[-1],
    cases=[
        _writing_case(60, [0, 1], 2, 2),
        _writing_case(63, [1, 0, 2], 3, 2),
        _writing_case(66, [0, 1, 2], 3, 4),
        _writing_case(69, [3, 0, 0, 1, 2], 4, 3),
    ],
    mistakes=[
        Mistake(
            "asks with the first token's query",
            "Row i of a decoder is about token i + 1, so it is the last row that writes.",
            lambda tokens, embedding, w_query, w_key: _all_weights(tokens, embedding, w_query, w_key)[0],
        ),
        Mistake(
            "asks with the mean of all queries",
            "Each row has a query of its own. The token after the prompt is written by one of them.",
            _weights_of_mean_query,
        ),
        Mistake(
            "leaves out the last token's own key",
            "A token may attend to itself: there is a weight for every token of the prompt, the last one included.",
            _weights_without_own_key,
        ),
        Mistake(
            "does not scale the scores",
            "Divide them by the square root of d_head before the softmax.",
            lambda tokens, embedding, w_query, w_key: softmax(
                embedding[tokens[-1]] @ w_query @ (embedding[tokens] @ w_key).T
            ),
        ),
        Mistake(
            "takes the softmax over the queries",
            "The weights of one query sum to 1 over the keys.",
            lambda tokens, embedding, w_query, w_key: _all_weights(tokens, embedding, w_query, w_key, axis=0)[-1],
        ),
        Mistake(
            "returns the weights of every query",
            "To write one token, one row is read: the last.",
            _all_weights,
        ),
    ],
)


def _is_clean(first: np.ndarray, second: np.ndarray) -> bool:
    alike = np.array_equal(np.sort(first), np.sort(second)) and first[-1] == second[-1]
    return bool(alike and not np.array_equal(first, second))


def _pair(first: Sequence[int], second: Sequence[int]) -> dict[str, Any]:
    return {"first": np.array(first), "second": np.array(second)}


check_clean_pair = Exercise(
    name="clean_pair",
    reference=_is_clean,
    cases=[
        _pair([1, 2], [2, 1]),
        _pair([1, 2, 3], [2, 1, 3]),
        _pair([1, 2, 3], [1, 2, 3]),
        _pair([0, 3, 5], [1, 2, 5]),
        _pair([1, 2, 3], [4, 1, 3]),
        _pair([1, 2, 4, 3], [1, 4, 2, 3]),
        _pair([1, 1, 2, 3], [1, 2, 2, 3]),
        _pair([1, 2, 3], [2, 1, 1, 3]),
        _pair([1, 2, 3, 4], [4, 1, 2, 3]),
    ],
    mistakes=[
        Mistake(
            "lets the last token differ",
            "Then another query writes the next token, and the outputs differ at once. That tests nothing about order.",
            lambda a, b: np.array_equal(np.sort(a), np.sort(b)) and not np.array_equal(a, b),
        ),
        Mistake(
            "compares which tokens there are, not how many of each",
            "A set forgets that a token occurs twice. Attention does not: two equal keys take two shares.",
            lambda a, b: set(a.tolist()) == set(b.tolist()) and a[-1] == b[-1] and not np.array_equal(a, b),
        ),
        Mistake(
            "accepts two equal prompts",
            "The pair must differ in something, or nothing is tested: the same tokens, in another order.",
            lambda a, b: np.array_equal(np.sort(a), np.sort(b)) and a[-1] == b[-1],
        ),
        Mistake(
            "compares the sums of the token numbers",
            "0 + 3 is 1 + 2. Sort both prompts and compare them token by token.",
            lambda a, b: a.sum() == b.sum() and a[-1] == b[-1] and not np.array_equal(a, b),
        ),
        Mistake(
            "compares the lengths only",
            "As many tokens are not yet the same tokens.",
            lambda a, b: len(a) == len(b) and a[-1] == b[-1] and not np.array_equal(a, b),
        ),
        Mistake(
            "asks for the same first token",
            "It is the last token whose query writes. The first two may well be the ones that change places.",
            lambda a, b: _is_clean(a, b) and a[0] == b[0],
        ),
    ],
)


def _near(dtype: Any, first: Sequence[int | float], change: Sequence[int | float]) -> dict[str, Any]:
    """Two arrays of that precision: `first`, and `first` plus `change`."""
    return {"first": np.array(first, dtype), "second": (np.array(first) + np.array(change)).astype(dtype)}


def _within(first: np.ndarray, second: np.ndarray, tolerance: float | np.floating) -> bool:
    return bool(np.abs(first - second).max() <= tolerance)


def _equal_to_rounding(first: np.ndarray, second: np.ndarray) -> bool:
    return _within(first, second, 100 * np.finfo(first.dtype).eps * np.abs(first).max())


check_equal_to_rounding = Exercise(
    name="equal_to_rounding",
    reference=_equal_to_rounding,
    cases=[
        _near(np.float64, [1, 2], [4e-16, 0]),
        _near(np.float32, [1, 2], [3e-7, 0]),
        _near(np.float64, [1, 2, 3], [1e-6, 0, 0]),
        _near(np.float64, [1e9, 3e9, 2e9], [1e-6, 0, 2e-6]),
        _near(np.float32, [1, 2, 3, 4], [0.01, -0.01, 0.02, -0.02]),
        _near(np.float64, [1e-12, 2e-12, 3e-12, 1e-12], [1e-14, 0, 0, 0]),
    ],
    mistakes=[
        Mistake(
            "asks for equal bits",
            "Sums in another order round differently. Allow a few machine epsilons of the largest number.",
            lambda a, b: np.array_equal(a, b),
        ),
        Mistake(
            "has one tolerance for every precision",
            "A difference of 1e-6 is rounding in float32 and a true one in float64: scale by np.finfo(dtype).eps.",
            lambda a, b: np.allclose(a, b, atol=0),
        ),
        Mistake(
            "ignores the size of the numbers",
            "Rounding errors grow with the numbers: compare with epsilon times the largest magnitude.",
            lambda a, b: _within(a, b, 100 * np.finfo(a.dtype).eps),
        ),
        Mistake(
            "takes the epsilon of float64 for every precision",
            "float32 keeps 24 binary digits, float64 keeps 53. Ask np.finfo for the epsilon of the array's dtype.",
            lambda a, b: _within(a, b, 100 * np.finfo(float).eps * np.abs(a).max()),
        ),
        Mistake(
            "lets differences of opposite sign cancel",
            "Take the absolute value of each difference before you look for the largest.",
            lambda a, b: abs((a - b).sum()) <= 100 * np.finfo(a.dtype).eps * np.abs(a).max(),
        ),
    ],
)


# ---- chapter 6 -----------------------------------------------------------------------------------------------------


def _mask_case(mask: Any, order: Sequence[int]) -> dict[str, Any]:
    return {"mask": np.asarray(mask, dtype=bool), "order": np.array(order)}


check_permuted_mask = Exercise(
    name="permuted_mask",
    reference=lambda mask, order: mask[order][:, order],
    cases=[
        _mask_case([[1, 0, 0], [1, 1, 0], [0, 1, 1]], [2, 0, 1]),
        _mask_case(causal_mask(4), [1, 2, 0, 3]),
        _mask_case(causal_mask(5), [4, 2, 0, 1, 3]),
    ],
    mistakes=[
        Mistake(
            "leaves the mask as it was",
            "The mask says who may attend to whom by their places. When the tokens move, it must move with them.",
            lambda mask, order: mask,
        ),
        Mistake(
            "moves the rows only",
            "Row i is now the right query, but its columns still stand for the keys in the old order.",
            lambda mask, order: mask[order],
        ),
        Mistake(
            "moves the columns only",
            "The keys are now in the new order, the queries are not.",
            lambda mask, order: mask[:, order],
        ),
        Mistake(
            "moves rows and columns the other way round",
            "permute puts x[order[i]] into row i, so entry (i, j) is mask[order[i], order[j]]: no argsort.",
            lambda mask, order: mask[np.argsort(order)][:, np.argsort(order)],
        ),
        Mistake(
            "mixes up queries and keys",
            "Rows stay rows: P M Pᵀ, not its transpose.",
            lambda mask, order: mask[order][:, order].T,
        ),
    ],
)


def _one_hot(tokens: np.ndarray, n_vocabulary: int) -> np.ndarray:
    return np.eye(n_vocabulary)[tokens]


def _prefix_shares(tokens: np.ndarray, n_vocabulary: int) -> np.ndarray:
    counts = _one_hot(tokens, n_vocabulary).cumsum(axis=0)
    return counts / counts.sum(axis=1, keepdims=True)


def _shares_without_own_token(tokens: np.ndarray, n_vocabulary: int) -> np.ndarray:
    counts = _one_hot(tokens, n_vocabulary).cumsum(axis=0) - _one_hot(tokens, n_vocabulary)
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)


def _shares_of_kinds(tokens: np.ndarray, n_vocabulary: int) -> np.ndarray:
    present = _one_hot(tokens, n_vocabulary).cumsum(axis=0) > 0
    return present / present.sum(axis=1, keepdims=True)


check_prefix_shares = Exercise(
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
            "The weights of a softmax sum to 1: attention sees how large a part of its prefix a token is, not a count.",
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
        Mistake(
            "counts each kind of token once",
            "Two equal tokens take two shares: a prefix is a multiset, not a set.",
            _shares_of_kinds,
        ),
        Mistake(
            "looks forward instead of back",
            "Row i sees what stands before it, and itself.",
            lambda tokens, n: _prefix_shares(tokens[::-1], n)[::-1],
        ),
    ],
)


def _order_weights(n: int) -> np.ndarray:
    return np.cumsum(1 / np.arange(n, 0, -1))[::-1] / n


check_order_weights = Exercise(
    name="order_weights",
    reference=_order_weights,
    cases=[{"n": 2}, {"n": 3}, {"n": 4}, {"n": 12}],
    mistakes=[
        Mistake(
            "gives every token the same weight",
            "That is one layer. In the second, an early token comes in through every row that has seen it.",
            lambda n: np.full(n, 1 / n),
        ),
        Mistake(
            "does not divide by n",
            "The last row of the second layer is an average too: the weights must sum to 1.",
            lambda n: n * _order_weights(n),
        ),
        Mistake(
            "has the order reversed",
            "The first token is in every row's average, the last token in one row's only.",
            lambda n: _order_weights(n)[::-1],
        ),
        Mistake(
            "starts the sum one row too late",
            "Row j has seen token j itself: the sum runs over the rows i ≥ j, counted from 1.",
            lambda n: _order_weights(n) - 1 / (n * np.arange(1, n + 1)),
        ),
        Mistake(
            "takes one row for each token",
            "1/j is the weight of token j in row j. Later rows have seen it too, with weight 1/i each.",
            lambda n: 1 / (n * np.arange(1, n + 1)),
        ),
    ],
)


# ---- chapter 3 -----------------------------------------------------------------------------------------------------


def _pair_case(seed: int, n: int, d_model: int, d_head: int) -> dict[str, Any]:
    return {
        "x": _integers(seed, n, d_model),
        "w_query": _integers(seed + 1, d_model, d_head) / 2,
        "w_key": _integers(seed + 2, d_model, d_head) / 2,
    }


check_swapped_weights = Exercise(
    name="swapped_weights",
    reference=lambda x, w_query, w_key: softmax(_scores(x @ w_key, x @ w_query)),
    cases=[_pair_case(100, 2, 2, 2), _pair_case(103, 3, 2, 3), _pair_case(106, 3, 4, 2), _pair_case(109, 5, 4, 3)],
    mistakes=[
        Mistake(
            "does not notice the swap",
            "q · k is k · q, but these are other queries and keys: after the swap x_i meets W_K, and x_j meets W_Q.",
            lambda x, w_query, w_key: softmax(_scores(x @ w_query, x @ w_key)),
        ),
        Mistake(
            "transposes the weights",
            "It is the scores that are transposed. The softmax then runs along the rows of the transposed table.",
            lambda x, w_query, w_key: softmax(_scores(x @ w_query, x @ w_key)).T,
        ),
        Mistake(
            "moves the softmax to the queries and leaves the scores as they were",
            "Its columns sum to 1. Row i of the result belongs to token i as the one who asks, and must sum to 1.",
            lambda x, w_query, w_key: softmax(_scores(x @ w_query, x @ w_key), axis=-2),
        ),
        Mistake(
            "returns the transposed scores",
            "They still have to pass the softmax.",
            lambda x, w_query, w_key: _scores(x @ w_key, x @ w_query),
        ),
        Mistake(
            "does not scale the scores",
            "Divide them by the square root of d_head before the softmax.",
            lambda x, w_query, w_key: softmax(x @ w_key @ (x @ w_query).T),
        ),
    ],
)


def _gauge_case(seed: int, d_model: int, g: Any) -> dict[str, Any]:
    return {"w_key": _integers(seed, d_model, len(g)), "g": np.array(g, dtype=float)}


check_matching_key = Exercise(
    name="matching_key",
    reference=lambda w_key, g: w_key @ np.linalg.inv(g).T,
    cases=[
        _gauge_case(120, 3, [[1, 1], [0, 1]]),
        _gauge_case(121, 2, [[2, 1], [0, 1]]),
        _gauge_case(122, 4, [[1, 2, 0], [0, 1, 0], [1, 0, 2]]),
    ],
    mistakes=[
        Mistake(
            "does to the keys what was done to the queries",
            "Then W_Q G (W_K G)ᵀ = W_Q G Gᵀ W_Kᵀ, and G Gᵀ is the identity only if G is a rotation or a reflection.",
            lambda w_key, g: w_key @ g,
        ),
        Mistake(
            "forgets the transpose",
            "The product is W_Q G (W_K H)ᵀ = W_Q G Hᵀ W_Kᵀ, so it is Hᵀ that must undo G.",
            lambda w_key, g: w_key @ np.linalg.inv(g),
        ),
        Mistake(
            "transposes instead of inverting",
            "Transpose and inverse agree only for rotations and reflections.",
            lambda w_key, g: w_key @ g.T,
        ),
        Mistake(
            "leaves the keys as they were",
            "The scores would be those of W_Q G with the old keys. G must be undone on the other side.",
            lambda w_key, g: w_key,
        ),
    ],
)


def _clamped_offset(n: int, offset: int, sharpness: float) -> np.ndarray:
    return sharpness * np.eye(n)[np.clip(np.arange(n) + offset, 0, n - 1)]


check_offset_query = Exercise(
    name="offset_query",
    reference=lambda n, offset, sharpness: sharpness * np.eye(n, k=offset),
    cases=[
        {"n": 3, "offset": -1, "sharpness": 2.0},
        {"n": 4, "offset": 2, "sharpness": 3.0},
        {"n": 5, "offset": -3, "sharpness": 0.5},
    ],
    mistakes=[
        Mistake(
            "looks the other way",
            "Row i of W_Q is the query of the token at place i. It must have its entry in column i + offset.",
            lambda n, offset, sharpness: sharpness * np.eye(n, k=-offset),
        ),
        Mistake(
            "wraps around the end",
            "Beyond the first and the last place there is nobody: leave those rows 0.",
            lambda n, offset, sharpness: sharpness * np.roll(np.eye(n), offset, axis=1),
        ),
        Mistake(
            "holds on to the last place where there is no such neighbour",
            "That is a choice one may make. Here the rows without such a neighbour are to be 0, and look at all alike.",
            _clamped_offset,
        ),
        Mistake(
            "leaves out the sharpness",
            "With scores of 0 and 1 the weights hardly differ. Multiply by the sharpness.",
            lambda n, offset, sharpness: np.eye(n, k=offset),
        ),
        Mistake(
            "makes every token look at itself",
            "The identity has its entry in column i. Move it by the offset.",
            lambda n, offset, sharpness: sharpness * np.eye(n),
        ),
    ],
)


# ---- chapter 4 -----------------------------------------------------------------------------------------------------


def _shuffled_case(seed: int, order: Sequence[int], d: int) -> dict[str, Any]:
    return {"rows": _integers(seed, len(order), d), "order": np.array(order)}


check_unshuffle = Exercise(
    name="unshuffle",
    reference=lambda rows, order: rows[np.argsort(order)],
    cases=[
        _shuffled_case(130, [2, 0, 1], 2),
        _shuffled_case(131, [1, 3, 0, 2], 3),
        _shuffled_case(132, [4, 2, 0, 1, 3], 2),
    ],
    mistakes=[
        Mistake(
            "shuffles once more",
            "Row i of the shuffled table is row order[i] of the original. Taking rows[order] again goes further away.",
            lambda rows, order: rows[order],
        ),
        Mistake(
            "returns the rows as they came",
            "They still stand in the secret order.",
            lambda rows, order: rows,
        ),
        Mistake(
            "reads the order from back to front",
            "Reversing the list is not inverting the permutation. np.argsort(order) is.",
            lambda rows, order: rows[order[::-1]],
        ),
        Mistake(
            "sorts the numbers",
            "Rows must stay whole. Sort the order, not the rows, and see where each entry came from.",
            lambda rows, order: np.sort(rows, axis=0),
        ),
    ],
)


def _gap_case(seed: int, order: Sequence[int], d: int) -> dict[str, Any]:
    y = _integers(seed, len(order), d)
    return {"y": y, "y_shuffled": y[list(order)] + _integers(seed + 1, len(order), d) / 2, "order": np.array(order)}


def _largest_gap(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max())


check_equivariance_gap = Exercise(
    name="equivariance_gap",
    reference=lambda y, y_shuffled, order: _largest_gap(y_shuffled, y[order]),
    cases=[
        _gap_case(138, [2, 0, 1], 2),
        _gap_case(212, [1, 2, 3, 0], 3),
        _gap_case(148, [3, 2, 4, 0, 1], 2),
    ],
    mistakes=[
        Mistake(
            "tests for invariance",
            "f(PX) = f(X) says that nothing moves. Equivariance compares f(PX) with P f(X).",
            lambda y, y_shuffled, order: _largest_gap(y_shuffled, y),
        ),
        Mistake(
            "moves the wrong one of the two",
            "f(PX) is in the new order already. It is f(X) that has to be brought into that order.",
            lambda y, y_shuffled, order: _largest_gap(y_shuffled[order], y),
        ),
        Mistake(
            "compares the numbers without regard to their rows",
            "Sorting makes any two tables with the same numbers agree. Rows must match row by row.",
            lambda y, y_shuffled, order: _largest_gap(np.sort(y_shuffled, axis=0), np.sort(y, axis=0)),
        ),
        Mistake(
            "lets differences of opposite sign cancel",
            "Take the absolute value of each difference before you look for the largest.",
            lambda y, y_shuffled, order: abs(float((y_shuffled - y[order]).sum())),
        ),
        Mistake(
            "takes the mean instead of the largest",
            "One row that goes astray must not be hidden by many that do not.",
            lambda y, y_shuffled, order: float(np.abs(y_shuffled - y[order]).mean()),
        ),
    ],
)


def _factorial(n: Any) -> np.ndarray:
    return np.vectorize(lambda k: np.prod(np.arange(1, k + 1)))(n)


def _counts(tokens: np.ndarray) -> np.ndarray:
    return np.unique(tokens, return_counts=True)[1]


check_distinct_orders = Exercise(
    name="distinct_orders",
    reference=lambda tokens: _factorial(len(tokens)) // np.prod(_factorial(_counts(tokens))),
    cases=[
        {"tokens": np.array([0, 0, 1])},
        {"tokens": np.array([4, 7, 4, 4])},
        {"tokens": np.array([2, 1, 2, 1, 0])},
        {"tokens": np.arange(6)},
        {"tokens": np.array([5, 5, 5, 5, 3, 3, 9, 9])},
    ],
    mistakes=[
        Mistake(
            "counts orders that look alike",
            "Exchanging two equal tokens gives the same text: divide by the factorial of each token's count.",
            lambda tokens: _factorial(len(tokens)),
        ),
        Mistake(
            "orders the kinds of token, not the tokens",
            "Each occurrence takes a place of its own.",
            lambda tokens: _factorial(len(_counts(tokens))),
        ),
        Mistake(
            "divides by the counts, not by their factorials",
            "Three equal tokens can be exchanged among themselves in 3! ways, not in 3.",
            lambda tokens: _factorial(len(tokens)) / np.prod(_counts(tokens)),
        ),
        Mistake(
            "counts texts of any tokens",
            "The tokens are known; only their order is not. No token may be used more often than it occurs.",
            lambda tokens: len(_counts(tokens)) ** len(tokens),
        ),
    ],
)
