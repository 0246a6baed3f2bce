"""The numbers of *Does position survive the layers?*, checked with the names of its notebook at hand."""

from inorder.lab.erasure import erase, fit_eraser
from inorder.lab.tasks import expected_largest_count
from inorder.symmetry import invariance_error
from inorder.transformer import decode

EPSILON = np.finfo(float).eps

# by hand, the figure and its exercise
assert np.allclose(after[1], np.array([3, 7, 3, 3]) / 16)
assert np.allclose(before[1], np.array([1, 3, 1, 1]) / 6)
for layers in range(25):
    for norm, own in (("post", 2.0**-layers), ("pre", 1 / (layers + 1))):
        row = figures.row_1(layers, norm, 1.0)
        assert math.isclose(row[1] - row[0], own, abs_tol=1e-12)
assert round(2.0**-24, 8) == 0.00000006 and 1 / 25 == 0.04
shares = [figures.row_1(k, "pre", 1.0)[1] for k in (13, 14, 15)]
assert [round(share, 3) for share in shares] == [0.304, 0.3, 0.297]
assert round(figures.row_1(4, "post", 1.0)[1], 3) == 0.297
assert figures.row_1(3, "post", 1.0)[1] > 0.3

assert figures.row_1(1, "post", 1.0)[1] == 5 / 8
assert "all are the same grey" in figures.dyed_threads(alpha=0.0)[-1].parts["words"]

# two laws
factors = {}  # how far the mean of three models is from the law
for d_model in (32, 128, 512):
    for norm in ("post", "pre"):
        for alpha in (0.5, 1.0, 2.0):
            parts = np.mean(
                [
                    [
                        own_part(h)
                        for h in hidden_states(
                            TEXTS[0][:20],
                            *wide_model(seed, norm, alpha, d_model),
                            positions=np.arange(N),
                        )
                    ]
                    for seed in range(3)
                ],
                axis=0,
            )
            start = {"residual": alpha} if norm == "post" else {"size": alpha**2}
            law = own_part_law(parts[0], N, 12, norm=norm, **start)
            off = np.exp(np.abs(np.log(parts / law)).max())
            factors.setdefault((d_model, norm), []).append(off)
assert round(max(factors[128, "post"]), 1) == 3.1
assert round(max(factors[32, "post"]), 1) == 5.9
assert max(factors[512, "post"] + factors[512, "pre"]) < 1.3
assert max(factors[128, "pre"] + factors[32, "pre"]) < 1.3
for norm in ("post", "pre"):  # the small start
    for alpha in (0.5, 1.0, 2.0):
        parts = []
        for seed in range(3):
            parameters, config = wide_model(seed, norm, alpha)
            blocks = [
                p._replace(
                    attention=p.attention._replace(
                        w_value=p.attention.w_value * 0.02 * 16,
                        w_output=p.attention.w_output * 0.02 * 16,
                    )
                )
                for p in parameters.blocks
            ]
            model = parameters._replace(blocks=tuple(blocks)), config
            states = hidden_states(TEXTS[0][:20], *model, positions=np.arange(N))
            parts.append([own_part(h) for h in states])
        parts, added = np.mean(parts, axis=0), 0.02**2 * 256
        for size, low, high in ((1, 1.8, np.inf), (1 / added, 1, 1.1)):
            start = {"residual": alpha * size} if norm == "post" else {"size": (alpha * size) ** 2}
            law = own_part_law(parts[0], N, 12, norm=norm, **start)
            off = np.exp(np.abs(np.log(parts / law)).max())
            assert low <= off < high, (norm, alpha, size, off)
for alpha, layers in ((1, 7), (4, 76)):
    factor = alpha**2 / (1 + alpha**2)
    assert math.ceil(math.log(0.01) / math.log(factor)) == layers
assert [99 * alpha**2 for alpha in (1, 4)] == [99, 1584]
assert round((1 + math.erf(1 / math.sqrt(2))) / 2, 3) == 0.841


# untrained depth
def runs_of(name, norm, way, what="exact"):
    runs = depth["depths"]["models"][f"{name}, {norm}, {way}"]
    return np.array([run[what] for run in runs])  # (seed, state)


