"""The figures of a rollback, recomputed from the REST API."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from walle.release.evidence import ArmCounts, Evidence
from walle.release.limits import Limits
from walle.release.verdict import VerdictKind, judge
from walleweb.demo.control_plane import ControlPlane
from walleweb.demo.watching import wait_until

BACK_S = 600.0


@dataclass(frozen=True)
class Rollback:
    """The cost of a failed release: times in seconds since the report that decided."""

    had_it: int
    reported: int
    failed: int
    verdict_s: float
    back_s: float
    objections: tuple[Mapping[str, Any], ...]
    errors: Mapping[str, int]


def measure(control_plane: ControlPlane, release: Mapping[str, Any], good: str) -> Rollback:
    """Wait until every device that had the version runs the version `good` again. Raises NotInTime."""
    verdict = next(verdict for verdict in reversed(release["verdicts"]) if verdict["kind"] == VerdictKind.FAIL)
    decided = deciding_time(release, control_plane.reports(release=str(release["id"])), verdict["at"])
    had_it: set[str] = set()
    back: dict[str, datetime] = {}

    def all_are_back() -> bool:
        had_it.update(_installed(control_plane, release))
        back.update(_running_again(control_plane, release["task"], good, had_it, _time(verdict["at"])))
        return had_it <= back.keys()

    wait_until(all_are_back, BACK_S, f"all devices to run {release['task']} {good} again", every=1.0)
    counts = verdict["evidence"]["counts"]["treatment"]
    return Rollback(
        had_it=len(had_it),
        reported=counts["reported"],
        failed=counts["failed"],
        verdict_s=(_time(verdict["at"]) - decided).total_seconds(),
        back_s=(max(back.values()) - decided).total_seconds(),
        objections=tuple(finding for finding in verdict["evidence"]["findings"] if finding["objects"]),
        errors=release["figures"]["errors"],
    )


def deciding_time(release: Mapping[str, Any], reports: Iterable[Mapping[str, Any]], judged_at: str) -> datetime:
    """Return when the report arrived at which a test of failures first failed; the verdict's time if none did."""
    limits, counts = Limits.from_dict(release["strategy"]["limits"]), ArmCounts()
    settled: set[str] = set()
    for report in sorted(reports, key=lambda report: _time(report["received_at"])):
        failed = report["outcome"] == "failure"
        if report["device"] in settled or not (failed or report["kind"] == "run"):
            continue
        settled.add(report["device"])
        reported = counts.reported + 1
        counts = ArmCounts(reported, reported, reported, counts.failed + failed)
        if judge(Evidence(counts), limits, 0).kind == VerdictKind.FAIL:
            return _time(report["received_at"])
    return _time(judged_at)


def _installed(control_plane: ControlPlane, release: Mapping[str, Any]) -> set[str]:
    found = control_plane.reports(release=str(release["id"]), kind="install", outcome="success")
    return {report["device"] for report in found}


def _running_again(
    control_plane: ControlPlane, task: str, good: str, devices: Collection[str], since: datetime
) -> dict[str, datetime]:
    """Return when each of these devices first reported a run of the good version after the verdict."""
    first: dict[str, datetime] = {}
    for report in control_plane.reports(task=task, version=good, kind="run"):
        at = _time(report["received_at"])
        if at > since and report["device"] in devices:
            first[report["device"]] = at
    return first


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
