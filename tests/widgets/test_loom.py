"""Loom in a real browser: its numbers, its words, how the reader moves them, its picture, its link."""

import base64
import itertools
from collections import Counter
from io import BytesIO

import numpy as np
import pytest
import torch
from PIL import Image

from _ext.light_widgets import record_script
from harness.figure import ADDRESS
from inorder.palette import LIGHT
from inorder.widgets import Loom
from inorder.widgets.kit.model_state import numbers_from_text
from inorder.widgets.kit.state import InvalidState
from inorder.widgets.kit.twin import format_number
from inorder.widgets.loom.figure import D_MODEL, N_LAYERS, NAME, SHARPNESS, weave
from inorder.widgets.loom.record import for_the_page, number_of, record

ALPHABET = [*"abcdefgh", "é", "中", "🐈", "ß"]
CLOSE = {"rtol": 0, "atol": 1e-9}
RECORD = f"{ADDRESS}record.js"


def random_figure(seed: int) -> Loom:
    rng = np.random.default_rng(seed)
    n = rng.integers(2, 7)
    words = ["".join(rng.choice(ALPHABET, size=rng.integers(1, 6))) for _ in range(n)]
    words[-1] = words[0] if seed % 3 == 0 else words[-1]  # a word that occurs twice
    return Loom(words, order=rng.permutation(n), mask=bool(rng.integers(2)), positions=bool(rng.integers(2)))


def open_numbers(figure):
    figure.figure.get_by_text("The numbers").click()


def assert_page_shows(figure, python):
    """With its numbers open."""
    np.testing.assert_allclose(figure.numbers("rows"), python.cloth.rows[-1], **CLOSE)
    for layer, weights in enumerate(python.cloth.weights):
        np.testing.assert_allclose(figure.numbers(f"weights-{layer}"), weights, **CLOSE)
    assert figure.figure.locator("td[data-name=rows].is-other").count() == python.changed.sum()
    assert figure.summary.inner_text() == python.summary()
    assert figure.figure.locator(".inorder-word").all_text_contents() == [python.words[i] for i in python.order]


def test_the_browser_computes_what_python_does(functions):
    read = functions("loom/model.js")
    for seed in range(6):
        python = random_figure(seed)
        there = read("read", python.state)
        np.testing.assert_allclose(there["now"]["rows"], python.cloth.rows, **CLOSE)
        np.testing.assert_allclose(there["now"]["weights"], python.cloth.weights, **CLOSE)
        assert there["changed"] == python.changed.tolist()
        assert [None if since < 0 else since for since in there["since"]] == python.since


def test_torch_agrees():
    """The whole model again, by torch's own attention and norm."""
    words, order = ["she", "said", "only", "he", "lied"], [2, 0, 1, 3, 4]
    for mask in (False, True):
        cloth = weave(words, order, mask=mask)
        x = torch.tensor([numbers_from_text(words[i], D_MODEL) for i in order], dtype=torch.float64) * 3**0.5
        for layer in range(N_LAYERS):
            q, k, v = (
                x
                @ torch.tensor(
                    [numbers_from_text(f"{NAME}, layer {layer}, {name}, row {row}", D_MODEL) for row in range(D_MODEL)],
                    dtype=torch.float64,
                )
                * (3 / D_MODEL) ** 0.5
                * (SHARPNESS if name == "query" else 1)
                for name in ("query", "key", "value")
            )
            x = x + torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=mask)[0]
            x = torch.nn.functional.layer_norm(x, (D_MODEL,))
        np.testing.assert_allclose(x.numpy(), cloth.rows[-1][order], atol=1e-12)


def test_what_each_act_says_of_all_orders():
    """Counted beforehand: a word whose set of earlier words is the same keeps its first layer, and so on."""
    words, orders = ["only", "she", "said", "he", "lied"], list(itertools.permutations(range(5)))
    for given, some, expected in (
        ({}, orders[::10], {0: 12}),
        ({"mask": True}, orders, {0: 1, 32: 1, 48: 4, 64: 18, 80: 96}),
        ({"positions": True}, orders[::10], {0: 1, 80: 11}),
    ):
        first, seen = weave(words, orders[0], **given).rows, Counter()
        for order in some:
            differences = abs(weave(words, order, **given).rows - first)
            assert not ((differences > 1e-12) & (differences < 1e-8)).any(), "rounding and change lie far apart"
            seen[int((differences[-1] > 1e-12).sum())] += 1
        assert seen == expected
        assert Loom(words, order, **given).changed.sum() == max(expected)


