"""How the dashboard's assets are kept among the static files: as they were built.

Their names hold a digest already and name each other, and compressed ones stand beside them.
"""

from collections.abc import Iterator
from typing import Any

from servestatic.storage import CompressedManifestStaticFilesStorage

from walleweb.dashboard.build import ASSETS


class Storage(CompressedManifestStaticFilesStorage):
    """Static files with a digest in their names; those of the dashboard are left alone.

    Where nothing was collected, as with `make run`, all files go by their own names.
    """

    def stored_name(self, name: str) -> str:
        return super().stored_name(name) if self.hashed_files else name

    def post_process(self, paths: dict[str, Any], *args: Any, **options: Any) -> Iterator[Any]:
        ours = {name: place for name, place in paths.items() if not name.startswith(f"{ASSETS}/")}
        yield from super().post_process(ours, *args, **options)
