"""The clean pair with many words: is what one pair of prompts shows due to the order, or to its two words?"""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from inorder._arrays import expect, expect_choice
from inorder.attention import softmax
from inorder.lab.trained_decoder.order import SOURCES, last_rows, open_mask, relative_differences
from inorder.lab.trained_decoder.texts import COMMON_NAMES
from inorder.pretrained.decoder import LanguageModel, tokenize
from inorder.transformer import layer_states, rms_norm, unembed

STATES = (1, 2, 30)  # blocks passed, after which the last rows are compared
CHOICES = ("first", "last", "other")  # which word is the likeliest to come next


class Frame(NamedTuple):
    """A prompt about {a} and {b} that ends in another word, and the words to put there: every two, both ways."""

    text: str
    words: tuple[str, ...]


# Each list was fixed by a rule before the model saw it: all its words that are one token.
FRAMES = {
    # the capitals of the countries of the G20
    "cities": Frame(
        "From {a} to {b} and",
        (
            "Beijing",
            "Berlin",
            "Canberra",
            "London",
            "Moscow",
            "Ottawa",
            "Paris",
            "Rome",
            "Seoul",
            "Tokyo",
            "Washington",
        ),
    ),
    "names": Frame("When {a} loves {b} and", COMMON_NAMES),
    # the animals of the Chinese zodiac
    "animals": Frame(
        "The {a} bites the {b} then",
        ("rat", "ox", "tiger", "rabbit", "dragon", "snake", "horse", "goat", "monkey", "dog", "pig"),
    ),
}


def word_pair_answers(frame: Frame, lm: LanguageModel, sources: tuple[str, ...] = SOURCES) -> dict[str, dict[str, Any]]:
    """For each of `SOURCES`, over all pairs of the frame's words, in both orders:

    preference   logit of the word that stands first − logit of the one that stands last, (pair, order)
    choice       which of `CHOICES` is the likeliest next token, (pair, order)
    distance     the total variation distance of the two orders' distributions, (pair,)
    differences  of the two last rows after the blocks of `STATES`, relative, as in `row_differences`: (pair, state)

    Raises ValueError: a word that is not one token; an unknown source.

    >>> from inorder.pretrained.decoder import load
    >>> frame = Frame("From {a} to {b} and", ("Paris", "London"))
    >>> answers = word_pair_answers(frame, load())
    >>> answers["both"]["choice"], bool(answers["mask"]["differences"][0, 0] < 1e-6)
    ([['first', 'first']], True)
    """
    pairs = list(combinations(frame.words, 2))
    orders = np.array([[pair, pair[::-1]] for pair in pairs])  # (pair, order, word)
    texts = [frame.text.format(a=a, b=b) for a, b in orders.reshape(-1, 2)]
    word_ids = [[tokenize(f" {word}", lm).ids for word in pair] for pair in orders.reshape(-1, 2)]
    for word, ids in zip(orders.ravel(), (ids for pair in word_ids for ids in pair), strict=True):
        expect(len(ids) == 1, "a word of one token", word)
    named = np.array(word_ids)[..., 0]  # (text, word)
    tokens = np.stack([tokenize(text, lm).ids for text in texts])  # (text, position)
    n, parameters = tokens.shape[1], lm.model.parameters
    assert parameters.norm_output
    answers = {}
    for source in sources:
        expect_choice("source", source, SOURCES)
        positions = np.arange(n) if source in ("both", "rotations") else np.zeros(n, int)
        mask = open_mask(n, 0, n if source in ("rotations", "neither") else 0)
        rows = last_rows(layer_states(tokens, *lm.model, positions=positions, mask=mask))  # (state, text, d_model)
        top = rms_norm(rows[-1], parameters.norm_output.gain, eps=lm.model.config.eps)
        logits = np.asarray(unembed(top, parameters), np.float64)
        distributions = softmax(logits).reshape(len(pairs), 2, -1)
        of_words = np.take_along_axis(logits, named, axis=-1)
        likeliest = logits.argmax(axis=-1)
        choices = [
            CHOICES[list(two).index(token) if token in two else 2] for two, token in zip(named, likeliest, strict=True)
        ]
        one, other = np.moveaxis(rows[list(STATES)].reshape(len(STATES), len(pairs), 2, -1), 2, 0)
        answers[source] = {
            "preference": (of_words[:, 0] - of_words[:, 1]).reshape(-1, 2),
            "choice": np.reshape(choices, (-1, 2)).tolist(),
            "distance": abs(distributions[:, 0] - distributions[:, 1]).sum(axis=-1) / 2,
            "differences": relative_differences(one, other).T,
        }
    return answers
