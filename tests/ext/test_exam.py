"""`make exam`: what it draws is right whatever the numbers, and its GIFT says what the page says."""

import html
import re
from fractions import Fraction

import numpy as np
import pytest

from _ext.exam import CHANGES, NUMERIC, Question, as_gift, draw, questions, with_numbers, write
from inorder.attention import attention_weights, causal_mask, softmax, split_heads
from inorder.encodings import alibi_bias, alibi_slopes, rotary_encoding
from inorder.widgets import AddOrConcatenate

QUESTIONS = questions()
NUMBERS = {
    word: i for i, word in enumerate(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])
}


def every(name: str) -> list[Question]:
    """A question with all the numbers that can be drawn."""
    return [with_numbers(QUESTIONS[name], numbers) for numbers in CHANGES[name][1]]


def found(pattern: str, text: str) -> list[int]:
    match = re.search(pattern, text)
    assert match, f"{pattern} in {text}"
    return [int(group) for group in match.groups()]


def rows(text: str) -> list[np.ndarray]:
    r"""The rows of fractions in a text, as in $(\tfrac47, \tfrac1{15}, 0)$."""

    def value(part: str) -> float:
        numerator, denominator = re.findall(r"\{\d+\}|\d", part)
        return float(Fraction(int(numerator.strip("{}")), int(denominator.strip("{}"))))

    found_rows = re.findall(r"\$\(([^()$]*\\tfrac[^()$]*)\)\$", text)
    return [
        np.array([value(part) if "frac" in part else float(part) for part in row.split(", ")]) for row in found_rows
    ]


@pytest.mark.parametrize("name", CHANGES)
def test_the_numbers_of_the_page_give_its_text(name):
    question = with_numbers(QUESTIONS[name], {})
    assert question.text == " ".join(QUESTIONS[name].text.split())
    assert question.answer == " ".join(QUESTIONS[name].answer.split())


@pytest.mark.parametrize("name", CHANGES)
def test_other_numbers_give_other_questions_of_as_many_points(name):
    drawn = every(name)
    assert len({question.text for question in drawn}) == len(drawn) >= 4
    for question in drawn:
        assert sum(map(int, re.findall(r"\((\d+)\)", question.text))) == 10
        assert question.answer.count("$") % 2 == 0


def test_a_page_without_the_phrases_is_refused():
    with pytest.raises(ValueError, match="expected the phrases of E1 in the exam or its key, missing"):
        with_numbers(QUESTIONS["E1"]._replace(text="Another question."), {"width": 25})


def test_weights_and_scores():
    for _, _, text, answer in every("E1"):
        (width,) = found(r"head}} = (\d+)\$", text)
        (weights,) = rows(text)
        masked, doubled = rows(answer)
        factor, ratio = found(r"\$(\d+) \\ln (\d+)\$ each time", answer)
        raw = np.sqrt(width) * np.log(weights)
        np.testing.assert_allclose(raw[:-1] - raw[1:], factor * np.log(ratio))
        np.testing.assert_allclose(masked, softmax(np.array([-np.inf, *np.log(weights[1:])])))
        np.testing.assert_allclose(doubled, softmax(2 * np.log(weights)))
        assert found(r"in the ratio (\d+) : (\d+) : (\d+), so", answer) == np.rint(weights / weights[-1]).tolist()
        assert found(r"squared, (\d+) : (\d+) : (\d+), and", answer) == np.rint(doubled / doubled[-1]).tolist()
        assert rf"differ by $\ln {ratio}$" in answer and rf"$\sqrt{{{width}}}$" in answer


def test_one_matrix_or_two():
    for _, _, text, answer in every("E2"):
        n_word, n_position, n_rows, n_both, n_side = found(
            r"has (\d+) entries.*\$p\$ has (\d+),.*shape \((\d+), 2\).*have (\d+) entries.*shape \((\d+), 2\)", text
        )
        first, second = found(r"W_1\$ of shape \((\d+), 2\).*W_2\$ of shape \((\d+), 2\)", answer)
        assert (first, second, first + second) == (n_word, n_position, n_rows) and n_side == 2 * n_both


