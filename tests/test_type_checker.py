"""Types are checked where no browser runs: of the package's functions, and of those that are made anew at each call."""

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


def test_an_inner_function_stays_as_it_is_where_types_are_not_checked_or_name_no_shape(types_unchecked):
    def with_shape(x: list[Float[Array, " n"]] | None) -> None:
        pass

    def without(x: int) -> Array:
        return np.ones(x)

    assert jaxtyping.jaxtyped is jaxtyped
    decorate = jaxtyping.jaxtyped(typechecker=type_checker)
    assert decorate(with_shape) is with_shape
    jaxtyping.config.update("jaxtyping_disable", False)
    assert decorate(with_shape) is not with_shape
    assert decorate(without) is without


def test_another_annotation_or_default_has_a_check_of_its_own():
    assert first_row(Float[Array, "m n"])(np.ones((1, 2))).shape == (2,)
    with pytest.raises(jaxtyping.TypeCheckError):
        first_row(Float[Array, "m 3"])(np.ones((1, 2)))
    with pytest.raises(jaxtyping.TypeCheckError):
        first_row(Float[Array, "m n"], default=[])(np.ones((1, 2)), "three")


@pytest.mark.parametrize("scale", [1.0, 0.0])
def test_a_result_has_the_sizes_that_its_parameters_name(scale):
    @jaxtyped(typechecker=type_checker)
    def scaled(x: Float[Array, " n"], *, scale: float = 1.0) -> Float[Array, " n"]:
        return scale * x if scale else x[1:]

    if scale:
        np.testing.assert_array_equal(scaled(np.ones(3), scale=scale), [1, 1, 1])
    else:
        with pytest.raises(jaxtyping.TypeCheckError, match="return value"):
            scaled(np.ones(3), scale=scale)
