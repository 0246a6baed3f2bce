"""Reference functions, models and interactive figures of the book *Attention, in Order*. A map of the package:

==============  ========================================================================================
`attention`     softmax(QKᵀ/√d)V: scores, weights, masks, heads, and the streaming form that needs less memory
`encodings`     every way to say where a token is: scalars, binary, sinusoids, learned tables, rotary, ALiBi, T5, Shaw
`transformer`   layer norm, feed forward, the block, encoder, causal decoder with its cache, generation
`symmetry`      permutations, and by how much a function fails to commute with them or to ignore them
`circuits`      attention heads built by hand, and what the scores can see of W_Q and W_K
`mixers`        the other architectures that mix tokens: recurrent, convolutional, sparse, spectral, …
`audit`         what any layer knows of order, measured
`costs`         how many bytes a decoder keeps of each token while it generates
`prefixes`      what a layer can know of the words before each row, in exact fractions
`pretrained`    a real trained encoder and decoder, run through these   (pip install "inorder[pretrained]")
`lab`           tasks, models, training and probes of the experiments, in torch
`widgets`       the interactive figures, for any notebook
`stored`        what the lab has measured and the book shows
`book`          still figures and checkers of exercises, for this book's pages alone
`palette`       the colours of all of these
==============  ========================================================================================

The functions take NumPy arrays or torch tensors, tokens as rows, with any leading axes. Nothing is imported with the
package itself:

>>> import numpy as np
>>> from inorder.attention import causal_mask, scaled_dot_product_attention
>>> from inorder.encodings import sinusoidal_encoding
>>> x = sinusoidal_encoding(np.arange(5), d_model=8)  # (position, d_model)
>>> scaled_dot_product_attention(x, x, x, mask=causal_mask(5)).shape
(5, 8)

`help(inorder.attention)` and so on say more, each function its formula, shapes, errors, source and an example.
"""

from importlib import metadata


def __getattr__(name: str) -> str:
    """`inorder.__version__`, asked of what is installed."""
    if name == "__version__":
        return metadata.version("inorder")
    raise AttributeError(f"module 'inorder' has no attribute {name!r}; a module of it is imported by its name")
