"""The numbers of *What a causal mask knows*, checked with the names of its notebook at hand."""

EPSILON = np.finfo(float).eps
assert np.allclose(
    [(twice @ dog_first)[-1], (twice @ dog_third)[-1]],
    [25 / 48, 7 / 48],
    rtol=1e-15,
)
assert np.allclose([(once @ dog_first)[-1], (once @ dog_third)[-1]], 1 / 4, rtol=1e-15)
assert 25 / 7 > 3 and np.isclose(place_weights(4)[0] - place_weights(4)[2], 4 * 3 / 8)
for n_layers, low, high in (
    (1, 0, 50 * EPSILON),
    (2, 0.4, 0.6),
):  # rounding; a good part of the numbers
    results = last_rows(pair, fresh(0, n_layers=n_layers), causal_mask(4))
    assert low <= np.abs(results[0] - results[1]).max() <= high and 0.9 < rms(results) < 1.1
protected = [True, True, False, False]  # by the law, at every depth
for k in DEPTHS:
    for results, zero in zip(blind[k].transpose(1, 0, 2), protected, strict=True):
        if zero or k == 1:
            assert results[:, -1].max() < 1e-13
        else:
            assert results[:, -1].min() > 1e-3
    assert blind[k][:, 1].max() < 1e-13  # every row after the prompt
    post = np.array([shuffle_changes(seed, k, "none", norm="post") for seed in SEEDS])
    assert max(post[:, 0, -1].max(), post[:, 1].max()) < 1e-13 and (
        post[:, 2:, -1].max() < 1e-13 if k == 1 else post[:, 2:, -1].min() > 1e-3
    )
assert min(results[:, 0].min() for results in positioned.values()) > 1e-3
for name, results in changes.items():
    assert results[0].max() < 50 * EPSILON
    assert results.max() < 50 * EPSILON if name == "no mask" else results[1:].min() > 0.01
assert max(swap_errors) < 100 * EPSILON
assert round(place_weights(4)[0], 2) == 2.08
# dog and man see each other, bites sees only what is before it: that leaks
between = np.tril(np.ones((4, 4)))
between[0, 2] = 1
mean_of = between / between.sum(axis=1, keepdims=True)
assert np.allclose((mean_of @ mean_of)[-1, [0, 2]], [19 / 48, 13 / 48], rtol=1e-14)
between[:3, :3] = 1  # and bites sees both: that does not
mean_of = between / between.sum(axis=1, keepdims=True)
assert np.ptp((mean_of @ mean_of)[-1, :3]) < EPSILON
assert np.allclose(measured_weights, place_weights(12)[:-1], atol=1e-10)
assert np.isclose(place_weights(12)[-1], 1 / 12) and np.allclose(-np.diff(place_weights(12)), 1 / np.arange(1, 12))
assert max(constant.values()) < 1e-13 and min(counted.values()) > 1e-3
assert np.allclose(with_mark, 1 / T[:12], rtol=1e-14)
for name, results in variance.items():
    standard_error = results.std(axis=0, ddof=1) / np.sqrt(len(SEEDS))
    off = np.abs(results.mean(axis=0) - derived_variance[name]) / standard_error
    assert off[[0 if name == "equal weights" else 63, 255]].max() < 4
assert np.abs(variance["random queries"][:, 0].mean() - 1) < 0.1
assert no_positions[:, 0].min() > 1e-3 and no_positions[:, 1:].max() < 1e-13
for name, (_, inside) in CACHED.items():
    assert cached[name][:, 0].min() > 1e-3 and cached[name][:, 2].max() < 1e-13
    assert cached[name][:, 1].max() < 1e-13 if inside else cached[name][:, 1].min() > 1e-3
for name, (*_, averaging, whole) in CASES.items():
    for results, zero in zip(plugged[name], (averaging, whole), strict=True):
        assert max(results) < 1e-13 if zero else min(results) > 1e-4
