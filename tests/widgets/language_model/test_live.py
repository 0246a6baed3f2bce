"""LanguageModel with its model, the small one: brought from the site, from the disk, or asked of a kernel."""

import hashlib
import math
from collections.abc import Iterator

import numpy as np
import pytest

from _ext.published_model import worker_script
from harness.figure import ADDRESS, MountedFigure, page_html
from inorder.attention import softmax
from inorder.pretrained import decoder
from inorder.transformer import decode
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
            "part": PART,
            "sha256": hashlib.sha256(self.content).hexdigest(),
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
    """open_figure(first, second, …): the figure on a page of that site; nothing is kept yet."""
    contexts, trouble = [], []

    def open_one(first=FIRST, second=SECOND, *, before="", published=None, **state) -> MountedFigure:
        context = browser.new_context(viewport={"width": 1040, "height": 900})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.route(f"{ADDRESS}_static/**", site.answer)
        page.add_init_script(before)
        return mounted(page, first, second, published, **state)

    def mounted(page, first=FIRST, second=SECOND, published=None, **state) -> MountedFigure:
        python = LanguageModel(first, second, **state)
        python.set_trait("published", published or site.published)
        return MountedFigure(page, python)

    open_one.again = mounted
    yield open_one
    for context in contexts:
        context.close()
    assert trouble == []


def bring(figure, button=BRING) -> None:
    figure.press(button)
    wait_until_written(figure)
    assert "The model is loaded" in figure.figure.locator(".inorder-lm-bring").inner_text()


def wait_until_written(figure) -> None:
    figure.figure.get_by_text("Computed by the model").wait_for()
    figure.figure.get_by_role("button", name="Continue").wait_for()


def continuations(figure) -> list[str]:
    return figure.figure.locator(".inorder-lm-written").all_text_contents()


def expected_texts(small, prompts, n, positions=None) -> list[str]:
    return [decoder.generate(text, small.lm, n, positions=positions).replace("\n", "⏎") for text in prompts]


@pytest.mark.parametrize("positions", ["trained", "unrotated", "restarted", "mispaired", "own"])
def test_the_model_answers_as_the_package_does(open_figure, small, positions):
    n = len(decoder.tokenize(FIRST, small.lm).ids)
    places = [3 * i for i in range(n)] if positions == "own" else positions
    figure = open_figure(positions=places)
    bring(figure)
    rows = [np.asarray(decoder.logits(text, small.lm, places))[-1] for text in (FIRST, SECOND)]
    distributions = softmax(np.array(rows))
    results = figure.sync().results
    assert results["distance"] == pytest.approx(abs(distributions[0] - distributions[1]).sum() / 2, abs=1e-5)
    for shares, expected in zip(results["next"], distributions, strict=True):
        np.testing.assert_allclose([p for _, p in shares], sorted(expected)[: -len(shares) - 1 : -1], rtol=1e-4)
    assert continuations(figure) == expected_texts(small, (FIRST, SECOND), 12, places)
    words = [small.lm.tokenizer.decode([int(row.argmax())], skip_special_tokens=False) for row in rows]
    assert all(f"“{spell(word)}”" in figure.summary.inner_text() for word in words)


def test_what_is_brought_is_kept(open_figure, site):
    figure = open_figure()
    bring(figure)
    names = [f"{i:02}.bin" for i in range(len(site.published["parts"]))]
    assert site.asked == ["engine.js", *names]
    site.asked.clear()
    again = open_figure.again(figure.page)
    bring(again, "Load the model")
    assert site.asked == ["engine.js"]


def test_a_lost_connection_is_taken_up_where_it_broke(open_figure, site):
    site.lost = {"02.bin"}
    figure = open_figure(before="Object.defineProperty(window, 'caches', { value: undefined })")
    figure.press(BRING)
    figure.figure.get_by_text("The connection was lost. What has arrived is kept: press again to continue.").wait_for()
    assert site.asked == ["engine.js", "00.bin", "01.bin", "02.bin"]
    site.lost.clear()
    bring(figure)
    assert site.asked[4:6] == ["02.bin", "03.bin"] and site.asked.count("engine.js") == 1
    assert figure.figure.get_by_text("This browser keeps no files for this page").is_visible()


def test_an_altered_file_is_refused_and_forgotten(open_figure, site):
    published = site.published
    good, site.content = site.content, site.content[:-1] + bytes([site.content[-1] ^ 1])
    figure = open_figure(published=published)
    figure.press(BRING)
    figure.figure.get_by_text("The model’s file is not the expected one").wait_for()
    site.content = good
    site.asked.clear()
    bring(figure)
    assert "00.bin" in site.asked


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