def test_relative_schemes():
    for _, _, text, answer in every("E4"):
        (ratio,) = found(r"m = \\ln (\d+)\$", text)
        bias = alibi_bias(1, np.array([3]), np.arange(4))[0, 0] / alibi_slopes(1)[0]  # for the slope 1
        (weights,) = rows(answer)
        np.testing.assert_allclose(weights, softmax(np.log(ratio) * bias))
        powers = [float(Fraction(*map(int, each))) for each in re.findall(r"\\tfrac(\d)\{?(\d+)\}?", answer)[:3]]
        np.testing.assert_allclose([*powers, 1], weights / weights[-1])
        query, key, moved = found(r"position (\d+), a key at (\d+).*move by (\d+)", text)
        assert found(r"q R_{(\d+)} \(k R_{(\d+)}\)", answer) == [query + moved, key + moved]
        assert found(r"= q R_{(\d+)} k.*R_{(\d+)} R_\{?(\d+)\}?\^\\top = R_(\d+)\$", answer) == [
            query - key,
            query,
            key,
            query - key,
        ]
        vectors = np.random.default_rng(0).normal(size=(2, 1, 8))
        scores = [
            rotary_encoding(vectors[0], np.array([query + by])) @ rotary_encoding(vectors[1], np.array([key + by])).T
            for by in (0, moved)
        ]
        np.testing.assert_allclose(*scores)


def test_shapes_of_heads():
    for _, _, text, answer in every("R1"):
        n_query, n_key, width, heads = found(r"(\d+) queries, (\d+) keys, .*}} = (\d+)\$ and (\d+) heads", text)
        query, key = (np.zeros((n, width)) for n in (n_query, n_key))
        for n_heads in (heads, 2 * heads):
            scores = split_heads(query, n_heads) @ np.swapaxes(split_heads(key, n_heads), -1, -2)
            assert str(scores.shape) in answer
        inside, columns = found(r"By \$\\sqrt\{(\d+)\}.* = (\d+) columns", answer)
        halved, its_root = found(r"becomes \$\\sqrt\{(\d+)\} = (\d+)\$", answer)
        assert inside == columns == split_heads(query, heads).shape[-1] == 2 * halved and its_root**2 == halved
        (approximate,) = re.findall(r"(?:about|=) ([\d.]+)", answer.partition(":")[0]) or [""]
        assert abs(float(approximate) - np.sqrt(inside)) < 0.005
        assert f"{sum(np.zeros((width, width)).size for _ in range(4)):,}" in answer.replace("{,}", ",")


def test_room_for_both():
    for _, _, text, answer in every("R2"):
        words, positions = (
            NUMBERS[word.lower()] for word in re.match(r"(\w+) words and (\w+) positions", text).groups()
        )
        exact = AddOrConcatenate(n_tokens=words, n_positions=positions).exact_from["added"]
        assert found(r"At least (\d+):", answer) == [exact]
        assert found(r"span (\d+) dimensions, those of the positions (\d+),", answer) == [words - 1, positions - 1]
        assert found(r"\$(\d+) \+ (\d+) = (\d+) \+ (\d+) - 2\$", answer) == [words - 1, positions - 1, words, positions]


def test_turned_to_the_left():
    for _, _, text, answer in every("R4"):
        (part,) = found(r"by \$\\pi/(\d+)\$ for each", text)
        angle = np.pi / part
        distances = np.arange(-2 * part - 1, 2 * part + 2)
        same = distances[np.isclose(np.cos(angle + distances * angle), 1)].tolist()
        assert found(r"phi = \\pi/(\d+)\$", answer) == [part] and same[1] == -1
        for listed in (f"{same[0]}, {same[2]}, and so on", f"At {same[0]} and {same[2]} "):
            assert listed.replace("-", "−") in answer
        assert f"are {same[2] - same[1]} away" in answer