def ends(values):
    return round(values.min(), 2), round(values.max(), 2)


whole, even = "residual, queries", "residual, no queries"
assert ends(runs_of("learned", "post", whole)[:, 24]) == (0.07, 0.09)
assert ends(runs_of("learned", "pre", whole)[:, 24]) == (0.99, 0.99)
assert ends(runs_of("learned", "post", whole)[:, 6]) == (0.81, 0.88)
assert ends(runs_of("learned", "post", even)[:, 6]) == (0.97, 0.99)
assert ends(runs_of("sinusoids", "post", whole)[:, 6]) == (0.34, 0.38)
assert ends(runs_of("sinusoids", "pre", whole)[:, 6]) == (0.72, 0.9)
for name in ("learned", "sinusoids"):
    for norm in ("post", "pre"):
        bare = runs_of(name, norm, "no residual, queries")
        assert bare[:, 1].min() > 2 * CHANCE
        assert bare[:, 3:].max() < 1.35 * CHANCE
        alone = runs_of(name, norm, "no residual, no queries")
        assert (alone[:, 1:] == CHANCE).all()
        small = runs_of(name, norm, "residual, small start")
        assert small.min() > 0.99
for norm in ("post", "pre"):
    assert (runs_of("none", norm, whole)[:, :7] == CHANCE).all()
    assert (runs_of("none", norm, even)[:, :7] == CHANCE).all()
    assert (runs_of("rotary", norm, whole)[:, 0] == CHANCE).all()
    assert runs_of("rotary", norm, whole).max() < 0.12
assert strong[0.25].max() < strong[1.0].min() and strong[1.0].max() < strong[4.0].min()
assert all((strong_near[s] > 1.5 * strong[s]).all() for s in (0.25, 1.0))
assert all(abs(a - b) < 0.06 for a, b in two_probes.values())
blind = [hidden_states(half, *fresh_model(0, **SIZES), positions=np.arange(N)) for half in TEXTS]
for state in (0, 2):
    pair = blind[0][state], blind[1][state]
    assert position_accuracy(*pair, within=1) <= 3 / N

# two real models
streams = depth["streams"]


def column(model, name, part):
    return np.array([block[part] for block in streams[model][name]])


def two_digits(values):
    return [round(float(value), 2) for value in values]


encoder_adds = column("encoder", "trained", "attention")
assert two_digits((encoder_adds.min(), encoder_adds.max())) == [0.3, 0.46]
untrained = column("encoder", "untrained", "attention")
assert two_digits((untrained.min(), untrained.max())) == [0.03, 0.04]
assert 0.99 < np.prod(1 / (1 + untrained**2)) < 1
common = column("encoder", "trained", "common")
assert two_digits((common.min(), common.max())) == [0.23, 0.77]
adds = column("decoder", "trained", "attention")
sizes = {
    name: column("decoder", name, "attention") * column("decoder", name, "stream") for name in ("trained", "untrained")
}  # the norm of what attention adds, by layer
assert 10 < sizes["trained"][3:10].min() < sizes["trained"][3:10].max() < 15
assert two_digits(sizes["trained"][25:] / 100)[0] == 0.52
assert 50 < sizes["trained"][25:].min() < sizes["trained"][25:].max() < 117
assert 16 < sizes["untrained"][2:].min() < sizes["untrained"][2:].max() < 22
assert two_digits(adds[[0, 1, 24]]) == [0.95, 0.71, 0.5]
others = np.delete(adds[2:], 22)
assert len(others) == 27
assert two_digits((others.min(), others.max())) == [0.09, 0.21]
assert round(column("decoder", "trained", "common")[24], 2) == 0.98
stream = column("decoder", "trained", "stream")
assert round(stream[0]) == 3 and round(stream[-1], -1) == 730
fresh_adds = column("decoder", "untrained", "attention")
assert two_digits(fresh_adds[[1, 29]]) == [0.84, 0.16]
assert round(0.84 / math.sqrt(29), 2) == 0.16
encoder = figures.encoder_probes()
exact, near = encoder["with_positions"], encoder["within_one"]
assert min(exact[:4]) > 0.94 and exact[4] > 0.8
assert two_digits((exact[6], near[6])) == [0.24, 0.53]
assert min(encoder["untrained"]) == 1 and round(3 / 32, 2) == 0.09
blurred = json.loads(stored("trained_encoder.json").read_text(encoding="utf8"))
more = blurred["blur"]
assert (blurred["probes"]["n_train"], more["n_train"]) == (80, 843)
assert two_digits((more["exact"][6], more["within_one"][6])) == [0.34, 0.7]

