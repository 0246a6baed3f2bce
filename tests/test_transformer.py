"""`inorder.transformer`: what must hold of encoder, blocks and parameters, whatever the numbers."""

import dataclasses
import inspect
import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from inorder.attention import causal_mask, multi_head_attention, prefix_mask
from inorder.encodings import (
    alibi_bias,
    binary_encoding,
    rotary_encoding,
    scalar_encoding,
    shaw_bias,
    sinusoidal_encoding,
    t5_bias,
)
from inorder.transformer import (
    SCHEMES,
    Alibi,
    Learned,
    PositionScheme,
    Rotary,
    Sinusoidal,
    TransformerConfig,
    block,
    decode,
    embed,
    encode,
    feed_forward,
    flatten_parameters,
    init_parameters,
    layer_norm,
    layer_states,
    map_parameters,
    unembed,
    unflatten_parameters,
)
from strategies import assert_close, dtype_name, no_warnings, random_mask, seeds, to_back_end
from transformer_models import (
    ALL_SCHEMES,
    POSITION_SCHEMES,
    WAYS_IN,
    assert_gradients_are_right,
    shaken_model,
    to_torch,
    todays_model,
)

pytestmark = no_warnings
every_scheme = pytest.mark.parametrize("scheme", ALL_SCHEMES.values(), ids=ALL_SCHEMES)
each_way_in = pytest.mark.parametrize("scheme", WAYS_IN.values(), ids=WAYS_IN)
every_position = pytest.mark.parametrize("scheme", POSITION_SCHEMES.values(), ids=POSITION_SCHEMES)
without_types = pytest.mark.usefixtures("types_unchecked")  # they take three quarters of the time
both_blocks = pytest.mark.parametrize("model", [shaken_model, todays_model])  # of 2017, and of today
few = settings(max_examples=4)


def largest(x: Any) -> float:
    return float(abs(x).max())


# Order: what travels with the tokens, and what notices that they moved


@few
@given(
    seed=seeds,
    n=st.integers(2, 7),
    n_layers=st.integers(1, 4),
    norm=st.sampled_from(["pre", "post", "none"]),
    residual=st.sampled_from([0.0, 0.5, 1.0]),
    d_ff=st.sampled_from([0, 20]),
    masked=st.booleans(),
)
def test_without_positions_the_encoder_is_equivariant(seed, n, n_layers, norm, residual, d_ff, masked):
    """f(PX; PMPᵀ) = P f(X; M), at any depth and with any mask."""
    parameters, config = shaken_model(seed=seed, n_layers=n_layers, norm=norm, residual=residual, d_ff=d_ff)
    rng = np.random.default_rng(seed)
    tokens, order, positions = rng.integers(11, size=(3, n)), rng.permutation(n), np.arange(n)
    mask = random_mask(rng, (n, n)) if masked else np.ones((n, n), dtype=bool)
    hidden = encode(tokens, parameters, config, positions=positions, mask=mask)
    moved_mask = mask[order][:, order]
    moved = encode(tokens[:, order], parameters, config, positions=positions, mask=moved_mask)
    assert largest(moved - hidden[:, order]) < 1e-12 * largest(hidden)


@without_types
@every_position
@few
@given(seed=seeds, n=st.integers(4, 9))
def test_every_scheme_breaks_it(scheme, seed, n):
    parameters, config = shaken_model(scheme, seed=seed, n_layers=1)
    rng = np.random.default_rng(seed)
    tokens, order = rng.permutation(11)[:n], rng.permutation(n)
    is_symmetry = (order == np.arange(n)).all() or (order == np.arange(n)[::-1]).all()
    order = np.roll(np.arange(n), 1) if is_symmetry else order  # (ALiBi takes a text for its reversal, see below)
    hidden = encode(tokens, parameters, config, positions=np.arange(n))
    moved = encode(tokens[order], parameters, config, positions=np.arange(n))
    assert largest(moved - hidden[order]) > 1e-4 * largest(hidden)


