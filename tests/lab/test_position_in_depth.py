"""The own part and its laws, the stream that is weighed and erased, and what is stored of them."""

import json

import numpy as np
import pytest

from inorder.attention import causal_mask
from inorder.lab.erasure import erase, fit_eraser
from inorder.lab.position_by_layer import LEARNED, VOCABULARY, probe_texts
from inorder.lab.position_in_depth import own_part, own_part_law
from inorder.lab.position_in_depth.experiments import (
    ERASED,
    LEFT_LENGTHS,
    SIZES,
    by_depth,
    erased,
    listed_pairs,
    pair_cosines,
    probe,
    small_start,
    train_small,
    without_queries,
)
from inorder.lab.position_in_depth.stream import erasing, fit_erasers, run_stream, shares
from inorder.lab.probes import hidden_states, place_labels
from inorder.pretrained import encoder
from inorder.stored import stored
from inorder.transformer import embed, fresh_model, layer_states
from pretrained_files import why_missing

N = 16
TOKENS = probe_texts()[0][:20]


def test_the_own_part_is_what_a_double_loop_finds() -> None:
    rows = np.random.default_rng(0).normal(size=(3, 5, 4))
    cosines = [
        text[i] @ text[j] / np.sqrt(text[i] @ text[i] * (text[j] @ text[j]))
        for text in rows
        for i in range(5)
        for j in range(5)
        if i != j
    ]
    assert own_part(rows) == pytest.approx(1 - np.mean(cosines))
    assert own_part(rows * np.arange(1, 6)[:, None]) == pytest.approx(own_part(rows))


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("residual", [0.5, 1.0, 2.0])
def test_the_law_is_what_wide_models_do(norm: str, residual: float) -> None:
    """Even weights, no feed-forward part: within a fifth of the law over six layers, whichever the norm."""
    settings = SIZES | {"d_model": 256, "d_ff": 0, "position": LEARNED, "norm": norm, "residual": residual}
    parts = []
    for seed in range(3):
        model = without_queries(fresh_model(seed, n_layers=6, **settings))
        parts.append([own_part(rows) for rows in hidden_states(TOKENS, *model, positions=np.arange(N))])
    measured = np.mean(parts, axis=0)
    law = own_part_law(measured[0], N, 6, norm=norm, residual=residual, size=2.0)
    np.testing.assert_allclose(measured, law, rtol=0.2)
    other = own_part_law(measured[0], N, 6, norm={"pre": "post", "post": "pre"}[norm], residual=residual, size=2.0)
    assert abs(np.log(other[-1] / law[-1])) > 0.2


def test_once_rows_are_alike_post_norm_multiplies_and_pre_norm_adds() -> None:
    post, pre = (own_part_law(1e-9, N, 50, norm=norm, size=3.0) for norm in ("post", "pre"))
    np.testing.assert_allclose(post[1:] / post[:-1], 1 / 2, rtol=1e-6)
    np.testing.assert_allclose(1e-9 / pre, 1 + np.arange(51) / 3, rtol=1e-6)


def test_without_a_residual_nothing_is_own() -> None:
    for norm in ("post", "pre"):
        np.testing.assert_array_equal(own_part_law(0.7, N, 3, norm=norm, residual=0.0), [0.7, 0, 0, 0])


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_stream_is_that_of_the_model(norm: str) -> None:
    model = fresh_model(0, norm=norm, position="rotary", n_layers=3, **SIZES)
    x, mask = embed(TOKENS, *model, positions=np.arange(N)), causal_mask(N)
    expected = hidden_states(TOKENS, *model, positions=np.arange(N), mask=mask)
    states = list(run_stream(x, model, positions=np.arange(N), mask=mask))
    np.testing.assert_array_equal(states, expected)
    changed = list(run_stream(x, model, positions=np.arange(N), mask=mask, change=lambda k, rows: rows + (k == 2)))
    np.testing.assert_array_equal(changed[:2], expected[:2])
    np.testing.assert_array_equal(changed[2], expected[2] + 1)
    assert np.abs(changed[3] - expected[3]).max() > 0.01


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_shares_add_up_to_what_leaves_the_block(norm: str) -> None:
    model = fresh_model(1, norm=norm, n_layers=2, **SIZES)
    states = list(layer_states(TOKENS, *model, positions=np.arange(N)))
    results = shares(states, model, slice(1, None))
    for state, share in zip(states, results, strict=True):
        inner = state.x[:, 1:], state.attended[:, 1:]
        ratios = np.linalg.norm(inner[1], axis=-1) / np.linalg.norm(inner[0], axis=-1)
        assert share.attention == pytest.approx(np.median(ratios))
        assert share.own == pytest.approx(own_part(inner[0]))
        assert 0 < share.common <= 1
    even = shares(list(layer_states(TOKENS, *without_queries(model), positions=np.arange(N))), model)
    assert all(share.common == pytest.approx(1) for share in even)


def test_erasers_of_several_states_are_fitted_one_upon_the_other() -> None:
    model = fresh_model(0, norm="pre", position=LEARNED, n_layers=2, **SIZES)
    x, places = embed(probe_texts()[0], *model, positions=np.arange(N)), np.arange(N)
    inner = slice(1, None)
    erasers = fit_erasers(x, model, (0, 2), positions=places, rows=inner)
    states = list(run_stream(x, model, positions=places, change=erasing(erasers, inner)))
    for state in (0, 2):
        means = states[state][:, inner].mean(axis=0)
        np.testing.assert_allclose(means, np.broadcast_to(means.mean(axis=0), means.shape), atol=1e-9)
    np.testing.assert_array_equal(states[0][:, 0], x[:, 0])  # left alone
    by_hand = fit_eraser(x[:, inner], place_labels(x[:, inner]))
    np.testing.assert_allclose(states[0][:, inner], erase(x[:, inner], by_hand), atol=1e-12)
    control = fit_erasers(x, model, (0,), positions=places, permuted=0)[0]
    assert control.rank == N - 1
    assert np.ptp(erase(x, control).mean(axis=0), axis=0).max() > 0.1  # position is still there
    with pytest.raises(ValueError, match="expected a state from 0 to 2, got 3"):
        fit_erasers(x, model, (3,), positions=places)


