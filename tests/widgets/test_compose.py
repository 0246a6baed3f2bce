"""A figure's folder as one module and one style sheet: scopes, imports, and what a later figure sees of a change."""

import pytest
import traitlets

from inorder.widgets import AttentionCalculator
from inorder.widgets.kit.compose import compose_module, compose_style, kit_style
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


def test_an_extra_comes_with_the_figures_that_name_it(tmp_path, run):
    write(
        tmp_path,
        view='import { MARKS } from "../kit/marks.js";\nexport default MARKS;\n',
        clock='import { MARKS } from "../kit/marks.js";\nMARKS.clock = {};\n',
    )
    (tmp_path / "clock.css").write_text("p { color: red }\n")
    assert "MARKS.clock" not in compose_module(tmp_path)
    assert compose_style(tmp_path) == kit_style()
    assert "color: red" in compose_style(tmp_path, extras=["clock"])
    assert compose_style(tmp_path, extras=["clock"]) == kit_style() + compose_style(
        tmp_path, "clock.css", with_kit=False
    )
    assert "clock" in run(compose_module(tmp_path, extras=["clock"]))


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
