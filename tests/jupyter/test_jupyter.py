"""The figures in a real JupyterLab and a real Notebook 7: notebooks run, figures are moved, Python reads them.

A server of our own on 127.0.0.1, with its settings in a temporary folder; Chromium opens copies of the notebooks in it.
"""

import ast
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat.sign import NotebookNotary

import inorder.widgets
from chapter_tests import whole_chapters
from harness.waiting import wait_until
from pretrained_files import why_missing

APPLICATIONS = {"jupyterlab": "LabApp", "notebook": "JupyterNotebookApp"}  # module to start: its application
WHOLE = whole_chapters()
CHAPTERS = [WHOLE[i * (len(WHOLE) - 1) // 3] for i in range(min(4, len(WHOLE)))]  # from the first to the last
SETTINGS = {
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none", "autoStartDefaultKernel": True},
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}
FIGURES = """import json
from ipywidgets.widgets.widget import _instances
from inorder.widgets.kit.figure import InteractiveFigure
figures = [f for f in _instances.values() if isinstance(f, InteractiveFigure)]"""
# Notebook 7.6.5 says so while it starts, with an empty notebook and without settings too.
OWN_TROUBLE = ("notebook", "exception: Cannot read properties of undefined (reading 'schema')")
SMALL_MAP = """import numpy as np
from inorder.widgets import AttentionMap
weights = np.random.default_rng(0).dirichlet(np.ones(9), size=(2, 4, 9))
attention_map = AttentionMap(weights, "a b c d e f g h i", budget=0, view="matrix")"""
SMALL_INTERACT = """from inorder.widgets import interact, marks
def parabola(a=1.0, mirrored=False):
    "How steep is the curve?"
    x = [-2, -1, 0, 1, 2]
    curve = marks.lines(x, [(-a if mirrored else a) * v**2 for v in x], axes=("x", "y"))
    return curve, marks.answer(f"Its arms rise by {a:g} in the first step.", "≠" if mirrored else "=")
interact(parabola, a=(0, 4, 0.5), mirrored=False)"""
WIDGETS = [name for name in inorder.widgets.__all__ if name not in ("AttentionMap", "interact")]
EVERY_WIDGET = [f"from inorder.widgets import {name}\n{name}()" for name in WIDGETS]
EVERY_WIDGET += [f"{SMALL_MAP}\nattention_map", SMALL_INTERACT]
LINKED_MAP = f"""{SMALL_MAP}
import ipywidgets
slider = ipywidgets.IntSlider(max=3, description="which head")
link = ipywidgets.jslink((slider, "value"), (attention_map, "head"))
ipywidgets.VBox([slider, attention_map])
---
ipywidgets.interactive(lambda layer: attention_map.set_trait("layer", layer), layer=(0, 1))
"""
COMPOSED = """
import ipywidgets
from inorder.widgets import AttentionCalculator, SameOrNot
calculator, same = AttentionCalculator(), SameOrNot()
ipywidgets.HBox([calculator, same])
---
box = ipywidgets.Checkbox(description="a linked box")
link = ipywidgets.jslink((box, "value"), (calculator, "scale"))
box
---
def tell(positions, words):
    same.positions = positions
    print("told", positions)
ipywidgets.interactive(tell, positions=False, words=["dog bites man", "man bites dog"])
"""
LAZY = """import time
from inorder.widgets import interact, marks
calls = []
def asked(n=3, text="a b"):
    "What is asked for?"
    calls.append((n, text))
    if n == 7:
        raise ZeroDivisionError("seven")
    if n == 8:
        time.sleep(3)
    return marks.bars([float(n), 9.0]), marks.answer(f"{n} times {text}.")
lazy = interact(asked, n=(0, 1000), text="a b", lazy=True)
lazy"""
TRUSTED = """(trusted) => {
  const panels = [...jupyterapp.shell.widgets("main")]; // none is the current one while a message is open
  const cells = panels.find((panel) => panel.content?.widgets)?.content.widgets ?? [];
  return cells.length > 0 && cells.every((cell) => cell.model.trusted === trusted);
}"""
PICTURE = "img[class^=inorder-saved]"
WIDE_ENOUGH = """(pictures) => [...document.querySelectorAll(pictures)]
  .every((image) => image.naturalWidth && image.getBoundingClientRect().width > 200)"""
RUN = """async () => {
  const { currentWidget } = jupyterapp.shell;
  await currentWidget.context.ready;
  await currentWidget.sessionContext.ready;
  await jupyterapp.commands.execute("notebook:run-all-cells");
  return currentWidget.content.model.toJSON().cells
    .flatMap((cell) => cell.outputs ?? []).filter((output) => output.output_type === "error");
}"""
ASK = """async ([code, expression]) => {
  const { kernel } = jupyterapp.shell.currentWidget.sessionContext.session;
  const request = { code, user_expressions: { it: expression }, silent: false, store_history: false };
  const { content } = await kernel.requestExecute(request).done;
  if (content.status !== "ok") throw new Error(content.ename + ": " + content.evalue);
  return content.user_expressions.it.data?.["text/plain"] ?? JSON.stringify(content.user_expressions.it);
}"""


@pytest.fixture(scope="module", params=APPLICATIONS)
def server(request, tmp_path_factory) -> Iterator[tuple[str, str, str, Path]]:
    """A JupyterLab or a Notebook 7: its module, its address, its token, and the folder that it shows."""
    module, application = request.param, APPLICATIONS[request.param]
    home = tmp_path_factory.mktemp(module)
    folders = {name: home / name for name in ("config", "data", "runtime", "settings", "workspaces", "notebooks")}
    for folder in folders.values():
        folder.mkdir()
    for name, settings in SETTINGS.items():
        path = folders["settings"] / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings))
    page_config = folders["config"] / "labconfig" / "page_config.json"
    page_config.parent.mkdir()
    page_config.write_text(json.dumps({"exposeAppInBrowser": True}))  # window.jupyterapp
    token = secrets.token_hex()
    environment = os.environ | {
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(folders["config"]),
        "JUPYTER_DATA_DIR": str(folders["data"]),
        "JUPYTER_RUNTIME_DIR": str(folders["runtime"]),
        "JUPYTERLAB_SETTINGS_DIR": str(folders["settings"]),
        "JUPYTERLAB_WORKSPACES_DIR": str(folders["workspaces"]),
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", module, "--no-browser", "--allow-root"]
    command += ["--ip=127.0.0.1", "--port=0", f"--IdentityProvider.token={token}"]
    command += [f"--ServerApp.root_dir={folders['notebooks']}", f"--{application}.news_url=None"]
    command += [f"--{application}.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        address = wait_for(server, folders["runtime"], home / "log")
        yield module, address, token, folders["notebooks"]
        end_sessions(address, token)
    finally:
        server.terminate()  # which also ends its kernels
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:  # a page that closes in that moment can keep it waiting for its kernel
            server.kill()  # the kernels see that it is gone


def end_sessions(address: str, token: str) -> None:
    """Their kernels end with them: a server that is to end while it has some can wait for them in vain."""
    headers = {"Authorization": f"token {token}"}
    with urllib.request.urlopen(urllib.request.Request(f"{address}api/sessions", headers=headers)) as answer:
        sessions = json.load(answer)
    for session in sessions:
        ask = urllib.request.Request(f"{address}api/sessions/{session['id']}", headers=headers, method="DELETE")
        urllib.request.urlopen(ask, timeout=10).close()


def wait_for(server: subprocess.Popen, runtime: Path, log: Path) -> str:
    """The address of the server, once it answers."""
    for _ in range(600):
        assert server.poll() is None, log.read_text()
        try:
            (info,) = map(json.loads, (path.read_text() for path in runtime.glob("jpserver-*.json")))
            urllib.request.urlopen(f"{info['url']}api?token={info['token']}", timeout=1)
            return info["url"]
        except (OSError, ValueError):
            time.sleep(0.1)
    raise TimeoutError(log.read_text())


SHOWN = """() => [...document.querySelectorAll(".jp-RenderedMarkdown")].map((cell) => {
  const copy = cell.cloneNode(true);
  copy.querySelectorAll(".katex").forEach((formula) => formula.remove());
  return copy.innerText;
})"""
FOLDED = """() => jupyterapp.shell.currentWidget.content.widgets
  .filter((cell) => (cell.model.getMetadata("tags") ?? []).includes("solution"))
  .map((cell) => cell.inputHidden)"""
RAW = re.compile(
    r"`{3,}|:{3,}|\{[a-z]+(:[a-z]+)?\}|\$|\[@|^\([\w-]+\)=|^:[a-z]+:", re.MULTILINE
)  # a role, a fence, a label
PROOF = re.compile(r"^:{3,}\{(?:prf:\w+)\}", re.MULTILINE)
STATEMENTS = ("Theorem", "Proof", "Corollary", "Definition", "Lemma", "Proposition")
EXERCISE = re.compile(r"^:{3,}\{(?:exercise|solution)\}", re.MULTILINE)

# Parts drawn before the figure stood on the page: their colours come from style sheets and were empty strings.
COLOURLESS = """() => [...document.querySelectorAll('.inorder-figure [stroke=""], .inorder-figure [fill=""]')]
  .map((element) => element.closest(".inorder-figure").getAttribute("aria-label"))"""
DRAWN_WIDTHS = """() => [...document.querySelectorAll(".inorder-figure")].map((figure) =>
  [...figure.querySelectorAll("svg, canvas")].map((drawing) => Math.round(drawing.getBoundingClientRect().width)))"""


class Notebook:
    """A notebook in the browser, run from its first cell to its last."""

    def __init__(self, page, address: str):
        self.page = page
        page.goto(address)
        page.wait_for_function(
            "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel", timeout=60_000
        )
        assert page.evaluate(RUN) == []
        page.locator(".inorder-figure").first.wait_for()
        self.figures = page.locator(".inorder-figure")

    def ask(self, expression: str, code: str = ""):
        """What an expression is worth in the notebook's kernel, after some code."""
        return ast.literal_eval(self.page.evaluate(ASK, [code, expression]))

    def states(self) -> dict:
        """The state of every figure the kernel knows, by model id."""
        return json.loads(self.ask("json.dumps({f.model_id: f.get_state(f.state_names) for f in figures})", FIGURES))

    def eventually(self, expression: str, expected) -> None:
        """A change in the browser reaches the kernel soon, not at once."""
        for _ in range(100):
            if self.ask(expression) == expected:
                return
            self.page.wait_for_timeout(50)
        assert self.ask(expression) == expected


@pytest.fixture(scope="module")
def context(server, browser):
    """One for all notebooks of a server, so that its application is fetched once."""
    context = browser.new_context(viewport={"width": 1500, "height": 1000})
    context.set_default_timeout(20_000)
    yield context
    context.close()


@pytest.fixture
def open_notebook(server, context):
    """open_notebook(path) runs a copy; at the end of the test, the page may have complained of `expected` alone."""
    module, address, token, folder = server
    pages, trouble = [], []

    def open_one(path: Path) -> Notebook:
        shutil.copy(path, folder)
        page = context.new_page()
        pages.append(page)
        page.on("pageerror", lambda error: trouble.append(f"exception: {error}"))
        page.on("console", lambda m: trouble.append(f"console: {m.text}") if m.type == "error" else None)
        place = "notebooks" if module == "notebook" else f"lab/workspaces/{path.stem}/tree"
        return Notebook(page, f"{address}{place}/{path.name}?token={token}")

    open_one.expected = "what no page says"
    yield open_one
    for page in pages:
        page.close()
    assert [line for line in trouble if (module, line) != OWN_TROUBLE and open_one.expected not in line] == []


def move(figure) -> None:
    """Use the first control a figure shows: a switch, a choice among several, or a slider."""
    figure.scroll_into_view_if_needed()
    kinds = ("input[type=checkbox]", "select", "input[type=radio]:not(:checked)", "input[type=range]")
    switch, choice, option, slider = (figure.locator(f"{kind}:visible").first for kind in kinds)
    if switch.count():
        switch.click()
    elif choice.count():
        choice.select_option(index=0 if choice.evaluate("choice => choice.selectedIndex") else 1)
    elif option.count():
        option.check(force=True)  # its label lies over it
    else:
        slider.press("ArrowRight")


def assert_figures_and_kernel_agree(notebook: Notebook) -> None:
    """Each figure is moved on the page, says what Python says, and follows when Python resets it."""
    for figure in notebook.figures.all():
        before = notebook.states()
        move(figure)
        for _ in range(100):
            after = notebook.states()
            if after != before:
                break
            notebook.page.wait_for_timeout(50)
        assert after != before, figure.get_attribute("aria-label")
        (moved,) = [model_id for model_id in after if after[model_id] != before[model_id]]
        message = notebook.ask(f"next(f for f in figures if f.model_id == {moved!r}).summary()")
        figure.locator(".inorder-summary").get_by_text(message, exact=True).wait_for()
        notebook.ask("None", f"next(f for f in figures if f.model_id == {moved!r}).reset()")
        message = notebook.ask(f"next(f for f in figures if f.model_id == {moved!r}).summary()")
        figure.locator(".inorder-summary", has_text=message).wait_for()
        assert notebook.states() == before


def assert_figures_follow_the_theme(notebook: Notebook) -> None:
    """Another theme gives a figure its dark colours and leaves its drawings as wide as they were."""
    page = notebook.page
    widths = page.evaluate(DRAWN_WIDTHS)
    for theme, dark in (("JupyterLab Dark", notebook.figures.count()), ("JupyterLab Light", 0)):
        page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
        page.wait_for_function("n => document.querySelectorAll('.inorder-figure.is-dark').length === n", arg=dark)
        page.wait_for_timeout(500)  # a drawing made for another width would be made by now
        assert page.evaluate(DRAWN_WIDTHS) == widths
        assert page.evaluate(COLOURLESS) == []


def assert_text_is_typeset(notebook: Notebook, path: Path) -> None:
    """What a reader sees of the Markdown is text: no role, no fence, no formula as TeX; and no solution."""
    page = notebook.page
    for text in page.evaluate(SHOWN):
        assert not RAW.search(text), text
    source = "\n\n".join(cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "markdown")
    assert page.locator(".myst-proof").count() == len(PROOF.findall(source))
    assert page.locator(".myst-exercise").count() == len(EXERCISE.findall(source))
    for proof in page.locator(".myst-proof").all():
        assert proof.text_content().strip().startswith(STATEMENTS)  # one may stand in a closed fold
    assert page.locator(".katex").count() > source.count("$$") // 2 > 0
    solutions = page.locator("details.myst-exercise")
    assert solutions.count() == source.count("{solution}")
    assert not any(solutions.evaluate_all("all => all.map((solution) => solution.open)"))
    folded = page.evaluate(FOLDED)
    assert bool(folded) == bool(solutions.count()) and all(folded)


def assert_every_slider_moves(notebook: Notebook) -> None:
    """By an arrow key, one step, the key staying the slider's: the notebook's selection does not move."""
    page = notebook.page
    chosen = "jupyterapp.shell.currentWidget.content.activeCellIndex"
    for figure in notebook.figures.all():
        sliders = figure.locator("input[type=range]:visible")
        for i in range(sliders.count()):
            slider = sliders.nth(i)
            slider.focus()
            cell, before = page.evaluate(chosen), slider.input_value()
            at_end = slider.evaluate("slider => Number(slider.value) >= Number(slider.max)")
            page.keyboard.press("ArrowLeft" if at_end else "ArrowRight")
            what = (figure.get_attribute("aria-label"), slider.get_attribute("aria-label") or i)
            assert slider.input_value() != before, what
            assert page.evaluate(chosen) == cell, what
            page.keyboard.press("ArrowUp" if at_end else "ArrowDown")
            assert slider.input_value() == before, what
            assert page.evaluate(chosen) == cell, what


def written(path: Path, cells: list[str]) -> Path:
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.strip()) for cell in cells]), path)
    return path


