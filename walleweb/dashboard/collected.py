"""Say where the static files of this version lie once they are collected (`manage.py collect_static_files`).

Versions share the folder: nothing in it is removed, so that pages of the version before find their files during an
upgrade, and the way back needs nothing. Each has a list of its own, from which the names in its pages come.
"""

from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from walleweb.dashboard.build import DIST

_BASE: Final = DIST.parent.parent
_SOURCES: Final = (_BASE / "requirements.txt", DIST / "index.html")
"""Static files are those of pinned packages, and the dashboard's build, whose page names them by their digests."""


@lru_cache(maxsize=1)
def manifest_name() -> str:
    """Return the name of this version's list of static files; it says what they are made of."""
    digest = sha256()
    for file in _SOURCES:
        digest.update(file.read_bytes() if file.is_file() else b"")
    return f"staticfiles-{digest.hexdigest()[:16]}.json"


def is_collected(folder: Path) -> bool:
    """Return whether the static files of this version lie in a folder."""
    return (folder / manifest_name()).is_file()
