"""The numbers of *What else is in a block?*, checked with the names of its notebook at hand."""

from inorder.pretrained import decoder
from inorder.transformer import flatten_parameters
from pretrained_files import why_missing

EPSILON = np.finfo(float).eps


def exact_five_lines_of_the_figure():
    """Only attention has another row in it: everywhere else the change of another row is exactly 0."""
    for seed in range(10):
        moved, _ = figures.moved_by_line("no mask", seed)
        assert np.array_equal(moved[1] > 0, np.eye(5, dtype=bool)) and moved[2:].min() > 0.001
    says("ink crosses from column to column beside the second line and nowhere else")
    assert "attention" in figures.LINES[1]


def exact_by_hand():
    words = {"animal": (2, 1), "street": (0, 3), "tired": (1, 0), "wide": (0, 1)}
    says(
        "above 0 for *animal* (2, 1), and 0 for *street* (0, 3), *tired* (1, 0) and *wide* (0, 1)",
        0,
        *words["animal"],
        0,
        *words["street"],
        *words["tired"],
        *words["wide"],
    )
    assert {word: figures.both(*numbers)[1] for word, numbers in words.items()} == {
        "animal": 1,
        "street": 0,
        "tired": 0,
        "wide": 0,
    }
    says("(1, 1, 3, 3)$ has the mean 2", 1, 1, 3, 3, 2)
    assert np.allclose(layer_norm(np.array([1.0, 1, 3, 3]), eps=0), [-1, -1, 1, 1])
    assert np.allclose(layer_norm(np.array([[1.0, 3], [10, 50]]), eps=0), [-1, 1])


def exact_five_lines():
    assert np.abs(x - ours).max() < 20 * EPSILON
    assert np.abs(x_today - ours_today).max() < 20 * EPSILON


def exact_counts():
    says("together 884,736", 2 * 576**2 + 2 * 576 * 192)
    says("together 2,654,208", 3 * 576 * 1536)
    total = 30 * (884_736 + 2_654_208 + 2 * 576) + 576 + 49_152 * 576
    says("**134,515,008**, exactly what its file holds", total)
    assert sum(int(np.prod(shape)) for shape in decoder.CONFIG.shapes.values()) == total
    says("Three quarters of each block belong to the gated network")
    assert 2_654_208 / (2_654_208 + 884_736) == 3 / 4
    if why_missing("decoder") is None:  # the file itself is at hand
        assert sum(w.size for w in flatten_parameters(decoder.load().model.parameters).values()) == total


def exact_exercise_with_the_figure():
    for seed in range(10):
        reached = figures.moved_by_line("causal", seed)[0][-1] > 0  # (row, word)
        assert np.array_equal(reached, np.tri(5, dtype=bool))