def test_the_three_acts(mount):
    figure = mount(Loom())
    open_numbers(figure)
    assert figure.summary.inner_text().startswith("Five words, each with a row of 16 numbers.")
    figure.figure.get_by_role("button", name="“only”, position 0").press("ArrowRight")
    figure.page.keyboard.press("ArrowRight")  # the focus has moved with it
    assert figure.sync().order == [1, 2, 0, 3, 4]
    assert figure.summary.inner_text() == "The rows moved with their words; none of the 80 numbers changed."
    figure.figure.get_by_role("radio", name="mask").check(force=True)
    assert figure.sync().mask and figure.summary.inner_text() == (
        "All 80 numbers changed: “she”, “said” and “only” from layer 0; “he” and “lied” from layer 1."
    )
    figure.figure.get_by_role("radio", name="positions").check(force=True)
    assert (figure.sync().mask, figure.python.positions) == (False, True)
    assert figure.summary.inner_text() == (
        "All 80 numbers changed: “she”, “said” and “only” from the start; “he” and “lied” from layer 0."
    )
    assert_page_shows(figure, figure.python)


def test_no_number_until_a_thread_or_a_stripe_is_pointed_at(mount):
    python = Loom(order=[1, 0, 2, 3, 4], mask=True)
    figure = mount(python)
    tip = figure.figure.locator(".inorder-tip")
    assert tip.evaluate("tip => getComputedStyle(tip).opacity") == "0"
    box = figure.figure.locator("canvas").bounding_box()

    def says(x, y):
        figure.page.mouse.move(box["x"] + x, box["y"] + y)
        return tip.inner_text()

    tile = figure.figure.locator(".inorder-tile", has_text="said").bounding_box()
    column = tile["x"] + tile["width"] / 2 - box["x"]
    now, before = (format_number(one.rows[-1][2, 8], 3) for one in (python.cloth, python.first_cloth))
    stripe = says(column + 2, 375)  # the first to the right of the ribbon's middle, in the cloth
    assert stripe == f"“said”, number 8 of its row: {now}, was {before}"
    row = says(column, 54 + 40 + 72)
    assert row == "“said” after layer 0"
    texts = {says(x, 54 + 40 + y) for x in range(80, 900, 40) for y in range(12, 66, 10)}
    layer = [text for text in texts if text.startswith("Layer 0")]
    assert len(layer) >= 4
    for text in layer:
        query, key = (python.words.index(part.split("”")[0]) for part in text.split("“")[1:])
        assert f"gives {format_number(python.cloth.weights[0][query, key])} of its attention" in text


def test_the_readers_own_words(mount):
    figure = mount(Loom())
    open_numbers(figure)
    figure.figure.get_by_text("Your own words").click()
    box = figure.figure.get_by_label("Your own words", exact=True)
    box.fill("no means  no")
    assert figure.sync().words == ["no", "means", "no"]
    rows = figure.numbers("rows")
    np.testing.assert_allclose(rows[0], rows[2], rtol=0, atol=1e-14)  # equal, until its place counts
    assert_page_shows(figure, figure.python)
    figure.drive(order=[2, 1, 0], positions=True)  # it reads the same
    assert figure.summary.inner_text() == "The rows moved with their words; none of the 48 numbers changed."
    figure.drive(order=[1, 0, 2])
    expected = Loom("no means no", order=[1, 0, 2], positions=True)
    assert expected.since == [0, 0, 1]
    assert_page_shows(figure, expected)
    for bad in ("alone", "a b c d e f g", "far too elevenletters"):
        box.fill(bad)
        assert "2 to 6 words of up to 10 letters" in figure.notice.inner_text()
        assert figure.sync().words == ["no", "means", "no"]
    box.fill("<b>x</b> <img/>")
    assert figure.sync().words == ["<b>x</b>", "<img/>"]
    assert figure.figure.locator("img, .inorder-word b").count() == 0


