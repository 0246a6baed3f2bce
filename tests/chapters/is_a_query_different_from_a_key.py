"""The numbers of *Is a query any different from a key?*, checked with the names of its notebook at hand."""

from inorder.attention import causal_mask
from inorder.book.sentence import WORDS
from inorder.circuits import parameter_counts, qk_circuit, reparametrise


def rounding(n, size=1.0, c=8):
    """What a sum of n numbers of that size may be off by, in c such steps: c·n·ε."""
    return c * n * epsilon * size


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
    assert np.array_equal(swapped, scores.T)  # sums of products of small whole numbers
    assert not np.allclose(weights_after, weights.T)
    assert np.abs(head_weights(X, X, swap(Head(W_Q, W_K))) - weights_after).max() < rounding(5)


def exact_roles():
    """Layers with random weights, in float64: their scores have sizes up to 5, their values up to 10."""
    assert max(swapped_gaps) < rounding(16, 50) and max(shared_out) < rounding(16, 50)
    assert max(tied_change) == 0
    assert min(min(gaps) for sides_of, gaps in differences.items() if sides_of != "keys, keys") > 0.1
    least = 0.4
    says("the change was 0.4 of the largest output or more", least)
    says("by 0.4 of the largest or more, if the scores have size 1", least, 1)
    assert min(differences["queries, queries"]) > least
    most = 0.07
    says("with matrices a tenth as large, 0.07 at most", most)
    says("the change is 0.07 at most", most)
    assert 0 < max(small_changes) < most


def exact_gauge():
    """The scores stay, up to rounding that grows with how unevenly G stretches."""
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        x, head, g = rng.normal(size=(6, 16)), random_head(16, 4, rng), rng.normal(size=(4, 4))
        change = np.abs(head_scores(x, x, reparametrise(head, g)) - head_scores(x, x, head)).max()
        assert change < rounding(16, np.linalg.cond(g))
        bare = head._replace(sharpness=1.0)
        assert np.abs(x @ qk_circuit(head) @ x.T - head_scores(x, x, bare)).max() < rounding(16, 50)
    for turn in range(0, 181, 15):
        for stretch in (0.7, 1, 1.4):
            assert figures.turn_the_gauge(turn, stretch)[-1].parts["sign"] == "="


def exact_head_that_looks_left():
    rows, look_left = np.eye(4), Head(np.eye(4, k=-1), np.eye(4), sharpness=np.log(9.0))
    says("the left neighbour has the exponential 9 and the three others have 1 each. It gets $9/12$", 9, 3, 1, 9, 12)
    as_built, turned = (head_weights(rows, rows, each) for each in (look_left, swap(look_left)))
    for weights_of, offset in ((as_built, -1), (turned, 1)):
        assert np.abs(np.diag(weights_of, offset) - 9 / 12).max() < rounding(4)
    masked = head_weights(rows, rows, swap(look_left), mask=causal_mask(4))
    assert np.abs(masked - np.tri(4) / np.arange(1, 5)[:, None]).max() < rounding(4)


SINUSOIDS = "sinusoids, pre-norm"


def recorded_neighbours():
    assert list(names) == list(SET_UPS) and {len(by_seed) for by in names.values() for by_seed in by.values()} == {3}
    shares = {set_up: {state: np.array(seeds) for state, seeds in by.items()} for set_up, by in names.items()}
    bound = 0.99
    says("name the left neighbour in more than 99% of all positions", bound)
    assert min(by["as trained"][:, 0].min() for by in shares.values()) > bound
    says("Swapped, they name the right one in more than four fifths, with every seed")
    says("name the word to the right in more than four fifths of all positions")
    assert min(by["swapped"][:, 1].min() for by in shares.values()) > 4 / 5
    says("the left one only a little more often than by chance, which is one time in ten")
    assert shares[SINUSOIDS]["swapped"][:, 0].max() < 0.15
    assert shares[SINUSOIDS]["as trained"][:, 1].max() < 0.2
    says("each neighbour is named in fewer than four positions out of ten", 4, 10)
    assert max(by["swapped, columns reversed"].max() for by in shares.values()) < 4 / 10
    for state, maps in looks.items():
        darkest = np.array(maps).argmax(axis=-1) - np.arange(8)  # (seed, query)
        inside = darkest[:, 1:] if state == "as trained" else darkest[:, :-1]
        assert np.mean(inside == (-1 if state == "as trained" else 1)) > 4 / 5