@pytest.mark.parametrize(
    ("before", "notice"),
    [
        ("delete globalThis.WebAssembly", "the model is several times slower here"),
        (
            "if (self.CacheStorage) CacheStorage.prototype.open = () => Promise.reject(new Error('denied'))",
            "This browser keeps no files",
        ),
    ],
    ids=["no WebAssembly", "storage denied"],
)
def test_a_browser_that_lacks_something(open_figure, site, small, before, notice):
    if "WebAssembly" in before:
        site.in_worker = before
    figure = open_figure(before=before)
    bring(figure)
    assert notice in figure.figure.locator(".inorder-lm-bring").inner_text()
    assert continuations(figure) == expected_texts(small, (FIRST, SECOND), 12)


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("Worker = class { constructor() { throw new Error('no worker here') } }", "no worker here"),
        (
            "Worker.prototype.postMessage = function () { this.onerror(new ErrorEvent('error')) }",
            "may not start a worker",
        ),
    ],
    ids=["no worker", "a worker that dies"],
)
def test_a_browser_that_cannot_start_the_model_says_so(open_figure, before, message):
    figure = open_figure(before=before)
    figure.press(BRING)
    figure.figure.get_by_text(message).wait_for()
    figure.figure.get_by_role("button", name=BRING).wait_for()


def test_no_room_for_the_model(open_figure, site, small):
    """It is said before anything is fetched; what is stored stays, and the button, for a browser that finds room."""
    site.in_worker = "WebAssembly.Memory = class { constructor() { throw new RangeError('could not allocate') } }"
    figure = open_figure()
    said = figure.summary.inner_text()
    figure.press(BRING)
    figure.figure.get_by_text("There is no room for the model: it needs 1 MB of this browser’s memory.").wait_for()
    assert site.asked == ["engine.js"] and figure.summary.inner_text() == said
    site.in_worker = ""
    bring(figure)
    assert continuations(figure) == expected_texts(small, (FIRST, SECOND), 12)


