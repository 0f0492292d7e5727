"""Read the contents of versions from the store: single files, and all that devices install as one archive."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain
from typing import BinaryIO, Final

from devices_app.stores import artifact_store
from tasks_app.models import FileKind, TaskVersion, VersionFile
from walle.bundle.packing import PackedFile, packed

_CHUNK: Final = 1 << 18


def file_of(version: TaskVersion, path: str) -> VersionFile:
    """Return one file of a version; raises VersionFile.DoesNotExist."""
    return VersionFile.objects.get(version=version, path=path)


def content_of(file: VersionFile) -> Iterator[bytes]:
    """Yield the content of a shared file in chunks. Raises ArtifactMissing."""
    return _pieces(artifact_store().open(str(file.digest)))


def archive_of(version: TaskVersion, beside: Iterable[PackedFile] = ()) -> Iterator[bytes]:
    """Yield the shared files of a version as a tar.gz in chunks: exactly what devices install, and the files `beside`.

    They come from the store and not from git, which would apply attributes that the version itself contains.
    """
    files = list(VersionFile.objects.filter(version=version, kind=FileKind.SHARED).order_by("path"))
    installed = (PackedFile(file.path, file.size or 0, _content(file)) for file in files)
    return packed(chain(installed, beside), version.tagged_at)


def _pieces(opened: BinaryIO) -> Iterator[bytes]:
    with closing(opened):
        while chunk := opened.read(_CHUNK):
            yield chunk


def _content(file: VersionFile) -> Iterator[bytes]:
    """Yield the content as `content_of` does, but open the file only when it is read."""
    yield from content_of(file)
