"""The measurements on the trained encoder: each on a case whose answer is known, and the stored results beside it."""

from itertools import permutations

import numpy as np
import pytest

from inorder.lab.records import plain
from inorder.pretrained.encoder import Pretrained, attention, load, states, tokenize
from inorder.stored import read_record, stored
from pretrained_files import why_missing
from studies.trained_encoder import (
    EXAMPLES,
    MOVED,
    N_NUMBERS,
    PRONOUN,
    RULES,
    YARDSTICKS,
    distances,
    every_order,
    map_changes,
    offset_weights,
    parameters,
    windows,
)

pytestmark = pytest.mark.skipif(why_missing() is not None, reason=why_missing() or "")

STORED = read_record("trained_encoder.json")
ALICE = stored("alice.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def model() -> Pretrained:
    return load()


@pytest.mark.parametrize("rule", RULES)
def test_the_pairs_of_a_rule_have_one_multiset_of_tokens(model: Pretrained, rule: str) -> None:
    pairs = RULES[rule]
    assert len({frozenset(pair) for pair in pairs}) == len(pairs) >= 40
    for one, other in zip(*(tokenize([pair[side] for pair in pairs], model).ids for side in (0, 1)), strict=True):
        assert not np.array_equal(one, other)
        np.testing.assert_array_equal(np.sort(one), np.sort(other))


def test_distances_are_those_of_the_sentences_alone(model: Pretrained) -> None:
    for pair, distance in zip(EXAMPLES[:3], distances(EXAMPLES[:3], model), strict=True):
        one, other = (states(tokenize(text, model), model)[-1].hidden[0].mean(axis=0) for text in pair)
        cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
        assert distance == pytest.approx(1 - cosine, abs=1e-5)
    without = distances([*RULES["question"][:4], EXAMPLES[1]], model, positions=False)
    assert (abs(without[:4]) < 1e-5).all() and without[4] > 0.1


def test_stored_distances_are_those_of_the_model(model: Pretrained) -> None:
    record = STORED["pairs"]
    assert [tuple(pair) for pair in record["examples"]] == list(EXAMPLES)
    every = RULES | YARDSTICKS
    for table, positions in (("as trained", True), ("left out", False)):
        assert {name: len(found) for name, found in record[table].items() if name != "examples"} == {
            name: len(pairs) for name, pairs in every.items()
        }
        for name, pairs in every.items():
            np.testing.assert_allclose(
                record[table][name][::20], distances(pairs[::20], model, positions=positions), atol=1e-5
            )
        np.testing.assert_allclose(
            record[table]["examples"], distances(EXAMPLES, model, positions=positions), atol=1e-5
        )


def test_stored_parameters_are_those_of_the_model(model: Pretrained) -> None:
    record = STORED["parameters"]
    assert record["room"] == plain(parameters()["room"], 6)
    norms = record["bias_norms"]
    for layer, head in ((0, 3), (5, 11)):
        w = model.model.parameters.blocks[layer].attention
        for side, bias in (("query", w.b_query), ("key", w.b_key)):
            expected = (bias[32 * head : 32 * head + 32] ** 2).sum() ** 0.5
            assert norms[side][layer][head] == pytest.approx(expected, rel=1e-4)


def test_offset_weights_are_means_of_diagonals(model: Pretrained) -> None:
    tokens = windows(ALICE, model, 9, 10)  # more than one batch
    result = offset_weights(tokens, model, [-2, 0, 3])
    weights = states(tokens, model)[4].weights[:, 7, 1:-1, 1:-1]  # (text, query, key)
    for column, offset in enumerate((-2, 0, 3)):
        rows = [i for i in range(9) if 0 <= i + offset < 9]
        expected = np.mean([weights[:, i, i + offset] for i in rows])
        assert result[4, 7, column] == pytest.approx(expected, abs=1e-6)


def test_the_stored_map_is_the_models(model: Pretrained) -> None:
    about = read_record("pronoun_attention.json")
    with np.load(stored("pronoun_attention.npz")) as maps:
        result = attention(PRONOUN, model)
        assert (about["sentence"], about["words"]) == (PRONOUN, result.words) and maps.files == ["tired"]
        assert maps["tired"].shape == (6, 12, 16, 16)
        assert (maps["tired"].sum(axis=-1, dtype=int) == 255).all()
        np.testing.assert_allclose(maps["tired"] / 255, result.weights, atol=1 / 255)


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
    assert read_record("map_changes.json")["without_table"] < 1e-12


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
    about = read_record("every_order.json")
    assert about["heads"] == found.heads and about["sentence"] == MOVED
    np.testing.assert_allclose(about["least_change"], found.least_change, rtol=1e-3)
    with np.load(stored("every_order.npz")) as arrays:
        np.testing.assert_allclose(arrays["weights"] / 255, found.weights, atol=0.5 / 255 + 1e-9)
        np.testing.assert_allclose(arrays["rows"] * about["step"], found.rows, atol=0.5 * about["step"] + 1e-7)
        np.testing.assert_array_equal(arrays["since"], found.since)


def test_words_of_several_tokens_cannot_be_moved(model: Pretrained) -> None:
    with pytest.raises(ValueError, match="one token each"):
        map_changes("unbelievably so", model, np.array([[0, 1]]))
    with pytest.raises(ValueError, match="each of 0 to 1 once"):
        map_changes("dog bites", model, np.array([[0, 0]]))
