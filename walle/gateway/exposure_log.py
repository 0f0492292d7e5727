"""The exposures of a check-in: releases under observation whose version is offered, or held back for comparison."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, TypeVar

from walle.gateway.ports import ExposureRecord
from walle.release.candidates import Change
from walle.release.cohort import Cohort, device_point
from walle.release.table import Entry

Some = TypeVar("Some", bound=Change)


def open_changes(changes: Iterable[Some], now: float, withdrawn: Collection[str] = ()) -> list[Some]:
    """Return the changes whose time window, if they have one, is open; only these are offered and logged.

    For tasks of which the device's version is `withdrawn`, no window matters.
    """
    return [
        change
        for change in changes
        if isinstance(change, str) or change.open_until is None or now <= change.open_until or change.task in withdrawn
    ]


def exposure_records(
    device: str, number: int, changes: Iterable[Change], offered: Iterable[Change], held_back: Iterable[Entry]
) -> list[ExposureRecord]:
    """Return one exposure for each observed release.

    `changes` are exposures to its version, with the table's `number` for those `offered`; `held_back` are control.
    """
    treatment = {change.release: change for change in changes if not isinstance(change, str) and change.observed}
    control = {entry.release: entry for entry in held_back if entry.observed and entry.release not in treatment}
    if not treatment and not control:
        return []
    point = device_point(device)
    under = {change.release: number for change in offered if isinstance(change, Entry)}
    treated = [_exposure(entry, "treatment", point, under.get(entry.release)) for entry in treatment.values()]
    return treated + [_exposure(entry, "control", point, None) for entry in control.values()]


def _exposure(entry: Entry, arm: Literal["treatment", "control"], point: int, number: int | None) -> ExposureRecord:
    return ExposureRecord(entry.release, entry.stage, entry.task, arm, Cohort(entry.salt).bucket(point), number)
