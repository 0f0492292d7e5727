"""Draws for releases on trial, as they are logged: who is offered the version, and who is held back for comparison."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeVar

from walle.gateway.ports import ExposureRecord
from walle.release.candidates import Change
from walle.release.cohort import Cohort, device_point
from walle.release.table import Entry

Some = TypeVar("Some", bound=Change)


def open_changes(changes: Iterable[Some], now: float) -> list[Some]:
    """The changes whose time window, if they have one, is open; a closed one neither offers nor draws."""
    return [
        change for change in changes if isinstance(change, str) or change.open_until is None or now <= change.open_until
    ]


def exposure_records(
    device: str, number: int, changes: Iterable[Change], offered: Iterable[Change], held_back: Iterable[Entry]
) -> list[ExposureRecord]:
    """One draw of each observed release, by a table's number: of its version (`changes`, `offered` or not), or as
    control (`held_back`)."""
    due = {change.release: change for change in changes if not isinstance(change, str) and change.observed}
    control = {entry.release: entry for entry in held_back if entry.observed and entry.release not in due}
    if not due and not control:
        return []
    point = device_point(device)
    under = {change.release: number for change in offered if isinstance(change, Entry)}
    treated = [_drawn(entry, "treatment", point, under.get(entry.release)) for entry in due.values()]
    return treated + [_drawn(entry, "control", point, None) for entry in control.values()]


def _drawn(entry: Entry, arm: Literal["treatment", "control"], point: int, number: int | None) -> ExposureRecord:
    return ExposureRecord(entry.release, entry.stage, entry.task, arm, Cohort(entry.salt).bucket(point), number)
