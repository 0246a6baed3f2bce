"""The measurements on the trained encoder: each on a case whose answer is known, and the stored results beside it."""

import json
from itertools import permutations

import numpy as np
import pytest

from inorder.lab.trained_encoder.__main__ import N_NUMBERS
from inorder.lab.trained_encoder.every_order import every_order
from inorder.lab.trained_encoder.heads import (
    OFFSETS,
    ablate_heads,
    map_changes,
    offset_weights,
    pronoun_weights,
    weights_by_query,
    without_head,
)
from inorder.lab.trained_encoder.order import (
    layer_errors,
    moved_table,
    pair_cosines,
    position_geometry,
    position_misses,
    position_probes,
    shuffled_table,
)
from inorder.lab.trained_encoder.sides import along_mean, query_and_key, separating_directions
from inorder.lab.trained_encoder.texts import MOVED, PAIRS, PRONOUN, windows
from inorder.pretrained import Pretrained, attention, load, sentence_vector, states, tokenize, untrained
from inorder.stored import stored
from pretrained_files import why_missing

pytestmark = pytest.mark.skipif(why_missing() is not None, reason=why_missing() or "")

STORED = json.loads(stored("trained_encoder.json").read_text(encoding="utf-8"))
ALICE = stored("alice.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def model() -> Pretrained:
    return load()


def test_each_pair_has_one_multiset_of_tokens(model: Pretrained) -> None:
    assert len(PAIRS) >= 6
    for one, other in PAIRS:
        ids = [tokenize(sentence, model).ids[0] for sentence in (one, other)]
        assert not np.array_equal(*ids)
        np.testing.assert_array_equal(np.sort(ids[0]), np.sort(ids[1]))


def test_pairs_tell_the_table(model: Pretrained) -> None:
    with_positions, without = pair_cosines(model), pair_cosines(model, positions=False)
    np.testing.assert_allclose(without, 1, atol=1e-5)
    assert (with_positions < 1 - 1e-3).all()
    np.testing.assert_allclose(with_positions, STORED["pairs"]["with_positions"], atol=1e-4)
    by_hand = [sentence_vector(one, model) @ sentence_vector(other, model) for one, other in PAIRS[:2]]
    np.testing.assert_allclose(with_positions[:2], by_hand, atol=1e-5)


def test_layer_errors_start_with_the_table(model: Pretrained) -> None:
    on, off = (layer_errors(PAIRS[1][0], model, positions=p, n_orders=2) for p in (True, False))
    assert (on > 0.05).all()
    assert (off < 1e-4).all()
    tokens = tokenize(PAIRS[1][0], model)
    order = np.r_[0, 1 + np.random.default_rng(3).permutation(7), 8]  # the only one that is drawn
    assert tokens.ids.shape == (1, 9)
    still, moved = (states(tokens._replace(ids=ids), model)[4].hidden[0] for ids in (tokens.ids, tokens.ids[:, order]))
    squares = [((moved[i] - still[k]) ** 2).sum() for i, k in enumerate(order)]
    by_hand = (np.sum(squares) / (still**2).sum()) ** 0.5
    assert layer_errors(PAIRS[1][0], model, n_orders=1, seed=3)[5] == pytest.approx(by_hand, rel=1e-4)
    assert max(STORED["equivariance_by_layer"]["without"]) < 1e-12  # in float64


def test_geometry_of_a_table_made_by_hand() -> None:
    rng = np.random.default_rng(0)
    table = np.diag([10.0, 1.0, 0.01, 0.0]) @ rng.normal(size=(4, 9))
    table = np.concatenate([table, -table]) + 7  # centred but for a constant
    words = 3 + rng.normal(size=(5000, 9))  # the same in all directions
    result = position_geometry(table, words, [0.5, 0.95, 0.9999999])
    assert [g.n_dimensions for g in result] == [1, 1, 3]
    for g in result:
        assert g.words == pytest.approx(g.chance, abs=0.02)
        assert g.chance_deviation < 0.02


def test_windows_are_the_text_in_pieces(model: Pretrained) -> None:
    tokens = windows(ALICE, model, 7, 5)
    whole = tokenize(ALICE[:300], model).words[0][1:-1]
    assert [word for words in tokens.words for word in words[1:-1]] == whole[:35]
    assert all(words[0] == "[CLS]" and words[-1] == "[SEP]" for words in tokens.words)
    sliding = windows(ALICE, model, 7, 5, step=2)
    assert [words[1:-1] for words in sliding.words] == [whole[start : start + 7] for start in (0, 2, 4, 6, 8)]
    with pytest.raises(ValueError, match="expected a text of 100 tokens or more, got 2"):
        windows("too short", model, 10, 10)


def test_offset_weights_are_means_of_diagonals(model: Pretrained) -> None:
    tokens = windows(ALICE, model, 9, 10)  # more than one batch
    result = offset_weights(tokens, model, [-2, 0, 3])
    weights = states(tokens, model)[4].weights[:, 7, 1:-1, 1:-1]  # (text, query, key)
    for column, offset in enumerate((-2, 0, 3)):
        rows = [i for i in range(9) if 0 <= i + offset < 9]
        expected = np.mean([weights[:, i, i + offset] for i in rows])
        assert result[4, 7, column] == pytest.approx(expected, abs=1e-6)
        by_query = weights_by_query(tokens, model, 4, 7, offset)
        np.testing.assert_allclose(by_query, [weights[:, i, i + offset].mean() for i in rows], atol=1e-6)


def test_a_head_taken_out_adds_nothing(model: Pretrained) -> None:
    tokens = tokenize(PAIRS[0][0], model)
    full, less = (states(tokens, m)[2] for m in (model, without_head(model, 2, 5)))
    w = model.model.parameters.blocks[2].attention
    head = full.weights[0, 5] @ full.cache.value[0, 5]  # (query, d_head)
    np.testing.assert_allclose(full.attended[0] - less.attended[0], head @ w.w_output[160:192], atol=1e-5)
    np.testing.assert_array_equal(full.weights, less.weights)
    assert model.model.parameters.blocks[2].attention.w_output.any(axis=1).all()  # the model given is as it was
    with pytest.raises(ValueError, match="expected a layer from 0 to 5, got 6"):
        without_head(model, 6, 0)
    with pytest.raises(ValueError, match="expected a head from 0 to 11, got 12"):
        without_head(model, 0, 12)


def test_ablation_compares_with_the_whole_model(model: Pretrained) -> None:
    result = ablate_heads(model, PAIRS[:2], heads=[(1, 2)])
    assert np.isnan(result.order).sum() == 71 * 2
    less = without_head(model, 1, 2)
    np.testing.assert_allclose(result.order[1, 2], 1 - pair_cosines(less, PAIRS[:2]), atol=1e-6)
    assert 0 < result.vector[1, 2] < 0.5


def test_misses_are_those_of_the_probe(model: Pretrained) -> None:
    tokens = windows(ALICE, model, 6, 30)
    train, test = (
        tokens._replace(words=tokens.words[part], ids=tokens.ids[part], mask=tokens.mask[part])
        for part in (slice(0, 20), slice(20, 30))
    )
    misses = position_misses(train, test, model)
    assert misses.shape == (7, 60)
    for within in (0, 1):
        shares = position_probes(tokens, model, 20, within=within)
        np.testing.assert_allclose((misses <= within).mean(axis=1), shares, atol=0.02)


def test_a_shuffled_table_has_the_same_rows_and_no_neighbours(model: Pretrained) -> None:
    shuffled = shuffled_table(model, 1)
    one, other = (np.asarray(m.model.parameters.position["rows"]) for m in (model, shuffled))
    found = [int(np.flatnonzero((one == row).all(axis=1))[0]) for row in other]
    assert sorted(found) == list(range(512)) and np.mean(np.diff(found) == 1) < 0.02
    heads = offset_weights(windows(ALICE, model, 30, 4), shuffled, [-1])
    assert heads[0, 2, 0] < 0.2  # as trained 0.9996


@pytest.mark.nightly  # that no row differs without the table is tested above
def test_a_moved_table_gives_a_text_later_rows(model: Pretrained) -> None:
    rows, moved = (np.asarray(m.model.parameters.position["rows"]) for m in (model, moved_table(model, 500)))
    np.testing.assert_array_equal(moved[:12], rows[500:])
    np.testing.assert_array_equal(moved[12:], rows[:500])


def test_probes_stand_at_chance_without_the_table(model: Pretrained) -> None:
    tokens = windows(ALICE, model, 8, 60)
    on, off = (position_probes(tokens, model, 40, positions=p) for p in (True, False))
    assert on[0] > 0.9
    deviation = (1 / 8 * 7 / 8 / 160) ** 0.5
    assert (abs(off - 1 / 8) < 5 * deviation).all()


def test_sides_are_those_of_the_rows(model: Pretrained) -> None:
    tokens = windows(ALICE, model, 9, 10)
    result = query_and_key(tokens, model)
    w = model.model.parameters.blocks[3].attention
    x = states(tokens, model)[3].x.reshape(-1, 384)
    for share, gain, spread, weight, bias in [
        (result.query, result.query_gain, result.query_spread, w.w_query, w.b_query),
        (result.key, result.key_gain, result.key_spread, w.w_key, w.b_key),
    ]:
        columns = slice(6 * 32, 7 * 32)
        rows = x @ weight[:, columns] + bias[columns]
        assert share[3, 6] == pytest.approx((rows.mean(0) ** 2).sum() / (rows**2).sum(1).mean(), rel=1e-4)
        mu = x.mean(0)
        usual = np.linalg.norm(weight[:, columns]) / 384**0.5
        expected = np.linalg.norm(mu @ weight[:, columns]) / np.linalg.norm(mu) / usual
        assert gain[3, 6] == pytest.approx(expected, rel=1e-4)
        rest = x - mu
        expected = np.linalg.norm(rest @ weight[:, columns]) / np.linalg.norm(rest) / usual
        assert spread[3, 6] == pytest.approx(expected, rel=1e-4)
    first = query_and_key(tokens, model, part=slice(3))
    mu = states(tokens, model)[3].x[:, :3].reshape(-1, 384).mean(axis=0)
    expected = np.linalg.norm(mu @ w.w_key[:, columns]) / np.linalg.norm(mu) / usual
    assert first.key_gain[3, 6] == pytest.approx(expected, rel=1e-4)


def test_separating_directions_beat_any_other(model: Pretrained) -> None:
    result = separating_directions(windows(ALICE, model, 9, 2), model)
    rng = np.random.default_rng(0)
    for layer, block in enumerate(model.model.parameters.blocks):
        u = rng.normal(size=(50, 384))
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        q, k = (
            np.linalg.norm(u @ w, axis=1) ** 2 / np.sum(w**2) * 384
            for w in (block.attention.w_query, block.attention.w_key)
        )
        assert result.query[layer, 0] - result.key[layer, 0] > (q - k).max()
        assert result.query[layer, 1] - result.key[layer, 1] < (q - k).min()
    assert ((result.mean >= 0) & (result.mean <= 1) & (result.positions >= 0) & (result.positions <= 1)).all()


def test_directions_of_an_untrained_model_are_alike(model: Pretrained) -> None:
    result = query_and_key(windows(ALICE, model, 9, 10), untrained(model, 0))
    for gain in (result.query_gain, result.key_gain):
        assert gain.mean() == pytest.approx(1, abs=0.1)
    assert not result.key_bias.any()


def test_the_stored_map_is_the_models(model: Pretrained) -> None:
    path = stored("pronoun_attention.npz")
    maps = np.load(path)
    answer = json.loads(stored("pronoun_attention.json").read_text(encoding="utf-8"))
    assert path.stat().st_size < 100_000
    for name, sentence, words in zip(("tired", "wide"), PRONOUN, answer["words"], strict=True):
        result = attention(sentence, model)
        assert result.words == words and name in words
        assert maps[name].shape == (6, 12, len(words), len(words))
        np.testing.assert_allclose(maps[name], result.weights, atol=5e-4)
    looked = pronoun_weights(PRONOUN[1], model)
    np.testing.assert_allclose(looked["street"], np.array(STORED["pronoun"]["street"][1]), atol=1e-5)


def test_the_stored_results_say_where_they_are_from() -> None:
    assert STORED["provenance"]["sha256"].startswith("53aa5117")
    assert {"model", "revision", "versions", "date", "made_by"} <= set(STORED["provenance"])
    assert STORED["offsets"]["n_tokens"] >= 2000
    heads = np.array(STORED["offsets"]["with_positions"])
    layer, head = STORED["offsets"]["previous_token_head"]
    assert heads[layer, head, OFFSETS.index(-1)] == heads[..., OFFSETS.index(-1)].max()


def test_parts_along_the_mean_are_those_of_the_rows(model: Pretrained) -> None:
    tokens = windows(ALICE, model, 9, 10)  # more than one batch
    result = along_mean(tokens, model, ["[SEP]", "[CLS]"])
    x = states(tokens, model)[2].x  # (text, position, d_model)
    mu = x.reshape(-1, 384).mean(0)
    part = x @ mu / np.linalg.norm(mu)
    assert result.mean[2] == pytest.approx(np.linalg.norm(mu), rel=1e-4)
    assert result.deviation[2] == pytest.approx(part.std(), rel=1e-4)
    np.testing.assert_allclose(result.words[2], [part[:, -1].mean(), part[:, 0].mean()], rtol=1e-3)
    turned = np.linalg.qr(np.random.default_rng(0).normal(size=(384, 384)))[0]  # the mean over any orthogonal axes
    assert result.usual[2] == pytest.approx(np.sqrt(np.var(x.reshape(-1, 384) @ turned, axis=0).mean()), rel=1e-4)
    with pytest.raises(ValueError, match="expected words that are in the texts, got 'zebra'"):
        along_mean(tokens, model, ["zebra"])


def test_a_map_that_only_moves_along_has_not_changed(model: Pretrained) -> None:
    orders = np.array([[0, 1, 2, 3, 4], [1, 2, 0, 3, 4], [4, 2, 0, 1, 3]])
    changes = map_changes(MOVED, model, orders)
    assert changes.shape == (3, 6, 12) and changes[0].max() < 1e-6
    assert map_changes(MOVED, model, orders, positions=False).max() < 1e-5
    words = MOVED.split()
    for change, order in zip(changes[1:], orders[1:], strict=True):  # by hand, token by token
        still, moved = (np.asarray(attention(" ".join(text), model).weights) for text in (words, np.take(words, order)))
        place = [0, *(1 + list(order).index(i) for i in range(5)), 6]
        by_hand = np.zeros((6, 12))
        for query in range(7):
            for key in range(7):
                by_hand += abs(moved[:, :, place[query], place[key]] - still[:, :, query, key]) / (2 * 7)
        np.testing.assert_allclose(change, by_hand, atol=1e-5)
    with np.load(stored("map_changes.npz")) as arrays:
        every = list(permutations(range(5)))
        np.testing.assert_allclose(
            [arrays["changes"][every.index(tuple(order))] for order in orders.tolist()], changes, atol=5e-4
        )
    assert json.loads(stored("map_changes.json").read_text(encoding="utf-8"))["without_table"] < 1e-12


def test_every_order_is_that_of_the_sentence_alone() -> None:
    model, words = load(like=np.zeros(1)), MOVED.split()
    found, orders = every_order(MOVED, model, N_NUMBERS), list(permutations(range(5)))
    assert found.weights.shape == (120, 6, 5, 5) and found.rows.shape == (120, 5, N_NUMBERS)
    layers = states(tokenize([" ".join(words[i] for i in order) for order in orders], model), model)
    weights = np.array([state.weights[:, head] for state, head in zip(layers, found.heads, strict=True)])
    rows, by_word = np.zeros((120, 5, 384)), np.zeros((120, 6, 5, 5))
    for order, places in enumerate(orders):
        for place, word in enumerate(places, 1):
            rows[order, word] = layers[-1].hidden[order, place]
            for other, key in enumerate(places, 1):
                by_word[order, :, word, key] = weights[:, order, place, other]
    np.testing.assert_allclose(found.weights, by_word, atol=1e-12)
    with np.load(stored("map_changes.npz")) as arrays:
        changes = arrays["changes"].astype(float).mean(axis=0)
        assert found.heads == [int(head) for head in changes.argmax(axis=1)]
    # The same numbers by the eigenvectors of the covariance, of either sign.
    rows = rows.reshape(600, 384)
    values, vectors = np.linalg.eigh(np.cov(rows.T))
    parts = (rows - rows.mean(axis=0)) @ vectors[:, ::-1][:, :N_NUMBERS]
    assert values[-N_NUMBERS - 1] < values[-N_NUMBERS] * 0.99, "no two directions that could trade places"
    np.testing.assert_allclose(abs(found.rows.reshape(600, -1)), abs(parts / parts.std(axis=0)), atol=1e-7)
    np.testing.assert_array_equal(found.since[1:], np.array(orders[1:]).argsort(axis=1) == np.arange(5))
    about = json.loads(stored("every_order.json").read_text(encoding="utf-8"))
    assert about["heads"] == found.heads and about["sentence"] == MOVED
    np.testing.assert_allclose(about["least_change"], found.least_change, rtol=1e-3)
    with np.load(stored("every_order.npz")) as arrays:
        np.testing.assert_allclose(arrays["weights"] / 255, found.weights, atol=0.5 / 255 + 1e-9)
        np.testing.assert_allclose(arrays["rows"] * about["step"], found.rows, atol=0.5 * about["step"] + 1e-7)
        np.testing.assert_array_equal(arrays["since"], found.since)


def test_every_order_of_a_model_that_never_learned() -> None:
    found = every_order("dog bites man", untrained(load(), 0), 8)
    np.testing.assert_allclose(found.rows.reshape(18, 8).std(axis=0), 1, rtol=1e-5)
    np.testing.assert_allclose(np.corrcoef(found.rows.reshape(18, 8).T), np.eye(8), atol=1e-5)
    assert found.weights.min() > 0 and found.weights.sum(axis=-1).max() < 1 and found.least_change > 0
    with pytest.raises(ValueError, match="expected 1 to 384 numbers, got 0"):
        every_order("dog bites man", load(), 0)


def test_words_of_several_tokens_cannot_be_moved(model: Pretrained) -> None:
    with pytest.raises(ValueError, match="one token each"):
        map_changes("unbelievably so", model, np.array([[0, 1]]))
    with pytest.raises(ValueError, match="each of 0 to 1 once"):
        map_changes("dog bites", model, np.array([[0, 0]]))