@every_scheme
def test_only_absolute_positions_notice_a_shift_of_the_whole_text(scheme):
    parameters, config = shaken_model(scheme)
    tokens = np.array([3, 1, 4, 1, 5])
    hidden, shifted = (encode(tokens, parameters, config, positions=np.arange(5) + start) for start in (0, 9))
    absolute = type(scheme).embed is not PositionScheme.embed
    assert largest(shifted - hidden) > 1e-3 if absolute else largest(shifted - hidden) < 1e-12


@every_scheme
def test_positions_move_with_their_tokens(scheme):
    """Tokens and positions permuted alike: the rows only change places, for every scheme."""
    parameters, config = shaken_model(scheme)
    tokens, positions, order = np.arange(6), np.array([0, 2, 3, 7, 8, 20]), np.array([3, 0, 5, 4, 1, 2])
    hidden = encode(tokens, parameters, config, positions=positions)
    moved = encode(tokens[order], parameters, config, positions=positions[order])
    assert_close(moved, hidden[order])


def c_row(prompt: list[int], n_layers: int, mask: Any, **settings: Any) -> np.ndarray:
    parameters, config = shaken_model(n_layers=n_layers, **settings)
    return encode(np.array(prompt), parameters, config, positions=np.arange(len(prompt)), mask=mask)[-1]


@without_types
@pytest.mark.parametrize("settings", [{}, {"d_ff": 0}, {"residual": 0.0}, {"norm": "none", "d_ff": 0}])
@pytest.mark.parametrize("n_layers", [1, 2])
def test_when_c_notices_that_a_and_b_changed_places(n_layers, settings):
    """Where the swap leaves the mask as it was: never. Under a causal mask: from the second layer on."""
    a, b, c = 3, 5, 7
    for mask in (None, prefix_mask(3, 2), prefix_mask(3, 3)):
        rows = [c_row(prompt, n_layers, mask, **settings) for prompt in ([a, b, c], [b, a, c])]
        assert largest(rows[0] - rows[1]) < 1e-12 * largest(rows[0])
    rows = [c_row(prompt, n_layers, causal_mask(3), **settings) for prompt in ([a, b, c], [b, a, c])]
    difference = largest(rows[0] - rows[1]) / largest(rows[0])
    assert difference < 1e-12 if n_layers == 1 else difference > 1e-3


def test_the_difference_in_the_linear_case_is_one_third_of_a_product():
    """Uniform attention, no norm, no feed-forward: ⅓ (v_A − v_B) W_V2 W_O2, where v_t = e_t W_V1 W_O1."""
    config = TransformerConfig(
        vocabulary_size=11, d_model=6, n_heads=1, d_ff=0, n_layers=2, norm="none", linear_biases=False
    )
    parameters = init_parameters(config, np.random.default_rng(0))
    blocks = [b._replace(attention=b.attention._replace(w_query=0 * b.attention.w_query)) for b in parameters.blocks]
    parameters = parameters._replace(blocks=tuple(blocks))
    a, b, c = 3, 5, 7
    options = {"positions": np.arange(3), "mask": causal_mask(3)}
    rows = [encode(np.array(prompt), parameters, config, **options)[-1] for prompt in ([a, b, c], [b, a, c])]
    first, second = (w.attention.w_value @ w.attention.w_output for w in blocks)
    expected = (parameters.embedding[a] - parameters.embedding[b]) @ first @ second / 3
    # A alone sees v_A; after B it sees (v_A + v_B)/2: so the pair sums to (3 v_A + v_B)/2 in one order
    assert_close(rows[0] - rows[1], expected)


# One model, two back ends, two precisions, many sequences


