"""The queue of reports that the cloud has not acknowledged yet: check-ins may be lost, reports never.

There is one file per report, named by its position and its id. A report is on the disk before it is sent, and is
removed only when the cloud has accepted or rejected it. The queue is bounded: when it is full, the oldest successful
run is dropped first, because a single success matters little, then the oldest report of any kind; dropped reports are
counted.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from walle.device.storage.disk import Disk, remove_temporaries

log = logging.getLogger(__name__)

_DROPPED = "dropped.json"


@dataclass(frozen=True)
class _Entry:
    id: str
    path: Path
    expendable: bool


class ReportOutbox:
    """The queue in one folder, of at most `limit` reports."""

    def __init__(self, folder: Path, disk: Disk, *, limit: int = 1000) -> None:
        self._folder, self._disk, self._limit = folder, disk, limit
        folder.mkdir(parents=True, exist_ok=True)
        remove_temporaries(folder)
        self._entries = {entry.id: entry for entry in self._load()}
        self._next = self._first_free()
        self.dropped = self._read_dropped()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, report_id: str) -> bool:
        return report_id in self._entries

    def put(self, report: Mapping[str, Any]) -> None:
        """Queue a report durably; one whose id is queued already changes nothing."""
        report_id = str(report["id"])
        if report_id in self._entries:
            return
        self._make_room()
        path = self._folder / f"{self._next:012d}-{report_id}.json"
        self._disk.write(path, json.dumps(report).encode(), step="report")
        self._next += 1
        self._entries[report_id] = _Entry(report_id, path, _is_expendable(report))

    def batch(self, limit: int) -> list[dict[str, Any]]:
        """Return the oldest reports, at most `limit`; they stay queued."""
        read = {entry.id: _read(entry.path) for entry in list(self._entries.values())[:limit]}
        self.acknowledge([report_id for report_id, report in read.items() if report is None])
        return [report for report in read.values() if report is not None]

    def acknowledge(self, ids: Iterable[str]) -> None:
        """Remove reports that need not be sent again."""
        for report_id in ids:
            if entry := self._entries.pop(report_id, None):
                self._disk.remove(entry.path, step="acknowledged report")

    def _make_room(self) -> None:
        while len(self._entries) >= self._limit:
            expendable = (entry for entry in self._entries.values() if entry.expendable)
            victim = next(expendable, None) or next(iter(self._entries.values()))
            self.dropped += 1
            if self.dropped % 100 == 1:
                log.warning("the outbox is full: %d reports were given up so far", self.dropped)
            self._disk.write(self._folder / _DROPPED, json.dumps(self.dropped).encode(), step="dropped count")
            self.acknowledge([victim.id])

    def _load(self) -> Iterable[_Entry]:
        for path in sorted(self._folder.glob("[0-9]*-*.json")):
            report = _read(path)
            if report is None:
                log.warning("a report in the outbox is not readable and is given up: %s", path.name)
                path.unlink(missing_ok=True)
            else:
                yield _Entry(str(report["id"]), path, _is_expendable(report))

    def _first_free(self) -> int:
        numbers = (int(entry.path.name.partition("-")[0]) for entry in self._entries.values())
        return max(numbers, default=-1) + 1

    def _read_dropped(self) -> int:
        try:
            return int(json.loads((self._folder / _DROPPED).read_bytes()))
        except (OSError, ValueError, TypeError):
            return 0


def _is_expendable(report: Mapping[str, Any]) -> bool:
    return report.get("kind") == "run" and report.get("outcome") == "success"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        report = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return report if isinstance(report, dict) and "id" in report else None
