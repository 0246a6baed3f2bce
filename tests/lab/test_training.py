"""Training: against torch's own Adam, on problems with a known answer, and what it must leave alone."""

import numpy as np
import pytest
import torch

from inorder.lab.tasks import IGNORED, Batch, CopyLeft
from inorder.lab.training import accuracy, fit, learning_rate_factor, token_logits, train
from inorder.transformer import TransformerConfig, decode, flatten_parameters, init_parameters


def small(position="learned", **settings):
    sizes = {"d_model": 16, "n_heads": 2, "d_ff": 0, "n_layers": 1}
    return TransformerConfig(**{**sizes, "vocabulary_size": 10, "position": position, **settings})


def squares(target):
    return lambda parameters, step: ((parameters["w"] - target) ** 2).sum()


def test_every_step_is_torchs_adam_at_the_scheduled_rate():
    target, n_steps = torch.tensor([3.0, -1.0, 0.5]), 12
    weight = torch.zeros(3, requires_grad=True)
    optimiser = torch.optim.Adam([weight], betas=(0.9, 0.98))
    losses = []
    for step in range(n_steps):
        for group in optimiser.param_groups:
            group["lr"] = 0.1 * learning_rate_factor(step, 4, n_steps)
        optimiser.zero_grad()
        loss = ((weight - target) ** 2).sum()
        losses.append(loss.item())
        loss.backward()
        torch.nn.utils.clip_grad_norm_([weight], 2.0)
        optimiser.step()
    settings = {"learning_rate": 0.1, "warm_up": 4, "largest_gradient": 2.0}
    result = fit({"w": torch.zeros(3)}, squares(target), n_steps=n_steps, **settings)
    torch.testing.assert_close(result.parameters["w"], weight.detach(), rtol=0, atol=0)
    np.testing.assert_array_equal(result.losses, losses)


def test_the_tree_given_stays_as_it_is_and_what_comes_back_records_no_gradient():
    start = {"w": torch.zeros(2), "parts": (torch.ones(1), None)}
    result = fit(start, squares(torch.ones(2)), n_steps=5)
    assert (start["w"] == 0).all() and not start["w"].requires_grad
    assert not any(w.requires_grad for w in flatten_parameters(result.parameters).values())
    assert result.parameters["parts"][1] is None and (result.parameters["parts"][0] == 1).all()


def test_a_trained_model_copies_left_and_a_blind_one_stands_at_its_floor():
    task, n = CopyLeft(4), 6
    test = task.draw(np.random.default_rng(7), 400, n)
    run = {"seed": 0, "n_steps": 250, "lengths": [n], "batch_size": 32, "learning_rate": 1e-2}
    seeing, blind = small(), small("none")
    assert accuracy(train(seeing, task, **run).parameters, seeing, test) > 0.95
    assert accuracy(train(blind, task, **run).parameters, blind, test) < task.floor(n) + 0.03


def test_one_seed_gives_one_run_and_the_data_are_the_same_for_every_configuration():
    class Watched(CopyLeft):
        def draw(self, rng, n_sequences, n):
            drawn.append(super().draw(rng, n_sequences, n).tokens)
            return Batch(drawn[-1], torch.roll(drawn[-1], 1, dims=1))

    drawn: list = []
    run = {"n_steps": 4, "lengths": [4, 5, 6]}
    first = train(small(), Watched(), seed=1, **run)
    again = train(small(), Watched(), seed=1, **run)
    train(small("rotary"), Watched(), seed=1, **run)
    other = train(small(), Watched(), seed=2, **run)
    np.testing.assert_array_equal(first.losses, again.losses)
    assert (first.losses != other.losses).all()
    assert all(torch.equal(a, b) for a, b in zip(drawn[:4], drawn[8:12], strict=True))
    assert {tokens.shape[1] for tokens in drawn} <= {4, 5, 6}


def test_causal_rows_are_those_of_the_decoder():
    config = small("rotary", n_layers=2)
    start = init_parameters(config, np.random.default_rng(0), like=torch.zeros(()))
    tokens = CopyLeft().draw(np.random.default_rng(0), 3, 7).tokens
    expected, _ = decode(tokens, start, config, positions=torch.arange(7))
    torch.testing.assert_close(token_logits(tokens, start, config, causal=True), expected)
    assert not torch.allclose(token_logits(tokens, start, config), expected)
    far = token_logits(tokens, start, config, positions=torch.arange(50, 57), causal=True)
    torch.testing.assert_close(far, expected, rtol=1e-4, atol=1e-4)  # rotary sees differences only


def test_accuracy_counts_only_the_rows_that_count():
    config = small()
    start = init_parameters(config, np.random.default_rng(0), like=torch.zeros(()))
    tokens = CopyLeft().draw(np.random.default_rng(0), 3, 5).tokens
    targets = token_logits(tokens, start, config).argmax(dim=-1)
    assert accuracy(start, config, Batch(tokens, targets)) == 1
    wrong = targets.clone()
    wrong[:, 0] = IGNORED
    wrong[0, 1] = (wrong[0, 1] + 1) % 10
    assert accuracy(start, config, Batch(tokens, wrong)) == pytest.approx(11 / 12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit({}, squares(0), n_steps=3), "at least one tensor"),
        (lambda: fit({"w": torch.zeros(1)}, squares(0), n_steps=0), "n_steps"),
        (lambda: fit({"w": torch.zeros(1)}, squares(float("nan")), n_steps=3), "finite loss, got nan in step 0"),
        (lambda: train(small(vocabulary_size=9), CopyLeft(10), seed=0), "at least the task's 10 tokens, got 9"),
        (lambda: train(small(), CopyLeft(), seed=0, lengths=[]), "one length or more"),
    ],
)
def test_bad_input(call, message, types_unchecked):
    with pytest.raises(ValueError, match=message):
        call()
