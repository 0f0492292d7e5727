"""Reading the contents of versions: single files out of the store, whole trees out of git."""

from collections.abc import Iterator
from contextlib import closing
from typing import BinaryIO, Final

from devices_app.stores import artifact_store
from tasks_app.models import TaskVersion, VersionFile
from tasks_app.repository import Repository

_CHUNK: Final = 1 << 18


def file_of(version: TaskVersion, path: str) -> VersionFile:
    """One file of a version; raises VersionFile.DoesNotExist."""
    return VersionFile.objects.get(version=version, path=path)


def content_of(file: VersionFile) -> Iterator[bytes]:
    """The content of a shared file, piece by piece. Raises ArtifactMissing."""
    return _pieces(artifact_store().open(str(file.digest)))


def archive_of(version: TaskVersion) -> Iterator[bytes]:
    """All files of a version's commit as a tar.gz, piece by piece; those that do not travel are there too."""
    return _archive(Repository(version.task.scenario.slug), version.commit)


def _pieces(opened: BinaryIO) -> Iterator[bytes]:
    with closing(opened):
        while chunk := opened.read(_CHUNK):
            yield chunk


def _archive(repository: Repository, commit: str) -> Iterator[bytes]:
    with repository:
        yield from repository.archive(commit)
