"""The words of AttentionMap: tokens as they are shown, and as a tokenizer of transformers names them."""

import unicodedata
from typing import Any

from inorder.widgets.kit.twin import format_number

# GPT-2's letters for the 256 bytes: printable ones stand for themselves, the others follow from Ā on.
_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
BYTES = {chr(byte): byte for byte in _PRINTABLE} | {chr(256 + i): byte for i, byte in enumerate(_OTHERS)}


TEMPLATES = {
    "nothing": "“{token}” (query {query}) gives nothing any weight.",
    "most": "“{token}” (query {query}) gives {weight} of its weight to “{key_token}” (key {key}).",
    "head": "Layer {layer}, head {head}",
    "mean": "Average of the {n_heads} heads of layer {layer}",
    "max": "Largest of the {n_heads} heads of layer {layer}, cell by cell",
    "back": "looks back {distance} tokens",
    "ahead": "looks ahead {distance} tokens",
    "neither": "looks neither back nor ahead",
    "looks": "{chosen} {looks} on average; {share} of its weight is on later tokens.",
    "odd_rows": "Of all {rows} rows, {odd} do not sum to 1.",
}


def say(sentence: str, **parts: str | int) -> str:
    return TEMPLATES[sentence].format(**parts)


def spell(token: str) -> str:
    """A token as it is shown: never empty, on one line, up to 24 characters.

    >>> spell("two\\nlines"), spell(" ")
    ('two⏎lines', '␣')
    """
    token = token.replace("\n", "⏎").replace("\t", "⇥")
    token = "".join("·" if unicodedata.category(letter) == "Cc" else letter for letter in token)
    token = token if len(token) <= 24 else token[:23] + "…"
    return token if token.strip() else "␣"


def count(n: int, one: str) -> str:
    return f"{n} {one}{'' if n == 1 else 's'}"


def note(facts: dict[str, Any], layer: int, head: int, combine: str) -> str:
    """What is chosen, where it looks, and how many rows do not sum to 1, if any. ``facts``: those of `packing`."""
    n_layers, n_heads, n_query, _ = facts["shape"]
    chosen = say("head" if combine == "none" else combine, layer=layer, head=head, n_heads=n_heads)
    sentence = f"{chosen}."
    if combine == "none" and facts["aligned"]:
        far, later = facts["look_back"][layer][head], facts["later"][layer][head]
        distance = format_number(abs(far))
        looks = say(("back" if far > 0 else "ahead") if float(distance) else "neither", distance=distance)
        share = f"{format_number(100 * later, 1)}%" if later else "none"
        sentence = say("looks", chosen=chosen, looks=looks, share=share)
    odd = sum(map(sum, facts["odd_rows"]))
    return f"{sentence} {say('odd_rows', rows=n_layers * n_heads * n_query, odd=odd)}" if odd else sentence


def token_names(tokenizer: Any, ids: list[int]) -> list[str]:
    """The tokens of these ids; those of a byte-level BPE as text, and bytes of no whole character as "<0xE7>"."""
    names = [str(token) for token in tokenizer.convert_ids_to_tokens(ids)]
    if not hasattr(tokenizer, "decode"):
        return names
    return [_as_text(tokenizer, token_id, name) for token_id, name in zip(ids, names, strict=True)]


def _as_text(tokenizer: Any, token_id: int, name: str) -> str:
    if not all(letter in BYTES for letter in name):
        return name
    spelled = bytes(BYTES[letter] for letter in name)
    text = spelled.decode(errors="replace")
    if text == name or tokenizer.decode([token_id], clean_up_tokenization_spaces=False) != text:
        return name  # as it is, or of a tokenizer whose letters are letters
    return text if "\ufffd" not in text else "".join(f"<0x{byte:02X}>" for byte in spelled)
