"""Types are checked where no browser runs: of the package's functions, and of those that are made at each call."""

import jaxtyping
import numpy as np
import pytest
from jaxtyping import Float

from inorder._arrays import Array
from inorder.attention import softmax
from type_checker import CHECKED, jaxtyped, type_checker


def first_row(kind, default=1.0):
    @jaxtyped(typechecker=type_checker)
    def inner(x: kind, scale: float = default) -> Float[Array, " n"]:
        return scale * x[0] if scale else x

    return inner


def test_a_function_of_the_package_is_checked():
    with pytest.raises(jaxtyping.TypeCheckError, match="softmax"):
        softmax("no array")


def test_an_inner_function_is_checked_whenever_it_is_called():
    pair, rows = np.ones((1, 2)), Float[Array, "m n"]
    made = []
    for _ in range(2):
        np.testing.assert_array_equal(first_row(rows)(pair, 3.0), [3, 3])
        with pytest.raises(jaxtyping.TypeCheckError, match="parameters"):
            first_row(rows)(pair[0])
        with pytest.raises(jaxtyping.TypeCheckError, match="return value"):
            first_row(rows)(pair, 0.0)
        made.append(len(CHECKED))
    assert made[0] == made[1], "each check is made once"
