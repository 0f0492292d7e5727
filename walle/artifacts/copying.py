"""Bringing all artifacts of one store into another, as often as it takes: what is there already is passed over."""

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
    """Each artifact of the source once the target has it, with whether it had to be copied.

    Content is compared with its digest on the way: raises DigestMismatch for a damaged one.
    """
    every = source.iterate()
    with ThreadPoolExecutor(_COPIES) as copies:
        while portion := list(islice(every, _PORTION)):
            yield from zip(portion, copies.map(lambda kept: _copy(source, target, kept), portion), strict=True)


def _copy(source: ArtifactStore, target: ArtifactStore, kept: StoredArtifact) -> bool:
    try:
        if target.size(kept.digest) == kept.size:
            return False
    except ArtifactMissing:
        pass
    try:
        with closing(source.open(kept.digest)) as file:
            target.put(file, kept.digest)
    except ArtifactMissing:
        return False  # deleted since it was listed
    return True
