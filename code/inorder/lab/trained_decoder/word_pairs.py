"""Every two words of a list in one prompt: is what one pair of prompts shows due to the order, or to its two words?"""

from typing import NamedTuple


class Frame(NamedTuple):
    """A prompt about {a} and {b} that ends in another word, and the words to put there: every two, both ways."""

    text: str
    words: tuple[str, ...]


# The five most frequent given names of each sex in the United States, 1923 to 2022 (Social Security Administration),
# in turn. All are one token.
_NAMES = (
    "James",
    "Mary",
    "Michael",
    "Patricia",
    "Robert",
    "Jennifer",
    "John",
    "Linda",
    "David",
    "Elizabeth",
)
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
    "names": Frame("When {a} loves {b} and", _NAMES),
    # the animals of the Chinese zodiac
    "animals": Frame(
        "The {a} bites the {b} then",
        ("rat", "ox", "tiger", "rabbit", "dragon", "snake", "horse", "goat", "monkey", "dog", "pig"),
    ),
}
