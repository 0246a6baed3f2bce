"""What an induction head brings, counted from the text: an oracle for the heads that are built by hand."""

import math

import numpy as np


def induction_shares(tokens: np.ndarray, n_tokens: int, *, sharpness: float = 8.0) -> np.ndarray:
    """(row, token): of all that a row sees, what followed its own word so far counts e^β, and the rest 1.

    The first row follows itself. Exact for a first head that looks at nothing but the token before.
    """
    before = tokens[np.maximum(np.arange(len(tokens)) - 1, 0)]
    counts = np.tril(np.where(before == tokens[:, None], math.exp(sharpness), 1.0))  # (row, key)
    return counts @ np.eye(n_tokens)[tokens] / counts.sum(axis=1, keepdims=True)
