"""Explain the decision of a check-in for one device, entry by entry."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from walle.protocol.headers import Profile
from walle.protocol.interpreters import FACT, loads
from walle.protocol.kinds import knows
from walle.release.candidates import Change, candidate
from walle.release.cohort import Cohort, device_point
from walle.release.decision import CompiledTable, choose
from walle.release.deferral import may_wait_s
from walle.release.rules import Facts, Predicate
from walle.release.table import Entry, Mode


@dataclass(frozen=True)
class Consideration:
    """The effect of one entry of the table on a device; `bucket` is its position in the release's order."""

    release: int
    stage: int
    bucket: int
    share: int
    decides: bool
    reason: str


@dataclass(frozen=True)
class Explanation:
    """The decision about one task on one device: `change` is install, remove or none; `release` decides."""

    task: str
    change: str
    release: int | None
    considered: tuple[Consideration, ...]

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "considered": [vars(consideration) for consideration in self.considered]}


def explain_each(
    table: CompiledTable,
    facts: Facts,
    profile: Profile,
    device: str,
    tasks: Iterable[str],
    *,
    now: float,
    deferral: str = "",
) -> list[Explanation]:
    """Return the decision about each task, from the same plan as a check-in at `now`, with the effect of each entry.

    `deferral` is why the device puts off new versions; "" if it does not.
    """
    plan = table.plan(facts, profile)
    changes = {_task(change): change for change in choose(plan, device).changes}
    entries: dict[str, list[tuple[Entry, Predicate]]] = {task: [] for task in tasks}
    for entry, predicate in zip(table.table.entries, table.predicates, strict=True):
        if entry.task in entries:
            entries[entry.task].append((entry, predicate))
    found = []
    for task, parts in entries.items():
        change = changes.get(task)
        removed = isinstance(change, str) or (task in table.table.removals and task in profile)
        winner, considered = _considered(parts, facts, profile, device, gives_up=task in plan.withdrawn)
        if isinstance(change, Entry) and (but := _but(change, now, deferral, plan.withdrawn)):
            considered = tuple(_with_reason(each, but) for each in considered)
            change = None if _is_closed(change, now, plan.withdrawn) else change
        action = "remove" if removed else "install" if change is not None else "none"
        found.append(Explanation(task, action, winner.release if winner else None, considered))
    return found


def _but(change: Entry, now: float, deferral: str, withdrawn: Collection[str]) -> str:
    """Return what stands between a device and a version for which it is selected; "" for nothing."""
    if _is_closed(change, now, withdrawn):
        return "but its time window is closed"
    if deferral and may_wait_s(change, withdrawn):
        return f"and puts it off ({deferral})"
    if change.pace is not None and change.task not in withdrawn:
        return f"and is offered it as far as the pace of {change.pace} offers per second allows"
    return ""


def _is_closed(change: Entry, now: float, withdrawn: Collection[str]) -> bool:
    return change.open_until is not None and now > change.open_until and change.task not in withdrawn


def _with_reason(consideration: Consideration, but: str) -> Consideration:
    return replace(consideration, reason=f"{consideration.reason}, {but}") if consideration.decides else consideration


def _considered(
    parts: Iterable[tuple[Entry, Predicate]], facts: Facts, profile: Profile, device: str, *, gives_up: bool
) -> tuple[Entry | None, tuple[Consideration, ...]]:
    """Return which of a task's entries decides, and the effect of each."""
    considered: list[Consideration] = []
    winner: Entry | None = None
    for entry, predicate in parts:
        why_not = _why_not(entry, predicate, facts)
        reason, decides = (why_not, False) if why_not else _part(entry, profile, device, gives_up=gives_up)
        if decides and winner:
            newer = f"release {winner.release} is newer and decides"
            reason, decides = "another of its stages decides" if winner.release == entry.release else newer, False
        winner = entry if decides else winner
        considered.append(_consideration(entry, device, reason, decides=decides))
    return winner, tuple(considered)


def _why_not(entry: Entry, rule: Predicate, facts: Facts) -> str | None:
    """Return why a device is not eligible; None if it is."""
    if not knows(facts, entry.kind):
        return f"the device does not support tasks of the kind {entry.kind}"
    if not loads(facts, entry.interpreter):
        found = f"has {facts[FACT]}" if facts.get(FACT) else "does not say its interpreter"
        return f"its bytecode is for {entry.interpreter}, and the device {found}"
    return None if rule(facts) else "the device does not match its rule"


def _part(entry: Entry, profile: Profile, device: str, *, gives_up: bool) -> tuple[str, bool]:
    """Return the effect of an entry on an eligible device, and whether it decides if no newer entry does.

    `gives_up` says whether the device's version of the task is withdrawn.
    """
    offered = candidate(entry)
    has_it = profile.get(entry.task) == offered.digest
    if entry.mode == Mode.KEEP:
        return (
            ("it ended before completion, the device keeps its version", True)
            if has_it
            else ("it ended before completion", False)
        )
    selection = offered.installed if has_it or offered.absent is None else offered.absent
    number = selection.number(device_point(device))
    if offered.is_held and gives_up and not has_it:
        return "it is paused, and holds no device to a version that is withdrawn", False
    if number >= selection.control:
        return "the device is held back as control", False
    if number >= selection.limit:
        return "the device's bucket is not below its share", False
    if has_it:
        return "the device has its version", True
    return (
        ("it is paused, the device keeps its version", True)
        if entry.mode == Mode.HOLD
        else ("the device is selected", True)
    )


def _consideration(entry: Entry, device: str, reason: str, *, decides: bool) -> Consideration:
    bucket = Cohort(entry.salt).bucket(device_point(device))
    return Consideration(entry.release, entry.stage, bucket, entry.share, decides, reason)


def _task(change: Change) -> str:
    return change.task if isinstance(change, Entry) else change
