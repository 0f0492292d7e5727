"""Copies all artifacts of one store into another; those that are already there are skipped."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import islice
from typing import Final

from walle.artifacts.store import ArtifactMissing, ArtifactStore, StoredArtifact

_COPIES: Final = 8
_PORTION: Final = 64


def copy_artifacts(source: ArtifactStore, target: ArtifactStore) -> Iterator[tuple[StoredArtifact, bool]]:
    """Yield each artifact of the source once the target has it, and whether it was copied.

    Content is compared with its digest. Raises DigestMismatch for a damaged artifact.
    """
    every = source.iterate()
    with ThreadPoolExecutor(_COPIES) as copies:
        while portion := list(islice(every, _PORTION)):
            yield from zip(portion, copies.map(lambda artifact: _copy(source, target, artifact), portion), strict=True)


def _copy(source: ArtifactStore, target: ArtifactStore, artifact: StoredArtifact) -> bool:
    try:
        if target.size(artifact.digest) == artifact.size:
            return False
    except ArtifactMissing:
        pass
    try:
        with closing(source.open(artifact.digest)) as file:
            target.put(file, artifact.digest)
    except ArtifactMissing:
        return False  # deleted since it was listed
    return True
