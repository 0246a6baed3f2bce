"""A gap in the positions: the changed rotations are what they say, and the record is of the models that it names."""

import json

import numpy as np
import pytest

from inorder.encodings import frequencies, relative_positions, rotary_encoding
from inorder.lab import across_a_gap as gaps
from inorder.lab import longer_than_trained as changes
from inorder.lab.runs import Setting, train_model
from inorder.lab.tasks import TASKS
from inorder.stored import stored
from inorder.transformer import Model, Rotary, ScaledRotary, encode, fresh_model

STORED = json.loads(stored(gaps.RESULTS).read_text(encoding="utf8"))
EVERY = (0, 1, 2, 3)  # the frequencies of a head of eight columns
ROTARY = [Rotary(), Rotary(300.0, "halves")]


def fresh(position, seed: int = 0) -> Model:
    task = TASKS["which-first"]
    sizes = {"d_model": 16, "n_heads": 2, "d_ff": 8, "n_layers": 1, "n_outputs": task.n_outputs}
    return fresh_model(seed, vocabulary_size=task.n_tokens, position=position, **sizes)


def outputs(model: Model, position, places):
    tokens = np.random.default_rng(0).integers(10, size=(3, len(places)))
    return encode(tokens, *changes.with_position(model, position), positions=places)


@pytest.mark.parametrize("rope", ROTARY)
def test_with_every_frequency_moved_or_none_it_is_rope_with_the_gap_or_without(rope):
    model, n = fresh(rope), gaps.TRAINED
    places = gaps.gap_positions(n, gaps.GAP)
    for moved, expected in ((EVERY, places), ((), np.arange(n))):
        partly = gaps.PartlyMovedRotary(rope.base, rope.pairing, moved=moved)
        np.testing.assert_allclose(outputs(model, partly, places), outputs(model, rope, expected), atol=1e-12)


def test_only_the_frequency_that_moves_turns_by_the_gap():
    x, places = np.random.default_rng(1).normal(size=(2, 20, 8)), gaps.gap_positions(20, gaps.GAP)
    turned = gaps.PartlyMovedRotary(moved=(2,)).rotate(x, places, {})
    far, near = (rotary_encoding(x, each) for each in (places, np.arange(20)))
    np.testing.assert_allclose(turned[..., 4:6], far[..., 4:6])
    np.testing.assert_allclose(np.delete(turned, (4, 5), axis=-1), np.delete(near, (4, 5), axis=-1))


@pytest.mark.parametrize("rope", ROTARY)
def test_with_every_frequency_slowed_positions_are_interpolated(rope):
    model = fresh(rope)
    slow = gaps.PartlySlowedRotary(rope.base, rope.pairing, slowed=EVERY, factor=3.0)
    np.testing.assert_allclose(outputs(model, slow, 3 * np.arange(7)), outputs(model, rope, np.arange(7)), atol=1e-12)
    none = gaps.PartlySlowedRotary(rope.base, rope.pairing)
    np.testing.assert_allclose(outputs(model, none, np.arange(7)), outputs(model, rope, np.arange(7)), atol=1e-12)


@pytest.mark.parametrize("rope", ROTARY)
def test_shifted_by_the_gap_at_every_distance_it_is_rope_across_the_gap(rope):
    model, words, places = fresh(rope), np.arange(12), gaps.gap_positions(12, 7)
    shift = relative_positions(places, places) - relative_positions(words, words)
    expected = outputs(model, rope, places)
    for each in (shift, np.broadcast_to(shift, (3, 12, 12))):  # for all texts, and for each of three
        shifted = gaps.ShiftedRotary(rope.base, rope.pairing, shift=each)
        np.testing.assert_allclose(outputs(model, shifted, words), expected, atol=1e-12)
    assert not np.allclose(outputs(model, rope, words), expected)
    plain = gaps.ShiftedRotary(rope.base, rope.pairing)
    np.testing.assert_allclose(outputs(model, plain, words), outputs(model, rope, words), atol=1e-12)


def test_a_shift_moves_the_score_of_its_query_and_key_alone():
    query, key = np.random.default_rng(2).normal(size=(2, 1, 2, 5, 8))
    shift = np.zeros((5, 5))
    shift[1, 3] = 4
    before, after = (
        gaps.ShiftedRotary(shift=each).bias(query, key, np.arange(5), np.arange(5), {}) for each in (0, shift)
    )
    changed = ~np.isclose(before, after)
    assert changed[:, :, 1, 3].all() and changed.sum() == 2
    turned = rotary_encoding(key, np.array([0, 1, 2, 7, 4])) @ rotary_encoding(query, np.arange(5))[..., 1, :, None]
    plain = key[..., 3, :] * query[..., 1, :]
    np.testing.assert_allclose(after[..., 1, 3], (turned[..., 3, 0] - plain.sum(axis=-1)) / np.sqrt(8))


def test_a_gap_comes_after_the_words_on_its_left():
    np.testing.assert_array_equal(np.diff(gaps.gap_positions(20, 40)), [1] * 9 + [41] + [1] * 9)
    np.testing.assert_array_equal(np.diff(gaps.gap_positions(20, 3, left=5)), [1] * 4 + [4] + [1] * 14)
    with pytest.raises(ValueError, match="n"):
        gaps.gap_positions(0, 3)


