"""Checks the links from the built site to others: ``python -m _ext.external_links``, which is ``make links``.

A link is dead if its server says that the page is not there (404, 410) or cannot be found. Other refusals (403, 429,
a slow server) are shown but don't count as failures: many publishers turn programs away.
"""

import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urldefrag

from bs4 import BeautifulSoup

from _ext.build import SITE

SECONDS = 30
ATTEMPTS = 3
BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"
GONE = {404, 410}


def links_of(site: Path) -> dict[str, str]:
    """Each address outside the site with a page that links to it."""
    pages: dict[str, str] = {}
    for path in sorted(site.rglob("*.html")):
        for link in BeautifulSoup(path.read_text(encoding="utf8"), "html.parser").select("a[href^=http]"):
            pages.setdefault(urldefrag(link["href"])[0], path.relative_to(site).as_posix())
    return pages


def answer(address: str) -> tuple[bool, str]:
    """Whether the link is dead, and the last answer of its server."""
    request = urllib.request.Request(address, headers={"User-Agent": BROWSER})
    for _ in range(ATTEMPTS):
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as response:
                return False, str(response.status)
        except urllib.error.HTTPError as error:
            dead, message = error.code in GONE, f"{error.code} {error.reason}"
            if error.code < 500:
                break
        except urllib.error.URLError as error:
            dead, message = True, str(error.reason)
        except OSError as error:  # a slow or broken connection
            dead, message = False, str(error)
    return dead, message


def main(site: Path = SITE) -> None:
    links = links_of(site)
    with ThreadPoolExecutor(8) as pool:
        answers = dict(zip(links, pool.map(answer, links), strict=True))
    dead = [address for address, (is_dead, _) in answers.items() if is_dead]
    for address, (is_dead, message) in answers.items():
        if message != "200":
            print(f"{'dead' if is_dead else 'unsure'}: {address} ({message}), on {links[address]}")
    print(f"{len(links)} links out of the book, {len(dead)} of them dead")
    sys.exit(1 if dead else 0)


if __name__ == "__main__":
    main()
