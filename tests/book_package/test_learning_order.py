"""The exercises and the figures on learning order."""

import numpy as np
import pandas as pd
import pytest

from chapter_tests import ChapterTests
from inorder.book.figures import learning_order as figures
from inorder.lab.results import read
from inorder.lab.runs import Setting, run
from inorder.stored import stored

TASKS = {"which-first": (0.5, 0.5), "copy-left": (0.22, 0.57), "last-token": (0.2, 0.55)}
SCHEMES = {"no positions": 0.0, "ALiBi": 0.6, "T5, up to 16": 1.0}
FOUND = pd.DataFrame(
    {"task": task, "label": label, "seed": seed, "accuracy": floor + share * (1 - floor) - 0.01 * seed}
    | {"floor": floor, "ceiling": ceiling}
    for task, (floor, ceiling) in TASKS.items()
    for label, share in SCHEMES.items()
    for seed in range(3)
)


DRAWN = {"every_scheme": lambda: figures.every_scheme(FOUND)}


class TestChapter(ChapterTests):
    figures, drawn = figures, DRAWN


def answer(display):
    return display[-1].parts


def test_every_scheme_has_a_panel_for_each_task_and_a_mark_for_each_seed():
    picture = figures.every_scheme(FOUND)
    panels = [axes for axes in picture.axes if axes.get_title(loc="left")]
    assert [axes.get_title(loc="left") for axes in panels] == [figures.TASKS[task] for task in TASKS]
    for axes, (floor, ceiling) in zip(panels, TASKS.values(), strict=True):
        *bounds, drawn = axes.lines
        assert [line.get_xdata()[0] for line in bounds] == [floor, ceiling]
        assert len(drawn.get_xdata()) == 9
        labels = [label.get_text() for label in panels[0].get_yticklabels()]
        for label, share in SCHEMES.items():  # each mark beside the name of its scheme
            marks = drawn.get_xdata()[drawn.get_ydata() == labels.index(label)]
            np.testing.assert_allclose(marks, floor + share * (1 - floor) - 0.01 * np.arange(3))
    assert "the word to the left: floor 0.22, ceiling 0.57; no positions 0.2 to 0.22" in picture.alt_text


def test_a_stored_narrow_run_is_what_the_lab_finds():
    names = ("task", "scheme", "seed", "n_steps", "d_model", "n_heads", "d_ff")
    setting = Setting("copy-left", "sinusoidal", n_steps=300, d_model=16, n_heads=2, d_ff=32)
    expected = {name: getattr(setting, name) for name in names}
    records = read(stored("longer_and_narrower.json")).runs
    [stored_run] = [record for record in records if expected.items() <= record.items()]
    again, _ = run(setting)
    np.testing.assert_allclose(again["accuracy"], stored_run["accuracy"], atol=0.05)
    np.testing.assert_allclose(again["losses"], stored_run["losses"], atol=0.1)


def test_learning_curves_are_means_of_ten_steps_over_the_floor():
    curve = np.r_[np.zeros(10), np.ones(30)]
    plane, message = figures.learning([curve, 1 - curve], 0.5, [0.5, 0.75], 1000)
    layer = plane.parts["layers"][0]
    np.testing.assert_array_equal(layer["x"], [10, 20, 30, 40])
    np.testing.assert_array_equal(layer["y"], [[0, 1, 1, 1], [1, 0, 0, 0], [0.5] * 4])
    assert message.parts["words"] == "Tested on 1,000 new texts, 500 and 750 answers are right."
    assert message.parts["sign"] == "✓"
    assert answer(figures.learning([curve], 0.5, [0.5], 1000))["sign"] == "×"


def test_curves_of_the_sweep_lie_between_their_bounds():
    runs = pd.DataFrame({"seed": [1, 1, 0, 0], "step": [40, 20, 20, 40], "accuracy": [0.9, 0.3, 0.2, 0.8]})
    plane, answer = figures.sweep_curves(runs, 0.22, 0.57)
    layer = plane.parts["layers"][0]
    np.testing.assert_array_equal(layer["x"], [20, 40])
    np.testing.assert_array_equal(layer["y"], [[0.2, 0.8], [0.3, 0.9], [0.22] * 2, [0.57] * 2])
    assert answer.parts["words"].startswith(
        "At the end 0.80 to 0.90 of the answers are right. The floor is 0.22, the ceiling"
    )
    assert len(figures.sweep_curves(runs, 0.5, 0.5)[0].parts["layers"][0]["y"]) == 3  # the ceiling is the floor
    assert len(figures.sweep_curves(runs, 0.22, 1.0)[0].parts["layers"][0]["y"]) == 3  # or no bound at all


@pytest.mark.parametrize("row", range(1, 8))
def test_what_a_row_can_know(row):
    bag, neighbours, left = (figures.probabilities(row, sees) for sees in figures.SIGHTS)
    for likely in (bag, neighbours, left):
        assert likely.sum() == pytest.approx(1)
    others = [word for k, word in enumerate(figures.TEXT) if k != row]
    assert bag.max() == pytest.approx(max(others.count(kind) for kind in figures.KINDS) / 7)
    assert figures.KINDS[left.argmax()] == figures.TEXT[row - 1] and left.max() == 1
    assert left.max() >= neighbours.max() >= 0.5


def test_slow_or_unable_has_a_bar_for_each_scheme_and_a_ceiling_where_there_is_one():
    bars, message = figures.slow_or_unable({"T5": 0.4, "ALiBi": 0.3}, 0.22, {"ALiBi": 0.551})
    assert bars.parts["values"][0].tolist() == [0.4, 0.3] and bars.parts["reference"] == 0.22
    assert "0.55" in str(bars.parts["columns"]) and "–" in str(bars.parts["columns"])
    assert message.parts["words"] == "T5 gets furthest, with 0.40. The floor is 0.22."


def test_the_last_row_of_the_text_by_hand():
    assert "“cat”, is right with probability 0.57" in answer(figures.what_a_row_can_know(7))["words"]  # 4 of 7
    assert answer(figures.what_a_row_can_know(7, figures.SIGHTS[1]))["words"].endswith("right for sure.")
    assert "“cat” or “dog”" in answer(figures.what_a_row_can_know(2, figures.SIGHTS[1]))["words"]
