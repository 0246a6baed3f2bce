"""The numbers of *Rotary position*, checked with the names of its notebook at hand."""

# in code: each pair of columns as one complex number
rows_of_16 = np.random.default_rng(0).normal(size=(12, 16))
assert np.allclose(turned, rotary_encoding(rows_of_16, p), atol=1e-12)
