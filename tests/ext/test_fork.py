"""A fork: its buttons open it, whatever host it is on, and its notebooks install from it."""

from types import SimpleNamespace

import pytest

from _ext import package_wheel, repository


@pytest.mark.parametrize(
    ("remote", "url"),
    [
        ("https://user:secret@github.com/someone/book.git", "https://github.com/someone/book"),
        ("git@gitlab.com:group/subgroup/team/book.git", "https://gitlab.com/group/subgroup/team/book"),
        ("ssh://git@git.example.edu:2222/group/book.git", "https://git.example.edu/group/book"),
        ("/home/someone/book", ""),
    ],
)
def test_the_repository_from_its_remote(remote, url):
    assert repository.web_address(remote) == url


@pytest.fixture
def fork(monkeypatch, tmp_path):
    """The theme's settings and the package's address, given a configuration of the book."""

    def configured(text: str) -> tuple[dict, str]:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.yml"
        path.write_text(text)
        monkeypatch.setattr(repository, "CONFIGURATION", path)
        config = SimpleNamespace(html_theme_options={})
        repository.configure(None, config)
        return config.html_theme_options, package_wheel.package_address(repository.site_address())

    monkeypatch.delenv("BOOK_URL", raising=False)
    return configured


def test_settings_of_a_fork(fork, monkeypatch):
    hub = "launch_buttons: {jupyterhub_url: https://hub.example.edu}\n"
    for url, sites in (("https://github.com/a/book", 2), ("https://git.example.edu/a/book", 0)):
        options, address = fork(f"{hub}repository: {{url: {url}, branch: spring}}")
        assert (options["repository_url"], options["repository_branch"]) == (url, "spring")
        assert options["launch_buttons"]["jupyterhub_url"] == "https://hub.example.edu"
        assert len({"binderhub_url", "colab_url"} & options["launch_buttons"].keys()) == sites
        assert address == f"git+{url}@spring#subdirectory=code"
        assert options.get("repository_provider") == (None if sites else "gitlab")
    wheel = package_wheel.wheel_name()
    assert fork("html: {baseurl: https://book.example}")[1] == f"https://book.example/_static/{wheel}"
    monkeypatch.setenv("BOOK_URL", "https://fork.example/book/")
    assert fork("title: Book")[1] == f"https://fork.example/book/_static/{wheel}"
