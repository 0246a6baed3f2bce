"""The engine's tokenizer against the library `tokenizers`, set up by inorder.pretrained.decoder."""

import unicodedata
from functools import cache

import numpy as np
import pytest

from small_language_model import SPECIAL

ASSIGNED = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co")]
PLACES = {
    "letters": "etaoinshrdluETA",
    "digits": "0123456789٣²Ⅷ五",
    "spaces": "   \t\n\r\x0b\x85\xa0\u2003\u2028\u3000\ufeff\u200b",
    "marks": "'’.,!?-_()<>|\\/\"#",
    "contractions": ["'s", "'t", "'re", "'VE", "'m", "'ll", "'d"],
    "special": ["<|im_end|>", "<|im_start|>", "<|endoftext|>", "<|im"],
    "accents": "éèüßçñøǺ̈",
    "scripts": "東京語あア한글الرБжабвαβγעברहिन्दीไทย",
    "emoji": ["🙂", "👩‍💻", "🇫🇷", "🏽", "\ufe0f"],
    "anything": ASSIGNED,
}


@cache
def random_strings(n: int) -> list[str]:
    """Runs of one kind after the other, as texts have them."""
    rng = np.random.default_rng(0)
    kinds = list(PLACES.values())

    def run() -> str:
        kind = kinds[rng.integers(len(kinds))]
        return "".join(kind[i] for i in rng.integers(len(kind), size=rng.integers(1, 7)))

    return ["".join(run() for _ in range(rng.integers(1, 9))) for _ in range(n)]


def encoded(lm, strings):
    return [encoding.ids for encoding in lm.tokenizer.encode_batch(strings)]


def unequal(strings, theirs, ours):
    return [(text, a, b) for text, a, b in zip(strings, theirs, ours, strict=True) if a != b][:3]


def test_random_strings_in_a_small_vocabulary(engine, small_name, small):
    strings = [
        *random_strings(10_000)[:2000],
        "aaaaaaab",
        "aab aaaab",
        " the the  the",
        "".join(SPECIAL),
        "é🙂\x01a",
        "\x01",
    ]
    assert not unequal(strings, encoded(small.lm, strings), engine("encode", name=small_name, strings=strings))


def test_ten_thousand_random_strings(engine, large):
    strings = random_strings(10_000)
    assert not unequal(strings, encoded(large, strings), engine("encode", name="large", strings=strings))


@pytest.mark.parametrize("special", [True, False])
def test_random_tokens_become_text(engine, large, special):
    """Most cut characters in two; a special token may stand between the two."""
    rng = np.random.default_rng(1)
    lists = [rng.integers(49152 if i % 2 else 200, size=rng.integers(0, 12)).tolist() for i in range(1000)]
    theirs = [large.tokenizer.decode(ids, skip_special_tokens=not special) for ids in lists]
    assert not unequal(lists, theirs, engine("decode", name="large", lists=lists, special=special))


def test_every_text_comes_back(engine, large):
    strings = random_strings(10_000)[:1000]
    lists = engine("encode", name="large", strings=strings)
    theirs = large.tokenizer.decode_batch(encoded(large, strings), skip_special_tokens=False)
    assert engine("decode", name="large", lists=lists, special=True) == theirs


def test_a_surrogate_without_its_other_half(engine, small_name):
    broken, replaced = engine("encode", name=small_name, strings=["a\ud83d b\ude42 🙂", "a\ufffd b\ufffd 🙂"])
    assert broken == replaced


def test_what_has_no_token(engine, small_name):
    assert engine("encode", name=small_name, strings=["!\x01!", "", "\x01"]) == [[36, 36], [], []]


def test_ten_thousand_characters_without_a_space(engine, large):
    text = "".join(np.random.default_rng(2).choice(list("ab"), 10_000))
    assert engine("encode", name="large", strings=[text]) == encoded(large, [text])
