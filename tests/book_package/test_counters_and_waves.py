"""The exercises and the live figures on counters and waves."""

import numpy as np
import pytest

from chapter_tests import ChapterTests
from inorder.book.checks import counters_and_waves as checks
from inorder.book.figures import counters_and_waves as figures
from inorder.encodings import frequencies, scalar_encoding, shift_matrix, sinusoidal_encoding


class TestChapter(ChapterTests):
    figures, drawn = figures, {}


def answer(display):
    return display[-1].parts


@pytest.mark.parametrize("steps", range(-4, 5))
def test_the_wall_turns_by_the_same_angles_at_any_position_and_counts_in_binary(steps):
    turned, changed = [], []
    for position in range(4, 60):
        clocks, answer = figures.wall_of_clocks(position, steps)
        hands, wheels = clocks.parts["hands"], clocks.parts["wheels"]
        turned.append(hands[1]["angles"] - hands[0]["angles"])
        digits = [format(i, "06b") for i in (position, position + steps)]
        shown = ["".join(str(int(count) % 2) for count in wheel["counts"]) for wheel in wheels]
        assert shown == digits
        for hand, written in zip(hands, digits, strict=True):
            assert ["1" if np.sin(angle) < 0 else "0" for angle in hand["angles"]] == list(written), (
                "the left half is 1"
            )
        n_changed = sum(a != b for a, b in zip(*digits, strict=True))
        changed.append(n_changed)
        words = answer.parts["words"]
        assert (f"{n_changed} of the 6 digits" in words) if steps else "no digit" in words
        assert (figures.TEXT.split()[position], int(hands[1]["place"][0])) == (
            clocks.parts["text"][position],
            position + steps,
        )
    np.testing.assert_allclose(turned, np.tile(steps * np.pi / 2.0 ** np.arange(6)[::-1], (56, 1)), atol=1e-12)
    assert steps == 0 or len(set(changed)) > 1


def test_the_clocks_of_the_wall_are_those_of_an_encoding():
    """Up to the half step at the start: each frequency half of the one before it, as with base 2^(d/2)."""
    speeds = figures.OCTAVES[::-1]
    np.testing.assert_allclose(speeds / speeds[0], frequencies(12, base=2.0**6))
    assert len(figures.TEXT.split()) == 64


@pytest.mark.parametrize("shift", [-4, 0, 1, 6])
@pytest.mark.parametrize("position", [0, 13])
def test_the_hand_is_turned_to_the_place_by_the_matrix_of_the_encoding(position, shift):
    for speed, omega in figures.SPEEDS.items():
        dial, grid, answer = figures.turn_a_hand(position, shift, speed)
        before, after = (layer["xy"][0] for layer in dial.parts["layers"][1:])
        hands = np.array([[np.sin(omega * p), np.cos(omega * p)] for p in (position, position + shift)])
        np.testing.assert_allclose([before, after], hands, atol=1e-12)
        np.testing.assert_allclose(before @ grid.parts["values"], after, atol=1e-12)
        assert answer.parts["sign"] == "✓"
    np.testing.assert_allclose(
        figures.turn_a_hand(position, shift)[1].parts["values"], shift_matrix(shift, 2), atol=1e-12
    )


@pytest.mark.parametrize(("base", "words"), [(1, 64), (100, 16), (10_000, 4096)])
def test_hands_that_move_are_those_that_make_a_quarter_turn(base, words):
    message = answer(figures.hands_that_move(base, words))["words"]
    last = sinusoidal_encoding(np.arange(words), 64, base=float(base))
    angles = np.unwrap(np.arctan2(last[:, ::2], last[:, 1::2]), axis=0)[-1]  # how far each hand has turned
    assert message.startswith(f"{(angles >= np.pi / 2 - 1e-9).sum()} of 32 hands")


