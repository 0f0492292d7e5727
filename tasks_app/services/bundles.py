"""Write the files of a version to a folder, as in an installed bundle, and read its samples."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from devices_app.stores import artifact_store, exclusive_store
from tasks_app.models import IN_GIT, FileKind, TaskVersion, VersionFile
from tasks_app.repository import Repository, RepositoryError
from tasks_app.selectors.catalogue import manifest_of
from tasks_app.selectors.content import content_of
from tasks_app.services.content import StoredTree
from walle.bundle.packing import PackedFile
from walle.bundle.samples import load_samples
from walle.bundle.spec import TASK_FILE
from walle.bundle.taskfile import parse_task
from walle.container.cloud_half import CloudHalf, write_entry
from walle.container.samples import Case
from walle.protocol.names import check_bundle_path, is_valid

_FILE_MODE: Final = 0o444


def lay_out(version: TaskVersion, folder: Path) -> None:
    """Write copies of a version's files to a new folder. Raises ArtifactMissing, OSError.

    An exclusive file has the content of its default, which the container finds by itself; without a default it has the
    content of its first variant, as every device has one.
    """
    folder.mkdir(parents=True)
    for file in version.files.exclude(kind__in=IN_GIT).prefetch_related("variants"):
        content = _content(file)
        if content is not None:
            target = folder / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            # Copies, because a run changes the permissions of its bundle.
            shutil.copyfile(content, target)
            target.chmod(_FILE_MODE)


def lay_out_sources(tree: StoredTree, folder: Path) -> None:
    """Write copies of a version's sources, all regular files of its commit, to a new folder.

    Raises RepositoryError, OSError.
    """
    folder.mkdir(parents=True)
    for entry in tree.entries():
        if entry.is_file and is_valid(check_bundle_path, entry.path):
            target = folder / entry.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(tree.read(entry.path))
            target.chmod(_FILE_MODE)


def half_of(version: TaskVersion) -> CloudHalf:
    """Return the cloud half of a version; raises ValueError for one without."""
    if version.cloud is None:
        raise ValueError(f"expected a version with a cloud half, found {version}")
    return CloudHalf.from_dict(version.cloud)


def lay_out_cloud(version: TaskVersion, folder: Path) -> CloudHalf:
    """Write the cloud half of a version that has one to a new folder, ready to be called.

    Raises RepositoryError, OSError.
    """
    half = half_of(version)
    for file in version.files.filter(kind=FileKind.CLOUD).select_related("version__task__scenario"):
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(b"".join(content_of(file)))
        target.chmod(_FILE_MODE)
    write_entry(folder, half)
    return half


def _content(file: VersionFile) -> Path | None:
    if file.kind == FileKind.SHARED:
        return artifact_store().path(str(file.digest))
    variants = [] if file.default else sorted(file.variants.all(), key=lambda variant: variant.key)
    return exclusive_store().path(variants[0].digest) if variants else None


def sample_files_of(version: TaskVersion) -> list[PackedFile]:
    """Return the files of a version's samples that devices do not install, from its commit; none if git has lost it.

    Each is read from git when its turn comes.
    """
    slug, travel = version.task.scenario.slug, set(version.files.values_list("path", flat=True))
    try:
        with Repository(slug) as repository:
            entries = {entry.path: entry for entry in repository.entries(repository.commit_of(version.commit))}
            task = parse_task(b"".join(repository.read(entries[TASK_FILE].oid))).sound
    except RepositoryError:
        return []
    named = {path for sample in task.samples for path in (sample.input, sample.session) if isinstance(path, str)}
    found = (entries[path] for path in sorted(named - travel))
    return [PackedFile(entry.path, entry.size or 0, _blob(slug, entry.oid)) for entry in found]


def _blob(slug: str, oid: str) -> Iterator[bytes]:
    with Repository(slug) as repository:
        yield from repository.read(oid)


def samples_of(version: TaskVersion) -> list[Case]:
    """Return the samples of a version, ready to run, from its commit: devices need not install their files."""
    with Repository(version.task.scenario.slug) as repository:
        tree = StoredTree(repository, version.commit)
        spec = parse_task(tree.read(TASK_FILE)).sound
        return load_samples(tree, spec.samples, manifest_of(version))