@pytest.mark.nightly  # every day, all figures below
@pytest.mark.parametrize(
    ("server", "path"),
    [(list(APPLICATIONS)[i % 2], path) for i, path in enumerate(CHAPTERS)],
    indirect=["server"],
    ids=lambda value: getattr(value, "stem", value),
)
def test_chapter(open_notebook, path):
    notebook = open_notebook(path)
    assert_text_is_typeset(notebook, path)
    assert_figures_and_kernel_agree(notebook)
    assert_every_slider_moves(notebook)


@pytest.mark.nightly  # that each figure saves its picture is tested without Jupyter
@pytest.mark.parametrize("server", ["jupyterlab"], indirect=True)
def test_a_saved_notebook_shows_pictures_without_a_kernel(server, context, open_notebook, tmp_path):
    """Trusted or not; while the figures are alive, their pictures are hidden."""
    _, address, token, folder = server
    cells = ["from inorder.widgets import SameOrNot\nSameOrNot()", SMALL_INTERACT, COMPOSED.partition("---\n")[0]]
    n_figures = len(cells) + 1  # the box holds two
    live = open_notebook(written(tmp_path / "saved.ipynb", cells)).page
    for i in range(n_figures):
        live.locator(".inorder-figure").nth(i).wait_for()
        live.locator(PICTURE).nth(i).wait_for(state="attached")
        live.locator(PICTURE).nth(i).wait_for(state="hidden")
    assert live.locator(PICTURE).count() == live.locator(".inorder-figure").count() == n_figures
    live.evaluate("() => jupyterapp.commands.execute('docmanager:save')")
    saved = nbformat.read(folder / "saved.ipynb", 4)
    for name, trusted in (("trusted", True), ("untrusted", False)):
        saved.metadata["which"] = name
        nbformat.write(saved, folder / f"{name}.ipynb")
        if trusted:
            NotebookNotary(data_dir=str(folder.parent / "data")).sign(nbformat.read(folder / f"{name}.ipynb", 4))
        page = context.new_page()
        page.route("**/api/sessions*", lambda route: route.abort())  # no kernel can start
        page.goto(f"{address}lab/workspaces/{name}/tree/{name}.ipynb?token={token}")
        page.locator(PICTURE).nth(n_figures - 1).wait_for()
        wait_until(page, WIDE_ENOUGH, PICTURE)
        wait_until(page, TRUSTED, trusted)
        assert page.locator(".inorder-figure").count() == 0
        page.close()


