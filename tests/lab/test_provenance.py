"""Where a record comes from."""

import numpy as np

from inorder.lab.provenance import processor, provenance
from inorder.lab.schemes import STEP, in_digits


def test_a_record_says_what_is_known():
    made = provenance("make it", ["numpy"], seeds=[0, 1], seconds=3)
    assert made["versions"].keys() == {"python", "numpy"} and np.__version__.startswith(made["versions"]["numpy"])
    assert made["processor"] == processor(with_torch=False) and "torch" not in made["processor"]
    assert (made["made_by"], made["seeds"], made["seconds"]) == ("make it", [0, 1], 3)


def test_digits_are_those_of_the_numbers_and_not_of_their_rounding():
    rng = np.random.default_rng(0)
    round_numbers = np.arange(-2000, 2000)[:, None] / np.array([1, 2, 3, 10, 64, 128, 10_000])
    for numbers in (round_numbers, np.log1p(np.arange(64)), np.array([[-np.inf, 0.0]])):
        noisy = numbers * (1 + 1e-15 * rng.normal(size=numbers.shape)) + 1e-16
        assert in_digits({"bias": numbers}) == in_digits({"bias": noisy})
        assert in_digits({"bias": numbers}) != in_digits({"bias": numbers + 3 * STEP * (numbers == numbers.max())})
        assert in_digits({"bias": numbers}) != in_digits({"embed": numbers})
    assert in_digits({"bias": np.zeros((2, 3))}) != in_digits({"bias": np.zeros((3, 2))})
