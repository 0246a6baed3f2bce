"""OrderAudit in a real browser: its numbers, its words, what each control does, its picture, its link."""

import itertools

import numpy as np
import pytest
import torch
from torch import nn

from inorder.audit import rows
from inorder.mixers.catalogue import ARCHITECTURES, Draw
from inorder.widgets import OrderAudit
from inorder.widgets.order_audit.runs import D_MODEL, N_ROWS, OTHERS, word_rows

each = pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda architecture: architecture.name)


@pytest.fixture(scope="module")
def audited():
    return {row.architecture.name: row for row in rows()}


def outputs(layer, rows, start=2):
    """The layer's outputs at five rows that stand between zeros, ten lines away from the figure's own."""
    x = np.concatenate([np.zeros((start, D_MODEL)), rows, np.zeros((N_ROWS - start - 5, D_MODEL))])
    return layer(x)[start : start + 5]


@each
def test_before_and_after_are_the_layers(architecture):
    layer = architecture.make(Draw(np.random.default_rng(0), D_MODEL), N_ROWS)
    figure = OrderAudit(architecture.name)
    text, new = word_rows(figure.words), word_rows(OTHERS)
    np.testing.assert_allclose(figure.before, outputs(layer, text), atol=1e-12)
    for order in ([2, 1, 0, 3, 4], [1, 2, 0, 4, 3], [4, 3, 2, 1, 0]):
        figure.order = order
        np.testing.assert_allclose(figure.after[order], outputs(layer, text[order]), atol=1e-12)
    figure.question = "move"
    for figure.moved in (1, 2, 3):
        np.testing.assert_allclose(figure.after, outputs(layer, text, 2 + figure.moved), atol=1e-12)
    figure.question = "future"
    for figure.new_from in (2, 3, 4):
        k = figure.new_from
        np.testing.assert_allclose(figure.after, outputs(layer, np.concatenate([text[:k], new[k:]])), atol=1e-12)


@each
def test_what_is_a_law_holds_for_every_change(architecture, audited):
    figure = OrderAudit(architecture.name)
    assert figure.run.laws == architecture.laws == audited[architecture.name].laws
    assert figure.run.errors == audited[architecture.name].audit
    for seed in range(4):
        figure.order = np.random.default_rng(seed).permutation(5)
        assert "P" not in architecture.laws or figure.follows.all()
    for law, question, name, numbers in (("S", "move", "moved", (1, 2, 3)), ("C", "future", "new_from", (2, 3, 4))):
        figure.question = question
        rest = [figure.follows.all() for number in numbers if setattr(figure, name, number) is None]
        if law in architecture.laws:
            assert all(rest)


def test_a_set_and_a_history():
    """What chapter 18 says of the first state."""
    rest = {name: int(OrderAudit(name).follows.sum()) for name in ("self-attention", "causal self-attention")}
    assert rest == {"self-attention": 5, "causal self-attention": 2}
    assert not OrderAudit("RNN (Elman)").follows.any()
    assert OrderAudit("Longformer", order=[4, 3, 2, 1, 0]).follows.all()
    assert not OrderAudit("Longformer").follows.all()


def assert_page_shows(figure, python, view=0):
    [packed] = [layer for layer in python.data["layers"] if layer["name"] == python.layer]
    crossing = python.picture()["panels"][0]
    threads = crossing["order"].astype(int)
    root = figure.page.locator(".inorder-figure").nth(view)
    for side, joined in (("above", threads[threads >= 0]), ("below", np.flatnonzero(threads >= 0))):
        display = figure.numbers(f"0.{side}", view)
        np.testing.assert_allclose(display[joined], crossing[side][joined], rtol=0, atol=packed["step"])
    notes = root.locator(".inorder-crossing-note").all_inner_texts()
    assert ["=" in note for note in notes] == [python.follows[word] for word in threads if word >= 0]
    assert root.locator(".inorder-summary").inner_text() == python.summary()
    assert root.locator(".inorder-answer .inorder-note").inner_text() == python.run.why
    sign = root.locator(".inorder-answer .inorder-sign").inner_text()
    assert sign == ("=" if python.follows.all() else "≠")
    whole = root.locator(".inorder-threads path").evaluate_all("all => all.map((p) => p.matches('.is-kept'))")
    assert whole == python.follows.tolist()
    assert root.get_by_label("Layer").input_value() == python.layer