@pytest.mark.parametrize("position", [25, 120])
def test_the_curve_stays_where_the_matrix_turns_hands_and_not_elsewhere(position):
    signs = {matrix: answer(figures.score_by_distance(matrix, position))["sign"] for matrix in figures.MATRICES}
    assert signs == {"none": "=", "turn by 3": "=", "sines only": "≠", "random": "≠"}
    curve = figures.score_by_distance("none", position)[0].parts["layers"][0]["y"][1]
    expected = np.cos(np.arange(-20, 21)[:, None] * frequencies(32)).sum(axis=1)
    np.testing.assert_allclose(curve, expected)


def test_blocks_commute_with_the_shift_and_scores_through_them_see_distances():
    w = figures.random_blocks(np.random.default_rng(0), 6)
    turn = shift_matrix(1, 6)
    np.testing.assert_allclose(w @ turn, turn @ w, atol=1e-12)
    p = sinusoidal_encoding(np.arange(11), 6)
    assert figures.variation(p @ w @ p.T) < 1e-12
    assert figures.variation(np.arange(12.0).reshape(3, 4)[:, :3]) == pytest.approx(1.0)  # 0, 5, 10 on the diagonal


def test_what_can_be_shifted_and_what_finds_itself():
    waves = sinusoidal_encoding(np.arange(40), 8)
    assert figures.shift_residual(waves) < 1e-12 and figures.finds_itself(waves) == 1
    assert figures.shift_residual(waves[:, ::2]) > 0.01
    number = scalar_encoding(np.arange(40), 40)
    assert figures.shift_residual(number) < 1e-12 and figures.finds_itself(number) == 1 / 40


def test_other_right_ways_are_accepted():
    def by_dirichlet(n, d_model, base):
        omega = frequencies(d_model, base=base)
        return 1 - (np.sin(n * omega / 2) / (n * np.sin(omega / 2))) ** 2

    def by_numpy(n, d_model, base):
        encoding = sinusoidal_encoding(np.arange(n), d_model, base=base)
        return encoding.var(axis=0).reshape(-1, 2).sum(axis=1)

    assert checks.wavelengths(lambda d, base: 2 * np.pi / frequencies(d, base=base)).passed
    assert checks.wavelengths(lambda d, base: [2 * np.pi * base ** (2 * j / d) for j in range(d // 2)]).passed
    assert checks.shifted(lambda rows, k, base: rows @ shift_matrix(k, rows.shape[1], base=base)).passed
    assert checks.pair_variance(by_dirichlet).passed
    assert checks.pair_variance(by_numpy).passed


@pytest.mark.parametrize(
    ("check", "student", "mistake"),
    [
        (checks.wavelengths, lambda d, base: frequencies(d, base=base), "gives the frequencies"),
        (checks.wavelengths, lambda d, base: 1 / frequencies(d, base=base), "forgets the 2π"),
        (checks.wavelengths, lambda d, base: 2 * np.pi / frequencies(d), "takes 10,000 whatever the base"),
        (checks.wavelengths, lambda d, base: 2 * np.pi / frequencies(d, base=base)[::-1], None),
        (
            checks.shifted,
            lambda rows, k, base: rows @ shift_matrix(k, rows.shape[1], base=base).T,
            "turns the hands the wrong way",
        ),
        (
            checks.shifted,
            lambda rows, k, base: rows @ shift_matrix(k, rows.shape[1], base=base, layout="halves"),
            "treats the columns as halves",
        ),
        (checks.shifted, lambda rows, k, base: rows, None),
        (checks.pair_variance, lambda n, d, base: np.ones(d // 2), "does not subtract the mean"),
        (
            checks.pair_variance,
            lambda n, d, base: sinusoidal_encoding(np.arange(n), d, base=base).var(axis=0)[::2],
            "looks at the sine alone",
        ),
    ],
)
def test_wrong_ways_are_told_apart(check, student, mistake):
    verdict = check(student)
    assert not verdict.passed
    assert mistake is None or verdict.mistake.says == mistake


def test_a_turn_in_w_finds_the_same_offset_from_every_position():
    for position in range(12):
        for offset in range(-4, 5):
            bars, last = figures.head_with_a_turn(position, offset)
            exists = 0 <= position + offset < 12
            assert (last.parts["sign"] == "✓") == exists
            assert not exists or bars.parts["values"][0].argmax() == position + offset
