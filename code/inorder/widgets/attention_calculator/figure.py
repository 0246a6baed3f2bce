"""AttentionCalculator: every number of softmax(QKᵀ/√d)V for three to six tokens, live."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import traitlets
from matplotlib.figure import Figure

from inorder.attention import attention_scores, causal_mask, softmax
from inorder.widgets.interact.twin import still
from inorder.widgets.kit.figure import InteractiveFigure, matrix_rows
from inorder.widgets.kit.state import InvalidState, boolean, choice, integer, matrix, texts
from inorder.widgets.kit.twin import format_number
from inorder.widgets.marks import Mark, heat_map

TOKENS = ["the", "cat", "sat", "down", "and", "slept"]  # the first four, unless the caller says otherwise
X = [[-0.5, 0.0, 1.0], [1.0, 0.0, 0.5], [0.0, 1.0, -0.5], [0.5, 0.5, -1.0], [-0.5, -0.5, 0.5], [0.0, 1.0, 1.0]]
W_Q = [[-1.0, 1.0], [1.0, 0.0], [0.0, -1.0]]
W_K = [[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
W_V = [[1.0, 0.0], [0.0, 2.0], [1.0, 0.0]]


class AttentionCalculator(InteractiveFigure):
    """The whole of one attention head, softmax(QKᵀ/√d_head)V, with Q = X W_Q, K = X W_K, V = X W_V, number by number.

    The reader edits the entries of X and of the three learned matrices, and switches scale and mask;
    every computed cell explains its own arithmetic. In Python the traits below can be set and read, and ``scores``,
    ``weights``, ``output`` and the rest are computed by `inorder.attention` for the state as it is.

    Args:
        tokens: 3 to 6 strings of up to 20 characters, or one string to be cut at its spaces.
        x: embeddings, one row a token, (n, d_model) with d_model from 2 to 4. Lists, NumPy or torch, like the weights.
        w_query, w_key: (d_model, d_head), d_head from 1 to 4.
        w_value: (d_model, d_value), d_value from 1 to 4.
        scale: divide the scores by √d_head?
        mask: "none" or "causal".
        row: the token whose row is followed, counted from 0.

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
    inorder.widgets.kit.state.InvalidState: x must have one row for each of the 3 tokens, got 2
    """

    folder = Path(__file__).parent

    title = traitlets.Unicode("Where does a number come from?").tag(sync=True)
    tokens = texts(TOKENS[:4], fewest=3, most=6, shortest=0, longest=20)
    x = matrix(X[:4], rows="tokens", columns=(2, 4))
    w_query = matrix(W_Q, rows=(2, 4), columns=(1, 4))
    w_key = matrix(W_K, rows=(2, 4), columns=(1, 4))
    w_value = matrix(W_V, rows=(2, 4), columns=(1, 4))
    scale = boolean(True)
    mask = choice("none", ["none", "causal"])
    row = integer(0, low=0, below="tokens")
    templates: ClassVar = {
        "alone": "“{token}” can attend only to itself.",
        "equally": "“{token}” attends equally to {count} tokens ({weight} each).",
        "itself": "“{token}” attends most to itself ({weight}).",
        "other": "“{token}” attends most to “{other}” ({weight}).",
        "tied": "“{token}” attends most to {count} tokens ({weight} each).",
        "scaled": "Scores divided by √{d_head}, {mask}.",
        "unscaled": "Scores not scaled, {mask}.",
        "causal": "causal mask",
        "none": "no mask",
    }

    def __init__(
        self,
        tokens: Any = None,
        x: Any = None,
        w_query: Any = None,
        w_key: Any = None,
        w_value: Any = None,
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
            w_query=W_Q if w_query is None else w_query,
            w_key=W_K if w_key is None else w_key,
            w_value=W_V if w_value is None else w_value,
            scale=scale,
            mask=mask,
            **options,
        )

    def check_together(self, state: dict[str, Any]) -> None:
        super().check_together(state)
        width = len(state["x"][0])
        for name in ("w_query", "w_key", "w_value"):
            if len(state[name]) != width:
                raise InvalidState(
                    f"{name} must have {width} rows, like the columns of x, got shape {np.shape(state[name])}"
                )
        if np.shape(state["w_query"]) != np.shape(state["w_key"]):
            shapes = f"{np.shape(state['w_query'])} and {np.shape(state['w_key'])}"
            raise InvalidState(f"w_query and w_key must have the same shape, got {shapes}")

    @property
    def query(self) -> np.ndarray:
        """Q = X W_Q, (n, d_head)."""
        return np.array(self.x) @ np.array(self.w_query)

    @property
    def key(self) -> np.ndarray:
        """K = X W_K, (n, d_head)."""
        return np.array(self.x) @ np.array(self.w_key)

    @property
    def value(self) -> np.ndarray:
        """V = X W_V, (n, d_value)."""
        return np.array(self.x) @ np.array(self.w_value)

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
        token, row = self.tokens[self.row], self.weights[self.row]
        row = row[: self.row + 1] if self.mask == "causal" else row
        if len(row) == 1:
            return self.say("alone", token=token)
        weight = format_number(row.max())
        count = int((row.max() - row < 1e-9).sum())
        if count > 1:
            return self.say("equally" if count == len(row) else "tied", token=token, count=count, weight=weight)
        most = int(row.argmax())
        return self.say("itself" if most == self.row else "other", token=token, other=self.tokens[most], weight=weight)

    def note(self) -> str:
        """The smaller line below the answer."""
        sentence = "scaled" if self.scale else "unscaled"
        return self.say(sentence, d_head=len(self.w_query[0]), mask=self.say(self.mask))

    def alt_text(self) -> str:
        n, d_model, d_head, d_value = len(self.tokens), len(self.x[0]), len(self.w_query[0]), len(self.w_value[0])
        return (
            f"One attention head worked out for the {n} tokens {', '.join(self.tokens)}, as matrices of numbers: "
            f"X ({n} × {d_model}) times W_Q, W_K and W_V gives Q and K ({n} × {d_head}) and V ({n} × {d_value}); "
            f"QKᵀ gives scores and then weights ({n} × {n}), and the weights times V give the output "
            f"({n} × {d_value}). {self.summary()} {self.note()}"
        )

    def figure(self) -> Figure:
        vectors, scores = largest(self.query, self.key, self.value, self.output), largest(self.scores)

        def matrix(title: str, values: Any, reach: float, low: float | None = None, columns: Any = None) -> Mark:
            return heat_map(values, self.tokens, columns, title=title, limits=(-reach if low is None else low, reach))

        return still(
            self,
            matrix("X", self.x, largest(self.x)),
            matrix("Q", self.query, vectors),
            matrix("K", self.key, vectors),
            matrix("V", self.value, vectors),
            matrix("Scaled scores", self.scaled_scores, scores, columns=self.tokens),
            matrix("A", self.weights, 1.0, 0.0, columns=self.tokens),
            matrix("Y = AV", self.output, vectors),
        )


def largest(*matrices: np.ndarray) -> float:
    """The largest magnitude, at least 1: full colour stands for this number."""
    return max(1.0, *(float(np.abs(matrix).max()) for matrix in matrices))
