"""What AttentionMap shows, as arrays: attention weights read from a model's outputs, measured, and packed for a page.

A layer is (head, query, key); a model is a list of layers of one shape. Nothing here knows of widgets.
"""

import zlib
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from inorder._arrays import expect
from inorder.widgets.kit.state import refuse_mask

MOST_HEADS, MOST_TOKENS = 4_096, 4_096
THUMBNAIL_BYTES = 400_000  # of all thumbnails together, before compression
HOW_TO_ASK = (
    'a transformers model loaded with attn_implementation="eager", or after model.set_attn_implementation("eager"), '
    "returns them for output_attentions=True"
)
KINDS = {
    "self": "attentions",
    "encoder": "encoder_attentions",
    "decoder": "decoder_attentions",
    "cross": "cross_attentions",
}
OTHER_LAYOUTS = ("global_attentions", "encoder_global_attentions", "reshaped_hidden_states")  # Longformer, LED; Swin
# By how much a row may miss 1, for what rounding leaves in numbers of this type.
TOLERANCES = {"float16": 0.004, "bfloat16": 0.03}


def as_layers(weights: Any) -> tuple[list[np.ndarray], float]:
    """(layers, tolerance): the weights as float32 or float64 arrays (head, query, key), and how far a row may miss 1.

    Takes an array or tensor (layer, head, query, key), (head, query, key) or (query, key), or a sequence of layers,
    (head, query, key) or (1, head, query, key) each; any float type, any device, with or without gradients.

    Raises ValueError: other shapes, an empty axis, more than MOST_HEADS heads or MOST_TOKENS tokens, NaN, an infinity,
    or a negative number, with its place.

    >>> layers, tolerance = as_layers(np.full((3, 2, 5, 7), 1 / 7, dtype=np.float16))
    >>> len(layers), layers[0].shape, layers[0].dtype, tolerance
    (3, (2, 5, 7), dtype('float32'), 0.004)
    """
    if not hasattr(weights, "shape"):
        is_iterable = isinstance(weights, Iterable) and not isinstance(weights, str | bytes | dict)
        is_output = any(hasattr(weights, name) for name in KINDS.values())
        hint = "; what a transformers model returned goes into AttentionMap.from_transformers" if is_output else ""
        got = type(weights).__name__ + hint
        expect(is_iterable and not is_output, "weights as an array, a tensor or a list of layers", got)
        weights = list(weights)
        expect(weights, "weights of one layer or more", f"none ({HOW_TO_ASK})")
        if not any(layer is None or hasattr(layer, "shape") for layer in weights):
            weights = _numbers(weights)  # lists of lists
    if hasattr(weights, "shape"):
        is_array = hasattr(weights, "reshape") and not getattr(weights, "is_sparse", False)
        weights = weights if is_array else _numbers(weights)  # a frame, a tensor of TensorFlow
        shape = tuple(weights.shape)
        expect(2 <= len(shape) <= 4, "weights of shape (layer, head, query, key), or fewer leading axes", shape)
        weights = list(weights.reshape((1,) * (4 - len(shape)) + shape))
    expect(weights, "weights of one layer or more", "none")
    layers_with_tolerances = [_layer(i, layer) for i, layer in enumerate(weights)]
    layers = [layer for layer, _ in layers_with_tolerances]
    shapes = sorted({layer.shape for layer in layers})
    expect(len(shapes) == 1, "layers of one shape (head, query, key)", " and ".join(map(str, shapes)))
    n_heads = len(layers) * shapes[0][0]
    expect(n_heads <= MOST_HEADS, f"up to {MOST_HEADS} heads in all layers", n_heads)
    expect(max(shapes[0][1:]) <= MOST_TOKENS, f"up to {MOST_TOKENS} queries and keys", shapes[0][1:])
    for i, layer in enumerate(layers):
        _expect_weights(i, layer)
    return layers, max(tolerance for _, tolerance in layers_with_tolerances)


