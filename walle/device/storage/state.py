"""The state of a device and its changes: values and pure functions, no I/O.

All of it is one document that the store replaces atomically: the version that runs, the one to fall back to, and the
reports of the change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

PROVEN_AFTER = 10
"""Successful runs after which a version is proven: it becomes its own fallback, and the older one may be removed."""
QUARANTINE_LIMIT = 8
PUT_OFF_LIMIT = 64


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
class RunOutcomes:
    """Runs of one version, one after the other: how many succeeded, and how many failed since the last of these."""

    successes: int = 0
    failures: int = 0

    def followed_by(self, *, success: bool) -> RunOutcomes:
        if success:
            return RunOutcomes(self.successes + 1)
        return replace(self, failures=self.failures + 1)


@dataclass(frozen=True)
class TaskState:
    """The state of one task on this device.

    `failures` counts failed runs in a row and `successes` the successful ones of `current` (the latter only up to
    PROVEN_AFTER). `quarantine` holds (manifest, app version) pairs that failed here.
    """

    current: Installation | None = None
    last_good: Installation | None = None
    failures: int = 0
    successes: int = 0
    quarantine: tuple[tuple[str, str], ...] = ()

    def is_quarantined(self, manifest: str, app_version: str) -> bool:
        return (manifest, app_version) in self.quarantine

    def installed(self, new: Installation) -> TaskState:
        """Return the state after `new` was installed; the version before becomes the fallback if its runs succeed."""
        if self.current and self.current.folder == new.folder:
            return replace(self, current=new)
        quarantine = tuple(entry for entry in self.quarantine if entry[0] != new.manifest)
        return TaskState(current=new, last_good=self._fallback(new), quarantine=quarantine)

    def _fallback(self, new: Installation) -> Installation | None:
        if self.last_good and self.last_good.folder == new.folder:
            return new  # a rollback by the cloud: the version that it removes must not become the fallback
        deserves = self.current and not self.failures and (self.successes or self.last_good is None)
        return self.current if deserves else self.last_good

    def ran(self, folder: str, *, success: bool) -> TaskState:
        """Return the state after one run; the late outcome of a version that no longer runs changes nothing."""
        if self.current is None or self.current.folder != folder:
            return self
        if not success:
            return replace(self, failures=self.failures + 1)
        successes = min(PROVEN_AFTER, self.successes + 1)
        proven = self.current if successes >= PROVEN_AFTER else self.last_good
        return replace(self, failures=0, successes=successes, last_good=proven)

    def ran_often(self, folder: str, outcomes: RunOutcomes) -> TaskState:
        """Return the state after these runs, as if `ran` had been told of each."""
        if self.current is None or self.current.folder != folder:
            return self
        state = self
        for _ in range(min(outcomes.successes, PROVEN_AFTER)):
            state = state.ran(folder, success=True)
        return replace(state, failures=state.failures + outcomes.failures)

    def should_fall_back(self, after: int) -> bool:
        """Return whether an unproven version failed `after` times in a row and there is one to fall back to."""
        return self.failures >= after and self.fallback_differs

    @property
    def fallback_differs(self) -> bool:
        if self.current is None or self.last_good is None:
            return False
        return self.last_good.folder != self.current.folder

    def fell_back(self, app_version: str) -> TaskState:
        """Return the state after falling back: this app version does not install the failed version again."""
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
class PutOff:
    """An offer that the device puts off: of which manifest, since when, and until when it may (Unix seconds)."""

    manifest: str
    since: float
    until: float

    def is_due(self, now: float) -> bool:
        """Return whether it may be put off no longer; so it is too if the clock was set back."""
        return not self.since <= now < self.until


@dataclass(frozen=True)
class Credential:
    """The identity of this device. `token` is opaque and proves it to the server."""

    device: str
    token: str = field(repr=False)


@dataclass(frozen=True)
class DeviceState:
    """All state that must change together.

    `highest` is the highest table number seen, per app; `put_off` holds the offers put off, by task. `pending` holds
    reports of the change that they were written with, which still have to be queued.
    """

    highest: Mapping[str, int] = field(default_factory=dict)
    tasks: Mapping[str, TaskState] = field(default_factory=dict)
    credential: Credential | None = None
    pending: tuple[Mapping[str, Any], ...] = ()
    put_off: Mapping[str, PutOff] = field(default_factory=dict)

    def task(self, name: str) -> TaskState:
        return self.tasks.get(name, TaskState())

    def with_number(self, app: str, number: int) -> DeviceState:
        return replace(self, highest={**self.highest, app: max(number, self.highest.get(app, 0))})

    def with_put_off(self, name: str, offer: PutOff) -> DeviceState:
        """Return the state with one more offer put off; of more than PUT_OFF_LIMIT the oldest are forgotten."""
        others = {known: each for known, each in self.put_off.items() if known != name}
        newest = sorted({**others, name: offer}.items(), key=lambda each: each[1].since)[-PUT_OFF_LIMIT:]
        return replace(self, put_off=dict(newest))

    def due(self, now: float) -> list[str]:
        """Return the tasks whose offers may be put off no longer."""
        return [name for name, offer in self.put_off.items() if offer.is_due(now)]

    def with_task(self, name: str, task: TaskState, *reports: Mapping[str, Any]) -> DeviceState:
        """Return the state with the task as it is now; an offer of the version that it has is put off no more."""
        present = task.current.manifest if task.current else None
        put_off = {known: offer for known, offer in self.put_off.items() if known != name or offer.manifest != present}
        return replace(self, tasks={**self.tasks, name: task}, pending=(*self.pending, *reports), put_off=put_off)

    def without_task(self, name: str, *reports: Mapping[str, Any]) -> DeviceState:
        """Return the state without the task; the versions of it that failed here stay known."""
        tasks = {known: task for known, task in self.tasks.items() if known != name}
        if quarantine := self.task(name).quarantine:
            tasks[name] = TaskState(quarantine=quarantine)
        put_off = {known: offer for known, offer in self.put_off.items() if known != name}
        return replace(self, tasks=tasks, pending=(*self.pending, *reports), put_off=put_off)

    def folders(self) -> set[str]:
        """Return the folders that must be kept."""
        versions = (version for task in self.tasks.values() for version in (task.current, task.last_good))
        return {version.folder for version in versions if version is not None}

    def to_dict(self) -> dict[str, Any]:
        return {"format": 1, **asdict(self)}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote; raises ValueError, KeyError or TypeError for anything else."""
        if value.get("format") != 1:
            raise ValueError(f"expected format 1, found {value.get('format')!r}")
        return cls(
            highest={str(app): int(number) for app, number in value["highest"].items()},
            tasks={name: TaskState.from_dict(task) for name, task in value["tasks"].items()},
            credential=Credential(**value["credential"]) if value["credential"] else None,
            pending=tuple(value["pending"]),
            put_off={name: PutOff(**offer) for name, offer in value.get("put_off", {}).items()},
        )
