"""Brings the notebooks' widgets to life on the page, without require.js, a widget manager or a kernel.

MyST-NB leaves a view (which model) where a widget was shown and the state of all models in the page's metadata. Here

* each view becomes a ``<div class="inorder-view">`` followed by its static twin in ``<noscript>``;
* each distinct module becomes one classic script of the site (classic, because ES modules are dead on ``file://``)
  and each distinct style sheet one sheet; those of the package as they are today, not as the notebook stored them,
  so that a changed one shows without running the notebook again. What the figures of the package share, their kit, is
  one to three more scripts and one more style sheet, the same on all pages: a browser fetches each once;
* the models' state becomes one more script, and ``host.js`` mounts the views as the reader comes near. The words of a
  page wait for none of these files (``lean_page/scripts/after_words.js``).

What the host cannot bring to life is a warning, and so an error of the build: a widget that isn't an anywidget
(an ``HBox``, a slider, a progress bar), or one without a static twin.
"""

import hashlib
import importlib
import json
import re
from functools import cache
from pathlib import Path

from docutils import nodes
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from _ext import published_model
from _ext.alt_texts import MIME_TYPES_CHOSEN
from _ext.toolchain import esbuild
from inorder.widgets.host import host_script, traits_of
from inorder.widgets.kit.compose import compose_module, compose_style, kit_module, kit_style, kits_of
from inorder.widgets.loom.record import for_the_page

VIEW = "application/vnd.jupyter.widget-view+json"
LINKS = {"LinkModel": True, "DirectionalLinkModel": False}  # model name: both ways?
# The first with container queries and :has(). esbuild writes for them what came later, as nested style rules.
BROWSERS = "chrome105,edge105,firefox121,safari16"
OF_A_KERNEL = {"said", "visited"}  # of `interact`: empty where all states are there
logger = logging.getLogger(__name__)


def page_models(env, docname: str) -> dict:
    """The state of every widget model of a page, by model id."""
    if not hasattr(env, "nb_metadata"):
        return {}
    _, script = NbMetadataCollector.get_js_files(env, docname).get("ipywidgets_state", (None, {"body": "{}"}))
    return json.loads(script["body"]).get("state", {})


def front_end(model: dict) -> list[tuple[str, str]]:
    """Module and style sheet of a widget, and of each of its extras: of its folder in the package, which is its class's
    or its module's, or as a notebook has saved them for a class of its own.

    Those of the package need the kit on their page; what a notebook has saved brings it along.
    """
    module, _, name = model["state"]["_anywidget_id"].rpartition(".")
    if not module.startswith("inorder."):
        return [(model["state"]["_esm"], model["state"].get("_css", ""))]
    home = importlib.import_module(module)
    folder = getattr(getattr(home, name, None), "folder", Path(home.__file__).parent)
    names = [("view", "style"), *((extra, extra) for extra in model["state"].get("extras", []))]
    return [
        (compose_module(folder, f"{script}.js", with_kit=False), compose_style(folder, f"{sheet}.css", with_kit=False))
        for script, sheet in names
    ]


def kebab(model: dict) -> str:
    """``AttentionCalculator`` -> ``attention-calculator``."""
    name = model["state"]["_anywidget_id"].rpartition(".")[2]
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


class MountPoints(SphinxPostTransform):
    """Replaces each widget view by a mount point and its twin, before MyST-NB chooses one mime type."""

    default_priority = MIME_TYPES_CHOSEN - 1
    formats = ("html",)

    def run(self, **kwargs) -> None:
        models = page_models(self.env, self.env.docname)
        seen: dict[str, int] = {}
        for view in list(self.document.findall(lambda n: isinstance(n, nodes.raw) and VIEW in n.astext())):
            model_id = json.loads(re.search(r"\{.*\}", view.astext())[0])["model_id"]
            model = models.get(model_id)
            if model is None or not model["state"].get("_esm"):
                what = model["model_name"] if model else "a widget whose state was not saved"
                logger.warning("nothing on the built page answers %s: it has no front-end module", what, location=view)
                continue
            bundle = view.parent
            while bundle.get("nb_element") != "mime_bundle":
                bundle = bundle.parent
            by_mime = {child.get("mime_type"): child for child in bundle.children}
            twin = by_mime["image/svg+xml"].next_node(nodes.image) if "image/svg+xml" in by_mime else None
            if twin is None:
                logger.warning("%s has no static twin (image/svg+xml)", kebab(model), location=view)
                continue
            name = kebab(model)
            seen[name] = seen.get(name, 0) + 1
            place = f"{name}-{seen[name]}"
            mount = f'<div class="inorder-view" id="{place}" data-model="{model_id}"></div>'
            opening, closing = (nodes.raw(text=text, format="html") for text in (mount + "<noscript>", "</noscript>"))
            view.parent.replace(view, [opening, twin.deepcopy(), closing])


