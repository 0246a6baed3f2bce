"""LanguageModel with its model, the small one: brought from the site, or asked of a kernel."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from _ext.published_model import worker_script
from harness.figure import ADDRESS, MountedFigure, page_html
from inorder.attention import softmax
from inorder.pretrained import decoder
from inorder.widgets import LanguageModel
from inorder.widgets.language_model import kernel
from inorder.widgets.language_model.words import spell

PART = 20_000
FIRST, SECOND = "in on at it", "on in at it"
BRING = "Download the model (0 MB)"


class Site:
    """The files of a site that has the small model; what is asked for, and what is lost on the way."""

    def __init__(self, path) -> None:
        self.content = path.read_bytes()
        self.asked: list[str] = []
        self.lost: set[str] = set()
        self.in_worker = ""  # a line that it runs first

    @property
    def published(self):
        n_parts = math.ceil(len(self.content) / PART)
        return {
            "parts": [f"{ADDRESS}_static/model/{i:02}.bin" for i in range(n_parts)],
            "size": len(self.content),
            "engine": f"{ADDRESS}_static/engine.js",
        }

    def answer(self, route) -> None:
        name = route.request.url.rpartition("/")[2]
        self.asked.append(name)
        if name in self.lost:
            route.abort()
        elif name == "engine.js":
            script = worker_script().replace('="', f'="{self.in_worker};', 1)
            route.fulfill(content_type="text/javascript", body=script)
        else:
            at = PART * int(name.removesuffix(".bin"))
            route.fulfill(content_type="application/octet-stream", body=self.content[at : at + PART])


@pytest.fixture
def site(small) -> Site:
    return Site(small.path)


@pytest.fixture
def open_figure(browser, site) -> Iterator:
    """open_figure(first, second, …): the figure on a page of that site."""
    contexts, trouble = [], []

    def open_one(first=FIRST, second=SECOND, *, before="", **state) -> MountedFigure:
        context = browser.new_context(viewport={"width": 1040, "height": 900})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.route(f"{ADDRESS}_static/**", site.answer)
        page.add_init_script(before)
        python = LanguageModel(first, second, **state)
        python.set_trait("published", site.published)
        figure = MountedFigure(page, python)
        open_own(figure)
        return figure

    yield open_one
    for context in contexts:
        context.close()
    assert trouble == []


def open_own(figure) -> None:
    """The fold that has the model's button, and then the reader's own prompt."""
    figure.figure.get_by_text("A prompt of your own").click()


def bring(figure) -> None:
    figure.press(BRING)
    wait_until_written(figure)


def wait_until_written(figure) -> None:
    figure.figure.get_by_text("Computed by the model").wait_for()
    figure.figure.locator("button[aria-label=Continue]:not([aria-disabled])").wait_for()


def continuations(figure) -> list[str]:
    return figure.figure.locator(".inorder-lm-written").all_text_contents()


def expected_texts(small, prompts, n, positions=None) -> list[str]:
    return [decoder.generate(text, small.lm, n, positions=positions).replace("\n", " ↵ ") for text in prompts]


@pytest.mark.parametrize("positions", ["restarted", "mispaired", "own"])
def test_the_model_answers_as_the_package_does(open_figure, small, positions):
    n = len(decoder.tokenize(FIRST, small.lm).ids)
    places = [3 * i for i in range(n)] if positions == "own" else positions
    figure = open_figure(positions=places)
    bring(figure)
    rows = [np.asarray(decoder.logits(text, small.lm, places))[-1] for text in (FIRST, SECOND)]
    distributions = softmax(np.array(rows))
    results = figure.sync().results
    for shares, expected in zip(results["next"], distributions, strict=True):
        np.testing.assert_allclose([p for _, p in shares], sorted(expected)[: -len(shares) - 1 : -1], rtol=1e-4)
    assert continuations(figure) == expected_texts(small, (FIRST, SECOND), 12, places)
    words = [small.lm.tokenizer.decode([int(row.argmax())], skip_special_tokens=False) for row in rows]
    assert all(f"“{spell(word)}”" in figure.summary.inner_text() for word in words)


def test_a_lost_connection(open_figure, site):
    site.lost = {"02.bin"}
    figure = open_figure()
    figure.press(BRING)
    figure.figure.get_by_text("The connection was lost. Press again to go on.").wait_for()
    assert site.asked == ["engine.js", "00.bin", "01.bin", "02.bin"]
    site.lost.clear()
    bring(figure)


def test_cancelling(open_figure, site):
    figure = open_figure()
    held = []
    figure.page.route("**/03.bin", lambda route: held.append(route))  # and never answered
    figure.press(BRING)
    figure.press("Cancel")
    figure.figure.get_by_role("button", name=BRING).wait_for()
    assert figure.summary.inner_text() == LanguageModel(FIRST, SECOND).summary()
    figure.page.unroute("**/03.bin")
    bring(figure)


def test_a_browser_that_cannot_start_the_model_says_so(open_figure):
    figure = open_figure(before="Worker.prototype.postMessage = function () { this.onerror(new ErrorEvent('error')) }")
    figure.press(BRING)
    figure.figure.get_by_text("may not start a worker").wait_for()
    figure.figure.get_by_role("button", name=BRING).wait_for()


def test_a_browser_that_cannot_run_the_model_says_so(open_figure, site):
    """Before anything is fetched; what is stored stays. For a want of room: `test_worker_js.py`."""
    site.in_worker = "delete globalThis.WebAssembly"
    figure = open_figure()
    said = figure.summary.inner_text()
    figure.press(BRING)
    figure.figure.get_by_text("This browser has no WebAssembly with SIMD here, which the model needs.").wait_for()
    assert site.asked == ["engine.js"] and figure.summary.inner_text() == said


def test_from_the_disk_it_says_that_it_cannot_fetch_the_model(browser, site, tmp_path):
    python = LanguageModel(FIRST, SECOND)
    python.set_trait("published", site.published)
    (tmp_path / "page.html").write_text(page_html(python), encoding="utf8")
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    page.get_by_text("A prompt of your own").click()
    page.get_by_text("from a disk it can’t fetch the model").wait_for()
    assert page.get_by_role("button", name="Download").count() == 0
    page.close()


def read(figure, text: str) -> None:
    """Type another prompt."""
    box = figure.figure.get_by_label("Text of the prompt")
    box.fill(text)
    box.press("Enter")


def test_prompts_that_the_model_cannot_read(open_figure, small):
    figure = open_figure()
    bring(figure)
    read(figure, "in on " * 40)
    figure.figure.get_by_text("tokens; this figure reads at most 64.").wait_for()
    read(figure, "\u0001")
    figure.figure.get_by_text("There is no text for the model to read.").wait_for()
    for text in ("🐈 שלום", "<img src=x onerror='window.canary=1'>"):
        read(figure, text)
        figure.figure.get_by_text("Computed by the model").wait_for()
    read(figure, FIRST)
    wait_until_written(figure)
    assert continuations(figure)[1:] == expected_texts(small, (FIRST,), 12)


def test_own_positions_that_do_not_fit(open_figure):
    figure = open_figure(positions=[0, 1])
    figure.press(BRING)
    figure.figure.get_by_text("need").first.wait_for()
    assert "positions, each a number" in figure.summary.inner_text()
    figure.figure.get_by_label("Positions").select_option("as trained")
    wait_until_written(figure)


SLOWLY = """const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (...all) { setTimeout(() => postMessage.apply(this, all), 20); };"""


def test_clicks_on_everything_while_it_writes(open_figure, small):
    figure = open_figure(before=SLOWLY)
    figure.press(BRING)
    figure.figure.locator(".inorder-lm-own").wait_for()
    for _ in range(2):
        for name in ("restarted", "trained"):
            figure.figure.get_by_label("Positions").evaluate(
                "(select, name) => { select.value = name; select.dispatchEvent(new Event('change')) }", name
            )
            for place in (0, 1):
                figure.figure.locator(".inorder-lm-tiles .inorder-tile").nth(place).click()
    wait_until_written(figure)
    assert figure.sync().prompts == [FIRST, SECOND]  # the last of four swaps
    assert continuations(figure) == expected_texts(small, (FIRST, SECOND), 12)


def test_it_writes_on(open_figure, small):
    figure = open_figure()
    bring(figure)
    figure.press("Continue")
    expected = expected_texts(small, (FIRST, SECOND), 36)
    all_written = "texts => [...document.querySelectorAll('.inorder-lm-written')].map((one) => one.textContent)"
    figure.page.wait_for_function(f"texts => String(({all_written})()) === String(texts)", arg=expected)


def test_layers_and_heads(open_figure, small):
    figure = open_figure(layer=2, head=3, positions="reversed")
    bring(figure)
    figure.figure.get_by_text("layer by layer").click()
    figure.figure.get_by_text("Where does a head look?").click()
    field = figure.figure.get_by_role("slider", name="The heads of the model")
    field.wait_for()
    states = [decoder.states(text, small.lm, "reversed") for text in (FIRST, SECOND)]
    weights = np.array([np.asarray(state.weights) for state in states[1]])  # (layer, head, query, key)
    n = weights.shape[-1]
    steps = np.maximum(np.subtract.outer(np.arange(n), np.arange(n)), 0)[1:, 1:]
    seen = weights[:, :, 1:, 1:]
    back = (seen * steps).sum(axis=(2, 3)) / seen.sum(axis=(2, 3))
    np.testing.assert_allclose(figure.numbers("back"), back, rtol=1e-4, atol=1e-5)
    arcs = figure.figure.locator("[data-name=weights]").evaluate_all(
        "all => all.map(({ dataset: { row, col, value } }) => [+row, +col, +value])"
    )
    for row, column, value in arcs:
        assert value == pytest.approx(weights[2, 3, int(row), int(column)], abs=1e-5)
    assert len(arcs) == (np.tril(weights[2, 3], -1)[:, 1:] >= 0.05).sum()
    figure.figure.locator(".inorder-lm-chart").wait_for()
    rows = [[np.asarray(s[0].x)[-1], *(np.asarray(each.hidden)[-1] for each in s)] for s in states]
    norms = np.linalg.norm(rows, axis=-1)
    expected = np.linalg.norm(np.subtract(*rows), axis=-1) / np.sqrt(norms[0] * norms[1])
    np.testing.assert_allclose(figure.numbers("layers")[0], expected, rtol=1e-3, atol=1e-6)


# A notebook's kernel


def test_the_kernel_answers_the_same_requests(mount, small, monkeypatch):
    monkeypatch.setattr(decoder, "load", lambda: small.lm)
    python = LanguageModel(FIRST, SECOND, positions="stretched")
    figure = mount(python, views=(False,))
    open_own(figure)
    figure.press("Load the model")
    for _ in range(200):
        figure.sync()
        for request in figure.page.evaluate("model.sent.splice(0)"):
            content, arrays = python._kernel.answer(request)
            figure.page.evaluate(
                """([content, arrays]) => {
                  const views = arrays.map((bytes) => new DataView(Uint8Array.from(bytes).buffer));
                  for (const hear of model.listeners["msg:custom"]) hear(content, views);
                }""",
                [content, [list(array) for array in arrays]],
            )
        figure.page.wait_for_timeout(5)
        if python.results.get("texts", [""])[0]:
            break
    assert continuations(figure) == expected_texts(small, (FIRST, SECOND), 12, "stretched")


def test_a_kernel_that_is_gone(mount):
    """JupyterLab closes the figure's channel when the kernel is restarted."""
    figure = mount(LanguageModel(FIRST, SECOND), views=(False,))
    open_own(figure)
    figure.page.evaluate("void (model.send = () => { throw new Error('Cannot send') })")
    figure.press("Load the model")
    figure.figure.get_by_text("This notebook’s kernel is gone, or has been restarted: run the figure’s cell").wait_for()
    figure.figure.get_by_role("button", name="Load the model").wait_for()