# carried without a residual
for derived_leak, leak, _, _ in leaks.values():
    assert abs(leak - derived_leak) <= 1e-3 * derived_leak  # the read-out leaves a millionth of the words
assert leaks[64.0][1] < 50 * EPSILON and leaks[64.0][2] < 1e-10
assert leaks[64.0][3] == 1 and round(leaks[1.0][0], 2) == 0.42

# trained to need it
assert round(position_by_layer.TASK.floor(N), 2) == 0.24
for name in ("learned", "rotary", "learned, no residual, 1 layer"):
    assert min(models[name]["task"]) > 0.98
assert round(min(models["rotary, no residual"]["task"]), 2) == 0.88
stuck = [seed for seed in range(6) if seed != 1]
assert {round(lost["task"][seed], 2) for seed in stuck} == {0.3, 0.31}
assert round(lost["task"][1], 2) == 0.83
assert two_digits((min(lost["itself"][1][1]), max(lost["itself"][1][1]))) == [
    0.7,
    0.87,
]
assert [round(float(expected_largest_count(n, 10) / n), 2) for n in (7, 8)] == [0.32, 0.3]
# through all three layers: two groups, and the left neighbour always in the
# group that a row hears
for seed in stuck:
    heard = np.linalg.multi_dot(np.array(lost["maps"][seed])[::-1])  # (row, position)
    group = heard > 1 / 20
    assert heard[group].min() > 0.075 and heard[~group].max() < 0.035
    assert len(np.unique(group, axis=0)) == 2
    assert set(group.sum(axis=1)) <= {6, 7, 8, 9}
    assert np.diagonal(group, -1).all()
# two kinds of positions; in one of the last two layers rows look at the
# other kind
for seed in stuck:
    middle, last = np.array(lost["maps"][seed])[1:]
    kind = last @ last[0] < (last @ last[0]).mean()
    shares = [np.where(kind[:, None] != kind, a, 0).sum(axis=1) for a in (middle, last)]
    assert sorted(round(share.mean()) for share in shares) == [0, 1]
    assert 7 <= kind.sum() <= 9
    assert np.abs(shares[1] - shares[1].round()).max() < 0.02
    assert np.mean(kind[1:] != kind[:-1]) > 0.6
assert max(models["learned, no residual, 200 steps"]["task"]) < 0.2511
long_run = models["learned, no residual, 1800 steps"]["task"]
assert max(np.array(long_run) - lost["task"][:3]) < 0.005
for name in ("rotary", "rotary, no residual"):
    assert (np.array(models[name]["after"])[:, 0] == CHANCE).all()
    assert np.max(models[name]["after"]) < 0.2
assert block_errors["learned"].max() < 100 * EPSILON
assert block_errors["rotary"].min() > 0.1

# erased
small = depth["small"]
assert round(small["floor"], 2) == 0.24


def erased_runs(name, norm, state, what, control=False):
    key = f"{name}, {norm}, {state}" + (", control" if control else "")
    return np.array([run[what] for run in small["models"][key]])


lost_answers, taken = {}, {}  # by eraser: of all draws and models
for norm in ("post", "pre"):
    assert erased_runs("learned", norm, "state 2", "task").min() > 0.9965
    for run in depth["matched"]["models"][norm]:
        for name, draws in run.items():
            taken.setdefault(name, []).extend(d["erased"] for d in draws)
            lost_answers.setdefault(name, []).append([1 - d["task"] for d in draws])
        by_position, by_few = (lost_answers[name][-1] for name in ("position", "as much"))
        assert max(by_position) < min(by_few)
    for control in (False, True):
        at_input = erased_runs("learned", norm, "state 0", "task", control)
        assert at_input.max() < small["floor"]