def again_neighbours():
    stored_names = train_and_swap.stored()["names"]
    for set_up, by_state in names.items():
        new, old = (np.array(by["swapped"])[:, 1] for by in (by_state, stored_names[set_up]))
        alike(new, old)
        left, right = np.moveaxis(np.array([by_state["as trained"], by_state["swapped"]]), -1, 0)  # (state, seed)
        assert (left[0] > 0.9).all() and (left[1] < right[1]).all()  # chance is 0.1
    for state, maps in looks.items():
        assert np.shape(maps) == (3, 8, 8), state


def recorded_trained_encoder():
    """The biases of all-MiniLM-L6-v2."""
    query_bias, key_bias = np.array(sides["query_bias"]), np.array(sides["key_bias"])
    says("in all 72 heads the bias of the query is clearly not 0", query_bias.size, 0)
    assert query_bias.min() > 20 * key_bias.max()
    says("the median norm of $b_Q$ is 1.09, and that of $b_K$ is 0.004", np.median(query_bias), np.median(key_bias))

    def larger_in(measured):
        return np.sum(np.array(measured["key_gain"]) > np.array(measured["query_gain"]))

    of_model = json.loads(stored("trained_encoder.json").read_text(encoding="utf8"))["query_and_key"]
    short = of_model["by_length"][of_model["lengths"].index(16)]
    says("in 49 of 72 heads in long pieces of text, in 31 in short ones", larger_in(sides), 72, larger_in(short))


def ends_of(moved):
    """{run: how far the bias is from 0 at the end, (seed,)}."""
    return {run: seeds[:, -1] for run, seeds in moved.items()}


def theorem_on_biases(key, changes):
    """The gradient of the key's bias is 0.

    What plain gradient descent adds in 300 steps is the rounding of each, ε; Adam in float64 takes the rate of 0.01
    times ε/10⁻⁸ at most, 300 times; and a constant in all scores of a row changes outputs of size 5 by rounding.
    """
    assert key["SGD, float64"].max() < 300 * epsilon
    assert key["Adam, float64"].max() < 300 * 0.01 * epsilon / 1e-8
    for run, (_, dtype) in optimisers.items():
        assert max(changes[run]) < 100 * 5 * torch.finfo(dtype).eps


def recorded_biases():
    query, key = ends_of(query_moved), ends_of(key_moved)
    theorem_on_biases(key, {run: each["change"] for run, each in results.items()})
    says("300 steps, five seeds; plain gradient descent", STEPS[-1], len(key["SGD, float64"]))
    says("in float64 by less than $10^{-8}$", 10, -8)
    assert key_moved["Adam, float64"].max() < 1e-8
    drift = key["Adam, float32"]
    says("moves $b_K$ by about 0.01 to 0.1", drift.min(), drift.max())
    assert drift.min() > 1e4 * key["Adam, float64"].max()
    bound = 0.001
    says("and with ε = $10^{-6}$ by less than 0.001", 10, -6, bound)
    assert key["Adam, float32, ε = 1e-6"].max() < bound
    bound = 0.1
    says("The query's bias, which moves by more than 0.1 in every run", bound)
    assert min(seeds.min() for seeds in query.values()) > bound


