"""The figures on [A, B] against [B, A], still and alive, and the three tokens made by hand that they read."""

from collections.abc import Sequence
from fractions import Fraction

import matplotlib as mpl
import numpy as np
from jaxtyping import Float
from matplotlib.patches import Rectangle

from inorder.attention import causal_mask
from inorder.book.drawing import EDGE, INK, MUTED, RAISED, STYLE, Picture, draw_token
from inorder.widgets import marks
from inorder.widgets.kit.twin import listed

TOKENS = "ABC"
POWERS = np.array([[1.0, 1, 1], [1, 2, 1], [1, 2, 4]])  # e to the scaled score, (query 3, key 3)
VALUES = np.array([[21.0, 0], [0, 21], [21, 21]])  # (key 3, d_value 2)


@mpl.rc_context(STYLE)
def staircase() -> Picture:
    """The causal mask of A, B and C, (query 3, key 3): a filled square means that the row may look at the token."""
    n = len(TOKENS)
    mask = causal_mask(n)
    targets = [*TOKENS[1:], "?"]
    sees = "; ".join(
        f"row {i}, of {TOKENS[i]}, which predicts {targets[i]}, sees {listed(list(TOKENS[: i + 1]))}" for i in range(n)
    )
    figure = Picture(
        f"A grid of {n} rows and {n} columns, one of each for the tokens A, B and C. The squares on and below the "
        f"diagonal are filled, those above hold a small cross: {sees}.",
        height=2.6,
        width=4.5,
    )
    axes = figure.subplots()
    for (row, column), may_look in np.ndenumerate(mask):
        square = Rectangle((column, row), 1, 1, facecolor=INK if may_look else RAISED, edgecolor=EDGE, linewidth=0.8)
        axes.add_patch(square)
        axes.text(column + 0.5, row + 0.5, "" if may_look else "×", ha="center", va="center")
    axes.set(aspect="equal", xlim=(0, n), ylim=(n, 0))
    axes.spines[:].set_visible(False)
    axes.set_xticks(np.arange(n) + 0.5, list(TOKENS))
    rows = [
        f"row {i}, of {token}, predicts {target}" for i, (token, target) in enumerate(zip(TOKENS, targets, strict=True))
    ]
    axes.set_yticks(np.arange(n) + 0.5, rows)
    axes.tick_params(length=0, top=True, bottom=False, labeltop=True, labelbottom=False)
    return figure


@mpl.rc_context(STYLE)
def prompt_bars(
    rows: Sequence[tuple[str, np.ndarray, np.ndarray]],
) -> Picture:
    """For each prompt, a string of A, B, C, the weights (key,) of the query that predicts next, and its output.

    The rows come in pairs, each a prompt and the same prompt with A and B swapped.
    """
    pairs = []
    for (one, *_, first), (two, *_, second) in zip(rows[::2], rows[1::2], strict=True):
        equal = "equal" if np.allclose(first, second) else "different"
        asks = f"the query of {one[-1]} generates" + (
            "" if one[-1] == two[-1] else f" in the first, that of {two[-1]} in the second"
        )
        pairs.append(f"Prompts {', '.join(one)} and {', '.join(two)}: {asks}; the outputs are {equal}.")
    parts = "; ".join(
        f"{', '.join(prompt)}: "
        + listed(f"{name} {Fraction(float(w)).limit_denominator(99)}" for name, w in zip(prompt, ws, strict=True))
        for prompt, ws, _ in rows
    )
    figure = Picture(
        f"{len(rows)} bars of length 1, in pairs, each cut into one part per token, as long as its weight. "
        f"{' '.join(pairs)} The weights are {parts}.",
        height=4.5,
    )
    axes = figure.subplots()
    for i, (prompt, weights, output) in enumerate(rows):
        y = 1.45 * i + 0.75 * (i // 2)
        axes.text(-0.05, y + 0.28, f"[{', '.join(prompt)}]", ha="right", va="center", weight="bold")
        axes.text(-0.05, y + 0.78, f"query of {prompt[-1]}", ha="right", va="center", fontsize=10.5)
        left = 0.0
        for name, weight in zip(prompt, weights, strict=True):
            share = Fraction(float(weight)).limit_denominator(99)
            draw_token(axes, left, y, float(weight), 1, name, f"{name}\n{share}")
            left += float(weight)
        axes.text(1.05, y + 0.5, f"({', '.join(f'{number:.4g}' for number in output)})", va="center")
        if i % 2 and i > 0:
            same = np.allclose(output, rows[i - 1][2])
            axes.text(1.16, y - 0.22, "=" if same else "≠", ha="center", va="center", weight="bold", fontsize=15)
    axes.text(0.5, -0.3, "weights, in the order of the prompt", ha="center", va="center", color=MUTED)
    axes.text(1.05, -0.3, "output", va="center", color=MUTED)
    axes.set(xlim=(-0.42, 1.38), ylim=(y + 1.15, -0.6))
    axes.axis("off")
    return figure


def weights_and_output(prompt: str, asks: str) -> tuple[Float[np.ndarray, " key"], Float[np.ndarray, " d_value"]]:
    """The weights of the query of the token `asks` over a prompt made of A, B and C, and their sum of values."""
    rows = [TOKENS.index(token) for token in prompt]
    powers = POWERS[TOKENS.index(asks), rows]
    return powers / powers.sum(), powers / powers.sum() @ VALUES[rows]


def add_up(order: str = "A, B, C") -> tuple[marks.Mark, ...]:
    """Add up the three parts in your order. Where do you end up?"""
    prompt = order.replace(", ", "")
    weights, output = weights_and_output(prompt, "C")
    parts = weights[:, None] * VALUES[[TOKENS.index(token) for token in prompt]]  # (key 3, d_value 2)
    tips = parts.cumsum(axis=0)
    plane = marks.arrows(
        tips,
        list(prompt),
        tails=tips - parts,
        actor="value",
        axes=("first number", "second number"),
        x_limits=(-2, 22),
        y_limits=(-2, 22),
    )
    bars = marks.bars(weights, list(prompt), title="weights when C asks", limits=(0, 1), actor="key")
    usual = weights_and_output(TOKENS, "C")[1]
    same = np.allclose(output, usual, rtol=0, atol=1e-12)
    answer = f"You end up at ({output[0]:.4g}, {output[1]:.4g})"
    answer += ", as with A, B, C." if same else f", and not at ({usual[0]:.4g}, {usual[1]:.4g})."
    return plane, bars, marks.answer(answer, "=" if same else "≠")


def rows_and_targets(prompt: str = "A, B, C") -> list[marks.Mark]:
    """Drag a token to another place. Which row predicts which token?"""
    tokens = prompt.split(", ")
    n = len(tokens)
    line = marks.sentence(
        [*tokens, "?"],
        np.eye(n + 1, k=1),  # row i predicts token i + 1
        order=[*map(TOKENS.index, tokens), n],
        asks=n - 1,
        small=[n],
        notes=range(n + 1),
        heads=True,
        drag="prompt",
    )
    one, other, last = tokens
    says = f"After [{one}, {other}] the query of {other} predicts {last}"
    return [line, marks.answer(f"{says}; after [{prompt}] the query of {last} predicts the next token.")]
