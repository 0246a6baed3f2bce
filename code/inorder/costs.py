"""What a decoder keeps while it generates: the bytes of its key/value cache.

`MODELS` has the shapes of some real ones. Each was read in a public copy of the `config.json` that comes with its
weights, and the parameters are those of the model that the library transformers builds from that file.

[1] Shazeer 2019, Fast Transformer Decoding: One Write-Head is All You Need, https://arxiv.org/abs/1911.02150
[2] Ainslie et al. 2023, GQA: Training Generalized Multi-Query Transformer Models, https://arxiv.org/abs/2305.13245
[3] DeepSeek-AI 2024, DeepSeek-V2, https://arxiv.org/abs/2405.04434
"""

from dataclasses import dataclass

import numpy as np

from inorder._arrays import expect, expect_count

__all__ = ["MODELS", "DecoderShape", "cache_bytes"]


@dataclass(frozen=True, kw_only=True)
class DecoderShape:
    """The sizes that decide how much a decoder keeps of each token; and its parameters, for comparison.

    n_layers       layers, each with a cache of its own.
    n_heads        query heads of a layer.
    n_key_heads    heads of keys and values: one for all query heads [1], or one for each group of them [2].
    d_head         numbers of one key, and of one value.
    d_latent       latent attention [3]: numbers of the row from which all keys and values are computed; None where keys
                   and values are kept themselves.
    d_rotary       latent attention: numbers of the rotated key that is kept beside that row, one for all heads.
    n_parameters   of the whole model; 0 if it does not matter.
    source         the report that describes the model.

    Raises ValueError: a size that is not a positive whole number (d_rotary and n_parameters may be 0); n_heads that
    n_key_heads does not divide; a d_rotary without a d_latent.

    >>> DecoderShape(n_layers=2, n_heads=6, n_key_heads=3, d_head=4).numbers_per_token
    48
    """

    n_layers: int
    n_heads: int
    n_key_heads: int
    d_head: int
    d_latent: int | None = None
    d_rotary: int = 0
    n_parameters: int = 0
    source: str = ""

    def __post_init__(self) -> None:
        for name in ("n_layers", "n_heads", "n_key_heads", "d_head"):
            expect_count(name, getattr(self, name))
        divides = self.n_heads % self.n_key_heads == 0
        expect(divides, f"an n_heads that n_key_heads = {self.n_key_heads} divides", self.n_heads)
        if self.d_latent is not None:
            expect_count("d_latent", self.d_latent)
        for name in ("d_rotary", "n_parameters"):
            value = getattr(self, name)
            whole = isinstance(value, int | np.integer) and value >= 0
            expect(whole, f"{name} to be a whole number, 0 or more", repr(value))
        alone = self.d_latent is None and self.d_rotary > 0
        expect(not alone, "a d_latent, as there is a d_rotary", "none")

    @property
    def numbers_per_token(self) -> int:
        """How many numbers all layers together keep of one token."""
        kept = 2 * self.n_key_heads * self.d_head if self.d_latent is None else self.d_latent + self.d_rotary
        return self.n_layers * kept


def cache_bytes(shape: DecoderShape, n_tokens: int, *, n_texts: int = 1, bytes_per_number: int = 2) -> int:
    """The bytes of a key/value cache that holds n_tokens of each of n_texts texts:

        n_texts · n_tokens · n_layers · 2 · n_key_heads · d_head · bytes_per_number,

    where the 2 is for a key and a value. With latent attention, d_latent + d_rotary replaces 2 · n_key_heads · d_head.
    It is what the tensors hold. A program may reserve more, and one whose layers look back over a window keeps less.

    Source: [2], section 2; [3], table 1. Raises ValueError: no `DecoderShape`; a count that is not positive.

    >>> cache_bytes(MODELS["SmolLM2 135M"], 8192)
    188743680
    >>> cache_bytes(MODELS["Llama 3.1 8B"], 131_072) / 1e9  # in GB
    17.179869184
    """
    expect(isinstance(shape, DecoderShape), "a DecoderShape", type(shape).__name__)
    for name, value in {"n_tokens": n_tokens, "n_texts": n_texts, "bytes_per_number": bytes_per_number}.items():
        expect_count(name, value)
    return int(n_texts) * int(n_tokens) * shape.numbers_per_token * int(bytes_per_number)


MODELS: dict[str, DecoderShape] = {
    "SmolLM2 135M": DecoderShape(
        n_layers=30, n_heads=9, n_key_heads=3, d_head=64, n_parameters=134_515_008, source="arXiv:2502.02737"
    ),
    "Gemma 2B": DecoderShape(
        n_layers=18, n_heads=8, n_key_heads=1, d_head=256, n_parameters=2_506_172_416, source="arXiv:2403.08295"
    ),
    "Llama 2 7B": DecoderShape(
        n_layers=32, n_heads=32, n_key_heads=32, d_head=128, n_parameters=6_738_415_616, source="arXiv:2307.09288"
    ),
    "Llama 3.1 8B": DecoderShape(
        n_layers=32, n_heads=32, n_key_heads=8, d_head=128, n_parameters=8_030_261_248, source="arXiv:2407.21783"
    ),
    "Qwen3 8B": DecoderShape(
        n_layers=36, n_heads=32, n_key_heads=8, d_head=128, n_parameters=8_190_735_360, source="arXiv:2505.09388"
    ),
    "Llama 3.1 70B": DecoderShape(
        n_layers=80, n_heads=64, n_key_heads=8, d_head=128, n_parameters=70_553_706_496, source="arXiv:2407.21783"
    ),
    "DeepSeek-V3": DecoderShape(
        n_layers=61,
        n_heads=128,
        n_key_heads=128,
        d_head=128,
        d_latent=512,
        d_rotary=64,
        n_parameters=671_026_404_352,
        source="arXiv:2412.19437",
    ),
}
"""Open models by name; their caches have two bytes for a number unless somebody quantises them."""