def test_orders_are_counted_as_python_counts_them(functions):
    orders = list(itertools.permutations(range(5)))
    assert functions("order_audit/live.js").each("rankOf", [list(order) for order in orders]) == list(range(120))


def test_what_travels_is_small():
    data = OrderAudit().data
    assert sum(map(len, [*(layer["codes"] for layer in data["layers"]), *data["places"]])) < 75_000
    assert all(layer["step"] < 3e-4 * (abs(layer["low"]) + 1) for layer in data["layers"])


def test_the_order_as_it_was(mount):
    python = OrderAudit("causal self-attention", order=[0, 1, 2, 3, 4])
    figure = mount(python)
    assert figure.summary.inner_text() == "The same order: move a word."
    assert_page_shows(figure, python)


def test_layer_and_question(mount):
    python = OrderAudit()
    figure = mount(python)
    root = figure.figure
    assert root.locator("select option").all_text_contents() == [each.name for each in ARCHITECTURES]
    root.get_by_label("Layer").select_option("RNN (GRU)")
    assert figure.sync().layer == "RNN (GRU)"
    assert_page_shows(figure, python)
    root.get_by_role("radio", name="moved").check(force=True)
    slider = root.get_by_role("slider", name="Rows moved by", exact=True)
    slider.press("End")
    assert (figure.sync().question, python.moved) == ("move", 3)
    assert root.locator(".inorder-crossing .is-faded").all_inner_texts() == ["0"] * 6
    assert not root.locator(".inorder-tiles").is_visible()
    assert_page_shows(figure, python)
    root.get_by_role("radio", name="a new ending").check(force=True)
    assert not slider.is_visible()
    root.get_by_role("slider", name="New words from", exact=True).press("End")
    assert (figure.sync().question, python.new_from) == ("future", 4)
    below = root.locator(".inorder-side").last.locator(".inorder-word").all_text_contents()
    assert below == ["dogs", "bit", "men", "without", OTHERS[4]]
    assert_page_shows(figure, python)


def running_sum(n):
    return lambda x: np.cumsum(x, axis=0)


def test_a_layer_of_ones_own(mount):
    python = OrderAudit("<b>sum</b>", own={"<b>sum</b>": running_sum}, words="b a c", order=[1, 0, 2])
    assert (python.run.laws, python.follows.tolist()) == ("SC", [False, False, True])
    text = word_rows("bac")
    np.testing.assert_allclose(python.after, [text[0] + text[1], text[1], text.sum(axis=0)], atol=1e-12)
    figure = mount(python)
    assert_page_shows(figure, python)
    assert figure.figure.locator("option").first.inner_text() == "<b>sum</b>"
    figure.figure.get_by_label("Layer").select_option("self-attention")
    assert figure.sync().follows.all()
    assert_page_shows(figure, python)


def test_other_words_from_python(mount):
    python = OrderAudit("FNet")
    with python.hold_trait_notifications():
        python.words, python.order = "one two three four", [3, 2, 1, 0]
    np.testing.assert_allclose(python.before, OrderAudit("FNet", words="one two three four").before)
    assert_page_shows(mount(python), python)


def test_bad_input():
    for arguments, message in (
        ({"own": {"FNet": running_sum}}, "own must have names that no layer of the book has, got 'FNet'"),
        ({"own": {"short": lambda n: lambda x: x[1:]}}, "24, d_output"),
    ):
        with pytest.raises(ValueError, match=message):
            OrderAudit(**arguments)


def test_a_module_of_torch_is_a_layer_of_ones_own():
    torch.manual_seed(0)
    encoder = nn.TransformerEncoderLayer(4, 2, 8).double().eval()
    figure = OrderAudit("mine", own={"mine": lambda n: encoder})
    assert figure.run.laws == "PS"
    assert figure.follows.all()
    assert figure.before.dtype == np.float64
    with pytest.raises(ValueError, match="expected a layer that takes rows"):
        OrderAudit("mine", own={"mine": lambda n: nn.Linear(3, 3).double()})
    with pytest.raises(ValueError, match=r"in double precision, as module.double\(\), got torch.float32"):
        OrderAudit("mine", own={"mine": lambda n: nn.Linear(4, 4)})