def _layer(i: int, layer: Any) -> tuple[np.ndarray, float]:
    if layer is None:
        raise ValueError(f"expected weights of layer {i}, got None: {HOW_TO_ASK}")
    expect(hasattr(layer, "shape"), f"layer {i} as an array or a tensor", type(layer).__name__)
    layer = layer if hasattr(layer, "reshape") else _numbers(layer)
    shape = tuple(layer.shape)
    if len(shape) == 4:
        expect(shape[0] == 1, f"layer {i} of shape (head, query, key), or one text of a batch", shape)
        layer, shape = layer[0], shape[1:]
    expect(len(shape) == 3 and 0 not in shape, f"layer {i} of shape (head, query, key) with no empty axis", shape)
    name = str(layer.dtype).rpartition(".")[2]
    return _numbers(layer), TOLERANCES.get(name, 1e-3 if "float8" not in name else 0.25)


def _numbers(x: Any) -> np.ndarray:
    """float64 if it was that, else float32."""
    refuse_mask("weights", x)
    if hasattr(x, "detach"):  # a torch tensor
        x = x.detach().cpu()
        x = x if str(x.dtype) == "torch.float64" or x.is_complex() else x.float()
    try:
        array = np.asarray(x)
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected weights of real numbers in rows of equal length: {error}") from error
    expect(array.dtype.kind not in "cSUOmM", "weights of real numbers", f"an array of dtype {array.dtype}")
    return array if array.dtype == np.float64 else array.astype(np.float32, copy=False)


def _expect_weights(i: int, layer: np.ndarray) -> None:
    for wrong, expected in (
        (~np.isfinite(layer), "finite weights"),
        (layer < 0, "weights of 0 or more (not scores: these come before the softmax)"),
    ):
        if wrong.any():
            head, query, key = np.argwhere(wrong)[0]
            got = f"{layer[head, query, key]} in layer {i}, head {head}, query {query}, key {key}"
            raise ValueError(f"expected {expected}, got {got}")


# ----------------------------------------------------------------------------------------------- from a model's outputs


def transformers_kinds(outputs: Any) -> dict[str, Any]:
    """{"self", "encoder", "decoder" or "cross": the attentions of that kind}, of what a transformers model returned.

    Raises ValueError: none at all, or those of a beam search, whose steps belong to different texts.
    """
    expect(not hasattr(outputs, "beam_indices"), "outputs of greedy search or sampling", "those of a beam search")
    by_kind: dict[str, Any] = {kind: getattr(outputs, name, None) for kind, name in KINDS.items()}
    by_kind = {kind: attentions for kind, attentions in by_kind.items() if attentions}
    cache: Any
    cache, hidden = (getattr(outputs, name, None) for name in ("past_key_values", "hidden_states"))
    if "self" in by_kind:
        attentions = by_kind["self"]
        n = len(attentions[0] if isinstance(attentions[0], list | tuple) else attentions)
        n_layers = len(cache.layers) if hasattr(cache, "layers") else 0
        if isinstance(hidden, list | tuple) and hidden and hasattr(hidden[0], "shape"):
            n_layers = max(n_layers, len(hidden) - 1)
        got = f"{n}: those of a model that also has other layers, which would be numbered wrongly"
        expect(n >= n_layers, f"attentions of all {n_layers} layers", got)
    inner = (
        [name for name, part in dict(outputs).items() if hasattr(part, "attentions")]
        if isinstance(outputs, dict)
        else []
    )
    hint = f", whose parts have them: pass .{' or .'.join(inner)}" if inner else ""
    expect(by_kind, f"outputs with attentions: {HOW_TO_ASK}", f"{type(outputs).__name__}{hint}")
    return by_kind


