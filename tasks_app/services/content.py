"""From git objects to artifacts: the files of a commit, each read from git once and kept in the store."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Final

from django.conf import settings

from tasks_app.models import IngestedBlob
from tasks_app.repository import Repository
from walle.artifacts import LocalStore
from walle.bundle.tree import REGULAR, SUBMODULE, SYMLINK, TreeEntry
from walle.bundle.validation import TreeLimits, Validation, validate_tree

_MODES: Final = {"file": REGULAR, "symlink": SYMLINK, "submodule": SUBMODULE}


def artifact_store() -> LocalStore:
    """The content-addressed store of this installation."""
    return LocalStore(settings.WALLE_ARTIFACTS_DIR)


def exclusive_store() -> LocalStore:
    """The store of exclusive files: apart, because whatever the other one holds is served to anybody by its digest."""
    return LocalStore(settings.WALLE_EXCLUSIVE_DIR)


class StoredTree:
    """The tree of a commit as walle.bundle wants it; whatever is read lands in the artifact store.

    What a blob became in the store is remembered in IngestedBlob, so that a file that many versions share
    is read from git only the first time.
    """

    def __init__(self, repository: Repository, commit: str) -> None:
        self._repository = repository
        self._store = artifact_store()
        self._entries = {entry.path: entry for entry in repository.entries(commit)}
        oids = [entry.oid for entry in self._entries.values() if entry.kind == "file"]
        self._known = IngestedBlob.objects.in_bulk(oids)
        self._fresh: list[IngestedBlob] = []

    def entries(self) -> Iterator[TreeEntry]:
        for entry in self._entries.values():
            yield TreeEntry(entry.path, entry.size or 0, _MODES[entry.kind])

    def read(self, path: str) -> bytes:
        with closing(self._store.open(self.digest(path))) as file:
            return file.read()

    def digest(self, path: str) -> str:
        """SHA-256 of a file, which then is in the store."""
        oid = self._entries[path].oid
        known = self._known.get(oid)
        if known is None or not self._store.has(known.digest):
            known = self._known[oid] = self._ingest(oid)
        return known.digest

    def keep(self, files: Iterable[TreeEntry]) -> None:
        """Bring these files, and the memory of all that were read, to where they outlive this process."""
        for file in files:
            self.digest(file.path)
        IngestedBlob.objects.bulk_create(self._fresh, ignore_conflicts=True)
        self._fresh.clear()

    def _ingest(self, oid: str) -> IngestedBlob:
        stored = self._store.put(self._repository.read(oid))
        blob = IngestedBlob(oid=oid, digest=stored.digest, size=stored.size)
        self._fresh.append(blob)
        return blob


def check_content(tree: StoredTree) -> Validation:
    """Whether a commit is a proper version; if so, its files are in the store afterwards."""
    validation = validate_tree(tree, TreeLimits(file_bytes=settings.WALLE_MAX_FILE))
    tree.keep(validation.files if validation.ok else ())
    return validation
