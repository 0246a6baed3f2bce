"""`inorder.palette`: contrasts as in WCAG 2.2, colours apart for every eye, the same names in both themes."""

import re
from itertools import combinations

import numpy as np
import pytest

from harness.contrast import contrast
from inorder.palette import DARK, LIGHT, css_variables

TEXT = ["ink", "muted", "query", "key", "value", "position", "negative", "positive"]  # needs a contrast of 4.5

# What an eye without one kind of cone makes of linear red, green and blue: Machado, Oliveira and Fernandes (2009),
# at severity 1.
EYES = {
    "all cones": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
PAIRS = [*combinations(["query", "key", "value", "position"], 2), ("negative", "positive")]
APART = 0.08  # in Oklab, where two colours side by side are seen as two from 0.02 on


def linear(colour):
    channels = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def oklab(rgb):
    """Ottosson (2020): distances are those that are seen."""
    cones = [[0.4122215, 0.5363325, 0.0514460], [0.2119035, 0.6806995, 0.1073970], [0.0883025, 0.2817188, 0.6299787]]
    lab = [[0.2104543, 0.7936178, -0.0040720], [1.9779985, -2.4285922, 0.4505937], [0.0259040, 0.7827718, -0.8086758]]
    return np.array(lab) @ np.cbrt(np.array(cones) @ np.clip(rgb, 0, 1))


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_actors_and_signs_differ_for_every_eye(theme, eye):
    seen = {name: oklab(np.array(EYES[eye]) @ linear(colour)) for name, colour in theme.items()}
    assert np.linalg.norm(seen["paper"] - seen["ink"]) > 0.6
    near = {pair: np.linalg.norm(seen[pair[0]] - seen[pair[1]]) for pair in PAIRS}
    assert {pair: distance for pair, distance in near.items() if distance < APART} == {}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "plate"])
def test_contrasts(theme, ground):
    """Text needs 4.5, the outline of a control 3; minus has 4.3 on a plate by day."""
    least = dict.fromkeys(TEXT, 4.5) | {"edge": 3, "negative": 4.3}
    assert {name: contrast(theme[name], theme[ground]) >= need for name, need in least.items()} == dict.fromkeys(
        least, True
    )


def test_both_themes_have_the_same_names():
    assert list(LIGHT) == list(DARK)
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in [*LIGHT.values(), *DARK.values()])


def test_style_sheets_get_every_colour_under_its_name():
    for theme in (LIGHT, DARK):
        assert dict(re.findall(r"--(\w+): (#\w+);", css_variables(theme))) == theme
