"""The figures on what attention costs: bytes, work, running sums, and the time of one step."""

from typing import Any

import numpy as np

from inorder.book.sentence import sentence
from inorder.costs import MODELS, cache_bytes
from inorder.stored import read_record
from inorder.widgets import marks
from inorder.widgets.marks import Mark

CONTEXTS = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072]
TEXTS = [1, 4, 16, 64]
LENGTHS = [64, 512, 3072, 4096, 16384, 24576, 100_000]
STEPS = {"generating": "one token for each text", "reading": "one text of that many tokens"}


def record() -> dict[str, Any]:
    """What `studies.decoder_costs` has counted and measured."""
    return read_record("decoder_costs.json")


def said_gigabytes(n_bytes: int) -> str:
    """In GB of 10⁹ bytes, to three digits."""
    gigabytes = n_bytes / 1e9
    return f"{gigabytes:,.0f}" if gigabytes >= 100 else f"{gigabytes:.3g}"


def gigabytes(model: str = "Llama 3.1 8B", tokens: int = 8192, texts: int = 1, size: int = 2) -> tuple[Mark, Mark]:
    """How much memory will my model need?"""
    shape = MODELS[model]
    parts = np.array([shape.n_parameters * size, cache_bytes(shape, tokens, n_texts=texts, bytes_per_number=size)])
    in_words = [said_gigabytes(int(part)) for part in parts]
    times = f"{texts} texts" if texts > 1 else "one text"
    what = "keys and values" if shape.d_latent is None else "latent rows and rotated keys"
    says = (
        f"{model} keeps {in_words[1]} GB of {what} for {times} of {tokens:,} tokens, "
        f"on top of {in_words[0]} GB of parameters."
    )
    labels = ["parameters", "kept from the text"]
    bars = marks.bars(
        parts / parts.sum(), labels, columns={"GB": in_words}, axis="share of the two together", limits=(0, 1)
    )
    return bars, marks.answer(says)


def cost(n: int = 1024, d: int = 512) -> tuple[Mark, Mark]:
    """How long is the text? Which part does most of the work?"""
    parts = {"projections": 4 * n * d**2, "pairs": 2 * n**2 * d, "feed-forward": 8 * n * d**2}
    shares = np.array(list(parts.values())) / sum(parts.values())
    says = f"The pairs take {100 * shares[1]:.0f}% of the work, and the table of a head has {n**2:,} numbers."
    return marks.bars(shares, list(parts), axis="share of the work", limits=(0, 1)), marks.answer(says)


def one_step(texts: int = 1, what: str = "generating") -> tuple[Mark, Mark]:
    """How much longer do many take than one?"""
    seconds = record()[what]
    ratio = seconds[record()["texts"].index(texts)] / seconds[0]
    rows = ["multiplications", "time, measured", "time for each"]
    thing = "text" if what == "generating" else "token"
    bars = marks.bars([texts, ratio, ratio / texts], rows, axis=f"where one {thing} takes 1", limits=(0, 64), digits=2)
    if texts == 1:
        return bars, marks.answer(f"One {thing}: this is the step that the others are compared with.")
    many = f"{texts} texts" if what == "generating" else f"A text of {texts} tokens"
    verb = "take" if what == "generating" else "takes"
    return bars, marks.answer(f"{many} {verb} {ratio:.2f} times as long as one, {ratio / texts:.2f} for each {thing}.")


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
    """Read the keys one by one, and keep three things. Do you get the same average?"""
    steps = running_sums()
    now, scores = steps[read], np.array([step["score"] for step in steps[1:]])
    terms = np.where(np.arange(5) < read, np.exp(scores - (0 if np.isinf(now["m"]) else now["m"])), 0)
    words = [step["word"] for step in steps[1:]]
    if read == 0:
        says = "Nothing has been read yet: both sums are empty."
    elif read == 5:
        warm, large = now["output"] / now["total"]
        says = f"All keys have been read. Dividing o by ℓ gives ({warm:.2f}, {large:.2f}), as the whole table does."
    elif read > 1 and now["shrink"] < 1:
        says = f"“{now['word']}” scores higher than all before it: both sums are multiplied by {now['shrink']:.3f}."
    else:
        says = f"“{now['word']}” is added with a term of {terms[read - 1]:.3g}, and its score is forgotten."
    names = ["m, largest score", "ℓ, sum of terms", "o, warm", "o, large"]
    numbers = {"now": [now["m"], now["total"], *now["output"]]}
    bars = marks.bars(terms, words, columns={"score": scores}, axis="its term in the sums", limits=(0, 1), actor="key")
    table = marks.table(numbers, names, digits=3, title="what is kept")
    return bars, table, marks.answer(says, "=" if read == 5 else None)
