"""The numbers of *What are Q, K and V?*, checked with the names of its notebook at hand."""

from inorder.book.sentence import KEYS, QUERIES, VALUES

TINY = 20 * np.finfo(float).eps


def ask(query, key, value, beta):
    query, key, value = (np.array(part, dtype=float) for part in (query, key, value))
    return scaled_dot_product_attention(query, key, value, scale=beta)


def exact_three_tables():
    for word, row in zip(WORDS, X, strict=True):
        says(f"| *{word}* | " + " | ".join(f"{number:.0f}" for number in row) + " |", *row)
    assert (Q == QUERIES).all() and (K == KEYS).all() and (V == VALUES).all()  # of the first chapter
    says("The row of *it* is $(0, 0, 2, 0, 0)$", *X[3])
    says(r"which is $(1, 0)$, and gives the query $\textcolor{query}{(2, 0)}$", *W_Q[2], *Q[3])
    says("In $W_K$ the same 2 meets $(0, 0)$", X[3, 2], *W_K[2])
    assert np.abs(Y - same).max() < TINY


def exact_how_many_matrices():
    it = {way: figures.weights_by(way)[3] for way in figures.WAYS}
    says("only a matrix each lets *it* find *animal*")
    assert [way for way, row in it.items() if row[0] > 0.9] == ["W_Q and W_K"]
    assert all(row[0] <= 1 / 5 + TINY for way, row in it.items() if way != "W_Q and W_K")


def exact_trap():
    says("in the module a word gives itself about a twentieth of its attention")
    assert abs(inside[0].diagonal().mean() - 1 / 20) < 0.015
    says("and in the bare function nearly all")
    assert bare[0].diagonal().mean() > 0.95 and (bare @ x - compared).abs().max() < 1e-5


def exact_two_inputs():
    who = np.array([[2.0, 0.0]])
    swapped = [2, 1, 0, 3, 4]  # animal and street
    says("Swap *animal* and *street* in both tables, and nothing changes")
    assert np.abs(ask(who, K[swapped], V[swapped], 1.0) - ask(who, K, V, 1.0)).max() < TINY
    says("Swap them in the keys alone, and a word that asks for a creature gets the street's value")
    assert np.abs(ask(who, K[swapped], V, 1.0) - V[2]).max() < 0.2 < np.abs(ask(who, K, V, 1.0) - V[2]).max()


def exact_soft_dictionary():
    says("`{6: 8, 12: 20, 18: 14}`", *np.ravel([figures.HOURS, figures.DEGREES], order="F"))
    says("every query gets the mean of all values, 14 degrees", figures.look_up(13, 0)[1])
    says("about 20 degrees", round(figures.look_up(13, 0.3)[1]))
    says("Even hour 12 gets less than its 20 degrees", 12, 20)
    assert all(figures.look_up(12, beta)[1] < 20 for beta in (0.01, 0.03, 0.1, 0.3))


def exact_distance_and_dot_product():
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(4, 8)), rng.normal(size=(6, 8))
    by_distance = softmax(-((q[:, None] - k) ** 2).sum(axis=-1) / 2)
    assert np.abs(softmax(q @ k.T - (k**2).sum(axis=1) / 2) - by_distance).max() < TINY
    says("If all keys are equally long, both give the same weights")
    k /= np.linalg.norm(k, axis=1, keepdims=True)
    assert np.abs(softmax(-((q[:, None] - k) ** 2).sum(axis=-1) / 2) - softmax(q @ k.T)).max() < TINY
    says("by dot product *zoo* wins. By distance *animal* wins")
    winners = [figures.scores_of_nouns(deduction, 3, 3).argmax() for deduction in (0.0, 1.0)]
    assert [figures.NOUNS[j] for j in winners] == ["zoo", "animal"]


def exact_where_it_breaks():
    blend = ask([[1, 1]], [[1, 0], [0, 1]], [[0], [10]], 3.0)
    says("Two equal scores and the values 0 and 10 give 5", 0, 10, blend[0, 0])


def exact_in_fractions():
    q, k, v = [[1, 1]], [[1, 0], [0, 2], [-1, 1]], [[7], [14], [0]]
    says("The scores are 1, 2, 0 and the powers 2, 4, 1", *np.array(k) @ q[0], *2.0 ** (np.array(k) @ q[0]))
    for beta, answer in ((np.log(2), 10), (0, 7), (100, 14)):
        assert np.allclose(ask(q, k, v, beta), answer, rtol=TINY)
    says("At β = 0 the answer is the mean, 7; for large β it tends to 14", 0, 7, 14)
    assert np.linalg.norm(np.subtract(q, k), axis=1).round(9).tolist()[:2] == [1, round(np.sqrt(2), 9)]


def exact_with_the_figure():
    says("that is $(2, y)$ for any $y$ but 0, where the score is 4", 2, 0, 4)
    for up in (1, 2, 3, 4):
        by_dot, by_distance = (figures.scores_of_nouns(deduction, 2, up) for deduction in (0.0, 1.0))
        assert by_dot[0] == by_dot[2] == 4 and by_distance[0] > by_distance[2]
