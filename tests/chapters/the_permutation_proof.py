"""The numbers of *The permutation proof*, checked with the names of its notebook at hand."""

from functools import partial
from math import factorial

from inorder.attention import attention_weights
from inorder.transformer import encode, fresh_model

close = partial(np.allclose, rtol=0, atol=1e-12)
SIZES = {"vocabulary_size": 20, "d_model": 16, "n_heads": 4, "d_ff": 32}
SEEDS = range(5)
FRACTIONS = np.array([[1, 4], [1, 2], [1, 4], [1, 4], [1, 4], [1, 2], [2, 7], [4, 7], [1, 7]])


def largest(left, right):
    return np.abs(left - right).max()


def run(x, model, mask=None):
    """The book's encoder on tokens (n,) or on rows (n, d_model): (n, d_model)."""
    return encode(x, *model, positions=np.arange(len(x)), mask=mask)


def exact_by_hand():
    weights = attention_weights(figures.QUERIES, figures.KEYS)
    for word, powers in zip(figures.WORDS, ([1, 2, 1], [4, 1, 2], [4, 2, 2]), strict=True):
        says(f"| {word} | {powers[0]} | {powers[1]} | {powers[2]} | {sum(powers)} |", *powers, sum(powers))
        assert close(weights[figures.WORDS.index(word)], np.array(powers) / sum(powers))
    moved = [2, 0, 1]
    hand, moved_hand = (attention(figures.QUERIES[o], figures.KEYS[o], figures.VALUES[o]) for o in ([0, 1, 2], moved))
    says(r"= (16, 4)$", *hand[1])
    assert close(hand, [[7, 14], [16, 4], [14, 7]]) and close(moved_hand, hand[moved])
    moved_weights = attention_weights(figures.QUERIES[moved], figures.KEYS[moved])
    says(
        r"A' &= \begin{pmatrix} 1/4 & 1/2 & 1/4 \\ 1/4 & 1/4 & 1/2 \\ 2/7 & 4/7 & 1/7 \end{pmatrix}", *FRACTIONS.ravel()
    )
    assert close(moved_weights.ravel(), FRACTIONS[:, 0] / FRACTIONS[:, 1])


def exact_steps():
    """The steps that the page prints, and that a step which is broken on purpose is found out."""
    assert gap(attention_scores(P @ Q, P @ K), P @ S @ P.T) == gap(moved, P @ whole) == gap(f(P @ X), P @ f(X)) == 0
    assert gap(softmax(moved_S), P @ A @ P.T) == 0 and gap(softmax(moved_S), P @ A) > 0.1
    assert gap((P @ A @ P.T) @ (P @ V), P @ (A @ V)) == 0 and gap((P @ A @ P.T) @ V, P @ (A @ V)) > 0.1


def exact_what_a_row_can_know():
    says("*Dog* has the same row in *dog man* as in *dog dog man man*")
    dog, man, other = range(3)
    for seed in SEEDS:
        model = fresh_model(seed, **SIZES, n_layers=6)
        row = run(np.array([dog, man]), model)[0]
        for text in ([dog, dog, man, man], [man, dog, man, dog], [man, dog]):
            assert largest(run(np.array(text), model)[text.index(dog)], row) < 1e-12
        for text in ([dog, dog, man], [dog, man, other]):
            assert largest(run(np.array(text), model)[0], row) > 0.01


def exact_slips():
    """Keys and values in an order of their own change nothing; a flip of signs is no symmetry."""
    rng = np.random.default_rng(0)
    scores, values = rng.normal(size=(8, 8)), rng.normal(size=(8, 4))
    first, second = (permutation_matrix(random_order(8, rng)) for _ in range(2))
    says("The letter $\\textcolor{position}{P_2}$ has vanished!")
    assert largest(softmax(first @ scores @ second.T) @ second @ values, first @ softmax(scores) @ values) < 1e-12
    weights, flip = softmax(np.array([[np.log(3), 0], [0, 0]])), np.diag([1, -1])
    says("R A R^\\top = \\begin{pmatrix} \\tfrac34 & -\\tfrac14 \\\\ -\\tfrac12 & \\tfrac12 \\end{pmatrix}")
    assert close(flip @ weights @ flip.T, [[3 / 4, -1 / 4], [-1 / 2, 1 / 2]])
    rotation = np.linalg.qr(rng.normal(size=(8, 8))).Q
    assert largest(softmax(rotation @ scores @ rotation.T), rotation @ softmax(scores) @ rotation.T) > 0.1


def exact_orders():
    says("has only $5!/(2!\\,2!\\,1!) = 30$ orders", 5, 2, 2, 1, factorial(5) / (factorial(2) * factorial(2)))


def exact_marks():
    says("the error is proportional to the mark, over twelve powers of ten", 12, 10)
    for errors in figures.errors_of_marks().values():
        slope = errors[5:-1] / 10.0 ** figures.POWERS[5:-1]
        assert np.ptp(slope) < 0.1 * slope.mean() and max(errors[:2]) < 1e-14


def exact_exercises():
    assert [error < 1e-12 for error in which_step.values()] == [True, False, True, False, True]
    playground = partial(PermutationPlayground, "dog big bites old dog", order=[4, 0, 1, 2, 3])
    two_dogs = playground(mask="causal")
    assert close(two_dogs.new_output[1], two_dogs.output[0]) and two_dogs.error > 0.05
    assert playground().error < 1e-12 and playground(mask="causal", mask_moves=True).error < 1e-12
