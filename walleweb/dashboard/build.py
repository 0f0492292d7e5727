"""Read what `make web` has built: one page, and assets that have a digest in their names."""

from collections.abc import MutableMapping
from functools import lru_cache
from pathlib import Path
from typing import Final

DIST: Final = Path(__file__).resolve().parent.parent.parent / "frontend" / "dist"
ASSETS: Final = "dashboard/assets"
"""The folder of the assets among the static files."""
NONCE: Final = "{{ nonce }}"
"""The placeholder of the nonce in the page (frontend/vite.config.ts)."""
FOREVER: Final = "public, max-age=31536000, immutable"


class NotBuilt(Exception):
    """The dashboard is not built."""


def page(nonce: str) -> str:
    """Return the page with its nonce; a new build is noticed at once. Raises NotBuilt."""
    file = DIST / "index.html"
    try:
        return _read(file, file.stat().st_mtime_ns).replace(NONCE, nonce)
    except FileNotFoundError as error:
        raise NotBuilt from error


@lru_cache(maxsize=1)
def _read(file: Path, _changed: int) -> str:
    return file.read_text()


def add_headers(headers: MutableMapping[str, str], path: str, url: str) -> None:
    """Add headers as ServeStatic's hook: browsers cache an asset for good, and other origins may not load it."""
    if f"/{ASSETS}/" in url:
        headers["Cache-Control"] = FOREVER
        del headers["Access-Control-Allow-Origin"]