def test_a_small_start_is_bert_s() -> None:
    parameters = small_start(fresh_model(0, **SIZES)).parameters
    assert parameters.blocks[1].feed_forward.w_in.std() == pytest.approx(0.02)
    assert parameters.embedding.std() == pytest.approx(0.02)
    np.testing.assert_array_equal(parameters.blocks[0].norm_attention.gain, 1)


def test_the_stored_numbers_are_those_of_this_code() -> None:
    record = json.loads(stored("position_in_depth.json").read_text(encoding="utf8"))
    settings = SIZES | {
        "position": "sinusoidal",
        "norm": "pre",
        "residual": 1.0,
        "n_layers": record["depths"]["n_layers"],
    }
    again = by_depth(fresh_model(0, **settings))
    kept = record["depths"]["models"]["sinusoids, pre, residual, queries"][0]
    for name, values in again._asdict().items():
        np.testing.assert_allclose(kept[name], values, atol=2e-3)


def test_stored_erasures_are_those_of_this_code() -> None:
    record = json.loads(stored("position_in_depth.json").read_text(encoding="utf8"))["small"]
    model = train_small(LEARNED, "pre", 0, record["n_steps"])
    for what in ("nothing", "state 2"):
        kept, again = record["models"][f"learned, pre, {what}"][0], erased(model, ERASED[what])
        assert kept["task"] == pytest.approx(again["task"], abs=0.03)
        np.testing.assert_allclose(kept["probe"], again["probe"], atol=0.1)


def test_what_comes_back_with_mask_and_rotary_is_what_the_whole_run_found() -> None:
    record = json.loads(stored("position_in_depth.json").read_text(encoding="utf8"))
    again, whole = record["returns"], record["writer"]
    at = [whole["probed"].index(state) for state in (9, 12)]
    for name, run in (("untouched", "nothing"), ("erased", f"state {again['from']}")):
        probes = again[f"{name}, mask and rotary"]
        assert [probes[0], probes[3]] == pytest.approx([whole[run]["probe"][k] for k in at], abs=2e-3)


def test_listed_pairs_are_stored_with_every_state_and_its_control() -> None:
    record, pairs = json.loads(stored("position_in_depth.json").read_text(encoding="utf8"))["pairs"], listed_pairs()
    states = [f"state {k}{control}" for k in range(7) for control in ("", ", control")]
    for state in ("nothing", *states):
        assert {name: len(cosines) for name, cosines in record[state].items()} == {
            name: len(each) for name, each in pairs.items()
        }
    for name in pairs:  # erased at the input, position leaves the two orders nearly alike
        assert np.mean(record["state 0"][name]) > np.mean(record["nothing"][name])


def test_a_probe_of_other_pieces_finds_what_the_erasers_of_sentences_leave() -> None:
    """A probe of the eraser's own pieces would find nothing, whatever is left."""
    record = json.loads(stored("position_in_depth.json").read_text(encoding="utf8"))["left"]
    for n_tokens in map(str, LEFT_LENGTHS):
        untouched, erased, more = (np.array(record[name][n_tokens]) for name in ("untouched", "erased", "more"))
        assert len(erased) == 7
        assert erased[0] > 0.7  # the input
        assert (1 / int(n_tokens) < erased).all() and (erased < untouched).all()
        assert (more < erased + 0.01).all()
        assert record["n_train"] < record["n_more"][n_tokens] < record["n_all"][n_tokens]
    for state in range(7):
        kept = record["pairs"][f"state {state}"]
        assert {name: len(cosines) for name, cosines in kept.items()} == {k: len(v) for k, v in listed_pairs().items()}


def test_an_eraser_of_more_texts_leaves_less_to_come_back() -> None:
    model = train_small(LEARNED, "post", 0)
    fitted_on, tested_on = (embed(tokens, *model, positions=np.arange(N)) for tokens in probe_texts())
    more = embed(np.random.default_rng(5).integers(VOCABULARY, size=(3000, N)), *model, positions=np.arange(N))
    after_layer_1 = []
    for texts in (fitted_on, more):
        change = erasing(fit_erasers(texts, model, (0,), positions=np.arange(N)))
        halves = (list(run_stream(x, model, positions=np.arange(N), change=change))[1] for x in (fitted_on, tested_on))
        after_layer_1.append(probe(*halves)[0])
    assert after_layer_1[0] > 0.15
    assert after_layer_1[1] < 0.1


@pytest.mark.skipif(why_missing("encoder") is not None, reason=why_missing("encoder") or "")
def test_the_stored_cosines_are_those_of_the_encoder() -> None:
    record = json.loads(stored("position_in_depth.json").read_text(encoding="utf8"))["pairs"]
    for name, pairs in listed_pairs().items():
        assert all(sorted(one.split()) == sorted(other.split()) for one, other in pairs)
        again = pair_cosines(pairs[:2], encoder.load())
        np.testing.assert_allclose(record["nothing"][name][:2], again, atol=2e-4)
