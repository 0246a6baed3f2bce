"""AttentionMap: the attention of a whole model, layers × heads × queries × keys, as a grid, a matrix, or lines."""

import unicodedata
import zlib
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import traitlets
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure

from inorder._arrays import expect
from inorder.transformer import LayerState
from inorder.widgets.attention_arrays import (
    as_layers,
    later_share,
    look_back,
    pack_head,
    thumbnails,
    transformers_kinds,
    transformers_layers,
    unpack_head,
)
from inorder.widgets.base import (
    NEGATIVE,
    WEIGHT,
    InteractiveFigure,
    InvalidState,
    compose_module,
    compose_style,
    format_number,
)

VIEWS = ("grid", "matrix", "lines")
COMBINATIONS = ("none", "mean", "max")
SCALES = ("head", "row", "one")
ORDERS = ("model", "look back")
LONGEST_TOKEN = 200
BUDGET = 2_000_000  # bytes of weights that travel with the figure
MOST_FINE_ENTRIES = 2**18  # up to this many weights are kept to 16 bits, more of them to 8
COLOURS = LinearSegmentedColormap.from_list("weight", ["white", WEIGHT]).with_extremes(bad="0.93")


class AttentionMap(InteractiveFigure):
    """Attention weights A (layer, head, query, key) of any model: all heads, one head as a matrix, one token's lines.

    What the page receives: a thumbnail of every head, and the heads themselves as far as ``budget`` reaches, the chosen
    one first. A head beyond it is fetched from the kernel when it is looked at; on a page without a kernel its
    thumbnail takes its place, and the figure says so. The page keeps a weight as a share of the largest in its row: in
    16 bits (off by at most 1/131,070 of that largest) where there are up to 262,144 weights in all, else in 8 bits
    (1/510). ``weights`` in Python is exact.

    Layers, heads, queries and keys are counted from 0, as in the array.

    Args:
        weights: array or tensor (layer, head, query, key), leading axes may be missing; or a list of layers, each
            (head, query, key). Any float type, any device, with or without gradients.
        tokens: the query tokens, strings of up to 200 characters, or one string to be cut at its spaces. By default
            their positions.
        key_tokens: the key tokens, where they are others: of another text (cross-attention), or more of the same (a
            cache). By default the query tokens.
        aligned: are queries and keys tokens of one text, the last query at the last key? By default, they are if no
            key_tokens are given, and as many keys as queries. Only then are there later tokens, a causal triangle, and
            a distance to look back.
        budget: bytes of weights, compressed, that travel with the figure. (In a page's HTML, a third more.)
        view: "grid", "matrix" or "lines".
        layer, head, query, key: what is chosen.
        combine: "none" (one head), "mean" or "max" (of the layer's heads, cell by cell).
        threshold: weights below it are left blank.
        triangle: hatch the later tokens? By default, where no weight is on them.
        scale: full colour is the largest weight of the "head", of its "row", or "one". By default the head's, but the
            row's where there are more than 64 keys: the first tokens of a long text have few to share their weight.
        order: of the grid, as in the "model", or by how far heads "look back".
        window: the part of the matrix in sight, [first query, first key, queries, keys]; [] is all of it.

    Raises:
        ValueError: weights that are no weights (NaN, negative, no numbers, an empty axis, layers of different shapes),
            tokens that do not fit them, more than 4,096 tokens; a state that does not exist. Rows that do not sum to 1
            are shown, and marked.

    >>> weights = np.tril(np.ones((2, 3, 4, 4))) / np.arange(1, 5)[:, None]
    >>> figure = AttentionMap(weights, "dogs bite old men", layer=1, head=2, query=3)
    >>> print(figure.summary())
    Layer 1, head 2: 4 queries, 4 keys. It looks back 0.75 tokens on average; none of its weight is on later tokens.
    “men” (query 3) attends most to “dogs” (key 0): 0.250.
    >>> AttentionMap(weights, "dogs bite men")
    Traceback (most recent call last):
    ...
    ValueError: expected 4 query tokens, one for each row of the weights, got 3
    """

    _esm = compose_module("attention_map.js")
    _css = compose_style("attention_map.css")

    state_names: ClassVar[tuple[str, ...]] = (
        "view",
        "layer",
        "head",
        "query",
        "key",
        "combine",
        "threshold",
        "triangle",
        "scale",
        "order",
        "window",
    )

    title = traitlets.Unicode("Attention, layer by layer, head by head").tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    key_tokens = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    data = traitlets.Dict(read_only=True).tag(sync=True)
    view = traitlets.Unicode("grid").tag(sync=True)
    layer = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    query = traitlets.Int(0).tag(sync=True)
    key = traitlets.Int(0).tag(sync=True)
    combine = traitlets.Unicode("none").tag(sync=True)
    threshold = traitlets.Float(0.0).tag(sync=True)
    triangle = traitlets.Bool(False).tag(sync=True)
    scale = traitlets.Unicode("head").tag(sync=True)
    order = traitlets.Unicode("model").tag(sync=True)
    window = traitlets.List(traitlets.Int()).tag(sync=True)

    def __init__(
        self,
        weights: Any,
        tokens: Any = None,
        key_tokens: Any = None,
        *,
        aligned: bool | None = None,
        budget: int = BUDGET,
        **state: Any,
    ) -> None:
        self._layers, tolerance = as_layers(weights)
        n_heads, n_query, n_key = self._layers[0].shape
        given, tokens = tokens, _tokens("query", tokens, n_query, "row")
        self._aligned = key_tokens is None and n_query == n_key if aligned is None else aligned
        expect(not self._aligned or n_key >= n_query, f"aligned keys, at least as many as the {n_query} queries", n_key)
        if key_tokens is not None or n_key == n_query:
            key_tokens = _tokens("key", tokens if key_tokens is None else key_tokens, n_key, "column")
        else:
            expect(given is None, f"key_tokens for the {n_key} keys, which are not the {n_query} queries", "none")
            key_tokens = _tokens("key", None, n_key, "column")
        later = [later_share(layer).tolist() if self._aligned else [0.0] * n_heads for layer in self._layers]
        odd_rows = [(abs(layer.sum(axis=2) - 1) > tolerance).sum(axis=1).tolist() for layer in self._layers]
        far = [look_back(layer).tolist() if self._aligned else [0.0] * n_heads for layer in self._layers]
        n_heads_in_all = len(self._layers) * n_heads
        fine = n_heads_in_all * n_query * n_key <= MOST_FINE_ENTRIES
        self._facts: dict[str, Any] = {
            "shape": [len(self._layers), n_heads, n_query, n_key],
            "aligned": self._aligned,
            "bits": 16 if fine else 8,
            "look_back": far,
            "later": later,
            "odd_rows": odd_rows,
            "tolerance": tolerance,
        }
        is_causal = self._aligned and n_query > 1 and not any(map(any, later))
        state = {"view": "grid" if n_heads_in_all > 1 else "matrix", "triangle": is_causal} | state
        state.setdefault("scale", "head" if n_key <= 64 else "row")
        self._words, self._budget = (tokens, key_tokens), budget
        super().__init__(**state)
        self.on_msg(self._answer)

    @traitlets.default("tokens")
    def _query_words(self) -> list[str]:
        return self._words[0]

    @traitlets.default("key_tokens")
    def _key_words(self) -> list[str]:
        return self._words[1]

    @traitlets.default("data")
    def _what_travels(self) -> dict[str, Any]:
        return self._facts | self._packed(self._budget)

    @classmethod
    def from_transformers(
        cls,
        outputs: Any,
        tokens: Any,
        key_tokens: Any = None,
        *,
        input_ids: Any = None,
        decoder_input_ids: Any = None,
        attention: str | None = None,
        batch: int = 0,
        **options: Any,
    ) -> "AttentionMap":
        """What a model of Hugging Face's transformers returned, by a call or by ``generate``.

        Load the model with ``attn_implementation="eager"``; call it with ``output_attentions=True``, ``generate`` also
        with ``return_dict_in_generate=True``. The steps of a generation are joined to one matrix. (The last token that
        was generated was not read by the model, so it has no row.)

        Args:
            outputs: of an encoder, a decoder or an encoder-decoder.
            tokens: strings; or the tokenizer, which names the tokens of ``input_ids`` and ``decoder_input_ids``. For
                cross-attention, ``tokens`` are the decoder's and ``key_tokens`` the encoder's.
            input_ids, decoder_input_ids: what the model was given, (batch, token); not needed for what was generated.
            attention: "encoder", "decoder" or "cross" of an encoder-decoder; "self" or "cross" of a decoder with both.
            batch: which text of the batch.
            **options: as of `AttentionMap`.

        Raises:
            ValueError: as `AttentionMap`; no attentions in the outputs; more than one kind and no choice; the outputs
                of a beam search; a tokenizer without ids.
        """
        kinds = transformers_kinds(outputs)
        if attention is None and len(kinds) == 1:
            (attention,) = kinds
        expect(attention in kinds, f"attention to be one of {', '.join(kinds)}", repr(attention))
        layers = transformers_layers(kinds[str(attention)], batch, cross=attention == "cross")
        _, n_query, n_key = layers[0].shape
        if hasattr(tokens, "convert_ids_to_tokens"):
            generated = getattr(outputs, "sequences", None)
            ids, key_ids = input_ids, None
            if attention == "self":
                ids = input_ids if generated is None else generated
            elif attention in ("decoder", "cross"):
                ids = decoder_input_ids if generated is None else generated
                key_ids = input_ids if attention == "cross" else None
            key_tokens = _names(tokens, key_ids, batch, n_key) if attention == "cross" else None
            tokens = _names(tokens, ids, batch, n_query if attention == "cross" else n_key)
        if attention == "cross":
            expect(key_tokens is not None, "key_tokens, those of the encoder", "none")
            return cls(layers, tokens, key_tokens, **options)
        return cls._of_one_text(layers, tokens, **options)

    @classmethod
    def from_inorder(cls, states: Any, tokens: Any, *, batch: Any = (), **options: Any) -> "AttentionMap":
        """What `inorder.transformer.layer_states` computes: the self-attention of our encoder or decoder.

        Args:
            states: of all layers, or of one.
            tokens: names of the tokens; with a cache, of those in it too.
            batch: the index of one text, where there are batch axes.
            **options: as of `AttentionMap`.

        Raises:
            ValueError: as `AttentionMap`; batch axes without an index.

        >>> from inorder.transformer import TransformerConfig, init_parameters, layer_states
        >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=3)
        >>> parameters = init_parameters(config, np.random.default_rng(0))
        >>> states = layer_states(np.array([4, 0, 4, 1]), parameters, config, positions=np.arange(4))
        >>> AttentionMap.from_inorder(states, "dog bites dog man").data["shape"]
        [3, 2, 4, 4]
        """
        states = [states] if isinstance(states, LayerState) else list(states)
        expect(all(isinstance(state, LayerState) for state in states), "the states of layer_states", "something else")
        layers = [state.weights[batch] for state in states]
        shape = tuple(layers[0].shape) if layers else ()
        expect(len(shape) == 3, "one text: weights (head, query, key) once batch is taken", f"shape {shape}")
        return cls._of_one_text(layers, tokens, **options)

    @classmethod
    def _of_one_text(cls, layers: list[Any], tokens: Any, **options: Any) -> "AttentionMap":
        """Self-attention whose queries are the last tokens of the keys: all of them, unless there was a cache."""
        _, n_query, n_key = layers[0].shape
        key_tokens = _tokens("key", tokens, n_key, "column")
        return cls(layers, key_tokens[n_key - n_query :], key_tokens, **{"aligned": True} | options)

    # ---------------------------------------------------------------------------------------------------- the state

    @traitlets.validate(*state_names)
    def _check(self, proposal: Any) -> Any:
        name, value = proposal.trait.name, proposal.value
        n_layers, n_heads, n_query, n_key = self._facts["shape"]
        choices = {"view": VIEWS, "combine": COMBINATIONS, "scale": SCALES, "order": ORDERS}
        counts = {"layer": n_layers, "head": n_heads, "query": n_query, "key": n_key}
        if name in choices and value not in choices[name]:
            raise InvalidState(f"{name} must be one of {', '.join(choices[name])}, got {value!r}")
        if name in counts and not 0 <= value < counts[name]:
            raise InvalidState(f"{name} must be from 0 to {counts[name] - 1}, got {value}")
        if name == "threshold" and not 0 <= value <= 1:
            raise InvalidState(f"threshold must be from 0 to 1, got {value}")
        if name == "triangle" and value and not self._aligned:
            raise InvalidState("triangle must be False where queries and keys are not aligned")
        if name == "order" and value == "look back" and not self._aligned:
            raise InvalidState('order must be "model" where queries and keys are not aligned')
        if name == "window" and value:
            fits = len(value) == 4 and all(
                min(first, count - 1) >= 0 and first + count <= most
                for first, count, most in zip(value[:2], value[2:], (n_query, n_key), strict=True)
            )
            if not fits:
                raise InvalidState(
                    f"window must be [first query, first key, queries, keys] inside {n_query} × {n_key}, got {value}"
                )
        return value

    @property
    def weights(self) -> np.ndarray:
        """The weights (query, key) of what is chosen, exact: of one head, or the mean or the largest of the layer's."""
        return self._exact(self.layer, self._name(self.head, self.combine))

    def _exact(self, layer: int, name: str) -> np.ndarray:
        heads = self._layers[layer]
        if name == "mean":
            return heads.mean(axis=0, dtype=np.float64)
        return heads.max(axis=0) if name == "max" else heads[int(name)]

    @staticmethod
    def _name(head: int, combine: str) -> str:
        return str(head) if combine == "none" else combine

    @property
    def weights_on_page(self) -> np.ndarray:
        """The same, to the precision that the page keeps: what the figure's numbers are."""
        _, n_heads, *shape = self._facts["shape"]
        bits, kept = self._facts["bits"], self.data["heads"]
        name = self._name(self.head, self.combine)
        names = [f"{self.layer}/{head}" for head in range(n_heads)]
        if self.combine == "none" or f"{self.layer}/{name}" in kept or not all(other in kept for other in names):
            packed = kept.get(f"{self.layer}/{name}") or pack_head(self.weights, bits)
            return unpack_head(packed, (shape[0], shape[1]), bits)
        heads = [unpack_head(kept[other], (shape[0], shape[1]), bits) for other in names]
        return sum(heads[1:], heads[0]) / n_heads if self.combine == "mean" else np.max(heads, axis=0)

    # ----------------------------------------------------------------------------------------------- what is sent

    def _packed(self, budget: int) -> dict[str, Any]:
        pictures, largest = thumbnails(self._layers)
        packed = zlib.compress(pictures.tobytes(), 6)
        left = budget - len(packed)
        heads: dict[str, bytes] = {}
        for layer, name in self._by_importance():
            if left <= 0:
                break
            head = pack_head(self._exact(layer, name), self._facts["bits"])
            if len(head) > left:
                break
            heads[f"{layer}/{name}"] = head
            left -= len(head)
        sizes = {"rows": pictures.shape[2], "columns": pictures.shape[3]}
        return {"thumbnails": sizes | {"pictures": packed, "largest": largest.tolist()}, "heads": heads}

    def _by_importance(self) -> Iterator[tuple[int, str]]:
        """What is chosen, then the other heads of its layer, then those of the other layers."""
        n_layers, n_heads, *_ = self._facts["shape"]
        chosen = (self.layer, self._name(self.head, self.combine))
        yield chosen
        for layer in sorted(range(n_layers), key=lambda layer: layer != self.layer):
            for head in range(n_heads):
                if (layer, str(head)) != chosen:
                    yield layer, str(head)

    def _answer(self, _: Any, content: Any, buffers: Any) -> None:
        """The page asks for heads that it does not have, by name: "3/5", "3/mean"."""
        n_layers, n_heads, *_ = self._facts["shape"]
        wanted = content.get("heads") if isinstance(content, dict) else None
        names = {"mean", "max", *map(str, range(n_heads))}
        for asked in wanted if isinstance(wanted, list) else []:
            layer, _, name = str(asked).partition("/")
            if layer.isascii() and layer.isdecimal() and int(layer) < n_layers and name in names:
                packed = pack_head(self._exact(int(layer), name), self._facts["bits"])
                self.send({"head": f"{int(layer)}/{name}"}, buffers=[packed])

    # -------------------------------------------------------------------------------------------------- the words

    def summary(self) -> str:
        _, n_heads, n_query, n_key = self._facts["shape"]
        layer, head, single = self.layer, self.head, self.combine == "none"
        chosen = {
            "none": f"Layer {layer}, head {head}",
            "mean": f"Average of the {n_heads} heads of layer {layer}",
            "max": f"Largest of the {n_heads} heads of layer {layer}, cell by cell",
        }[self.combine]
        sentences = [f"{chosen}: {count(n_query, 'query', 'queries')}, {count(n_key, 'key', 'keys')}."]
        if single and self._aligned:
            far, later = self._facts["look_back"][layer][head], self._facts["later"][layer][head]
            distance = format_number(abs(far))
            looks = f"looks {'back' if far > 0 else 'ahead'} {distance} tokens"
            looks = looks if float(distance) else "looks neither back nor ahead"
            share = f"{format_number(100 * later, 1)} %" if later else "none"
            sentences.append(f"It {looks} on average; {share} of its weight is on later tokens.")
        row = self.weights_on_page[self.query]
        token = f"“{spell(self.tokens[self.query])}” (query {self.query})"
        most = int(row.argmax())
        target = f"most to “{spell(self.key_tokens[most])}” (key {most}): {format_number(row[most], 3)}"
        sentences.append(f"{token} attends {target if row[most] > 0 else 'to nothing'}.")
        return " ".join([*sentences, self._odd_rows()]).rstrip()

    def alt_text(self) -> str:
        n_layers, n_heads, *_ = self._facts["shape"]
        look = {
            "grid": f"Attention weights of {n_layers} layers with {n_heads} heads each, as small heat maps",
            "matrix": "Attention weights as a heat map, queries down and keys across",
            "lines": "Attention weights as lines from the query tokens on the left to the key tokens on the right",
        }[self.view]
        words = [spell(token) for token in self.key_tokens[:12]]
        return f"{look}; keys: {', '.join(words)}{', …' if len(self.key_tokens) > 12 else ''}. {self.summary()}"

    # --------------------------------------------------------------------------------------------- the static twin

    def figure(self) -> Figure:
        draw = {"grid": self._draw_grid, "matrix": self._draw_matrix, "lines": self._draw_lines}[self.view]
        figure = draw()
        if odd := self._odd_rows():
            figure.text(0.01, 0.005, odd, size=8, color=NEGATIVE)
        return figure

    def _odd_rows(self) -> str:
        """A sentence on the rows that do not sum to 1, empty if there are none."""
        odd = self._facts["odd_rows"]
        n_layers, n_heads, n_query, _ = self._facts["shape"]
        here = f", {odd[self.layer][self.head]} of them here" if self.combine == "none" else ""
        total = sum(map(sum, odd))
        return f"Of all {n_layers * n_heads * n_query} rows, {total} do not sum to 1{here}." if total else ""

    def _visible(self, weights: np.ndarray, largest: np.ndarray | float) -> np.ma.MaskedArray:
        """Shares of full colour; later tokens, where the triangle is shown, are masked."""
        n_query, n_key = weights.shape
        later = ~np.tri(n_query, n_key, n_key - n_query, dtype=bool) & self.triangle
        shares = np.where(weights >= self.threshold, weights, 0) / np.where(np.asarray(largest) > 0, largest, 1)
        return np.ma.masked_array(shares, later)

    def _full_colour(self, weights: np.ndarray) -> np.ndarray | float:
        return {"head": weights.max(), "row": weights.max(axis=1, keepdims=True), "one": 1.0}[self.scale]

    def _legend(self, figure: Figure, axes: Axes, top: float = 0.0) -> None:
        words = {
            "head": "of the head's largest weight" + (f", {format_number(top, 3)}" if top else ""),
            "row": "of the row's largest weight",
            "one": "weight",
        }[self.scale]
        bar = figure.colorbar(ScalarMappable(Normalize(0, 1), COLOURS), ax=axes, shrink=0.5, pad=0.02)
        bar.set_ticks([0, 1], labels=["0", "1" if self.scale == "one" else "full"])
        bar.set_label(words, size=8)

    def _draw_grid(self) -> Figure:
        n_layers, n_heads, *_ = self._facts["shape"]
        pictures, largest = thumbnails(self._layers)
        rows, columns = pictures.shape[2:]
        shares = pictures / 255 * (largest[:, :, None, None] if self.scale == "one" else 1)
        if self.scale == "row":
            top = pictures.max(axis=3, keepdims=True)
            shares = pictures / np.where(top > 0, top, 1)
        shares = np.where(pictures / 255 * largest[:, :, None, None] >= self.threshold, shares, 0)
        order = sorted(range(n_layers * n_heads), key=self._place)
        mosaic = np.ma.masked_all((n_layers * (rows + 2), n_heads * (columns + 2)))
        for place, index in enumerate(order):
            down, across = (place // n_heads) * (rows + 2), (place % n_heads) * (columns + 2)
            mosaic[down : down + rows, across : across + columns] = shares[index // n_heads, index % n_heads]
        figure = Figure(figsize=(7, min(max(7 * mosaic.shape[0] / mosaic.shape[1], 1.6), 9)), facecolor="white")
        axes = figure.add_axes((0.07, 0.04, 0.82, 0.86))
        axes.imshow(mosaic, cmap=COLOURS, vmin=0, vmax=1, interpolation="nearest", aspect="auto")
        by_model = self.order == "model"
        steps = max(1, n_heads // 16), max(1, n_layers // 16)
        heads, layers = range(0, n_heads, steps[0]), range(0, n_layers, steps[1])
        axes.set_xticks([(columns + 2) * (h + 0.5) for h in heads], [f"{h}" if by_model else "" for h in heads])
        axes.set_yticks([(rows + 2) * (layer + 0.5) for layer in layers], [f"{i}" if by_model else "" for i in layers])
        axes.xaxis.tick_top()
        axes.set_xlabel("head" if by_model else "heads, from the one that looks back farthest", size=9)
        axes.xaxis.set_label_position("top")
        axes.set_ylabel("layer" if by_model else "", size=9)
        axes.tick_params(length=0, labelsize=8)
        self._legend(figure, axes)
        return figure

    def _place(self, index: int) -> tuple[float, int]:
        """The sort key of a head in the grid."""
        n_heads = self._facts["shape"][1]
        far = self._facts["look_back"][index // n_heads][index % n_heads]
        return (-far if self.order == "look back" else 0.0), index

    def _draw_matrix(self) -> Figure:
        _, _, n_query, n_key = self._facts["shape"]
        first_query, first_key, rows, columns = self.window or [0, 0, n_query, n_key]
        weights = self.weights_on_page
        shares = self._visible(weights, self._full_colour(weights))
        shares = shares[first_query : first_query + rows, first_key : first_key + columns]
        figure = Figure(figsize=(6.4, min(max(6.4 * rows / columns, 2.2), 8)), facecolor="white")
        axes = figure.add_axes((0.18, 0.04, 0.7, 0.76))
        smooth = "nearest" if rows < 300 else "auto"
        axes.imshow(shares, cmap=COLOURS, vmin=0, vmax=1, interpolation=smooth, aspect="auto")
        _label(axes.yaxis, self.tokens[first_query : first_query + rows], first_query)
        _label(axes.xaxis, self.key_tokens[first_key : first_key + columns], first_key)
        axes.xaxis.tick_top()
        axes.tick_params(axis="x", rotation=90)
        axes.set_ylabel("query", size=9)
        axes.set_xlabel("key", size=9)
        if rows * columns <= 144:
            for (row, column), share in np.ndenumerate(shares.filled(-1)):
                if share > 0:
                    number = format_number(weights[first_query + row, first_key + column])
                    ink = "white" if share > 0.55 else "black"
                    axes.text(column, row, number, ha="center", va="center", size=7, color=ink)
        self._legend(figure, axes, float(weights.max()))
        return figure

    def _draw_lines(self) -> Figure:
        _, _, n_query, n_key = self._facts["shape"]
        weights = self.weights_on_page
        shares = self._visible(weights, self._full_colour(weights)).filled(0)
        flat = np.argsort(shares, axis=None)[::-1][:400]
        pairs = np.stack(np.unravel_index(flat[shares.flat[flat] > 0], shares.shape), axis=1)
        height = min(max(0.2 * max(n_query, n_key), 1.8), 9)
        figure = Figure(figsize=(5.2, height), facecolor="white")
        axes = figure.add_axes((0.25, 0.04, 0.5, 0.92), xlim=(0, 1), ylim=(max(n_query, n_key) - 0.5, -0.5))
        ends = [((0, query + self._offset()), (1, key)) for query, key in pairs]
        chosen = pairs[:, 0] == self.query
        alphas = shares[pairs[:, 0], pairs[:, 1]] * np.where(chosen, 1.0, 0.25)
        axes.add_collection(LineCollection(ends, colors=WEIGHT, alpha=alphas, linewidths=np.where(chosen, 1.8, 1.0)))
        _label(axes.yaxis, self.tokens, 0, self._offset())
        right = axes.twinx()
        right.set_ylim(axes.get_ylim())
        _label(right.yaxis, self.key_tokens, 0)
        for one in (axes, right):
            one.set_xticks([])
            one.spines[:].set_visible(False)
        return figure

    def _offset(self) -> int:
        """On which line the first query stands: beside its own key, where there is one."""
        _, _, n_query, n_key = self._facts["shape"]
        return n_key - n_query if self._aligned else 0


def spell(token: str) -> str:
    """A token as it is shown: never empty, on one line, up to 24 characters.

    >>> spell("two\\nlines"), spell(" ")
    ('two⏎lines', '␣')
    """
    token = token.replace("\n", "⏎").replace("\t", "⇥")
    token = "".join("·" if unicodedata.category(letter) == "Cc" else letter for letter in token)
    token = token if len(token) <= 24 else token[:23] + "…"
    return token if token.strip() else "␣"


def count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


def _tokens(kind: str, tokens: Any, n: int, line: str) -> list[str]:
    if tokens is None:
        return [str(i) for i in range(n)]
    tokens = tokens.split() if isinstance(tokens, str) else list(tokens)
    wrong = [token for token in tokens if not isinstance(token, str)]
    expect(not wrong, f"{kind} tokens as strings", f"{wrong[:1]}")
    expect(len(tokens) == n, f"{n} {kind} tokens, one for each {line} of the weights", len(tokens))
    longest = max(tokens, key=len)
    expect(len(longest) <= LONGEST_TOKEN, f"tokens of up to {LONGEST_TOKEN} characters", f"one of {len(longest)}")
    return tokens


def _names(tokenizer: Any, ids: Any, batch: int, n: int) -> list[str]:
    """The tokens of one text; without the last one that was generated, which the model did not read."""
    expect(ids is not None, "the ids that the model was given (input_ids=…, decoder_input_ids=…)", "none")
    ids = ids.tolist() if hasattr(ids, "tolist") else list(ids)
    ids = ids[batch] if isinstance(ids[0], list) else ids
    return [str(token) for token in tokenizer.convert_ids_to_tokens(ids[:-1] if len(ids) == n + 1 else ids)]


def _label(axis: Any, tokens: list[str], first: int, offset: int = 0) -> None:
    """Tokens along an axis, or positions where there is no room for tokens."""
    step = 1 if len(tokens) <= 48 else -(-len(tokens) // 12)
    places = range(0, len(tokens), step)
    names = [spell(tokens[i])[:14] if step == 1 else str(first + i) for i in places]
    axis.set_ticks([place + offset for place in places], names, size=7.5, parse_math=False)
    axis.set_tick_params(length=0 if step == 1 else 2)
