"""The numbers of *What does attention cost?*, checked with the names of its notebook at hand."""

from inorder.attention import softmax

epsilon = np.finfo(float).eps

# The first figure
SMOL, GEMMA, LLAMA_2, LLAMA_3 = (MODELS[name] for name in ("SmolLM2 135M", "Gemma 2B", "Llama 2 7B", "Llama 3.1 8B"))
DEEPSEEK = MODELS["DeepSeek-V3"]
assert cache_bytes(LLAMA_2, 1) == 4 * cache_bytes(LLAMA_3, 1)
assert 0.8 < LLAMA_2.n_parameters / LLAMA_3.n_parameters < 1

# Multiplications and seconds
assert all(row["counted"] == row["12 n d² + 2 n² d"] for row in counts)
assert 12 * 3072 * 512**2 == 2 * 3072**2 * 512 and 8 * 2048 * 512**2 == 2 * 2048**2 * 512
assert 12 * 512**2 == 3072 * 2 * 512
assert 7 * 2 * 512**2 * 512 == 12 * 512 * 512**2 + 2 * 512**2 * 512
assert lengths_timed["lengths"] == [512, 1024, 2048, 4096]
assert (lengths_timed["width"], lengths_timed["heads"]) == (256, 4)
assert round(4096 / (6 * 256), 1) == 2.7
assert round(ratios["plain"][-1], 1) == 10.8
assert round(ratios["products"][-1], 1) == 4.3
assert round(ratios["streaming"][-1], 1) == 5.3
assert (ratios["plain"] > np.array([512, 1024, 2048, 4096]) / 1536).all()
in_memory = figures.record()["memory"]
lasted = {name: np.array(seconds) / in_memory["seconds"]["matrices"] for name, seconds in in_memory["seconds"].items()}
assert {name: round(float(r[-1]), 1) for name, r in lasted.items()} == {
    "matrices": 1.0,
    "products": 4.1,
    "products, reused": 2.8,
    "plain": 9.1,
    "plain, reused": 4.4,
    "streaming": 4.7,
}
assert in_memory["lengths"][-1] == 4096 and in_memory["heads"] == 4
assert round(4 * 4096**2 * 4 / 1e6) == 268 and 4 * 512**2 * 4 < 4.2e6
for name in ("products", "plain"):
    spared = lasted[name] / lasted[f"{name}, reused"]
    assert spared[0] < spared[-1]

# Streaming
assert round(8 * 4096**2 / 1e6) == 134
assert np.allclose(
    output / total,
    softmax(keys @ queries[3] / np.sqrt(2)) @ values,
    rtol=0,
    atol=20 * epsilon,
)
assert abs(4 / np.sqrt(2) - 2.83) < 0.002
assert max(apart) < 10 * epsilon
q, k, v = np.random.default_rng(0).normal(size=(3, 4096, 64))
far_apart = np.abs(in_blocks(q, k, v) - scaled_dot_product_attention(q, k, v))
assert far_apart.max() < 10 * epsilon
growth = np.diff(streaming)  # affine: each step twice the one before
assert np.allclose(growth[1:] / growth[:-1], 2, rtol=0.02)
assert streaming[-1] > 2 * growth[-1]  # a part of it does not grow
assert (np.array(plain) > plain_floor).all() and (np.array(streaming) > streaming_floor).all()
assert 3.8 < plain[-1] / plain[-2] < 4.1 and streaming[-1] / streaming[-2] < 2.1
assert abs(plain[-1] / plain_floor[-1] - 3) < 0.05 and abs(streaming[-1] / plain_floor[-1] - 1 / 20) < 0.005

# The cache, and who shares keys
assert (layers, key_width, per_token) == (30, 192, 23040)
assert width == 3 * key_width
assert per_token == cache_bytes(SMOL, 1)
assert 3 * per_token == 69120
per_layer = {kind: shape.numbers_per_token for kind, shape in figures.KINDS.items()}
assert per_layer == {
    "multi-head": 4096,
    "grouped": 1024,
    "one key head": 256,
    "latent": 576,
}

