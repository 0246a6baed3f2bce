"""`inorder.attention` against torch and SciPy, and against what must hold whatever the numbers."""

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.special
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from inorder.attention import (
    AttentionParameters,
    attention_scores,
    attention_weights,
    causal_mask,
    merge_heads,
    multi_head_attention,
    padding_mask,
    scaled_dot_product_attention,
    softmax,
    split_heads,
    streaming_attention,
)
from inorder.transformer import attention_from_torch, map_parameters
from strategies import (
    TOLERANCE,
    AttentionCase,
    assert_close,
    attention_cases,
    back_ends,
    dtype_name,
    dtypes,
    float_arrays,
    no_warnings,
    random_mask,
    seeds,
    sizes,
    to_back_end,
    to_numpy,
)

pytestmark = no_warnings
forms = pytest.mark.parametrize("attention", [scaled_dot_product_attention, streaming_attention])


def output(case: AttentionCase, attention: Any = scaled_dot_product_attention) -> Any:
    result = attention(case.query, case.key, case.value, **case.options)
    assert np.isfinite(to_numpy(result)).all()
    return result


def weights(case: AttentionCase) -> Any:
    result = attention_weights(case.query, case.key, **case.options)
    assert np.isfinite(to_numpy(result)).all()
    return result


# Against others


