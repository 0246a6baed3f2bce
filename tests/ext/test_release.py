"""The files that name a version name the same one, and say the same of its release."""

import re
import tomllib

import pytest
import yaml

from harness.site import ROOT


def release_date(changelog: str) -> str | None:
    """The date of the newest version of a changelog; None where it is not yet released."""
    (date,) = re.match(
        r".*?^## \S+ \((not yet released|20\d\d-\d\d-\d\d)\)$", changelog, re.MULTILINE | re.DOTALL
    ).groups()
    return None if date == "not yet released" else date


@pytest.mark.parametrize(
    ("changelog", "date"),
    [
        ("# Changes\n\n## 0.1.0 (not yet released)\n", None),
        ("# Changes\n\n## 0.2.0 (2027-01-31)\n\n## 0.1.0 (2026-12-01)\n", "2027-01-31"),
    ],
)
def test_the_date_is_that_of_the_newest_version(changelog, date):
    assert release_date(changelog) == date


def test_the_citation_gives_the_version_and_the_date_of_the_changelog():
    citation = yaml.load((ROOT / "CITATION.cff").read_text(encoding="utf8"), yaml.BaseLoader)
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf8")
    project = tomllib.loads((ROOT / "code" / "pyproject.toml").read_text(encoding="utf8"))["project"]
    assert re.search(r"^## (\S+) ", changelog, re.MULTILINE)[1] == citation["version"] == project["version"]
    assert citation.get("date-released") == release_date(changelog)
