"""RelativeBiasExplorer: its numbers in the browser and in Python, its controls, its words, its picture, its link."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from harness.figure import PHONE
from inorder.encodings import alibi_bias, rotary_encoding, shaw_bias, sinusoidal_encoding, t5_bias, t5_buckets
from inorder.widgets import RelativeBiasExplorer
from inorder.widgets.relative_bias_explorer.figure import LABELS, is_same

SCHEMES = tuple(LABELS)
CLOSE = {"rtol": 0, "atol": 1e-9}


def random_explorer(seed: int, **options) -> RelativeBiasExplorer:
    rng = np.random.default_rng(seed)
    n_heads, d_head, buckets, reach = (
        rng.integers(1, 9),
        2 * rng.integers(1, 9),
        2 * rng.integers(2, 17),
        rng.integers(1, 20),
    )
    n = int(rng.integers(4, 65))
    used = int(rng.integers(1, n_heads + 1))
    directions = ["symmetric", "left", "right"] + ["split"] * (used % 2 == 0)
    arguments = {
        "table": rng.normal(size=(buckets, n_heads)),
        "relative_keys": rng.normal(size=(2 * reach + 1, d_head)),
        "queries": 3 * rng.normal(size=(n_heads, d_head)),
        "keys": 3 * rng.normal(size=(n_heads, d_head)),
        "n": n,
        "query": int(rng.integers(n)),
        "key": int(rng.integers(n)),
        "scheme": str(rng.choice(SCHEMES)),
        "as_weights": bool(rng.integers(2)),
        "n_heads": used,
        "head": int(rng.integers(used)),
        "direction": str(rng.choice(directions)),
        "max_distance": int(rng.integers(buckets // 2 + 1, 100)),
        "bidirectional": bool(rng.integers(2)),
        "clip": int(rng.integers(1, reach + 1)),
        "base": float(rng.uniform(1, 20_000)),
        "pairing": str(rng.choice(["interleaved", "halves"])),
        "d_model": int(2 * rng.integers(1, 65)),
        "sharpness": float(rng.uniform(0, 5)),
    }
    return RelativeBiasExplorer(**arguments | options)


def unfold(figure):
    for fold in figure.figure.locator(".inorder-fold > summary").all():
        fold.click()
    return figure


def set_box(figure, label, value, nth=0):
    figure.figure.get_by_label(f"{label}, as a number", exact=True).nth(nth).fill(str(value))


# ------------------------------------------------------------------------------------------------------- numbers


@pytest.fixture(scope="module")
def js(functions) -> Callable:
    """js("kernelsOf", …) calls the function of relative_bias_explorer/kernels.js of that name in the browser."""
    return functions("relative_bias_explorer/kernels.js")


@pytest.mark.parametrize("seed", range(12))
def test_every_function_is_pythons(js, seed):
    explorer = random_explorer(seed)
    state = {name: getattr(explorer, name) for name in explorer.state_names}
    kernels = js("kernelsOf", state, explorer.learned)
    assert tuple(kernels) == SCHEMES
    for name, kernel in explorer.kernels.items():
        np.testing.assert_allclose(kernels[name], kernel, err_msg=name, **CLOSE)
        row = kernel[explorer._seen()]
        np.testing.assert_allclose(js("rowOf", kernel.tolist(), explorer.query), row, **CLOSE)
    assert js("distancesOf", explorer.n) == explorer.distances.tolist()


def test_t5_buckets_on_their_borders(js):
    """Where a distance is exactly on the border of two buckets, rounding must not decide."""
    distances = np.arange(-63, 64)
    for n_buckets in (4, 18, 32):
        explorer = RelativeBiasExplorer(np.arange(float(n_buckets))[:, None])  # so that the kernel is the bucket
        state, learned = {name: getattr(explorer, name) for name in explorer.state_names}, explorer.learned
        settings = [(m, sides) for m in range(n_buckets // 2 + 1, 140, 5) for sides in (True, False)]
        states = [state | {"n": 64, "max_distance": m, "bidirectional": sides} for m, sides in settings]
        result = js.each("kernelsOf", states, learned)
        for (m, sides), kernels in zip(settings, result, strict=True):
            expected = t5_buckets(distances, n_buckets=n_buckets, max_distance=m, bidirectional=sides)
            assert kernels["t5"] == expected.tolist(), (n_buckets, m, sides)


@pytest.mark.parametrize("seed", range(3))
def test_a_kernel_spread_over_all_pairs_is_the_scheme(seed):
    explorer = random_explorer(seed)
    place, h = np.arange(explorer.n), explorer.head
    learned = {name: np.array(rows) for name, rows in explorer.learned.items()}
    query, key = (np.tile(learned[name][h], (explorer.n, 1)) for name in ("queries", "keys"))
    middle = len(learned["relative_keys"]) // 2
    near = learned["relative_keys"][middle - explorer.clip : middle + explorer.clip + 1]
    settings = {"max_distance": explorer.max_distance, "bidirectional": explorer.bidirectional}
    turned = [rotary_encoding(x, place, base=explorer.base, pairing=explorer.pairing) for x in (query, key)]
    waves = sinusoidal_encoding(place, explorer.d_model, base=explorer.base)
    expected = {
        "alibi": alibi_bias(explorer.n_heads, place, place, direction=explorer.direction)[h],
        "t5": t5_bias(learned["table"], place, place, **settings)[h],
        "shaw": shaw_bias(query, near, place, place, max_distance=explorer.clip),
        "rotary": turned[0] @ turned[1].T / np.sqrt(query.shape[1]),
        "sinusoidal": explorer.sharpness * waves @ waves.T / np.sqrt(explorer.d_model),
    }
    for name, matrix in expected.items():
        explorer.scheme = name
        np.testing.assert_allclose(explorer.bias, matrix, rtol=0, atol=1e-11, err_msg=name)
        np.testing.assert_allclose(explorer.weights.sum(axis=1), 1)


def test_rope_of_equal_pairs_is_the_dot_product_of_sinusoids():
    pairs = np.tile([1.0, 0.0], 6)
    kernels = RelativeBiasExplorer(queries=pairs, keys=pairs, d_model=12).kernels
    np.testing.assert_allclose(kernels["rotary"], kernels["sinusoidal"], rtol=0, atol=1e-14)


def test_what_is_made_up_looks_where_it_says():
    for head, offset in [(0, 0), (1, -1), (2, 3), (3, -5)]:
        explorer = RelativeBiasExplorer(head=head)
        assert explorer.distances[explorer.kernels["rotary"].argmax()] == offset


# ------------------------------------------------------------------------------------------------------ controls


CONTROLS = {  # of all schemes, then of each: (label, name, value)
    "alibi": [("Tokens", "n", 20), ("Query at", "query", 17), ("Key at", "key", 2), ("Heads", "n_heads", 6)],
    "t5": [("Max. distance", "max_distance", 60), ("Head", "head", 4)],
    "shaw": [("Clipped at", "clip", 3)],
    "rotary": [("Base", "base", 123.0)],
    "sinusoidal": [("Base", "base", 50.0), ("Sharpness β", "sharpness", 2.5)],
}
CHOICES = {
    "alibi": [("split", "direction", "split")],
    "t5": [("both sides", "bidirectional", False)],
    "rotary": [("halves", "pairing", "halves")],
}


def test_every_control(mount):
    explorer = RelativeBiasExplorer()
    figure = unfold(mount(explorer))
    for scheme, label in LABELS.items():
        figure.figure.get_by_role("radio", name=label, exact=True).check()
        assert figure.sync().scheme == scheme
        for name, trait, value in CONTROLS[scheme]:
            before = explorer.kernels
            set_box(figure, name, value)
            assert getattr(figure.sync(), trait) == value
            changed = any(not np.array_equal(before[one], kernel) for one, kernel in explorer.kernels.items())
            assert changed or trait in ("query", "key"), trait
        for name, trait, value in CHOICES.get(scheme, []):
            figure.figure.get_by_label(name, exact=True).click()
            assert getattr(figure.sync(), trait) == value
        assert figure.summary.inner_text() == explorer.summary()
        np.testing.assert_allclose(figure.numbers("1.values"), explorer.bias, **CLOSE)
    figure.figure.get_by_label("Columns", exact=True).select_option("64")
    assert figure.sync().d_model == 64
    figure.figure.get_by_role("switch", name="As weights").click()
    assert figure.sync().as_weights
    assert figure.summary.inner_text() == explorer.summary()


def test_a_shorter_text_takes_query_and_key_along(mount):
    explorer = RelativeBiasExplorer(query=30, key=25)
    figure = unfold(mount(explorer))
    set_box(figure, "Tokens", 8)
    assert (figure.sync().query, explorer.key) == (7, 7)
    assert figure.figure.get_by_label("Query at", exact=True).get_attribute("max") == "7"
    assert figure.summary.inner_text() == explorer.summary()


def test_fewer_heads_take_the_head_along_and_split_needs_an_even_number(mount):
    explorer = RelativeBiasExplorer(head=7)
    figure = unfold(mount(explorer))
    set_box(figure, "Heads", 3)
    assert (figure.sync().n_heads, explorer.head) == (3, 2)
    split = figure.figure.get_by_label("split", exact=True)
    assert split.is_disabled()
    set_box(figure, "Heads", 4)
    split.check()
    set_box(figure, "Heads", 3)
    assert figure.notice.inner_text() == "Half the heads look each way, so their number must be even."
    assert (figure.sync().n_heads, explorer.direction) == (4, "split")


def test_a_number_beyond_the_ends_is_held(mount):
    figure = unfold(mount(RelativeBiasExplorer(scheme="t5")))
    for label, typed, name, value in (
        ("Query at", 32, "query", 31),
        ("Max. distance", 8, "max_distance", 9),
        ("Max. distance", 9999, "max_distance", 9999),  # beyond the slider
        ("Tokens", 3, "n", 4),
    ):
        set_box(figure, label, typed)
        assert getattr(figure.sync(), name) == value


def test_a_width_of_ones_own_is_among_the_columns(mount):
    figure = unfold(mount(RelativeBiasExplorer(scheme="sinusoidal"), initial_state={"d_model": 50}))
    assert figure.figure.get_by_label("Columns", exact=True).input_value() == "50"


def test_the_handle_moves_the_key_under_the_hand(mount):
    """Within 8 pixels of the pointer, also while it rests between two keys."""
    figure = mount(RelativeBiasExplorer())
    handle = figure.figure.locator(".inorder-handle")
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    figure.page.mouse.move(x, y)
    figure.page.mouse.down()
    for step in range(1, 21):
        figure.page.mouse.move(x + 6.7 * step, y)
        now = handle.bounding_box()
        assert abs(now["x"] + now["width"] / 2 - (x + 6.7 * step)) < 8
    figure.page.mouse.move(2000, y)
    figure.page.mouse.up()
    assert figure.sync().key == 31  # the last one, as far as the text goes
    figure.page.mouse.move(5, 5)
    assert figure.page.evaluate("model.saved.length") == 0


@pytest.mark.parametrize(("n", "map_of"), [(10, ".inorder-cells tbody"), (32, ".inorder-heat")])
def test_dragging_and_keys_in_the_map_move_query_and_key(mount, n, map_of):
    explorer = RelativeBiasExplorer(n=n)
    figure = mount(explorer)
    box = figure.figure.locator(map_of).bounding_box()
    for kind, share in (("down", 0.05), ("up", 0.75)):
        figure.page.mouse.move(box["x"] + share * box["width"], box["y"] + share * box["height"] / 2)
        getattr(figure.page.mouse, kind)()
    assert (figure.sync().query, explorer.key) == (int(0.375 * n), int(0.75 * n))
    assert figure.summary.inner_text() == explorer.summary()
    if n > 20:
        figure.figure.locator(map_of).press("ArrowDown")
        figure.figure.locator(map_of).press("ArrowLeft")
        assert (figure.sync().query, explorer.key) == (int(0.375 * n) + 1, int(0.75 * n) - 1)


def test_touch(mount):
    explorer = RelativeBiasExplorer(n=32)
    figure = mount(explorer, **PHONE)
    board = figure.figure.locator(".inorder-heat")
    box = board.bounding_box()
    board.tap(position={"x": 0.25 * box["width"] + 1, "y": 0.95 * box["height"]})
    assert (figure.sync().query, explorer.key) == (30, 8)


# --------------------------------------------------------------------------------------------------------- Python


def test_arrays_of_ones_own():
    table, vectors = torch.randn(32, 3), torch.randn(3, 8, requires_grad=True)
    explorer = RelativeBiasExplorer(table, np.ones((5, 8)), vectors, n=12)
    assert (explorer.n_heads, explorer.clip, explorer.max_distance) == (3, 2, 32)
    place = np.arange(12)
    np.testing.assert_allclose(
        RelativeBiasExplorer(table, scheme="t5", n=12, head=2).bias,
        t5_bias(table.double().numpy(), place, place, max_distance=32)[2],
    )
    one = RelativeBiasExplorer(queries=[1.0, 0.0], keys=torch.tensor([0.0, 1.0]))
    np.testing.assert_allclose(one.kernels["rotary"], -np.sin(one.distances) / np.sqrt(2), rtol=0, atol=1e-14)
    assert one.n_heads == 1
    assert RelativeBiasExplorer(np.zeros((256, 1))).max_distance == 129


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"table": np.zeros((5, 2))}, r"table must be \(n_buckets, head\) with an even number .* got shape \(5, 2\)"),
        ({"relative_keys": np.zeros((4, 8))}, r"relative_keys must be \(2K \+ 1, d_head\) .* got shape \(4, 8\)"),
        ({"queries": np.zeros((2, 4)), "keys": np.zeros((3, 4))}, r"same number of heads, got \[2, 3\]"),
        ({"queries": np.zeros((2, 3))}, "even number of columns, got 3"),
        ({"queries": np.zeros((17, 4))}, "queries may have up to 16 heads, got 17"),
        ({"direction": "split", "n_heads": 3}, 'direction "split" needs an even number of heads, got 3'),
    ],
    ids=str,
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        RelativeBiasExplorer(**arguments)


def test_the_answer_speaks_of_both_sides():
    explorer = RelativeBiasExplorer(head=1, direction="left")
    assert explorer.summary() == "A key 3 to the left gets −0.75; one 3 to the right gets −∞."
    explorer.direction = "symmetric"
    assert explorer.summary() == "A key 3 to the left gets −0.75, and so does one 3 to the right."
    with explorer.hold_trait_notifications():
        explorer.query, explorer.key, explorer.as_weights = 1, 8, True
    assert explorer.summary().endswith("; there is no key as far to the left.")
    explorer.key = 1
    assert explorer.summary().startswith("The key at the query’s own position gets the weight 0.")


def test_minus_infinity_is_not_the_same_as_a_number():
    assert is_same(-np.inf, -np.inf) and not is_same(-np.inf, -2.0) and not is_same(-2.0, -np.inf)
