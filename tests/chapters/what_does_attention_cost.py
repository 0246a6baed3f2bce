"""The numbers of *What does attention cost?*, checked with the names of its notebook at hand."""

import torch
from torch.utils.flop_counter import FlopCounterMode

from inorder.attention import scaled_dot_product_attention
from inorder.stored import read_record
from inorder.transformer import block, fresh_model

EPSILON = np.finfo(float).eps
LLAMA_2, LLAMA_3, DEEPSEEK = (MODELS[name] for name in ("Llama 2 7B", "Llama 3.1 8B", "DeepSeek-V3"))


def multiplications(n, d):
    """Of one block, by the table of the page."""
    return 12 * n * d**2 + 2 * n**2 * d


def exact_first_figure():
    says("one keeps four times as much", 1, cache_bytes(LLAMA_2, 1) / cache_bytes(LLAMA_3, 1))
    assert 0.8 < LLAMA_2.n_parameters / LLAMA_3.n_parameters < 1


def exact_count():
    """Every product of the book's own block, counted by torch: two operations each."""
    for n, d, n_heads in ((6, 4, 1), (6, 4, 4), (5, 12, 3)):
        model = fresh_model(0, n_layers=1, d_model=d, d_ff=4 * d, n_heads=n_heads, like=torch.zeros(1))
        with FlopCounterMode(display=False) as counter:
            block(torch.ones(n, d), model.parameters.blocks[0], model.config, positions=torch.arange(n))
        assert counter.get_total_flops() == 2 * multiplications(n, d)


def exact_share_of_the_pairs():
    says("With $d = 4096$, a word costs as much as 24,576 pairs", 4096, 12 * 4096**2 / (2 * 4096))
    assert multiplications(4096, 4096) == 2 * 4096**2 * 4096 * 7  # a seventh
    assert multiplications(24_576, 4096) == 2 * 24_576**2 * 4096 * 2
    share = 2 * 100_000**2 * 4096 / multiplications(100_000, 4096)
    says("the pairs take 80% of the work", share)
    says("80% at width 4,096 and 100,000 tokens", share, 4096, 100_000)
    says("five times what its words would cost", round(1 / (1 - share)))
    assert abs(n / (n + 6 * d) - share) < 4 * EPSILON
    half = 100_000 / 2
    says("spends 67% on them where our count says 80%", half / (half + 6 * 4096), share)
    projections = 2 * 4096**2 + 2 * 4096 * LLAMA_3.n_key_heads * LLAMA_3.d_head
    says("gated network, it is 6.5", (projections + 3 * 4096 * 14_336) / (2 * 4096**2))


def exact_table():
    says("20 GB at 2 bytes each; 32 heads have 640 GB", 100_000**2 * 2e-9, 2, 32, 32 * 100_000**2 * 2e-9)


def exact_streaming():
    scores = queries[[3]] @ keys.T / np.sqrt(2)
    totals = figures.running(scores, values[:, 0], 1)[:, 1, 0]
    shrunk = 2 * np.exp(-4 / np.sqrt(2))
    says("$4/\\sqrt 2 = 2.83$", 4, 2, scores[0, 2])
    says(
        "shrinks to $2e^{-2.83} = 0.118$, and *street* adds $e^0 = 1$, which makes 1.118",
        *[2, -2.83, shrunk, 0, 1, totals[2]],
    )
    says("The last two words add 0.059 each: 1.236", 2, np.exp(-4 / np.sqrt(2)), totals[4])
    plain = scaled_dot_product_attention(queries[[3]], keys, values)[0]
    assert np.allclose(output / total, plain, rtol=0, atol=20 * EPSILON)
    q, k, v = np.random.default_rng(0).normal(size=(3, 100, 64))
    for size in (1, 7, 64, 512):
        streamed = streaming_attention(q, k, v, block_size=size)
        assert np.abs(streamed - scaled_dot_product_attention(q, k, v)).max() < 10 * EPSILON


def exact_cache():
    assert per_token == cache_bytes(LLAMA_3, 1)
    assert (LLAMA_3.n_layers, LLAMA_3.n_key_heads, LLAMA_3.d_head) == (32, 8, 128)
    parameters, kept = 2e-9 * LLAMA_3.n_parameters, cache_bytes(LLAMA_3, 100_000) / 1e9
    says("Here it is 16.1 GB and 13.1 GB, and 13.1 GB more", parameters, kept, kept)
    says("has 32 query heads, four for each key head", LLAMA_3.n_heads, LLAMA_3.n_heads / LLAMA_3.n_key_heads)
    embedding = 2e-9 * 128_256 * 4096
    fetched = parameters - embedding
    says("fetches 15.0 GB (of the 1.1 GB of its embedding", fetched, embedding)
    says("that takes 15 ms", fetched)
    says("fewer than 67 tokens a second", np.ceil(1000 / fetched))
    says("the pace falls below 36", np.ceil(1000 / (fetched + kept)))


def exact_latent():
    assert np.abs(whole - from_cache).max() < 20 * EPSILON
    assert np.abs(whole @ (c @ b) - (whole @ c) @ b).max() < 1000 * EPSILON
    says("has 128 heads and keeps 576 numbers", DEEPSEEK.n_heads, DEEPSEEK.numbers_per_token / DEEPSEEK.n_layers)
    assert round(2 * 128 * 128 / 576) == 57  # a fifty-seventh
    says("Hence $576 = 512 + 64$", 576, DEEPSEEK.d_latent, DEEPSEEK.d_rotary)
    says("the scores take three times as many multiplications, and the average four times", 576 / (128 + 64), 512 / 128)


def recorded_many_texts():
    costs = read_record("decoder_costs.json")
    says("64 texts take 64 times as many multiplications, but only a few times as long", costs["texts"][-1], 64)
    for task in ("generating", "reading"):
        assert 3 < costs[task][-1] / costs[task][0] < 6.4  # "less than a tenth of the time" each
    sixty, one = (np.array(costs["products"][name]) for name in ("sixty matrices", "one of them, sixty times"))
    assert sixty[0] > 3 * one[0] and sixty[-1] < 1.25 * one[-1]  # "a fraction", "hardly less"


def exact_exercises():
    assert multiplications(512, 512) * 13 == multiplications(256, 512) * 28
    assert multiplications(16_384, 512) * 11 == multiplications(8192, 512) * 38
    for shape, first in ((LLAMA_2, 32_768), (LLAMA_3, 131_072)):
        parameters = 2 * shape.n_parameters
        assert next(n for n in figures.CONTEXTS if cache_bytes(shape, n) > parameters) == first
        says("17.2 GB there", cache_bytes(shape, first) / 1e9)
    says("13.5 and 16.1 GB of parameters", 2e-9 * LLAMA_2.n_parameters, 2e-9 * LLAMA_3.n_parameters)
    assert (LLAMA_2.n_key_heads, LLAMA_3.n_key_heads, LLAMA_2.n_layers) == (32, 8, 32)
