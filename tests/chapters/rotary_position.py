"""The numbers of *Rotary position*, checked with the names of its notebook at hand."""

from inorder.attention import attention_scores, merge_heads, scaled_dot_product_attention, split_heads
from inorder.encodings import frequencies, shift_matrix


def exact_attempts():
    says("A query at 5 and a key at 3 give $5 \\cdot 3 = 15$", 5, 3, 5, 3, 5 * 3)
    says("a hundred words later $105 \\cdot 103 = 10{,}815$", 105, 103, 10, 815)
    assert 105 * 103 == 10_815
    says("at position 1,000 the query has been multiplied by a number of 302 digits", 1000, len(str(2**1000)))


def exact_by_hand():
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])  # of a row
    once, twice, thrice = (np.array([5, 0]) @ np.linalg.matrix_power(turn, k) for k in (1, 2, 3))
    says("turned once: $(3, 4)$ | twice: $(-1.4, 4.8)$", *once, *twice)
    says("$-4.2 + 19.2 = 15$", *once * twice, once @ twice)
    says("three times: $(-4.68, 1.76)$", *thrice)
    says("$6.552 + 8.448 = 15$", *twice * thrice, twice @ thrice)
    says("here $5 \\cdot 5 \\cdot 0.6$", 5, 5, once @ twice / 25)


def exact_code():
    rows, at = np.random.default_rng(0).normal(size=(12, 16)), np.arange(12)
    np.testing.assert_allclose(turned, rotary_encoding(rows, at), rtol=0, atol=1e-12)
    np.testing.assert_allclose(halves, turned[:, order], rtol=0, atol=1e-12)


def exact_head_that_looks_left():
    """The same curve, with its top two to the left, where the word next door gets less."""
    deltas = np.arange(-8, 9)
    kappa = np.cos(np.outer(deltas + 2, frequencies(12, base=100))).sum(axis=1)
    assert deltas[kappa.argmax()] == -2 and kappa[deltas == -1] < kappa[deltas == -2]
    says("largest at $\\Delta = 0$, and smaller far away, though not at every step", 0)
    falls = np.diff(np.cos(np.outer(np.arange(200), frequencies(64))).sum(axis=1))
    assert (falls > 0).any()


def exact_values():
    """Turned values show where the text stands; turned back by the query's position, they don't."""
    q, k, v = np.random.default_rng(11).normal(size=(3, 6, 8))

    def outputs(start, turns, turns_back):
        at = np.arange(6) + start
        values = rotary_encoding(v, at) if turns else v
        rows = scaled_dot_product_attention(rotary_encoding(q, at), rotary_encoding(k, at), values)
        return rotary_encoding(rows, -at) if turns_back else rows

    says("the output would change when the whole text moves")
    for case, moves in {(0, 0): False, (1, 0): True, (1, 1): False}.items():
        change = np.abs(outputs(50, *case) - outputs(0, *case)).max()
        assert change > 0.1 if moves else change < 1e-12


def exact_conversion():
    """Both matrices converted: the same scores. Neither: only the diagonal."""
    x, w_q, w_k = (np.random.default_rng(s).normal(size=size) for s, size in enumerate([(9, 8), (8, 32), (8, 32)]))
    convert = layout_permutation(16)

    def scores(pairing, *weights):
        heads = [rotary_encoding(split_heads(x @ w, 2), np.arange(9), pairing=pairing) for w in weights]
        return attention_scores(*heads)

    trained = scores("interleaved", w_q, w_k)
    both = [merge_heads(split_heads(w, 2)[..., convert]) for w in (w_q, w_k)]
    np.testing.assert_allclose(scores("halves", *both), trained, rtol=0, atol=1e-12)
    off = np.abs(scores("halves", w_q, w_k) - trained)
    says("only the diagonal of its scores is right")
    for offset in range(9):
        error = np.diagonal(off, offset, 1, 2).max()
        assert error < 1e-12 if offset == 0 else error > 0.1


def exact_merged_matrices():
    """One matrix for each offset; together they span d dimensions."""
    d = 6
    w_q, w_k = np.random.default_rng(3).normal(size=(2, 9, d))
    stack = np.array([(w_q @ shift_matrix(delta, d) @ w_k.T).ravel() for delta in range(-20, 21)])
    assert np.linalg.matrix_rank(stack) == d
    x = np.random.default_rng(4).normal(size=(5, 9))
    with_rope = rotary_encoding(x @ w_q, np.arange(5)) @ rotary_encoding(x @ w_k, np.arange(5)).T
    for i, j in np.ndindex(5, 5):
        assert np.isclose(with_rope[i, j], x[i] @ w_q @ shift_matrix(j - i, d) @ w_k.T @ x[j])


def exact_exercises():
    arrow, turn = np.array([0.0, 1.0]), np.array([[0.0, 1.0], [-1.0, 0.0]])
    scores = [(arrow @ np.linalg.matrix_power(turn, delta % 4))[0] for delta in (-1, 0, 1, 2)]
    np.testing.assert_allclose(scores, [1, 0, -1, 0])
    words = figures.two_arrows(12, -1)[-1].parts["words"]
    assert "their raw score is 2.31" in words
    scores = {k: (figures.QUERY * (figures.KEY * np.exp(1j * figures.STEP * k)).conjugate()).real for k in range(-4, 5)}
    says("with a raw score of 2.31 against 1.80 at Δ = 0", scores[-1], scores[0], 0)
    assert max(scores, key=scores.get) == -1
    says("the key points 40 degrees ahead of the query", np.degrees(np.angle(figures.KEY)))
    assert checks.looks_left(rotary_encoding(np.ones((1, 8)), np.array([-1]))[0], np.ones(8)).passed
