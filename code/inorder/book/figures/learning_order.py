"""The figure on learning order: how models learn."""

from collections.abc import Sequence

import numpy as np

from inorder.widgets import marks


def learning(curves: Sequence[np.ndarray], floor: float, right: Sequence[float], n_texts: int) -> list[marks.Mark]:
    """Learning curves over a floor, and what the test says: (step,) accuracies of some models on new texts."""
    bins = [np.asarray(curve).reshape(-1, 10).mean(axis=1) for curve in curves]
    steps = 10 * np.arange(1, len(bins[0]) + 1)
    drawn = {f"seed {k}": curve for k, curve in enumerate(bins)} | {"floor": np.full(len(steps), floor)}
    axes = ("steps", "share correct")
    plane = marks.lines(steps, drawn, actor={"floor": "position"}, axes=axes, y_limits=(0.3, 1.02))
    counts = " and ".join(f"{round(share * n_texts)}" for share in right)
    sign = "×" if max(right) == floor else "✓"
    return [plane, marks.answer(f"Tested on {n_texts:,} new texts, {counts} answers are right.", sign)]