def test_from_the_disk_the_file_is_chosen(browser, site, tmp_path):
    python = LanguageModel(FIRST, SECOND)
    (tmp_path / "engine.js").write_text(worker_script(), encoding="utf8")
    python.set_trait("published", site.published | {"engine": "engine.js"})
    (tmp_path / "page.html").write_text(page_html(python), encoding="utf8")
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    root = page.locator(".inorder-figure")
    root.get_by_role("button", name="Choose the model’s file").wait_for()
    chooser = root.locator("input[type=file]")
    (tmp_path / "short.gguf").write_bytes(site.content[:-5])
    chooser.set_input_files(tmp_path / "short.gguf")
    size = len(site.content)
    root.get_by_text(f"The files that you chose have {size - 5:,} bytes; the model has {size:,}.").wait_for()
    (tmp_path / "altered.gguf").write_bytes(bytes(size))
    chooser.set_input_files(tmp_path / "altered.gguf")
    root.get_by_text("The model’s file is not the expected one").wait_for()
    parts = [tmp_path / f"{i:02}.bin" for i in range(3)]
    for i, part in enumerate(parts):
        part.write_bytes(site.content[i * size // 3 : (i + 1) * size // 3])
    chooser.set_input_files(parts[::-1])
    root.get_by_text("Computed by the model").wait_for()
    page.close()


def read(figure, text: str) -> None:
    """Type another prompt."""
    figure.press("Edit the prompt")
    box = figure.figure.get_by_label("Text of the prompt")
    box.fill(text)
    box.press("Enter")


def test_prompts_that_the_model_cannot_read(open_figure, small):
    figure = open_figure()
    bring(figure)
    read(figure, "in on " * 40)
    figure.figure.get_by_text("tokens; this figure reads at most 64.").wait_for()
    assert figure.figure.get_by_role("button", name="Continue").is_disabled()
    read(figure, "a \u0001")
    figure.figure.get_by_text('The model has no tokens for "\\u0001".').wait_for()
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
    figure.figure.get_by_role("button", name="Pause").wait_for()
    for _ in range(3):
        for name in ("reversed", "restarted", "mispaired", "trained"):
            figure.figure.get_by_label("Positions").evaluate(
                "(select, name) => { select.value = name; select.dispatchEvent(new Event('change')) }", name
            )
            for place in (0, 1):
                figure.figure.locator(".inorder-lm-tiles .inorder-tile").nth(place).click()
    wait_until_written(figure)
    assert figure.sync().prompts == [FIRST, SECOND]  # the last of twelve swaps
    assert continuations(figure) == expected_texts(small, (FIRST, SECOND), 12)


def test_it_writes_on_and_pauses(open_figure, small):
    figure = open_figure(before=SLOWLY)
    bring(figure)
    figure.press("Continue")
    figure.press("Pause")
    at_pause = continuations(figure)
    assert figure.figure.get_by_role("button", name="Continue").is_enabled()
    figure.page.wait_for_timeout(200)
    assert continuations(figure) == at_pause
    figure.page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
    figure.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    figure.press("Continue")
    figure.figure.get_by_role("button", name="Continue").wait_for()
    texts = continuations(figure)
    full = expected_texts(small, (FIRST, SECOND), 96)
    assert all(text == whole or whole.startswith(text) for text, whole in zip(texts, full, strict=True))
    assert len(texts[0]) > len(at_pause[0])


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
    figure.drive(layer=29)
    figure.figure.get_by_text("The model has layers 0 to 2").wait_for()


# A notebook's kernel


def test_the_kernel_answers_the_same_requests(mount, small, monkeypatch):
    monkeypatch.setattr(decoder, "load", lambda: small.lm)
    python = LanguageModel(FIRST, SECOND, positions="stretched")
    figure = mount(python, views=(False,))
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
        if figure.figure.get_by_role("button", name="Continue").is_visible() and python.results.get("texts", [""])[0]:
            break
    assert continuations(figure) == expected_texts(small, (FIRST, SECOND), 12, "stretched")
    rows = [np.asarray(decoder.logits(text, small.lm, "stretched"))[-1] for text in (FIRST, SECOND)]
    distance = abs(np.subtract(*softmax(np.array(rows)))).sum() / 2
    assert python.results["distance"] == pytest.approx(distance, abs=1e-5)


def test_a_kernel_that_is_gone(mount):
    """JupyterLab closes the figure's channel when the kernel is restarted."""
    figure = mount(LanguageModel(FIRST, SECOND), views=(False,))
    figure.page.evaluate("void (model.send = () => { throw new Error('Cannot send') })")
    figure.press("Load the model")
    figure.figure.get_by_text("This notebook’s kernel is gone, or has been restarted: run the figure’s cell").wait_for()
    figure.figure.get_by_role("button", name="Load the model").wait_for()


def test_the_kernel_says_what_it_cannot_do(small, monkeypatch, types_unchecked):
    asked = kernel.Kernel()
    monkeypatch.setattr(decoder, "load", lambda: small.lm)
    reply, arrays = asked.answer({"id": 1, "kind": "prompt", "slot": "a", "ids": [7, 8], "positions": [0], "k": 3})
    assert reply["id"] == 1 and reply["error"].startswith("The model expected") and arrays == []
    asked.answer({"id": 2, "kind": "prompt", "slot": "a", "ids": [7, 8], "positions": [5, 2], "k": 3})
    reply, (rows, *_) = asked.answer({"id": 3, "kind": "rows", "slot": "a"})
    assert (reply["done"], reply["floats"], len(rows)) == (True, "rows", 4 * small.lm.model.config.d_model)
    reply, (weights,) = asked.answer({"id": 4, "kind": "attention", "slot": "a", "layer": 1, "head": 2})
    expected = np.asarray(decoder.states([7, 8], small.lm, [5, 2])[1].weights)[2]
    np.testing.assert_allclose(np.frombuffer(weights, np.float32).reshape(2, 2), expected, atol=1e-6)
    reply, _ = asked.answer({"id": 5, "kind": "attention", "slot": "a", "layer": 9, "head": 0})
    assert "a layer from 0 to 2" in reply["error"]

    def nothing_here():
        raise FileNotFoundError("expected the weights on this machine, got none")

    monkeypatch.setattr(decoder, "load", nothing_here)
    reply, _ = asked.answer({"id": 6, "kind": "load"})
    assert reply["error"] == "The model expected the weights on this machine, got none."


def test_an_interrupted_kernel_says_so_and_goes_on(small, monkeypatch):
    """The reader stops the kernel, as Jupyter has it: an exception in the midst of what is computed."""
    asked = kernel.Kernel()
    monkeypatch.setattr(decoder, "load", lambda: small.lm)
    ids = decoder.tokenize(FIRST, small.lm).ids.tolist()

    def ask(kind, **fields):
        return asked.answer({"id": 1, "kind": kind, "slot": "a", **fields})[0]

    def stopped(*args, **kwargs):
        raise KeyboardInterrupt

    prompt = {"ids": ids, "positions": "restarted", "k": 3}
    with monkeypatch.context() as patch:
        patch.setattr(decoder, "decode", stopped)
        assert ask("prompt", **prompt)["error"] == kernel.INTERRUPTED
    calls = []
    with monkeypatch.context() as patch:
        patch.setattr(decoder, "decode", lambda *args, **more: calls.append(args) or decode(*args, **more))
        assert ask("prompt", **prompt)["done"]
    assert len(calls) == 1  # a prompt is read once
    ask("next")
    ask("next")
    with monkeypatch.context() as patch:
        patch.setattr(decoder, "decode", stopped)
        assert ask("next")["error"] == kernel.INTERRUPTED
    expected = [decoder.generate(FIRST, small.lm, n, positions="restarted") for n in (3, 4)]
    assert [ask("next")["text"] for _ in expected] == expected


def test_the_reader_asks_an_interrupted_kernel_again(mount):
    figure = mount(LanguageModel(FIRST, SECOND), views=(False,))

    def answer(**reply):
        figure.page.evaluate(
            """async (reply) => {
              while (model.sent.length === 0) await new Promise((resolve) => setTimeout(resolve));
              const [{ id }] = model.sent.splice(0);
              for (const hear of model.listeners["msg:custom"]) hear({ id, done: true, ...reply }, []);
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
    answer(ids=list(range(70)), words=["a"] * 70, unreadable=[])
    figure.summary.get_by_text("A prompt has 70 tokens").wait_for()


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
