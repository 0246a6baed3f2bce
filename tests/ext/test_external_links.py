"""The links out of the book, on a server of this machine that has a page, lacks one, and turns programs away."""

from http.server import SimpleHTTPRequestHandler

import pytest

from _ext.external_links import links_of, main
from harness.site import served


class Shop(SimpleHTTPRequestHandler):
    def do_GET(self):
        status = {"/here": 200, "/closed": 403}.get(self.path, 404)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


@pytest.mark.parametrize(("paths", "failed"), [(["here", "closed"], False), (["here", "gone"], True)])
def test_only_what_is_gone_is_dead(tmp_path, capsys, paths, failed):
    with served(tmp_path, Shop) as address:
        links = " ".join(f'<a href="{address}/{path}#place">there</a>' for path in paths)
        (tmp_path / "page.html").write_text(
            f'{links} <a href="other.html">inside</a> <a href="{address}/here">again</a>'
        )
        assert links_of(tmp_path) == {f"{address}/{path}": "page.html" for path in paths}
        with pytest.raises(SystemExit) as stop:
            main(tmp_path)
    assert stop.value.code == failed
    message = capsys.readouterr().out
    assert f"2 links out of the book, {int(failed)} of them dead" in message
    verdict = "dead" if failed else "unsure"
    assert f"{verdict}: {address}/{paths[1]} (40" in message and "on page.html" in message
    assert f"{address}/here" not in message


def test_a_server_that_is_not_there_is_dead(tmp_path, capsys):
    with served(tmp_path) as address:
        pass
    (tmp_path / "page.html").write_text(f'<a href="{address}/">nobody</a>')
    with pytest.raises(SystemExit) as stop:
        main(tmp_path)
    assert stop.value.code == 1
    assert "dead" in capsys.readouterr().out