def transformers_layers(attentions: Sequence[Any], batch: int = 0, *, kind: str = "self") -> list[Any]:
    """The layers (head, query, key) of one text of the batch; the steps of a generation are joined, row below row.

    ``attentions`` is a tuple over layers of (batch, head, query, key), or from ``generate`` a tuple over steps of such
    tuples. A step with a key/value cache adds one row, one key longer than the last; what a row could not see yet is 0.
    Keys of an earlier turn come first; keys that a static cache keeps for tokens to come are left out.

    Raises ValueError: a batch index out of range; layers that are None; steps whose keys do not grow with the text in
    each layer (a sliding window); an encoder's without a key for each query; rows that aren't on their own keys.
    """
    one_call = not isinstance(attentions[0], list | tuple)
    steps = [
        [_numbers(_one_text(i, layer, batch)) for i, layer in enumerate(step)]
        for step in ([attentions] if one_call else attentions)
    ]
    if one_call and (kind == "cross" or any(layer.shape[1] > layer.shape[2] for layer in steps[0])):
        return steps[0]
    if kind == "encoder":
        shapes = sorted({layer.shape[1:] for layer in steps[0]})
        square = all(n_query == n_key for n_query, n_key in shapes)
        expect(square, "as many keys as queries in an encoder", " and ".join(map(str, shapes)))
    n_past = 0 if kind == "cross" else max(_n_used(layer) - layer.shape[1] for layer in steps[0])
    n_seen, pieces = n_past, []  # pieces: (first row, step)
    for step in steps:
        n_query = step[0].shape[1]
        first = n_past if n_query > n_seen else n_seen  # without a cache, each step reads the whole text again
        n_seen = first + n_query
        for i, layer in enumerate(step):
            n_key = layer.shape[2]
            fits = kind == "cross" or (n_key >= n_seen and _n_used(layer) <= n_seen)
            expect(fits, f"keys of all {n_seen} tokens read in layer {i} (no sliding window)", n_key)
        pieces.append((first - n_past, step))
    n_key = steps[0][0].shape[2] if kind == "cross" else n_seen
    layers = []
    for i in range(len(steps[0])):
        layer = np.zeros((steps[0][i].shape[0], n_seen - n_past, n_key), dtype=steps[0][i].dtype)
        for first, step in pieces:
            rows = step[i][:, :, :n_key]  # a static cache has room for tokens to come
            layer[:, first : first + rows.shape[1], : rows.shape[2]] = rows
        if kind != "cross":
            _expect_own_keys(i, layer)
        layers.append(layer)
    return layers


def _n_used(layer: np.ndarray) -> int:
    """How many keys have weight, up to the last one that has; no fewer than the queries."""
    used = np.flatnonzero(layer.any(axis=(0, 1)))
    return max(layer.shape[1], int(used[-1]) + 1 if len(used) else 0)


def _expect_own_keys(i: int, layer: np.ndarray) -> None:
    """A row sees its own token, unless that is padding. Where columns are places in a window, many rows don't."""
    _, n_query, n_key = layer.shape
    own = np.diagonal(layer, n_key - n_query, axis1=1, axis2=2).any(axis=0)  # (query,)
    is_seen = np.any(layer, axis=(0, 1))[n_key - n_query :]
    blind = int((~own & is_seen & layer.any(axis=(0, 2))).sum())
    got = f"{blind} of {n_query} rows without any: are its columns places in a window?"
    expect(4 * blind < n_query, f"rows of layer {i} with weight on their own key", got)


def _one_text(i: int, layer: Any, batch: int) -> Any:
    if layer is None:
        _layer(i, layer)
    shape = tuple(layer.shape)
    expect(len(shape) == 4, f"layer {i} of shape (batch, head, query, key)", shape)
    whole = isinstance(batch, Integral) and not isinstance(batch, bool) and 0 <= batch < shape[0]
    expect(whole, f"batch from 0 to {shape[0] - 1}", batch)
    return layer[batch]


# ------------------------------------------------------------------------------------------------------------- measures


def look_back(layer: np.ndarray) -> np.ndarray:
    """(head,): how many tokens back each head looks on average, Σ w_ij (p_i − j) / Σ w_ij; negative is ahead.

    Query i stands at key p_i = n_key − n_query + i. Source: Vig and Belinkov 2019, Analyzing the Structure of Attention
    in a Transformer Language Model, section 4.2.3 (their mean distance, over one text).

    >>> float(look_back(np.eye(4, k=-1)[None, 1:])[0])  # each token looks at the one before
    1.0
    """
    _, n_query, n_key = layer.shape
    back = np.arange(n_key - n_query, n_key)[:, None] - np.arange(n_key)  # (query, key)
    total = layer.sum(axis=(1, 2), dtype=np.float64)
    moment = np.einsum("hqk,qk->h", layer, back.astype(layer.dtype), dtype=np.float64)
    return np.divide(moment, total, out=np.zeros_like(total), where=total > 0)


