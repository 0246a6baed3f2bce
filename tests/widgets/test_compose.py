"""A figure's folder as one module and one style sheet: scopes, imports, and what a later figure sees of a change."""

import pytest
import traitlets

from inorder.palette import DARK, LIGHT
from inorder.widgets import AttentionCalculator
from inorder.widgets.kit.compose import KIT_NAME, compose_module, compose_style, kit_module, kit_style, kits_of
from inorder.widgets.kit.figure import InteractiveFigure


def write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")


@pytest.fixture
def run(browser):
    """The default export of a module."""
    page = browser.new_page()
    yield lambda module: page.evaluate(
        "m => import(URL.createObjectURL(new Blob([m], { type: 'text/javascript' }))).then((it) => it.default)", module
    )
    page.close()


def test_each_file_has_a_scope_and_runs_once(tmp_path, run):
    write(
        tmp_path,
        view='import { b } from "./b.js";\nimport {\n  c as sea, count,\n} from "./c.js";\nconst own = 1;\n'
        "export default [own, b(), sea, count()];\n",
        b='import { count } from "./c.js";\nconst own = 2;\nexport function b() {\n  return [own, count()];\n}\n',
        c="const own = 3;\nlet counted = 0;\nexport const c = own;\nexport async function later() {}\n"
        "export const count = () => (counted += 1);\n",
    )
    assert run(compose_module(tmp_path)) == [1, [2, 1], 3, 2]


def test_a_file_may_lie_in_a_folder_below(tmp_path, run):
    (tmp_path / "parts").mkdir()
    write(tmp_path, view='import { b } from "./parts/b.js";\nexport default b;\n')
    write(tmp_path / "parts", b='import { c } from "./c.js";\nexport const b = [c];\n', c="export const c = 1;\n")
    assert run(compose_module(tmp_path)) == [1]


def test_the_kit_is_found_from_any_folder(tmp_path, run):
    write(tmp_path, view='import { formatNumber } from "../kit/words.js";\nexport default formatNumber(-1);\n')
    assert run(compose_module(tmp_path)) == "−1.00"


def test_a_page_may_hold_the_kit_of_its_figures(tmp_path, browser):
    write(
        tmp_path,
        view='import { formatNumber } from "../kit/words.js";\nimport { colours } from "./colours.js";\n'
        "export default [formatNumber(-1), colours];\n",
        colours='import { DARK as d, LIGHT } from "../kit/palette.js";\nexport const colours = LIGHT.ink + d.ink;\n',
    )
    own = compose_module(tmp_path, with_kit=False)
    assert "function" not in own
    page = browser.new_page()
    load = """async ([name, kit, own]) => {
      const load = (text) => import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
      globalThis[name] = await load(kit);
      return (await load(own)).default;
    }"""
    assert page.evaluate(load, [KIT_NAME, kit_module(), own]) == ["−1.00", LIGHT["ink"] + DARK["ink"]]
    page.close()


def test_what_few_pages_need_of_the_kit_is_a_module_of_its_own(tmp_path, browser):
    write(tmp_path, view='import { mapView } from "../kit/map.js";\nexport default typeof mapView;\n')
    own = compose_module(tmp_path, with_kit=False)
    assert kits_of(["", own]) == [KIT_NAME, "inorderMaps"] and kits_of([]) == [KIT_NAME]
    assert "function mapView" not in kit_module()
    page = browser.new_page()
    load = """async ([kits, own]) => {
      const load = (text) => import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
      for (const [name, kit] of kits) globalThis[name] = await load(kit);
      return (await load(own)).default;
    }"""
    assert page.evaluate(load, [[[name, kit_module(name)] for name in kits_of([own])], own]) == "function"
    page.close()


def test_an_extra_comes_with_the_figures_that_name_it(tmp_path, browser):
    write(
        tmp_path,
        view='import { MARKS } from "../kit/marks.js";\nexport default () => Object.keys(MARKS).join();\n',
        clock='import { MARKS } from "../kit/marks.js";\nMARKS.clock = {};\n',
    )
    (tmp_path / "clock.css").write_text("p { color: red }\n")
    assert "MARKS.clock" not in compose_module(tmp_path)
    assert compose_style(tmp_path) == kit_style()
    assert "color: red" in compose_style(tmp_path, extras=["clock"])
    assert compose_style(tmp_path, extras=["clock"]) == kit_style() + compose_style(
        tmp_path, "clock.css", with_kit=False
    )
    load = "(text) => import(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })))"
    page = browser.new_page()
    alone = f"async (module) => (await ({load})(module)).default()"
    assert page.evaluate(alone, compose_module(tmp_path, extras=["clock"])) == "clock"
    # On a page of the book: a module of its own, which the other finds in the kit.
    script = f"""async ([name, kit, extra, own]) => {{
      const load = {load};
      globalThis[name] = await load(kit);
      await load(extra);
      return (await load(own)).default();
    }}"""
    parts = [compose_module(tmp_path, name, with_kit=False) for name in ("clock.js", "view.js")]
    assert page.evaluate(script, [KIT_NAME, kit_module(), *parts]) == "clock"
    page.close()


@pytest.mark.parametrize("line", ['import kit from "./kit.js";', 'import * as kit from "kit";', 'import "./kit.js";'])
def test_other_imports_are_refused(tmp_path, line):
    write(tmp_path, view=f"{line}\n")
    with pytest.raises(ValueError, match=r"view\.js: the only import understood"):
        compose_module(tmp_path)


def test_other_exports_and_circles_are_refused(tmp_path):
    write(tmp_path, view="const a = 1;\nexport { a };\n")
    with pytest.raises(ValueError, match=r"view\.js: exports understood"):
        compose_module(tmp_path)
    write(tmp_path, view='import { b } from "./b.js";\n', b='import { a } from "./view.js";\n')
    with pytest.raises(ValueError, match=r"view\.js: imports a file that imports it"):
        compose_module(tmp_path)


def test_a_figure_is_one_module_and_one_style_sheet(tmp_path):
    widget = AttentionCalculator()
    assert widget._esm.count("export ") == 1
    assert "import " not in widget._esm
    assert ".inorder-cell" in widget._css
    assert ".inorder-explain" in widget._css
    assert compose_style(tmp_path) == compose_style(tmp_path / "none") == kit_style()
    assert compose_style(tmp_path, with_kit=False) == ""
    whole = compose_style(AttentionCalculator.folder)
    assert whole == kit_style() + compose_style(AttentionCalculator.folder, with_kit=False)


def test_a_changed_file_shows_in_the_next_figure(tmp_path):
    write(tmp_path, view="export default 1;\n")

    class Changing(InteractiveFigure):
        folder = tmp_path
        title = traitlets.Unicode("Changing").tag(sync=True)

    before = Changing()
    write(tmp_path, view="export default 2;\n")
    (tmp_path / "style.css").write_text("p { color: red }\n")
    after = Changing()
    assert "_default = 1" in before._esm and "_default = 2" in after._esm
    assert "color: red" in after._css and "color: red" not in before._css
    assert "_default = 2" in after.get_state()["_esm"]
