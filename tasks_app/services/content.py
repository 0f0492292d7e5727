"""From git objects to artifacts: the files of a commit, each read from git once and kept in the store."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Final

from django.conf import settings

from tasks_app.models import IngestedBlob
from tasks_app.repository import Repository
from walle.artifacts import LocalStore, Stored
from walle.bundle.tree import REGULAR, SUBMODULE, SYMLINK, TreeEntry
from walle.bundle.validation import TreeLimits, Validation, validate_tree

# In bytes; a batch of small files is held in memory.
_SMALL: Final = 1 << 20
_BATCH: Final = 32
_WRITERS: Final = 8
_MODES: Final = {"file": REGULAR, "symlink": SYMLINK, "submodule": SUBMODULE}


def artifact_store() -> LocalStore:
    """The content-addressed store of this installation."""
    return LocalStore(settings.WALLE_ARTIFACTS_DIR)


def exclusive_store() -> LocalStore:
    """The store of exclusive files: apart, because whatever the other one holds is served to anybody by its digest."""
    return LocalStore(settings.WALLE_EXCLUSIVE_DIR)


def _limits() -> TreeLimits:
    return TreeLimits(file_bytes=settings.WALLE_MAX_FILE)


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
        # A tree of more files is refused anyway.
        self._known = IngestedBlob.objects.in_bulk(oids) if len(oids) <= _limits().files else {}
        self._fresh: list[IngestedBlob] = []

    def entries(self) -> Iterator[TreeEntry]:
        for entry in self._entries.values():
            yield TreeEntry(entry.path, entry.size or 0, _MODES[entry.kind])

    def read(self, path: str) -> bytes:
        with closing(self._store.open(self.digest(path))) as file:
            return file.read()

    def digest(self, path: str) -> str:
        """SHA-256 of a file, which then is in the store."""
        entry = self._entries[path]
        if not self._is_kept(entry.oid):
            self._remember(entry.oid, self._store.put(self._repository.read(entry.oid)))
        return self._known[entry.oid].digest

    def keep(self, files: Iterable[TreeEntry]) -> None:
        """Bring these files, and the memory of all that were read, to where they outlive this process."""
        wanted = {entry.oid: entry for entry in (self._entries[file.path] for file in files)}
        missing = [entry for entry in wanted.values() if not self._is_kept(entry.oid)]
        self._put_together([entry.oid for entry in missing if (entry.size or 0) <= _SMALL])
        for entry in missing:
            self.digest(entry.path)
        IngestedBlob.objects.bulk_create(self._fresh, ignore_conflicts=True)
        self._fresh.clear()

    def _put_together(self, oids: list[str]) -> None:
        """Small files, several at a time: the store waits for the disk after each, and these waits overlap."""
        with ThreadPoolExecutor(_WRITERS) as writers:
            for start in range(0, len(oids), _BATCH):
                part = oids[start : start + _BATCH]
                contents = (b"".join(self._repository.read(oid)) for oid in part)
                for oid, stored in zip(part, writers.map(self._store.put, contents), strict=True):
                    self._remember(oid, stored)

    def _is_kept(self, oid: str) -> bool:
        known = self._known.get(oid)
        return known is not None and self._store.has(known.digest)

    def _remember(self, oid: str, stored: Stored) -> None:
        self._known[oid] = IngestedBlob(oid=oid, digest=stored.digest, size=stored.size)
        self._fresh.append(self._known[oid])


def check_content(tree: StoredTree) -> Validation:
    """Whether a commit is a proper version; if so, its files are in the store afterwards."""
    validation = validate_tree(tree, _limits())
    tree.keep(validation.files if validation.ok else ())
    return validation
