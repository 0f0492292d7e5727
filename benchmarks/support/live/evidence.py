"""The stored reports since a moment, and which of them proved a version bad."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.support.live.history import Connection
from walle.release.evidence import ArmCounts, Evidence
from walle.release.strategy import Strategy
from walle.release.verdict import VerdictKind, judge

_REPORTS = """
SELECT device, kind, outcome, version, extract(epoch FROM received_at)::float8,
    extract(epoch FROM pg_xact_commit_timestamp(xmin))::float8
FROM devices_app_report WHERE received_at >= to_timestamp(%s) ORDER BY reported_at, id
"""


@dataclass(frozen=True)
class Reports:
    """Rows of _REPORTS."""

    rows: list[Any]

    def crossing(self, version: str, limits: Strategy, devices: int) -> tuple[float, float, int]:
        """Return arrival and commit of the report that turns the verdict into a fail, and its number.

        The version was offered to so many devices.
        """
        first: dict[str, Any] = {}
        for row in self.rows:
            if row[1] == "run" and row[3] == version:
                first.setdefault(row[0], row)
        failed = 0
        for reported, row in enumerate(sorted(first.values(), key=lambda row: (row[5], row[4])), start=1):
            failed += row[2] == "failure"
            counts = ArmCounts(drawn=devices, offered=devices, reported=reported, failed=failed, timed=reported)
            if judge(Evidence(counts), limits.limits, 0).kind == VerdictKind.FAIL:
                return row[4], row[5], reported
        raise SystemExit("no report crossed the limit: expected the bad version to fail")

    def installs(self, version: str, after: float) -> dict[str, float]:
        """Return by device when the report of a version's installation reached a gateway."""
        rows = [row for row in self.rows if row[1] == "install" and row[3] == version and row[4] > after]
        return {row[0]: row[4] for row in rows}


def read_reports(connection: Connection, after: float) -> Reports:
    """Return the reports that came after a moment (Unix seconds)."""
    return Reports(connection.execute(_REPORTS, [after]).fetchall())
