"""The numbers of *Is a query any different from a key?*, checked with the names of its notebook at hand."""

from inorder.attention import causal_mask
from inorder.book.sentence import WORDS
from inorder.circuits import Head, head_scores, head_weights, reparametrise, swap

EPSILON = np.finfo(float).eps
SEEDS = range(20)


def rounding(n, size=1.0, c=8):
    """What a sum of n numbers of that size may be off by, in c such steps: c·n·ε."""
    return c * n * EPSILON * size


def random_head(d_model, d_head, rng):
    """W_Q and W_K as an untrained layer has them."""
    return Head(*rng.normal(size=(2, d_model, d_head)) / np.sqrt(d_model))


def exact_swap_by_hand():
    powers = np.exp([0, np.sqrt(2), 0, 2 * np.sqrt(2), 2 * np.sqrt(2)])
    says("= 1.41$ for *cross*", np.sqrt(2))
    says("= 2.83$ for each of *it* and *tired*", 2 * np.sqrt(2))
    as_written = [1, 4.11, 1, 16.9, 16.9]
    says("The exponentials are 1, 4.11, 1, 16.9 and 16.9, and their sum is 39.9", *powers, sum(as_written))
    says("*it* gets $16.9/39.9 = 0.42$", powers[3], sum(as_written), powers[3] / powers.sum())
    assert np.abs(weights_after[0] - powers / powers.sum()).max() < rounding(5)
    says("each word gets 1/5", 1, 5)
    assert np.abs(weights[0] - 1 / 5).max() < rounding(5)
    says("gave *animal* 0.81", weights[3, 0])
    assert np.array_equal(swapped, scores.T)  # sums of products of small whole numbers
    assert not np.allclose(weights_after, weights.T)
    assert np.abs(head_weights(X, X, swap(Head(W_Q, W_K))) - weights_after).max() < rounding(5)


def exact_head_that_looks_left():
    rows, look_left = np.eye(4), Head(np.eye(4, k=-1), np.eye(4), sharpness=np.log(9.0))
    says("the left neighbour has the exponential 9 and the three others have 1 each: it gets $9/12$", 9, 3, 1, 9, 12)
    as_built, turned = (head_weights(rows, rows, each) for each in (look_left, swap(look_left)))
    for weights_of, offset in ((as_built, -1), (turned, 1)):
        assert np.abs(np.diag(weights_of, offset) - 9 / 12).max() < rounding(4)
    masked = head_weights(rows, rows, swap(look_left), mask=causal_mask(4))
    assert np.abs(masked - np.tri(4) / np.arange(1, 5)[:, None]).max() < rounding(4)  # evenly


def exact_theorem_on_the_swap():
    """When all row sums and column sums of E agree, as in a cyclic table, the weights are transposed."""
    cyclic = np.array([np.roll([0.0, 1.0, -2.0], i) for i in range(3)])
    assert not np.array_equal(cyclic, cyclic.T)
    assert np.abs(softmax(cyclic.T) - softmax(cyclic).T).max() < rounding(3)
    for seed in SEEDS:
        s = np.random.default_rng(seed).normal(size=(5, 5))
        assert np.abs(softmax(s.T) - softmax(s).T).max() > 0.01 < np.abs(softmax(s.T) - softmax(s)).max()
        assert np.abs(softmax((s + s.T).T) - softmax(s + s.T)).max() == 0


def exact_cakes():
    assert np.abs(weights.sum(axis=1) - 1).max() < rounding(5)
    says("a slice from each of five, 2.38 cakes in all", len(weights), weights[:, 0].sum())


def exact_roles():
    """Layers with random weights, in float64: their scores have sizes up to 5, their values up to 10."""
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        x, value, head = rng.normal(size=(6, 16)), rng.normal(size=(6, 8)), random_head(16, 4, rng)
        over_queries = softmax(head_scores(x, x, head), axis=-2)
        swapped_layer = head_weights(x, x, swap(head)) @ value
        assert np.abs(swapped_layer - over_queries.T @ value).max() < rounding(16, 50)
        assert np.abs(swapped_layer - head_weights(x, x, head) @ value).max() > 0.1


def exact_biases():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        query, key, bias = rng.normal(size=(6, 4)), rng.normal(size=(6, 4)), rng.normal(size=4)
        without = softmax(query @ key.T)
        assert np.abs(softmax(query @ (key + bias).T) - without).max() < rounding(4, 50)
        assert np.abs(softmax((query + bias) @ key.T) - without).max() > 0.01


def exact_exercises():
    s = np.array([[0, np.log(2)], [0, 0]])
    assert np.abs(softmax(s).T - [[1 / 3, 1 / 2], [2 / 3, 1 / 2]]).max() < rounding(2)
    assert np.abs(softmax(s.T) - [[1 / 2, 1 / 2], [2 / 3, 1 / 3]]).max() < rounding(2)
    symmetric = np.array([[0.3, -1.2], [-1.2, 0.3]])
    assert np.abs(softmax(symmetric.T) - softmax(symmetric).T).max() < rounding(2)
    assert WORDS[3] == "it"
    turned = reparametrise(figures.head_of()[2], np.array([[0.0, 1.0], [-1.0, 0.0]]))  # with the figure
    assert np.array_equal(turned.w_query[3], [0, 2]) and np.array_equal(turned.w_key[[0, 2]], [[0, 2], [-2, 0]])
    for stretch in (0.7, 1, 1.4):
        assert "(0.0, 2.0)" in figures.turn_the_gauge(90, stretch)[-1].parts["words"]
