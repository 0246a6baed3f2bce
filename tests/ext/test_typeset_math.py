"""Formulas are typeset by the project's own Node, without their TeX, and TeX that fails is named."""

import pytest
from sphinx.errors import ExtensionError

from _ext.typeset_math import typeset


def test_formulas_are_typeset_and_wrong_tex_is_named():
    html = typeset(r"\softmax \frac{1}{2}")
    assert "<mfrac>" in html and "<annotation" not in html
    assert 'display="block"' in typeset("x", block=True)
    with pytest.raises(ExtensionError, match=r"does not typeset: \\nosuch"):
        typeset(r"\nosuch")
