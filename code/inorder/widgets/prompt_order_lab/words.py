"""The figure's sentences, the same as in words.js."""

from typing import TYPE_CHECKING

import numpy as np

from inorder.widgets.kit.twin import ROUNDING, format_difference

if TYPE_CHECKING:
    from inorder.widgets.prompt_order_lab.figure import PromptOrderLab


def verdict(distance: float) -> str:
    words = "Equal" if distance == 0 else "Equal to rounding" if distance <= ROUNDING else "Different"
    number = "0, exactly" if distance == 0 else format_difference(distance)
    return f"{words}: total variation distance ½ Σ |p − q| = {number}"


def reason(lab: "PromptOrderLab", label: str) -> str:
    """Why the two prompts are told apart, or why not. ``label`` names the position scheme."""
    first, second = lab.prompts
    if first == second:
        return f"Both prompts read “{' '.join(first)}”: move a token."
    parted = lab.parted_at
    asks = f"“{first[-1]}” asks in both"
    if parted is None:
        where = "" if lab.depth == 1 else " in every layer"
        return f"{asks} and finds{where} the same keys and values in another order: a sum has no order."
    if lab.distance <= ROUNDING:
        return f"The prompts part in layer {parted}, but the outputs do not show it."
    if first[-1] != second[-1]:
        return f"“{first[-1]}” asks in the first and “{second[-1]}” in the second: another query."
    found = lab.comparisons[parted]
    if parted == 0:
        return f"{asks}, but the positions ({label}) make the {listed(found.differing())} differ in layer 0."
    changed = [second[j] for j in np.flatnonzero(np.maximum(found.key, found.value) > ROUNDING)]
    names = listed([f"“{token}”" for token in lab.vocabulary if token in changed])
    why = f"the {lab.mask} mask let {names} see different tokens"
    why = why if lab.position == "none" else f"the order has changed {names}"
    return f"{asks}. In layer {parted - 1} {why}; layer {parted} finds out."


def layer_words(lab: "PromptOrderLab", layer: int) -> str:
    first, second = lab.prompts
    found = lab.comparisons[layer]
    if not found.differing():
        return "the same in both prompts" if first == second else "the same set in another order"
    here = "here the prompts part: " if layer == lab.parted_at else ""
    return f"{here}{listed(found.differing())} differ{'s' if found.differing() == ['query'] else ''}"


def setting(lab: "PromptOrderLab", label: str) -> str:
    """How the model is switched."""
    mask = {"causal": "causal mask", "prefix": f"prefix mask over {lab.n_prefix}", "none": "no mask"}[lab.mask]
    positions = "no positions" if lab.position == "none" else f"positions ({label})"
    return f"{lab.depth} {'layer' if lab.depth == 1 else 'layers'}, {mask}, {positions}"


def next_words(lab: "PromptOrderLab") -> str:
    """Which token each prompt writes."""
    one, other = lab.next_tokens
    if one == other:
        return f"Next token after both: “{one}”."
    return f"Next token: “{one}” after the first prompt, “{other}” after the second."


def listed(words: list[str]) -> str:
    """
    >>> listed(["query", "keys", "values"])
    'query, keys and values'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
