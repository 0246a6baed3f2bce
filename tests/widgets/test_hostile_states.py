"""States that somebody sends on purpose do no harm: in a link, from Python, or in a saved page.

Links of junk are tested in `test_every_figure.py`. Here: text is never run, names that every object has are plain
names, and a page whose saved state is spoiled keeps its other figures. What does not fit its kind: `test_state.py`.
"""

import json

import pytest

from _ext.light_widgets import state_script
from harness.figure import ADDRESS, figure_of, page_html
from inorder.widgets import SameOrNot, interact, marks

# If any of these is ever run, `canary` is set.
EXECUTES = [
    "<img src=x onerror='window.canary=1'>",
    "<script>window.canary=1</script>",
    "\"><svg onload='window.canary=1'>",
    "</script><script>window.canary=1</script>",
    "${window.canary=1}",
    "]]><!--<iframe srcdoc='<script>parent.canary=1</script>'>",
]
NAMES = ["__proto__", "constructor", "toString"]
HARM = """() => [
  ...(window.canary === undefined ? [] : ["executed"]),
  ...("polluted" in {} ? ["a prototype is polluted"] : []),
  ...[...document.querySelectorAll(".inorder-view :is(img, script, iframe, [onload])")].map((e) => e.outerHTML),
]"""


def hostile_words(constructor: int = 1, toString: str = "none", valueOf: bool = True) -> list[marks.Mark]:
    """<img src=x onerror='window.canary=1'> and names that every object has."""
    bars = marks.bars([constructor, 1, 1 + valueOf], [*EXECUTES[:2], toString], axis=EXECUTES[2])
    return [
        bars,
        marks.table({EXECUTES[3]: [EXECUTES[3]]}),
        marks.answer(f"{constructor} {EXECUTES[0]} {toString} {valueOf}.", "✓"),
    ]


def test_words_and_names_of_an_enemy_are_only_text(mount):
    options = ["none", *EXECUTES, *NAMES]
    figure = mount(interact(hostile_words, constructor=(0, 3), toString=options, valueOf=True))
    for option in options:
        figure.drive(constructor=2, toString=option, valueOf=False)
        assert figure.summary.inner_text().startswith(f"2 {EXECUTES[0]} {option} False.")
        figure.follow({"constructor": 3, "toString": option, "valueOf": True, "__proto__": {"polluted": 1}})
        assert figure.summary.inner_text().startswith(f"3 {EXECUTES[0]} {option} True.")
    assert figure.page.evaluate(HARM) == []


SPOIL = {
    "no object": lambda models, model: models.update({model: None}),
    "a prototype": lambda models, model: models[model].update(
        buffers=[{"path": ["__proto__", "polluted"], "data": "AAAA"}]
    ),
    "limits that fit nothing": lambda models, model: models[model]["state"].update(limits={NAMES[0]: EXECUTES[0]}),
}


@pytest.mark.parametrize("spoil", SPOIL.values(), ids=SPOIL)
def test_a_spoiled_figure_says_so_and_the_next_one_lives(browser, spoil):
    figure, neighbour = figure_of("SoftLookup"), SameOrNot("a b c")
    before, script = page_html(figure, beside=[neighbour]).split('<script id="state">')
    script, after = script.split("</script>", maxsplit=1)
    state = json.loads(json.loads(script.partition("=")[2]))
    spoil(state["models"], figure.model_id)
    text = json.dumps(state).replace("</", "<\\/").replace("<!--", "<\\u0021--")
    page = browser.new_page()
    page.route("**/*", lambda route: route.fulfill(content_type="text/html", body=html))
    html = f'{before}<script id="state">{state_script(text)}</script>{after}'
    page.goto(ADDRESS)
    page.locator("#figure-2 .inorder-summary").wait_for()
    first = page.locator("#figure-1")
    first.locator(".inorder-summary, :scope > [role=alert]").first.wait_for(state="attached")
    assert page.evaluate(HARM) == []
    page.locator("#figure-2").get_by_role("switch").first.click()
    page.close()
