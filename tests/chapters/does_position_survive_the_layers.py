"""The numbers of *Does position survive the layers?*, checked with the names of its notebook at hand."""

import math

from inorder.stored import read_record

EPSILON = np.finfo(float).eps


def row_1(norm, n_layers, alpha=1.0):
    """What row 1 of four words holds of its own word, and of another."""
    layers = figures.crude_layers(norm, alpha, 4, n_layers)
    return np.linalg.multi_dot([np.eye(4), *layers[::-1], np.eye(4)])[1, [1, 0]]


def exact_by_hand():
    says("= \\tfrac58$ of *dog* and $\\tfrac18$ of each of the others")
    assert np.allclose(row_1("post", 1), [5 / 8, 1 / 8]) and np.allclose(row_1("pre", 1), [5 / 8, 1 / 8])
    says("= \\tfrac7{16}$ of *dog*, $\\tfrac3{16}$ of each", 16, 16)
    assert np.allclose(row_1("post", 2), [7 / 16, 3 / 16])
    says("= \\tfrac12$ of *dog*, $\\tfrac16$ of each")
    assert np.allclose(row_1("pre", 2), [1 / 2, 1 / 6])
    for n_layers in range(25):
        for norm, own in (("post", 2.0**-n_layers), ("pre", 1 / (n_layers + 1))):
            assert math.isclose(np.subtract(*row_1(norm, n_layers)), own, abs_tol=1e-12)


def own_part(rows):
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return 1 - (unit @ unit.T)[~np.eye(len(rows), dtype=bool)].mean()


def exact_two_laws():
    """Rows of one norm and one angle, and layers that add a vector at right angles: the theorem to rounding."""
    n, d, alpha = 5, 40, 0.7
    for norm in ("post", "pre"):
        shared = np.zeros(d)
        shared[n] = 0.5
        rows = np.eye(n, d) + shared
        rows *= alpha / np.linalg.norm(rows, axis=1, keepdims=True)
        s, squared = own_part(rows), alpha**2
        for layer in range(20):
            read = rows / np.linalg.norm(rows, axis=1, keepdims=True)
            c = 1 - s * (1 - 1 / n)
            rows = rows + np.linalg.norm(read.mean(axis=0)) * np.eye(d)[n + 1 + layer]
            s = squared * s / (squared + c)
            assert math.isclose(own_part(rows), s, abs_tol=10 * d * EPSILON)  # a difference of sums of d products
            if norm == "post":
                rows *= alpha / np.linalg.norm(rows, axis=1, keepdims=True)
            else:
                squared += c
                assert np.allclose((rows**2).sum(axis=1), squared)


def exact_sizes_of_pytorch():
    """W_V has the variance 1/(2d), W_O 1/(3d): what PyTorch's rules say; `tests/lab` draws them."""
    d = 32
    w_value, w_output = 2 / (d + 3 * d), 1 / (3 * d)  # Glorot's rule for Q, K, V together; a uniform ± 1/√d
    added = d * w_value * d * w_output
    assert math.isclose(added, 1 / 6)
    says("and $\\alpha^2 = 6$", 2, 1 / added)
    keeps = [1 / (1 + added), 1 / (1 + 16 * added)]
    assert math.isclose(keeps[0], 6 / 7) and math.isclose(keeps[1], 3 / 11)
    says("After 24 layers, 2%", 24, keeps[0] ** 24)
    says("$3 \\cdot 10^{-14}$", keeps[1] ** 24 * 1e14, 10, -14)


def recorded_initial_scale():
    runs = read_record("position_by_start.json")
    default, twice = (np.array(runs["scales"]["post"][scale])[:, -1] for scale in ("1", "2"))
    assert default.min() > 0.99
    says("at least 0.99 of the positions", 0.99)
    says("the answer would be one time in 16", 1, 16)
    assert np.abs(twice - 1 / 16).max() < 0.01
    assert 0.7 < figures.by_scale("pre", 2.0)[-1] < 0.95  # "keeps most of it"


def recorded_two_orders():
    orders = read_record("position_erased.json")["two orders"]
    says("a probe still names 0.85 of the positions there", orders["probe"][4])
    says("Without it the two orders get nearly the same vector")
    assert max(figures.distance_left(texts, "position")[0] for texts in figures.LISTS) < 0.05
    shares = three_lists("position", 4)
    says("each of the 155 pairs keeps at least three quarters", sum(map(len, shares)))
    assert min(map(min, shares)) >= 0.75
    assert all(0.75 < share < 1.5 for texts in figures.LISTS for share in figures.distance_left(texts, "others"))


def three_lists(what, state):
    """The distances left after this many layers, of the pairs of each list of words."""
    orders = read_record("position_erased.json")["two orders"]
    names = [texts for texts in figures.LISTS if texts != "other sentences"]
    return [np.array(orders[what][name][state]) / np.array(orders["untouched"][name][0]) for name in names]


def recorded_returns():
    returns = read_record("position_erased.json")["returns"]
    says("four layers later it is back")
    whole = "mask and rotations"
    assert returns["erased"][whole][-1] > 0.85 * returns["untouched"][whole][-1]
    says("without the mask and without the rotations, it isn't")
    assert returns["erased"]["neither"][-1] < 1.5 / 24 < 2 / 24 < returns["untouched"]["neither"][-1]


def exact_figure_exercise():
    says("together $\\tfrac28 = 0.25$", 2 / 8)
    powers = [(alpha / (alpha + 1)) ** 6 for alpha in (2, 4)]
    says("0.09 for α = 2 and 0.26 for α = 4", powers[0], 2, powers[1], 4)


def exact_half_life():
    for alpha, layers in ((1, 7), (4, 76)):
        assert math.ceil(math.log(0.01) / math.log(alpha**2 / (1 + alpha**2))) == layers
    says("99 layers for $\\alpha = 1$ and 1,584 for $\\alpha = 4$", 99, 1, 99 * 16, 4)