# One row for all keys
assert np.abs(whole - from_cache).max() < 20 * epsilon
values_absorbed = whole @ (c @ b) - (whole @ c) @ b
assert np.abs(values_absorbed).max() < 1000 * epsilon
for step in (1, 3):  # the second part goes by distance alone
    moved = rng.normal(size=(2, 1, 2))
    seen = [
        rotary_encoding(moved[0], np.array([i])) @ rotary_encoding(moved[1], np.array([i + step])).T for i in range(5)
    ]
    assert np.ptp(seen) < 20 * epsilon
small, large = (7, 3, 2), (30, 16, 8)
assert [round(f(best_errors[small, True]), 2) for f in (min, max)] == [
    0.57,
    0.99,
]
assert [round(f(best_errors[large, True]), 2) for f in (min, max)] == [
    0.47,
    0.64,
]
all_fast = [best_error(seed, *large, True, base=1) for seed in range(20)]
assert [round(f(all_fast), 2) for f in (min, max)] == [0.85, 0.93]
fitted = [best_error(seed, 8, 16, 8, True) for seed in range(20)]
assert max(fitted) < 1e-9 < best_error(0, 9, 16, 8, True)
for sizes in (small, large):
    assert max(best_errors[sizes, False]) < 100 * epsilon
assert (DEEPSEEK.n_heads, DEEPSEEK.d_latent, DEEPSEEK.d_rotary) == (
    128,
    512,
    64,
)
assert round(kept[-1]["times"]) == 57
assert (512 + 64) / (128 + 64) == 3 and 512 / 128 == 4

# What generation waits for
batches = figures.record()["batches"]
assert batches["batches"][1] == 2 and batches["batches"][-1] == 64
longer = {what: np.array(batches[what]) / batches[what][0] for what in figures.STEPS}
assert round(longer["generating"][-1], 2) == 4.09
assert round(longer["generating"][-1] / 64, 3) == 0.064
assert abs(1 / 16 - longer["generating"][-1] / 64) < 0.002
assert round(longer["reading"][-1], 2) == 3.90
assert round(longer["generating"][1], 1) == 1.4
ratio = many / one
assert products["batches"][0] == 1 and products["batches"][-1] == 128
assert round(ratio[0], 1) == 3.9 and round(ratio[-2], 2) == 1.25  # a fifth
assert round(one[-2] / one[0]) == 17 and products["batches"][-2] == 64
assert round(ratio[-1], 2) == 0.9 and products["matrices"] == 60
assert 60 * 576**2 * 4 / 1e6 > 79.5 and round(576**2 * 4 / 1e6, 1) == 1.3
alone, eight = (np.array(contexts["seconds"][k]) for k in ("1", "8"))
assert round(1000 * (alone[2] - alone[0])) == 47
assert round(1000 * (eight[2] - eight[0])) == 373
assert contexts["contexts"] == [16, 512, 1024]
assert round((eight[2] - eight[0]) / (alone[2] - alone[0]), 1) == 8.0
assert round((eight[1] - eight[0]) / (alone[1] - alone[0]), 1) == 10.9
assert round(eight[0] / alone[0], 2) == 1.57


# Exercises
def multiplications_of_a_block(n, d=512):
    return 12 * n * d**2 + 2 * n**2 * d


assert multiplications_of_a_block(512) * 13 == multiplications_of_a_block(256) * 28
assert multiplications_of_a_block(16384) * 11 == multiplications_of_a_block(8192) * 38
for shape, first, gigabytes in (
    (LLAMA_2, 32768, 13.5),
    (LLAMA_3, 131072, 16.1),
):
    parameters = 2 * shape.n_parameters
    assert round(parameters / 1e9, 1) == gigabytes
    longer_enough = [n for n in figures.CONTEXTS if cache_bytes(shape, n) > parameters]
    assert longer_enough[0] == first
    assert round(cache_bytes(shape, first) / 1e9, 1) == 17.2
assert (LLAMA_2.n_layers, LLAMA_3.n_layers) == (32, 32)
assert sum(shape.kind == "grouped" for shape in MODELS.values()) == 4
assert len(MODELS) == 7
assert (LLAMA_2.n_key_heads, LLAMA_3.n_key_heads) == (32, 8)