def add_page_files(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Give the page its widget scripts in place of MyST-NB's, if it has any."""
    files = context["script_files"]
    files[:] = [file for file in files if "widget-state+json" not in str(file.attributes)]  # MyST-NB's
    models = {} if doctree is None else models_on_page(page_models(app.env, pagename), doctree)
    widgets = {key: model for key, model in models.items() if model["state"].get("_esm")}
    if not widgets:
        return
    parts = dict.fromkeys(part for model in widgets.values() for part in front_end(model))
    for name in kits_of([module for module, _ in parts]):
        app.add_js_file(f"widgets/{write_once(app, 'js', kit_module(name), name)}.js", loading_method="defer")
    app.add_css_file(f"widgets/{write_once(app, 'css', kit_style())}.css")
    for module, style in parts:
        app.add_js_file(f"widgets/{write_once(app, 'js', module)}.js", loading_method="defer")
        if style:
            app.add_css_file(f"widgets/{write_once(app, 'css', style)}.css")
    for model in models_of("language-model", widgets):
        model["state"]["published"] = published_model.published(app, pagename)
        context["runs_webassembly"] = bool(model["state"]["published"])
    for model in models_of("loom", widgets):
        model["state"]["record"] = f"{'../' * pagename.count('/')}_static/widgets/{write_record(app)}"
    state = f"state_{pagename.replace('/', '_')}.js"
    (static_folder(app) / state).write_text(state_script(page_state(models)), encoding="utf8")
    app.add_js_file(f"widgets/{state}", loading_method="defer")
    app.add_js_file("widgets/host.js", loading_method="defer")
    (static_folder(app) / "host.js").write_text(host())


def models_of(kind: str, models: dict) -> list[dict]:
    return [model for model in models.values() if kebab(model) == kind]


@cache
def record_script() -> str:
    """A classic script that leaves the record of the Loom's trained model where its record.js looks for it."""
    return f"window.inorderRecord={json.dumps(for_the_page())}"


def write_record(app: Sphinx) -> str:
    """Write that script, which a page fetches once a reader asks for it; the name of the file."""
    path = static_folder(app) / f"{hashed(record_script())}.js"
    path.write_text(record_script(), encoding="utf8")
    return path.name


def ends_of(link: dict) -> list[tuple[str, str]]:
    """The two models, by id, that a link ties, each with the name of its trait."""
    pairs = link["state"]["source"], link["state"]["target"]
    return [(model_id.removeprefix("IPY_MODEL_"), trait) for model_id, trait in pairs]


def models_on_page(models: dict, doctree: nodes.document) -> dict:
    """The models that the page needs: those of its views, and those linked to them. A cell may have made others."""
    raw = "".join(node.astext() for node in doctree.findall(nodes.raw))
    needed = set(re.findall(r'class="inorder-view" id="[^"]*" data-model="(\w+)"', raw))
    links = {key: {model_id for model_id, _ in ends_of(m)} for key, m in models.items() if m["model_name"] in LINKS}
    while grown := [key for key, ends in links.items() if key not in needed and ends & needed]:
        needed.update(grown, *(links[key] for key in grown))
    return {key: model for key, model in models.items() if key in needed}


def page_state(models: dict) -> str:
    """What the host reads on a page, as JSON: each widget's state and the name of its module, and the links.

    Widgets of a kind stand together: what they have in common packs better the nearer it is.
    """
    page = {"models": {}, "links": []}
    for key, model in sorted(models.items(), key=lambda one: one[1]["state"].get("_anywidget_id", "")):
        if model["state"].get("_esm"):
            state = traits_of(model["state"], *(name for name in OF_A_KERNEL if not model["state"].get(name)))
            name = hashed(front_end(model)[0][0])
            page["models"][key] = {"definition": name, "state": state, "buffers": model.get("buffers", [])}
        elif model["model_name"] in LINKS:
            page["links"].append({"ends": ends_of(model), "both": LINKS[model["model_name"]]})
    return json.dumps(page, separators=(",", ":")).replace("</", "<\\/").replace("<!--", "<\\u0021--")


def state_script(state: str) -> str:
    """The page's state as a string for the host: a page from the disk may fetch a script, and no JSON."""
    return f"window.inorderState={json.dumps(state)}"


@cache
def host() -> str:
    return esbuild(host_script(), "--minify")


@cache
def browser_text(kind: str, text: str, name: str = "") -> str:
    """A module (``js``) as a classic script that registers it, a widget's under its hash; a style sheet (``css``)."""
    module = [f"--global-name={name or f'inorderWidgets.{hashed(text)}'}", "--format=iife"] if kind == "js" else []
    return esbuild(text, f"--loader={kind}", "--minify", f"--target={BROWSERS}", "--log-level=error", *module)


def static_folder(app: Sphinx) -> Path:
    folder = Path(app.outdir) / "_static" / "widgets"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def hashed(text: str) -> str:
    return "w" + hashlib.sha256(text.encode()).hexdigest()[:12]


def write_once(app: Sphinx, kind: str, text: str, name: str = "") -> str:
    """Write a module or a style sheet under the hash of its text, which is returned."""
    path = static_folder(app) / f"{hashed(text)}.{kind}"
    if not path.exists():
        path.write_text(browser_text(kind, text, name), encoding="utf8")
    return path.stem


def setup(app: Sphinx):
    app.setup_extension("_ext.published_model")
    app.add_post_transform(MountPoints)
    app.connect("html-page-context", add_page_files, priority=900)
    return {"version": "1", "parallel_read_safe": True}