@every_scheme
@pytest.mark.parametrize(("model", "norm"), [(shaken_model, "post"), (todays_model, "pre")])
def test_numpy_is_torch(scheme, model, norm):
    parameters, config = model(scheme, norm=norm, norm_embedding=True, cross_attention=True)
    rng = np.random.default_rng(0)
    tokens, memory = rng.integers(11, size=(3, 6)), rng.normal(size=(3, 4, 24))
    call = {"positions": np.arange(6), "mask": causal_mask(6), "memory": memory}
    theirs = {name: torch.from_numpy(x) for name, x in call.items()}
    in_numpy = list(layer_states(tokens, parameters, config, **call))
    in_torch = list(layer_states(torch.from_numpy(tokens), to_torch(parameters), config, **theirs))
    for state, other in zip(in_numpy, in_torch, strict=True):
        for (name, x), (_, y) in zip(flatten_parameters(state).items(), flatten_parameters(other).items(), strict=True):
            assert isinstance(y, torch.Tensor), name
            np.testing.assert_allclose(x, y.numpy(), rtol=1e-11, atol=1e-11, err_msg=name)
    logits, _ = decode(tokens, parameters, config, positions=np.arange(6), memory=memory)
    call = {"positions": theirs["positions"], "memory": theirs["memory"]}
    others, _ = decode(torch.from_numpy(tokens), to_torch(parameters), config, **call)
    np.testing.assert_allclose(logits, others.numpy(), rtol=1e-11, atol=1e-11)