def test_the_kernel_says_what_it_cannot_do(small, monkeypatch, types_unchecked):
    asked = kernel.Kernel()
    monkeypatch.setattr(decoder, "load", lambda: small.lm)
    prompt = {"kind": "prompt", "slot": "a", "text": "in on", "k": 3}
    reply, arrays = asked.answer({"id": 1, **prompt, "positions": [0]})
    assert reply["id"] == 1 and reply["error"].startswith("The model expected") and arrays == []
    reply, _ = asked.answer({"id": 2, **prompt, "text": "in " * 40, "positions": "trained"})
    assert "a prompt of at most 64 tokens" in reply["error"]
    ids = decoder.tokenize("in on", small.lm).ids.tolist()
    places = list(range(len(ids), 0, -1))
    asked.answer({"id": 3, **prompt, "positions": places})
    reply, rows = asked.answer({"id": 4, "kind": "rows", "slot": "a"})
    assert (reply["floats"], len(rows), len(rows[0])) == ("rows", 4, 4 * small.lm.model.config.d_model)
    reply, weights = asked.answer({"id": 5, "kind": "attention", "slot": "a"})
    states = decoder.states(ids, small.lm, places)
    expected = np.concatenate([np.asarray(state.weights) for state in states])
    np.testing.assert_allclose([np.frombuffer(one, np.float32) for one in weights], expected.reshape(12, -1), atol=1e-6)

    def nothing_here():
        raise FileNotFoundError("expected the weights on this machine, got none")

    monkeypatch.setattr(decoder, "load", nothing_here)
    reply, _ = asked.answer({"id": 6, "kind": "load"})
    assert reply["error"] == "The model expected the weights on this machine, got none."


