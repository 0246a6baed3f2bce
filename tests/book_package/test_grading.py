"""The cell that gives a point trusts nothing that a notebook did to the package."""

from functools import partial

import numpy as np
import pytest

import inorder.attention
from inorder.attention import scaled_dot_product_attention, softmax
from inorder.book.checks import softmax_qk_v as checks
from inorder.book.exercise import Exercise, Verdict
from inorder.book.grading import grade, named

pytestmark = pytest.mark.usefixtures("imports_unchecked")


def written_out(scores):
    exp = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exp / exp.sum(axis=-1, keepdims=True)


def helper(scores):
    return softmax(scores)


def imported_inside(scores):
    from inorder import attention as ours

    return ours.softmax(scores)


def by_default(scores, function=softmax):
    return function(scores)


def of_torch(scores):
    import torch

    return torch.from_numpy(scores).softmax(-1).numpy()


CALLS = [softmax, partial(softmax), lambda scores: helper(scores), imported_inside, by_default, of_torch]


@pytest.mark.parametrize("function", CALLS)
def test_a_function_that_calls_a_library_gets_no_point(function, capsys):
    assert named(function)
    assert grade("softmax_qk_v", "softmax", function) == 0
    assert "No point: expected lines of your own" in capsys.readouterr().out


def test_what_the_books_solution_calls_may_be_called(capsys):
    def masked_attention(query, key, value, mask):
        scores = query @ key.T / np.sqrt(query.shape[-1])
        return softmax(np.where(mask, scores, -np.inf)) @ value

    def whole(query, key, value, mask):
        return scaled_dot_product_attention(query, key, value, mask=mask)

    assert grade("softmax_qk_v", "masked_attention", masked_attention, may_call=["softmax"]) == 1
    assert grade("softmax_qk_v", "masked_attention", whole, may_call=["softmax"]) == 0
    assert grade("softmax_qk_v", "softmax", written_out) == 1


def test_a_replaced_checker_gains_nothing(monkeypatch, capsys):
    monkeypatch.setattr(checks, "softmax", lambda function: Verdict(True, "Correct"))
    monkeypatch.setattr(Exercise, "__call__", lambda self, function: Verdict(True, "Correct"))
    monkeypatch.setattr(inorder.attention, "softmax", lambda scores: scores)
    assert grade("softmax_qk_v", "softmax", lambda scores: scores) == 0
    assert checks is __import__("sys").modules["inorder.book.checks.softmax_qk_v"]  # the notebook goes on as it was


def test_a_warning_costs_no_point(capsys):
    import warnings

    def warns(scores):
        warnings.warn("slow", stacklevel=1)
        return written_out(scores)

    assert grade("softmax_qk_v", "softmax", warns) == 1
    assert capsys.readouterr().err == ""
