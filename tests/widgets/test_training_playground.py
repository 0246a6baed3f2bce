"""TrainingPlayground: gradients and losses against torch, tasks against their floors, its controls, its link."""

import dataclasses
import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import playground_in_torch as in_torch
from harness.figure import page_html
from inorder.lab.tasks import IGNORED
from inorder.lab.training import token_logits
from inorder.transformer import (
    PositionScheme,
    TransformerConfig,
    encode,
    flatten_parameters,
    init_parameters,
    map_parameters,
    unembed,
)
from inorder.widgets import TrainingPlayground
from inorder.widgets.kit.model_state import scheme_state
from inorder.widgets.kit.state import InvalidState
from inorder.widgets.training_playground import setting, words
from transformer_models import POSITION_SCHEMES

FOLDER = "training_playground"
ALL_SCHEMES = {"none": PositionScheme(), **POSITION_SCHEMES}


# ------------------------------------------------------------------------------------------------- the arithmetic


@pytest.fixture(scope="module")
def js(functions):
    """js(script, argument): the script, with the playground's modules and their library as `js`."""
    return functions(*(f"{FOLDER}/{file}.js" for file in ("library", "places", "parameters", "run"))).script


def page_config(config: TransformerConfig) -> dict[str, Any]:
    arguments = dataclasses.asdict(dataclasses.replace(config, position="none"))
    del arguments["position"]
    return arguments | {"scheme": scheme_state(config.scheme), "d_token": config.scheme.token_width(config.d_model)}


def page_model(config: TransformerConfig, parameters: Any, *lengths: int, causal: bool = False) -> dict[str, Any]:
    flat = flatten_parameters(parameters)
    return {
        "config": page_config(config),
        "shapes": [[name, list(array.shape), 0] for name, array in flat.items()],
        "numbers": np.concatenate([np.ravel(array) for array in flat.values()]).tolist(),
        "lengths": list(lengths),
        "causal": causal,
        "settings": setting.TRAINING,
    }


def as_batch(tokens: np.ndarray, targets: np.ndarray, pooled: bool) -> dict[str, Any]:
    count, n = tokens.shape
    lists = {"tokens": tokens.ravel().tolist(), "targets": targets.ravel().tolist()}
    return lists | {"nSequences": count, "n": n, "pooled": pooled}


def torch_loss(
    parameters: Any, config: TransformerConfig, tokens: Any, targets: Any, pooled: bool, causal: bool
) -> Any:
    rows = token_logits(torch.from_numpy(tokens), parameters, config, causal=causal)
    rows = rows.mean(dim=1, keepdim=True) if pooled else rows
    return torch.nn.functional.cross_entropy(
        rows.flatten(0, 1), torch.from_numpy(targets).flatten(), ignore_index=IGNORED
    )


def trainable(parameters: Any) -> Any:
    return map_parameters(lambda w: torch.from_numpy(np.array(w)).requires_grad_(), parameters)


def random_case(scheme: Any, rng: np.random.Generator) -> tuple[TransformerConfig, Any, np.ndarray, np.ndarray, bool]:
    """Sizes, parameters of which none is 0 or 1, a batch and what it is asked."""
    heads = int(rng.choice([2, 4]))
    sizes = {
        "vocabulary_size": int(rng.integers(3, 12)),
        "d_model": 12 if heads == 2 else 24,
        "n_heads": heads,
        "d_ff": int(rng.integers(1, 20)),
        "n_layers": int(rng.integers(1, 3)),
        "n_outputs": int(rng.integers(2, 9)),
    }
    config = TransformerConfig(**sizes, position=scheme, activation="relu")
    parameters = map_parameters(lambda w: w + 0.1 * rng.normal(size=w.shape), init_parameters(config, rng))
    count, n, pooled = int(rng.integers(1, 5)), int(rng.integers(1, 14)), bool(rng.integers(2))
    tokens = rng.integers(sizes["vocabulary_size"], size=(count, n))
    targets = rng.integers(sizes["n_outputs"], size=(count, 1 if pooled else n))
    if not pooled:
        targets[rng.random(targets.shape) < 0.3] = IGNORED
        targets[0, 0] = 0
    return config, parameters, tokens, targets, pooled


SLOPES = """([model, batch]) => {
  const { config, shapes, numbers, lengths, causal, settings } = model;
  const places = Object.fromEntries(lengths.map((n) => [n, js.placesOf(config, n, causal)]));
  const one = js.library.learner({ config, shapes, settings, start: numbers, places });
  const [tokens, targets] = [batch.tokens, batch.targets].map((list) => Int32Array.from(list));
  const loss = one.slopes({ ...batch, tokens, targets });
  return [loss, one.gradient];
}"""


