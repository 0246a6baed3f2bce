"""What a trained decoder makes of the tokens that come."""

import numpy as np
from jaxtyping import Float, Integer

from inorder.pretrained.decoder import LanguageModel
from inorder.transformer import unembed


def target_losses(
    rows: Float[np.ndarray, "text position d_model"], targets: Integer[np.ndarray, "text position"], lm: LanguageModel
) -> Float[np.ndarray, "text position"]:
    """−log p(target) that the last rows of the stream, after the output norm, give each target, in nats."""
    scores = log_probabilities(np.asarray(unembed(rows, lm.model.parameters)))
    return -np.take_along_axis(scores, targets[..., None], axis=-1)[..., 0]


def log_probabilities(logits: Float[np.ndarray, "*batch vocabulary"]) -> Float[np.ndarray, "*batch vocabulary"]:
    """log softmax, without going through numbers that round to 0.

    >>> log_probabilities(np.array([0.0, -2000.0]))
    array([    0., -2000.])
    """
    logits = logits - logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
