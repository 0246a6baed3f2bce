"""transformer.js, function by function, against inorder.transformer and inorder.encodings."""

import dataclasses
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from inorder import attention, encodings, symmetry, transformer
from inorder.lab.schemes import FromPositions
from inorder.transformer import SCHEMES, Learned, PositionScheme, Rotary, Sinusoidal
from inorder.widgets.kit.model_state import as_lists, in_browser, label_of, model_state, scheme_choices, scheme_state
from transformer_models import ALL_SCHEMES, shaken_model, to_torch

CLOSE = {"rtol": 0, "atol": 1e-9}
every_scheme = pytest.mark.parametrize("scheme", ALL_SCHEMES.values(), ids=ALL_SCHEMES)


@pytest.fixture(scope="module")
def js(functions) -> Callable:
    """js("erf", 0.5) calls the function of transformer.js of that name, js.each one number at a time."""
    return functions("kit/transformer.js")


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def options(**arguments: Any) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}


# row by row


def test_erf_and_gelu(js):
    x = [*np.linspace(-7, 7, 281).tolist(), 1e-300, -1e-9, 0.0, 40.0, -1e3]
    np.testing.assert_allclose(js.each("erf", x), [*map(math.erf, x)], rtol=2e-15, atol=1e-300)
    np.testing.assert_allclose(js.each("gelu", x), transformer.gelu(np.array(x)), rtol=1e-12, atol=1e-14)
    assert js.each("relu", x) == [max(0.0, one) for one in x]


def test_linear_norm_and_feed_forward(js, rng):
    x, w, b = rng.normal(size=(5, 3)), rng.normal(size=(3, 4)), rng.normal(size=4)
    np.testing.assert_allclose(js("linear", x, w, b), attention.linear(x, w, b), **CLOSE)
    np.testing.assert_allclose(js("linear", x, w, None), x @ w, **CLOSE)
    gain, bias = rng.normal(size=(2, 3))
    np.testing.assert_allclose(
        js("layerNorm", x, {"gain": gain, "bias": bias}, 0.1),
        transformer.layer_norm(x, gain, bias, eps=0.1),
        **CLOSE,
    )
    np.testing.assert_allclose(js("layerNorm", x), transformer.layer_norm(x), **CLOSE)
    np.testing.assert_allclose(js("residual", x, 2 * x, 0.5), 2.5 * x, **CLOSE)
    p = transformer.FeedForwardParameters(rng.normal(size=(3, 7)), rng.normal(size=(7, 3)), rng.normal(size=7), None)
    for activation in ("gelu", "relu"):
        there = js("feedForward", x, as_lists(p), {"activation": activation})
        np.testing.assert_allclose(there, transformer.feed_forward(x, p, activation=activation), **CLOSE)


# heads, masks, orders


@pytest.mark.parametrize(("n", "n_prefix"), [(1, 0), (4, 0), (4, 1), (5, 3), (4, 4)])
def test_prefix_mask(js, n, n_prefix):
    assert js("prefixMask", n, n_prefix) == attention.prefix_mask(n, n_prefix).tolist()


def test_permutations(js, rng):
    x, mask, order = rng.normal(size=(6, 2)), rng.random((6, 6)) < 0.5, rng.permutation(6)
    assert js("permute", x, order) == symmetry.permute(x, order).tolist()
    assert js("permuteMask", mask, order) == symmetry.permute_mask(mask, order).tolist()


# positions


@pytest.mark.parametrize("base", [10_000.0, 30.0])
@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_waves(js, rng, base, layout):
    positions = np.array([0, 1, 5, 40, 700])
    there = js("waveEncoding", positions, 10, {"base": base, "layout": layout})
    here = encodings.sinusoidal_encoding(positions, 10, base=base, layout=layout)
    np.testing.assert_allclose(there, here, **CLOSE)
    x, positions = rng.normal(size=(5, 6)), np.array([-3, 0, 2, 50, 1])
    there = js("rotaryEncoding", x, positions, {"base": base, "pairing": layout})
    here = encodings.rotary_encoding(x, positions, base=base, pairing=layout)
    np.testing.assert_allclose(there, here, **CLOSE)
    assert js("layoutPermutation", 10, layout) == encodings.layout_permutation(10, to=layout).tolist()


def test_counters(js):
    positions = np.array([0, 1, 6, 19])
    np.testing.assert_allclose(js("scalarEncoding", positions, 20), encodings.scalar_encoding(positions, 20), **CLOSE)
    assert js("scalarEncoding", [0], 1) == [[0]]
    assert js("binaryEncoding", positions, 5) == encodings.binary_encoding(positions, 5).tolist()


@pytest.mark.parametrize("n_heads", [1, 4, 12])
def test_alibi(js, n_heads):
    assert js("alibiSlopes", n_heads) == encodings.alibi_slopes(n_heads).tolist()
    query, key = np.array([4, -1, 3]), np.array([0, 7, 3, 4])
    for direction in ("symmetric", "left", "right", "split"):
        if direction == "split" and n_heads % 2:
            continue
        there = js("alibiBias", n_heads, query, key, {"direction": direction})
        assert there == encodings.alibi_bias(n_heads, query, key, direction=direction).tolist()