def later_share(layer: np.ndarray) -> np.ndarray:
    """(head,): the share of each head's weight that lies on tokens after the query's own.

    >>> later_share(np.full((1, 2, 2), 0.5)).tolist()
    [0.25]
    """
    n_later = layer.shape[2] - layer.shape[1]
    later = np.triu(np.ones(layer.shape[1:], dtype=bool), n_later + 1)
    total = layer.sum(axis=(1, 2), dtype=np.float64)
    return np.divide(layer.sum(axis=(1, 2), where=later, dtype=np.float64), total, out=total * 0, where=total > 0)


# -------------------------------------------------------------------------------------------------- packed for the page


def pack_head(weights: np.ndarray, bits: int) -> bytes:
    """One head (query, key), compressed: float32 the largest of each row, float32 its sum, then the entries.

    An entry is a whole number of 8 or 16 bits: the weight as a share of its row's largest, so a weight is off by at
    most half a step, 1/510 or 1/131,070 of the largest in its row. zlib, little-endian.

    >>> packed = pack_head(np.array([[0.25, 0.75], [0.0, 1.0]]), bits=8)
    >>> unpack_head(packed, (2, 2), bits=8).round(3)
    array([[0.25, 0.75],
           [0.  , 1.  ]])
    """
    largest = weights.max(axis=1).astype("<f4")
    sums = weights.sum(axis=1, dtype=np.float64).astype("<f4")
    scale = np.where(largest > 0, largest, 1)[:, None]
    codes = np.minimum(np.rint(weights / scale * (2**bits - 1)), 2**bits - 1).astype(f"<u{bits // 8}")
    return zlib.compress(largest.tobytes() + sums.tobytes() + codes.tobytes(), 6)


def unpack_head(packed: bytes, shape: tuple[int, int], bits: int) -> np.ndarray:
    """The weights (query, key) that are left of a packed head, as the browser computes them, in float64."""
    n_query, raw = shape[0], zlib.decompress(packed)
    largest = np.frombuffer(raw, "<f4", n_query).astype(np.float64)
    codes = np.frombuffer(raw, f"<u{bits // 8}", offset=8 * n_query).reshape(shape)
    return largest[:, None] * codes / (2**bits - 1)


def thumbnails(layers: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(pictures, largest): (layer, head, row, column) of bytes, and the weight (layer, head) that 255 stands for.

    A cell of a picture is the largest weight of its block, so that a thin diagonal does not fade. Row r of R shows the
    queries from ⌊r n/R⌋ to ⌊(r+1) n/R⌋ − 1. A picture has up to 48 rows and columns, fewer where there are many heads.

    >>> pictures, largest = thumbnails([np.eye(96)[None]])
    >>> pictures.shape, bool((pictures[0, 0] == 255 * np.eye(48)).all()), largest.tolist()
    ((1, 1, 48, 48), True, [[1.0]])
    """
    side = int((THUMBNAIL_BYTES / (len(layers) * len(layers[0]))) ** 0.5)
    blocks = np.array([largest_of_blocks(layer, min(max(side, 4), 48)) for layer in layers])
    largest = blocks.max(axis=(2, 3)).astype(np.float64)  # (layer, head)
    scale = np.where(largest > 0, largest, 1)[:, :, None, None]
    return np.rint(blocks / scale * 255).astype(np.uint8), largest


def largest_of_blocks(layer: np.ndarray, side: int) -> np.ndarray:
    """(head, row, column): the largest of each block of the queries and keys, ``side`` of them at most along each."""
    rows, columns = (np.arange(min(n, side)) * n // min(n, side) for n in layer.shape[1:])
    return np.maximum.reduceat(np.maximum.reduceat(layer, columns, axis=2), rows, axis=1)
