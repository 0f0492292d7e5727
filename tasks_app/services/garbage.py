"""Collect artifacts that nothing refers to: of refused pushes, replaced envelopes, replaced variants.

An artifact is deleted when no row has referred to it at any collection during the grace period, and it was neither
stored nor renewed in that time. The first condition is for devices that are about to download what was just replaced;
the second for pushes: they store or renew every file before a row refers to it, and a store deletes nothing that was
renewed meanwhile.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Final

from devices_app.stores import artifact_store, exclusive_store
from tasks_app.models import FeatureDictionary, IngestedBlob, TaskVersion, UnusedArtifact, Variant, VersionFile
from walle.artifacts import ArtifactStore, StoredArtifact

_PORTION: Final = 1000
# Longer than any writer pauses within one file.
_DEAD_WRITER: Final = timedelta(days=1)
_Kind = UnusedArtifact.Store


@dataclass
class GarbageCounts:
    """The result of a collection in one store: artifacts in use, unused ones that wait, and deleted ones."""

    used: int = 0
    waiting: int = 0
    waiting_bytes: int = 0
    deleted: int = 0
    deleted_bytes: int = 0


def collect_artifacts(
    *, now: datetime, grace: timedelta, check: Callable[[], None], dry_run: bool = False
) -> dict[str, GarbageCounts]:
    """Visit every artifact once, and delete those whose grace period is over; dry_run only counts them.

    `check` may raise to stop between two portions.
    """
    stores = {_Kind.SHARED: artifact_store(), _Kind.EXCLUSIVE: exclusive_store()}
    found = {}
    for kind, store in stores.items():
        collection = _Collection(kind, store, now, now - grace, dry_run)
        every = store.iterate()
        while portion := list(islice(every, _PORTION)):
            check()
            collection.at(portion)
        if not dry_run:
            store.sweep_temporary(now.timestamp(), _DEAD_WRITER.total_seconds())
        found[str(kind)] = collection.collected
    return found


@dataclass
class _Collection:
    kind: UnusedArtifact.Store
    store: ArtifactStore
    now: datetime
    before: datetime
    dry_run: bool

    def __post_init__(self) -> None:
        self.collected = GarbageCounts()

    def at(self, portion: list[StoredArtifact]) -> None:
        digests = [artifact.digest for artifact in portion]
        used = _used(self.kind, digests)
        marks = UnusedArtifact.objects.filter(store=self.kind, digest__in=digests)
        since = dict(marks.values_list("digest", "since"))
        unused = [artifact for artifact in portion if artifact.digest not in used]
        self.collected.used += len(portion) - len(unused)
        gone = [artifact.digest for artifact in unused if self._goes(artifact, since.get(artifact.digest, self.now))]
        if self.dry_run:
            return
        marks.filter(digest__in=used.union(gone)).delete()
        IngestedBlob.objects.filter(digest__in=gone).delete()
        fresh = [artifact.digest for artifact in unused if artifact.digest not in since]
        rows = [UnusedArtifact(store=self.kind, digest=digest, since=self.now) for digest in fresh]
        UnusedArtifact.objects.bulk_create(rows, ignore_conflicts=True)

    def _goes(self, artifact: StoredArtifact, since: datetime) -> bool:
        due = since <= self.before and artifact.stored_at < self.before.timestamp()
        if due and (self.dry_run or self.store.delete(artifact.digest, unless_since=self.before.timestamp())):
            self.collected.deleted += 1
            self.collected.deleted_bytes += artifact.size
            return True
        self.collected.waiting += 1
        self.collected.waiting_bytes += artifact.size
        return False


def _used(kind: UnusedArtifact.Store, digests: Iterable[str]) -> set[str]:
    """Return which of the digests a row refers to."""
    if kind == _Kind.EXCLUSIVE:
        return set(Variant.objects.filter(digest__in=digests).values_list("digest", flat=True))
    files = VersionFile.objects.filter(digest__in=digests).values_list("digest", flat=True)
    envelopes = TaskVersion.objects.filter(envelope_digest__in=digests).values_list("envelope_digest", flat=True)
    dictionaries = FeatureDictionary.objects.filter(digest__in=digests).values_list("digest", flat=True)
    return {*filter(None, files), *envelopes, *dictionaries}
