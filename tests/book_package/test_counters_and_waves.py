"""The exercises and the figures on counters and waves."""

import numpy as np
import pytest

from inorder.book.checks import counters_and_waves as checks
from inorder.book.figures import counters_and_waves as figures
from inorder.encodings import frequencies, shift_matrix


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


@pytest.mark.parametrize("shift", [-4, 0, 1, 6])
@pytest.mark.parametrize("position", [0, 13])
def test_the_hand_is_turned_to_the_place_by_the_matrix_of_the_encoding(position, shift):
    for speed, omega in figures.SPEEDS.items():
        dial, grid, answer = figures.turn_a_hand(position, shift, speed)
        angles = [hand["angles"][0] for hand in dial.parts["hands"]]
        np.testing.assert_allclose(angles, [omega * position, omega * (position + shift)], atol=1e-12)
        before, after = np.stack([np.sin(angles), np.cos(angles)], axis=1)
        np.testing.assert_allclose(before @ grid.parts["values"], after, atol=1e-12)
        assert answer.parts["sign"] == "✓"
    np.testing.assert_allclose(
        figures.turn_a_hand(position, shift)[1].parts["values"], shift_matrix(shift, 2), atol=1e-12
    )


def test_other_right_ways_are_accepted():
    assert checks.wavelengths(lambda d, base: 2 * np.pi / frequencies(d, base=base)).passed
    assert checks.wavelengths(lambda d, base: [2 * np.pi * base ** (2 * j / d) for j in range(d // 2)]).passed
    assert checks.shifted(lambda rows, k, base: rows @ shift_matrix(k, rows.shape[1], base=base)).passed
