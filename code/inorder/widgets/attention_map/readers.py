"""What AttentionMap takes: tokens, and the outputs of other people's models and of ours."""

from typing import Any

from inorder._arrays import expect
from inorder.transformer import LayerState
from inorder.widgets.attention_map.arrays import transformers_kinds, transformers_layers
from inorder.widgets.attention_map.words import token_names

LONGEST_TOKEN = 200


def take_tokens(kind: str, tokens: Any, n: int, line: str) -> list[str]:
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
    return token_names(tokenizer, ids[:-1] if len(ids) == n + 1 else ids)


def of_transformers(
    outputs: Any,
    tokens: Any,
    key_tokens: Any,
    input_ids: Any,
    decoder_input_ids: Any,
    attention: str | None,
    batch: int,
) -> tuple[list[Any], Any, Any, bool]:
    """Weights, tokens and key tokens of what a model of transformers returned; and is it cross-attention?"""
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
        if attention == "cross" and key_tokens is None:
            key_tokens = _names(tokens, key_ids, batch, n_key)
        tokens = _names(tokens, ids, batch, n_query if attention == "cross" else n_key)
    if attention == "cross" and key_tokens is None:
        key_tokens = [str(i) for i in range(n_key)]
    return layers, tokens, key_tokens, attention == "cross"


def of_inorder(states: Any, batch: Any) -> list[Any]:
    """The weights of one text, of what `inorder.transformer.layer_states` computes."""
    states = [states] if isinstance(states, LayerState) else list(states)
    expect(all(isinstance(state, LayerState) for state in states), "the states of layer_states", "something else")
    layers = [state.weights[batch] for state in states]
    shape = tuple(layers[0].shape) if layers else ()
    expect(len(shape) == 3, "one text: weights (head, query, key) once batch is taken", f"shape {shape}")
    return layers
