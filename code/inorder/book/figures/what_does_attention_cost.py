"""The figures on what attention costs: running sums, and the memory of both forms."""

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np

from inorder.book.drawing import INK, MUTED, STYLE, Picture, said, span
from inorder.book.sentence import sentence
from inorder.widgets import marks
from inorder.widgets.marks import Mark


def running_sums(last: str = "wide") -> list[dict]:
    """The streaming softmax of *it*, a key at a time: word, score, m, shrink, total and output after each."""
    words, keys, queries, values = sentence(last)
    scores = keys @ queries[words.index("it")] / np.sqrt(2)  # (word 5,)
    m, total, output = -np.inf, 0.0, np.zeros(2)
    steps = [{"word": "", "score": 0.0, "m": m, "shrink": 1.0, "total": total, "output": output}]
    for word, s, v in zip(words, scores, values, strict=True):
        new_m = max(m, s)
        shrink = np.exp(m - new_m)
        total = shrink * total + np.exp(s - new_m)
        output = shrink * output + np.exp(s - new_m) * v
        m = new_m
        steps.append({"word": word, "score": s, "m": m, "shrink": shrink, "total": total, "output": output})
    return steps


def one_key_at_a_time(read: int = 0) -> tuple[Mark, Mark, Mark]:
    """Read the keys one by one, and keep three things. Is it the same average?"""
    steps = running_sums()
    now, scores = steps[read], np.array([step["score"] for step in steps[1:]])
    terms = np.where(np.arange(5) < read, np.exp(scores - (0 if np.isinf(now["m"]) else now["m"])), 0)
    words = [step["word"] for step in steps[1:]]
    if read == 0:
        says = "Nothing is read yet: both sums are empty."
    elif read == 5:
        warm, large = now["output"] / now["total"]
        says = f"All read. Divide: ({warm:.2f}, {large:.2f}) is what the whole table gives."
    elif read > 1 and now["shrink"] < 1:
        says = f"“{now['word']}” scores higher than all before: both sums shrink to {now['shrink']:.3f} of themselves."
    else:
        says = f"“{now['word']}” is added with a term of {terms[read - 1]:.3g}, and its score is forgotten."
    names = ["m, largest score", "ℓ, sum of terms", "o, warm", "o, large"]
    numbers = {"now": [now["m"], now["total"], *now["output"]]}
    bars = marks.bars(terms, words, columns={"score": scores}, axis="its term in the sums", limits=(0, 1), actor="key")
    table = marks.table(numbers, names, digits=3, title="what is kept")
    return bars, table, marks.answer(says, "=" if read == 5 else None)


@mpl.rc_context(STYLE)
def memory(
    n_tokens: Sequence[int],
    plain: Sequence[float],
    streaming: Sequence[float],
    plain_derived: Sequence[float],
    streaming_derived: Sequence[float],
) -> Picture:
    """Peak memory of the plain and of the streaming form against n, both axes logarithmic, in MiB."""
    growth = [said(form[-1] / form[-2]) for form in (plain, streaming)]
    figure = Picture(
        f"Peak memory in mebibytes against the number of tokens, from {span(n_tokens, 'd')}, both axes logarithmic. "
        f"At the last step of n, times {said(n_tokens[-1] / n_tokens[-2])}, the plain form grows {growth[0]} times, "
        f"the streaming form {growth[1]} times; at the right edge they need {said(plain[-1], '.0f')} and "
        f"{said(streaming[-1])}. Dotted lines, the derived floors, run below both.",
        height=4.2,
    )
    axes = figure.subplots()
    axes.loglog(n_tokens, plain, "o", color=MUTED, label="plain, measured")
    axes.loglog(n_tokens, plain_derived, ":", color=MUTED, label="plain, derived floor")
    axes.loglog(n_tokens, streaming, "s", color=INK, label="streaming, measured")
    axes.loglog(n_tokens, streaming_derived, ":", color=INK, label="streaming, derived floor")
    axes.set_xticks(n_tokens, [str(n) for n in n_tokens])
    axes.set_yticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    axes.minorticks_off()
    axes.set(xlabel="n, the number of tokens", ylabel="peak memory, MiB")
    axes.legend(loc="upper left")
    return figure
