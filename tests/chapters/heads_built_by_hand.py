"""The numbers of *Heads built by hand*, checked with the names of its notebook at hand."""

import math

from induction_by_counting import induction_shares
from inorder.circuits import Head, first_token_head, induction_weights, rank
from inorder.encodings import frequencies
from inorder.stored import read_record

EPSILON = np.finfo(float).eps


def kappa(offset, omega):
    """Σ cos ω_j Δ for each offset: (…,) to (…,)."""
    return np.cos(np.multiply.outer(offset, omega)).sum(axis=-1)


def exact_kappa():
    by_hand = kappa(np.arange(4), frequencies(4))
    says("| $\\kappa(\\Delta)$ | 2 | 1.540 | 0.584 | 0.010 |", *by_hand)
    says("| $\\cos \\Delta$ | 1 | 0.540 | −0.416 | −0.990 |", *np.cos(np.arange(4)))
    for d_model in (4, 64, 512):
        x = sinusoidal_encoding(np.arange(200), d_model)
        offsets = np.arange(200) - np.arange(200)[:, None]
        assert np.abs(x @ x.T - kappa(offsets, frequencies(d_model))).max() < 200 * d_model * EPSILON
        assert kappa(np.arange(1, 10_000), frequencies(d_model)).max() < d_model / 2


def exact_two_to_the_right():
    assert np.abs(weights - head_weights(p, p, offset_head(2, 64))).max() < 16 * 64 * 60 * EPSILON
    assert (weights[:58].argmax(axis=1) == np.arange(2, 60)).all()
    says("Row 10 looks at position 12, with all its weight", 10, weights[10].argmax())
    assert weights[np.arange(58), np.arange(2, 60)].min() > 0.9999999
    assert weights[-1, -1] > 0.9999999  # the prediction
    for start in (1000, 10**6):  # an angle of that size is known to ε times it
        far = sinusoidal_encoding(np.arange(start, start + 60), 64)
        gentle = offset_head(2, 64, sharpness=1.0)
        off = np.abs(head_weights(far, far, gentle) - head_weights(p, p, gentle)).max()
        assert off < 64 * start * EPSILON
    scaled = p @ (16 * math.sqrt(64) * shift_matrix(2, 64)) @ p.T / math.sqrt(64)  # the usual factor, and β √d_head
    assert np.abs(softmax(scaled) - weights).max() < 16 * 64 * 60 * EPSILON


def exact_looking_back():
    looks_back = head_weights(p, p, offset_head(-1, 64), mask=causal_mask(60))
    assert looks_back[0, 0] == 1 and looks_back[np.arange(1, 60), np.arange(59)].min() > 0.9999999


def recorded_previous_token_head():
    offsets = read_record("trained_encoder.json")["offsets"]
    layer, head = offsets["previous_token_head"]
    before = offsets["offsets"].index(-1)
    says("the token before it [0.9996 of its weight]", offsets["with_positions"][layer][head][before])
    assert offsets["without"][layer][head][before] < 0.02


def exact_edges():
    omega = frequencies(64)
    says("The sum $\\kappa$ falls up to distance 5 and *rises* again a little at 6", 5, 6)
    assert np.diff(kappa(np.arange(6), omega)).max() < 0 < kappa(6, omega) - kappa(5, omega)
    row = head_weights(p[:12], p[:12], offset_head(-5, 64))[0]
    says("So row 0, looking for position −5, prefers 1 to 0", 0, -5, row.argmax(), 0)
    four = head_weights(p[:12], p[:12], offset_head(-5, 64, d_head=8))[0]
    assert four.argmax() > 6  # "look far away"


def exact_first_token_and_distance():
    head = first_token_head(64, sharpness=4.0)
    on_first = head_weights(p, p, head)[:, 0]
    assert rank(head) == 1 and on_first.min() > 0.98
    says("changes little over one or two thousand tokens")
    assert (np.cos(np.array([1000, 2000]) * frequencies(64)[-1]) > 0.95).all()
    turning = np.cos(np.array([11_779, 11_780]) * frequencies(64)[-1])
    says("at position 11,780 with 64 numbers, the slowest cosine turns negative", 11_780, 64)
    assert turning[0] > 0 > turning[1]
    far = sinusoidal_encoding(np.array([12_500]), 64)
    assert head_weights(far, p, head)[0].argmax() == (p @ p[0]).argmin()
    falls = head_weights(p, p, Head(np.eye(64), np.eye(64), 1.0))[0]
    assert falls.argmax() == 0 and np.diff(falls[:6]).max() < 0 < np.diff(falls).max()


