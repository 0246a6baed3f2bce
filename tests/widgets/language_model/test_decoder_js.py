"""The engine's forward pass against inorder.pretrained.decoder: a small random model in both kernels, and SmolLM2."""

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
    parts = engine("logits", name=name, ids=list(map(int, ids)), positions=positions, **options)
    return np.concatenate([part.reshape(-1, 49152 if name == "large" else 270) for part in parts])


def test_the_placements_are_those_of_the_package(engine):
    expected = {name: dataclasses.asdict(rule) for name, rule in PLACEMENTS.items()}
    for rule in expected.values():
        rule["pairing"] = rule["pairing"] or "interleaved"  # that of the file
    assert engine("placements") == expected
    assert list(engine("placements")) == list(PLACEMENTS)


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_every_placement(engine, small, small_name, placement):
    np.testing.assert_allclose(
        logits(engine, small_name, IDS, placement), decoder.logits(IDS, small.lm, placement), **CLOSE
    )


def test_any_positions_and_rules(engine, small, small_name):
    rng = np.random.default_rng(4)
    for positions in ([5] * N, rng.permutation(N).tolist(), rng.integers(-900, 900, size=N).tolist()):
        np.testing.assert_allclose(
            logits(engine, small_name, IDS, positions), decoder.logits(IDS, small.lm, positions), **CLOSE
        )
    rule = {"scale": -3, "offset": 40, "pairing": "halves"}
    np.testing.assert_allclose(
        logits(engine, small_name, IDS, rule), decoder.logits(IDS, small.lm, Placement(**rule)), **CLOSE
    )
    between = logits(engine, small_name, IDS, [i / 2 for i in range(N)])  # as in position interpolation
    whole = logits(engine, small_name, IDS)
    assert np.abs(between - whole).max() > 0.01 and np.isfinite(between).all()
    for part in (slice(0, 1), slice(1, None)):  # the first token has nothing to look back at
        changed = np.abs(between - whole)[part].max() > 1e-3
        assert changed == (part.start == 1)


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        ("sideways", '"sideways" is not one of the positions trained, unrotated'),
        ([0, 1], "The 11 tokens of the text need 11 positions, each a number"),
        ([None] * N, "need 11 positions, each a number"),
        ({"scale": "2"}, "Positions need a scale, an offset and a pairing"),
        ({"pairing": "thirds"}, "Positions need a scale, an offset and a pairing"),
    ],
)
def test_positions_that_are_none(engine, small_name, positions, message):
    with pytest.raises(RuntimeError, match=message):
        logits(engine, small_name, IDS, positions)


@pytest.mark.parametrize("ids", [[], [270], [-1], [1.5]])
def test_tokens_that_are_none(engine, small_name, ids):
    with pytest.raises(RuntimeError, match="There is no text" if not ids else "tokens from 0 to 269"):
        engine("logits", name=small_name, ids=ids)


@pytest.mark.parametrize("parts", [[1] * N, [4, 7], [10, 1]])
def test_step_by_step_is_at_once(engine, small_name, parts):
    at_once = logits(engine, small_name, IDS, "stretched")
    np.testing.assert_allclose(logits(engine, small_name, IDS, "stretched", parts=parts), at_once, **CLOSE)
    last = logits(engine, small_name, IDS, "stretched", parts=parts, everyRow=False)
    np.testing.assert_allclose(last, at_once[np.cumsum(parts) - 1], **CLOSE)


@pytest.mark.parametrize("placement", ["trained", "mispaired"])
def test_rows_and_every_head(engine, small, small_name, placement):
    logits(engine, small_name, IDS, placement)
    rows, states = engine("rows", name=small_name), decoder.states(IDS, small.lm, placement)
    assert len(rows) == N_LAYERS + 1
    for layer, state in enumerate(states):
        np.testing.assert_allclose(rows[layer].reshape(N, -1), state.x, **CLOSE)
        for head in range(4):
            weights = engine("attention", name=small_name, layer=layer, head=head)
            np.testing.assert_allclose(weights.reshape(N, N), state.weights[head], atol=1e-5)
    for layer, head in [(N_LAYERS, 0), (0, 4), (-1, 0), (0.5, 0)]:
        with pytest.raises(RuntimeError, match="layers 0 to 2 and heads 0 to 3, not layer"):
            engine("attention", name=small_name, layer=layer, head=head)


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_what_it_writes(engine, small, small_name, placement):
    theirs = list(decoder.new_tokens(IDS, small.lm, 8, positions=placement))
    ours = engine("generate", name=small_name, ids=IDS, positions=placement, n=8)
    assert ours[: len(theirs)] == theirs and len(theirs) > 4


def test_what_it_writes_at_given_positions(engine, small, small_name):
    for positions in (list(range(N, 0, -1)), [*range(N), 3, 1, 4, 1, 5, 9]):
        theirs = list(decoder.new_tokens(IDS, small.lm, 6, positions=positions))
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
        here = logits(engine, "large", ids, everyRow=False)[-1]
        yield prompt, int(here.argmax()), int(row.argmax())


@pytest.mark.parametrize("text", TEXTS)
def test_the_logits_of_smollm2(engine, large, text):
    ids = decoder.tokenize(text, large).ids
    for placement in PLACEMENTS if text == TEXTS[0] else ["trained", "unrotated"]:
        here = logits(engine, "large", ids, placement)
        np.testing.assert_allclose(here, decoder.logits(ids, large, placement), rtol=0, atol=1e-3)


def test_the_rows_and_heads_of_smollm2(engine, large):
    ids = decoder.tokenize(TEXTS[0], large).ids
    logits(engine, "large", ids, everyRow=False)
    rows, states = engine("rows", name="large"), decoder.states(ids, large)
    for layer, state in enumerate(states):
        x = np.asarray(state.x)
        np.testing.assert_allclose(rows[layer].reshape(x.shape), x, rtol=1e-3, atol=1e-4 * np.abs(x).max())
        for head in range(9) if layer % 7 == 2 else [layer % 9]:
            weights = engine("attention", name="large", layer=layer, head=head).reshape(len(ids), -1)
            np.testing.assert_allclose(weights, state.weights[head], atol=1e-4)


def test_what_smollm2_writes(engine, large):
    for placement in ("trained", "restarted"):
        ids = decoder.tokenize(TEXTS[0], large).ids.tolist()
        theirs = list(decoder.new_tokens(ids, large, 6, positions=placement))
        assert engine("generate", name="large", ids=ids, positions=placement, n=6)[: len(theirs)] == theirs


def test_both_kernels_agree_on_smollm2(engine, large):
    engine("open", path=str(decoder.find_file()), name="plain", simd=False, withTokenizer=False)
    ids = decoder.tokenize(TEXTS[0], large).ids.tolist()[:3]
    (plain,) = engine("logits", name="plain", ids=ids, everyRow=False)
    np.testing.assert_allclose(plain, logits(engine, "large", ids, everyRow=False)[0], rtol=0, atol=1e-3)


def test_the_first_choice_on_four_prompts(engine, large):
    assert not [each for each in first_choices(engine, large, PROMPTS[-25:-1:6]) if each[1] != each[2]]


@pytest.mark.nightly
def test_the_first_choice_on_a_hundred_prompts(engine, large):
    assert len(set(PROMPTS)) == 100
    assert not [each for each in first_choices(engine, large, PROMPTS) if each[1] != each[2]]