def test_answers_are_those_of_the_accuracy_and_words_those_of_the_texts():
    model = fresh("rotary")
    found = gaps.pair_answers(model, gaps.gap_positions(12, 5))
    same = changes.right(model, "which-first", 12, places=lambda n: gaps.gap_positions(n, 5))
    assert found.is_right.mean() == pytest.approx(same)
    texts = TASKS["which-first"].draw_test(np.random.default_rng(12), changes.N_SEQUENCES, 12)
    every = np.arange(changes.N_SEQUENCES)
    assert (texts.tokens.numpy()[every, found.a] == 8).all() and (texts.tokens.numpy()[every, found.b] == 9).all()
    np.testing.assert_array_equal(texts.targets.numpy()[:, 0] == 1, found.a < found.b)
    by_loop = [(a < 4) != (b < 4) for a, b in zip(found.a, found.b, strict=True)]
    np.testing.assert_array_equal(found.are_across(4), by_loop)
    assert gaps.share_across_gap(model, 12, 5) == pytest.approx(found.is_right[found.are_across(6)].mean())
    with pytest.raises(ValueError, match="expected a gap inside a text of 12 words, got one after word 12"):
        gaps.share_across_gap(model, 12, 5, left=12)


def test_the_gap_is_interpolated_where_the_share_falls_below_half(monkeypatch):
    shares = {0: 1.0, 1: 0.9, 2: 0.7, 4: 0.3, 5: 0.8}
    monkeypatch.setattr(gaps, "share_across_gap", lambda model, n, gap, left: shares[gap])
    model = fresh("rotary")
    assert gaps.tipping_gap(model, 20, gaps=shares) == pytest.approx(3)
    with pytest.raises(ValueError, match=r"expected half of the pairs right at the first gap, got 0\.30 at 4"):
        gaps.tipping_gap(model, 20, gaps=[4, 5])
    with pytest.raises(ValueError, match=r"fewer than half of the pairs are right, got none up to \(2, 0.7\)"):
        gaps.tipping_gap(model, 20, gaps=[0, 2])


def test_distances_to_the_pair_lead_from_other_words():
    groups = gaps.distance_groups(np.array([1, 0]), np.array([3, 2]), 5)
    for text, pair in enumerate(({1, 3}, {0, 2})):
        for query in range(5):
            for key in range(5):
                within, to = query in pair and key in pair, query not in pair and key in pair
                expected = {"all": True, "of the pair": within, "to the pair": to}
                expected |= {"all but of the pair": not within, "all but to the pair": not to}
                assert {name: which[text, query, key] for name, which in groups.items()} == expected


@pytest.mark.parametrize("position", ["t5", ScaledRotary()])
def test_only_plain_rotations_have_frequencies_to_change(position):
    model = fresh(position)
    expected = f"expected a model with plain rotary positions, got {type(model.config.scheme).__name__}"
    for measure in (gaps.measure_distances, lambda model: gaps.measure_frequencies(model, "which-first")):
        with pytest.raises(ValueError, match=expected):
            measure(model)


def test_a_model_of_any_base_will_do(monkeypatch):
    monkeypatch.setattr(gaps, "N_SEQUENCES", 40)
    for position in ("rotary", Rotary(300.0)):
        model = fresh(position)
        results = gaps.measure_frequencies(model, "which-first", chosen=0) | gaps.measure_distances(model)
        assert all(0 <= result <= 1 for result in results.values())


def test_what_is_stored_is_what_training_finds():
    """One model of the record, trained again; rounding may differ elsewhere, hence the tolerances."""
    seed = 0
    model = train_model(Setting("which-first", "rotary", seed))
    of_frequencies = STORED["frequencies"]["results"]["tasks"]["which-first"]
    for name, result in (gaps.measure_frequencies(model, "which-first") | gaps.measure_pairs(model)).items():
        assert result == pytest.approx(of_frequencies[name][seed], abs=0.05), name
    for name, result in gaps.measure_distances(model).items():
        assert result == pytest.approx(STORED["distances"]["results"][name][seed], abs=0.05), name
    record = STORED["tipping"]["results"][0]
    near = range(int(record["half a turn"]) - 3, int(record["half a turn"]) + 5)
    result = gaps.tipping_gap(model, record["words"], record["before the gap"], gaps=near)
    assert result == pytest.approx(record["gap"][seed], abs=0.5)


def test_the_record_names_its_models_and_its_command():
    assert list(STORED) == list(gaps.PARTS)
    for part in STORED.values():
        assert part["provenance"]["made_by"] == "python -m inorder.lab.across_a_gap" and part["provenance"]["date"]
    halved = [each for each in STORED["tipping"]["results"] if 2 * each["before the gap"] == each["words"]]
    assert {each["base"]: tuple(each["seeds"]) for each in halved} == gaps.BASES
    for each in STORED["tipping"]["results"]:
        omega = frequencies(8, base=each["base"])[gaps.SECOND]
        assert each["half a turn"] == pytest.approx(gaps.half_turn_gap(omega, each["words"]), abs=0.005)
        assert len(each["gap"]) == len(each["seeds"])
