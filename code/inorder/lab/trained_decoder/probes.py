"""A model of the trained decoder's shape."""

from inorder.pretrained.decoder import LanguageModel
from inorder.transformer import Model, init_parameters


def untrained(lm: LanguageModel, seed: int) -> LanguageModel:
    """A model of the same shape that never learned.

    >>> from inorder.pretrained.decoder import load
    >>> untrained(load(), 0).model.config == load().model.config
    True
    """
    config = lm.model.config
    return lm._replace(model=Model(init_parameters(config, seed, like=lm.model.parameters.embedding), config))
