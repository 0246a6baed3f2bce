"""The model on the site: in parts, once, under its hash, or not at all; and what a page may run because of it."""

import hashlib
import json
from types import SimpleNamespace

import pytest

from _ext import published_model


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / "model.gguf"
    path.write_bytes(bytes(range(250)) * 10)
    monkeypatch.setattr(published_model, "find_file", lambda: path)
    monkeypatch.setattr(published_model, "SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    monkeypatch.setattr(published_model, "PART", 1000)
    return path


@pytest.fixture
def app(tmp_path):
    (tmp_path / "site" / "_static" / "widgets").mkdir(parents=True)
    return SimpleNamespace(outdir=str(tmp_path / "site"), config=SimpleNamespace(publish_model=True))


def test_the_parts_are_the_file(app, file, tmp_path):
    answer = published_model.published(app, "chapters/gallery")
    site = tmp_path / "site"
    parts = [(site / "chapters" / name).resolve() for name in answer["parts"]]
    assert [part.stat().st_size for part in parts] == [1000, 1000, 500]
    assert b"".join(part.read_bytes() for part in parts) == file.read_bytes()
    assert answer["size"] == 2500
    worker = (site / "chapters" / answer["engine"]).resolve().read_text(encoding="utf8")
    assert "WebAssembly" in json.loads(worker.removeprefix("window.inorderEngine="))
    assert published_model.published(app, "index")["parts"][0].startswith("_static/model/")


def test_an_altered_file_is_not_published(app, file):
    file.write_bytes(file.read_bytes()[::-1])
    with pytest.raises(ValueError, match=r"expected .*model\.gguf of SHA-256 .*, got "):
        published_model.published(app, "index")


def test_it_can_be_switched_off_and_may_not_be_there(app, file, monkeypatch):
    app.config.publish_model = False
    assert published_model.published(app, "index") == {}
    app.config.publish_model = True

    def missing():
        raise FileNotFoundError("expected the weights on this machine, got none")

    monkeypatch.setattr(published_model, "find_file", missing)
    assert published_model.published(app, "index") == {}