def again_biases():
    """Adam in float32 meets roundings of 10⁻⁸, as large as its ε: some of its 300 steps of 0.01 at most remain."""
    query, key = ends_of(query_moved), ends_of(key_moved)
    theorem_on_biases(key, {run: each["change"] for run, each in results.items()})
    drift = key["Adam, float32"]
    assert 1e4 * key["Adam, float64"].max() < drift.min() and drift.max() < 300 * 0.01
    assert np.median(key["Adam, float32, ε = 1e-6"]) < np.median(drift) / 10
    for run, each in biases_moved.stored().items():
        alike(query[run], each["moved"][:, 0, -1])


def theorem_on_the_shared_direction(rtol):
    """The gradient of W_K along μ is 0: 300 steps add their rounding, and weight decay takes 0.3 · 0.05 in each.

    With μ on an axis Adam divides a rounding error by 10⁻⁸ at least, and takes 0.01 of that: as for the biases, in
    four numbers of size up to 10.
    """
    assert runs["plain"]["moved"][:, 0, 1].max() < 300 * epsilon
    assert np.allclose(runs["weight decay"]["left"][:, 0, 1], (1 - 0.3 * 0.05) ** 300, rtol=rtol)
    assert runs["Adam, μ on an axis"]["moved"][:, 0, 1].max() < 300 * 0.01 * 4 * 10 * epsilon / 1e-8


def recorded_shared_direction():
    theorem_on_the_shared_direction(rtol=1e-5)  # a record has six digits
    moved, left = ({name: run[what] for name, run in runs.items()} for what in ("moved", "left"))
    along_mu = moved["plain"][:, 0]  # (seed, matrix)
    says("In five runs of plain gradient descent", len(along_mu))
    says("moved along $\\mu$ by 0.51 to 1.50, and", along_mu[:, 0].min(), along_mu[:, 0].max())
    says("and $W_K$ by less than $10^{-14}$", 10, -14)
    assert along_mu[:, 1].max() < 1e-14
    assert moved["plain"][:, 1].min() > 0.1  # along another direction
    says("Weight decay leaves a hundredth of $W_K$ along $\\mu$ after 300 steps", 300)
    assert np.round(100 * left["weight decay"][:, 0, 1]).tolist() == [1] * 5
    norms = runs["weight decay"]["norms"][-1, 0]
    assert norms[0] > 10 * norms[1]
    of_key = moved["Adam"][:, 0, 1]
    says("Adam moved $W_K$ along $\\mu$ by 0.29 to 0.82", of_key.min(), of_key.max())
    on_axis = moved["Adam, μ on an axis"][:, 0]
    assert on_axis[:, 1].max() < 1e-8 and on_axis[:, 0].min() > 0.1
    assert max(max(runs[name]["loss"]) for name in ("plain", "Adam")) < 0.1
    for run in runs.values():
        assert run["norms"].shape == (61, 2, 2)


def again_shared_direction():
    theorem_on_the_shared_direction(rtol=1e-9)
    for name, old in moved_along.stored().items():
        for direction, matrix in ((0, 0), (1, 0), (1, 1)):
            alike(runs[name]["moved"][:, direction, matrix], old["moved"][:, direction, matrix])
    alike(runs["Adam"]["moved"][:, 0, 1], moved_along.stored()["Adam"]["moved"][:, 0, 1])