@pytest.mark.parametrize("scheme", ALL_SCHEMES.values(), ids=ALL_SCHEMES)
def test_gradients_are_torchs(js, scheme):
    @settings(max_examples=4, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(seed=st.integers(0, 2**32 - 1), causal=st.booleans())
    def check(seed, causal):
        if causal and getattr(scheme, "direction", "") in ("right", "split"):
            causal = False  # the first row would have nothing to look at
        config, parameters, tokens, targets, pooled = random_case(scheme, np.random.default_rng(seed))
        model = page_model(config, parameters, tokens.shape[1], causal=causal)
        loss, slopes = js(SLOPES, [model, as_batch(tokens, targets, pooled)])
        there = trainable(parameters)
        expected = torch_loss(there, config, tokens, targets, pooled, causal)
        expected.backward()
        assert loss == pytest.approx(expected.item(), abs=1e-9)
        gradients = [
            np.zeros(w.shape) if w.grad is None else w.grad.numpy() for w in flatten_parameters(there).values()
        ]
        np.testing.assert_allclose(slopes, np.concatenate([g.ravel() for g in gradients]), rtol=1e-6, atol=1e-9)

    check()


FIRST_STEPS = """([state, known, steps]) => {
  const one = js.library.contest(js.orderOf(state, known));
  for (let step = 0; step < steps; step += 1) one.advance();
  return one.report(true);
}"""
SETTINGS = [
    *(("which-first", "none", scheme) for scheme in ("none", "sinusoidal", "alibi-split")),
    ("which-first", "causal", "rotary"),
    ("copy-left", "causal", "t5"),
    ("last-token", "none", "shaw"),
    ("reversal", "none", "learned-concatenated"),
]


@pytest.mark.parametrize(("task", "mask", "scheme"), SETTINGS)
def test_ten_steps_are_torchs(js, task, mask, scheme):
    """From the figure's own start and batches."""
    python = TrainingPlayground(task, mask=mask, first=scheme, n_layers=2, seed=3)
    result = js(FIRST_STEPS, [python.state, python.known, 10])
    losses, accuracies = in_torch.first_steps(scheme, task, mask, 2, 3, 10)
    np.testing.assert_allclose([step[0] for step in result["losses"]], losses, rtol=0, atol=1e-6)
    assert [test["step"] for test in result["tested"]] == [0, 10]
    np.testing.assert_allclose([test["accuracies"][0] for test in result["tested"]], accuracies, rtol=0, atol=1e-12)
    assert result["byLength"][0][0] == accuracies[-1]


def test_the_two_models_see_the_same_batches_and_start_alike(js):
    python = TrainingPlayground(first="alibi", second="alibi")
    result = js(FIRST_STEPS, [python.state, python.known, 3])
    assert all(one == other for one, other in result["losses"])
    assert result["numbers"][0] == result["numbers"][1]


# ------------------------------------------------------------------------------------------------------ the tasks


DRAW = """([state, known, text, count, n, isTest]) =>
  js.library.draw(js.taskOf(state, known), text, count, n, isTest)"""


@pytest.mark.parametrize("is_test", [False, True])
@pytest.mark.parametrize("mask", setting.MASKS)
@pytest.mark.parametrize("task", list(setting.TASKS))
def test_batches_are_pythons(js, task, mask, is_test):
    python = TrainingPlayground(task, mask=mask)
    drawn = js(DRAW, [python.state, python.known, "some text", 8, 7, is_test])
    lab = setting.lab_task(task, mask)
    expected = in_torch.batch(lab, "some text", 8, 7, is_test=is_test)
    assert drawn["tokens"] == expected.tokens.flatten().tolist()
    assert drawn["targets"] == expected.targets.flatten().tolist()
    assert drawn["n"] == expected.tokens.shape[1]
    assert drawn["pooled"] == (expected.targets.shape[1] == 1 < drawn["n"])


@pytest.mark.parametrize("mask", setting.MASKS)
def test_which_first_is_tested_on_pairs(js, mask):
    """With each test sequence, the same with A and B swapped and the other answer; and both backwards."""
    python = TrainingPlayground(mask=mask)
    drawn = js(DRAW, [python.state, python.known, "a text", 40, 9, True])
    tokens, targets = np.reshape(drawn["tokens"], (10, 4, -1)), np.reshape(drawn["targets"], (10, 4, -1))[..., -1]
    texts, ends = tokens[..., :9], tokens[..., 9:]
    assert ends.size == (40 if mask == "causal" else 0) and (ends == 10).all()
    a, b = (texts == 8), (texts == 9)
    assert (a.sum(axis=-1) == 1).all() and (b.sum(axis=-1) == 1).all()
    assert ((a.argmax(axis=-1) < b.argmax(axis=-1)) == targets).all()
    swapped = np.where(texts == 8, 9, np.where(texts == 9, 8, texts))
    assert (texts[:, 1] == swapped[:, 0]).all() and (targets[:, 1] == 1 - targets[:, 0]).all()
    assert (texts[:, 2:] == texts[:, :2, ::-1]).all() and (targets[:, 2:] == 1 - targets[:, :2]).all()


@pytest.mark.parametrize(("scheme", "n_layers"), [("none", 1), ("alibi", 2)])
def test_the_blind_reach_the_floor_exactly(js, scheme, n_layers):
    """On which-first, without positions, or unable to tell left from right: one half, at every length."""
    python = TrainingPlayground(first=scheme, second="rotary", n_layers=n_layers)
    result = js(FIRST_STEPS, [python.state, python.known, 30])
    assert [test["accuracies"][0] for test in result["tested"]] == [0.5] * 4
    assert result["byLength"][0] == [0.5] * 5
    if n_layers == 1:  # by then the other model, which hears positions, has learnt something
        assert result["tested"][-1]["accuracies"][1] > 0.6


@pytest.mark.parametrize(("task", "mask"), [("which-first", "none"), ("which-first", "causal"), ("copy-left", "none")])
def test_floor_and_ceiling_are_those_of_the_lab(task, mask):
    python, lab = TrainingPlayground(task, mask=mask), setting.lab_task(task, mask)
    assert (python.floor, python.ceiling) == (lab.floor(12), lab.symmetric_ceiling(12))
    name = setting.lab_name(task, mask)
    assert python.known["tasks"][name]["bounds"][4] == (lab.floor(48), lab.symmetric_ceiling(48))


# ----------------------------------------------------------------------------------------------------- the figure


def trained(figure, steps, which=0):
    """Waits until the page has trained that many steps, and paused."""
    figure.page.wait_for_function(
        "([steps, which]) => model.get('losses')[which].length >= steps", arg=[steps, which], timeout=60_000
    )


def pause(figure):
    """Press Pause, if it still says so: once one of the two is ahead, it pauses by itself."""
    figure.figure.get_by_role("button", name="Pause", exact=True).evaluate_all(
        "all => all.forEach((one) => one.click())"
    )
    saved = -1
    while saved != (saved := figure.page.evaluate("model.saved.length")):
        figure.page.wait_for_timeout(500)  # what the worker still had to say


def test_it_trains_in_a_worker_until_it_is_told_to_pause(mount):
    figure = mount(TrainingPlayground())
    assert figure.summary.inner_text() == figure.python.summary() == "Neither has learned anything yet: press Play."
    assert len(figure.page.workers) == 1
    figure.press("Play")
    trained(figure, 20)
    pause(figure)
    python = figure.sync()
    n_steps = len(python.losses[0])
    losses, _ = in_torch.first_steps("rotary", "which-first", "none", 1, 0, 20)
    np.testing.assert_allclose(python.losses[1][:20], losses, rtol=0, atol=1e-6)
    assert python.tested == list(range(0, n_steps + 1, 10))
    assert figure.summary.inner_text() == python.summary()
    assert figure.figure.locator(".inorder-answer .inorder-note").inner_text() == words.note(python)
    for row in (0, 1):
        assert figure.numbers("accuracy")[row, 0] == python.accuracies[row][-1]
        assert len(python.accuracies_by_length[row]) == len(python.TEST_LENGTHS)
    figure.page.wait_for_timeout(300)
    assert figure.page.evaluate("model.get('losses')[0].length") == n_steps


def test_one_step_and_reset(mount):
    figure = mount(TrainingPlayground())
    for n_steps in (1, 2):
        figure.press("One step")
        trained(figure, n_steps)
        assert len(figure.sync().losses[0]) == n_steps
    once = figure.python.losses
    figure.press("Another start")
    figure.page.wait_for_function("model.get('losses')[0].length === 0")
    figure.press("One step")
    trained(figure, 1)
    assert figure.sync().seed == 1 and figure.python.losses != [row[:1] for row in once]
    figure.press("Reset")
    figure.page.wait_for_function("model.get('losses')[0].length === 0")
    figure.press("One step")
    trained(figure, 1)
    assert figure.sync().losses == [row[:1] for row in once]


def test_every_setting_trains_another_pair(mount):
    figure = mount(TrainingPlayground())
    losses = []
    for label, name, value in (
        ("Task", "task", "copy-left"),
        ("Positions of the first", "first", "sinusoidal"),
        ("Positions of the second", "second", "alibi-split"),
        ("", "mask", "causal"),
        ("", "n_layers", 2),
    ):
        figure.press("One step")
        trained(figure, 1)
        losses.append(figure.sync().losses)
        if label:
            figure.figure.get_by_label(label).select_option(value)
        else:
            figure.drive(**{name: value})
        figure.page.wait_for_function("model.get('losses')[0].length === 0")
        assert getattr(figure.sync(), name) == value
    assert all(one != next_one for one, next_one in pairwise(losses))
    assert figure.figure.locator(".inorder-answer .inorder-note").inner_text() == words.note(figure.python)


def test_it_stops_when_all_is_decided(mount):
    """Twenty steps after one model is right and the other stands still; the reader can go on from there."""
    figure = mount(TrainingPlayground())
    figure.press("Play")
    figure.page.wait_for_function("model.get('losses')[1].length > 0 && !model.get('running')", timeout=120_000)
    python = figure.sync()
    n_steps = len(python.losses[0])
    assert python.accuracies[1][-1] > 0.95 and set(python.accuracies[0]) == {0.5} and 40 < n_steps < 900
    figure.press("Play")
    trained(figure, n_steps + 10)


def test_one_text_whose_answer_flips(mount):
    """What the page says of it is what inorder computes from the same start, in every order of its letters."""
    figure = mount(TrainingPlayground("which-first", first="sinusoidal", example="CBDA"))
    verdicts = figure.figure.locator(".inorder-says")
    model = setting.config_of("which-first", "none", "sinusoidal", 1)
    parameters = in_torch.start(model, 0)

    def assert_shown(tokens):
        hidden = encode(np.array(tokens), parameters, model, positions=np.arange(len(tokens)))
        logits = unembed(hidden.mean(axis=0), parameters)
        share = 1 / (1 + np.exp(logits[0] - logits[1]))
        np.testing.assert_allclose(figure.numbers("share")[0, 0], share, rtol=0, atol=1e-9)
        assert verdicts.first.locator(".inorder-verdict").inner_text() == ("A first" if share > 0.5 else "B first")

    verdicts.first.locator(".inorder-verdict").wait_for()
    assert verdicts.locator(".inorder-sign").count() == 0, "no model is right before it is trained"
    assert_shown([0, 9, 1, 8])
    figure.figure.locator(".inorder-tile").nth(3).focus()
    figure.page.keyboard.press("Home")
    assert figure.sync().example == list("ACBD")
    assert_shown([8, 0, 9, 1])
    figure.drive(example=["A", "A"])
    assert "needs one A and one B" in verdicts.first.inner_text()
    figure.figure.get_by_label("Task").select_option("copy-left")
    verdicts.first.get_by_text("untrained").wait_for(timeout=30_000)


def test_two_views_show_one_training(mount):
    figure = mount(TrainingPlayground(), views=(True, True))
    assert len(figure.page.workers) == 1
    figure.press("One step")
    trained(figure, 1)
    assert (figure.numbers("share", 0) == figure.numbers("share", 1)).all()
    figure.page.evaluate("stops[0]()")
    assert len(figure.page.workers) == 1
    figure.page.evaluate("stops[1]()")
    figure.page.wait_for_timeout(200)
    assert len(figure.page.workers) == 0
    assert all(not result for result in figure.page.evaluate("Object.values(model.listeners)"))


def test_it_runs_from_a_file(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page_html(TrainingPlayground()), encoding="utf8")
    page = browser.new_page()
    trouble = []
    page.on("console", lambda message: trouble.append(message.text))
    page.goto(path.as_uri())
    page.get_by_role("button", name="Play").click()
    page.get_by_text(re.compile(r"After \d+ steps")).first.wait_for(timeout=60_000)
    assert len(page.workers) == 1
    assert trouble == []
    page.close()


def test_where_workers_are_refused_it_says_so(browser, tmp_path):
    rule = '<meta http-equiv="Content-Security-Policy" content="worker-src \'none\'">'
    path = tmp_path / "page.html"
    path.write_text(page_html(TrainingPlayground()).replace("<meta charset", f"{rule}<meta charset"), encoding="utf8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.get_by_text("This page may not start a worker, so nothing can be trained here.").wait_for()
    page.close()


# ----------------------------------------------------------------------------------------------------- in Python


def test_the_twin_has_the_curves():
    python = TrainingPlayground()
    (axes,) = python.figure().axes
    assert [line.get_xdata().tolist() for line in axes.lines[:2]] == [[], []] and python.summary() in python.alt_text()
    python.set_state({"losses": [[0.7], [0.6]], "accuracies": [[0.5, 0.5], [0.5, 0.75]], "tested": [0, 10]})
    (axes,) = python.figure().axes
    np.testing.assert_array_equal([line.get_ydata() for line in axes.lines[:2]], python.accuracies)
    assert axes.lines[2].get_ydata()[0] == python.floor
    assert "After 10 steps, no positions: 0.50 right; RoPE: 0.75." in python.alt_text()


def test_an_example_has_letters_of_the_tasks():
    with pytest.raises(InvalidState, match="example must hold letters from A to J, got 'K'"):
        TrainingPlayground(example="ABK")