for orders_of_text, derived, one, two in told_apart.values():
    assert (one, two) == ({1}, {derived}) and derived == orders_of_text
assert first != second and prefix_bag(first) == prefix_bag(second)
assert len(first) == 81 and blind_orders(80) is None
assert (first, second) == (SWAPPED[0], SWAPPED[-1]) and len(SWAPPED) == 10
for (_, k), results in long_results.items():
    assert results[:, 0].min() > 1e-5 and results.max() < 0.002
    assert results[:, 1].max() < 1e-13 if k == 2 else results.min() > 5e-5
assert np.abs(count - T[:12]).max() < 0.35
assert (count.round() == T[:12]).all()
assert averaging_exception[0] == 13 and sorted(averaging_exception[1:]) == [
    [3, 6, 12],
    [4, 5, 11],
]
assert (different_means, different_last) == ({24}, {4})
comma = np.array([[0.0], [0], [1], [0], [0]])
nothing = np.zeros((5, 1))
read_causally = scaled_dot_product_attention(nothing, nothing, comma, mask=causal_mask(5))[:, 0]
assert np.allclose(read_causally, [0, 0, 1 / 3, 1 / 4, 1 / 5])
assert np.allclose(scaled_dot_product_attention(nothing, nothing, comma), 1 / 5)
assert np.isclose((place_weights(4)[1] - place_weights(4)[2]) / 4, 1 / 8)
assert np.isclose((place_weights(3)[0] - place_weights(3)[1]) / 3, 1 / 3)
for seed in SEEDS:  # a cache of keys turned on reading is the same model as RoPE
    text = np.array([[0, 1, 3, 4, 2, 11]])
    models = (fresh(seed, n_layers=3, position=scheme) for scheme in ("rotary", RotaryOnRead()))
    first, second = (last_rows(text, model, causal_mask(6)) for model in models)
    assert np.abs(first - second).max() < 1e-12
# With the figure
steps = -np.diff(1 / np.arange(1, 13))
assert int(np.argmax(steps < 0.01)) == 9 and np.allclose(steps[8:10], [1 / 90, 1 / 110])

# the same step with the norm after each sum
post_norm = {
    n_layers: [
        change(
            last_rows(
                pair,
                fresh(seed, n_layers=n_layers, norm="post"),
                causal_mask(4),
            )
        )
        for seed in SEEDS
    ]
    for n_layers in (1, 2)
}
assert max(post_norm[1]) < 1e-13 and min(post_norm[2]) > 0.05
assert fresh(0, n_layers=2)[1].norm == "pre"


def zero_queries(model):
    """The same model with queries 0, so that all weights are even."""
    parameters, config = model
    blocks = tuple(
        p._replace(attention=p.attention._replace(w_query=0 * p.attention.w_query)) for p in parameters.blocks
    )
    return parameters._replace(blocks=blocks), config


# what undoes the brittle ways, one part at a time
apart = np.array([[0, 3, 1, 2], [1, 3, 0, 2]])
later = np.array([[3, 0, 1, 2], [3, 1, 0, 2]])  # neighbours, but not first
for is_even, norm, d_ff in (
    (True, "none", 0),  # none of the three
    (True, "pre", 0),
    (True, "post", 0),
    (True, "none", 64),
    (False, "none", 0),
):
    models = [fresh(seed, n_layers=2, norm=norm, d_ff=d_ff) for seed in SEEDS]
    if is_even:
        models = [zero_queries(model) for model in models]
    is_bare = (is_even, norm, d_ff) == (True, "none", 0)
    for tokens, alter, mask, undone in (
        (swap_of_two, kernel_case, causal, norm == "pre"),
        (apart, kernel_case, causal_mask(4), not is_bare),
        (later, kernel_case, causal_mask(4), not is_bare),
        (far_pair, unchanged, far, not is_bare),
    ):
        results = [change(run(tokens, alter(model), [mask, mask])) for model in models]
        assert min(results) > 1e-4 if undone else max(results) < 1e-13
