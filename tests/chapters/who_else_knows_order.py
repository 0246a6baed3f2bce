"""The numbers of *Who else knows order?*, checked with the names of its notebook at hand."""

from inorder.audit import rows
from inorder.encodings import alibi_bias
from inorder.widgets import OrderAudit

ROWS = rows()


def keepers(name, new):
    return np.flatnonzero(OrderAudit(name, order=new).follows).tolist()


def obeying(law):
    return {row.architecture.name for row in ROWS if law in row.laws}


def exact_audit():
    assert all(row.as_theory_says for row in ROWS)
    says("Eight of the 29 are blind", len(ROWS))
    assert len(obeying("P")) == 8
    says("Seven fail all three tests")
    assert sum(row.laws == "" for row in ROWS) == 7
    alone = {"ViT: patch embedding", "CNN (width 1)", "cross-attention"}
    says("The three cards that are open for both laws", len(obeying("P") & obeying("C")))
    assert obeying("P") & obeying("C") == alone
    laws = {row.architecture.name: row.laws for row in ROWS}
    assert laws["Mamba"] == laws["S4, recurrence"] == laws["RNN (Elman)"] == laws["RNN (GRU)"] == "SC"
    assert laws["encoder, rotary (RoPE)"] == laws["CNN (width 3)"] == laws["Longformer"] == "S"
    assert "S" not in laws["causal self-attention"] + laws["encoder, ALiBi"]


def exact_first_figure():
    swapped = [2, 1, 0, 3, 4]
    assert OrderAudit().order == swapped and OrderAudit().words == ["dogs", "bit", "men", "without", "mercy"]
    assert keepers("self-attention", swapped) == list(range(5)) and keepers("RNN (Elman)", swapped) == []
    assert keepers("causal self-attention", swapped) == [3, 4]


def exact_by_hand():
    def neighbours(X):
        return np.convolve(X, np.ones(3), "same")

    for gives, before, after in (
        (lambda X: np.full(3, X.sum()), [7, 7, 7], [7, 7, 7]),
        (np.cumsum, [1, 3, 7], [4, 5, 7]),
        (neighbours, [3, 7, 6], [5, 7, 3]),
        (lambda X: np.full(3, X[0] + 2 * X[2]), [9, 9, 9], [8, 8, 8]),
    ):
        assert gives(np.array([1, 2, 4])).tolist() == before and gives(np.array([4, 1, 2])).tolist() == after
        now, then = (", ".join(map(str, row)) for row in (before, after))
        says(f"| {now} | {then} | {before[2]}, {after[0]} |", *before, *after, before[2], after[0])


def exact_lstm():
    assert answers.causality == 0 and answers.equivariance > 0.1 and answers.shift > 0.1
    with torch.no_grad():
        lstm.bias_ih_l0.zero_()
        lstm.bias_hh_l0.zero_()
    assert audit(lambda n: lambda X: lstm(X)[0], d_model=8, like=torch.zeros(1, dtype=torch.float64)).shift == 0


def exact_torch_exercise():
    kept = {
        name: "".join(law for law, error in zip("PSC", errors[:3], strict=True) if error < 1e-12)
        for name, errors in of_torch.items()
    }
    assert list(kept.values()) == ["SC", "S", "S", "PS"]


def exact_exercise_with_the_figure():
    backwards = [4, 3, 2, 1, 0]
    for new, n_kept in ((backwards, 5), ([2, 1, 0, 3, 4], 1), ([1, 2, 3, 4, 0], 0)):
        assert len(keepers("Longformer", new)) == n_kept
    by_luck = {row.architecture.name for row in ROWS if len(keepers(row.architecture.name, backwards)) == 5}
    assert by_luck - obeying("P") == {"Longformer"} and OrderAudit().data["zeros"] == [2, 5]
    mirrored = alibi_bias(2, np.arange(5), np.arange(5))
    assert np.array_equal(mirrored, mirrored[:, ::-1, ::-1])


def recorded_same_data():
    accuracy = {
        line["model"]: {key: float(value) for key, value in line.items() if key != "model"}
        for line in figures.same_data()
    }
    says("exactly one half right on *which first*")
    for blind in ("bag of words", "encoder, no positions"):
        assert accuracy[blind].pop("which first, 10") == accuracy[blind].pop("which first, 60") == 0.5
        assert accuracy.pop(blind)["copy left, 10"] < 0.3
    says("All the others learn both tasks")
    assert all(each[f"{task}, 10"] > 0.98 for each in accuracy.values() for task in ("which first", "copy left"))
    long = {name: [each[f"{task}, 60"] for task in ("which first", "copy left")] for name, each in accuracy.items()}
    assert min(long["GRU"]) > 0.99 and max(long["encoder, sinusoids"]) < 0.6
