"""The engine's forward pass against inorder.pretrained.decoder: a small random model, and SmolLM2."""

import dataclasses

import numpy as np
import pytest

from inorder.pretrained import decoder
from inorder.pretrained.decoder import PLACEMENTS, Placement
from language_model_prompts import PROMPTS
from small_language_model import N_LAYERS

pytestmark = pytest.mark.usefixtures("types_unchecked")  # thirty layers of checks
CLOSE = {"rtol": 1e-5, "atol": 2e-5}  # float32 beside float64; logits with a deviation of 1.6
N = 11
IDS = np.random.default_rng(3).integers(4, 270, size=N).tolist()


def logits(engine, name, ids, positions="trained", **options):
    """After the last token, or after each of the ``parts``."""
    return np.array(engine("logits", name=name, ids=list(map(int, ids)), positions=positions, **options))


def test_the_placements_are_those_of_the_package(engine):
    expected = {name: dataclasses.asdict(rule) for name, rule in PLACEMENTS.items()}
    for rule in expected.values():
        rule["pairing"] = rule["pairing"] or "interleaved"  # that of the file
    assert engine("placements") == expected
    assert list(engine("placements")) == list(PLACEMENTS)


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_every_placement(engine, small, small_name, placement):
    np.testing.assert_allclose(
        logits(engine, small_name, IDS, placement)[0], decoder.logits(IDS, small.lm, placement)[-1], **CLOSE
    )


def test_any_positions_and_rules(engine, small, small_name):
    rng = np.random.default_rng(4)
    for positions in ([5] * N, rng.permutation(N).tolist(), rng.integers(-900, 900, size=N).tolist()):
        np.testing.assert_allclose(
            logits(engine, small_name, IDS, positions)[0], decoder.logits(IDS, small.lm, positions)[-1], **CLOSE
        )
    rule = {"scale": -3, "offset": 40, "pairing": "halves"}
    np.testing.assert_allclose(
        logits(engine, small_name, IDS, rule)[0], decoder.logits(IDS, small.lm, Placement(**rule))[-1], **CLOSE
    )
    between = logits(engine, small_name, IDS, [i / 2 for i in range(N)])  # as in position interpolation
    assert np.abs(between - logits(engine, small_name, IDS)).max() > 0.01 and np.isfinite(between).all()


@pytest.mark.parametrize("positions", [[0, 1], [None] * N])
def test_positions_that_are_none(engine, small_name, positions):
    with pytest.raises(RuntimeError, match="The 11 tokens of the text need 11 positions, each a number"):
        logits(engine, small_name, IDS, positions)


@pytest.mark.parametrize("parts", [[1] * N, [4, 7], [10, 1]])
def test_step_by_step(engine, small, small_name, parts):
    theirs = np.asarray(decoder.logits(IDS, small.lm, "stretched"))[np.cumsum(parts) - 1]
    np.testing.assert_allclose(logits(engine, small_name, IDS, "stretched", parts=parts), theirs, **CLOSE)


@pytest.mark.parametrize("placement", ["trained", "mispaired"])
def test_rows_and_every_head(engine, small, small_name, placement):
    logits(engine, small_name, IDS, placement)
    rows, states = engine("rows", name=small_name), decoder.states(IDS, small.lm, placement)
    weights = np.reshape(engine("attention", name=small_name), (N_LAYERS, 4, N, N))
    assert len(rows) == N_LAYERS + 1
    for layer, state in enumerate(states):
        np.testing.assert_allclose(rows[layer].reshape(N, -1), state.x, **CLOSE)
        np.testing.assert_allclose(weights[layer], state.weights, atol=1e-5)


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_what_it_writes(engine, small, small_name, placement):
    theirs = list(decoder.read(IDS, small.lm, 8, positions=placement).tokens)
    ours = engine("generate", name=small_name, ids=IDS, positions=placement, n=8)
    assert ours[: len(theirs)] == theirs and len(theirs) > 4


def test_what_it_writes_at_given_positions(engine, small, small_name):
    for positions in (list(range(N, 0, -1)), [*range(N), 3, 1, 4, 1, 5, 9]):
        theirs = list(decoder.read(IDS, small.lm, 6, positions=positions).tokens)
        assert engine("generate", name=small_name, ids=IDS, positions=positions, n=6)[: len(theirs)] == theirs


def test_the_likeliest_tokens(engine):
    values = np.random.default_rng(5).integers(-4, 5, size=40).astype(float)
    probabilities = np.exp(values) / np.exp(values).sum()
    best = engine("likeliest", logits=values.tolist(), k=12)
    assert [each["id"] for each in best] == np.argsort(-values, stable=True)[:12].tolist()
    np.testing.assert_allclose([each["probability"] for each in best], probabilities[[e["id"] for e in best]])
    assert len(engine("likeliest", logits=values.tolist(), k=100)) == 40


# SmolLM2 itself

TEXTS = [
    "The capital of France is",
    "Être ou ne pas être… 東京 🙂 1789",
    "def mean(xs):\n    return sum(xs) / len(xs)\n",
    "Alice loves Bob. The one who is loved is",
]


def first_choices(engine, lm, prompts):
    """(prompt, the engine's, the package's), for each prompt."""
    for prompt in prompts:
        ids = decoder.tokenize(prompt, lm).ids
        row = decoder.logits(ids, lm)[-1]
        here = logits(engine, "large", ids)[-1]
        yield prompt, int(here.argmax()), int(row.argmax())


@pytest.mark.parametrize("text", TEXTS)
def test_the_logits_of_smollm2(engine, large, text):
    ids = decoder.tokenize(text, large).ids
    for placement in PLACEMENTS if text == TEXTS[0] else ["trained", "unrotated"]:
        here = logits(engine, "large", ids, placement)[-1]
        np.testing.assert_allclose(here, decoder.logits(ids, large, placement)[-1], rtol=0, atol=1e-3)


def test_the_rows_and_heads_of_smollm2(engine, large):
    ids = decoder.tokenize(TEXTS[0], large).ids
    logits(engine, "large", ids)
    weights = np.reshape(engine("attention", name="large"), (30, 9, len(ids), len(ids)))
    rows, states = engine("rows", name="large"), decoder.states(ids, large)
    for layer, state in enumerate(states):
        x = np.asarray(state.x)
        np.testing.assert_allclose(rows[layer].reshape(x.shape), x, rtol=1e-3, atol=1e-4 * np.abs(x).max())
        np.testing.assert_allclose(weights[layer], state.weights, atol=1e-4)


def test_what_smollm2_writes(engine, large):
    for placement in ("trained", "restarted"):
        ids = decoder.tokenize(TEXTS[0], large).ids.tolist()
        theirs = list(decoder.read(ids, large, 6, positions=placement).tokens)
        assert engine("generate", name="large", ids=ids, positions=placement, n=6)[: len(theirs)] == theirs


def test_the_first_choice_on_four_prompts(engine, large):
    assert not [each for each in first_choices(engine, large, PROMPTS[-25:-1:6]) if each[1] != each[2]]


@pytest.mark.nightly
def test_the_first_choice_on_a_hundred_prompts(engine, large):
    assert len(set(PROMPTS)) == 100
    assert not [each for each in first_choices(engine, large, PROMPTS) if each[1] != each[2]]