for name, low, high in (("as many", 0.09, 0.27), ("as much", 0.002, 0.14)):
    shares = np.array(lost_answers[name])
    assert shares.shape == (6, 5)
    assert round(shares.min(), 3 if low < 0.01 else 2) == low
    assert round(shares.max(), 2) == high
assert two_digits((min(taken["as many"]), max(taken["as many"]))) == [
    0.38,
    0.52,
]
assert two_digits((min(taken["position"]), max(taken["position"]))) == [
    0.13,
    0.35,
]
first = [erased_runs("learned", n, "state 1", "task") for n in ("post", "pre")]
assert two_digits((np.min(first), np.max(first))) == [0.59, 1.0]
back = [erased_runs("learned", n, f"state {k}", "probe")[:, k + 1 :].max() for n in ("post", "pre") for k in range(3)]
assert round(max(back), 2) == 0.19
turned = [erased_runs("rotary", "post", "state 1", "task", control) for control in (False, True)]
assert two_digits((turned[0].min(), turned[0].max())) == [0.68, 0.87]
assert two_digits((turned[1].min(), turned[1].max())) == [0.76, 0.79]
reader = depth["reader"]
assert min(reader["state 0"]["pairs"]) > 0.9985
for where, low, high in (
    ("nothing", 0.79, 0.99),
    ("state 0, control", 0.81, 0.99),
    ("state 3", 0.84, 0.99),
):
    pairs = reader[where]["pairs"]
    assert two_digits((min(pairs), max(pairs))) == [low, high], where
assert round(max(reader["state 0"]["probe"]), 2) == 0.14
returned = depth["returns"]
assert two_digits(returned[f"erased, {source}"][-1] for source in ("mask and rotary", "mask", "rotary", "neither")) == [
    0.16,
    0.15,
    0.13,
    0.05,
]
kept = [v[-1] for k, v in returned.items() if k.startswith("untouched")]
assert two_digits((min(kept), max(kept))) == [0.11, 0.17]
gaps, control_gaps = kept_gaps["position"], kept_gaps["control"]
assert two_digits(gaps[:4]) == [0.0, 0.12, 0.34, 0.8]
assert min(gaps[4:]) > 0.88
pairs_left = {
    k: (1 - np.array(reader[f"state {k}"]["pairs"])) / untouched_gaps for k in (3, 4)
}  # by state: how much of its distance each pair keeps
assert two_digits((pairs_left[3].min(), pairs_left[3].max())) == [
    0.42,
    1.03,
]
assert np.count_nonzero(pairs_left[4] > 0.85) == 6
assert max(list_gaps["position"][0]) < 0.05
assert min(min(c) for c in depth["pairs"]["state 0"].values()) > 0.9985
for k, expected in ((1, [0.12, 0.32]), (3, [0.8, 1.02])):
    medians = [gaps[k], *list_gaps["position"][k]]
    assert two_digits((min(medians), max(medians))) == expected
of_lists = {
    k: np.concatenate(
        [
            (1 - np.array(cosines)) / (1 - np.array(depth["pairs"]["nothing"][words]))
            for words, cosines in depth["pairs"][f"state {k}"].items()
        ]
    )
    for k in (3, 4)
}  # as pairs_left
assert [len(pairs) for pairs in of_lists.values()] == [155, 155]
assert [int((pairs >= 0.75).sum()) for pairs in of_lists.values()] == [
    144,
    155,
]
assert two_digits((min(control_gaps), max(control_gaps))) == [0.93, 1.09]
list_controls = np.array(list_gaps["control"])
assert two_digits((list_controls.min(), list_controls.max())) == [
    0.80,
    1.37,
]
left = depth["left"]
assert (left["n_train"], left["n_probe"], left["n_test"]) == (400, 160, 160)
by_state = {what: np.array(list(left[what].values())).T for what in ("untouched", "erased", "more")}  # (state, length)
assert list(left["erased"]) == ["5", "6", "7"]
for states, expected in (
    (slice(0, 1), (0.77, 0.8)),
    (slice(1, 2), (0.32, 0.5)),
    (slice(2, 5), (0.24, 0.36)),
):
    read = by_state["erased"][states]
    assert np.abs(np.subtract(ends(read), expected)).max() < 0.011
