"""Every figure for a reader who can't see: the tree for a screen reader, the keyboard, what is said after a change."""

from collections import Counter

import numpy as np
import pytest

import inorder.widgets
from harness.figure import MountedFigure, figure_of
from inorder.widgets import interact, marks

OPEN = "figure => figure.querySelectorAll('details').forEach(fold => { fold.open = true })"
# So that the test need not wait until a reader has stopped: a hundred times as fast.
HURRY = "const wait = setTimeout; window.setTimeout = (f, ms, ...more) => wait(f, ms / 100, ...more)"
CONTROLS = {"application", "button", "checkbox", "combobox", "radio", "slider", "spinbutton", "switch", "textbox"}
NAMED = CONTROLS | {"grid", "group", "image", "list", "region", "DisclosureTriangle"}
SIGNS = set("=≠✓×●◆■▲→←↓‹›")  # alone, they are read as "times", or not at all
CONTROL = "button, input, select, [tabindex]:not(section, [role=region], .inorder-heads)"
# What Tab reaches is one of a group: arrows do the rest.
ONE_OF_A_GROUP = "control => control.type === 'radio' || control.tabIndex < 0"

STEP = "(figure, reached) => { const at = document.activeElement; reached.add(at); return figure.contains(at) }"


def everything(choice="a wave"):
    """All marks?"""
    t = np.linspace(0, 1, 30)
    plane = marks.lines(t, {"wave": np.sin(6 * t) if choice == "a wave" else np.cos(6 * t)}, axes=("t", ""))
    places = marks.points([[0.1, 0.2], [0.3, 0.4]], ["one", "two"], actor="key")
    cells = marks.heat_map(np.outer(t, t), limits=(0, 1))
    few = marks.heat_map(np.eye(2), rows=["cat", "dog"], columns=["cat", "dog"], limits=(0, 1))
    return plane, places, cells, few, marks.table({"n": np.arange(2)}, rows=["first", "second"]), marks.text("Words.")


FIGURES = {name: lambda name=name: figure_of(name) for name in inorder.widgets.__all__}
FIGURES["all marks"] = lambda: interact(everything, choice=["a wave", "another"])


DRAWN = "[...document.querySelectorAll('.inorder-stage, .inorder-summary')].some((part) => part.textContent)"


@pytest.fixture(scope="module", params=FIGURES)
def figure(pages, request):
    """The figure with its folds open, all that arrives late there, and its clocks fast; once for the tests below."""
    pages.trouble.clear()
    result = MountedFigure(pages(viewport={"width": 1008, "height": 900}), FIGURES[request.param]())
    result.page.wait_for_function(DRAWN)
    result.figure.evaluate(OPEN)
    result.page.evaluate(HURRY)
    result.page.wait_for_timeout(150)
    yield result
    assert pages.trouble == []