def test_an_interrupted_kernel_says_so_and_goes_on(small, monkeypatch):
    """The reader stops the kernel, as Jupyter has it: an exception in the midst of what is computed."""
    asked = kernel.Kernel()
    monkeypatch.setattr(decoder, "load", lambda: small.lm)
    prompt = {"id": 1, "kind": "prompt", "slot": "a", "text": FIRST, "positions": "restarted", "k": 3}

    def stopped(*args, **kwargs):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(decoder, "decode", stopped)
        assert asked.answer(prompt)[0]["error"] == kernel.INTERRUPTED
    assert "likeliest" in asked.answer(prompt)[0]


def test_the_reader_asks_an_interrupted_kernel_again(mount):
    figure = mount(LanguageModel(FIRST, SECOND), views=(False,))
    open_own(figure)

    def answer(**reply):
        figure.page.evaluate(
            """async (reply) => {
              while (model.sent.length === 0) await new Promise((resolve) => setTimeout(resolve));
              const [{ id }] = model.sent.splice(0);
              for (const hear of model.listeners["msg:custom"]) hear({ id, ...reply }, []);
            }""",
            reply,
        )

    figure.press("Load the model")
    answer(error=kernel.INTERRUPTED)
    figure.figure.locator(".inorder-lm-bring").get_by_text(kernel.INTERRUPTED).wait_for()
    figure.press("Load the model")
    answer()
    answer(error=kernel.INTERRUPTED)
    figure.summary.get_by_text(kernel.INTERRUPTED).wait_for()
    figure.press("Ask again")
    answer(error="The model expected a prompt of at most 64 tokens, got 70.")
    figure.summary.get_by_text("at most 64 tokens, got 70").wait_for()


def test_python_computes(small, monkeypatch):
    monkeypatch.setattr(decoder, "load", lambda: small.lm)
    figure = LanguageModel(FIRST, SECOND, positions="unrotated")
    assert figure.results == {}
    figure.compute()
    assert not figure.results["stored"]
    assert figure.results["texts"] == [
        decoder.generate(text, small.lm, 12, positions="unrotated") for text in (FIRST, SECOND)
    ]
    assert "Computed by the model" in figure.note()
