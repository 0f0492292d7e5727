"""Tests of processes that failed are run once more, alone, when all the others are done.

What passes then is printed under FLAKY with both outputs, and does not fail the run. Each is a defect to be mended.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from _pytest.terminal import TerminalReporter

from tests.tiers.tier import Tier

# Where more have failed, something is broken: running each alone would only take time.
MOST = 8
SECONDS = 900
FAILED = ("failed", "error")


@dataclass(frozen=True)
class Flaky:
    """A test that failed among others and passed alone."""

    nodeid: str
    first: str
    second: str


def failed_reports(reporter: TerminalReporter) -> list[pytest.TestReport]:
    return [report for kind in FAILED for report in reporter.stats.get(kind, []) if hasattr(report, "nodeid")]


def run_again(reporter: TerminalReporter) -> list[Flaky]:
    """Run each failed test of the tier once; those that pass are failures no longer."""
    failed = failed_reports(reporter)
    names = dict.fromkeys(report.nodeid for report in failed if _is_of_processes(report))
    if not names or len(names) > MOST:
        return []
    found = []
    for nodeid in names:
        second = _alone(nodeid, reporter.config.rootpath)
        if second.returncode == 0:
            first = "\n".join(_text(report) for report in failed if report.nodeid == nodeid)
            found.append(Flaky(nodeid, first, second.stdout + second.stderr))
    _forgive(reporter, {flaky.nodeid for flaky in found})
    return found


def show(reporter: TerminalReporter, found: Iterable[Flaky]) -> None:
    """Print both outputs of each, and their names at the end."""
    found = tuple(found)
    reporter.section("FLAKY: failed among others, passed alone", red=True)
    for flaky in found:
        reporter.line(f"--- {flaky.nodeid}: the first time", yellow=True)
        reporter.line(flaky.first)
        reporter.line(f"--- {flaky.nodeid}: alone", yellow=True)
        reporter.line(flaky.second)
    for flaky in found:
        reporter.line(f"FLAKY {flaky.nodeid}", red=True)


def _is_of_processes(report: pytest.TestReport) -> bool:
    # A worker that crashed, or collected other tests than the others, leaves a report without keywords.
    return Tier.PROCESSES in getattr(report, "keywords", {})


def _alone(nodeid: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", nodeid]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, cwd=folder)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"not done after {SECONDS} s")


def _text(report: pytest.TestReport) -> str:
    return "\n".join([report.longreprtext, *(f"--- {title}\n{content}" for title, content in report.sections)])


def _forgive(reporter: TerminalReporter, nodeids: set[str]) -> None:
    first: dict[str, object] = {}
    for kind in FAILED:
        reports = reporter.stats.pop(kind, [])
        if left := [report for report in reports if getattr(report, "nodeid", None) not in nodeids]:
            reporter.stats[kind] = left
        for report in reports:
            if report not in left:
                first.setdefault(report.nodeid, report)
    if first:
        reporter.stats["flaky"] = list(first.values())
