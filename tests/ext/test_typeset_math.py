"""Formulas are typeset by the project's own Node, without their TeX, and TeX that fails is named."""

from types import SimpleNamespace

import pytest
from sphinx.errors import ExtensionError
from sphinxcontrib import katex

from _ext import typeset_math
from _ext.toolchain import NODE


def test_formulas_are_typeset_and_wrong_tex_is_named(monkeypatch):
    for name in ("NODEJS_BINARY", "KATEX_DEFAULT_OPTIONS", "STARTUP_TIMEOUT", "RENDER_TIMEOUT", "render_latex"):
        monkeypatch.setattr(katex, name, getattr(katex, name))  # the extension, as it will be again
    monkeypatch.setattr(katex.KaTeXServer, "start_server_process", katex.KaTeXServer.start_server_process)
    monkeypatch.setattr(katex.KaTeXServer, "katex_server", None)
    typeset_math.setup(SimpleNamespace(connect=lambda *arguments, **options: None))
    try:
        html = katex.render_latex(r"\softmax \frac{1}{2}")
        assert "<mfrac>" in html and "<annotation" not in html
        assert 'display="block"' in katex.render_latex("x", {"displayMode": True})
        with pytest.raises(ExtensionError, match=r"does not typeset: \\nosuch"):
            katex.render_latex(r"\nosuch")
        process = katex.KaTeXServer.katex_server.process
        assert process.args[0] == NODE
    finally:
        typeset_math.stop_server(None, None)
    assert process.wait(timeout=10) is not None
