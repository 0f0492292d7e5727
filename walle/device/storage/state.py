"""What a device remembers, and how it changes: values and pure functions, no I/O.

All of it is one document that the store replaces as a whole, so that a change is there completely or not at
all: the version that runs, the one to fall back to, and the report that says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

PROVEN_AFTER = 10
"""Successful runs after which a version is trusted: it becomes its own fallback, the older one may go."""
QUARANTINE_LIMIT = 8


@dataclass(frozen=True)
class Installation:
    """One installed version. `folder` names its immutable folder, `number` the table that assigned it."""

    task: str
    version: str
    manifest: str
    folder: str
    number: int
    offer_token: str | None = field(default=None, repr=False)
    at: float = 0.0


@dataclass(frozen=True)
class TaskState:
    """One task on this device.

    `failures` counts failed runs in a row and `successes` the successful ones of `current` (the latter only
    up to PROVEN_AFTER). `quarantine` holds (manifest, app version) pairs that failed here.
    """

    current: Installation | None = None
    last_good: Installation | None = None
    failures: int = 0
    successes: int = 0
    quarantine: tuple[tuple[str, str], ...] = ()

    def is_quarantined(self, manifest: str, app_version: str) -> bool:
        return (manifest, app_version) in self.quarantine

    def installed(self, new: Installation) -> TaskState:
        """`new` is what runs from now on; what ran before becomes the fallback if it deserves to be."""
        if self.current and self.current.folder == new.folder:
            return replace(self, current=new)
        quarantine = tuple(entry for entry in self.quarantine if entry[0] != new.manifest)
        return TaskState(current=new, last_good=self._fallback(new), quarantine=quarantine)

    def _fallback(self, new: Installation) -> Installation | None:
        if self.last_good and self.last_good.folder == new.folder:
            return new  # the cloud rolls back: what it takes away is nothing to fall back to
        deserves = self.current and not self.failures and (self.successes or self.last_good is None)
        return self.current if deserves else self.last_good

    def ran(self, folder: str, *, success: bool) -> TaskState:
        """Counts one run; a late outcome of a version that no longer runs changes nothing."""
        if self.current is None or self.current.folder != folder:
            return self
        if not success:
            return replace(self, failures=self.failures + 1)
        successes = min(PROVEN_AFTER, self.successes + 1)
        proven = self.current if successes >= PROVEN_AFTER else self.last_good
        return replace(self, failures=0, successes=successes, last_good=proven)

    def should_fall_back(self, after: int) -> bool:
        """Whether the version on probation failed `after` times in a row and there is another to go back to."""
        return self.failures >= after and self.fallback_differs

    @property
    def fallback_differs(self) -> bool:
        if self.current is None or self.last_good is None:
            return False
        return self.last_good.folder != self.current.folder

    def fell_back(self, app_version: str) -> TaskState:
        """The last good version runs again; the one that failed is not installed again by this app version."""
        if self.current is None:
            return self
        entry = (self.current.manifest, app_version)
        quarantine = (*(known for known in self.quarantine if known != entry), entry)[-QUARANTINE_LIMIT:]
        return replace(self, current=self.last_good, failures=0, successes=PROVEN_AFTER, quarantine=quarantine)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        return cls(
            current=_installed(value["current"]),
            last_good=_installed(value["last_good"]),
            failures=int(value["failures"]),
            successes=int(value["successes"]),
            quarantine=tuple((str(manifest), str(app)) for manifest, app in value["quarantine"]),
        )


def _installed(value: Mapping[str, Any] | None) -> Installation | None:
    return Installation(**value) if value is not None else None


@dataclass(frozen=True)
class Credential:
    """Who this device is. `token` is opaque and proves it to the server."""

    device: str
    token: str = field(repr=False)


@dataclass(frozen=True)
class DeviceState:
    """Everything that must change together.

    `highest` is the highest table number seen, per app. `pending` holds reports that belong to the change
    that was written with them and still have to be queued.
    """

    highest: Mapping[str, int] = field(default_factory=dict)
    tasks: Mapping[str, TaskState] = field(default_factory=dict)
    credential: Credential | None = None
    pending: tuple[Mapping[str, Any], ...] = ()

    def task(self, name: str) -> TaskState:
        return self.tasks.get(name, TaskState())

    def with_number(self, app: str, number: int) -> DeviceState:
        return replace(self, highest={**self.highest, app: max(number, self.highest.get(app, 0))})

    def with_task(self, name: str, task: TaskState, *reports: Mapping[str, Any]) -> DeviceState:
        return replace(self, tasks={**self.tasks, name: task}, pending=(*self.pending, *reports))

    def without_task(self, name: str, *reports: Mapping[str, Any]) -> DeviceState:
        """The task is gone; that some of its versions failed here stays known."""
        tasks = {known: task for known, task in self.tasks.items() if known != name}
        if quarantine := self.task(name).quarantine:
            tasks[name] = TaskState(quarantine=quarantine)
        return replace(self, tasks=tasks, pending=(*self.pending, *reports))

    def folders(self) -> set[str]:
        """The folders that must be kept."""
        kept = (version for task in self.tasks.values() for version in (task.current, task.last_good))
        return {version.folder for version in kept if version is not None}

    def to_dict(self) -> dict[str, Any]:
        return {"format": 1, **asdict(self)}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Raises ValueError, KeyError or TypeError for what `to_dict` did not write."""
        if value.get("format") != 1:
            raise ValueError(f"expected format 1, found {value.get('format')!r}")
        return cls(
            highest={str(app): int(number) for app, number in value["highest"].items()},
            tasks={name: TaskState.from_dict(task) for name, task in value["tasks"].items()},
            credential=Credential(**value["credential"]) if value["credential"] else None,
            pending=tuple(value["pending"]),
        )
