"""SameOrNot in a real browser: its numbers, its words, how the reader moves them, its picture, its link."""

import numpy as np
import pytest
import torch

from inorder.encodings import sinusoidal_encoding
from inorder.widgets import SameOrNot
from inorder.widgets.kit.model_state import numbers_from_text
from inorder.widgets.kit.twin import ROUNDING
from inorder.widgets.same_or_not.figure import D_MODEL, N_LAYERS, weights

ALPHABET = [*"abcdefgh", "é", "中", "🐈", "ß"]


def random_figure(seed: int, **options) -> SameOrNot:
    rng = np.random.default_rng(seed)
    n = rng.integers(2, 9)
    words = ["".join(rng.choice(ALPHABET, size=rng.integers(1, 9))) for _ in range(n)]
    return SameOrNot(words, order=rng.permutation(n), positions=bool(rng.integers(2)), **options)


def assert_page_shows(figure, python, view=0):
    np.testing.assert_allclose(figure.numbers("1.values", view), python.vectors, rtol=0, atol=1e-9)
    display = figure.page.locator(".inorder-figure").nth(view)
    assert display.locator(".inorder-summary").inner_text() == python.summary()
    note = display.locator(".inorder-answer .inorder-note").inner_text()
    assert note == python.note() or python.difference < ROUNDING  # each rounds in its own way
    assert display.locator(".inorder-tile .inorder-word").all_text_contents() == python.reshuffle
    assert display.locator(".inorder-side .inorder-word").all_text_contents() == python.words


@pytest.mark.parametrize("seed", range(5))
def test_positions_decide(seed):
    figure = random_figure(seed)
    same_reading = figure.words == figure.reshuffle
    figure.positions = False
    assert figure.difference < 1e-14
    figure.positions = True
    assert (figure.difference > 0.001) == (not same_reading)


def test_torch_agrees():
    """The whole model again, by torch's own attention."""
    figure = SameOrNot("the cat saw the dog", order=[3, 0, 4, 1, 2], positions=True)
    for words, vector in zip((figure.words, figure.reshuffle), figure.vectors, strict=True):
        x = torch.tensor([numbers_from_text(word, D_MODEL) for word in words], dtype=torch.float64)
        x = x + sinusoidal_encoding(torch.arange(5), D_MODEL, dtype=torch.float64)
        for layer in range(N_LAYERS):
            q, k, v = (x @ torch.tensor(weights(f"layer {layer}, {name}")) for name in ("query", "key", "value"))
            x = x + torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]
        np.testing.assert_allclose(x.mean(dim=0).numpy(), vector, atol=1e-12)


def test_numbers_from_text_are_spread():
    numbers = np.array([numbers_from_text(f"word {i}", 10) for i in range(2000)])
    assert abs(numbers.mean()) < 0.02
    assert numbers.var() == pytest.approx(1 / 3, abs=0.01)
    assert abs(np.corrcoef(numbers.T) - np.eye(10)).max() < 0.1
    assert len(set(numbers.ravel().tolist())) > 0.999 * numbers.size


def test_the_parts_are_what_the_words_add():
    for seed in range(5):
        figure = random_figure(seed)
        np.testing.assert_allclose(figure.parts.sum(axis=0), figure.vectors[1], atol=1e-12)
        assert figure.parts.shape == (len(figure.words), D_MODEL)


def test_the_switch(mount):
    python = SameOrNot()
    figure = mount(python)
    sign = figure.figure.locator(".inorder-answer .inorder-sign")
    assert (figure.summary.inner_text(), sign.inner_text()) == ("All 16 numbers stay the same.", "=")
    assert sign.get_attribute("aria-label") == "equal"
    figure.figure.get_by_role("switch", name="Give it the positions").click()
    assert figure.sync().positions
    assert (figure.summary.inner_text(), sign.inner_text()) == ("All 16 numbers change.", "≠")
    assert figure.figure.locator(".inorder-crossing-note").all_inner_texts() == ["0", "1", "2"]
    assert_page_shows(figure, python)


def test_shuffle(mount):
    python = SameOrNot("a b c d e f")
    figure = mount(python)
    seen = set()
    for _ in range(6):
        before = figure.sync().order
        figure.press("Shuffle")
        assert sorted(figure.sync().order) == list(range(6))
        assert python.order not in (before, list(range(6)))
        seen.add(tuple(python.order))
    assert len(seen) > 2
    assert_page_shows(figure, python)
    figure = mount(SameOrNot("no no"))
    figure.press("Shuffle")  # nothing new to find
    assert figure.sync().reshuffle == ["no", "no"]


def test_the_sentence(mount):
    python = SameOrNot("dog bites man")
    figure = mount(python)
    figure.figure.get_by_text("Another sentence").click()
    box = figure.figure.get_by_label("Sentence", exact=True)
    box.focus()
    figure.page.keyboard.press("End")
    figure.page.keyboard.type(" today,  perhaps")
    assert figure.sync().words == ["dog", "bites", "man", "today,", "perhaps"]
    assert python.reshuffle == ["man", "bites", "dog", "today,", "perhaps"]
    assert box.input_value() == "dog bites man today,  perhaps"  # as typed
    figure.page.keyboard.press("Tab")
    assert_page_shows(figure, python)
    box.fill("cat")
    assert "2 to 8 words" in figure.notice.inner_text()
    figure.figure.get_by_label("Give it the positions").click()
    assert figure.notice.inner_text() == ""
    assert figure.sync().words[-1] == "perhaps"
    box.fill("cat sleeps")
    assert figure.sync().words == ["cat", "sleeps"]
    assert python.reshuffle == ["sleeps", "cat"]
    assert_page_shows(figure, python)


def test_rounding_has_room():
    """What separates rounding from a difference lies far from both: the worst of many sentences on either side."""
    rng = np.random.default_rng(0)
    worst = 0.0
    for _ in range(50):
        figure = SameOrNot(rng.choice(["dog", "man", "cat", "saw"], size=8).tolist(), order=rng.permutation(8))
        worst = max(worst, figure.difference)
    assert worst < ROUNDING / 100