def exact_counts():
    for heads in (1, 2, 4, 8, 16):
        counts = parameter_counts(512, 512 // heads, heads)
        assert counts.merged / counts.factored == heads / 2
        assert counts.distinct == heads * (2 * 512 * (512 // heads) - (512 // heads) ** 2)
    says("$2 \\cdot 768^2 = 1\\,179\\,648$", 2, 768, 2, 1, 179, 648)
    assert 2 * 768**2 == 1_179_648 and 6 * 1_179_648 == 7_077_888 and 64**2 == 4096
    says("$14\\,155\\,776$ and $84\\,934\\,656$", 14, 155, 776, 84, 934, 656)
    says("$589\\,824$ in all, so $13\\,565\\,952$ are left", 589, 824, 13, 565, 952)
    assert (12 * np.array(parameter_counts(768, 64, 12))).tolist() == [14_155_776, 84_934_656, 13_565_952]
    assert 14_155_776 - 589_824 == 13_565_952 and 144 * 64**2 == 589_824
    says("32 query heads share 8 key heads of width 128", 32, 8, 128)
    says("has the shape (4096, 4096)", 32 * 128, 32 * 128)
    says("the shape (4096, 1024)", 4096, 8 * 128)


def exact_rank():
    squares = [np.linalg.svd(np.random.default_rng(s).normal(size=(64, 64)), compute_uv=False) ** 2 for s in SEEDS]
    left_out = np.mean([np.sqrt(each[8:].sum() / each.sum()) for each in squares])
    says(
        "some random 64 × 64 $B$, a head of width 8 could come no closer to it than 0.79 of its norm",
        64,
        64,
        8,
        left_out,
    )


def exact_step_in_another_gauge():
    by_gauge = {"rotation": [], "stretch": []}
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        head, gradient = random_head(16, 4, rng), rng.normal(size=(16, 16))

        def step(pair, gradient=gradient):
            query, key = gradient @ pair.w_key, gradient.T @ pair.w_query
            return qk_circuit(Head(pair.w_query - 1e-3 * query, pair.w_key - 1e-3 * key)) - qk_circuit(pair)

        for name, g in (("rotation", np.linalg.qr(rng.normal(size=(4, 4))).Q), ("stretch", 2 * np.eye(4))):
            off = np.abs(step(reparametrise(head, g)) - step(head)).max()
            by_gauge[name].append(off / np.abs(step(head)).max())
    assert max(by_gauge["rotation"]) < rounding(16, 1e3)  # a step changes B by a thousandth
    assert min(by_gauge["stretch"]) > 0.1


def exact_cross_attention():
    rng = np.random.default_rng(0)
    text, memory, head = rng.normal(size=(5, 16)), rng.normal(size=(5, 16)), random_head(16, 4, rng)
    assert np.abs(head_scores(text, memory, swap(head)) - head_scores(text, memory, head).T).max() > 1
    other_widths = swap(Head(np.zeros((16, 4)), np.zeros((10, 4))))
    refused = False
    try:
        head_scores(np.zeros((4, 16)), np.zeros((6, 10)), other_widths)
    except ValueError:
        refused = True
    assert refused


def exact_exercises():
    s = np.array([[0, np.log(2)], [0, 0]])
    assert np.abs(softmax(s).T - [[1 / 3, 1 / 2], [2 / 3, 1 / 2]]).max() < rounding(2)
    assert np.abs(softmax(s.T) - [[1 / 2, 1 / 2], [2 / 3, 1 / 3]]).max() < rounding(2)
    symmetric = np.array([[0.3, -1.2], [-1.2, 0.3]])
    assert np.abs(softmax(symmetric.T) - softmax(symmetric).T).max() < rounding(2)
    for seed in SEEDS:  # which is which
        rng = np.random.default_rng(seed)
        w_query, w_key, w_value = rng.normal(size=(3, 16, 4)) / 2
        x = rng.normal(size=(5, 16))
        one, other = (
            scaled_dot_product_attention(x @ first, x @ second, x @ w_value)
            for first, second in ((w_query, w_key), (w_key, w_query))
        )
        assert not np.allclose(one, other)
    assert WORDS[3] == "it"
    turned = reparametrise(figures.head_of()[2], np.array([[0.0, 1.0], [-1.0, 0.0]]))  # with the figure
    assert np.array_equal(turned.w_query[3], [0, 2]) and np.array_equal(turned.w_key[[0, 2]], [[0, 2], [-2, 0]])
    for stretch in (0.7, 1, 1.4):
        assert "(0.0, 2.0)" in figures.turn_the_gauge(90, stretch)[-1].parts["words"]
