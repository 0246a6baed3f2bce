"""A build that is killed: the reader keeps a site, and nothing half made passes for the whole."""

import contextlib
import os
from pathlib import Path

import pytest

from _ext import build


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A site from before, and the new one that Sphinx has made."""
    for name, value in {"BUILD": ".", "SITE": "html", "OLD_SITE": ".old", "STATE": ".pages"}.items():
        monkeypatch.setattr(build, name, tmp_path / value)
    for page, text in {"html/index.html": "old", ".pages/_build/html/index.html": "new"}.items():
        (tmp_path / page).parent.mkdir(parents=True)
        (tmp_path / page).write_text(text)
    return tmp_path


def killed_after(monkeypatch, n_steps: int) -> None:
    """The process ends instead of renaming or deleting once more."""
    left = iter(range(n_steps))

    def step(original):
        def take(*arguments, **options):
            if next(left, None) is None:
                raise KeyboardInterrupt
            return original(*arguments, **options)

        return take

    monkeypatch.setattr(Path, "rename", step(Path.rename))
    monkeypatch.setattr(os, "unlink", step(os.unlink))


@pytest.mark.parametrize("n_steps", range(4))
def test_there_is_a_site_whenever_the_build_is_killed(folder, monkeypatch, n_steps):
    with monkeypatch.context() as patch:
        killed_after(patch, n_steps)
        with contextlib.suppress(KeyboardInterrupt):
            build.publish()
    build.restore_site()  # with which the next build begins
    assert (folder / "html" / "index.html").read_text() in ("old", "new")
    build.publish()
    assert (folder / "html" / "index.html").read_text() == "new"
    assert sorted(path.name for path in folder.iterdir()) == [".pages", "html"]


@pytest.mark.parametrize("n_steps", range(4))
def test_what_sphinx_left_unfinished_goes_whole_or_stays_whole(folder, monkeypatch, n_steps):
    state = folder / ".pages"
    (state / "unfinished").touch()
    n_files = len([*state.rglob("*")])
    with monkeypatch.context() as patch:
        killed_after(patch, n_steps)
        with contextlib.suppress(KeyboardInterrupt):
            build.remove(state)
    assert len([*state.rglob("*")]) in (0, n_files)
    (folder / ".pages").mkdir(exist_ok=True)
    build.remove(state)
    assert [path.name for path in folder.iterdir()] == ["html"]
