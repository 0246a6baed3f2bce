"""The numbers of *Add or concatenate?*, checked with the names of its notebook at hand."""

from inorder.encodings import concatenate_encoding, frequencies, shift_matrix
from inorder.stored import read_record


def exact_identity():
    assert np.abs(beside - added).max() < 1e-13
    np.testing.assert_allclose(concatenate_encoding(x, p) @ w, added, rtol=0, atol=1e-13)
    says("With 64 numbers for the position beside 512 for the word", 64, 512)
    says("from $512^2$ to $576^2$ numbers, by 27%", 512, 2, 512 + 64, 2, (576 / 512) ** 2 - 1)
    says("stays at 512, and the word has to make do with 448", 512, 512 - 64)


def exact_head_with_words():
    omega = frequencies(64)
    kappa = [float(np.cos(k * omega).sum()) for k in range(60)]
    says("its target is ahead by only 1.08 points", kappa[0] - kappa[1])
    says("The cosine of a hand's turn is 0.88 on average", kappa[2] / len(omega))
    assert np.isclose(np.trace(shift_matrix(2, 64)), 2 * kappa[2])
    same = round(0.88 * 32)
    says("about $0.88 \\cdot 32 = 28$ where the key has the same word", 0.88, 32, same)
    says("about $0 \\pm 4$", 0, 32 / np.sqrt(64))
    says("| two to the right, another word | 32 | 0 | 32 |", kappa[0], 0, kappa[0])
    itself, far = round(kappa[2]), round(kappa[22 - 2])
    says("| the row itself | 28 | 28 | 56 |", itself, same, itself + same)
    says("| the same word, 22 to the right | 19 | 28 | 47 |", 22, far, same, far + same)
    assert min(kappa) + same > kappa[0]  # wherever the same word stands


def recorded_own_word():
    looks = read_record("own_word.json")["looks"]
    says("every row still [finds its own word]")
    for words in ("random rows", "a real encoder's rows"):
        assert looks[words]["at their own word"] == looks[words]["rows"] == 20 * 58


def exact_widths():
    expected = 6 + 5 - 2
    says("With 6 random words and 5 random positions, the reading is exact from $d = 9$ on", 6, 5, expected)
    says("side by side needs the same 9", expected)
    for numbers, share, widths in (((6, 5), 0.5, (9, 9)), ((24, 4), 0.9, (26, 26))):
        figure = AddOrConcatenate(n_tokens=numbers[0], n_positions=numbers[1], share=share)
        assert figure.exact_from == dict(zip(("added", "side_by_side"), widths, strict=True))
    says("At $24 + 4 - 2 = 26$", 24, 4, 2, 24 + 4 - 2)


def exact_budget_by_hand():
    """Of +1 and −1 the best multiple of ±a ± b explains a²/(a² + b²)."""
    says("\\eta_x = a^2/(a^2 + b^2)", 2, 2, 2)
    for a, b in ((1, 1), (2, 1), (0.3, 0.7)):
        sums, targets = np.array([a + b, a - b, b - a, -a - b]), np.array([1, 1, -1, -1])
        left = targets - sums * (sums @ targets) / (sums @ sums)
        assert np.isclose(1 - left @ left / 4, a**2 / (a**2 + b**2))


def exact_inclusions():
    """The examples of the proof: what can be read from two columns, by least squares with a constant."""

    def is_read(features, targets):
        with_constant = np.column_stack([features, np.ones(len(features))])
        return np.allclose(with_constant @ np.linalg.lstsq(with_constant, targets, rcond=None)[0], targets)

    words, positions = np.array([[0, 0], [1, 0], [0, 1]]), np.array([[0, 0], [1, 0]])
    assert [int((words @ v).argmax()) for v in ([-1, -1], [1, 0], [0, 1])] == [0, 1, 2]
    sums = (words[:, None] + positions).reshape(6, 2)
    beside_each_other = np.column_stack([np.repeat([0, 2, 1], 2), np.tile([0, 1], 3)])
    third, later = np.repeat([0, 0, 1], 2), np.tile([0, 1], 3)
    assert is_read(sums, third) and not is_read(beside_each_other, third)
    assert is_read(beside_each_other, later) and not is_read(sums, later)
    says("are both $(1, 0)$", *sums[1])
    assert (sums[1] == sums[2]).all()


def exact_exercises():
    assert len({token + 10 * position for token in range(10) for position in range(10)}) == 100
    ramps = np.count_nonzero(np.diff(np.diff(np.arange(100) % 10), prepend=0))
    says("a zigzag made of 19 ReLUs", ramps)
    assert checks.finds_its_own_word(position_readout(forty_positions, words)).passed
