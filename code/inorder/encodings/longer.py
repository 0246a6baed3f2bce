"""Frequencies of rotary encodings for texts longer than those of training: what `turn_pairs` turns by.

[1] Chen et al. 2023, Extending Context Window of Large Language Models via Positional Interpolation,
    https://arxiv.org/abs/2306.15595
[2] bloc97 2023, NTK-Aware Scaled RoPE, https://www.reddit.com/r/LocalLLaMA/comments/14lz7j5/
[3] Peng et al. 2024, YaRN: Efficient Context Window Extension of Large Language Models,
    https://arxiv.org/abs/2309.00071
"""

import math

from array_api_compat import array_namespace
from jaxtyping import Float

from inorder._arrays import Array, expect, expect_count, expect_multiple, expect_positive
from inorder.encodings.waves import frequencies


def interpolated_frequencies(
    d_head: int, factor: float, *, base: float = 10_000.0, like: Array | None = None
) -> Float[Array, " {d_head}//2"]:
    """ω_j / factor: all hands equally slower, so a text `factor` times as long turns them no farther than training did.

    Position p then stands where p / factor stood. Source: [1], equation 4.

    Raises ValueError: as `frequencies`; a factor that is not a positive number.

    >>> interpolated_frequencies(4, 2.0)
    array([0.5  , 0.005])
    """
    expect_positive("factor", factor)
    return frequencies(d_head, base=base, like=like) / factor


def ntk_frequencies(
    d_head: int, factor: float, *, base: float = 10_000.0, like: Array | None = None
) -> Float[Array, " {d_head}//2"]:
    """The frequencies of the base that leaves the fastest hand alone and makes the slowest `factor` times slower:

        base′ = base · factor^(d_head / (d_head − 2)),   so   ω′_j = ω_j · factor^(−2j / (d_head − 2))

    Source: [2]. "Dynamic" NTK takes the factor from the length n of the text: factor · n/trained − (factor − 1).

    Raises ValueError: as `frequencies`; a d_head of 2, which has one hand; a factor that is not a positive number.

    >>> ntk_frequencies(4, 2.0)
    array([1.   , 0.005])
    """
    expect_multiple("d_head", d_head, 2)
    expect(d_head > 2, "a d_head of 4 or more, with a fastest and a slowest frequency", d_head)
    expect_positive("base", base)
    expect_positive("factor", factor)
    return frequencies(d_head, base=base * factor ** (d_head / (d_head - 2)), like=like)


def yarn_frequencies(
    d_head: int,
    factor: float,
    trained_length: int,
    *,
    base: float = 10_000.0,
    fast: float = 32.0,
    slow: float = 1.0,
    like: Array | None = None,
) -> Float[Array, " {d_head}//2"]:
    """ω_j (1 − r_j) + ω_j / factor · r_j, where r rises from 0 to 1 from the fast hands to the slow ones.

    Hand j makes trained_length · ω_j / 2π turns in a text of training. Above `fast` turns it is left alone, below
    `slow` it is made `factor` times slower, and in between r_j rises in equal steps of j, from border to border, both
    rounded outwards. `yarn_magnitude` is its other half.
    Source: [3], section 3.2 and its published code, which rises with j where the paper rises with the number of turns.

    Raises ValueError: as `frequencies`; a factor, fast or slow that is not a positive number; fast below slow; a
    trained_length that is not a positive whole number; a base of 1.

    >>> yarn_frequencies(8, 2.0, 1000).round(4).tolist()
    [1.0, 0.0833, 0.0067, 0.0005]
    """
    _expect_borders(factor, trained_length, fast, slow)
    expect_positive("base", base)
    expect(fast >= slow, "fast to be slow or more", f"{fast} and {slow}")
    expect(base != 1, "a base other than 1, with slower and faster frequencies", base)
    omega = frequencies(d_head, base=base, like=like)  # (frequency,)

    def hand(turns: float) -> float:
        """The j at which a hand makes that many turns."""
        return d_head * math.log(trained_length / (2 * math.pi * turns)) / (2 * math.log(base))

    first, last = max(math.floor(hand(fast)), 0), min(math.ceil(hand(slow)), d_head - 1)
    width = last - first or 0.001  # (as published: one step where both borders meet)
    xp = array_namespace(omega)
    j = xp.arange(omega.shape[0], dtype=omega.dtype, device=omega.device)
    r = xp.clip((j - first) / width, 0.0, 1.0)
    return omega * (1 - r) + omega / factor * r


def llama3_frequencies(
    d_head: int,
    factor: float,
    trained_length: int,
    *,
    base: float = 10_000.0,
    fast: float = 4.0,
    slow: float = 1.0,
    like: Array | None = None,
) -> Float[Array, " {d_head}//2"]:
    """ω_j s_j + ω_j / factor · (1 − s_j), where s = (turns − slow) / (fast − slow), no less than 0 and no more than 1.

    As `yarn_frequencies`, where s rises with the number of turns, trained_length · ω_j / 2π, as in YaRN's paper.
    Source: [3], equations 17 and 18; the code published with Llama 3.1.

    Raises ValueError: as `yarn_frequencies`; fast that is not above slow.

    >>> llama3_frequencies(8, 2.0, 1000).round(4).tolist()
    [1.0, 0.1, 0.006, 0.0005]
    """
    _expect_borders(factor, trained_length, fast, slow)
    expect(fast > slow, "fast above slow", f"{fast} and {slow}")
    omega = frequencies(d_head, base=base, like=like)  # (frequency,)
    s = array_namespace(omega).clip((trained_length * omega / (2 * math.pi) - slow) / (fast - slow), 0.0, 1.0)
    return omega * s + omega / factor * (1 - s)


def _expect_borders(factor: float, trained_length: int, fast: float, slow: float) -> None:
    for name, value in {"factor": factor, "fast": fast, "slow": slow}.items():
        expect_positive(name, value)
    expect_count("trained_length", trained_length)


def yarn_magnitude(factor: float) -> float:
    """m = 1 + 0.1 log(factor) for a factor above 1, else 1: what YaRN multiplies query and key by.

    Their score grows by m², so the softmax is sharper against the larger number of keys. Source: [3], equation 22.

    Raises ValueError: a factor that is not a positive number.

    >>> round(yarn_magnitude(2.0), 4)
    1.0693
    """
    expect_positive("factor", factor)
    return 1 + 0.1 * math.log(max(factor, 1.0))
