"""A sample of what `make fuzz` does ten thousand times: hostile states do no harm."""

import pytest

from tools.fuzz import Arena, figures

FIGURES = ["SoftLookup", "RelativeBiasExplorer", "interact", "hostile words"]


@pytest.mark.parametrize("name", FIGURES)
def test_hostile_states_do_no_harm(browser, name):
    page = browser.new_page(viewport={"width": 1008, "height": 900})
    page.set_default_timeout(20_000)
    arena = Arena(page, figures()[name](), seed=18)
    assert [wrong for number in range(12) for wrong in arena.case(number)] == []
    page.close()
