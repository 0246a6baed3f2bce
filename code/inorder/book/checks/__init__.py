"""Checkers for the book's exercises. They try your function and name the usual mistakes.

    >>> import numpy as np
    >>> from inorder.book.checks import softmax_qk_v as checks
    >>> verdict = checks.softmax(lambda scores: np.exp(scores) / np.exp(scores).sum())
    >>> print(verdict.message.splitlines()[0])
    Not yet: softmax divides by the sum over the whole array.

An exercise is a reference function, a few inputs, and the wrong answers that people are known to give, each as a
function. A new exercise is one `Exercise(...)` in its chapter's module; `inorder.book.exercise` does the rest.
"""
