"""A figure saved as one file: live from a disk without a network; or its picture; or a clear refusal."""

import re

import numpy as np
import pytest
from matplotlib.image import imread

from harness.figure import figure_of
from inorder.transformer import PositionScheme
from inorder.widgets import AttentionMap, Loom, PermutationPlayground, SameOrNot, interact, marks
from transformer_models import Counter


@pytest.fixture
def opened(browser, tmp_path):
    """opened(figure, **options): the page of the saved figure, from the disk, offline; it must not ask for anything."""
    contexts, trouble = [], []

    def open_file(figure, **options):
        path = tmp_path / f"figure_{len(contexts)}.html"
        figure.save(path)
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda one: one.url.startswith(("blob:", tmp_path.as_uri())) or trouble.append(one.url))
        page.goto(path.as_uri())
        page.locator(".inorder-figure").wait_for()
        return page

    yield open_file
    for context in contexts:
        context.close()
    assert trouble == []


@pytest.mark.parametrize("make", [figure_of, Loom], ids=["interact", "of a trained model"])
def test_a_figure_is_live_without_a_network(opened, make):
    figure = make("interact") if make is figure_of else make(trained=True)
    page = opened(figure)
    page.wait_for_function("text => document.body.innerText.includes(text)", arg=figure.summary()[:30])
    assert page.title() == figure.title


def test_a_large_map_weighs_less_than_three_megabytes(tmp_path):
    scores = np.random.default_rng(0).normal(size=(12, 12, 128, 128))
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    AttentionMap(weights, [str(i) for i in range(128)]).save(tmp_path / "map.html")
    assert (tmp_path / "map.html").stat().st_size < 3_000_000


def test_a_token_is_text_in_the_file(opened):
    tokens = ["</script><script>alert(1)</script>", "<!--", "$title"]
    figure = AttentionMap(np.full((1, 1, 3, 3), 1 / 3), tokens)
    page = opened(figure)
    page.wait_for_function(
        "text => document.querySelector('.inorder-summary').textContent === text", arg=figure.summary()
    )
    assert page.locator("script").count() == 2


def test_pictures(tmp_path):
    figure = SameOrNot()
    figure.save(tmp_path / "one.png")
    figure.save(str(tmp_path / "one.svg"))
    height, width, _ = imread(tmp_path / "one.png").shape
    assert width > 1000 > 100 < height
    assert (tmp_path / "one.svg").read_text("utf-8").rstrip().endswith("</svg>")


def test_what_cannot_be_saved_is_said_and_leaves_no_file(tmp_path):
    with pytest.raises(ValueError, match=r"saved as \.html, \.png or \.svg, got 'map\.pdf'"):
        SameOrNot().save(tmp_path / "map.pdf")
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere"):
        SameOrNot().save(tmp_path / "nowhere" / "map.html")
    figure = PermutationPlayground(
        "a b c", schemes={"none": PositionScheme(), "counter": Counter()}, position="counter"
    )
    with pytest.raises(ValueError, match="computes position='counter' in Python, which a page doesn't have"):
        figure.save(tmp_path / "map.html")
    figure.save(tmp_path / "map.png")
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(IsADirectoryError, match=r"folder\.html' is a folder"):
        figure.save(tmp_path / "folder.html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.html", "map.png"]


def squares(n=2):
    """How large is the square?"""
    return [marks.bars([n * n], ["square"]), marks.answer(f"The square of {n} is {n * n}.")]


def test_a_lazy_figure_holds_the_states_that_were_looked_at(opened):
    figure = interact(squares, n=range(50), lazy=True)
    figure.n = 7
    page = opened(figure)
    assert page.locator(".inorder-summary").inner_text() == "The square of 7 is 49."
    slider = page.get_by_role("slider")
    slider.press("ArrowRight")
    page.get_by_text("was not looked at before this file was saved").wait_for()
    slider.press("ArrowLeft")
    assert page.locator(".inorder-summary").inner_text() == "The square of 7 is 49."


def test_a_saved_file_saves_itself_in_another_state(opened, tmp_path):
    page = opened(SameOrNot(words=["dog", "bites", "man"]), accept_downloads=True)
    page.get_by_role("button", name=re.compile("position 0")).focus()
    page.keyboard.press("End")
    order = page.locator(".inorder-word").all_inner_texts()
    with page.expect_download() as coming:
        page.locator(".inorder-tools > summary").click()
        page.get_by_role("button", name="Save page").click()
    coming.value.save_as(tmp_path / "again.html")
    page.goto((tmp_path / "again.html").as_uri())
    page.locator(".inorder-word").first.wait_for()
    assert page.locator(".inorder-word").all_inner_texts() == order
