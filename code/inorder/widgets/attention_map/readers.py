"""What AttentionMap takes: tokens, and the outputs of other people's models and of ours."""

from itertools import compress
from typing import Any

from inorder._arrays import expect
from inorder.transformer import LayerState
from inorder.widgets._mark_checks import with_half_characters
from inorder.widgets.attention_map.arrays import OTHER_LAYOUTS, transformers_kinds, transformers_layers
from inorder.widgets.attention_map.words import token_names

LONGEST_TOKEN = 200


def take_tokens(kind: str, tokens: Any, n: int) -> list[str]:
    if tokens is None:
        return [str(i) for i in range(n)]
    tokens = tokens.split() if isinstance(tokens, str) else list(tokens)
    wrong = [token for token in tokens if not isinstance(token, str)]
    expect(not wrong, f"{kind} tokens as strings", f"{wrong[:1]}")
    halves = with_half_characters(tokens)
    expect(not halves, f"{kind} tokens of whole characters", f"{halves[:1]}, which has half of one (a lone surrogate)")
    expect(len(tokens) == n, f"{n} tokens, one for each {kind}", len(tokens))
    longest = max(tokens, key=len)
    expect(len(longest) <= LONGEST_TOKEN, f"tokens of up to {LONGEST_TOKEN} characters", f"one of {len(longest)}")
    return tokens


def _of_text(name: str, rows: Any, batch: int, n_texts: int, *, several: bool = False) -> list[Any]:
    """The row of one text, of (text, token) or of one text's (token,); several: each may have become several texts."""
    advice = f": pass its .{name}" if hasattr(rows, "input_ids") else ""
    listed: Any = rows.tolist() if hasattr(rows, "tolist") else list(rows) if isinstance(rows, list | tuple) else None
    expect(listed, f"{name} of shape (text, token)", f"{type(rows).__name__}{advice}")
    if not isinstance(listed[0], list):
        return listed
    fits = len(listed) == n_texts or (several and n_texts % len(listed) == 0)
    expect(fits, f"{name} of {n_texts} texts, as the attentions are of", len(listed))
    return listed[batch * len(listed) // n_texts]


def _names(
    tokenizer: Any, ids: Any, batch: int, n_texts: int, n: int, *, generated: bool = False, several: bool = False
) -> list[str]:
    """The tokens of one text; without the last one that was generated, which the model did not read."""
    expect(ids is not None, "the ids that the model was given (input_ids=…, decoder_input_ids=…)", "none")
    ids = _of_text("input_ids", ids, batch, n_texts, several=several)
    ids = ids[:-1] if generated and len(ids) == n + 1 else ids
    expect(len(ids) == n, f"ids of the {n} tokens of the weights", len(ids))
    return token_names(tokenizer, ids)


def of_transformers(
    outputs: Any,
    tokens: Any,
    key_tokens: Any,
    input_ids: Any,
    decoder_input_ids: Any,
    attention_mask: Any,
    attention: str | None,
    batch: int,
) -> tuple[list[Any], Any, Any, bool]:
    """Weights, tokens and key tokens of what a model of transformers returned; and is it cross-attention?"""
    is_bare = isinstance(outputs, tuple) and not hasattr(outputs, "attentions") and not hasattr(outputs, "_fields")
    expect(not is_bare, "the outputs of a model; of weights alone, make AttentionMap(weights, tokens)", "a tuple")
    kinds = transformers_kinds(outputs)
    if attention is None and len(kinds) == 1:
        (attention,) = kinds
    expect(attention in kinds, f"attention to be one of {', '.join(kinds)}", repr(attention))
    other = next((name for name in OTHER_LAYOUTS if hasattr(outputs, name)), None)
    fits = other is None or attention in ("decoder", "cross")
    expect(fits, "attentions (text, head, query, key)", f"those of windows, as outputs with {other} have them")
    attentions = kinds[str(attention)]
    layers = transformers_layers(attentions, batch, kind=str(attention))
    first: Any = attentions[0][0] if isinstance(attentions[0], list | tuple) else attentions[0]
    n_texts, (_, n_query, n_key) = first.shape[0], layers[0].shape
    cache: Any
    generated, cache = getattr(outputs, "sequences", None), getattr(outputs, "past_key_values", None)
    if attention in ("self", "decoder") and hasattr(cache, "get_seq_length"):
        n = cache.get_seq_length()
        expect(n_key == n, f"keys of all {n} tokens that the model has read (no sliding window)", n_key)
    hidden: Any = getattr(outputs, "last_hidden_state", None)
    hidden = getattr(outputs, "logits", None) if hidden is None else hidden
    if attention == "self" and generated is None and len(getattr(hidden, "shape", ())) > 2:
        got = f"{n_texts} windows"
        expect(n_texts == hidden.shape[0], f"attentions of the {hidden.shape[0]} texts (or images)", got)
    if hasattr(tokens, "convert_ids_to_tokens"):
        ids, key_ids = input_ids, None
        if attention == "self":
            ids = input_ids if generated is None else generated
        elif attention in ("decoder", "cross"):
            ids = decoder_input_ids if generated is None else generated
            key_ids = input_ids if attention == "cross" else None
        if attention == "cross" and key_tokens is None:
            key_tokens = _names(tokens, key_ids, batch, n_texts, n_key, several=generated is not None)
        is_made = generated is not None and attention != "encoder"
        n = n_query if attention == "cross" else n_key
        tokens = _names(tokens, ids, batch, n_texts, n, generated=is_made)
    if attention == "cross" and key_tokens is None:
        key_tokens = [str(i) for i in range(n_key)]
    if attention_mask is not None:
        expect(attention != "decoder", "attention_mask of the keys, which are the encoder's", "the decoder's attention")
        keep = _of_text("attention_mask", attention_mask, batch, n_texts, several=generated is not None)
        wrong = [one for one in keep if one not in (0, 1)]
        expect(not wrong, "attention_mask of 1 for a token and 0 for padding", wrong[:1])
        keep = [one == 1 for one in keep]
        if generated is not None and attention == "self" and len(keep) == n_key - len(attentions) + 1:  # the prompt's
            keep += [True] * (n_key - len(keep))
        expect(len(keep) == n_key and any(keep), f"attention_mask of {n_key} tokens, one or more of them 1", keep)
        n_past = 0 if attention == "cross" else n_key - n_query
        rows = [True] * n_query if attention == "cross" else keep[n_past:]
        expect(any(rows), "attention_mask with a query that is no padding", "padding alone")
        layers = [layer[:, rows][:, :, keep] for layer in layers]
        if attention == "cross":
            key_tokens = list(compress(take_tokens("key", key_tokens, n_key), keep))
        else:
            tokens = list(compress(take_tokens("key", tokens, n_key), keep))
    return layers, tokens, key_tokens, attention == "cross"


def of_inorder(states: Any, batch: Any) -> list[Any]:
    """The weights of one text, of what `inorder.transformer.layer_states` computes."""
    states = [states] if isinstance(states, LayerState) else list(states)
    expect(all(isinstance(state, LayerState) for state in states), "the states of layer_states", "something else")
    layers = [state.weights[batch] for state in states]
    shape = tuple(layers[0].shape) if layers else ()
    expect(len(shape) == 3, "one text: weights (head, query, key) once batch is taken", f"shape {shape}")
    return layers