def exact_both_neighbours():
    omega = frequencies(64)
    both = Head(shift_matrix(1, 64) + shift_matrix(-1, 64), np.eye(64), 16.0)
    assert (head_weights(p, p, both).argmax(axis=1) == np.arange(60)).all()
    fastest, others = np.cos(np.arange(60)), kappa(np.arange(60), omega[1:])
    score = others - 1.5 * fastest
    says(
        "the cosines 1, 0.54 and −0.42, and the 31 others together have 31, 30.38 and 28.72",
        *fastest[:3],
        31,
        *others[:3],
    )
    says("the scores are $31 - 1.5 = 29.50$", 31, 1.5, score[0])
    says("$30.38 - 0.81 = 29.57$", others[1], 1.5 * fastest[1], score[1])
    says("$28.72 + 0.62 = 29.34$", others[2], -1.5 * fastest[2], score[2])
    says("**The neighbours win**, by 0.07", score[1] - score[0])
    assert score.argmax() == 1
    best = {vote: int((others + vote * fastest).argmax()) for vote in np.arange(-5, 1.5, 0.5)}
    assert [vote for vote in best if best[vote] == 1] == [-1.5]
    assert [vote for vote in best if best[vote] == 2] == [-3.5, -3, -2.5, -2]
    assert [vote for vote in best if best[vote] == 3] == [-5, -4.5, -4]
    assert all((others - strong * fastest).argmax() != 4 for strong in np.geomspace(0.1, 1e6, 200))
    wide = kappa(np.arange(60), frequencies(512)[1:])
    votes = [vote for vote in range(-60, 2) if (wide + vote * fastest).argmax() == 1]
    says("with 512 numbers it takes a vote of about −16", 512, np.mean(votes))
    assert min(votes) == -17


def exact_two_heads_that_continue_a_text():
    brought = (looks @ words)[-1]
    assert brought.argmax() == 2 and brought.max() > 0.99
    assert np.abs(looks - induction_weights(words, one_back)).max() < 100 * EPSILON
    assert np.abs(looks @ words - induction_shares(tokens, 5)).max() < 1e-6  # the first head isn't quite sharp
    pair = InductionHeads("to be to do to")
    assert np.abs(np.array([pair.shares["be"], pair.shares["do"]]) - 1 / 2).max() < 2e-3
    pair.words = ["to", "be", "to", "be", "to", "do", "to"]
    assert np.abs(np.array([pair.shares["be"], pair.shares["do"]]) - [2 / 3, 1 / 3]).max() < 2e-3
    pair = InductionHeads("the cat sat down the", first_head="no positions")
    the_share = np.cumsum(tokens == 1) / np.arange(1, 7)  # of each row's prefix
    assert np.abs(pair.weights - softmax(8 * the_share)).max() < 1e-9
    pair.first_head = "off"
    assert np.abs(pair.weights - 1 / 6).max() < 1e-9
    new = induction_shares(np.array([0, 1, 2, 3]), 4)[-1]
    assert np.abs(new - 1 / 4).max() < 4 * EPSILON


def exact_a_list_goes_on():
    """The bound of the proof's last part."""
    for beta, repeats in ((math.log(2) - 0.01, False), (math.log(2) + 0.01, True)):
        for length in (2, 5, 20):
            text = [0, *range(1, length + 1), 1]
            for _ in range(5 * length):
                next_word = induction_shares(np.array(text), length + 1, sharpness=beta)[-1]
                text.append(int(next_word.argmax()))
            around = [0, *(1 + np.arange(len(text) - 1) % length)]
            assert (text == around) == repeats


def exact_exercises():
    rows = sinusoidal_encoding(np.arange(45), 2)
    one = head_weights(rows[:1], rows, offset_head(0, 2))[0]
    says("\\approx 1.9$ times as much as at distance 6", one[0] / one[6], 6)
    says("\\approx 1.003$ times as much as at distance 44", one[0] / one[44], 44)
    says("At 4 its cosine is back to −0.65", 4, np.cos(4))
