"""Turn git objects into artifacts: the files of a commit, each read from git once and stored."""

from collections.abc import Iterable, Iterator
from typing import Final

from django.conf import settings

from devices_app.stores import artifact_store, exclusive_store
from tasks_app.models import IngestedBlob
from tasks_app.repository import Repository
from walle.bundle.compiling import BoundedCompiler, with_bytecode
from walle.bundle.interpreters import Interpreters
from walle.bundle.models import with_models
from walle.bundle.tree import REGULAR, SUBMODULE, SYMLINK, TreeEntry
from walle.bundle.tree_listing import TreeLimits
from walle.bundle.validation import BundleValidation, validate_tree

__all__ = ["StoredTree", "artifact_store", "check_content", "exclusive_store", "tree_limits"]

_MODES: Final = {"file": REGULAR, "symlink": SYMLINK, "submodule": SUBMODULE}


def tree_limits() -> TreeLimits:
    """Return the size limits of a version on this server."""
    return TreeLimits(file_bytes=settings.WALLE_MAX_FILE)


class StoredTree:
    """The tree of a commit as walle.bundle expects it; its files are stored as artifacts once they pass the checks.

    The artifact of each blob is recorded in IngestedBlob, so that a file that many versions share is read from git only
    the first time.
    """

    def __init__(self, repository: Repository, commit: str) -> None:
        self._repository = repository
        self._store = artifact_store()
        self._entries = {entry.path: entry for entry in repository.entries(commit)}
        oids = [entry.oid for entry in self._entries.values() if entry.kind == "file"]
        # A tree with more files is refused anyway.
        self._known = IngestedBlob.objects.in_bulk(oids) if len(oids) <= tree_limits().files else {}

    def entries(self) -> Iterator[TreeEntry]:
        for entry in self._entries.values():
            yield TreeEntry(entry.path, entry.size or 0, _MODES[entry.kind])

    def read(self, path: str) -> bytes:
        return b"".join(self._repository.read(self._entries[path].oid))

    def digest(self, path: str) -> str:
        """Return the SHA-256 of a stored file."""
        return self._known[self._entries[path].oid].digest

    def keep(self, files: Iterable[TreeEntry]) -> None:
        """Store these files, where they outlive this process, and record them."""
        oids = dict.fromkeys(self._entries[file.path].oid for file in files)
        missing = [oid for oid in oids if not self._is_stored(oid)]
        added = zip(missing, self._store.put_all(self._repository.contents(missing)), strict=True)
        fresh = {oid: IngestedBlob(oid=oid, digest=stored.digest, size=stored.size) for oid, stored in added}
        IngestedBlob.objects.bulk_create(fresh.values(), ignore_conflicts=True)
        self._known |= fresh

    def keep_made(self, contents: Iterable[bytes]) -> None:
        """Store what was made of files of the tree."""
        self._store.put_all(contents)

    def _is_stored(self, oid: str) -> bool:
        known = self._known.get(oid)
        # Renewed as if stored now: it must not be collected before the version refers to it.
        return known is not None and self._store.renew(known.digest)


def check_content(tree: StoredTree) -> BundleValidation:
    """Return whether a commit is a valid version; if so, what devices get of it is stored afterwards."""
    with BoundedCompiler() as compiler:
        validation = validate_tree(tree, tree_limits(), compiler=compiler)
    validation = with_bytecode(tree, validation, Interpreters(settings.WALLE_INTERPRETERS))
    validation = with_models(tree, validation)
    if validation.ok:
        # The store serves whoever knows a digest: sources that are not shipped stay in git.
        tree.keep(file for file in validation.files if validation.travels_as_it_is(file.path))
        if validation.bytecode is not None:
            tree.keep_made(validation.bytecode.compiled.values())
        tree.keep_made(validation.models.imported.values())
    return validation
