"""Patterns of two names and two questions: does the model answer the question, or does it name the last name?"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from inorder.attention import causal_mask
from inorder.pretrained.decoder import LanguageModel, tokenize
from inorder.transformer import encode, unembed


class Pattern(NamedTuple):
    """A statement about {a} and {b}, a question whose answer is {a}, and one whose answer is {b}."""

    statement: str
    first: str
    second: str


PATTERNS = tuple(
    Pattern(*texts)
    for texts in (
        ("{a} loves {b}.", " The one who loves is", " The one who is loved is"),
        ("{a} loves {b}.", " So the person who loves someone is", " So the person who is loved is"),
        ("{a} is taller than {b}.", " The taller one is", " The shorter one is"),
        ("{a} is older than {b}.", " The older one is", " The younger one is"),
        ("{a} hit {b}.", " The person who hit someone is", " The person who was hit is"),
        ("{a} called {b}.", " Question: Who called? Answer:", " Question: Who was called? Answer:"),
        ("{a} came first and {b} came second.", " First came", " Second came"),
        ("{a} came before {b}.", " The first was", " The second was"),
        ("{a}, then {b}.", " The first is", " The second is"),
        ("{a}, {b}.", " The first name is", " The last name is"),
        ("{a} gave {b} a book.", " The book was given by", " The book was given to"),
        ("{a} sold a car to {b}.", " The seller is", " The buyer is"),
        ("{a} taught {b}.", " The teacher is", " The student is"),
        ("{a} is the mother of {b}.", " The mother is", " The child is"),
        ("{a} is the boss of {b}.", " The boss is", " The worker is"),
        ("{a} beat {b} in the race.", " The winner was", " The loser was"),
        ("{a} beat {b} in the race.", " Question: Who won? Answer:", " Question: Who lost? Answer:"),
        ("{a} chased {b}.", " In other words,", " In other words, someone was chased:"),
        ("{a} chased {b}.", " So {b} was chased by", " So {a} chased"),
        ("{a} loves {b}.", " So {b} is loved by", " So {a} loves"),
        ("{a} met {b}.", " So {b} was met by", " So {a} met"),
        ("The chef is {a} and the waiter is {b}.", " The chef is", " The waiter is"),
        ("{a} is a doctor and {b} is a nurse.", " The doctor is", " The nurse is"),
        ("{a} lives in Paris and {b} lives in Rome.", " The person in Paris is", " The person in Rome is"),
        ("The first word is {a} and the second word is {b}.", " The first word is", " The second word is"),
    )
)
NAMES = (("Alice", "Bob"), ("Tom", "Sam"), ("Mary", "John"), ("Anna", "Paul"), ("Mark", "Sarah"), ("David", "Peter"))


def pattern_answers(
    pattern: Pattern, lm: LanguageModel, names: Sequence[tuple[str, str]] = NAMES
) -> Float[np.ndarray, "question item"]:
    """logit of {a} − logit of {b} after each of the two questions, for every pair of names in both orders.

    >>> from inorder.pretrained.decoder import load
    >>> answers = pattern_answers(PATTERNS[0], load())
    >>> answers.shape, [float(share) for share in (answers > 0).mean(axis=1)]  # who loves, who is loved: never {a}
    ((2, 12), [0.0, 0.0])
    """
    pairs = [order for pair in names for order in (pair, pair[::-1])]
    name_ids = [[int(tokenize(f" {name}", lm).ids[0]) for name in pair] for pair in pairs]  # (item, 2)
    answers = []
    for question in (pattern.first, pattern.second):
        texts = [(pattern.statement + question).format(a=a, b=b) for a, b in pairs]
        ids = [tokenize(text, lm).ids for text in texts]  # a name that begins a text may be several tokens
        differences = np.empty(len(ids))
        for n in {len(each) for each in ids}:
            items = [item for item, each in enumerate(ids) if len(each) == n]
            tokens = np.stack([ids[item] for item in items])
            rows = encode(tokens, *lm.model, positions=np.arange(n), mask=np.asarray(causal_mask(n)))
            logits = np.asarray(unembed(rows[:, -1], lm.model.parameters))
            of_names = np.take_along_axis(logits, np.array(name_ids)[items], axis=-1)
            differences[items] = of_names[:, 0] - of_names[:, 1]
        answers.append(differences)
    return np.stack(answers)
