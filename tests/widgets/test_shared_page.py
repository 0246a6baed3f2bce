"""Any figures can share a page: each looks as it does alone, in whatever order the style sheets come."""

import pytest

import inorder.widgets
from harness.figure import figure_of
from looks import DIFFERENCES


@pytest.fixture(scope="module")
def styles() -> dict[str, str]:
    return {name: figure_of(name)._css for name in inorder.widgets.__all__}


@pytest.mark.nightly  # on the gallery's page, each figure is compared with itself alone every time
@pytest.mark.parametrize("width", [1008, 402])
@pytest.mark.parametrize("name", inorder.widgets.__all__)
def test_a_figure_looks_as_it_does_alone(mount, styles, name, width):
    figure = mount(figure_of(name), viewport={"width": width, "height": 900}, reduced_motion="reduce")
    page, root = figure.page, figure.figure
    if name == "AttentionMap":
        page.wait_for_function("document.querySelector('.inorder-summary').textContent")  # its weights are unpacked
    if name == "TrainingPlayground":
        root.locator(".inorder-end").first.wait_for()  # its worker has tested the models
    page.wait_for_timeout(200)  # what follows the width has followed
    assert root.evaluate(DIFFERENCES) == []  # and is remembered
    own = page.locator("style").last
    page.add_style_tag(content="".join(style for other, style in styles.items() if other != name))
    assert root.evaluate(DIFFERENCES) == []
    own.evaluate("(sheet) => document.head.append(sheet)")  # from the first place to the last
    assert root.evaluate(DIFFERENCES) == []
