"""The figure's sentences; those of TEMPLATES are filled in on the page, too, by words.js."""

from typing import TYPE_CHECKING

import numpy as np

from inorder.widgets.kit.twin import ROUNDING, format_difference, listed

if TYPE_CHECKING:
    from inorder.widgets.prompt_order_lab.figure import PromptOrderLab


DISTANCE = "total variation distance ½ Σ |p − q|"
TEMPLATES = {
    "equal": f"Equal: {DISTANCE} = 0, exactly.",
    "rounding": f"Equal up to rounding: {DISTANCE} = 0.",
    "different": f"Different: {DISTANCE} = {{distance}}.",
    "unmoved": "Both prompts read “{prompt}”: move a token.",
    "one_layer": "“{token}” is last in both and finds the same keys and values in another order: a sum has no order.",
    "every_layer": (
        "“{token}” is last in both and in every layer finds the same keys and values in another order: "
        "a sum has no order."
    ),
    "rounded_away": "The prompts diverge in layer {layer}, but the outputs don’t show it.",
    "queries": "“{first}” is last in the first and “{second}” in the second: a different query.",
    "positions": "“{token}” is last in both, but the positions ({scheme}) make the {parts} differ in layer 0.",
    "mask": (
        "“{token}” is last in both. In layer {before} the {mask} mask let {changed} see different tokens; "
        "layer {layer} notices."
    ),
    "order": "“{token}” is last in both. In layer {before} the order has changed {changed}; layer {layer} notices.",
    "same_prompt": "the same in both prompts",
    "same_set": "the same vectors in another order",
    "differs": "{parts} differs",
    "differ": "{parts} differ",
    "part_here": "here the prompts diverge: {words}",
}


def verdict(lab: "PromptOrderLab") -> str:
    first, second = lab.prompts
    word = "equal" if first == second else "rounding" if lab.distance <= ROUNDING else "different"
    return lab.say(word, distance=format_difference(lab.distance))


def reason(lab: "PromptOrderLab", label: str) -> str:
    """Why the two prompts are told apart, or why not. ``label`` names the position scheme."""
    first, second = lab.prompts
    if first == second:
        return lab.say("unmoved", prompt=" ".join(first))
    parted, token = lab.parted_at, first[-1]
    if parted is None:
        return lab.say("one_layer" if lab.depth == 1 else "every_layer", token=token)
    if lab.distance <= ROUNDING:
        return lab.say("rounded_away", layer=parted)
    if token != second[-1]:
        return lab.say("queries", first=token, second=second[-1])
    comparison = lab.comparisons[parted]
    if parted == 0:
        return lab.say("positions", token=token, scheme=label, parts=listed(comparison.differing()))
    changed = [second[j] for j in np.flatnonzero(np.maximum(comparison.key, comparison.value) > ROUNDING)]
    names = listed([f"“{name}”" for name in lab.vocabulary if name in changed])
    sentence = "mask" if lab.position == "none" else "order"
    return lab.say(sentence, token=token, before=parted - 1, mask=lab.mask, changed=names, layer=parted)


def layer_words(lab: "PromptOrderLab", layer: int) -> str:
    first, second = lab.prompts
    differing = lab.comparisons[layer].differing()
    if not differing:
        return lab.say("same_prompt" if first == second else "same_set")
    words = lab.say("differs" if differing == ["query"] else "differ", parts=listed(differing))
    return lab.say("part_here", words=words) if layer == lab.parted_at else words
