"""What all checks share: reading the numbers of an array, and naming the function that was called."""

import numpy as np
import pytest
import torch

from inorder._arrays import expect_floats, holds, namespace


class Broken:
    """A condition whose truth cannot be found out, as on a GPU that has failed."""

    def __bool__(self) -> bool:
        raise RuntimeError("CUDA error: device-side assert triggered")


@pytest.mark.parametrize("truth", [True, False])
def test_a_condition_on_numbers_is_read(truth):
    assert holds(np.asarray(truth)) is truth
    assert holds(torch.tensor(truth)) is truth
    assert holds(truth) is truth


def test_under_vmap_a_condition_is_taken_on_trust():
    looks = []

    def loss(x: torch.Tensor) -> torch.Tensor:
        looks.append(holds((x > 5).all()))
        return (x**2).sum()

    x = torch.ones(2, 3)
    torch.testing.assert_close(torch.vmap(torch.func.grad(loss))(x), 2 * x)
    torch.testing.assert_close(torch.vmap(loss)(x), torch.full((2,), 3.0))
    assert looks == [True, True]


def test_without_vmap_a_gradient_does_not_hide_the_numbers():
    looks = []
    torch.func.jacrev(lambda x: looks.append(holds((x > 5).all())) or x)(torch.ones(2))
    assert looks == [False]


def test_on_the_meta_device_there_are_no_numbers():
    assert holds((torch.ones(2, device="meta") > 5).all())


@pytest.mark.parametrize(
    ("condition", "message"),
    [(Broken(), "CUDA error"), (torch.ones(2) > 0, "Boolean value of Tensor with more than one value is ambiguous")],
)
def test_every_other_error_is_the_callers_to_see(condition, message):
    with pytest.raises(RuntimeError, match=message):
        holds(condition)


def test_arrays_that_are_left_out_have_no_dtype():
    x = np.ones(2)
    expect_floats(namespace(x=x), x=x, bias=None)
    with pytest.raises(ValueError, match="expected bias of x's dtype float64, got float32"):
        expect_floats(namespace(x=x), x=x, gain=None, bias=x.astype("float32"))
