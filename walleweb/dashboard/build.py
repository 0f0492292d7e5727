"""What `make web` has built: one page, and assets that have a digest in their names."""

from collections.abc import MutableMapping
from functools import lru_cache
from pathlib import Path
from typing import Final

DIST: Final = Path(__file__).resolve().parent.parent.parent / "frontend" / "dist"
ASSETS: Final = "dashboard/assets"
"""Where the assets are among the static files."""
NONCE: Final = "{{ nonce }}"
"""What stands in the page where its nonce belongs (frontend/vite.config.ts)."""
FOREVER: Final = "public, max-age=31536000, immutable"


class NotBuilt(Exception):
    """There is no build."""


def page(nonce: str) -> str:
    """The page with its nonce; a new build is taken up at once. Raises NotBuilt."""
    file = DIST / "index.html"
    try:
        return _read(file, file.stat().st_mtime_ns).replace(NONCE, nonce)
    except FileNotFoundError as error:
        raise NotBuilt from error


@lru_cache(maxsize=1)
def _read(file: Path, _changed: int) -> str:
    return file.read_text()


def add_headers(headers: MutableMapping[str, str], path: str, url: str) -> None:
    """ServeStatic's hook: browsers need not ask for an asset again, and pages of others may not have it."""
    if f"/{ASSETS}/" in url:
        headers["Cache-Control"] = FOREVER
        del headers["Access-Control-Allow-Origin"]