@given(float_arrays(), st.data())
def test_softmax_is_scipys(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    expected = scipy.special.softmax(to_numpy(x), axis=axis)
    assert_close(to_numpy(softmax(x, axis=axis)), expected)


@forms
@given(case=attention_cases())
def test_attention_is_torchs(attention, case):
    query, key, value, mask, bias = (
        None if x is None else torch.as_tensor(x) for x in (case.query, case.key, case.value, case.mask, case.bias)
    )
    if mask is not None and bias is not None:
        bias = torch.where(mask, bias, -math.inf)
    expected = F.scaled_dot_product_attention(
        query, key, value, attn_mask=mask if bias is None else bias, scale=case.scale
    )
    assert_close(to_numpy(output(case, attention)), to_numpy(expected))


@pytest.mark.parametrize("back_end", ["numpy", "torch"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("with_biases", [False, True])
@pytest.mark.parametrize("masked", ["not", "for all heads", "for each head"])
def test_multi_head_attention_is_torchs(back_end, dtype, with_biases, masked):
    batch, n_query, n_key, d_model, d_memory, n_heads = 2, 5, 7, 12, 9, 3
    torch.manual_seed(0)
    theirs = torch.nn.MultiheadAttention(
        d_model, n_heads, bias=with_biases, kdim=d_memory, vdim=d_memory, batch_first=True, dtype=getattr(torch, dtype)
    )
    if with_biases:
        torch.nn.init.normal_(theirs.in_proj_bias)
        torch.nn.init.normal_(theirs.out_proj.bias)
    x_query = torch.randn(batch, n_query, d_model, dtype=getattr(torch, dtype))
    memory = torch.randn(batch, n_key, d_memory, dtype=getattr(torch, dtype))
    shape = {"not": None, "for all heads": (n_query, n_key), "for each head": (batch, n_heads, n_query, n_key)}[masked]
    mask = shape and random_mask(np.random.default_rng(0), shape)

    drop = None if mask is None else torch.from_numpy(~mask)  # here torch's True means: may not attend
    drop = drop.flatten(0, 1) if masked == "for each head" else drop
    expected, _ = theirs(x_query, memory, memory, attn_mask=drop)

    def ours(x: torch.Tensor) -> Any:
        return to_back_end(x.detach().numpy(), back_end)

    parameters = map_parameters(ours, attention_from_torch(theirs))
    mask = None if mask is None else to_back_end(mask, back_end)
    actual = multi_head_attention(ours(x_query), ours(memory), parameters, n_heads, mask=mask)
    assert_close(to_numpy(actual), to_numpy(expected))


# Invariants of the weights


@given(attention_cases())
def test_rows_of_weights_are_non_negative_and_sum_to_one(case):
    a = to_numpy(weights(case))
    assert (a >= 0).all()
    np.testing.assert_allclose(a.sum(axis=-1), 1, rtol=0, atol=TOLERANCE[dtype_name(a)])


@given(attention_cases())
def test_masked_weights_are_exactly_zero(case):
    a = to_numpy(weights(case))
    for masked in (case.mask is not None and ~case.mask, case.bias is not None and case.bias == -math.inf):
        assert not a[np.broadcast_to(to_numpy(masked), a.shape)].any()


@given(float_arrays())
def test_softmax_does_not_overflow(x):
    largest = softmax(1e30 * x)
    assert np.isfinite(to_numpy(largest)).all()


# Invariants of the output


@forms
@given(case=attention_cases(), seed=seeds)
def test_the_order_of_keys_and_values_does_not_matter(attention, case, seed):
    order = np.random.default_rng(seed).permutation(case.key.shape[-2])
    shuffled = AttentionCase(
        query=case.query,
        key=case.key[..., order, :],
        value=case.value[..., order, :],
        mask=None if case.mask is None else case.mask[..., order],
        bias=None if case.bias is None else case.bias[..., order],
        scale=case.scale,
    )
    assert_close(output(shuffled, attention), output(case, attention))


@forms
@given(case=attention_cases())
def test_the_output_stays_between_the_smallest_and_the_largest_value(attention, case):
    y, value = to_numpy(output(case, attention)), to_numpy(case.value)
    slack = TOLERANCE[dtype_name(y)]
    assert (y >= value.min(axis=-2, keepdims=True) - slack).all()
    assert (y <= value.max(axis=-2, keepdims=True) + slack).all()


@given(attention_cases(), st.integers(1, 8))
def test_streaming_is_the_plain_form_at_any_block_size(case, block_size):
    streamed = streaming_attention(case.query, case.key, case.value, **case.options, block_size=block_size)
    assert_close(streamed, output(case))


@forms
@given(case=attention_cases())
def test_the_arguments_are_left_as_they_were(attention, case):
    before = case.map(lambda x: to_numpy(x).copy())
    output(case, attention)
    for name in ("query", "key", "value", "mask", "bias"):
        np.testing.assert_array_equal(to_numpy(getattr(case, name)), getattr(before, name))


# Streaming


@pytest.mark.parametrize("where", ["first", "in the middle", "last"])
@pytest.mark.parametrize("how", ["mask", "bias"])
@pytest.mark.parametrize("back_end", ["numpy", "torch"])
def test_a_fully_masked_block_is_no_nan(where, how, back_end):
    rng = np.random.default_rng(0)
    query, key, value = rng.normal(size=(4, 3)), rng.normal(size=(9, 3)), rng.normal(size=(9, 2))
    start = {"first": 0, "in the middle": 3, "last": 6}[where]
    mask = np.ones((4, 9), dtype=bool)
    mask[:, start : start + 3] = False
    option = mask if how == "mask" else np.where(mask, 0.0, -np.inf)
    case = AttentionCase(query, key, value, **{how: option}).map(lambda x: to_back_end(x, back_end))
    streamed = streaming_attention(case.query, case.key, case.value, **case.options, block_size=3)
    rest = mask[0]
    assert_close(to_numpy(streamed), scaled_dot_product_attention(query, key[rest], value[rest]))


@pytest.mark.parametrize("back_end", ["numpy", "torch"])
def test_streaming_survives_a_maximum_that_keeps_rising(back_end):
    key = to_back_end(np.linspace(-1e4, 1e4, 50)[:, None], back_end)
    query, value = to_back_end(np.ones((1, 1)), back_end), to_back_end(np.eye(50), back_end)
    for direction in (1.0, -1.0):
        expected = scaled_dot_product_attention(query, key, value, scale=direction)
        assert_close(streaming_attention(query, key, value, scale=direction, block_size=7), expected)


def numpy_peak(attention: Any, n: int) -> int:
    """Bytes that NumPy holds at the worst moment of one call, above what it held before."""
    query, key, value = np.random.default_rng(0).standard_normal((3, n, 16), dtype=np.float32)
    tracemalloc.start()
    attention(query, key, value)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_streaming_memory_is_linear_in_n_and_plain_memory_is_quadratic():
    n = 2048
    assert numpy_peak(scaled_dot_product_attention, n) > n * n * 4
    fixed = 4 * 512 * 512 * 4  # a few float32 tiles of one block by one block
    per_token = 8 * 16 * 4  # a few float32 rows
    assert numpy_peak(streaming_attention, n) < fixed + n * per_token
    assert numpy_peak(streaming_attention, 2 * n) < fixed + 2 * n * per_token


# Dtype, device, gradients


@pytest.mark.parametrize("back_end", ["numpy", "torch"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_dtype_is_kept(back_end, dtype):
    rng = np.random.default_rng(0)
    x, bias, w = (to_back_end(rng.normal(size=s).astype(dtype), back_end) for s in [(2, 3, 4), (3, 3), (4, 4)])
    mask = causal_mask(3, like=x)
    options = {"mask": mask, "bias": bias, "scale": np.float64(0.5)}
    results = [
        softmax(x),
        attention_scores(x, x),
        attention_scores(x, x, scale=np.float64(0.5)),  # the NumPy 2 trap: this scalar is not a weak one
        attention_weights(x, x, **options),
        scaled_dot_product_attention(x, x, x, **options),
        streaming_attention(x, x, x, **options),
        multi_head_attention(x, x, AttentionParameters(w, w, w, w), 2, mask=mask, bias=bias),
        split_heads(x, 2),
        merge_heads(x),
    ]
    assert [dtype_name(y) for y in results] == [dtype] * len(results)
    assert {type(y) for y in results} == {type(x)}


def test_gradients_are_those_of_finite_differences():
    torch.manual_seed(0)
    query, key, value, bias = (
        torch.randn(shape, dtype=torch.float64, requires_grad=True)
        for shape in [(2, 3, 5), (2, 4, 5), (2, 4, 2), (3, 4)]
    )
    mask = causal_mask(3, 4, like=query)
    hidden = torch.where(mask, 0.0, -math.inf).to(torch.float64)
    for fixed in ({"mask": mask}, {"mask": None}):
        assert torch.autograd.gradcheck(
            lambda q, k, v, b, fixed=fixed: scaled_dot_product_attention(q, k, v, bias=b, **fixed),
            (query, key, value, bias),
        )
    assert torch.autograd.gradcheck(
        lambda q, k, v: scaled_dot_product_attention(q, k, v, bias=hidden, scale=0.7), (query, key, value)
    )


def test_gradients_are_finite_where_weights_saturate():
    query = torch.tensor([[1000.0]], requires_grad=True)
    key, value = torch.tensor([[0.0], [1.0]]), torch.tensor([[1.0], [2.0]])
    scaled_dot_product_attention(query, key, value).sum().backward()
    assert query.grad.item() == 0  # softmax(0, 1000) is exactly (0, 1), and its gradient exactly 0


# Causal masks


@given(sizes, sizes, back_ends)
def test_causal_mask_is_its_definition(n_query, n_earlier, back_end):
    n_key = n_query + n_earlier - 1
    mask = causal_mask(n_query, n_key, like=to_back_end(np.zeros(1), back_end))
    expected = [[j <= n_key - n_query + i for j in range(n_key)] for i in range(n_query)]
    assert to_numpy(mask).tolist() == expected
    assert dtype_name(mask) == "bool"
    assert isinstance(mask, torch.Tensor) == (back_end == "torch")


@forms
@given(seed=seeds, n=st.integers(2, 9), back_end=back_ends, dtype=dtypes)
def test_causal_rows_do_not_move_by_one_bit_when_the_future_changes(attention, seed, n, back_end, dtype):
    rng = np.random.default_rng(seed)
    query, key, value, other_key, other_value = rng.normal(size=(5, 2, n, 4)).astype(dtype)
    now = rng.integers(n - 1)
    mask = causal_mask(n)

    def rows(key: np.ndarray, value: np.ndarray) -> np.ndarray:
        case = AttentionCase(query, key, value, mask).map(lambda x: to_back_end(x, back_end))
        return to_numpy(output(case, attention))

    before = rows(key, value)
    key[:, now + 1 :], value[:, now + 1 :] = other_key[:, now + 1 :], other_value[:, now + 1 :]
    after = rows(key, value)
    np.testing.assert_array_equal(after[:, : now + 1], before[:, : now + 1])
    assert (after[:, -1] != before[:, -1]).any()


# Heads


@given(float_arrays(min_axes=2), st.integers(1, 4))
def test_merging_undoes_splitting(x, n_heads):
    wide = to_back_end(np.repeat(to_numpy(x), n_heads, axis=-1), "torch" if isinstance(x, torch.Tensor) else "numpy")
    heads = split_heads(wide, n_heads)
    assert heads.shape == (*x.shape[:-2], n_heads, *x.shape[-2:])
    np.testing.assert_array_equal(to_numpy(merge_heads(heads)), to_numpy(wide))


def test_a_head_is_a_contiguous_slice_of_the_columns():
    x = np.arange(2 * 5 * 12).reshape(2, 5, 12)
    heads = split_heads(x, 3)
    for h in range(3):
        np.testing.assert_array_equal(heads[:, h], x[..., 4 * h : 4 * h + 4])


@pytest.mark.parametrize("back_end", ["numpy", "torch"])
@pytest.mark.parametrize("leading", [(), (3,), (2, 3)])
def test_padding_changes_nothing_for_the_tokens_that_are_there(leading, back_end):
    """A padded sequence is the shorter one, with padding at either end, alone and under a causal mask."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((*leading, 6, 8))
    parameters = AttentionParameters(*rng.standard_normal((4, 8, 8)))
    for rest in (slice(0, 4), slice(2, 6)):
        keep = np.zeros((*leading, 6), dtype=bool)
        keep[..., rest] = True
        for causal in (False, True):
            arrays = [to_back_end(a, back_end) for a in (x, keep, causal_mask(6))]
            mask = padding_mask(arrays[1])
            assert tuple(mask.shape) == (*leading, 1, 6, 6)
            mask = mask & arrays[2] if causal else mask
            w = AttentionParameters(*(to_back_end(a, back_end) for a in parameters[:4]))
            padded = to_numpy(multi_head_attention(arrays[0], arrays[0], w, 2, mask=mask))
            short = x[..., rest, :]
            expected = multi_head_attention(short, short, parameters, 2, mask=causal_mask(4) if causal else None)
            assert_close(padded[..., rest, :], expected)


def test_padding_of_a_memory():
    rng = np.random.default_rng(0)
    query, key, value = (rng.standard_normal((3, 2, n, 4)) for n in (5, 7, 7))
    keep = np.arange(7) < np.array([[7], [4], [1]])  # (batch, key)
    output = scaled_dot_product_attention(query, key, value, mask=padding_mask(keep, 5))
    for i, n in enumerate([7, 4, 1]):
        assert_close(output[i], scaled_dot_product_attention(query[i], key[i, :, :n], value[i, :, :n]))