@pytest.mark.parametrize(
    "settings",
    [{}, {"bidirectional": False}, {"n_buckets": 6, "max_distance": 9}, {"n_buckets": 7, "bidirectional": False}],
    ids=str,
)
def test_t5(js, rng, settings):
    relative = np.arange(-300, 301)
    camel = {"nBuckets": "n_buckets", "maxDistance": "max_distance", "bidirectional": "bidirectional"}
    arguments = {name: settings[python] for name, python in camel.items() if python in settings}
    assert js.each("t5Bucket", relative, arguments) == encodings.t5_buckets(relative, **settings).tolist()
    n_buckets = settings.get("n_buckets", 32)
    table, query, key = rng.normal(size=(n_buckets, 3)), np.array([4, 90, 0]), np.arange(12)
    rest = {name: value for name, value in settings.items() if name != "n_buckets"}
    there = js("t5Bias", table, query, key, {name: value for name, value in arguments.items() if name != "nBuckets"})
    assert there == encodings.t5_bias(table, query, key, **rest).tolist()


def test_shaw(js, rng):
    query, relative_keys = rng.normal(size=(4, 6)), rng.normal(size=(5, 6))
    places = (np.array([0, 9, 3, 2]), np.array([5, 2, 1, 0, 3]))
    np.testing.assert_allclose(
        js("shawBias", query, relative_keys, *places, {"maxDistance": 2}),
        encodings.shaw_bias(query, relative_keys, *places, max_distance=2),
        **CLOSE,
    )


# the model


def assert_same_model(js, config, parameters, tokens, *, positions, mask=None):
    """All that encode returns, against layer_states and encode."""
    state = json.loads(json.dumps(model_state(config, parameters)))
    arguments = (tokens, state["parameters"], state["config"], {"positions": positions} | options(mask=mask))
    there = js("encode", *arguments)
    states = list(transformer.layer_states(tokens, parameters, config, positions=positions, mask=mask))
    assert len(there["layers"]) == len(states) == config.n_layers
    for got, expected in zip(there["layers"], states, strict=True):
        pairs = {name: getattr(expected, name) for name in ("x", "query", "weights", "attended", "hidden")}
        for name, array in (pairs | {"key": expected.cache.key, "value": expected.cache.value}).items():
            np.testing.assert_allclose(got[name], array, err_msg=name, **CLOSE)
    hidden = transformer.encode(tokens, parameters, config, positions=positions, mask=mask)
    np.testing.assert_allclose(there["hidden"], hidden, **CLOSE)
    np.testing.assert_allclose(
        js("unembed", hidden, state["parameters"]), transformer.unembed(hidden, parameters), **CLOSE
    )


@every_scheme
def test_every_scheme(js, scheme):
    parameters, config = shaken_model(scheme, seed=1)
    tokens, positions = np.array([4, 0, 10, 4, 3, 7]), np.array([3, 0, 1, 7, 2, 30])
    for mask in (None, attention.prefix_mask(6, 3)):
        assert_same_model(js, config, parameters, tokens, positions=positions, mask=mask)