@pytest.mark.parametrize("server", ["jupyterlab", pytest.param("notebook", marks=pytest.mark.nightly)], indirect=True)
def test_every_widget(open_notebook, tmp_path):
    notebook = open_notebook(written(tmp_path / "every_widget.ipynb", EVERY_WIDGET))
    assert notebook.figures.count() == len(inorder.widgets.__all__)
    assert notebook.page.evaluate(COLOURLESS) == []
    assert_figures_follow_the_theme(notebook)
    assert_figures_and_kernel_agree(notebook)
    assert_every_slider_moves(notebook)


@pytest.mark.parametrize("server", ["jupyterlab", pytest.param("notebook", marks=pytest.mark.nightly)], indirect=True)
def test_an_attention_map_fetches_heads_and_is_linked(open_notebook, tmp_path):
    notebook = open_notebook(written(tmp_path / "linked_map.ipynb", LINKED_MAP.split("---\n")))
    figure = notebook.figures.first
    assert notebook.ask("len(attention_map.data['heads'])") == 0
    message = notebook.ask("attention_map.summary()")
    figure.locator(".inorder-summary").get_by_text(message, exact=True).wait_for()

    figure.get_by_label("Head", exact=True).select_option("2")
    notebook.eventually("(attention_map.head, slider.value)", (2, 2))
    figure.locator(".inorder-summary").get_by_text(notebook.ask("attention_map.summary()"), exact=True).wait_for()
    notebook.ask("None", "slider.value = 3")  # the page copies it to the figure, which tells Python
    notebook.eventually("(attention_map.head, slider.value)", (3, 3))
    notebook.ask("None", "attention_map.layer, attention_map.query, attention_map.combine = 1, 4, 'mean'")
    message, note = notebook.ask("(attention_map.summary(), attention_map.note())")
    assert note.startswith("Average of the 4 heads of layer 1")
    figure.locator(".inorder-note").get_by_text(note, exact=True).wait_for()
    figure.locator(".inorder-summary").get_by_text(message, exact=True).wait_for()
    display = figure.locator('[data-name="weight"]').get_attribute("data-value")
    assert abs(float(display) - notebook.ask("float(attention_map.weights_on_page[4, 0])")) < 1e-9


