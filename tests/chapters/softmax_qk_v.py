"""The numbers of *softmax(QKᵀ/√d)V, derived*, checked with the names of its notebook at hand."""

import torch

from inorder.attention import attention_weights, causal_mask

tiny = 20 * np.finfo(float).eps
WIDTHS = (4, 16, 64, 256, 1024)


def exact_by_hand():
    says("the 4 becomes $4/\\sqrt2 = 2.83$", 4, 4, 4 / np.sqrt(2))
    power = np.exp(4 / np.sqrt(2))
    says("The powers are $e^{2.83} = 16.9$ and, three times, 1; their sum is 19.9", 2.83, power, 3, 1, power + 3)
    says("*animal* gets $16.9/19.9 = 0.85$, and every other word 0.05", power, power + 3, *weights[2, :2])
    says("(1.75,\\ 1.00)", *Y[2])
    head = AttentionCalculator(**CALCULATOR)
    bare = AttentionCalculator(**CALCULATOR, scale=False)
    assert np.abs(head.weights - weights).max() < tiny and np.abs(head.output - Y).max() < tiny
    says("Where does the 0.85 come from? Switch the scale off: it becomes 0.95", head.weights[2, 0], bare.weights[2, 0])


def exact_sharpness():
    says("add the same number to every score, and no weight changes")
    says("*street*, the second best, first gains and then vanishes")
    by_beta = []
    for beta in np.arange(0, 8.25, 0.25):
        at_beta = [sharpness(beta, added)[0].parts["weights"] for added in range(4)]
        assert np.abs(at_beta - at_beta[0]).max() < tiny
        by_beta.append(at_beta[0][0, SENTENCE.index("it"), BEST_FIRST[1]])
    assert 0 < np.argmax(by_beta) < len(by_beta) - 1 and by_beta[-1] < 0.01
    with np.errstate(over="ignore"):
        says("as $e^{1000}$ would", 1000)
        assert np.isinf(np.exp(1000.0))


def mean_of_largest(n):
    """The mean of the largest of n standard normal numbers: the integral of z times its density."""
    z = np.linspace(-8, 8, 4001)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    below = (np.cumsum(density) - density / 2) * (z[1] - z[0])
    return np.sum(z * n * density * below ** (n - 1)) * (z[1] - z[0])


def exact_luckiest_key():
    """How much the best of 32 keys gets: by the theorem, and in a thousand draws of 32 queries."""
    z_32 = mean_of_largest(32)
    says("For 32 keys $z_{32} = 2.07$", 32, 32, z_32)
    law = 1 - z_32 * np.log(2) / np.sqrt(64)
    says("$1 - 2.07 \\cdot 0.693/8 = 0.82$", 1, z_32, np.log(2), np.sqrt(64), law)
    largest = []
    for seed in range(1000):
        q, k = np.random.default_rng([64, seed]).normal(size=(2, 32, 64))
        largest.append([attention_weights(q, k, scale=s).max(axis=1) for s in (1, None)])
    bare, scaled = np.moveaxis(largest, 1, 0)
    says("3. About 0.8:", 3, bare.mean())
    says("2. About 0.16:", 2, scaled.mean())
    says("Only one query in nine goes that far")
    assert abs((bare > 0.999).mean() - 1 / 9) < 0.02
    assert abs(bare.mean() - law) < 0.01
    says("turns a lead of 3 into a factor of 20", 3, np.round(np.exp(3)))


def exact_width():
    by_width = {
        scaled: [
            softmax(wide_query[:, :d] @ wide_key[:, :d].T / (np.sqrt(d) if scaled else 1)).max(axis=1).mean()
            for d in WIDTHS
        ]
        for scaled in (False, True)
    }
    says("the best key takes more and more as the head gets wider. With it, the width hardly matters")
    assert (np.diff(by_width[False]) > 0).all() and np.ptp(by_width[True]) < 0.02


def exact_derivative():
    jacobian = torch.func.jacrev(lambda x: torch.softmax(x, dim=0))
    for a in (0.7, 0.999):
        rates = jacobian(torch.log(torch.tensor([a, 1 - a], dtype=torch.float64))).numpy()
        assert np.allclose(rates, a * (1 - a) * np.array([[1, -1], [-1, 1]]))
    says("At $a = 0.7$ the first is 0.21, at $a = 0.999$ it is 0.001", 0.7, 0.7 * 0.3, 0.999, 0.999 * 0.001)


def exact_masks():
    row, may = np.log([1.0, 2.0, 2.0]), np.array([True, True, False])
    assert np.allclose(softmax(np.where(may, row, -np.inf)), [1 / 3, 2 / 3, 0], rtol=tiny)
    says("A score of 0 would leave it a power of 1", 0, np.exp(0))
    assert np.isclose(softmax(row * may)[2], 1 / 4, rtol=tiny)
    says("leaves a row that no longer adds up to 1", 1)
    assert np.allclose((softmax(row) * may)[:2], [1 / 5, 2 / 5], rtol=tiny)
    says("Ours raises an error")
    try:
        attention_weights(Q, K, mask=np.zeros((4, 4), dtype=bool))
        raise AssertionError("a row without keys went through")
    except ValueError:
        pass


def exact_exercises():
    s = np.log(2) * np.array([[1.0, 0, 0], [0, 1, 1], [2, 0, 1]])
    v = np.array([[4.0, 0], [0, 4], [8, 8]])
    assert np.allclose(softmax(s) @ v, [[4, 3], [4, 24 / 5], [32 / 7, 20 / 7]], rtol=tiny)
    late = softmax(np.where(causal_mask(3), s, -np.inf)) @ v
    assert np.allclose(late, [[4, 0], [4 / 3, 8 / 3], [32 / 7, 20 / 7]], rtol=tiny)
    found = CALCULATOR | {"w_key": [[1, 0], [2, 1], [0, 0], [0, 0]]}
    head, bare = AttentionCalculator(**found), AttentionCalculator(**found, scale=False)
    says("The key of *street* is then (4, 2)", *head.key[1])
    says("so it gets 0.94. Without the scale it gets 0.98", head.weights[2, 1], bare.weights[2, 1])
    assert np.isclose(bare.weights[2, 1] / bare.weights[2, 0], (head.weights[2, 1] / head.weights[2, 0]) ** np.sqrt(2))
