"""PromptOrderLab in a real browser: numbers, the four steps, moving tokens, reading one, link, picture; in Python."""

import re

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from inorder.attention import softmax
from inorder.transformer import Binary, Learned, PositionScheme, Rotary, Scalar, decode
from inorder.widgets import PromptOrderLab
from inorder.widgets.kit.model_state import offered_schemes
from inorder.widgets.kit.twin import ROUNDING
from transformer_models import ALL_SCHEMES, Counter, shaken_model, to_torch

CLOSE = {"rtol": 0, "atol": 1e-9}
WHICH = ("first", "second")
SIGNS = ("seen", "query", "key", "weights", "value", "sum")  # of a layer in full


def random_lab(seed: int) -> PromptOrderLab:
    rng = np.random.default_rng(seed)
    scheme = ALL_SCHEMES[sorted(ALL_SCHEMES)[seed % len(ALL_SCHEMES)]]
    settings = {"norm": ("pre", "post", "none")[seed % 3], "residual": (1.0, 0.5)[seed % 2], "d_ff": (20, 0)[seed % 2]}
    parameters, config = shaken_model(scheme, seed=seed, n_layers=seed % 4 + 1, **settings)
    n = int(rng.integers(2, 9))
    tokens = rng.integers(0, config.vocabulary_size, size=n)
    return PromptOrderLab(
        tokens,
        tokens[rng.permutation(n)],
        (parameters, config),
        mask=("causal", "prefix", "none")[seed // 2 % 3],
        n_prefix=int(rng.integers(1, n + 1)),
        depth=int(rng.integers(1, config.n_layers + 1)),
        head=int(rng.integers(config.n_heads)),
    )


def distance(figure) -> float:
    return float(figure.cell("distance", 0, 0).get_attribute("data-value"))


def tiles(figure, prompt: int):
    return figure.figure.get_by_role("group", name=f"The {WHICH[prompt]} prompt", exact=True).locator(".inorder-tile")


def prompt_on_page(figure, prompt: int) -> list[str]:
    return tiles(figure, prompt).locator(".inorder-word").all_inner_texts()


def layer_signs(figure):
    return figure.figure.locator("button.inorder-lab-station:visible")


def open_layer(figure, layer):
    """Its sign shows it in full."""
    sign = layer_signs(figure).nth(layer)
    if sign.get_attribute("aria-pressed") != "true":
        sign.click()
    assert sign.get_attribute("aria-pressed") == "true"


def row_of_signs(figure) -> list[str]:
    return figure.figure.locator(".inorder-lab-station:visible .inorder-sign").all_inner_texts()


def assert_layer_shows(figure, lab, layer, readings, result):
    open_layer(figure, layer)
    for prompt, which in enumerate(WHICH):
        expected = readings[prompt][layer].weights[lab.head]
        np.testing.assert_allclose(figure.numbers(f"{which}-weights")[layer], expected, **CLOSE)
    assert figure.figure.locator(".inorder-lab-words").inner_text() == lab.layer_words(layer)
    panel = figure.figure.locator(".inorder-lab-layer")
    for prompt, places in enumerate((np.argsort(result.partner), range(len(lab.tokens)))):
        rows = [row.split("\t")[1:] for row in panel.locator("table").nth(prompt).inner_text().splitlines()]
        assert rows[1] == [" ".join(names) for names in lab._seen(prompt, layer)]
        for row, changes in ((2, result.key), (4, result.value)):
            assert rows[row] == ["≠" if changes[at] > ROUNDING else "=" for at in places]
    signs = panel.locator("[data-sign]").evaluate_all("all => all.map((s) => [s.dataset.sign, s.textContent])")
    assert dict(signs) == {name: "=" if np.max(getattr(result, name)) < 1e-12 else "≠" for name in SIGNS}, (
        layer,
        result,
    )


def assert_page_shows(figure, lab):
    for prompt in range(2):
        assert prompt_on_page(figure, prompt) == lab.prompts[prompt]
    readings, comparisons, distributions = lab.readings, lab.comparisons, lab.distributions  # each computes the model
    one, other = distributions
    gap = abs(one - other).sum() / 2
    changes = [result.change for result in comparisons]
    np.testing.assert_allclose(figure.numbers("changes")[: lab.depth, 0], changes, **CLOSE)
    display = figure.numbers("distributions")
    columns = ~np.isnan(display[0])
    assert columns.sum() == min(8, len(lab.vocabulary))
    np.testing.assert_allclose(display[:, columns], distributions[:, np.flatnonzero(columns)], **CLOSE)
    assert display[:, columns].max() == pytest.approx(distributions.max(), rel=0, abs=1e-9)
    assert distance(figure) == pytest.approx(gap, rel=0, abs=1e-9)
    assert figure.figure.locator(".inorder-lab-written").all_inner_texts() == lab.next_tokens
    differs = [bool(result.differing()) for result in comparisons]
    asked = [prompt[-1] for prompt in lab.prompts]
    expected = [asked[0] != asked[1], *differs, gap > ROUNDING]
    assert row_of_signs(figure) == ["≠" if differ else "=" for differ in expected]
    for layer, result in enumerate(comparisons):
        assert_layer_shows(figure, lab, layer, readings, result)
    assert figure.summary.text_content() == lab.summary()
    sign = figure.figure.locator(".inorder-answer .inorder-sign").inner_text()
    assert sign == ("≠" if gap > ROUNDING else "=")
    if gap > ROUNDING:
        assert figure.figure.locator(".inorder-answer .inorder-note").inner_text() == lab.note()


def unfold(figure, name):
    figure.figure.locator(".inorder-fold", has_text=name).first.evaluate("fold => { fold.open = true; }")


def switch(figure, group: str, option: str) -> None:
    figure.figure.get_by_role("group", name=group, exact=True).get_by_label(option, exact=True).check()


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_every_number_is_inorders(mount, seed):
    lab = random_lab(seed)
    assert_page_shows(mount(lab), lab)


def test_the_four_steps(mount):
    """[A, B, C] against [B, A, C]: only the second causal layer tells; without a mask, or in a prefix, none does."""
    lab = PromptOrderLab("A B C", "B A C")
    figure = mount(lab)
    for group, option, equal in [
        ("Layers", "1", True),
        ("Layers", "2", False),
        ("Mask", "none", True),
        ("Mask", "prefix", True),
        ("Mask", "causal", False),
    ]:
        switch(figure, group, option)
        assert (distance(figure) < 1e-12) == equal
        assert (figure.sync().distance < 1e-12) == equal
        note = figure.figure.locator(".inorder-answer .inorder-note").inner_text()
        assert note.startswith("Equal" if equal else "Different")
        if not equal:
            assert distance(figure) > 0.1
            open_layer(figure, 1)
            assert "here the prompts diverge: keys, weights and values differ" in figure.figure.inner_text()
    assert_page_shows(figure, lab)
    assert (lab.depth, lab.mask, lab.n_prefix) == (2, "causal", 2)


def test_positions_are_seen_by_one_layer(mount):
    figure = mount(PromptOrderLab())
    unfold(figure, "Positions, heads")
    for position in ("sinusoidal", "none", "alibi"):
        figure.figure.get_by_label("Positions").select_option(position)
        display = [place.is_visible() for place in figure.figure.locator(".inorder-place").all()]
        assert display == [position != "none"] * 6
        assert (distance(figure) < 1e-12) == (position == "none")
    assert_page_shows(figure, figure.sync())


def test_the_switches(mount):
    lab = PromptOrderLab("A B C D", "D C B A")
    figure = mount(lab)
    prefix = figure.figure.get_by_label("Prefix length")
    assert not prefix.is_visible()
    switch(figure, "Mask", "prefix")
    prefix.select_option("3")
    switch(figure, "Layers", "4")
    unfold(figure, "Positions, heads")
    figure.figure.get_by_label("Positions").select_option("rotary")
    figure.figure.get_by_label("Head shown").select_option("1")
    figure.sync()
    assert (lab.mask, lab.n_prefix, lab.depth, lab.position, lab.head) == ("prefix", 3, 4, "rotary", 1)
    assert_page_shows(figure, lab)


def test_keyboard(mount):
    lab = PromptOrderLab("A B C D", "B A C D")
    figure = mount(lab)
    tiles(figure, 1).nth(1).focus()
    for key, prompt in [
        ("ArrowRight", "B C A D"),
        ("End", "B C D A"),
        ("ArrowRight", "B C D A"),  # at the edge it stays
        ("ArrowLeft", "B C A D"),
        ("Home", "A B C D"),
        ("ArrowLeft", "A B C D"),
    ]:
        figure.page.keyboard.press(key)
        assert figure.sync().prompts[1] == prompt.split(), key
        assert figure.page.evaluate("document.activeElement.firstChild.textContent") == "A", key
    figure.page.keyboard.press("Control+ArrowRight")
    assert figure.sync().prompts[1] == ["A", "B", "C", "D"]
    assert_page_shows(figure, lab)


def test_of_equal_tokens_the_nearest_rows_are_compared(mount):
    """A multiset: the two A's that open the prompts have seen the same, wherever the other A's stand."""
    lab = PromptOrderLab("A A B C", "A B A C", depth=2)
    figure = mount(lab)
    assert_page_shows(figure, lab)
    assert lab.comparisons[1].partner[0] == 0
    lab = PromptOrderLab("A A B C", "A A B C", depth=2)
    assert [result.partner for result in lab.comparisons] == [[0, 1, 2, 3]] * 2


def test_the_row_of_signs_says_where_the_prompts_part(mount):
    """Each experiment of the chapters, and the signs that turn, from left to right."""
    figure = mount(PromptOrderLab("A B C", "B A C"))
    assert row_of_signs(figure) == ["=", "=", "="]  # whose query, layer 0, next token
    switch(figure, "Layers", "3")
    assert row_of_signs(figure) == ["=", "=", "≠", "≠", "≠"]
    switch(figure, "Mask", "none")
    assert row_of_signs(figure) == ["="] * 5
    figure.drive(second_order=[0, 2, 1])
    assert row_of_signs(figure) == ["≠"] * 5


def test_a_layer_is_opened_where_the_prompts_part(mount):
    figure = mount(PromptOrderLab("A B C", "B A C", depth=3))
    fold = figure.figure.locator(".inorder-fold").first
    heading = fold.locator("summary")
    assert heading.inner_text() == "Press a layer’s sign to see it in full"
    heading.click()
    expect(heading).to_have_text(re.compile("^Layer 1"))  # a fold tells of its opening a moment later
    layer_signs(figure).nth(2).click()
    expect(heading).to_have_text(re.compile("^Layer 2"))
    layer_signs(figure).nth(2).click()
    assert not fold.evaluate("fold => fold.open")
    expect(heading).to_have_text("Press a layer’s sign to see it in full")


def test_a_line_joins_each_token_to_itself(mount):
    lab = PromptOrderLab("A B C D", "B D A C")
    figure = mount(lab, reduced_motion="reduce")
    ends = figure.figure.locator(".inorder-lab-threads path").evaluate_all(
        "all => all.map((path) => path.getAttribute('d').match(/[\\d.]+/g)).map((all) => [+all[0], +all.at(-2)])"
    )
    assert ends == [[i + 0.5, lab.second_order.index(i) + 0.5] for i in range(4)]


def test_bars_are_drawn_to_scale(mount):
    lab = PromptOrderLab("A B C", "B A C", depth=2)
    figure = mount(lab, reduced_motion="reduce")
    widths = "bars => bars.map((bar) => bar.getBoundingClientRect().width)"
    for which, shares in zip(("first", "second"), lab.distributions, strict=True):
        drawn = figure.figure.locator(f".inorder-lab-pair i.is-{which}").evaluate_all(widths)
        whole = figure.figure.locator(".inorder-lab-pair i").evaluate_all(widths)
        np.testing.assert_allclose(drawn, max(whole) * shares / lab.distributions.max(), atol=0.1)


# in Python


def test_the_distributions_are_those_of_the_decoder():
    lab = PromptOrderLab("A B C D", "C A B D", depth=3, position="rotary")
    for prompt, row in zip(lab.prompts, lab.distributions, strict=True):
        ids = np.array([lab.vocabulary.index(token) for token in prompt])
        logits, _ = decode(ids, lab.parameters, lab.config, positions=np.arange(4))
        np.testing.assert_allclose(row, softmax(logits[-1]), rtol=0, atol=1e-12)
    assert lab.next_tokens == [lab.vocabulary[i] for i in lab.distributions.argmax(axis=1)]
    one, other = lab.distributions
    assert lab.distance == pytest.approx(np.maximum(one - other, 0).sum())


@pytest.mark.parametrize("seed", [3, 6])
def test_what_the_last_query_finds_is_attention(seed):
    lab = random_lab(seed)
    for readings in lab.readings:
        for reading in readings:
            np.testing.assert_allclose(reading.weights.sum(axis=-1), 1)
            expected = np.einsum("hk,hkd->hd", reading.weights, reading.value)
            np.testing.assert_allclose(reading.sum, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("depth", [1, 3])
def test_the_law(depth):
    lab = PromptOrderLab("A B C D", "C A B D", depth=depth)
    assert (lab.distance < 1e-12) == (depth == 1)
    assert lab.parted_at == (None if depth == 1 else 1)
    lab.mask = "none"
    assert lab.distance < 1e-12
    assert lab.parted_at is None
    lab.mask, lab.n_prefix = "prefix", 3
    assert lab.distance < 1e-12
    lab.n_prefix = 2  # C has left the prefix
    assert (lab.distance < 1e-12) == (depth == 1)
    for position in offered_schemes(16):
        lab.position = position
        assert (lab.distance > 1e-6) == (depth > 1 or position != "none")


def test_whose_query():
    """If another token asks, one layer tells, with any mask."""
    lab = PromptOrderLab("A B C", clean=False)
    assert lab.prompts == (["A", "B", "C"], ["A", "C", "B"])
    for mask in ("causal", "none", "prefix"):
        lab.mask = mask
        assert lab.distance > 1e-3
        assert lab.parted_at == 0
        assert "a different query" in lab.summary()


def test_the_default_pair_writes_two_tokens():
    lab = PromptOrderLab("A B C", "B A C")
    assert lab.next_tokens[0] == lab.next_tokens[1]
    lab.depth = 2
    assert lab.next_tokens[0] != lab.next_tokens[1]


def test_own_weights_from_numpy_and_torch():
    parameters, config = shaken_model(Rotary(base=100.0), n_layers=3)
    here, there = (PromptOrderLab([4, 2, 7], [2, 4, 7], (p, config)) for p in (parameters, to_torch(parameters)))
    assert here.transformer == there.transformer
    assert here.position == "rotary"
    assert here.config.scheme == Rotary(base=100.0)
    assert here.vocabulary == [str(row) for row in range(11)]


def test_a_scheme_of_ones_own_is_computed_in_python(mount):
    schemes = {"none": PositionScheme(), "counter": Counter()}
    lab = PromptOrderLab("A B C", "B A C", schemes=schemes, position="counter", depth=2)
    assert lab.distance > 1e-3
    figure = mount(lab, views=(False,))
    switch(figure, "Layers", "1")
    figure.notice.get_by_text("hasn’t answered").wait_for()
    figure.drive(in_python=figure.sync().in_python)
    assert not figure.notice.inner_text()
    assert_page_shows(figure, lab)


def test_names_of_the_vocabulary():
    parameters, config = shaken_model("none", vocabulary_size=5)
    assert PromptOrderLab("the cat the", "cat the the", (parameters, config)).vocabulary == [
        "the",
        "cat",
        "#2",
        "#3",
        "#4",
    ]
    named = PromptOrderLab("b a", "a b", (parameters, config), vocabulary="a b c d e", clean=False)
    assert named.vocabulary == ["a", "b", "c", "d", "e"]
    assert PromptOrderLab("dog bites man").vocabulary == ["dog", "bites", "man"]
    assert PromptOrderLab("C A B").vocabulary == ["A", "B", "C", "D", "E", "F"]


def test_a_scheme_of_fewer_positions_is_refused():
    for scheme in (Learned(length=2), Scalar(length=2), Binary(n_bits=1)):
        with pytest.raises(ValueError, match="the model's position scheme has 2 positions, got 3 tokens"):
            PromptOrderLab([0, 1, 2], None, shaken_model(scheme))


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"first": "A B C D E F A B C"}, "a prompt must have 2 to 8 tokens, got 9"),
        ({"first": "A B C", "second": "A B"}, "both prompts must be made of the same tokens, got A B C and A B"),
        ({"first": "A A C"}, "a clean pair needs two different tokens before the last one, got A A C"),
        ({"vocabulary": "A B C C D E"}, "vocabulary must be 6 different names, got A, B, C, C, D, E"),
        ({"vocabulary": "A B D"}, "the tokens must be in the vocabulary A, B, D, got 'C'"),
    ],
    ids=str,
)
def test_bad_input(types_unchecked, state, message):
    with pytest.raises(ValueError, match=message):
        PromptOrderLab(**state)


