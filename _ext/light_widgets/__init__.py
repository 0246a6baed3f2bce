"""Puts the widgets of the notebooks on the page alive, without require.js, a widget manager or a kernel.

MyST-NB leaves a view (which model) where a widget was shown and the state of all models in the page's metadata. Here

* each view becomes a ``<div class="inorder-view">`` followed by its static twin in ``<noscript>``;
* each distinct ``_esm`` becomes one classic script of the site (classic, because ES modules are dead on ``file://``)
  and each distinct ``_css`` one style sheet;
* the models' state goes into the page as JSON, and ``host.js`` mounts the views.

What the host could not bring to life is a warning, and so an error of the build: a widget that is no anywidget
(an ``HBox``, a slider, a progress bar), or one without a static twin.
"""

import hashlib
import json
import re
from pathlib import Path

from docutils import nodes
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from toolchain import esbuild

VIEW = "application/vnd.jupyter.widget-view+json"
ASSETS = Path(__file__).parent
LINKS = {"LinkModel": True, "DirectionalLinkModel": False}  # model name: both ways?
NO_STATE = {"layout", "tabbable", "tooltip"}  # ipywidgets' own traits
logger = logging.getLogger(__name__)


def page_models(env, docname: str) -> dict:
    """The state of every widget model of a page, by model id."""
    if not hasattr(env, "nb_metadata"):
        return {}
    _, script = NbMetadataCollector.get_js_files(env, docname).get("ipywidgets_state", (None, {"body": "{}"}))
    return json.loads(script["body"]).get("state", {})


def kebab(model: dict) -> str:
    """``AttentionCalculator`` -> ``attention-calculator``."""
    name = model["state"]["_anywidget_id"].rpartition(".")[2]
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


class MountPoints(SphinxPostTransform):
    """Replaces each widget view by a mount point and its twin, before MyST-NB chooses one mime type (priority 4)."""

    default_priority = 3
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
            by_mime = {child["mime_type"]: child for child in bundle.children}
            twin = by_mime["image/svg+xml"].next_node(nodes.image) if "image/svg+xml" in by_mime else None
            if twin is None:
                logger.warning("%s has no static twin (image/svg+xml)", kebab(model), location=view)
                continue
            name = kebab(model)
            seen[name] = seen.get(name, 0) + 1
            mount = f'<div class="inorder-view" id="{name}-{seen[name]}" data-model="{model_id}"></div>'
            twin = twin.deepcopy()
            twin["alt"] = by_mime["text/plain"].astext()
            opening, closing = (nodes.raw(text=text, format="html") for text in (mount + "<noscript>", "</noscript>"))
            view.parent.replace(view, [opening, twin, closing])


def add_page_files(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Give the page its widget scripts in place of MyST-NB's, if it has any."""
    context["script_files"][:] = [f for f in context["script_files"] if "widget-state+json" not in str(f.attributes)]
    models = page_models(app.env, pagename)
    widgets = {key: model for key, model in models.items() if model["state"].get("_esm")}
    if not widgets or doctree is None:
        return
    page = {"models": {}, "links": []}
    for key, model in widgets.items():
        state = {k: v for k, v in model["state"].items() if not k.startswith("_") and k not in NO_STATE}
        definition = write_once(app, "js", model["state"]["_esm"])
        page["models"][key] = {"definition": definition, "state": state, "buffers": model.get("buffers", [])}
        app.add_js_file(f"widgets/{definition}.js", loading_method="defer")
        if model["state"].get("_css"):
            app.add_css_file(f"widgets/{write_once(app, 'css', model['state']['_css'])}.css")
    for model in models.values():
        if model["model_name"] in LINKS:
            source, target = model["state"]["source"], model["state"]["target"]
            ends = [[model_id.removeprefix("IPY_MODEL_"), trait] for model_id, trait in (source, target)]
            page["links"].append({"ends": ends, "both": LINKS[model["model_name"]]})
    body = json.dumps(page, separators=(",", ":")).replace("</", "<\\/").replace("<!--", "<\\!--")
    app.add_js_file(None, body=body, type="application/json", id="inorder-widgets")
    app.add_js_file("widgets/host.js", loading_method="defer")
    (static_folder(app) / "host.js").write_text(esbuild((ASSETS / "host.js").read_text(), "--minify"))


def static_folder(app: Sphinx) -> Path:
    folder = Path(app.outdir) / "_static" / "widgets"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_once(app: Sphinx, kind: str, text: str) -> str:
    """Write a front-end module or style sheet under the hash of its text, which is returned."""
    name = "w" + hashlib.sha256(text.encode()).hexdigest()[:12]
    path = static_folder(app) / f"{name}.{kind}"
    if not path.exists():
        module = [f"--global-name=inorderWidgets.{name}", "--format=iife"] if kind == "js" else []
        path.write_text(esbuild(text, f"--loader={kind}", "--minify", "--log-level=error", *module), encoding="utf8")
    return name


def setup(app: Sphinx):
    app.add_post_transform(MountPoints)
    app.connect("html-page-context", add_page_files, priority=900)
    return {"version": "1", "parallel_read_safe": True}