def test_the_trained_model_has_words_of_its_own_and_no_mask(mount):
    with pytest.raises(InvalidState, match="mask must be False where trained, got True"):
        Loom(trained=True, mask=True)
    with pytest.raises(InvalidState, match="words must be 'only she said he lied' where trained"):
        Loom("a b", trained=True)
    mount(Loom()).assert_refuses(
        [{"trained": True, "mask": True}, {"trained": True, "words": ["a", "b"], "order": [0, 1]}]
    )


def test_the_browser_reads_the_record_as_python_does(functions):
    read = functions("loom/model.js", "loom/record.js")
    orders = list(itertools.permutations(range(5)))
    read_all = "([packed, orders]) => orders.map((order) => js.readRecording(order, js.unpack(packed)))"
    for order, there in zip(orders[::7], read.script(read_all, [for_the_page(), orders[::7]]), strict=True):
        python = Loom(order=order, trained=True)
        np.testing.assert_allclose(there["now"]["rows"], python.cloth.rows, **CLOSE)
        np.testing.assert_allclose(there["firstRows"], python.first_cloth.rows, **CLOSE)
        np.testing.assert_allclose(there["now"]["weights"], python.cloth.weights, **CLOSE)
        assert there["changed"] == python.changed.tolist() and there["heads"] == record().heads
        assert [None if since < 0 else since for since in there["since"]] == python.since
        np.testing.assert_allclose(np.sum(there["dyes"], axis=-1), 1, atol=1e-12)
    assert [number_of(list(order)) for order in orders] == list(range(120))
    assert record().least_change > 1e-5, "each number changes in each order"


def with_record(mount, figure: Loom, **options):
    """The figure on a page whose site has the record; what the page has asked for."""
    figure.record = RECORD
    mounted, asked = mount(figure, **options), []

    def answer(route):
        asked.append(route.request.url)
        route.fulfill(content_type="text/javascript", body=record_script())

    mounted.page.route(RECORD, answer)
    return mounted, asked


def test_a_trained_model(mount):
    figure, asked = with_record(mount, Loom(order=[1, 2, 0, 3, 4]))
    open_numbers(figure)
    assert asked == [], "who does not ask gets no record"
    figure.figure.get_by_role("radio", name="trained").check(force=True)
    figure.figure.get_by_text("from the start; “he” and “lied” from layer 0.").first.wait_for()
    assert figure.sync().trained and asked == [RECORD]
    assert_page_shows(figure, figure.python)
    assert "of the twelve heads in a layer" in figure.figure.locator(".inorder-note").inner_text()
    assert figure.figure.locator(".inorder-label", has_text="layer").all_text_contents() == [
        f"layer {layer}" for layer in range(6)
    ]
    figure.figure.get_by_role("button", name="“only”, position 2").press("End")
    assert figure.sync().order == [1, 2, 3, 4, 0] and figure.python.since == [0, 0, 0, 0, 0]
    assert_page_shows(figure, figure.python)
    figure.figure.get_by_role("button", name="“only”, position 4").press("Home")
    assert figure.summary.inner_text() == figure.sync().summary() == Loom(trained=True).summary()
    figure.figure.get_by_text("Your own words").click()
    figure.figure.get_by_label("Your own words", exact=True).fill("no means no")
    assert not figure.sync().trained and figure.python.words == ["no", "means", "no"]
    figure.figure.get_by_role("radio", name="trained").check(force=True)
    assert figure.sync().words == record().words and figure.python.trained and len(asked) == 1
    assert_page_shows(figure, figure.python)


def test_a_link_opens_the_trained_model(mount):
    expected = Loom(order=[4, 3, 2, 1, 0], trained=True)
    figure, _ = with_record(mount, Loom(), permissions=["clipboard-read", "clipboard-write"])
    figure.follow(expected.state)
    figure.figure.get_by_text("from the start; “said” from layer 0.").first.wait_for()
    assert figure.copied_state() == expected.state
    open_numbers(figure)
    assert_page_shows(figure, expected)