@every_scheme
def test_float32_stays_float32_in_numpy(scheme):
    """Where a scalar of NumPy can widen it; torch keeps half precision, as the decoder's tests say."""
    parameters, config = shaken_model(scheme)
    tokens, positions = np.array([[3, 1, 4, 1, 5]]), np.arange(5)
    single = map_parameters(lambda w: w.astype("float32"), parameters)
    logits, cache = decode(tokens, single, config, positions=positions)
    expected, _ = decode(tokens, parameters, config, positions=positions)
    arrays = [logits, *(x for rows in cache.layers for x in (rows.key, rows.value))]
    assert {dtype_name(x) for x in arrays} == {"float32"}
    np.testing.assert_allclose(logits, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("scheme", [Sinusoidal(), Sinusoidal(concatenate=8), Rotary()], ids=str)
def test_patches_of_an_image_have_two_positions(scheme):
    """A row moved with its place, (row, column), changes nothing; a transposed image is another image."""
    parameters, config = shaken_model(scheme)
    patches = np.random.default_rng(0).normal(size=(6, config.scheme.token_width(24)))
    places = np.array([[row, column] for row in range(2) for column in range(3)])
    hidden = encode(patches, parameters, config, positions=places)
    order = np.array([5, 2, 0, 3, 1, 4])
    assert_close(encode(patches[order], parameters, config, positions=places[order]), hidden[order])
    assert largest(encode(patches, parameters, config, positions=places[:, ::-1]) - hidden) > 1e-3
    logits, cache = decode(patches[:4], parameters, config, positions=places[:4])
    rest, _ = decode(patches[4:], parameters, config, positions=places[4:], cache=cache)
    assert_close(np.concatenate([logits, rest]), decode(patches, parameters, config, positions=places)[0])


# Gradients


@without_types
@every_scheme
@both_blocks
def test_gradients_are_right(scheme, model):
    sizes = {"vocabulary_size": 3, "d_model": 12, "n_heads": 2, "d_ff": 3, "n_layers": 1}
    shared = {"n_key_heads": 1} if model is todays_model else {}
    assert_gradients_are_right(model(scheme, **sizes, **shared))


# The block and its parts


def test_the_block_written_out():
    """Every switch against the formula, on one block."""
    x = np.random.default_rng(1).normal(size=(5, 24))
    for norm, weight, activation in [("pre", 1.0, "gelu"), ("post", 0.5, "relu"), ("none", 0.0, "relu")]:
        parameters, config = shaken_model(n_layers=1, norm=norm, residual=weight, activation=activation, eps=0.1)
        p = parameters.blocks[0]

        def attention(x: Any, p: Any = p) -> Any:
            return multi_head_attention(x, x, p.attention, 6)

        def change(x: Any, p: Any = p, activation: str = activation) -> Any:
            return feed_forward(x, p.feed_forward, activation=activation)

        if norm == "pre":
            y = weight * x + attention(layer_norm(x, *p.norm_attention, eps=0.1))
            y = weight * y + change(layer_norm(y, *p.norm_feed_forward, eps=0.1))
        elif norm == "post":
            y = layer_norm(weight * x + attention(x), *p.norm_attention, eps=0.1)
            y = layer_norm(weight * y + change(y), *p.norm_feed_forward, eps=0.1)
        else:
            y = attention(x)
            y = change(y)
        state = block(x, p, config, positions=np.arange(5))
        assert_close(state.hidden, y)
        assert_close(state.x, x)


@each_way_in
def test_layer_states_tell_what_encode_did(scheme):
    parameters, config = shaken_model(scheme, n_layers=3, norm="post")
    tokens, positions = np.array([[3, 1, 4, 1], [5, 9, 2, 6]]), np.array([0, 1, 2, 5])
    states = list(layer_states(tokens, parameters, config, positions=positions))
    assert_close(states[0].x, embed(tokens, parameters, config, positions=positions))
    assert_close(states[2].hidden, encode(tokens, parameters, config, positions=positions))
    for state, following in itertools.pairwise(states):
        assert following.x is state.hidden
    for state, p in zip(states, parameters.blocks, strict=True):
        assert state.weights.shape == (2, 6, 4, 4)
        assert_close(state.weights.sum(-1), np.ones((2, 6, 4)))
        mixed = np.moveaxis(state.weights @ state.cache.value, 1, 2).reshape(2, 4, 24)
        assert_close(state.attended, mixed @ p.attention.w_output + p.attention.b_output)
        assert (state.cache.positions == positions).all()


@pytest.mark.parametrize("scheme", ["t5", "alibi", "shaw"])
def test_a_block_takes_unsigned_positions(scheme):
    """And its cache holds them signed: a difference of unsigned numbers would wrap around."""
    parameters, config = shaken_model(scheme, n_layers=1)
    x, tables = np.random.default_rng(0).normal(size=(4, 24)), parameters.position
    states = [
        block(x, parameters.blocks[0], config, positions=np.arange(4, dtype=dtype), tables=tables)
        for dtype in ("uint8", "int64")
    ]
    assert_close(states[0].hidden, states[1].hidden)
    assert states[0].cache.positions.dtype == np.int64


# Parameters and configuration


@every_scheme
def test_shapes_are_those_of_the_parameters(scheme):
    parameters, config = shaken_model(scheme, cross_attention=True, n_outputs=5)
    assert config.shapes == {name: w.shape for name, w in flatten_parameters(parameters).items()}
    assert unembed(np.ones((7, 24)), parameters).shape == (7, 5)


def test_the_number_of_parameters_by_hand():
    def count(**settings: Any) -> int:
        config = TransformerConfig(
            **{"vocabulary_size": 7, "d_model": 4, "n_heads": 2, "d_ff": 10, "n_layers": 3, **settings}
        )
        return sum(math.prod(shape) for shape in config.shapes.values())

    attention, feed_forward, norm, ends = 4 * (4 * 4 + 4), 4 * 10 + 10 + 10 * 4 + 4, 4 + 4, 7 * 4 + 4 * 7 + 7
    assert count() == 3 * (attention + feed_forward + 2 * norm) + norm + ends
    assert count(norm="post") == 3 * (attention + feed_forward + 2 * norm) + ends
    assert count(norm="none") == 3 * (attention + feed_forward) + ends
    assert count(d_ff=0) == 3 * (attention + norm) + norm + ends
    assert count(cross_attention=True) == 3 * (2 * attention + feed_forward + 3 * norm) + norm + ends
    assert count(norm_embedding=True) == count() + norm
    assert count(linear_biases=False) == count() - 3 * (16 + 14) - 7
    assert count(n_outputs=2) == count() - 5 * 4 - 5
    assert count(n_key_heads=1) == count() - 3 * 2 * (4 * 2 + 2)
    assert count(gated=True) == count() + 3 * (4 * 10 + 10)
    assert count(norm_kind="rms") == count() - 7 * 4
    assert count(tied_output=True) == count() - 4 * 7
    assert count(position=Learned(length=9)) == count() + 9 * 4
    assert count(position=Learned(length=9, concatenate=1)) == count() - 7 + 9
    assert count(position="learned") == count() + 512 * 4
    assert count(position="scalar") == count() + 4
    assert count(position="binary") == count() + 9 * 4
    assert count(position="t5") == count() + 32 * 2
    assert count(position="shaw") == count() + 33 * 2


def test_fresh_parameters_keep_the_variance_of_a_row():
    config = TransformerConfig(vocabulary_size=300, d_model=64, n_heads=4, d_ff=256, n_layers=1, position="learned")
    parameters = init_parameters(config, np.random.default_rng(0))
    for name, w in flatten_parameters(parameters).items():
        if ".norm" in name or name.startswith("norm"):
            assert (w == name.endswith("gain")).all(), name
        elif w.ndim == 1:
            assert (w == 0).all(), name
        else:
            d_in = 1 if name in ("embedding", "position.rows") else w.shape[0]
            assert abs(w.mean()) < 0.1 * d_in**-0.5, name
            assert w.std() == pytest.approx(d_in**-0.5, rel=0.05), name


@each_way_in
def test_one_generator_gives_one_model_in_both_back_ends(scheme):
    _, config = shaken_model(scheme)
    ours = init_parameters(config, np.random.default_rng(3))
    again = init_parameters(config, np.random.default_rng(3))
    theirs = init_parameters(config, np.random.default_rng(3), like=torch.empty(0, dtype=torch.float64))
    other = init_parameters(config, np.random.default_rng(4))
    for trio in zip(*(flatten_parameters(each).items() for each in (ours, again, theirs)), strict=True):
        (_, w), (_, same), (_, tensor) = trio
        assert (w == same).all()
        assert (w == tensor.numpy()).all()
    assert (ours.embedding != other.embedding).all()
    single = init_parameters(config, np.random.default_rng(3), like=torch.empty(0))
    assert {w.dtype for w in flatten_parameters(single).values()} == {torch.float32}


@each_way_in
def test_biases_left_out_are_biases_of_zero(scheme):
    _, with_biases = shaken_model(scheme)
    without = dataclasses.replace(with_biases, linear_biases=False)
    tokens, positions, logits = np.array([3, 1, 4]), np.arange(3), []
    for config in (with_biases, without):
        parameters = init_parameters(config, np.random.default_rng(0))  # where each b is 0, and drawn from nothing
        logits.append(decode(tokens, parameters, config, positions=positions)[0])
    assert_close(*logits)
    assert not any(name.split(".")[-1].startswith("b_") for name, _ in flatten_parameters(parameters).items())


def test_a_scheme_is_its_encoding():
    """Each hook is one function of `inorder.encodings`, by default with that function's own settings."""
    rng, positions = np.random.default_rng(0), np.array([0, 3, 4, 91, 183, 200])  # 91: where T5's last bucket begins
    x, query = rng.normal(size=(6, 24)), rng.normal(size=(6, 6, 4))
    assert_close(SCHEMES["sinusoidal"].scheme.embed(x, positions, {}), x + sinusoidal_encoding(positions, 24))
    assert_close(SCHEMES["rotary"].scheme.rotate(query, positions, {}), rotary_encoding(query, positions))
    assert SCHEMES["alibi"].scheme == Alibi("symmetric")
    for direction in ("symmetric", "left", "right", "split"):
        expected = alibi_bias(6, positions, positions, direction=direction)
        assert_close(Alibi(direction).bias(query, query, positions, positions, {}), expected)
    table = rng.normal(size=(32, 6))
    expected = t5_bias(table, positions, positions)
    assert_close(SCHEMES["t5"].scheme.bias(query, query, positions, positions, {"buckets": table}), expected)
    keys = rng.normal(size=(33, 4))
    expected = shaw_bias(query, keys, positions, positions, max_distance=16)
    assert_close(SCHEMES["shaw"].scheme.bias(query, query, positions, positions, {"relative_keys": keys}), expected)
    rows = rng.normal(size=(512, 24))
    assert_close(SCHEMES["learned"].scheme.embed(x, positions, {"rows": rows}), x + rows[positions])
    expected = x + scalar_encoding(positions, 512) * rows[0]
    assert_close(SCHEMES["scalar"].scheme.embed(x, positions, {"direction": rows[:1]}), expected)
    expected = x + binary_encoding(positions, 9) @ rows[:9]
    assert_close(SCHEMES["binary"].scheme.embed(x, positions, {"directions": rows[:9]}), expected)


def test_a_scheme_of_your_own():
    @dataclasses.dataclass(frozen=True)
    class Counter(PositionScheme):
        """Adds the position itself to the first coordinate, times a learned number."""

        def init_tables(self, normal, d_model, n_heads):
            return {"step": normal(1.0, 1)}

        def embed(self, x, positions, tables):
            first = np.eye(1, x.shape[-1])
            return x + tables["step"] * positions[:, None] * first

    parameters, config = shaken_model(Counter())
    positions = np.array([0, 4])
    x = embed(np.array([3, 3]), parameters, config, positions=positions)
    assert_close(x[1] - x[0], 4 * parameters.position["step"] * np.eye(1, 24)[0])


def hook(name: str, returns: Any) -> PositionScheme:
    def called(*_: Any) -> Any:
        return returns

    called.__signature__ = inspect.signature(getattr(PositionScheme, name))
    own = {"embed": lambda self, x, positions, tables: x, name: called}
    return type("Mine", (PositionScheme,), own)()


@pytest.mark.parametrize(
    ("scheme", "message"),
    [
        (hook("init_tables", np.ones(3)), "expected Mine.init_tables to return a dictionary of arrays, got ndarray"),
        (hook("embed", np.ones((3, 4))), "expected what Mine.embed returns of shape (3, 24), got (3, 4)"),
        (hook("rotate", torch.ones(6, 3, 4)), "expected arrays of one back end"),
        (hook("bias", np.ones((3, 4))), "expected bias of shape (6, 3, 3), its leading axes 1 or left out, got (3, 4)"),
        (hook("bias", np.full((3, 3), -np.inf)), "got a fully masked row (nothing but -inf): row 0, 0"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
@pytest.mark.usefixtures("types_unchecked")
def test_what_a_hook_returns_is_checked(scheme, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        encode(np.array([1, 2, 3]), *shaken_model(scheme), positions=np.arange(3))


# Files, seeds, what is printed


@pytest.mark.parametrize("scheme", ["learned", "shaw"])
@both_blocks
@pytest.mark.parametrize("back_end", ["numpy", "torch"])
def test_parameters_survive_a_file(scheme, model, back_end, tmp_path):
    parameters, config = model(scheme, cross_attention=True, norm_embedding=True)
    parameters = map_parameters(lambda w: to_back_end(w, back_end), parameters)
    flat, path = flatten_parameters(parameters), tmp_path / "parameters.npz"
    if back_end == "numpy":
        np.savez(path, **flat)
        with np.load(path) as file:
            again = unflatten_parameters(file, config)
    else:
        torch.save(flat, path)
        again = unflatten_parameters(torch.load(path, weights_only=True), config)
    assert list(flatten_parameters(again)) == list(flat)
    for (name, w), (_, same) in zip(
        flatten_parameters(parameters).items(), flatten_parameters(again).items(), strict=True
    ):
        assert type(same) is type(w) and (w == same).all(), name
    tokens, positions = (to_back_end(x, back_end) for x in (np.array([1, 2]), np.arange(2)))
    memory = to_back_end(np.ones((3, 24)), back_end)
    before, after = (decode(tokens, p, config, positions=positions, memory=memory)[0] for p in (parameters, again))
    assert (before == after).all()


@pytest.mark.parametrize("scheme", [s for s in POSITION_SCHEMES.values() if getattr(s, "concatenate", 0)], ids=str)
def test_concatenated_positions_stand_beside_the_token(scheme):
    parameters, config = shaken_model(scheme)
    x = embed(np.array([3, 3, 5]), parameters, config, positions=np.array([2, 7, 7]))
    width = 24 - scheme.concatenate
    assert_close(x[:, :width], parameters.embedding[[3, 3, 5]])
    assert_close(x[1, width:], x[2, width:])
    assert (x[0, width:] != x[1, width:]).any()
