"""The numbers of *[A, B] against [B, A]*, checked with the names of its notebook at hand."""

from functools import partial

from harness.chapter import n_different
from inorder.transformer import decode, encode, fresh_model

close = partial(np.allclose, rtol=0, atol=1e-12)
EPSILON = np.finfo(float).eps
SEEDS = range(10)
# a decoder with random parameters and without positions
fresh = partial(fresh_model, vocabulary_size=12, d_model=32, n_heads=4, d_ff=64, position="none")


def exact_by_hand():
    by_hand = {prompt: (weights, output) for prompt, weights, output in bars}
    says("The row of C sums to 7", powers.sum())
    assert close(by_hand["ABC"][0], [1 / 7, 2 / 7, 4 / 7]) and close(by_hand["BAC"][0], [2 / 7, 1 / 7, 4 / 7])
    for prompt in ("ABC", "BAC"):
        says("= (15, 18)", *by_hand[prompt][1])
    assert close(by_hand["AB"][0], [1 / 3, 2 / 3]) and close(by_hand["BA"][0], [1 / 2, 1 / 2])
    assert close(powers / powers.sum() @ values, [15, 18])


def exact_slips():
    scores = np.log([[1.0], [2], [4]])
    says('the "average" is the plain sum $(42, 42)$', *(softmax(scores).T @ values)[0])
    without = (scores.T @ values)[0]
    says("that is $\\ln 2 \\cdot (42, 63)$, or $(29.1, 43.7)$", 2, *without / np.log(2), *without)


def exact_one_layer():
    """PyTorch's layer, and twenty of the book's decoders: norm before or after, with and without the residual."""

    def gap(first, second, model):
        logits = [decode(np.array(p), *model, positions=np.arange(len(p)))[0][-1] for p in (first, second)]
        return np.abs(logits[0] - logits[1]).max()

    says("the fair test, and the model must fail it")
    for seed in SEEDS:
        for settings in ({"norm": "pre"}, {"norm": "post"}, {"residual": 0.0}):
            model = fresh(seed, n_layers=1, **settings)
            assert gap([0, 1, 2], [1, 0, 2], model) < 100 * EPSILON < 0.01 < gap([0, 1], [1, 0], model)
    for prompts, apart in ((("AB", "BA"), True), (("ABC", "BAC"), False)):
        first, second = (last_row(prompt) for prompt in prompts)
        assert ((first - second).abs().max() > 0.1) == apart


def exact_read_outs():
    """Which token is last, from an encoder's last row; nothing, from the mean of its rows."""
    says("tells you which token is last, and nothing more of the order")
    orders = np.array(list(permutations(range(4))))  # (order 24, n 4)
    for seed in SEEDS:
        hidden = encode(orders, *fresh(seed, n_layers=3), positions=np.arange(4))
        assert n_different(hidden[:, -1]) == 4 and n_different(hidden.mean(axis=1)) == 1


def exact_rounding():
    assert (0.1 + 0.2) + 0.3 != (0.3 + 0.2) + 0.1
    grows = np.finfo(np.float32).eps / EPSILON
    says("by a factor of about 500 million, $2^{29}$", round(grows / 1e6, -2), 2, np.log2(grows))


def exact_exercises():
    for prompt in ("CAB", "ACB"):
        assert close(figures.weights_and_output(prompt, "B")[1], [21 / 2, 63 / 4])
    assert verdict.passed
