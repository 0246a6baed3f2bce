"""Draws an exam: ``python -m _ext.exam 7``, or ``make exam SEED=7``.

The page on teaching has twelve exam questions in six pairs, E1 and R1 to E6 and R6, and a pool of short ones. An exam
takes one of each pair and, where a question has numbers, changes them. The texts come from that page and the answers
from its key; this module has the phrases of both that contain numbers. Everything is also written in GIFT, which Moodle
and other learning platforms import.
"""

import html
import os
import re
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt, sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from _ext.execution import ROOT

PAGE, KEY = ROOT / "chapters" / "teaching.md", ROOT / "chapters" / "teaching_key.md"
OUT = ROOT / "_build" / "exam"
QUESTION = re.compile(r"^\*\*([QER]\d+)([^*]*)\*\* (.+?)(?=\n\n\*\*[QER]\d|\n\n#|\Z)", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"\(([a-c])\) (.+?)(?= \([a-c]\) |$)", re.DOTALL)
NUMBER_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
CONDITIONS = "Ninety minutes, 60 points, one sheet of notes."
NUMERIC = {"Q5": 8, "Q16": 1 / 5, "Q22": 26, "Q25": 0.625, "Q31": 131_072}  # of the pool: the answer is a number alone


class Question(NamedTuple):
    """A question, its answer and its points, as Markdown."""

    name: str
    points: str  # " (10 points)." as the page has it, "." of the pool
    text: str
    answer: str


def questions() -> dict[str, Question]:
    """All questions of the page by their names, with the answers of the key."""
    answers = {match[1]: match[3] for match in QUESTION.finditer(KEY.read_text(encoding="utf8"))}
    page = QUESTION.finditer(PAGE.read_text(encoding="utf8"))
    return {match[1]: Question(match[1], match[2], match[3], answers[match[1]]) for match in page}


# ---- the phrases of a question and its answer that change with its numbers, which default to the page's


def fraction(part: int | Fraction, whole: int = 1) -> str:
    r"""As the page writes it: \tfrac47, \tfrac1{15}."""
    value = Fraction(part, whole)
    numerator, denominator = (str(n) if n < 10 else f"{{{n}}}" for n in (value.numerator, value.denominator))
    return rf"\tfrac{numerator}{denominator}"


def row(parts: Sequence[int]) -> str:
    """The parts as shares of their sum."""
    shares = ", ".join(fraction(part, sum(parts)) if part else "0" for part in parts)
    return f"$({shares})$"


def root(number: int) -> str:
    """A root, and its value."""
    exact = isqrt(number) ** 2 == number
    return (
        rf"$\sqrt{{{number}}}{f' = {isqrt(number)}' if exact else ''}${'' if exact else f', about {sqrt(number):.2f}'}"
    )


def thousands(number: int) -> str:
    return f"{number:,}".replace(",", "{,}")


def weights_and_scores(width: int = 16, ratio: int = 2) -> list[str]:
    parts, squares = [ratio**2, ratio, 1], [ratio**4, ratio**2, 1]
    return [
        rf"$d_{{\text{{head}}}} = {width}$",
        row(parts),
        " : ".join(map(str, parts)),
        rf"$\ln {ratio}$",
        rf"$\sqrt{{{width}}}$",
        rf"${isqrt(width)} \ln {ratio}$",
        row([0, ratio, 1]),
        " : ".join(map(str, squares)),
        row(squares),
    ]


def one_matrix_or_two(word: int = 4, position: int = 2) -> list[str]:
    return [
        f"$x$ has {word} entries",
        f"$p$ has {position}",
        f"shape ({word + position}, 2)",
        f"have {word} entries",
        f"shape ({2 * word}, 2)",
        f"$W_1$ of shape ({word}, 2)",
        f"$W_2$ of shape ({position}, 2)",
    ]