@pytest.mark.nightly  # that a linked figure and Python hear of each other is tested above, by the map
@pytest.mark.parametrize("server", APPLICATIONS, indirect=True)
def test_figures_compose_with_ipywidgets(open_notebook, tmp_path):
    notebook = open_notebook(written(tmp_path / "composed.ipynb", COMPOSED.split("---\n")))
    page = notebook.page
    row = page.locator(".widget-hbox", has=page.locator(".inorder-figure"))
    assert row.locator("> * .inorder-figure").count() == 2
    calculator, same = notebook.figures.all()
    room, *widths = (element.bounding_box()["width"] for element in (row, calculator, same))
    assert 0.95 * room < sum(widths) <= room

    scale = calculator.get_by_label("Divide by √2")
    notebook.eventually("(box.value, calculator.scale)", (False, False))  # the link begins with the box's value
    page.get_by_label("a linked box").click()
    notebook.eventually("(box.value, calculator.scale)", (True, True))
    assert scale.is_checked()
    scale.click()
    notebook.eventually("(box.value, calculator.scale)", (False, False))

    page.get_by_label("positions", exact=True).click()  # Python hears of it, and moves the figure
    page.get_by_text("told True").wait_for()
    same.get_by_role("img", name="different").wait_for()
    same.locator(".inorder-summary").get_by_text(re.compile("numbers change")).wait_for()
    notebook.eventually("same.positions", True)


