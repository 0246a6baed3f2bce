"""The exercises, the live figures and the stored changes on texts longer than those of training."""

import json

import numpy as np
import pytest

from chapter_tests import ChapterTests
from inorder.book.checks import longer_than_trained as checks
from inorder.book.figures import longer_than_trained as figures
from inorder.lab import longer_than_trained as changes
from inorder.lab.runs import Setting, train_model
from inorder.stored import stored

DRAWN = {"accuracy_by_row": figures.accuracy_by_row}


class TestChapter(ChapterTests):
    checks, figures, drawn = checks, figures, DRAWN


def told(display):
    return display[-1].parts


def test_what_is_new_where_the_numbers_run_on():
    for scheme in figures.NUMBERS:
        assert told(figures.what_is_new(scheme, 20))["sign"] == "="
        assert told(figures.what_is_new(scheme, 60))["sign"] == "≠"
    level = {
        scheme for scheme in figures.NUMBERS if "No number is new" in told(figures.what_is_new(scheme, 60))["words"]
    }
    assert level == {"T5, reach 16", "Shaw, reach 16"}
    assert "up to 4 words, and now for up to 44" in told(figures.what_is_new("Shaw, reach 16", 60))["words"]
    assert told(figures.what_is_new("learned table", 50))["words"].startswith("30 rows")
    assert "0.017" in told(figures.what_is_new("number i/(n − 1)", 60))["words"]  # 1/59


@pytest.mark.parametrize("words", [5, 20, 21, 60])
def test_the_hands_turn_by_the_distance_from_the_first_word_to_the_last(words):
    display = figures.clock_faces(words)
    tips = next(layer for layer in display[0].parts["layers"] if layer["kind"] == "arrows")
    turned = (tips["xy"] - tips["tails"])[:, ::-1] @ [1, 1j]
    np.testing.assert_allclose(turned, np.exp(1j * np.array([1, 0.1, 0.01, 0.001]) * (words - 1)), atol=1e-12)
    assert told(display)["sign"] == ("=" if words <= 20 else "≠")


def test_the_second_hand_comes_round_to_the_rays_of_the_left_side():
    for words, is_round in ((44, False), (45, True), (60, True)):  # 44 · 0.1 + 19 · 0.1 is more than a turn
        assert ("ω = 0.1 has come round" in told(figures.clock_faces(words))["words"]) == is_round
        assert ("on the other side" in told(figures.what_is_new("rotary", words))["words"]) == is_round


def test_hands_from_the_twentieth_on_never_complete_a_turn():
    turns = figures.REMEDIES["as trained"].omega * 8192 / (2 * np.pi)
    assert turns[19] > 1 > turns[20]


def test_each_remedy_brings_the_hands_back_that_it_promises():
    lines = {remedy: figures.slower_hands(remedy)[0].parts["layers"][0]["y"][0] for remedy in figures.REMEDIES}
    np.testing.assert_allclose(lines["as trained"], 12_287 / 8191)
    np.testing.assert_allclose(lines["interpolated"], 1, atol=1e-4)
    assert lines["NTK-aware"][0] > 1.49 and lines["NTK-aware"][-1] < 1.001 and (np.diff(lines["NTK-aware"]) < 0).all()
    assert lines["YaRN"][0] > 1.49 and lines["YaRN"][20:].max() < 1.001
    np.testing.assert_allclose(lines["window"], 1)
    assert lines["half the text"].max() < 1


def test_losses_are_means_of_the_stored_blocks():
    blocks = json.loads(stored("longer_decoder.json").read_text(encoding="utf8"))["alice/trained"]
    assert figures.losses("alice", "trained")[-1] == pytest.approx(np.mean(blocks[-4:]))
    assert "2.78, and 3.55 as trained" in told(figures.slower_hands("YaRN"))["words"]


def test_what_is_new_measures_in_units_of_training():
    plane = figures.what_is_new("number i/63", 60)[0].parts
    whole, trained = (layer["y"][0] for layer in plane["layers"])
    np.testing.assert_allclose(trained, np.arange(20) / 19)
    np.testing.assert_allclose(whole, np.arange(60) / 19)


@pytest.mark.parametrize("slope", [0.0, 1 / 64, 1 / 4])
@pytest.mark.parametrize("lead", [0.0, 2.5])
def test_share_of_the_best_is_a_softmax(lead, slope):
    lengths = np.array([4, 7, 33])
    result = figures.share_of_the_best(lengths, lead, slope)
    for n, share in zip(lengths, result, strict=True):
        scores = np.exp(-slope * np.arange(n) + lead * (np.arange(n) == 3))
        assert share == pytest.approx(scores[3] / scores.sum())


