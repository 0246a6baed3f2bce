"""PermutationPlayground in a real browser: numbers, the two roads, switches, words; and in Python."""

import re

import numpy as np
import pytest
import torch

from harness.figure import PHONE
from inorder.symmetry import equivariance_error, permute
from inorder.transformer import (
    Binary,
    Learned,
    PositionScheme,
    Rotary,
    Scalar,
    Sinusoidal,
    encode,
    fresh_model,
    map_parameters,
)
from inorder.widgets import PermutationPlayground
from inorder.widgets.kit.model_state import offered_schemes
from inorder.widgets.permutation_playground.figure import default_model
from transformer_models import ALL_SCHEMES, Counter, shaken_model


def random_playground(seed: int) -> PermutationPlayground:
    rng = np.random.default_rng(seed)
    scheme = ALL_SCHEMES[sorted(ALL_SCHEMES)[seed % len(ALL_SCHEMES)]]
    settings = {"norm": ("pre", "post", "none")[seed % 3], "residual": (1.0, 0.5)[seed % 2], "d_ff": (20, 0)[seed % 2]}
    parameters, config = shaken_model(scheme, seed=seed, n_layers=seed % 4 + 1, **settings)
    n = int(rng.integers(3, 13))
    return PermutationPlayground(
        [f"t{i}" for i in range(n)],
        (parameters, config),
        ids=rng.integers(0, config.vocabulary_size, size=n),
        order=rng.permutation(n),
        mask=("none", "causal", "prefix")[seed // 2 % 3],
        n_prefix=int(rng.integers(1, 5)),
        mask_moves=bool(rng.integers(2)),
        depth=int(rng.integers(1, config.n_layers + 1)),
        residual=bool(rng.integers(2)),
    )


def error_on_page(figure) -> float:
    """max |f(PX) − P f(X)| / max |f(X)| of the numbers on the page."""
    output, new_output = figure.numbers("output"), figure.numbers("new_output")
    tiles = figure.figure.locator(".inorder-tile").all()  # in the order of their places
    moved = output[[int(tile.get_attribute("data-token")) for tile in tiles]]
    return abs(new_output - moved).max() / abs(output).max()


def order_on_page(figure):
    """The tokens in reading order, which is the one they stand in."""
    tiles = figure.figure.locator(".inorder-tile")
    tops = tiles.evaluate_all("tiles => tiles.map((tile) => Number(tile.dataset.token))")
    figure.page.wait_for_function(
        """() => {
          const tops = [...document.querySelectorAll(".inorder-tile")].map((tile) => tile.getBoundingClientRect().y);
          return tops.every((y, i) => i === 0 || y > tops[i - 1] + 10);
        }"""
    )
    return tops


def open_fold(figure):
    figure.figure.get_by_text("Another sentence, depth, mask, residual").click()


def assert_page_shows(figure, playground):
    """Every number, and what the two roads have printed on each other: the lower road is on top."""
    output, new_output, moved_output = playground.output, playground.new_output, playground.moved_output
    np.testing.assert_allclose(figure.numbers("output"), output, rtol=0, atol=1e-9)
    np.testing.assert_allclose(figure.numbers("new_output"), new_output, rtol=0, atol=1e-9)
    largest = max(abs(output).max(), abs(new_output).max())
    printed = figure.figure.locator(".is-meeting .inorder-slot").evaluate_all(
        "rows => rows.map((row) => [...row.querySelectorAll('path')].map((path) => path.getAttribute('d')))"
    )
    for place, paths in enumerate(printed):
        for path, row in zip(paths, (new_output[place], moved_output[place]), strict=True):
            heights = [float(height) for height in re.findall(r"V([^H]+)H", path)]
            np.testing.assert_allclose(1 - np.array(heights), row / largest, rtol=0, atol=1e-9)
    assert_headline(figure, playground)


def assert_headline(figure, playground):
    """The error, the answer, its note and the order."""
    assert error_on_page(figure) == pytest.approx(playground.error, rel=0, abs=1e-9)
    assert figure.summary.text_content() == playground.summary()
    assert figure.figure.locator(".inorder-note").inner_text() == playground.note()
    assert playground.law() in playground.note()
    sign = "different" if playground.error > 1e-12 else "equal"
    assert figure.figure.locator(".inorder-answer .inorder-sign").get_attribute("aria-label") == sign
    assert order_on_page(figure) == playground.order


def tell(figure, position):
    """Use the switch and the choice of positions as a reader does."""
    switch = figure.figure.get_by_role("switch", name="Give it the positions")
    switch.set_checked(position != "none")
    if position != "none":
        figure.figure.get_by_role("combobox", name="Scheme").select_option(position)


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_every_number_is_inorders(mount, seed):
    playground = random_playground(seed)
    assert_page_shows(mount(playground), playground)


@pytest.mark.parametrize("position", ["none", "alibi"])
def test_the_theorem_on_the_page(mount, position):
    """Below 1e-12 without positions, whatever the depth; above 1e-3 with any, and with a mask that stays."""
    playground = PermutationPlayground(order=[3, 1, 5, 0, 4, 2], depth=4)
    figure = mount(playground)
    open_fold(figure)
    tell(figure, position)
    figure.figure.get_by_label("Residual").uncheck()
    assert_headline(figure, figure.sync())
    assert (error_on_page(figure) < 1e-12) == (position == "none")
    if position == "none":
        figure.figure.get_by_role("combobox", name="Mask", exact=True).select_option("causal")
        assert error_on_page(figure) > 1e-3
        figure.figure.get_by_label("Mask moves with the words").check()
        assert error_on_page(figure) < 1e-12
        assert_headline(figure, figure.sync())
    else:
        assert error_on_page(figure) > 1e-3


def test_the_switches(mount):
    playground = PermutationPlayground()
    figure = mount(playground)
    open_fold(figure)
    prefix = figure.figure.get_by_role("combobox", name="Prefix length")
    moves = figure.figure.get_by_label("Mask moves with the words")
    assert not prefix.is_visible()
    assert not moves.is_visible()
    tell(figure, "sinusoidal")
    assert figure.sync().position == "sinusoidal"
    tell(figure, "none")
    assert figure.sync().position == "none"
    for label, option, name, expected in [
        ("Mask", "prefix", "mask", "prefix"),
        ("Prefix length", "4", "n_prefix", 4),
        ("Depth", "4", "depth", 4),
    ]:
        figure.figure.get_by_role("combobox", name=label, exact=True).select_option(option)
        assert getattr(figure.sync(), name) == expected
        assert_headline(figure, playground)
    figure.figure.get_by_label("Residual").uncheck()
    moves.check()
    assert (figure.sync().residual, playground.mask_moves) == (False, True)
    assert_page_shows(figure, playground)


def drag(figure, token, to, *, lets_go=True):
    """With the mouse, to the middle of the place `to`, given as a number of places."""
    box = figure.figure.get_by_role("list", name="P X, your order").bounding_box()
    height = box["height"] / len(figure.python.order)
    x, start = box["x"] + 20, figure.python.order.index(token)
    figure.page.mouse.move(x, box["y"] + height * (start + 0.5))
    figure.page.mouse.down()
    figure.page.mouse.move(x, box["y"] + height * (to + 0.5), steps=8)
    if lets_go:
        figure.page.mouse.up()


def test_the_answer_waits_until_the_hand_lets_go(mount):
    playground = PermutationPlayground("a b c d", order=range(4), mask="causal")
    figure = mount(playground)
    before = figure.summary.inner_text()
    drag(figure, 0, 1.2, lets_go=False)
    assert figure.sync().order == [1, 0, 2, 3] and figure.summary.inner_text() == before
    figure.page.mouse.up()
    assert figure.summary.inner_text() == playground.summary() != before
    assert_page_shows(figure, playground)


def test_what_differs_is_red(mount):
    playground = PermutationPlayground(mask="causal")
    figure = mount(playground)
    differs = (abs(playground.new_output - playground.moved_output) > 1e-12).any(axis=1)
    assert 0 < differs.sum() < 6
    prints = figure.figure.locator(".is-of-right-road")
    assert prints.evaluate_all("all => all.map((print) => !!print.closest('.is-changed'))") == differs.tolist()
    figure.drive(order=list(range(6)))
    assert figure.figure.locator(".is-changed").count() == 0


def test_keyboard(mount):
    playground = PermutationPlayground("a b c d e", order=range(5))
    figure = mount(playground)
    tile = figure.figure.locator('.inorder-tile[data-token="1"]')
    tile.focus()
    for key, order in [
        ("ArrowRight", [0, 2, 1, 3, 4]),
        ("ArrowDown", [0, 2, 3, 1, 4]),
        ("ArrowLeft", [0, 2, 1, 3, 4]),
        ("End", [0, 2, 3, 4, 1]),
        ("ArrowRight", [0, 2, 3, 4, 1]),  # at the edge it stays
        ("Home", [1, 0, 2, 3, 4]),
        ("ArrowUp", [1, 0, 2, 3, 4]),
    ]:
        figure.page.keyboard.press(key)
        assert figure.sync().order == order, key
        assert tile.evaluate("tile => tile === document.activeElement"), key
    assert_headline(figure, playground)
    figure.page.keyboard.press("Tab")
    assert figure.page.evaluate("document.activeElement.dataset.token") == "0"  # the next one on the page


def test_shuffle_and_back(mount):
    playground = PermutationPlayground("a b c", order=range(3))
    figure = mount(playground)
    assert figure.figure.get_by_role("button", name="Back in order").is_disabled()
    before = list(range(3))
    for _ in range(5):
        figure.press("Shuffle")
        assert figure.sync().order != before
        before = playground.order
    assert_headline(figure, playground)
    figure.drive(order=[2, 0, 1])
    figure.press("Back in order")
    assert figure.sync().order == [0, 1, 2]
    assert error_on_page(figure) == 0
    back = figure.figure.get_by_role("button", name="Back in order")
    assert back.evaluate("back => back === document.activeElement"), "it is off, and keeps the focus"
    figure.page.keyboard.press("Enter")
    assert figure.sync().order == [0, 1, 2]


def test_a_row_that_a_key_moves_travels_unless_motion_is_reduced(mount):
    counts = []
    for motion in ("no-preference", "reduce"):
        figure = mount(PermutationPlayground("a b c", order=range(3)), reduced_motion=motion)
        figure.figure.locator('.inorder-tile[data-token="0"]').focus()
        figure.page.keyboard.press("ArrowDown")
        counts.append(
            figure.figure.evaluate(
                "root => root.getAnimations({ subtree: true }).filter((a) => !a.transitionProperty).length"
            )
        )
        assert order_on_page(figure) == [1, 0, 2]
    assert counts == [4, 0]  # two rows, on two roads


def test_places_are_shown_once_they_are_told(mount):
    figure = mount(PermutationPlayground("a b c"))
    rails = figure.figure.locator(".inorder-rail")
    assert not rails.first.is_visible()
    tell(figure, "rotary")
    assert rails.first.is_visible()
    assert rails.all_inner_texts() == ["0\n1\n2"] * 2


def test_a_scheme_of_ones_own_is_computed_in_python(mount):
    schemes = {"none": PositionScheme(), "counter": Counter(), "rotary": Rotary()}
    playground = PermutationPlayground("a b c d", schemes=schemes, position="counter", order=[0, 3, 1, 2])
    assert playground.error > 1e-3 and "(Counter)" in playground.summary()
    figure = mount(playground, views=(False,))
    assert_page_shows(figure, playground)
    before = figure.summary.inner_text()
    figure.press("Back in order")
    assert figure.summary.inner_text() == before, "Python has not answered"
    figure.notice.get_by_text("The browser doesn’t know the scheme “Counter”").wait_for()
    figure.drive(in_python=figure.sync().in_python)
    assert not figure.notice.inner_text()
    assert_page_shows(figure, playground)
    tell(figure, "rotary")
    assert figure.sync().in_python == {}
    assert_page_shows(figure, playground)


def test_without_a_kernel_a_scheme_of_ones_own_is_shown_as_it_was_and_the_reader_told(mount):
    schemes = {"none": PositionScheme(), "counter": Counter()}
    playground = PermutationPlayground("a b c d", schemes=schemes, position="counter")
    figure = mount(playground)
    assert_page_shows(figure, playground)
    figure.press("Back in order")
    assert "open the notebook" in figure.notice.inner_text()
    tell(figure, "none")
    assert not figure.notice.inner_text()
    figure.sync()
    assert_page_shows(figure, playground)


def test_a_model_with_a_scheme_of_ones_own_keeps_the_others():
    parameters, config = fresh_model(0, d_model=8, n_heads=2, position=Counter())
    playground = PermutationPlayground("a b c", (parameters, config))
    assert playground.position == "Counter" and "none" in playground.transformer["schemes"]
    assert np.allclose(playground.in_python["given"]["hidden"], playground.output)


def test_sentence(mount):
    playground = PermutationPlayground("a b c", order=[2, 1, 0])
    figure = mount(playground)
    open_fold(figure)
    box = figure.figure.get_by_label("Sentence")
    box.fill("a b  new c")
    assert (figure.sync().tokens, playground.ids) == (["a", "b", "new", "c"], [0, 1, 3, 2])  # c keeps its vector
    assert playground.order == [2, 1, 0, 3]
    box.fill("a b new c a b new c a b new c")
    assert figure.sync().ids == [0, 1, 3, 2] * 3
    assert_headline(figure, playground)
    for bad in ("a b", "a " * 13, f"a b {'c' * 21}"):
        box.fill(bad)
        assert "3 to 12 words" in figure.notice.inner_text()
        assert len(figure.sync().tokens) == 12
    box.blur()
    assert box.input_value() == "a b new c a b new c a b new c"
    assert figure.notice.inner_text() == ""


def test_a_model_knows_so_many_words(mount):
    parameters, config = shaken_model("none", vocabulary_size=3)
    figure = mount(PermutationPlayground("a b c", (parameters, config)))
    open_fold(figure)
    figure.figure.get_by_label("Sentence").fill("a b c d")
    assert figure.notice.inner_text() == "This model knows 3 different words."
    assert figure.sync().tokens == ["a", "b", "c"]


def test_a_wide_model_fits(mount):
    parameters, config = shaken_model("none", d_model=64, n_heads=4)
    figure = mount(PermutationPlayground("a b c d e", (parameters, config)), **PHONE)
    assert figure.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert "the first 32 of 64 numbers" in figure.figure.inner_text()
    assert figure.figure.locator('[data-name="new_output"]').count() == 5 * 32


def test_a_number_is_in_sight_while_it_is_pointed_at(mount):
    figure = mount(PermutationPlayground("a b c"))
    cell = figure.cell("new_output", 0, 0)
    width = "cell => cell.firstElementChild.getBoundingClientRect().width"
    assert cell.evaluate(width) == 0
    cell.hover()
    assert cell.evaluate(width) > 20


# in Python


def test_the_error_is_that_of_symmetry():
    playground = PermutationPlayground("a b c d e", position="rotary", depth=3)
    x = playground.parameters.embedding[playground.ids]
    f = lambda x: encode(x, playground.parameters, playground.config, positions=np.arange(5))  # noqa: E731
    error, order = equivariance_error(f, x)
    playground.order = order.tolist()
    assert playground.error == pytest.approx(error, rel=1e-12)
    np.testing.assert_allclose(playground.new_output, f(permute(x, order)), atol=1e-12)


@pytest.mark.parametrize(("depth", "residual"), [(1, True), (4, False)])
def test_the_law(depth, residual):
    playground = PermutationPlayground(order=[5, 2, 0, 4, 3, 1], depth=depth, residual=residual)
    assert playground.error < 1e-12
    assert playground.pooled_error < 1e-12
    for mask in ("causal", "prefix"):
        playground.mask = mask
        assert playground.error > 1e-3
        playground.mask_moves = True
        assert playground.error < 1e-12
        playground.mask_moves = False
    playground.mask = "none"
    for position in offered_schemes(16):
        playground.position = position
        assert (playground.error < 1e-12) == (position == "none")


def test_a_move_within_the_prefix_goes_unnoticed():
    playground = PermutationPlayground("a b c d", order=[1, 0, 2, 3], mask="prefix", n_prefix=2)
    assert playground.error < 1e-12
    assert playground.law() == "f(PX; M) = P f(X; M)"


def test_schemes_that_do_not_fit_are_left_out():
    odd = PermutationPlayground("a b c", shaken_model("none", d_model=21, n_heads=3))
    assert list(odd.transformer["schemes"]) == ["none", "learned", "scalar", "binary", "alibi", "t5", "shaw"]
    beside = PermutationPlayground("a b c", shaken_model(Sinusoidal(concatenate=4)))
    assert list(beside.transformer["schemes"]) == ["sinusoidal"]
    for scheme in (Learned(length=5), Scalar(length=5)):
        assert PermutationPlayground("a b c", shaken_model(scheme)).limits["tokens"]["most"] == 5
    assert PermutationPlayground("a b c", shaken_model(Binary(n_bits=2))).limits["tokens"]["most"] == 4


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"tokens": ["a", 1, "c"]}, "tokens must be strings or whole numbers, all of one kind, got int, str"),
        ({"tokens": np.zeros((2, 3), int)}, r"tokens must be one row .*, got an array of shape \(2, 3\)"),
        ({"tokens": 7}, "tokens must be one row of strings or of whole numbers, got int"),
        ({"model": default_model()[::-1]}, r"model=\(parameters, config\), .* got TransformerConfig and Transf"),
        ({"model": fresh_model(0, d_model=256)}, "a model of 200,000 numbers at most, .* got .*: take"),
    ],
    ids=str,
)
def test_bad_input(types_unchecked, state, message):
    with pytest.raises(ValueError, match=message):
        PermutationPlayground(**state)


def test_half_precision():
    parameters, config = shaken_model("learned", n_layers=1)
    model = map_parameters(lambda w: torch.from_numpy(w).bfloat16(), parameters), config
    playground = PermutationPlayground("a b c", model)
    rounded = map_parameters(lambda w: torch.from_numpy(w).bfloat16().double().numpy(), parameters)
    expected = encode(np.arange(3), rounded, config, positions=np.arange(3))
    np.testing.assert_allclose(playground.output, expected, atol=1e-12)