def test_bad_models():
    parameters, config = shaken_model("none", vocabulary_size=5)
    with pytest.raises(ValueError, match="vocabulary must be 5 different names, got A, B, C"):
        PromptOrderLab("A B C", None, (parameters, config), vocabulary="A B C")
    with pytest.raises(ValueError, match="tokens must be whole numbers from 0 to 4, got 7"):
        PromptOrderLab([0, 1, 7], None, (parameters, config))
    parameters, config = shaken_model("none", n_outputs=2)
    with pytest.raises(ValueError, match="n_outputs must be vocabulary_size = 11, got 2"):
        PromptOrderLab([0, 1, 2], None, (parameters, config))


@pytest.mark.parametrize("convert", [np.array, lambda ids: [torch.tensor(i) for i in ids]])
def test_token_ids_of_any_kind_are_the_rows_of_the_embedding(convert):
    """Tensors were read by their printed form, and silently as other rows."""
    model = shaken_model("none")
    lab = PromptOrderLab(convert([4, 2, 3]), convert([2, 4, 3]), model)
    assert lab.prompts == (["4", "2", "3"], ["2", "4", "3"])
    logits, _ = decode(np.array([4, 2, 3]), *model, positions=np.arange(3))
    lab.depth = 2
    np.testing.assert_allclose(lab.distributions[0], softmax(logits[-1]), rtol=0, atol=1e-12)
    named = PromptOrderLab(convert([1, 0, 2]), None, model, vocabulary=[f"w{row}" for row in range(11)])
    assert named.tokens == ["w1", "w0", "w2"]