assert by_state["untouched"][:5].min() > 0.92
fewer = by_state["erased"] - by_state["more"]
assert np.abs(fewer[0]).max() < 0.01
assert 0 < fewer[1:].min() < fewer[1:].max() < 0.13
assert sorted(left["n_more"].values()) == [461, 592, 774]
assert sorted(left["n_all"].values())[1:] == [912, 1094]
kept_by_all = {
    (k, words): (1 - np.array(left["pairs"][f"state {k}"][words])) / (1 - np.array(cosines))
    for k in range(7)
    for words, cosines in depth["pairs"]["nothing"].items()
}
changed = {
    (k, words): np.median(pairs) - list_gaps["position"][k][i % 3]
    for i, ((k, words), pairs) in enumerate(kept_by_all.items())
}
assert [key for key, by in changed.items() if abs(by) > 0.1] == [(4, "cities")]
assert two_digits((np.median(kept_by_all[4, "cities"]), list_gaps["position"][4][0])) == [0.97, 1.18]
assert [sum(int((pairs >= 0.75).sum()) for (state, _), pairs in kept_by_all.items() if state == k) for k in (3, 4)] == [
    132,
    150,
]
writer = depth["writer"]
untouched, erased_once = writer["nothing"], writer["state 8"]
assert two_digits((untouched["probe"][3], untouched["probe"][5], 1 / 24)) == [0.14, 0.17, 0.04]
assert two_digits(erased_once["probe"][3:6]) == [0.05, 0.09, 0.16]
changes = {
    where: np.subtract(result["window losses"], untouched["window losses"])
    for where, result in writer.items()
    if isinstance(result, dict) and "loss" in result
}
once = changes["state 8"]
assert round(once.mean(), 3) == 0.004
assert round(once.std() / math.sqrt(len(once)), 3) == 0.021
everywhere = "every state from 1"
assert round(changes[everywhere].mean(), 2) == 0.29
assert round(changes[f"{everywhere}, control"].mean(), 2) == 0.51
# the page's own eraser, on rows of its own
fit_rows = hidden_states(
    TEXTS[0],
    *fresh_model(0, position=LEARNED, **SIZES),
    positions=np.arange(N),
)[1]
clean = erase(fit_rows, fit_eraser(fit_rows, place_labels(fit_rows)))
assert np.ptp(clean.mean(axis=0), axis=0).max() < 1e-9
assert position_accuracy(fit_rows, fit_rows) > 0.9
assert position_accuracy(clean, clean) < 1.5 * CHANCE

# exercises
guess, truth = np.meshgrid(np.arange(N), np.arange(N))
hit = np.abs(guess - truth) <= 1
assert hit.mean(axis=0).max() == 3 / 16 == 0.1875
assert hit.mean() == (3 * N - 2) / N**2 == 46 / 256
assert flat == CHANCE and bent == 1
by_hand = hidden @ (hidden / np.linalg.norm(hidden, axis=1, keepdims=True)).T  # (position, guess), for the sign +1
assert (by_hand.argmax(axis=1) == np.arange(N)).all()
assert not ((-by_hand).argmax(axis=1) == np.arange(N)).any()
for seed in SEEDS:
    asks = fresh_model(seed, position="sinusoidal", cross_attention=True, **SIZES)
    rng = np.random.default_rng(seed)
    memory, text = rng.normal(size=(10, 32)), rng.integers(10, size=6)

    def read(memory, asks=asks, text=text):
        positions = np.arange(6)
        return decode(text, *asks, positions=positions, memory=memory)[0]

    assert invariance_error(read, memory)[0] < 200 * EPSILON


