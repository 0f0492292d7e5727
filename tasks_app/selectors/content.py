"""Read the contents of versions from the store: single files, and all that devices install as one archive."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain
from typing import BinaryIO, Final

from devices_app.stores import artifact_store
from tasks_app.models import IN_GIT, FileKind, TaskVersion, VersionFile
from tasks_app.repository import Repository, RepositoryError
from walle.bundle.bytecode import compiled_path
from walle.bundle.packing import PackedFile, packed

_CHUNK: Final = 1 << 18


def file_of(version: TaskVersion, path: str) -> VersionFile:
    """Return one file of a version; raises VersionFile.DoesNotExist."""
    return VersionFile.objects.get(version=version, path=path)


def content_of(file: VersionFile) -> Iterator[bytes]:
    """Yield the content of a shared file, a source or a file of the cloud half in chunks.

    Raises ArtifactMissing, or RepositoryError for one that git has lost.
    """
    if file.kind in IN_GIT:
        return iter([_from_git(file)])
    return _pieces(artifact_store().open(str(file.digest)))


def archive_of(
    version: TaskVersion, beside: Iterable[PackedFile] = (), *, source: bool = False, cloud: bool = False
) -> Iterator[bytes]:
    """Yield the shared files of a version as a tar.gz in chunks: exactly what devices install, and the files `beside`.

    With `source` the registered sources stand in the place of the bytecode, with `cloud` those of the cloud half beside
    the others. They are read as objects, not by git's own
    archives, which would apply attributes that the version itself contains.
    """
    rows = (
        VersionFile.objects.filter(version=version)
        .exclude(kind=FileKind.EXCLUSIVE)
        .select_related("version__task__scenario")
    )
    files = list(rows.order_by("path"))
    if not cloud:
        files = [file for file in files if file.kind != FileKind.CLOUD]
    if source:
        compiled = {compiled_path(file.path) for file in files if file.kind == FileKind.SOURCE}
        files = [file for file in files if file.path not in compiled]
    else:
        files = [file for file in files if file.kind != FileKind.SOURCE]
    installed = (PackedFile(file.path, file.size or 0, _content(file)) for file in files)
    return packed(chain(installed, beside), version.tagged_at)


def _from_git(file: VersionFile) -> bytes:
    """A file as it was registered: what git has under its path is held against its digest. Raises RepositoryError."""
    version = file.version
    with Repository(version.task.scenario.slug) as repository:
        found = repository.entries(repository.commit_of(version.commit), file.path)
        content = b"".join(chunk for entry in found for chunk in repository.read(entry.oid))
    if hashlib.sha256(content).hexdigest() != file.digest:
        raise RepositoryError(f"expected {file.path} of {version} as it was registered, found other content")
    return content


def _pieces(opened: BinaryIO) -> Iterator[bytes]:
    with closing(opened):
        while chunk := opened.read(_CHUNK):
            yield chunk


def _content(file: VersionFile) -> Iterator[bytes]:
    """Yield the content as `content_of` does, but open the file only when it is read."""
    yield from content_of(file)