def relative_schemes(ratio: int = 2, query: int = 10, distance: int = 3, moved: int = 50) -> list[str]:
    powers = [ratio**i for i in range(4)]
    key = query - distance
    return [
        rf"$m = \ln {ratio}$",
        f"position {query}, a key at {key}",
        f"move by {moved}",
        "$" + ", ".join([*(fraction(1, power) for power in powers[:0:-1]), "1"]) + "$",
        row(powers),
        rf"$q R_{{{query + moved}}} (k R_{{{key + moved}}})^\top = q R_{{{query + moved}}} R_{{{key + moved}}}^\top",
        rf"= q R_{{{distance}}} k^\top$",
        rf"$R_{{{query}}} R_{key if key < 10 else f'{{{key}}}'}^\top = R_{distance}$",
    ]


def shapes_of_heads(queries: int = 3, keys: int = 5, width: int = 512, heads: int = 4) -> list[str]:
    return [
        f"{queries} queries, {keys} keys",
        rf"$d_{{\text{{model}}}} = {width}$ and {heads} heads",
        f"By {root(width // heads)}:",
        f"{width}/{heads} = {width // heads} columns",
        f"({heads}, {queries}, {keys}) and ({queries}, {width})",
        rf"$4 \cdot {width}^2 = {thousands(4 * width**2)}$",
        f"becomes {root(width // heads // 2)}",
        f"shape ({2 * heads}, {queries}, {keys})",
    ]


def room_for_both(words: int = 5, positions: int = 3) -> list[str]:
    spans = words - 1, positions - 1
    return [
        f"{NUMBER_WORDS[words].capitalize()} words and {NUMBER_WORDS[positions]} positions",
        f"At least {sum(spans)}:",
        f"words span {spans[0]} dimensions",
        f"positions {spans[1]},",
        f"${spans[0]} + {spans[1]} = {words} + {positions} - 2$",
    ]


def turned_to_the_left(turn: int = 3) -> list[str]:
    far = f"−{2 * turn + 1}", str(2 * turn - 1)
    return [
        rf"by $\pi/{turn}$ for each step",
        rf"angle $i\pi/{turn}$",
        rf"$\varphi + j\pi/{turn}$",
        rf"$\cos(\varphi + \Delta\pi/{turn})$",
        rf"$\varphi = \pi/{turn}$",
        f"are {2 * turn} away",
        ", ".join(far),
        " and ".join(far),
    ]


def shares_of_prefixes(first: str = "ABBA", second: str = "BABA") -> list[str]:
    shares = [[Fraction(text[: i + 1].count("A"), i + 1) for i in range(4)] for text in (first, second)]
    lists = [", ".join(map(str, each)) for each in shares]
    means = [sum(each) / 4 for each in shares]
    return [
        f"reads {', '.join(first)}.",
        f"for {', '.join(second)} ",
        f"{lists[0]} (2)",
        f"mean, {means[0]} (3)",
        f"{lists[1]}, and the mean {means[1]} (3)",
        f"is {shares[0][-1]} in both",
    ]


CHANGES: dict[str, tuple[Callable[..., list[str]], list[dict[str, Any]]]] = {
    "E1": (weights_and_scores, [{"width": w, "ratio": r} for w in (16, 25, 36, 64) for r in (2, 3)]),
    "E2": (one_matrix_or_two, [{"word": w, "position": p} for w in (3, 4, 5, 6) for p in (2, 3) if w > p]),
    "E4": (
        relative_schemes,
        [
            {"ratio": r, "query": q, "distance": d, "moved": m}
            for r in (2, 3)
            for q in (10, 12, 20)
            for d in (2, 3, 4)
            for m in (30, 50, 80)
        ],
    ),
    "R1": (
        shapes_of_heads,
        [{"queries": q, "keys": k, "width": w} for q in (2, 3, 6) for k in (5, 7) for w in (128, 512, 1152, 2048)],
    ),
    "R2": (room_for_both, [{"words": w, "positions": p} for w in (5, 6, 7, 8, 9) for p in (3, 4)]),
    "R4": (turned_to_the_left, [{"turn": turn} for turn in (3, 4, 5, 6)]),
    "R5": (
        shares_of_prefixes,
        [
            {"first": f, "second": s}
            for f, s in (("ABBA", "BABA"), ("BAAB", "ABAB"), ("AABA", "ABAA"), ("BABB", "ABBB"))
        ],
    ),
}


