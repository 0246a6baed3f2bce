"""A chapter and a figure in a real JupyterLab and a real Notebook 7: they run, figures are moved, Python reads them.

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

from _ext.course_notebooks import chapter_paths
from harness.waiting import wait_until

APPLICATIONS = {"jupyterlab": "LabApp", "notebook": "JupyterNotebookApp"}  # module to start: its application
CHAPTER = next(path for path in chapter_paths() if re.search(r"\{prf:(?!ref)", path.read_text(encoding="utf8")))
SETTINGS = {
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none", "autoStartDefaultKernel": True},
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}
FIGURES = """import json
from ipywidgets.widgets.widget import _instances
from inorder.widgets.kit.figure import InteractiveFigure
figures = [f for f in _instances.values() if isinstance(f, InteractiveFigure)]"""
# Notebook 7.6.5 says the first while it starts, with an empty notebook and without settings too; JupyterLab the second
# now and then, as a cell leaves its window. The figures have no removeChild.
OWN_TROUBLE = {
    ("notebook", "exception: Cannot read properties of undefined (reading 'schema')"),
    (
        "jupyterlab",
        "exception: Failed to execute 'removeChild' on 'Node': The node to be removed is not a child of this node.",
    ),
}
SMALL_MAP = """import numpy as np
from inorder.widgets import AttentionMap
weights = np.random.default_rng(0).dirichlet(np.ones(9), size=(2, 4, 9))
attention_map = AttentionMap(weights, "a b c d e f g h i", budget=0, view="matrix")
attention_map"""
LAZY = """from inorder.widgets import interact, marks
calls = []
def asked(n=3, text="a b"):
    "What is asked for?"
    calls.append((n, text))
    if n == 7:
        raise ZeroDivisionError("seven")
    return marks.bars([float(n), 9.0]), marks.answer(f"{n} times {text}.")
lazy = interact(asked, n=(0, 1000), text="a b", lazy=True)
lazy"""
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
    for _ in range(3000):
        assert server.poll() is None, log.read_text()
        try:
            (info,) = map(json.loads, (path.read_text() for path in runtime.glob("jpserver-*.json")))
            urllib.request.urlopen(f"{info['url']}api?token={info['token']}", timeout=1)
            return info["url"]
        except (OSError, ValueError):
            time.sleep(0.1)
    raise TimeoutError(log.read_text())


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


@pytest.fixture
def open_notebook(server, browser):
    """open_notebook(path) runs a copy; at the end of the test, the page may not have complained."""
    module, address, token, folder = server
    context = browser.new_context(viewport={"width": 1500, "height": 1000})
    context.set_default_timeout(20_000)
    page, trouble = context.new_page(), []
    page.on("pageerror", lambda error: trouble.append(f"exception: {error}"))
    page.on("console", lambda m: trouble.append(f"console: {m.text}") if m.type == "error" else None)

    def open_one(path: Path) -> Notebook:
        shutil.copy(path, folder)
        place = "notebooks" if module == "notebook" else f"lab/workspaces/{path.stem}/tree"
        return Notebook(page, f"{address}{place}/{path.name}?token={token}")

    yield open_one
    context.close()
    assert [line for line in trouble if (module, line) not in OWN_TROUBLE] == []


def move(figure) -> None:
    """Use the first control a figure shows: a switch, a choice among several, a slider, or what its picture takes."""
    figure.scroll_into_view_if_needed()
    kinds = (
        "input[type=checkbox]",
        "select",
        "input[type=radio]:not(:checked)",
        ":is(input[type=range], [role=slider])",
    )
    switch, choice, option, slider = (figure.locator(f"{kind}:visible").first for kind in kinds)
    if switch.count():
        switch.click()
    elif choice.count():
        choice.select_option(index=0 if choice.evaluate("choice => choice.selectedIndex") else 1)
    elif option.count():
        option.check(force=True)  # its label lies over it
    elif slider.count():
        slider.press("ArrowRight")
    else:
        figure.locator(".inorder-stage [role=button]").first.press("Enter")


def assert_figures_and_kernel_agree(notebook: Notebook, figures: list) -> None:
    """Each figure is moved on the page, says what Python says, and follows when Python resets it."""
    for figure in figures:
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


def with_cells(path: Path, cells: list[str], folder: Path) -> Path:
    """A copy of a notebook, with these cells at its end."""
    notebook = nbformat.read(path, 4)
    notebook.cells += [nbformat.v4.new_code_cell(cell) for cell in cells]
    nbformat.write(notebook, folder / path.name)
    return folder / path.name


@pytest.mark.parametrize("server", ["jupyterlab", pytest.param("notebook", marks=pytest.mark.nightly)], indirect=True)
def test_a_chapter_and_figures_that_ask_the_kernel(open_notebook, tmp_path):
    """Heads of a map come as they are chosen, on the page or in Python; so do states, and a failure is told."""
    notebook = open_notebook(with_cells(CHAPTER, [SMALL_MAP, LAZY], tmp_path))
    *of_chapter, figure, lazy = notebook.figures.all()
    assert_figures_and_kernel_agree(notebook, of_chapter)
    for theme, dark in (("JupyterLab Dark", notebook.figures.count()), ("JupyterLab Light", 0)):
        notebook.page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
        wait_until(notebook.page, "n => document.querySelectorAll('.inorder-figure.is-dark').length === n", dark)

    assert notebook.ask("len(attention_map.data['heads'])") == 0
    figure.get_by_label("Head", exact=True).select_option("2")
    notebook.eventually("attention_map.head", 2)
    figure.locator(".inorder-summary").get_by_text(notebook.ask("attention_map.summary()"), exact=True).wait_for()
    notebook.ask("None", "attention_map.layer, attention_map.query, attention_map.combine = 1, 4, 'mean'")
    message, note = notebook.ask("(attention_map.summary(), attention_map.note())")
    assert note.startswith("Average of the 4 heads of layer 1")
    figure.locator(".inorder-note").get_by_text(note, exact=True).wait_for()
    figure.locator(".inorder-summary").get_by_text(message, exact=True).wait_for()
    display = figure.locator('[data-name="weight"]').get_attribute("data-value")
    assert abs(float(display) - notebook.ask("float(attention_map.weights_on_page[4, 0])")) < 1e-9

    said, number = lazy.locator(".inorder-summary"), lazy.get_by_label("n, as a number from 0 to 1000")
    number.fill("500")
    number.press("Enter")
    said.get_by_text("500 times a b.", exact=True).wait_for()
    assert notebook.ask("calls") == [(3, "a b"), (500, "a b")]
    number.fill("7")
    number.press("Enter")
    lazy.get_by_text("raised ZeroDivisionError: seven. The last picture stays.").wait_for()
    assert notebook.ask("lazy.visited") == [[3, "a b"], [500, "a b"]]