def test_a_record_that_does_not_come_is_told(mount, pages):
    figure = mount(Loom())
    figure.page.route(RECORD, lambda route: route.abort())
    figure.drive(record=RECORD)
    figure.figure.get_by_role("radio", name="trained").check(force=True)
    figure.figure.get_by_text("could not be fetched").wait_for()
    assert figure.summary.inner_text() == Loom().summary() and not figure.sync().trained
    assert all("ERR_FAILED" in text for text in pages.trouble)
    pages.trouble.clear()
    figure.page.unroute(RECORD)
    figure.page.route(RECORD, lambda route: route.fulfill(content_type="text/javascript", body=record_script()))
    figure.figure.get_by_role("radio", name="trained").check(force=True)
    figure.figure.get_by_text(Loom(trained=True).summary()).first.wait_for()
    assert figure.notice.inner_text() == ""


def test_a_notebook_gets_the_record_from_its_kernel(mount):
    figure = mount(Loom(), views=(False,))
    figure.figure.get_by_role("radio", name="trained").check(force=True)
    (asked,) = figure.page.evaluate("model.sent")
    replies = []
    figure.python.send = lambda content: replies.append(content)
    figure.python._answer(None, asked, [])
    figure.page.evaluate("reply => model.listeners['msg:custom'].forEach((take) => take(reply))", replies[0])
    figure.figure.get_by_text(Loom(trained=True).summary()).first.wait_for()
    open_numbers(figure)
    assert_page_shows(figure, figure.sync())


def colours_of(address: str) -> dict[str, int]:
    """How many pixels of a picture in a data address are of each colour, "#rrggbbaa"."""
    image = Image.open(BytesIO(base64.b64decode(address.partition(",")[2]))).convert("RGBA")
    return {"#" + bytes(colour).hex(): count for count, colour in image.getcolors(image.width * image.height)}


def test_forced_colours_paint_with_the_machines(mount):
    def colours(**options):
        figure = mount(Loom(order=[1, 0, 2, 3, 4], positions=True), color_scheme="light", **options)
        figure.page.wait_for_timeout(100)
        return colours_of(figure.figure.locator(".inorder-loom canvas").first.evaluate("one => one.toDataURL()"))

    plain, forced = colours(), colours(forced_colors="active")
    ruler = LIGHT["position"] + "ff"
    assert plain[ruler] > 1000 and ruler not in forced, "stitches and rings are of the colour of the ruler"
    assert forced["#000000ff"] > 0.9 * plain[ruler]


def test_the_frame_after_it_is_mounted_paints_and_for_paper_it_is_painted_at_once(mount):
    figure = mount(Loom())
    pictures = figure.page.evaluate(
        """async () => {
          const [{ default: widget }] = Object.values(inorderWidgets);
          const mounted = async () => {
            const el = document.createElement("main");
            document.body.prepend(el);
            await widget.render({ model, el, page: { id: "another", link: String } });
            return el.querySelector("canvas");
          };
          const canvas = await mounted();
          const pictures = [canvas.toDataURL()];
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          pictures.push(canvas.toDataURL());
          dispatchEvent(new Event("beforeprint"));
          pictures.push((await mounted()).toDataURL());
          dispatchEvent(new Event("afterprint"));
          return pictures;
        }"""
    )
    at_once, a_frame_later, for_paper = (len(colours_of(picture)) for picture in pictures)
    assert at_once == 1 and min(a_frame_later, for_paper) > 100


def test_the_still_shows_the_same():
    figure = Loom("no means no", order=[1, 0, 2], mask=True)
    threads, cloth, before = figure.figure().axes
    assert [text.get_text() for text in cloth.get_yticklabels()] == ["means", "no", "no"]
    np.testing.assert_allclose(cloth.images[0].get_array(), figure.cloth.rows[-1][figure.order])
    np.testing.assert_allclose(before.images[0].get_array(), figure.first_cloth.rows[-1][figure.order])
    assert threads.get_title(loc="left") == "The threads"
