"""The exercises and the live figures on texts longer than those of training."""

import numpy as np
import pytest

from chapter_tests import ChapterTests
from inorder.book.checks import longer_than_trained as checks
from inorder.book.figures import longer_than_trained as figures
from inorder.stored import read_record


class TestChapter(ChapterTests):
    figures, drawn = figures, {}


def told(display):
    return display[-1].parts


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


def test_hands_from_the_twentieth_on_never_complete_a_turn():
    turns = figures.REMEDIES["as trained"].omega * 8192 / (2 * np.pi)
    assert turns[19] > 1 > turns[20]


def test_each_remedy_brings_the_hands_back_that_it_promises():
    lines = {remedy: figures.slower_hands(remedy)[0].parts["layers"][0]["y"][0] for remedy in figures.REMEDIES}
    np.testing.assert_allclose(lines["as trained"], 12_287 / 8191)
    np.testing.assert_allclose(lines["interpolated"], 1, atol=1e-4)
    assert lines["NTK-aware"][0] > 1.49 and lines["NTK-aware"][-1] < 1.001 and (np.diff(lines["NTK-aware"]) < 0).all()
    assert lines["YaRN"][0] > 1.49 and lines["YaRN"][20:].max() < 1.001
    assert lines["half the text"].max() < 1


def test_losses_are_means_of_the_stored_blocks():
    blocks = read_record("longer_decoder.json")["alice/trained"]
    assert figures.losses("alice", "trained")[-1] == pytest.approx(np.mean(blocks[-4:]))
    assert "2.78, and 3.55 as trained" in told(figures.slower_hands("YaRN"))["words"]


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
    assert bars.parts["reference"] == figures.floor(task, 60)
    assert f"{sum(mean > 0.95 for mean in means)} of {len(means)}" in answer.parts["words"]


def test_other_right_ways_are_accepted():
    assert checks.mean_rank(lambda a: (a[None] >= a[:, None]).sum(axis=1).mean(axis=1)).passed
    assert checks.lead_for(lambda w, n: -np.log((1 / w - 1) / (n - 1))).passed
    assert checks.squeezed(lambda n, longest: np.floor(np.arange(n) * min(1, longest / n) + 1e-9)).passed


@pytest.mark.parametrize(
    ("check", "student", "mistake"),
    [
        (checks.squeezed, lambda n, longest: np.arange(n) % longest, "begins again from 0"),
        (checks.squeezed, lambda n, longest: np.zeros(n), None),
        (checks.lead_for, lambda w, n: np.log(n * w / (1 - w)), "counts the best key among its rivals"),
        (checks.mean_rank, lambda a: a.mean(axis=1), None),
    ],
)
def test_wrong_ways_are_told_apart(check, student, mistake):
    verdict = check(student)
    assert not verdict.passed
    assert mistake is None or verdict.mistake.says == mistake
