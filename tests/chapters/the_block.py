"""The numbers of *What else is in a block?*, checked with the names of its notebook at hand."""

from inorder.pretrained import decoder
from inorder.stored import read_record

EPSILON = np.finfo(float).eps
FILE_PARTS = {  # what the file calls them, and this book; all other kinds are norms
    "token_embd": "embedding",
    "attn_q": "W_Q",
    "attn_k": "W_K",
    "attn_v": "W_V",
    "attn_output": "W_O",
    "ffn_gate": "W_gate",
    "ffn_up": "W_in",
    "ffn_down": "W_out",
}


def exact_who_hears_whom():
    for seed in range(10):  # only attention has another row in it: everything else exactly 0
        off = figures.heard(attention=False, residual=True, feed=True, mask="no mask", seed=seed)
        on = figures.heard(attention=True, residual=True, feed=True, mask="no mask", seed=seed)
        assert np.array_equal(off > 0, np.eye(5, dtype=bool)) and on.min() > 0.01


def exact_two_layers_without_the_residual():
    says("without the residual all rows are the same after two layers, whatever the norm")
    for norm in ("none", "pre", "post"):
        assert min(figures.similarities(norm, False, seed)[2] for seed in range(3)) > 0.99
        assert max(figures.similarities(norm, True, seed)[-1] for seed in range(3)) < 0.9


def exact_by_hand():
    assert both == {"animal": 1, "street": 0, "tired": 0, "wide": 0}
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
    counts = figures.parameters_by_part(decoder.CONFIG)
    assert sum(counts.values()) == total
    says("three quarters of each block")
    assert 2_654_208 / (2_654_208 + 884_736) == 3 / 4
    try:  # the file itself, where it is at hand
        in_file = decoder.count_weights()
    except (FileNotFoundError, ImportError):
        in_file = read_record("decoder_costs.json")["weights"]
    parts = dict.fromkeys(counts, 0)
    for kind, count in in_file.items():
        parts[FILE_PARTS.get(kind, "norms")] += count
    assert parts == counts


def exact_exercise_with_the_figure():
    for feed, residual in ((True, True), (True, False), (False, True), (False, False)):
        hears = figures.heard(True, residual, feed, "causal", 0) > 0
        assert hears[0].tolist() == [True] + [False] * 4 and hears[4].all()
        assert (figures.heard(True, residual, feed, "no mask", 0) > 0).all()
        alone = figures.heard(False, residual, feed, "no mask", 0) > 0
        assert (alone == np.eye(5, dtype=bool)).all()
