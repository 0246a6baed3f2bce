"""Old addresses lead on: a page at each address that a chapter has left, which sends the reader to where it is now.

The name of a chapter's file holds its number, so a new order gives new addresses. A link to an old one keeps what it
asks for: a place of the page, a figure in the state that it was shared in (``#figure?state``), ``?solutions=none``.
What has moved on to another chapter is found there. Without a script the page itself leads on, and names the chapter.
"""

import json
from pathlib import Path

from sphinx.application import Sphinx

from _ext.lean_page import scripts_in_page
from _ext.way import slug, title_of

SCRIPT = Path(__file__).parent / "redirects.js"
FORMER = [  # names that chapters once had; where one is now, its slug says
    "ch04_is_a_query_different_from_a_key",
    "ch05_the_block",
    "ch06_the_permutation_proof",
    "ch07_ab_against_ba",
    "ch08_what_a_causal_mask_knows",
    "ch09_counters_and_waves",
    "ch10_why_not_just_a_number",
    "ch11_heads_built_by_hand",
    "ch12_add_or_concatenate",
    "ch13_relative_position",
    "ch14_does_position_survive_the_layers",
    "ch15_learning_order",
    "ch16_longer_than_trained",
    "ch17_a_trained_model",
    "ch18_a_model_that_generates",
    "ch19_what_does_attention_cost",
    "ch20_who_else_knows_order",
]
MOVED = {  # {the slug that a place had: {the place: the slug that has it now}}
    "relative_position": dict.fromkeys(
        [
            "sec-rope",
            "equation-eq-rope",
            "thm-turn",
            "sec-pairings",
            "equation-eq-pairing",
            "fig-two-arrows",
            "fig-six-clocks",
            "interact-two-arrows-1",
            "interact-six-clocks-1",
        ],
        "rotary_position",
    )
}


def redirects(documents: list[str] | set[str]) -> dict[str, str]:
    """{an address without a page of the book: the page that it leads to}, without ``.html``."""
    now = {slug(document): document for document in documents if document.startswith("chapters/ch")}
    former = {f"chapters/{name}": now.get(slug(name)) for name in FORMER}
    return {old: new for old, new in former.items() if new and old not in documents}


def pages(app: Sphinx):
    (script,), policy = scripts_in_page(SCRIPT)
    now = {slug(document): document for document in app.env.found_docs}
    for old, new in redirects(app.env.found_docs).items():

        def address(document: str, old: str = old) -> str:
            return app.builder.get_relative_uri(old, document)

        moved = {place: address(now[to]) for place, to in MOVED.get(slug(old), {}).items() if to in now}
        context = {"to": address(new), "moved": json.dumps(moved), "chapter": title_of(app.env, new), "script": script}
        context["own_policy"] = policy if app.config.content_policy else None  # of this script, not of a page's two
        yield old, context, "redirect.html"


def setup(app: Sphinx):
    app.setup_extension("_ext.lean_page")
    app.connect("html-collect-pages", pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