@pytest.mark.parametrize("seed", range(12))
def test_every_setting(js, seed):
    rng = np.random.default_rng(seed)
    settings = {
        "n_layers": seed % 4 + 1,
        "n_heads": int(rng.choice([1, 2, 3, 4])),
        "norm": ("pre", "post", "none")[seed % 3],
        "activation": ("gelu", "relu")[seed % 2],
        "residual": (1.0, 0.0, 0.3)[seed // 2 % 3],
        "d_ff": int(rng.choice([0, 5, 31])),
        "linear_biases": bool(rng.integers(2)),
        "norm_embedding": bool(rng.integers(2)),
        "n_outputs": int(rng.integers(2, 9)),
        "eps": 1e-3,
    }
    names = [name for name in ALL_SCHEMES if name != "alibi, split" or settings["n_heads"] % 2 == 0]
    parameters, config = shaken_model(ALL_SCHEMES[str(rng.choice(names))], seed=seed, **settings)
    n = int(rng.integers(1, 9))
    tokens, positions = rng.integers(0, 11, size=n), rng.permutation(12)[:n]
    mask = rng.random((n, n)) < 0.7
    assert_same_model(js, config, parameters, tokens, positions=positions, mask=mask | np.eye(n, dtype=bool))


@every_scheme
def test_decode(js, scheme):
    parameters, config = shaken_model(scheme, seed=3, n_layers=3)
    tokens, positions = np.array([4, 0, 4, 10, 2]), np.arange(5)
    state = model_state(config, parameters)
    there = js("decode", tokens, state["parameters"], state["config"], {"positions": positions})
    logits, cache = transformer.decode(tokens, parameters, config, positions=positions)
    np.testing.assert_allclose(there["logits"], logits, **CLOSE)
    for got, rows in zip(there["layers"], cache.layers, strict=True):
        np.testing.assert_allclose(got["key"], rows.key, **CLOSE)
        np.testing.assert_allclose(got["value"], rows.value, **CLOSE)
    free = js("decode", tokens, state["parameters"], state["config"], {"positions": positions, "mask": None})
    hidden = transformer.encode(tokens, parameters, config, positions=positions)
    np.testing.assert_allclose(free["logits"], transformer.unembed(hidden, parameters), **CLOSE)


def test_switches_are_settings(js):
    """What a figure does: fewer layers, no residual, another scheme, by spreading the configuration."""
    parameters, config = shaken_model("none", n_layers=4)
    schemes = {"none": PositionScheme(), "learned": Learned(length=9), "rotary": Rotary()}
    choice = scheme_choices(config, parameters, schemes, seed=5)["learned"]
    state, tokens, positions = model_state(config, parameters), np.array([1, 2, 3]), np.array([0, 8, 4])
    turned = state["config"] | {"n_layers": 2, "residual": 0, "scheme": choice["scheme"]}
    weights = state["parameters"] | {"position": choice["tables"]}
    there = js("encode", tokens, weights, turned, {"positions": positions})["hidden"]
    other = dataclasses.replace(config, n_layers=2, residual=0.0, position=Learned(length=9))
    tables = {"rows": np.array(choice["tables"]["rows"])}
    here = transformer.encode(
        tokens, parameters._replace(blocks=parameters.blocks[:2], position=tables), other, positions=positions
    )
    np.testing.assert_allclose(there, here, **CLOSE)


# the state


def test_the_state_keeps_every_digit():
    parameters, config = shaken_model("t5")
    state = json.loads(json.dumps(model_state(config, parameters)))
    for name, array in transformer.flatten_parameters(parameters).items():
        part = state["parameters"]
        for step in name.split("."):
            part = part[int(step) if isinstance(part, list) else step]
        assert part == array.tolist(), name
    assert model_state(config, to_torch(parameters)) == state
    assert model_state(dataclasses.replace(config, n_key_heads=config.n_heads), parameters) == state
    assert state["config"]["scheme"] == {"name": "t5", "n_buckets": 32, "max_distance": 128, "bidirectional": True}


def test_the_models_own_scheme_keeps_its_tables():
    parameters, config = shaken_model(Learned(length=7))
    choices = scheme_choices(config, parameters, {"table": Learned(length=7), "longer": Learned(length=8)})
    assert choices["table"]["tables"]["rows"] == parameters.position["rows"].tolist()
    assert np.shape(choices["longer"]["tables"]["rows"]) == (8, 24)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda config, p: model_state(dataclasses.replace(config, cross_attention=True), p),
            "expected a model with cross_attention=False, which is all that a figure can compute, got True",
        ),
        (
            lambda config, p: model_state(dataclasses.replace(config, activation="silu"), p),
            "expected a model whose activation is one of gelu, relu, got silu",
        ),
        (
            lambda config, p: model_state(dataclasses.replace(config, d_ff=99), p),
            r"expected blocks.0.feed_forward.w_in of shape \(24, 99\), got \(24, 20\)",
        ),
        (
            lambda config, p: model_state(config, p._replace(w_output=p.w_output * math.inf)),
            "expected finite numbers in the parameters, got NaN or an infinity",
        ),
        (
            lambda config, p: scheme_choices(config, p, {"beside": Sinusoidal(concatenate=4)}),
            "expected a scheme that leaves the token 24 columns, as the model's own does, got 20",
        ),
    ],
)
def test_bad_input(types_unchecked, call, message):
    with pytest.raises(ValueError, match=message):
        call(*shaken_model("none")[::-1])


def test_a_scheme_of_ones_own_is_refused():
    @dataclasses.dataclass(frozen=True)
    class Counter(PositionScheme):
        pass

    with pytest.raises(ValueError, match=r"expected a scheme of none, sinusoidal, .*, got Counter"):
        scheme_state(Counter())


def test_what_a_figure_calls_a_scheme_of_ones_own():
    class Nameless(PositionScheme):
        pass

    class Titled(PositionScheme):
        title = "a title"

    mine = FromPositions("mine", lambda positions: positions[:, None])
    assert [label_of(each) for each in (PositionScheme(), Nameless(), Titled(), mine)] == [
        "no positions",
        "Nameless",
        "a title",
        "mine",
    ]
    assert not in_browser(Nameless()) and in_browser(PositionScheme())


def test_the_browser_has_a_hook_for_every_scheme_that_says_so(js):
    hooks = set(js.script("() => Object.keys(js.HOOKS)"))
    assert {entry.scheme.name for entry in SCHEMES.values() if entry.in_browser} == hooks