@pytest.mark.parametrize("server", ["jupyterlab"], indirect=True)
def test_a_lazy_figure_asks_the_kernel(open_notebook, tmp_path):
    """States come as they are asked for; a failure, a slow state and a dead kernel are told."""
    notebook = open_notebook(written(tmp_path / "lazy.ipynb", [LAZY]))
    page, figure = notebook.page, notebook.figures.first
    said, number = figure.locator(".inorder-summary"), figure.get_by_label("n, as a number from 0 to 1000")

    def enter(box, text):
        box.fill(text)
        box.press("Enter")

    enter(number, "500")
    said.get_by_text("500 times a b.", exact=True).wait_for()
    enter(figure.get_by_label("text"), "one two")
    said.get_by_text("500 times one two.", exact=True).wait_for()
    assert notebook.ask("calls") == [(3, "a b"), (500, "a b"), (500, "one two")]
    enter(number, "7")
    figure.get_by_text("raised ZeroDivisionError: seven. The last picture stays.").wait_for()
    enter(number, "8")
    figure.get_by_text("Python is computing asked(n=8, text='one two').").wait_for()
    said.get_by_text("8 times one two.", exact=True).wait_for()
    assert notebook.ask("lazy.visited") == [[3, "a b"], [8, "one two"], [500, "one two"], [500, "a b"]]
    open_notebook.expected = "Could not send widget sync message"
    page.evaluate("jupyterapp.shell.currentWidget.sessionContext.session.kernel.shutdown()")
    enter(number, "10")
    figure.get_by_text("Python has not answered yet: it may be busy.").wait_for()
    enter(number, "500")
    said.get_by_text("500 times one two.", exact=True).wait_for()


