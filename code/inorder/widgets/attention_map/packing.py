"""What travels with AttentionMap: facts on every head, thumbnails, and heads as far as a budget reaches."""

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from inorder.widgets.attention_map.arrays import later_share, look_back, pack_head, thumbnails, unpack_head

MOST_FINE_ENTRIES = 2**18  # up to this many weights are kept to 16 bits, more of them to 8


def facts(layers: list[np.ndarray], tolerance: float, *, aligned: bool) -> dict[str, Any]:
    """Of every head: how far it looks back, its share on later tokens, how many of its rows do not sum to 1."""
    n_heads, n_query, n_key = layers[0].shape
    nothing = [0.0] * n_heads
    return {
        "shape": [len(layers), n_heads, n_query, n_key],
        "aligned": aligned,
        "bits": 16 if len(layers) * n_heads * n_query * n_key <= MOST_FINE_ENTRIES else 8,
        "look_back": [look_back(layer).tolist() if aligned else nothing for layer in layers],
        "later": [later_share(layer).tolist() if aligned else nothing for layer in layers],
        "odd_rows": [(abs(layer.sum(axis=2) - 1) > tolerance).sum(axis=1).tolist() for layer in layers],
        "tolerance": tolerance,
    }


def exact(layers: list[np.ndarray], layer: int, name: str) -> np.ndarray:
    """(query, key) of one head by its number, or the "mean" or "max" of the layer's heads."""
    heads = layers[layer]
    if name == "mean":
        return heads.mean(axis=0, dtype=np.float64)
    return heads.max(axis=0) if name == "max" else heads[int(name)]


def packed(layers: list[np.ndarray], bits: int, chosen: tuple[int, str], budget: int) -> dict[str, Any]:
    """Thumbnails of all heads, and the heads themselves, the chosen one first, within ``budget`` bytes."""
    pictures, largest = thumbnails(layers)
    small = zlib.compress(pictures.tobytes(), 6)
    left = budget - len(small)
    heads: dict[str, bytes] = {}
    for layer, name in by_importance(len(layers), len(layers[0]), chosen):
        if left <= 0:
            break
        head = pack_head(exact(layers, layer, name), bits)
        if len(head) > left:
            break
        heads[f"{layer}/{name}"] = head
        left -= len(head)
    sizes = {"rows": pictures.shape[2], "columns": pictures.shape[3]}
    return {"thumbnails": sizes | {"pictures": small, "largest": largest.tolist()}, "heads": heads}


def by_importance(n_layers: int, n_heads: int, chosen: tuple[int, str]) -> Iterator[tuple[int, str]]:
    """What is chosen, then the other heads of its layer, then those of the other layers."""
    yield chosen
    for layer in sorted(range(n_layers), key=lambda layer: layer != chosen[0]):
        for head in range(n_heads):
            if (layer, str(head)) != chosen:
                yield layer, str(head)


def on_page(layers: list[np.ndarray], bits: int, packed: dict[str, bytes], layer: int, name: str) -> np.ndarray:
    """What is chosen, to the precision that the page keeps; ``kept`` are the heads that travelled."""
    n_heads, *shape = layers[0].shape
    size = (shape[0], shape[1])
    names = [f"{layer}/{head}" for head in range(n_heads)]
    is_head = name not in ("mean", "max")
    if is_head or f"{layer}/{name}" in packed or not all(other in packed for other in names):
        return unpack_head(packed.get(f"{layer}/{name}") or pack_head(exact(layers, layer, name), bits), size, bits)
    heads = [unpack_head(packed[other], size, bits) for other in names]
    return sum(heads[1:], heads[0]) / n_heads if name == "mean" else np.max(heads, axis=0)


def asked_for(content: Any, n_layers: int, n_heads: int) -> list[tuple[int, str]]:
    """The heads that a page asks for by name, "3/5" or "3/mean"; what is no such name is left out."""
    requests = content.get("heads") if isinstance(content, dict) else None
    names = {"mean", "max", *map(str, range(n_heads))}
    heads = []
    for asked in requests if isinstance(requests, list) else []:
        layer, _, name = str(asked).partition("/")
        if layer.isascii() and layer.isdecimal() and int(layer) < n_layers and name in names:
            heads.append((int(layer), name))
    return heads