def with_numbers(question: Question, numbers: dict[str, Any]) -> Question:
    """The question with other numbers. Raises ValueError: a phrase that neither the page nor the key has."""
    phrases, _ = CHANGES[question.name]
    old, new = phrases(), phrases(**numbers)
    both = " ".join(f"{question.text} {question.answer}".split())
    if missing := [phrase for phrase in old if phrase not in both]:
        raise ValueError(f"expected the phrases of {question.name} in the exam or its key, missing {missing}")
    replaced = dict(zip(old, new, strict=True))
    any_phrase = re.compile("|".join(re.escape(phrase) for phrase in sorted(old, key=len, reverse=True)))
    text, answer = (
        any_phrase.sub(lambda match: replaced[match[0]], " ".join(part.split()))
        for part in (question.text, question.answer)
    )
    return Question(question.name, question.points, text, answer)


def draw(seed: int) -> list[Question]:
    """Six questions, one of each pair, with numbers drawn by the seed."""
    rng, every = np.random.default_rng(seed), questions()
    drawn = []
    for i in range(1, 7):
        question = every[f"{'ER'[rng.integers(2)]}{i}"]
        if question.name in CHANGES:
            _, choices = CHANGES[question.name]
            question = with_numbers(question, choices[rng.integers(len(choices))])
        drawn.append(question)
    return drawn


# ---- what is written


def as_markdown(title: str, drawn: list[Question], *, answers: bool) -> str:
    parts = [f"# {title}"] if answers else [f"# {title}", CONDITIONS]
    for i, question in enumerate(drawn, 1):
        parts.append(f"**{i}{question.points}** {question.answer if answers else question.text}")
    return "\n\n".join(parts) + "\n"


def as_html(markdown: str) -> str:
    """A paragraph as HTML, its formulas as Moodle's MathJax reads them."""
    parts = re.split(r"\$(.+?)\$", html.escape(" ".join(markdown.split()), quote=False))
    words = [re.sub(r"\*(.+?)\*", r"<em>\1</em>", part) for part in parts[::2]]
    formulas = [rf"\({part}\)" for part in parts[1::2]]
    return "".join(part for pair in zip(words, [*formulas, ""], strict=True) for part in pair)


def escaped(text: str) -> str:
    """For GIFT, where these characters mean something."""
    return re.sub(r"([\\~=#{}:])", r"\\\1", text)


def as_gift(question: Question, title: str) -> str:
    """A choice, if it has options; a number, if that is the whole answer; else a text for a person to read."""
    options = OPTION.findall(question.text) if question.name.startswith("Q") else []
    text = question.text.partition("\n(a) ")[0] if options else question.text
    feedback = f"####{escaped(as_html(question.answer))}"
    if options:
        right = re.match(r"\(([a-c])\)", question.answer)[1]
        lines = [f"{'=' if letter == right else '~'}{escaped(as_html(option))}" for letter, option in options]
        answer = "\n".join(["", *lines, feedback, ""])
    elif question.name in NUMERIC:
        answer = f"#{NUMERIC[question.name]}:0.001{feedback}"
    else:
        answer = feedback
    return f"::{escaped(title)}::[html]{escaped(as_html(text))}{{{answer}}}"


def write(seed: int, out: Path = OUT) -> list[Path]:
    """Write the exam, its key and the questions in GIFT, and return the files."""
    drawn = draw(seed)
    pool = [question for name, question in questions().items() if name.startswith("Q")]
    texts = {
        f"exam_{seed}.md": as_markdown("Exam", drawn, answers=False),
        f"exam_{seed}_key.md": as_markdown(f"Key to the exam with seed {seed}", drawn, answers=True),
        f"exam_{seed}.gift": "\n\n".join(as_gift(each, f"Exam, question {i}") for i, each in enumerate(drawn, 1))
        + "\n",
        "questions.gift": "\n\n".join(as_gift(each, each.name) for each in pool) + "\n",
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf8")
    return [out / name for name in texts]


if __name__ == "__main__":
    for path in write(int(sys.argv[1])):
        print(os.path.relpath(path))
