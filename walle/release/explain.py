"""Why a device is offered what it is offered: the decision at check-in, told entry by entry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from walle.protocol.headers import Profile
from walle.release.candidates import Change, candidate
from walle.release.cohort import Cohort, device_point
from walle.release.decision import CompiledTable, choose
from walle.release.rules import Facts
from walle.release.table import Entry, Mode


@dataclass(frozen=True)
class Consideration:
    """What one entry of the table means for a device: `bucket` is where it stands in the release's order."""

    release: int
    stage: int
    bucket: int
    share: int
    decides: bool
    reason: str


@dataclass(frozen=True)
class Explanation:
    """What becomes of one task on one device: `change` is install, remove or none; `release` is who decides."""

    task: str
    change: str
    release: int | None
    considered: tuple[Consideration, ...]

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "considered": [vars(one) for one in self.considered]}


def explain(table: CompiledTable, facts: Facts, profile: Profile, device: str, task: str) -> Explanation:
    """The decision about one task, from the very plan that a check-in uses, with the part each entry had in it."""
    changes = [change for change in choose(table.plan(facts, profile), device).changes if _task(change) == task]
    removed = task in table.table.removals and task in profile
    considered: list[Consideration] = []
    winner: Entry | None = None
    for entry, matches in zip(table.table.entries, table.predicates, strict=True):
        if entry.task == task:
            reason, decides = _part(entry, matches(facts), profile, device)
            if decides and winner:
                reason, decides = f"release {winner.release} is newer and decides", False
            winner = entry if decides else winner
            considered.append(_consideration(entry, device, reason, decides=decides))
    change = "remove" if removed or task in changes else "install" if changes else "none"
    return Explanation(task, change, winner.release if winner else None, tuple(considered))


def _part(entry: Entry, matches: bool, profile: Profile, device: str) -> tuple[str, bool]:
    """What an entry says of a device, and whether that settles it when no newer one does."""
    one = candidate(entry)
    has_it = profile.get(entry.task) == one.digest
    if not matches:
        return "the device does not match its rule", False
    if entry.mode == Mode.KEEP:
        return ("it ended midway, the device keeps its version", True) if has_it else ("it ended midway", False)
    draw = one.having if has_it or one.lacking is None else one.lacking
    number = draw.number(device_point(device))
    if number >= draw.control:
        return "the device is held back as control", False
    if number >= draw.limit:
        return "the device's bucket is not below its share", False
    if has_it:
        return "the device has its version", True
    return ("it is paused, the device keeps what it has", True) if entry.mode == Mode.HOLD else ("it takes it", True)


def _consideration(entry: Entry, device: str, reason: str, *, decides: bool) -> Consideration:
    bucket = Cohort(entry.salt).bucket(device_point(device))
    return Consideration(entry.release, entry.stage, bucket, entry.share, decides, reason)


def _task(change: Change) -> str:
    return change.task if isinstance(change, Entry) else change
