"""`inorder.encodings.longer`: against the rotary scaling of transformers, and against what must hold in any shape."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from inorder.attention import attention_scores
from inorder.encodings import (
    frequencies,
    interpolated_frequencies,
    llama3_frequencies,
    ntk_frequencies,
    turn_pairs,
    yarn_frequencies,
    yarn_magnitude,
)
from strategies import back_ends, leading_axes, no_warnings, seeds, sizes, to_back_end, to_numpy

pytestmark = no_warnings

pairings = st.sampled_from(["interleaved", "halves"])
bases = st.sampled_from([100.0, 10_000.0, 5e5])
widths = st.integers(2, 8).map(lambda n: 2 * n)
factors = st.floats(1.0, 32.0)
lengths = st.sampled_from([7, 20, 512, 8192])


def whole_numbers(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.integers(-300, 300, size=shape)


# Any frequencies


@given(seeds, leading_axes, sizes, sizes, widths, pairings, st.integers(-1000, 1000), st.floats(0.5, 2.0))
def test_scores_depend_on_differences_alone(seed, leading, n, m, d_head, pairing, offset, magnitude):
    """Whatever the frequencies, however few, and along every axis by its own difference."""
    rng = np.random.default_rng(seed)
    query, key = rng.standard_normal((*leading, n, d_head)), rng.standard_normal((*leading, m, d_head))
    omega = rng.uniform(-1, 1, size=rng.integers(1, d_head // 2 + 1))
    p, q, axes = whole_numbers(rng, n, 3), whole_numbers(rng, m, 3), rng.integers(3, size=len(omega))

    def scores(offset: np.ndarray) -> Any:
        turned = (
            turn_pairs(x, r + offset, omega, axes=axes, magnitude=magnitude, pairing=pairing)
            for x, r in ((query, p), (key, q))
        )
        return attention_scores(*turned)

    np.testing.assert_allclose(scores(np.array([offset, -7, 3])), scores(np.zeros(3, dtype=int)), atol=1e-9)


@given(seeds, leading_axes, sizes, widths, pairings, st.floats(0.5, 2.0))
def test_columns_beyond_the_frequencies_stay_and_norms_grow_by_the_magnitude(
    seed, leading, n, d_head, pairing, magnitude
):
    rng = np.random.default_rng(seed)
    x, p = rng.standard_normal((*leading, n, d_head)), whole_numbers(rng, n)
    omega = rng.uniform(-1, 1, size=d_head // 2 - 1)
    turned = turn_pairs(x, p, omega, magnitude=magnitude, pairing=pairing)
    np.testing.assert_array_equal(turned[..., -2:], x[..., -2:])
    before, after = (np.linalg.norm(each[..., :-2], axis=-1) for each in (x, turned))
    np.testing.assert_allclose(after, magnitude * before)
    np.testing.assert_allclose(turn_pairs(x, p, 0 * omega), x)


# Longer texts: what must hold


@given(widths, factors, bases, lengths, back_ends)
def test_each_scaling_lies_between_no_change_and_interpolation(d_head, factor, base, trained, back_end):
    like = to_back_end(np.zeros(0), back_end)
    omega = to_numpy(frequencies(d_head, base=base, like=like))
    pi = to_numpy(interpolated_frequencies(d_head, factor, base=base, like=like))
    ntk = to_numpy(ntk_frequencies(d_head, factor, base=base, like=like))
    yarn = to_numpy(yarn_frequencies(d_head, factor, trained, base=base, like=like))
    np.testing.assert_allclose(pi * factor, omega)
    np.testing.assert_allclose([ntk[0], ntk[-1] * factor], omega[[0, -1]])  # the fastest stays, the slowest is slowed
    for scaled in (ntk, yarn):
        assert (scaled <= omega * (1 + 1e-12)).all() and (scaled >= pi * (1 - 1e-12)).all()
        assert (np.diff(scaled / omega) <= 1e-12).all()  # the slower the hand, the more it is slowed


# Longer texts: transformers


def their_rotation(scaling: str, factor: float, base: float, trained: int, n: int, d_head: int) -> Any:
    from transformers import LlamaConfig
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    name, more = {
        "interpolated": ("linear", {}),
        "ntk": ("dynamic", {}),
        "yarn": ("yarn", {"original_max_position_embeddings": trained}),
        "yarn, one border": ("yarn", {"original_max_position_embeddings": trained, "beta_fast": 2.0, "beta_slow": 2.0}),
        "llama3": (
            "llama3",
            {"original_max_position_embeddings": trained, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
        ),
    }[scaling]
    parameters = {"rope_type": name, "rope_theta": base, "factor": factor} | more
    config = LlamaConfig(
        hidden_size=3 * d_head, num_attention_heads=3, max_position_embeddings=trained, rope_parameters=parameters
    )
    return ROPE_INIT_FUNCTIONS[name](config, device="cpu", seq_len=n)


@pytest.mark.parametrize("d_head", [10, 64])
@pytest.mark.parametrize("base", [10_000.0, 100_000.0])
@pytest.mark.parametrize(("factor", "trained"), [(1.5, 512), (2.0, 8192), (8.0, 4096)])
def test_frequencies_are_those_of_transformers(d_head, base, factor, trained):
    n = 2 * trained
    ours = {
        "interpolated": interpolated_frequencies(d_head, factor, base=base),
        "ntk": ntk_frequencies(d_head, factor * n / trained - (factor - 1), base=base),  # theirs is the dynamic one
        "yarn": yarn_frequencies(d_head, factor, trained, base=base),
        "yarn, one border": yarn_frequencies(d_head, factor, trained, base=base, fast=2.0, slow=2.0),
        "llama3": llama3_frequencies(d_head, factor, trained, base=base),
    }
    for scaling, omega in ours.items():
        theirs, magnitude = their_rotation(scaling, factor, base, trained, n, d_head)
        np.testing.assert_allclose(omega, theirs.numpy(), rtol=3e-6)  # theirs are float32
        assert magnitude == pytest.approx(yarn_magnitude(factor) if "yarn" in scaling else 1.0)


# What today's models turn


def test_a_quarter_of_the_columns_is_gpt_neoxs():
    from transformers import GPTNeoXConfig
    from transformers.models.gpt_neox.modeling_gpt_neox import GPTNeoXRotaryEmbedding, apply_rotary_pos_emb

    config = GPTNeoXConfig(
        hidden_size=64,
        num_attention_heads=2,
        rope_parameters={"rope_type": "default", "rope_theta": 10_000.0, "partial_rotary_factor": 0.25},
    )
    x = torch.from_numpy(np.random.default_rng(0).standard_normal((1, 2, 9, 32)))
    p = torch.arange(9)
    theirs, _ = apply_rotary_pos_emb(x, x, *GPTNeoXRotaryEmbedding(config)(x, p[None]))
    ours = turn_pairs(x, p, frequencies(8, like=x), pairing="halves")
    np.testing.assert_allclose(ours, theirs, atol=3e-6)


def test_three_axes_are_qwen2_vls():
    from transformers.models.qwen2_vl.configuration_qwen2_vl import Qwen2VLTextConfig
    from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLRotaryEmbedding, apply_rotary_pos_emb

    sections = [4, 6, 6]
    config = Qwen2VLTextConfig(
        hidden_size=64,
        num_attention_heads=2,
        rope_parameters={"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": sections},
    )
    rng = np.random.default_rng(0)
    x, p = torch.from_numpy(rng.standard_normal((1, 2, 9, 32))), torch.from_numpy(rng.integers(40, size=(9, 3)))
    theirs, _ = apply_rotary_pos_emb(x, x, *Qwen2VLRotaryEmbedding(config)(x, p.T[:, None]))
    axes = torch.repeat_interleave(torch.arange(3), torch.tensor(sections))
    ours = turn_pairs(x, p, frequencies(32, like=x), axes=axes, pairing="halves")
    np.testing.assert_allclose(ours, theirs, atol=2e-5)  # their angles are float32


def test_two_axes_are_pixtrals():
    from transformers import PixtralVisionConfig
    from transformers.models.pixtral import modeling_pixtral as pixtral

    config = PixtralVisionConfig(hidden_size=64, num_attention_heads=2, image_size=96, patch_size=16)
    rng = np.random.default_rng(0)
    x, p = torch.from_numpy(rng.standard_normal((1, 2, 9, 32))), torch.from_numpy(rng.integers(6, size=(9, 2)))
    rotary = pixtral.PixtralVisionRotaryEmbedding(config)
    theirs, _ = pixtral.apply_rotary_pos_emb(x, x, *rotary(x, p), unsqueeze_dim=0)
    omega = frequencies(32, base=config.rope_parameters["rope_theta"], like=x)
    axes = torch.repeat_interleave(torch.arange(2), 8)
    ours = turn_pairs(x, p, torch.cat([omega[::2], omega[1::2]]), axes=axes, pairing="halves")
    np.testing.assert_allclose(ours, theirs, atol=2e-5)  # their angles are float32
