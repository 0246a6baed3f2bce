"""PyTorch's own names for arguments of attention: each is refused with a message that says what to use here."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
ADVICE = {
    "attn_mask": "use mask=, True = may attend, or bias= for what is added to the scores",
    "key_padding_mask": "use mask=padding_mask(keep), True = a token that may be attended to",
    "is_causal": "use mask=causal_mask(n_query, n_key)",
    "dropout_p": "there is no dropout here, so leave it out",
    "enable_gqa": "use repeat_heads on key and value first",
}


def explains_torch_names(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose TypeError for a keyword of torch says what to write instead.

    >>> from inorder.attention import attention_weights
    >>> import numpy as np
    >>> attention_weights(np.eye(2), np.eye(2), is_causal=True)
    Traceback (most recent call last):
    ...
    TypeError: attention_weights() got an unexpected keyword argument 'is_causal': use mask=causal_mask(n_query, n_key)
    """

    @wraps(function)
    def explained(*arguments: P.args, **named: P.kwargs) -> R:
        for name in named.keys() & ADVICE.keys():
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}: {ADVICE[name]}")
        return function(*arguments, **named)

    return explained
