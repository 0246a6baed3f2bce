"""AttentionMap: the attention of a whole model, layers × heads × queries × keys: all heads, and one as lines."""

from pathlib import Path
from typing import Any

import numpy as np
import traitlets
from matplotlib.figure import Figure

from inorder._arrays import expect
from inorder.widgets.attention_map.arrays import as_layers, largest_of_blocks, pack_head
from inorder.widgets.attention_map.packing import asked_for, exact, facts, on_page, packed
from inorder.widgets.attention_map.readers import of_inorder, of_transformers, take_tokens
from inorder.widgets.attention_map.words import TEMPLATES, count, note, spell
from inorder.widgets.interact.twin import still
from inorder.widgets.kit.figure import InteractiveFigure
from inorder.widgets.kit.state import InvalidState, boolean, choice, integer, integers, real
from inorder.widgets.kit.twin import format_number
from inorder.widgets.marks import heat_map

BUDGET = 2_000_000  # bytes of weights that travel with the figure
MOST_IN_STILL = 48  # rows and columns; of a larger head, blocks


class AttentionMap(InteractiveFigure):
    """Attention weights A (layer, head, query, key) of any model: all heads, and one of them as lines or a matrix.

    What the page receives: a thumbnail of every head, and the heads themselves as far as ``budget`` reaches, the chosen
    one first. A head beyond it is fetched from the kernel when it is looked at; on a page without a kernel its
    thumbnail takes its place, and the figure says so. The page keeps a weight as a share of the largest in its row: in
    16 bits (off by at most 1/131,070 of that largest) where there are up to 262,144 weights in all, else in 8 bits
    (1/510). ``weights`` in Python is exact.

    Layers, heads, queries and keys are counted from 0, as in the array. Float32 and float64 weights are not copied; the
    figure holds them, and answers the page from them, until it is closed: ``figure.close()``.

    Args:
        weights: array or tensor (layer, head, query, key), leading axes may be missing; or a list of layers, each
            (head, query, key). Any float type, any device, with or without gradients.
        tokens: the query tokens, strings of up to 200 characters, or one string to be cut at its spaces. By default
            their positions.
        key_tokens: the key tokens, if they differ: those of another text (cross-attention), or more of the same one (a
            cache). By default the query tokens.
        aligned: are queries and keys tokens of one text, the last query at the last key? By default, they are if no
            key_tokens are given, and as many keys as queries. Only then are there later tokens, a causal triangle, and
            a distance to look back.
        budget: bytes of weights, compressed, that travel with the figure. (In a page's HTML, a third more.)
        view: of the chosen head, "lines" or "matrix".
        layer, head, query, key: what is chosen. By default the first of each; of a causal head the last query and the
            key to which it gives most.
        combine: "none" (one head), "mean" or "max" (of the layer's heads, cell by cell).
        threshold: weights below it are left blank.
        triangle: hatch the later tokens? By default, if no weight is on them.
        scale: full colour is the largest weight of the "head", of its "row", or "one". By default the head's, but the
            row's if there are more than 64 keys, because the first tokens of a long text have few keys to share their
            weight. It is at least twice an equal share, so that a uniform head is pale.
        order: of the grid, as in the "model", or by how far heads "look back".
        window: the part of the matrix in sight, [first query, first key, queries, keys]; [] is all of it.

    Raises:
        ValueError: weights that can't be attention weights (NaN, negative, no numbers, an empty axis, layers of
            different shapes), tokens that do not fit them, more than 4,096 tokens; a state that does not exist. Rows
            that do not sum to 1 are shown, and marked.

    >>> weights = np.tril(np.ones((2, 3, 4, 4))) / np.arange(1, 5)[:, None]
    >>> figure = AttentionMap(weights, "dogs bite old men", layer=1, head=2, query=3)
    >>> figure.summary()
    '“men” (query 3) gives 0.250 of its weight to “dogs” (key 0).'
    >>> figure.note()
    'Layer 1, head 2 looks back 0.75 tokens on average; none of its weight is on later tokens.'
    >>> AttentionMap(weights, "dogs bite men")
    Traceback (most recent call last):
    ...
    ValueError: expected 4 tokens, one for each query, got 3
    """

    folder = Path(__file__).parent

    title = traitlets.Unicode("Which head does what?").tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    key_tokens = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    data = traitlets.Dict(read_only=True).tag(sync=True)
    templates = TEMPLATES
    view = choice("lines", ["lines", "matrix"])
    layer = integer(0, low=0)
    head = integer(0, low=0)
    query = integer(0, low=0)
    key = integer(0, low=0)
    combine = choice("none", ["none", "mean", "max"])
    threshold = real(0, low=0, high=1)
    triangle = boolean(False)
    scale = choice("head", ["head", "row", "one"])
    order = choice("model", ["model", "look back"])
    window = integers(low=0)

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
        query_tokens, tokens = tokens, take_tokens("query", tokens, n_query)
        self._aligned = key_tokens is None and n_query == n_key if aligned is None else aligned
        expect(not self._aligned or n_key >= n_query, f"aligned keys, at least as many as the {n_query} queries", n_key)
        if key_tokens is not None or n_key == n_query:
            key_tokens = take_tokens("key", tokens if key_tokens is None else key_tokens, n_key)
        else:
            expect(
                query_tokens is None, f"key_tokens for the {n_key} keys, which are not the {n_query} queries", "none"
            )
            key_tokens = take_tokens("key", None, n_key)
        self._facts = facts(self._layers, tolerance, aligned=self._aligned)
        is_causal = self._aligned and n_query > 1 and not any(map(any, self._facts["later"]))
        # Under a causal mask the first row looks at itself alone, and the last has the most to choose from.
        last = {"query": n_query - 1} if is_causal else {}
        state = {"triangle": is_causal, "scale": "head" if n_key <= 64 else "row"} | last | state
        self._words, self._budget = (tokens, key_tokens), budget
        counts = {"layer": len(self._layers), "head": n_heads, "query": n_query, "key": n_key}
        super().__init__(limits={name: {"high": n - 1} for name, n in counts.items()}, **state)
        if is_causal and "key" not in state:
            self.key = int(self.weights[self.query].argmax())
            self.set_trait("initial_state", self.state)
        self.on_msg(self._answer)

    @traitlets.default("tokens")
    def _query_words(self) -> list[str]:
        return self._words[0]

    @traitlets.default("key_tokens")
    def _key_words(self) -> list[str]:
        return self._words[1]

    @traitlets.default("data")
    def _what_travels(self) -> dict[str, Any]:
        return self._facts | packed(self._layers, self._facts["bits"], self._chosen, self._budget)

    @classmethod
    def from_transformers(
        cls,
        outputs: Any,
        tokens: Any = None,
        key_tokens: Any = None,
        *,
        input_ids: Any = None,
        decoder_input_ids: Any = None,
        attention_mask: Any = None,
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
            tokens: strings; or the tokenizer, which names the tokens of ``input_ids`` and ``decoder_input_ids``; or
                None, and they are numbered. For cross-attention, ``tokens`` are the decoder's and ``key_tokens`` the
                encoder's: names for what has no ids (frames of sound, patches of an image), or else those of
                ``input_ids``.
            input_ids, decoder_input_ids: what the model was given, (batch, token); not needed for what was generated.
            attention_mask: as the model was given it, (batch, token), 0 for padding, which is then left out of the
                figure. Of a generation it is the prompt's; of cross-attention, the encoder's.
            attention: "encoder", "decoder" or "cross" of an encoder-decoder; "self" or "cross" of a decoder with both.
            batch: which text of the batch.
            **options: as of `AttentionMap`.

        Raises:
            ValueError: as `AttentionMap`; no attentions in the outputs; more than one kind and no choice; the outputs
                of a beam search; a tokenizer without ids; a model with windows (Longformer, LED, Swin), with layers
                that have no attention, or with a sliding window that the text is longer than, in a generation.
        """
        layers, tokens, key_tokens, is_cross = of_transformers(
            outputs, tokens, key_tokens, input_ids, decoder_input_ids, attention_mask, attention, batch
        )
        return cls(layers, tokens, key_tokens, **options) if is_cross else cls._of_one_text(layers, tokens, **options)

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
        return cls._of_one_text(of_inorder(states, batch), tokens, **options)

    @classmethod
    def _of_one_text(cls, layers: list[Any], tokens: Any, **options: Any) -> "AttentionMap":
        """Self-attention whose queries are the last tokens of the keys: all of them, unless there was a cache."""
        _, n_query, n_key = layers[0].shape
        key_tokens = take_tokens("key", tokens, n_key)
        return cls(layers, key_tokens[n_key - n_query :], key_tokens, **{"aligned": True} | options)

    # ---------------------------------------------------------------------------------------------------- the state

    def check_together(self, state: dict[str, Any]) -> None:
        super().check_together(state)
        if not self._aligned and state["triangle"]:
            raise InvalidState("triangle must be False where queries and keys are not aligned")
        if not self._aligned and state["order"] != "model":
            raise InvalidState('order must be "model" where queries and keys are not aligned')
        window, shape = state["window"], self._facts["shape"][2:]
        fits = len(window) == 4 and all(
            n >= 1 and first + n <= most for first, n, most in zip(window[:2], window[2:], shape, strict=True)
        )
        if window and not fits:
            raise InvalidState(
                f"window must be [first query, first key, queries, keys] inside {shape[0]} × {shape[1]}, got {window}"
            )

    def __repr__(self) -> str:
        n_layers, n_heads, n_query, n_key = self._facts["shape"]
        sizes = f"{count(n_layers, 'layer')} × {count(n_heads, 'head')} × {n_query} queries × {count(n_key, 'key')}"
        return f"AttentionMap({sizes}; layer={self.layer}, head={self.head}, query={self.query}, key={self.key})"

    @property
    def layers(self) -> list[np.ndarray]:
        """All weights, exact: (head, query, key) for each layer."""
        return self._layers

    @property
    def weights(self) -> np.ndarray:
        """The weights (query, key) of what is chosen, exact: of one head, or the mean or the largest of the layer's."""
        return exact(self._layers, *self._chosen)

    @property
    def _chosen(self) -> tuple[int, str]:
        """Layer and name of what is chosen: (3, "5") or (3, "mean")."""
        return self.layer, str(self.head) if self.combine == "none" else self.combine

    @property
    def weights_on_page(self) -> np.ndarray:
        """The same, to the precision that the page keeps: what the figure's numbers are."""
        return on_page(self._layers, self._facts["bits"], self.data["heads"], *self._chosen)

    def _answer(self, _: Any, content: Any, buffers: Any) -> None:
        """The page asks for heads that it does not have."""
        n_layers, n_heads, *_ = self._facts["shape"]
        for layer, name in asked_for(content, n_layers, n_heads):
            head = pack_head(exact(self._layers, layer, name), self._facts["bits"])
            self.send({"head": f"{layer}/{name}"}, buffers=[head])

    # -------------------------------------------------------------------------------------------------- the words

    def summary(self) -> str:
        row = self.weights_on_page[self.query]
        most = int(row.argmax())
        asks: dict[str, str | int] = {"token": spell(self.tokens[self.query]), "query": self.query}
        if not row[most] > 0:
            return self.say("nothing", **asks)
        answers: dict[str, str | int] = {"key_token": spell(self.key_tokens[most]), "key": most}
        return self.say("most", weight=format_number(row[most], 3), **asks, **answers)

    def note(self) -> str:
        """The smaller line below the answer: what is chosen, and where it looks."""
        return note(self._facts, self.layer, self.head, self.combine)

    def alt_text(self) -> str:
        n_layers, n_heads, *_ = self._facts["shape"]
        heads = f"{count(n_layers, 'layer')} with {count(n_heads, 'head')}{'' if n_layers == 1 else ' each'}"
        return (
            f"Attention weights of {heads}; the chosen one as a map, queries down and keys across. "
            f"{self.summary()} {self.note()}"
        )

    def figure(self) -> Figure:
        weights, n = self.weights_on_page, MOST_IN_STILL
        names = [[spell(token)[:14] for token in tokens] for tokens in (self.tokens, self.key_tokens)]
        if max(weights.shape) > n:
            weights, names = largest_of_blocks(weights[None], n)[0], [[], []]
        shown = heat_map(
            np.where(weights >= self.threshold, weights, 0),
            *(axis or None for axis in names),
            axes=("query", "key"),
            limits=(0, max(float(weights.max()), min(2 / self.weights.shape[1], 1))),
        )
        return still(self, shown)
