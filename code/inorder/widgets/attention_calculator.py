"""AttentionCalculator: every number of softmax(QKᵀ/√d)V for three to six tokens, live."""

from typing import Any, ClassVar

import numpy as np
import traitlets
from matplotlib.figure import Figure

from inorder.attention import attention_scores, causal_mask, softmax
from inorder.widgets.base import (
    WEIGHT,
    InteractiveFigure,
    InvalidState,
    Matrix,
    compose_module,
    compose_style,
    draw_matrix,
    format_number,
    matrix_rows,
)

TOKENS = ["the", "cat", "sat", "down", "and", "slept"]  # the first four, unless the caller says otherwise
X = [[-0.5, 0.0, 1.0], [1.0, 0.0, 0.5], [0.0, 1.0, -0.5], [0.5, 0.5, -1.0], [-0.5, -0.5, 0.5], [0.0, 1.0, 1.0]]
W_Q = [[-1.0, 1.0], [1.0, 0.0], [0.0, -1.0]]
W_K = [[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
W_V = [[1.0, 0.0], [0.0, 2.0], [1.0, 0.0]]

LONGEST_TOKEN = 20


class AttentionCalculator(InteractiveFigure):
    """The whole of one attention head, softmax(QKᵀ/√d_head)V, with Q = X W_Q, K = X W_K, V = X W_V, number by number.

    The reader edits the tokens and the entries of X and of the three weight matrices, and switches scale and mask;
    every computed cell explains its own arithmetic. In Python the traits below can be set and read, and ``scores``,
    ``weights``, ``output`` and the rest are computed by `inorder.attention` for the state as it is.

    Args:
        tokens: 3 to 6 strings of up to 20 characters, or one string to be cut at its spaces.
        x: embeddings, one row a token, (n, d_model) with d_model from 2 to 4. Lists, NumPy or torch, like the weights.
        w_q, w_k: (d_model, d_head), d_head from 1 to 4.
        w_v: (d_model, d_value), d_value from 1 to 4.
        scale: divide the scores by √d_head?
        mask: "none" or "causal".

    Raises:
        ValueError: a shape, a value or a token that the figure cannot show; the message names it. To change the number
            of tokens later, change ``tokens`` and ``x`` together, inside ``with widget.hold_trait_notifications():``.

    Source: Vaswani et al. 2017, section 3.2.1, equation 1.

    >>> calculator = AttentionCalculator(mask="causal")
    >>> calculator.weights[1].round(2)
    array([0.89, 0.11, 0.  , 0.  ])
    >>> AttentionCalculator("I love you", x=[[1, 0], [0, 1]])
    Traceback (most recent call last):
    ...
    inorder.widgets.base.InvalidState: x must have one row for each of the 3 tokens and 2 to 4 columns, got shape (2, 2)
    """

    _esm = compose_module("attention_calculator.js")
    _css = compose_style("attention_calculator.css")

    state_names: ClassVar[tuple[str, ...]] = ("tokens", "x", "w_q", "w_k", "w_v", "scale", "mask")

    title = traitlets.Unicode("Attention, number by number").tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    x = Matrix().tag(sync=True)
    w_q = Matrix().tag(sync=True)
    w_k = Matrix().tag(sync=True)
    w_v = Matrix().tag(sync=True)
    scale = traitlets.Bool(True).tag(sync=True)
    mask = traitlets.Unicode("none").tag(sync=True)

    def __init__(
        self,
        tokens: Any = None,
        x: Any = None,
        w_q: Any = None,
        w_k: Any = None,
        w_v: Any = None,
        *,
        scale: bool = True,
        mask: str = "none",
        **options: Any,
    ) -> None:
        if tokens is None:
            tokens = TOKENS[: 4 if x is None else len(matrix_rows("x", x))]
        tokens = tokens.split() if isinstance(tokens, str) else list(tokens)
        super().__init__(
            tokens=tokens,
            x=X[: len(tokens)] if x is None else x,
            w_q=W_Q if w_q is None else w_q,
            w_k=W_K if w_k is None else w_k,
            w_v=W_V if w_v is None else w_v,
            scale=scale,
            mask=mask,
            **options,
        )

    @traitlets.validate("tokens", "x", "w_q", "w_k", "w_v", "mask")
    def _check(self, proposal: Any) -> Any:
        state = {name: getattr(self, name) for name in self.state_names} | {proposal.trait.name: proposal.value}
        tokens, (d_model, d_head) = state["tokens"], np.shape(state["w_q"])
        if not 3 <= len(tokens) <= 6:
            raise InvalidState(f"tokens must be 3 to 6 strings, got {len(tokens)}")
        if longest := [token for token in tokens if len(token) > LONGEST_TOKEN]:
            raise InvalidState(f"a token may have up to {LONGEST_TOKEN} characters, got {longest[0]!r}")
        n, width = np.shape(state["x"])
        if n != len(tokens) or not 2 <= width <= 4:
            raise InvalidState(
                f"x must have one row for each of the {len(tokens)} tokens and 2 to 4 columns, got shape {(n, width)}"
            )
        for name in ("w_q", "w_k", "w_v"):
            rows, columns = np.shape(state[name])
            if rows != width or not 1 <= columns <= 4:
                raise InvalidState(
                    f"{name} must have {width} rows, like the columns of x, and 1 to 4 columns, "
                    f"got shape {(rows, columns)}"
                )
        if np.shape(state["w_k"]) != (d_model, d_head):
            raise InvalidState(
                f"w_q and w_k must have the same shape, got {(d_model, d_head)} and {np.shape(state['w_k'])}"
            )
        if state["mask"] not in ("none", "causal"):
            raise InvalidState(f'mask must be "none" or "causal", got {state["mask"]!r}')
        return proposal.value

    @property
    def query(self) -> np.ndarray:
        """Q = X W_Q, (n, d_head)."""
        return np.array(self.x) @ np.array(self.w_q)

    @property
    def key(self) -> np.ndarray:
        """K = X W_K, (n, d_head)."""
        return np.array(self.x) @ np.array(self.w_k)

    @property
    def value(self) -> np.ndarray:
        """V = X W_V, (n, d_value)."""
        return np.array(self.x) @ np.array(self.w_v)

    @property
    def scores(self) -> np.ndarray:
        """S = QKᵀ, (query, key)."""
        return attention_scores(self.query, self.key, scale=1.0)

    @property
    def scaled_scores(self) -> np.ndarray:
        """S/√d_head if ``scale``, else S; −∞ where the mask forbids, (query, key)."""
        scores = attention_scores(self.query, self.key, scale=None if self.scale else 1.0)
        n = len(self.tokens)
        return np.where(causal_mask(n), scores, -np.inf) if self.mask == "causal" else scores

    @property
    def weights(self) -> np.ndarray:
        """A = softmax of the scaled scores, row by row, (query, key)."""
        return softmax(self.scaled_scores)

    @property
    def output(self) -> np.ndarray:
        """Y = AV, (n, d_value)."""
        return self.weights @ self.value

    def summary(self) -> str:
        d_head = len(self.w_q[0])
        scaling = f"Scores divided by √{d_head}" if self.scale else "Scores not scaled"
        masking = "causal mask" if self.mask == "causal" else "no mask"
        sees = range(1, len(self.tokens) + 1) if self.mask == "causal" else [len(self.tokens)] * len(self.tokens)
        rows = [self._attends(i, n_seen) for i, n_seen in enumerate(sees)]
        return f"{scaling}, {masking}. {'; '.join(rows)}."

    def _attends(self, i: int, n_seen: int) -> str:
        token, row = self.tokens[i], self.weights[i, :n_seen]
        if n_seen == 1:
            return f"“{token}” can attend only to itself"
        if row.max() - row.min() < 1e-9:
            return f"“{token}” attends equally to {n_seen} tokens ({format_number(row[0])} each)"
        most = int(row.argmax())
        target = "itself" if most == i else f"“{self.tokens[most]}”"
        return f"“{token}” attends most to {target} ({format_number(row[most])})"

    def alt_text(self) -> str:
        n, d_model, d_head, d_value = len(self.tokens), len(self.x[0]), len(self.w_q[0]), len(self.w_v[0])
        return (
            f"One attention head worked out for the {n} tokens {', '.join(self.tokens)}, as matrices of numbers: "
            f"X ({n} × {d_model}) times W_Q, W_K and W_V gives Q and K ({n} × {d_head}) and V ({n} × {d_value}); "
            f"QKᵀ gives scores, then scaled scores and weights ({n} × {n}), and the weights times V give the output "
            f"({n} × {d_value}). {self.summary()}"
        )

    def figure(self) -> Figure:
        n, d_model, d_head, d_value = len(self.tokens), len(self.x[0]), len(self.w_q[0]), len(self.w_v[0])
        label, gap = 1.7, 0.7  # the room for row labels, and between matrices, in cells
        first_row = 4 * label + d_model + 2 * d_head + d_value + 3 * gap
        width = max(first_row, 2 * (label + n) + gap, 2 * label + n + gap + d_value) + 0.3
        tops = np.cumsum([1.7, d_model + 2, n + 2.4, n + 2.2])
        height = tops[-1] + n + 0.3
        figure = Figure(figsize=(0.42 * width, 0.34 * height), facecolor="white")
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
        axes.axis("off")

        tokens = [token if len(token) <= 7 else token[:6] + "…" for token in self.tokens]
        numbers = ["1", "2", "3", "4"]

        def draw(left: float, row: int, values: Any, equation: str, words: str, **options: Any) -> float:
            values = np.array(values)
            options = {"row_labels": tokens, "column_labels": numbers[: values.shape[1]]} | options
            draw_matrix(axes, left + label, tops[row], values, equation=equation, words=words, **options)
            return left + label + values.shape[1] + gap

        vectors, scores = largest(self.query, self.key, self.value), largest(self.scores)
        scaled = rf"S\,/\sqrt{{{d_head}}}" if self.scale else "S"
        scaled += r" + \mathrm{mask}" if self.mask == "causal" else ""
        left = draw(0.0, 1, self.x, "$X$", "embeddings")
        for letter, weight, product, words in (
            ("Q", self.w_q, self.query, "queries"),
            ("K", self.w_k, self.key, "keys"),
            ("V", self.w_v, self.value, "values"),
        ):
            draw(left, 0, weight, f"$W_{letter}$", "learned", row_labels=numbers[:d_model])
            left = draw(left, 1, product, f"${letter} = X W_{letter}$", words, largest=vectors)
        left = draw(0.0, 2, self.scores, r"$S = Q K^\top$", "scores", column_labels=tokens, largest=scores)
        draw(left, 2, self.scaled_scores, f"${scaled}$", "scaled", column_labels=tokens, largest=scores)
        softmax_of = rf"$A = \mathrm{{softmax}}({scaled})$"
        left = draw(0.0, 3, self.weights, softmax_of, "weights", column_labels=tokens, pole=WEIGHT, largest=1.0)
        draw(left, 3, self.output, "$Y = A V$", "output", largest=vectors)
        return figure


def largest(*matrices: np.ndarray) -> float:
    """The largest magnitude, at least 1: full colour stands for this number."""
    return max(1.0, *(float(np.abs(matrix).max()) for matrix in matrices))
