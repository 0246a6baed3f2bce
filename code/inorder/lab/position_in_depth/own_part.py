"""How much of a row stays its own when attention averages all rows of a text: measured, and by the law."""

import numpy as np
from jaxtyping import Float

from inorder._arrays import expect, expect_choice, expect_count


def own_part(rows: Float[np.ndarray, "*batch position d"]) -> float:
    """1 − the mean cosine between two rows of a text, averaged over the texts: 0 if all rows point the same way.

    Raises ValueError: fewer than two rows; a row of zeros.

    >>> own_part(np.eye(3)), round(own_part(np.ones((3, 2))), 9)
    (1.0, 0.0)
    """
    n = rows.shape[-2] if rows.ndim >= 2 else 0
    expect(n >= 2, "two rows or more", rows.shape)
    norms = np.linalg.norm(rows, axis=-1, keepdims=True)
    expect(bool((norms > 0).all()), "rows that are not 0", f"{int((norms == 0).sum())} that are")
    unit = rows / norms
    cosines = unit @ unit.swapaxes(-1, -2)  # (*batch, n, n)
    return float(1 - cosines[..., ~np.eye(n, dtype=bool)].mean())


def own_part_law(
    start: float, n: int, n_layers: int, *, norm: str = "post", residual: float = 1.0, size: float = 1.0
) -> Float[np.ndarray, " {n_layers}+1"]:
    """What the law says of the own part s, before the first layer and after each.

        c = 1 − s (1 − 1/n),    s′ = α² s / (α² + c)             post-norm: α is the residual's weight in every layer
                                s′ = α² R² s / (α² R² + c)       pre-norm: R² is the mean square of the stream

    Every layer adds the plain mean of all rows, turned into a new direction; c is its mean square beside that of a row.
    Post-norm makes R = 1 again. Without that, R² ← α² R² + c: at α = 1 the stream grows, and s falls as 1/R².

    Raises ValueError: a start outside 0 … 1; an n below 2; n_layers that is no positive whole number; an unknown norm;
    a residual below 0; a size that is not above 0.

    >>> own_part_law(0.5, 16, 2, norm="post").round(3), own_part_law(0.5, 16, 2, norm="pre").round(3)
    (array([0.5  , 0.327, 0.193]), array([0.5  , 0.327, 0.225]))
    """
    expect(0 <= start <= 1, "a start from 0 to 1", start)
    expect_count("n", n)
    expect(n >= 2, "an n of 2 or more", n)
    expect_count("n_layers", n_layers)
    expect_choice("norm", norm, ("pre", "post"))
    expect(residual >= 0, "a residual of 0 or more", residual)
    expect(size > 0, "a size above 0", size)
    parts = [start]
    for _ in range(n_layers):
        shared = 1 - parts[-1] * (1 - 1 / n)
        carried, added = residual**2 * size, shared * (size if norm == "post" else 1.0)
        parts.append(parts[-1] * carried / (carried + added) if carried else 0.0)
        size = 1.0 if norm == "post" else carried + added
    return np.array(parts)
