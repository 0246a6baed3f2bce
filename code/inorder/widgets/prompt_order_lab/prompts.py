"""What PromptOrderLab's constructor takes: prompts, a vocabulary, orders of the tokens."""

from typing import Any

from inorder.transformer import Model, TransformerConfig, fresh_model, map_parameters
from inorder.widgets.kit.model_state import take_tokens
from inorder.widgets.kit.state import InvalidState

LETTERS = ["A", "B", "C", "D", "E", "F"]  # the vocabulary, unless a token is none of them
FEWEST_TOKENS, MOST_TOKENS, LONGEST_TOKEN = 2, 8, 20
SEED = 191  # the swap of A and B changes the most likely next token at two causal layers, and every scheme shows


def as_names(prompt: list[str] | list[int], names: list[str]) -> list[str]:
    """A prompt as names of the vocabulary; whole numbers are the rows of the embedding."""
    if unknown := [row for row in prompt if isinstance(row, int) and not 0 <= row < len(names)]:
        raise InvalidState(f"tokens must be whole numbers from 0 to {len(names) - 1}, got {unknown[0]}")
    return [names[token] if isinstance(token, int) else token for token in prompt]


def name_rows(prompt: list[str] | list[int], vocabulary: Any, size: int | None) -> list[str]:
    """A name for each row of the embedding, of which the reader's own model has ``size``."""
    if vocabulary is not None:
        return [str(name) for name in take_tokens(vocabulary)]
    distinct = [str(token) for token in dict.fromkeys(prompt)]
    if all(isinstance(token, int) for token in prompt) or (size is not None and all(map(str.isdecimal, distinct))):
        largest = max((int(token) for token in distinct), default=0)
        return [str(row) for row in range(max(largest, 1) + 1 if size is None else size)]
    if size is None:
        return LETTERS if set(distinct) <= set(LETTERS) else distinct
    return distinct + [f"#{row}" for row in range(len(distinct), size)]


def check_tokens(tokens: list[str], names: list[str], config: TransformerConfig) -> None:
    if not FEWEST_TOKENS <= len(tokens) <= MOST_TOKENS:
        raise InvalidState(f"a prompt must have {FEWEST_TOKENS} to {MOST_TOKENS} tokens, got {len(tokens)}")
    if longest := [name for name in names if not 1 <= len(name) <= LONGEST_TOKEN]:
        raise InvalidState(f"a token must have 1 to {LONGEST_TOKEN} characters, got {longest[0]!r}")
    if len(set(names)) != len(names) or len(names) != config.vocabulary_size:
        raise InvalidState(f"vocabulary must be {config.vocabulary_size} different names, got {', '.join(names)}")
    if unknown := [token for token in tokens if token not in names]:
        raise InvalidState(f"the tokens must be in the vocabulary {', '.join(names)}, got {unknown[0]!r}")
    if config.n_outputs not in (None, config.vocabulary_size):
        raise InvalidState(f"n_outputs must be vocabulary_size = {config.vocabulary_size}, got {config.n_outputs}")


def swap(tokens: list[str], *, clean: bool) -> list[int]:
    """The order in which two different tokens change places: the first two, never the last; or else the last two.

    >>> swap(["A", "B", "C"], clean=True), swap(["A", "B", "C"], clean=False)
    ([1, 0, 2], [0, 2, 1])
    """
    n = len(tokens)
    start, others = (0, range(1, n - 1)) if clean else (n - 1, range(n - 2, -1, -1))
    for other in others:
        if tokens[other] != tokens[start]:
            order = list(range(n))
            order[start], order[other] = other, start
            return order
    if clean:
        raise InvalidState(f"a clean pair needs two different tokens before the last one, got {' '.join(tokens)}")
    raise InvalidState(f"a second prompt needs two different tokens, got {' '.join(tokens)}")


def order_of(prompt: list[str], tokens: list[str]) -> list[int]:
    """The places in ``tokens`` that make up the prompt; of equal tokens, the first comes first.

    >>> order_of(["B", "A", "A"], ["A", "A", "B"])
    [2, 0, 1]
    """
    if sorted(prompt) != sorted(tokens):
        raise InvalidState(
            f"both prompts must be made of the same tokens, got {' '.join(tokens)} and {' '.join(prompt)}"
        )
    places = {token: [i for i, other in enumerate(tokens) if other == token] for token in tokens}
    return [places[token].pop(0) for token in prompt]


def default_model(vocabulary_size: int, seed: int) -> Model:
    """Four blocks with random weights."""
    sizes = {"d_model": 8, "n_heads": 2, "d_ff": 16, "n_layers": 4}
    parameters, config = fresh_model(seed, vocabulary_size=vocabulary_size, linear_biases=False, **sizes)
    return Model(map_parameters(lambda w: w.round(2), parameters), config)