def tree(page):
    """The nodes that a screen reader is given, each with its role, its name and the place in the tree that names it."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    by_id = {node["nodeId"]: node for node in nodes}
    text = {key: lambda node, key=key: (node.get(key) or {}).get("value", "") for key in ("role", "name")}

    def walk(node, role, inside):
        """``inside``: the ids of the named parts around it, the innermost last."""
        mine, name = text["role"](node), text["name"](node)
        if not node["ignored"] and mine not in ("none", "generic", "InlineTextBox"):
            yield {"role": mine, "name": name, "parent": role, "inside": inside}
            role = mine
            if name and mine in NAMED:
                inside = (*inside, (mine, name))
        if mine != "image":  # a leaf to a screen reader
            for child in node.get("childIds", []):
                yield from walk(by_id[child], role, inside)

    return list(walk(next(node for node in nodes if text["role"](node) == "main"), "", ()))


def test_every_part_has_a_name_of_its_own(figure):
    nodes = tree(figure.page)
    assert len(nodes) > 10

    # a fold is a group whose summary is its name
    folds = [node for i, node in enumerate(nodes[:-1]) if nodes[i + 1]["role"] == "DisclosureTriangle"]
    nameless = [node for node in nodes if node["role"] in NAMED and not node["name"].strip()]
    assert [node for node in nameless if node not in folds] == []

    controls = Counter((node["inside"], node["role"], node["name"]) for node in nodes if node["role"] in CONTROLS)
    assert [control for control, times in controls.items() if times > 1] == []

    # words that stand alone; in a control or a header they are part of its name
    texts = [node["name"].strip() for node in nodes if node["role"] == "StaticText" and node["parent"] not in CONTROLS]
    assert [text for text in texts if text in SIGNS] == []

    # two places speak: the figure's answer and what it has to notify
    assert [node["role"] for node in nodes if node["role"] in ("status", "alert", "log")] == ["status", "status"]

    tables = figure.figure.locator("table, [role=grid]").evaluate_all(
        "all => all.map((one) => one.querySelectorAll('th, [role$=header]').length)"
    )
    assert all(tables)


def test_tab_reaches_every_control_and_leaves(figure):
    page = figure.page
    reached = figure.figure.evaluate_handle("() => new Set()")
    for _ in range(120):
        page.keyboard.press("Tab")
        inside = figure.figure.evaluate(STEP, reached)
        if not inside:
            break
    assert not inside, "Tab does not lead out"
    missed = figure.figure.evaluate(
        f"""(figure, reached) => [...figure.querySelectorAll("{CONTROL}")]
          .filter((control) => control.checkVisibility() && !control.disabled && !reached.has(control))
          .filter((control) => !({ONE_OF_A_GROUP})(control))
          .map((control) => control.outerHTML)""",
        reached,
    )
    assert missed == []


def change(page, control):
    """By keyboard; False where there is nothing to change."""
    kind = control.evaluate("c => c.type === 'text' ? 'text' : c.getAttribute('role') ?? c.type")
    control.focus()
    if kind in ("range", "slider", "number"):
        before = control.evaluate("c => c.value ?? c.getAttribute('aria-valuetext')")
        page.keyboard.press("ArrowUp")
        if control.evaluate("c => c.value ?? c.getAttribute('aria-valuetext')") == before:  # it stood at its end
            page.keyboard.press("ArrowDown")
    elif kind == "select-one":
        before = control.input_value()
        page.keyboard.press("ArrowDown")
        if control.input_value() == before:
            page.keyboard.press("ArrowUp")
    elif kind == "radio":
        if control.is_checked():
            return False
        page.keyboard.press("Space")
    elif kind in ("checkbox", "switch"):
        page.keyboard.press("Space")
    elif kind == "application":
        page.keyboard.press("ArrowRight")
    elif kind == "gridcell" and control.evaluate("c => c.closest('[aria-readonly=false]') !== null"):
        page.keyboard.press("+")
    else:
        return False
    return True


TOLD = """async (control) => {
  for (let frame = 0; frame < 60; frame += 1) {
    if (heard.length || control.ariaInvalid === "true") return true;
    await new Promise(requestAnimationFrame);
  }
  return false;
}"""


def test_a_change_is_told(figure):
    """What is typed and pressed has tests of its own; here, all that is set."""
    page, root = figure.page, figure.figure
    page.evaluate(
        """() => {
          window.heard = [];
          const live = "[role=status], [aria-live=polite]";
          const told = new MutationObserver((changes) => changes.forEach(({ target }) => {
            const element = target.nodeType === Node.TEXT_NODE ? target.parentElement : target;
            const said = element?.closest(live)?.textContent;
            if (said) heard.push(said);
          }));
          told.observe(document.querySelector("main"), { childList: true, characterData: true, subtree: true });
        }"""
    )
    controls = root.locator(CONTROL)
    untold, asked = [], 0
    for i in range(controls.count()):
        control = controls.nth(i)
        if i >= controls.count() or not control.evaluate("c => c.checkVisibility() && !c.disabled && c.tabIndex >= 0"):
            continue
        page.evaluate("heard.length = 0")
        if not change(page, control):
            continue
        asked += 1
        if not control.evaluate(TOLD):
            untold.append(control.evaluate("c => c.outerHTML + c.value"))
    assert asked
    assert untold == []
