"""What is left of a build that fails, warns or is interrupted. Jupyter Book is played by a function of four lines."""

import sys

import jupyter_book.cli.main
import pytest

from _ext import build


@pytest.fixture
def make(tmp_path, monkeypatch, capsys):
    """make(page, warning="", error=None): a build that writes that page; (exit status, output).

    Like Sphinx, it warns only of a page that it has not read before.
    """
    for name in ("BUILD", "SITE", "UNFINISHED", "LOG"):
        place = getattr(build, name).relative_to(build.ROOT)
        monkeypatch.setattr(build, name, tmp_path / place)
    monkeypatch.setattr(build, "run_all", lambda: None)

    def run(text, *, warning="", error=None, lenient=False):
        def play(arguments, standalone_mode):
            assert ("-W" not in arguments) == lenient
            page = build.UNFINISHED / "_build" / "html" / "index.html"
            print("reading sources")
            if page.exists() and page.read_text() == text:
                return
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(text)
            if error:
                raise error
            if warning:
                print(f"\x1b[91mindex.md: WARNING: {warning}\x1b[39m", file=sys.stderr)
                if not lenient:
                    raise RuntimeError("There was an error in building your book.")

        monkeypatch.setattr(jupyter_book.cli.main, "main", play)
        monkeypatch.setenv("LENIENT", "1" if lenient else "")
        try:
            build.main()
        except SystemExit as stop:
            return stop.code, "".join(capsys.readouterr())
        return 0, "".join(capsys.readouterr())

    return run


def site() -> str:
    return (build.SITE / "index.html").read_text()


def test_a_failed_build_fails_again_and_leaves_the_last_site(make):
    make("good")
    for _ in range(2):
        code, output = make("bad", warning="no such page")
        assert "The site of the last whole build is still in _build/html" in code
        assert "index.md: WARNING: no such page\n" in output
        assert site() == "good"
        assert "no such page" in build.LOG.read_text()
    assert make("repaired")[0] == 0
    assert site() == "repaired"


def test_an_interrupted_build_mends_itself(make):
    make("good")
    with pytest.raises(KeyboardInterrupt):
        make("half", warning="never said", error=KeyboardInterrupt())
    assert site() == "good"
    code, output = make("half", warning="never said")  # Sphinx alone would take the half page for read
    assert code != 0
    assert "never said" in output


def test_a_lenient_build_shows_its_warnings_and_does_not_excuse_a_strict_one(make):
    for _ in range(2):
        code, output = make("page", warning="no such page", lenient=True)
        assert code == 0
        assert "WARNING: no such page" in output
        assert site() == "page"
    assert make("page", warning="no such page")[0] != 0
    assert site() == "page"
