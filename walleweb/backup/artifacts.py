"""Copy artifacts to a backup and back: each is copied once, whatever the number of backups."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from walle.artifacts import ArtifactError, ArtifactMissing, ArtifactStore, DigestMismatch, LocalStore
from walleweb.backup.progress import ShowProgress, in_words

Item = TypeVar("Item")
Done = TypeVar("Done")
# A store waits for the disk after each file; threads let these waits overlap.
_THREADS: Final = 8
_BATCH: Final = 256


@dataclass
class Copied:
    """The number of artifacts, their bytes, the number of new ones, and those that could not be copied."""

    count: int = 0
    size: int = 0
    new: int = 0
    failed: dict[str, str] = field(default_factory=dict)


def list_artifacts(store: ArtifactStore, file: Path) -> None:
    """Write digest and size of everything in a store, one line each."""
    with file.open("w") as lines:
        lines.writelines(f"{artifact.digest} {artifact.size}\n" for artifact in store.iterate())


def listed(file: Path) -> Iterator[tuple[str, int]]:
    """Read the lines that `list_artifacts` wrote."""
    with file.open() as lines:
        for line in lines:
            digest, size = line.split()
            yield digest, int(size)


def copy_artifacts(
    artifacts: Iterable[tuple[str, int]], source: ArtifactStore, target: ArtifactStore, show: ShowProgress
) -> Copied:
    """Copy what the target does not have.

    Artifacts that the source has lost or damaged are in `failed`. Raises StoreUnavailable.
    """
    copied = Copied()

    def copy(item: tuple[str, int]) -> tuple[bool, str]:
        return _copy(*item, source, target)

    for (digest, size), (is_new, error) in _together(artifacts, copy):
        if error:
            copied.failed[digest] = error
            continue
        copied.count, copied.size, copied.new = copied.count + 1, copied.size + size, copied.new + is_new
        show(in_words(copied.count, copied.size))
    show(f"{in_words(copied.count, copied.size)}, {copied.new:,} of them new")
    return copied


def check_artifacts(artifacts: Iterable[tuple[str, int]], store: LocalStore, show: ShowProgress) -> Iterator[str]:
    """Read every artifact and compare it with its digest; yields a sentence for each fault."""

    def check(item: tuple[str, int]) -> str:
        try:
            store.verify(item[0])
        except (ArtifactError, OSError) as error:
            return str(error)
        return ""

    count = total = 0
    for (_, size), error in _together(artifacts, check):
        count, total = count + 1, total + size
        show(in_words(count, total))
        if error:
            yield error


def _copy(digest: str, size: int, source: ArtifactStore, target: ArtifactStore) -> tuple[bool, str]:
    """Copy one artifact; return whether it is new, and why it could not be copied, or ""."""
    try:
        if target.has(digest) and target.size(digest) == size:
            return False, ""
        with closing(source.open(digest)) as content:
            target.put(content, expected=digest)
    except (ArtifactMissing, DigestMismatch) as error:
        return False, str(error)
    return True, ""


def _together(items: Iterable[Item], work: Callable[[Item], Done]) -> Iterator[tuple[Item, Done]]:
    """Yield the result of the work on each, several at a time, in order; few are read ahead."""
    pending = iter(items)
    with ThreadPoolExecutor(_THREADS) as threads:
        while batch := list(islice(pending, _BATCH)):
            yield from zip(batch, threads.map(work, batch), strict=True)
