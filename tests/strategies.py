"""Hypothesis strategies and array helpers that the tests of the reference functions share.

Hypothesis draws shapes, options and a seed; NumPy's generator fills the arrays. So a failing example shrinks to small
shapes, and no time goes into drawing numbers one by one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import strategies as st

# A warning is an error: NumPy warns where a number overflows or a NaN is made, and no legal call may do either. Except
# in a matrix product, where a kernel of the BLAS may compute with whatever memory holds beyond the end of a row, and
# NumPy then warns of numbers that nobody sees. There `assert_close` and the tests' own helpers ask for finite numbers.
no_warnings = pytest.mark.filterwarnings("error", "ignore:.* encountered in matmul:RuntimeWarning")
TOLERANCE = {"float32": 2e-5, "float64": 1e-12}

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 6)
leading_axes = st.lists(st.integers(1, 3), max_size=2).map(tuple)  # (), (batch,) or (batch, head)
dtypes = st.sampled_from(["float32", "float64"])
back_ends = st.sampled_from(["numpy", "torch"])


def to_back_end(x: np.ndarray, back_end: str) -> Any:
    return torch.from_numpy(np.ascontiguousarray(x)) if back_end == "torch" else x


def to_numpy(x: Any) -> np.ndarray:
    return x.detach().numpy() if isinstance(x, torch.Tensor) else x


def dtype_name(x: Any) -> str:
    return str(x.dtype).removeprefix("torch.")


def assert_close(actual: Any, expected: Any) -> None:
    """Same shape, same dtype, and equal within what that dtype can do; a NaN is equal to nothing."""
    assert dtype_name(actual) == dtype_name(expected)
    tolerance = TOLERANCE[dtype_name(actual)]
    actual, expected = to_numpy(actual), to_numpy(expected)
    assert actual.shape == expected.shape
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance, equal_nan=False)


def random_mask(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """A random boolean mask in which every query may attend to at least one key."""
    mask = rng.random(shape) < rng.random()
    np.put_along_axis(mask, rng.integers(shape[-1], size=(*shape[:-1], 1)), True, axis=-1)
    return mask


@st.composite
def broadcastable(draw: st.DrawFn, leading: tuple[int, ...]) -> tuple[int, ...]:
    """Leading axes that broadcast to `leading`: some of the first left out, any of the others 1."""
    rest = leading[draw(st.integers(0, len(leading))) :]
    return tuple(draw(st.sampled_from([1, size])) for size in rest)


@st.composite
def float_arrays(draw: st.DrawFn, *, min_axes: int = 1, max_axes: int = 4) -> Any:
    """An array of normal numbers, of any small shape, in either dtype and back end."""
    shape = tuple(draw(st.lists(sizes, min_size=min_axes, max_size=max_axes)))
    x = 3 * np.random.default_rng(draw(seeds)).standard_normal(shape)
    return to_back_end(x.astype(draw(dtypes)), draw(back_ends))


@dataclass(frozen=True)
class AttentionCase:
    """One call of an attention function."""

    query: Any
    key: Any
    value: Any
    mask: Any = None
    bias: Any = None
    scale: float | None = None

    @property
    def options(self) -> dict[str, Any]:
        return {"mask": self.mask, "bias": self.bias, "scale": self.scale}

    def map(self, function: Any) -> "AttentionCase":
        """Apply a function to every array."""
        arrays = (self.query, self.key, self.value, self.mask, self.bias)
        return AttentionCase(*(None if x is None else function(x) for x in arrays), scale=self.scale)


@st.composite
def attention_cases(draw: st.DrawFn, back_ends: st.SearchStrategy[str] = back_ends) -> AttentionCase:
    """Queries, keys and values of unlike sizes, with or without mask, bias (−inf in it too) and scale."""
    rng = np.random.default_rng(draw(seeds))
    leading, dtype = draw(leading_axes), draw(dtypes)
    n_query, n_key, d_head, d_value = draw(sizes), draw(sizes), draw(sizes), draw(sizes)

    def normal(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape).astype(dtype)

    allowed = random_mask(rng, (n_query, n_key))  # the same in mask and bias, so that no row loses all its keys
    mask = bias = None
    if draw(st.booleans()):
        axes = draw(broadcastable(leading))
        mask = allowed | (rng.random((*axes, n_query, n_key)) < 0.5)
    if draw(st.booleans()):
        bias = normal(*draw(broadcastable(leading)), n_query, n_key)
        if draw(st.booleans()):
            bias[..., ~allowed] = -np.inf
    case = AttentionCase(
        query=normal(*leading, n_query, d_head),
        key=normal(*leading, n_key, d_head),
        value=normal(*leading, n_key, d_value),
        mask=mask,
        bias=bias,
        scale=draw(st.sampled_from([None, 0.0, 0.3, -1.0, 5.0])),
    )
    back_end = draw(back_ends)
    return case.map(lambda x: to_back_end(x, back_end))