def two_laws():
    for norm, other in (("post", "pre"), ("pre", "post")):
        for alpha, parts in measured_parts[norm].items():
            ratio = parts.mean(axis=0) / derived_parts[norm][alpha]
            assert (np.abs(np.log(ratio)) < np.log(2)).all()
            start = {"residual": alpha} if other == "post" else {"size": alpha**2}
            wrong = own_part_law(parts.mean(axis=0)[0], N, 12, norm=other, **start)
            if alpha <= 1:
                off = np.log(wrong[-1] / parts[:, -1].mean())
                assert abs(off) > np.log(3)


def recorded_own_parts():
    two_laws()


def again_own_parts():
    two_laws()
    for norm, by_alpha in measure_own_parts.stored().items():
        for alpha, parts in by_alpha.items():
            alike(measured_parts[norm][float(alpha)][:, -1], parts[:, -1])


def decoders_know_a_little():
    for norm in ("post", "pre"):
        none = decoders[norm]["none"]
        assert (none[:, 0] == CHANCE).all() and none[:, 1:].min() > 1.2 * CHANCE
        assert decoders[norm]["learned"].min() > 0.5


def recorded_decoders():
    decoders_know_a_little()


def again_decoders():
    decoders_know_a_little()
    for norm, by_name in probe_decoders.stored().items():
        alike(decoders[norm]["learned"][:, -1], by_name["learned"][:, -1])


def hidden_by_the_mean():
    for name, results in null.items():
        if "whole" in name:
            assert (results[:, 3] < results[:, 0] + 0.01).all()
            assert (results[:, 4] - results[:, 0]).max() < 0.015
        else:
            assert results[:, 4].min() > 0.895
    weak, deep = null["whole blocks, α = 1/4"], null["24 whole blocks, α = 1"]
    assert null["equal weights, no feed-forward, α = 1/4"][:, 1].min() > 0.99
    assert weak[:, 0].max() < 2 * CHANCE
    assert (weak[:, 1] > 3 * weak[:, 0]).all() and (deep[:, 1] > 3 * deep[:, 0]).all()
    assert np.sqrt(2 * weak[:, 2].max()) < 0.01


def recorded_common_part():
    hidden_by_the_mean()
    half, deep = null["whole blocks, α = 1/2"], null["24 whole blocks, α = 1"]
    assert round((half[:, 1] / half[:, 0]).min(), 1) == 1.8
    assert ends(deep[:, 0]) == (0.07, 0.09)
    assert ends(deep[:, 1]) == (0.25, 0.48)


def again_common_part():
    hidden_by_the_mean()
    for name, results in probe_without_the_mean.stored().items():
        for what in (0, 1):
            alike(null[name][:, what], results[:, what])


@recorded(
    "does_position_survive_the_layers/products",
    script="tests/chapters/does_position_survive_the_layers.py",
)
def probe_of_products(seed=0):
    """The probe on the products of two coordinates, after each layer of a trained rotary model."""
    model = position_by_layer.train_one("rotary", seed)
    one, other = np.triu_indices(32)
    more_texts = np.random.default_rng(7).integers(10, size=(1000, N))
    fitted, tested = (hidden_states(texts, *model, positions=np.arange(N))[1:] for texts in (more_texts, TEXTS[1]))
    return [
        position_accuracy(*(h[..., one] * h[..., other] for h in layer)) for layer in zip(fitted, tested, strict=True)
    ]


def recorded_products():
    of_products = probe_of_products()
    says("reads 0.14 to 0.17 (a guess: 0.06)", min(of_products), max(of_products), CHANCE)


def again_products():
    assert min(probe_of_products()) > 1.5 * CHANCE  # better than a guess


def again_trained_model():
    """The record of `inorder.lab.position_by_layer`."""
    again = position_by_layer.train_one("learned", 2)
    right, probes = position_by_layer.task_accuracy(again), position_by_layer.probe_layers(again)
    assert abs(right - models["learned"]["task"][2]) < 0.02
    assert np.abs(probes - models["learned"]["after"][2]).max() < 0.1
    assert max(position_by_layer.block_errors(again)) < 100 * EPSILON