def test_shares_of_prefixes():
    average = attention_weights(np.zeros((4, 1)), np.zeros((4, 1)), mask=causal_mask(4))
    for _, _, text, answer in every("R5"):
        texts = re.search(r"reads ([AB, ]+)\. .* for ([AB, ]+)[ (]", text).groups()
        letters = [re.findall("[AB]", each) for each in texts]
        assert letters[0][-1] == letters[1][-1] and sorted(letters[0]) == sorted(letters[1])
        lists = re.search(r"^(.+?) \(2\)\. Their mean, (\S+) \(3\)\. (.+), and the mean (\S+) \(3\)", answer).groups()
        lasts = []
        for text_, shares, mean in zip(letters, lists[::2], lists[1::2], strict=True):
            first = average @ (np.array(text_) == "A")
            np.testing.assert_allclose([float(Fraction(share)) for share in shares.split(", ")], first)
            np.testing.assert_allclose(float(Fraction(mean)), (average @ first)[-1])
            lasts.append(first[-1])
        assert lasts[0] == lasts[1] == float(Fraction(re.search(r"is (\S+) in both", answer)[1]))
        assert lists[1] != lists[3]


def test_an_exam_has_one_of_each_pair_and_is_the_same_each_time():
    exams = [draw(seed) for seed in range(20)]
    assert draw(3) == exams[3] and len({str(each) for each in exams}) == 20
    for drawn in exams:
        assert [question.name[1] for question in drawn] == list("123456")
        assert sum(int(re.search(r"\((\d+) points\)", question.points)[1]) for question in drawn) == 60
    assert {question.name for drawn in exams for question in drawn} == {
        f"{kind}{i}" for kind in "ER" for i in range(1, 7)
    }


# ---- GIFT, read back as its grammar says


def read_back(gift: str) -> tuple[str, str, str]:
    """Title, text and answer of a question, still escaped."""
    match = re.fullmatch(r"::((?:\\.|[^\\:])+)::\[html\]((?:\\.|[^\\{}])+)\{((?:\\.|[^\\{}])*)\}", gift, re.DOTALL)
    assert match, gift
    return match.groups()


def plain(escaped: str) -> str:
    """The words and formulas of a piece of GIFT."""
    assert not re.search(r"(?<!\\)(?:\\\\)*[~=#{}:]", escaped), escaped
    text = re.sub(r"\\([\\~=#{}:])", r"\1", escaped)
    return html.unescape(re.sub(r"</?em>", "*", re.sub(r"\\\((.*?)\\\)", r"$\1$", text)))


@pytest.mark.parametrize("name", QUESTIONS)
def test_gift_says_what_the_page_says(name):
    question = QUESTIONS[name]
    title, text, answer = read_back(as_gift(question, name))
    before, feedback = re.split(r"(?<!\\)####", answer)
    assert title == name and plain(feedback.strip()) == " ".join(question.answer.split())
    whole = " ".join(question.text.split())
    if name == "Q1":
        options = re.findall(r"^([=~])(.+)$", before, re.MULTILINE)
        assert [kind for kind, _ in options] == ["~", "=", "~"]
        letters = "abc"
        listed = " ".join(f"({letter}) {plain(option)}" for letter, (_, option) in zip(letters, options, strict=True))
        assert f"{plain(text)} {listed}" == whole
        return
    assert plain(text) == whole
    assert before == (f"#{NUMERIC[name]}:0.001" if name in NUMERIC else "")
    if name in NUMERIC:
        numbers = [
            float(Fraction(number.replace(",", ""))) for number in re.findall(r"\d[\d,./]*\d|\d", question.answer)
        ]
        assert NUMERIC[name] in numbers


def test_the_files(tmp_path):
    paths = {path.name: path.read_text(encoding="utf8") for path in write(7, tmp_path)}
    assert set(paths) == {"exam_7.md", "exam_7_key.md", "exam_7.gift", "questions.gift"}
    for question in draw(7):
        assert question.text in paths["exam_7.md"] and question.answer not in paths["exam_7.md"]
        assert question.answer in paths["exam_7_key.md"]
    assert paths["exam_7.md"].count(" points).**") == paths["exam_7.gift"].count("[html]") == 6
    assert paths["questions.gift"].count("[html]") == len([name for name in QUESTIONS if name.startswith("Q")])
    for gift in (paths["exam_7.gift"], paths["questions.gift"]):
        for part in gift.strip().split("\n\n"):
            read_back(part)
