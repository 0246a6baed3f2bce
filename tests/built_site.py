"""Where the tests of the built book find it."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
SITE = ROOT / "_build" / "html"
PAGES = sorted(p.relative_to(SITE).as_posix() for p in SITE.rglob("*.html") if "_static" not in p.parts)
