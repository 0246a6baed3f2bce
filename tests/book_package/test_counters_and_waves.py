"""The exercises and the figures on counters and waves."""

import numpy as np
import pytest

from inorder.book.figures import counters_and_waves as figures


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