def test_more_keys_says_what_the_crowd_takes():
    display = figures.more_keys(np.log(19), "0", 60)
    assert told(display) == {"words": "With 20 words the best key gets 0.50, with 60 it gets 0.24.", "sign": "≠"}
    assert told(figures.more_keys(8, "1/4", 200))["sign"] == "="


def test_stored_runs_hold_every_scheme_task_and_length():
    result = figures.runs()
    assert len(figures.labels()) == 12
    for task in figures.TASKS:
        for scheme in figures.labels():
            for length in figures.LENGTHS:
                assert len(figures.accuracies(task, scheme, length)) >= 1
    assert result["accuracy"].between(0, 1).all()


def test_no_positions_stay_at_the_floor_of_which_first():
    for length in figures.LENGTHS:
        assert set(figures.accuracies("which-first", "none", length)) == {0.5}
        assert set(figures.accuracies("which-first", "alibi", length)) == {0.5}


@pytest.mark.parametrize("task", figures.TASKS)
def test_bars_are_the_stored_means(task):
    bars, answer = figures.who_still_stands(task, 60)
    means = [figures.accuracies(task, scheme, 60).mean() for scheme in figures.labels()]
    np.testing.assert_allclose(bars.parts["values"][0], means)
    assert bars.parts["reference"] == figures.bound(task, 60)
    assert f"{sum(mean > 0.95 for mean in means)} of {len(means)}" in answer.parts["words"]


def test_curves_by_length_are_the_stored_means():
    plane = figures.by_length("t5")[0].parts["layers"][0]
    assert list(plane["labels"]) == list(figures.TASKS)
    expected = [[figures.accuracies(task, "t5", n).mean() for n in figures.LENGTHS] for task in figures.TASKS]
    np.testing.assert_allclose(plane["y"], expected)


@pytest.mark.parametrize("change", figures.CAUSES)
def test_every_change_is_stored_with_what_it_changes(change):
    model, how = figures.CAUSES[change]
    assert figures.record()[model][how].shape == figures.record()[model]["as it is"].shape == (5, len(figures.LENGTHS))
    plane, answer = figures.taken_away(change)
    before, after = plane.parts["layers"][0]["y"]
    lost, regained = before[1] - before[-1], after[-1] - before[-1]
    assert (answer.parts["sign"] == "✓") == (lost > 0 and regained / max(lost, 1e-9) > 0.5)


def test_a_gain_that_leaves_most_of_the_loss_is_no_cause_taken_away():
    _, answer = figures.taken_away("copy-left, learned table: close the window")
    assert answer.parts == answer.parts | {"sign": "×"} and "0.39 as it is, 0.43 changed" in answer.parts["words"]


def test_stored_changes_say_who_made_them():
    result = json.loads(stored("longer_than_trained.json").read_text(encoding="utf8"))
    assert result["provenance"]["made_by"] == "python -m inorder.lab.longer_than_trained"
    assert result["lengths"] == list(figures.LENGTHS)


def test_other_right_ways_are_accepted():
    assert checks.mean_rank(lambda a: (a[None] >= a[:, None]).sum(axis=1).mean(axis=1)).passed
    assert checks.lead_for(lambda w, n: -np.log((1 / w - 1) / (n - 1))).passed

    def with_a_loop(buckets, met):
        rows = []
        for row, used in zip(buckets, met, strict=True):
            rows.append(row if used else rows[-1])
        return np.array(rows)

    assert checks.filled(with_a_loop).passed
    assert checks.squeezed(lambda n, longest: np.floor(np.arange(n) * min(1, longest / n) + 1e-9)).passed


@pytest.mark.parametrize(
    ("check", "student", "mistake"),
    [
        (checks.squeezed, lambda n, longest: np.arange(n) % longest, "begins again from 0"),
        (checks.squeezed, lambda n, longest: np.zeros(n), None),
        (checks.lead_for, lambda w, n: np.log(n * w / (1 - w)), "counts the best key among its rivals"),
        (checks.filled, lambda b, met: b * met[:, None], "puts zeros there"),
        (checks.mean_rank, lambda a: a.mean(axis=1), None),
    ],
)
def test_wrong_ways_are_told_apart(check, student, mistake):
    verdict = check(student)
    assert not verdict.passed
    assert mistake is None or verdict.mistake.says == mistake


def test_with_both_reasons_taken_away_t5_is_nearly_always_right():
    model = changes.filled(train_model(Setting("copy-left", "t5", seed=0)))
    assert changes.right(model, "copy-left", 60) < 0.85
    assert changes.right(model, "copy-left", 60, mask=changes.thinned) > 0.95
