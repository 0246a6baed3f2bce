"""The figures on what attention costs: the bytes of a model, and a table that is read block by block."""

import numpy as np
from jaxtyping import Float

from inorder.attention import scaled_dot_product_attention
from inorder.costs import MODELS, cache_bytes
from inorder.widgets import marks
from inorder.widgets.marks import Mark

CONTEXTS = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072]
TEXTS = [1, 4, 16, 64]
LARGE_GPU = 80  # GB
N, BLOCK = 12, 3  # of the streamed table: queries and keys, and those of one block
BLOCKS = {f"{i + 1} of {(N // BLOCK) ** 2}": i for i in range((N // BLOCK) ** 2)}


def said_gigabytes(n_bytes: int) -> str:
    """In GB of 10⁹ bytes, to three digits."""
    gigabytes = n_bytes / 1e9
    return f"{gigabytes:,.0f}" if gigabytes >= 100 else f"{gigabytes:.3g}"


def gigabytes(model: str = "Llama 3.1 8B", tokens: int = 8192, texts: int = 1, size: int = 2) -> tuple[Mark, Mark]:
    """How much memory will my model need? Pull the point: right for longer texts, up for more of them."""
    shape = MODELS[model]
    parameters = shape.n_parameters * size
    kept = [cache_bytes(shape, n, n_texts=texts, bytes_per_number=size) for n in CONTEXTS]
    now = kept[CONTEXTS.index(tokens)]
    plane = marks.lines(
        CONTEXTS,
        {"kept of the texts": np.array(kept) / 1e9},
        actor="key",
        axes=("tokens of a text", "GB"),
        log="xy",
        y_limits=(0.005, 10_000),
        levels={
            f"parameters, {said_gigabytes(parameters)} GB": parameters / 1e9,
            f"a GPU of {LARGE_GPU} GB": LARGE_GPU,
        },
    )
    point = marks.points([[tokens, now / 1e9]], actor="key", log="xy", equal=False, drag=("tokens", "texts"))
    times = f"{texts} texts" if texts > 1 else "one text"
    says = (
        f"{said_gigabytes(parameters + now)} GB: {model} has {said_gigabytes(parameters)} GB of parameters, and keeps "
        f"{said_gigabytes(now)} GB of {times} of {tokens:,} tokens."
    )
    return plane + point, marks.answer(says)


def running(
    scores: Float[np.ndarray, "query key"], values: Float[np.ndarray, " key"], size: int
) -> Float[np.ndarray, "block kept query"]:
    """m, ℓ and o of every query, after each block of ``size`` keys: the streaming softmax."""
    m, total, output = np.full(len(scores), -np.inf), np.zeros(len(scores)), np.zeros(len(scores))
    steps = []
    for start in range(0, len(values), size):
        block = scores[:, start : start + size]
        new_m = np.maximum(m, block.max(axis=1))
        shrink, terms = np.exp(m - new_m), np.exp(block - new_m[:, None])
        m, total = new_m, shrink * total + terms.sum(axis=1)
        output = shrink * output + terms @ values[start : start + size]
        steps.append(np.stack([m, total, output]))
    return np.stack(steps)


def block_by_block(block: int = 0) -> tuple[Mark, Mark]:
    """Pull the block along. How much of the table is ever there?"""
    rng = np.random.default_rng(3)
    query, key, values = rng.normal(size=(N, 4)), rng.normal(size=(N, 4)), rng.normal(size=N)
    scores = query @ key.T / 2  # (query, key), divided by √4
    across = N // BLOCK
    row, column = divmod(block, across)
    steps = running(scores, values, BLOCK)
    kept = np.where(np.arange(N) < row * BLOCK, steps[-1], steps[column])  # (kept, query)
    lines, columns = (slice(at * BLOCK, (at + 1) * BLOCK) for at in (row, column))
    terms = np.exp(scores[lines, columns] - kept[0, lines, None])
    picture = marks.blocks(
        terms,
        (row, column),
        (across, across),
        dict(zip(["maximum", "sum", "output"], kept, strict=True)),
        limits=(0, 1),
        drag="block",
    )
    done = column == across - 1
    if done:
        whole = scaled_dot_product_attention(query, key, values[:, None])[:, 0]
        equal = np.allclose((kept[2] / kept[1])[lines], whole[lines], rtol=0, atol=1e-12)
        says = f"The last keys: o / ℓ is what the whole table gives. {BLOCK**2} of its {N**2} numbers are there."
        return picture, marks.answer(says, "=" if equal else "≠")
    risen = 0 if column == 0 else int((steps[column, 0, lines] > steps[column - 1, 0, lines]).sum())
    news = f" A larger score came for {risen} of {BLOCK}: what was summed for them shrinks." if risen else ""
    return picture, marks.answer(f"{BLOCK**2} of {N**2} numbers are there, and three are kept for each query.{news}")