@pytest.mark.nightly  # what is asked and answered is tested without Jupyter, and that messages arrive, by the map
@pytest.mark.skipif(why_missing("decoder") is not None, reason=str(why_missing("decoder")))
@pytest.mark.parametrize("server", ["jupyterlab"], indirect=True)
def test_a_language_model_asks_the_kernel(open_notebook, tmp_path):
    """A prompt is typed, two words are swapped, the rotations are taken away; it can be stopped as it writes."""
    cell = (
        "from inorder.widgets import LanguageModel\nfigure = LanguageModel('Rome', 'From Berlin to Rome and')\nfigure"
    )
    notebook = open_notebook(written(tmp_path / "language_model.ipynb", [cell]))
    figure = notebook.figures.first
    said = figure.locator(".inorder-summary")

    def answers(prompts: list[str], positions: str) -> None:
        """What the page says is what Python recomputes, whatever the model is still generating."""
        notebook.eventually("(figure.prompts, figure.positions)", (prompts, positions))
        tokens = f"[decoder.next_tokens(text, decoder.load(), 1, {positions!r})[0].token for text in {prompts}]"
        for token in notebook.ask(tokens, "from inorder.pretrained import decoder"):
            said.get_by_text(f"“{token.strip()}”").wait_for()
        figure.get_by_text("Computed by the model").wait_for()

    figure.get_by_role("button", name="Load the model").click()
    figure.get_by_role("button", name="Pause").click(timeout=90_000)  # the kernel reads 98 MB first
    text, swapped = "From Berlin to Rome and", "From Rome to Berlin and"
    figure.get_by_role("button", name="Edit the first prompt").click()
    box = figure.get_by_label("Text of the first prompt")
    box.fill(text)
    box.press("Enter")
    words = figure.get_by_role("group", name="The second prompt").locator(".inorder-lm-word")
    words.nth(1).click()
    words.nth(3).click()
    answers([text, swapped], "trained")
    figure.get_by_label("Positions").select_option("unrotated")
    answers([text, swapped], "unrotated")
    figure.get_by_role("button", name="Pause").click()
    figure.get_by_role("button", name="Continue").wait_for()
