"""Storage of static files that leaves the dashboard's assets as they were built.

Their names contain a digest already and refer to each other, and compressed ones are stored beside them.
"""

from collections.abc import Iterator
from typing import Any

from servestatic.storage import CompressedManifestStaticFilesStorage

from walleweb.dashboard.build import ASSETS
from walleweb.dashboard.collected import manifest_name


class Storage(CompressedManifestStaticFilesStorage):
    """Static files with a digest in their names, except those of the dashboard.

    If this version's were not collected, as with `make run`, all files keep their own names.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        self.manifest_name = manifest_name()
        # Whoever started the collection, nginx has to reach the files.
        super().__init__(*args, file_permissions_mode=0o644, directory_permissions_mode=0o755, **options)

    def stored_name(self, name: str) -> str:
        return super().stored_name(name) if self.hashed_files else name

    def post_process(self, paths: dict[str, Any], *args: Any, **options: Any) -> Iterator[Any]:
        ours = {name: place for name, place in paths.items() if not name.startswith(f"{ASSETS}/")}
        yield from super().post_process(ours, *args, **options)
