"""Render releases for a terminal: stages as a line, a verdict as figures."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from math import exp
from typing import Any

from rich.table import Table
from rich.text import Text

from walle.cli.humanize import stage_name
from walle.release.states import ENDED, ReleaseState
from walleweb.demo.rollback import Rollback


def stages(release: Mapping[str, Any]) -> Text:
    """Render the stages of a release as one line: past ones with their seconds, the present one, those ahead."""
    line = Text()
    if release["strategy"]["simulation"]:
        _add(line, "simulation", *_simulation(release))
    for stage in release["stages"]:
        _add(line, stage_name(stage), *_progress(release, stage))
    if release["state"] in ENDED or release["state"] in (ReleaseState.COMPLETE, ReleaseState.PAUSED):
        good = release["state"] == ReleaseState.COMPLETE
        line.append(f" {release['state']}", style="bold green" if good else "bold red")
    return line


def _add(line: Text, name: str, mark: str, style: str, after: str = "") -> None:
    if line:
        line.append(" ─ ", style="dim")
    line.append(f"{mark} {name}", style=style)
    if after:
        line.append(f" {after}", style="dim")


def _simulation(release: Mapping[str, Any]) -> tuple[str, str]:
    if release["state"] == ReleaseState.SIMULATING:
        return "▸", "bold cyan"
    return ("✗", "bold red") if release["state"] == ReleaseState.REJECTED else ("✓", "green")


def _progress(release: Mapping[str, Any], stage: Mapping[str, Any]) -> tuple[str, str, str]:
    if not stage["entered_at"]:
        return "·", "dim", ""
    if stage["position"] == release["position"] and release["state"] == ReleaseState.RUNNING:
        treatment = release["figures"]["treatment"]
        return "▸", "bold cyan", f"{treatment['reported']} reported, {treatment['failed']} failed"
    if stage["position"] == release["position"] and release["state"] != ReleaseState.COMPLETE:
        return "✗", "bold red", ""
    return "✓", "green", f"{_seconds(stage['entered_at'], stage['left_at']):.1f} s" if stage["left_at"] else ""


def _seconds(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def arms(release: Mapping[str, Any], who: str = "devices") -> str:
    """Describe the numbers of devices, or of who else there is, in both arms, with their outcomes."""
    treatment, control = release["figures"]["treatment"], release["figures"]["control"]
    return (
        f"{treatment['installed']} {who} have it, {treatment['reported']} reported, {treatment['failed']} failed; "
        f"held back as control: {control['drawn']}, of which {control['reported']} reported, "
        f"{control['failed']} failed"
    )


def reasons(release: Mapping[str, Any]) -> list[str]:
    """Return every automatic move of the release, with its reason."""
    moves = [move for move in release["transitions"] if move["actor"] == "system"]
    return [f"{move['action']}: {move['reason']}" for move in moves]


def last_line(log: str) -> str:
    return next((line for line in reversed(log.splitlines()) if line.strip()), "(it wrote none)")


def rollback(figures: Rollback) -> Table:
    """Render the cost of a failed release, and what stopped it."""
    table = Table(show_header=False, pad_edge=False, box=None)
    table.add_row("devices that had it", f"{figures.had_it}")
    table.add_row("reports until the verdict", f"{figures.reported}, of which {figures.failed} failed")
    table.add_row("how they failed", ", ".join(f"{name} on {count}" for name, count in figures.errors.items()))
    for objection in figures.objections:
        table.add_row(f"test {objection['test']}", f"fails: {objection['sentence']}")
        table.add_row("", f"evidence {_odds(objection['log_evidence'])} ({_odds(objection['threshold'])} decides)")
    table.add_row("from the deciding report", f"{figures.verdict_s:.2f} s to the verdict")
    table.add_row("", f"{figures.back_s:.2f} s until the last device had run the good version again")
    return table


def _odds(log_evidence: float) -> str:
    return f"{exp(min(log_evidence, 50)):,.0f} : 1"


def explanation(device: str, found: Mapping[str, Any]) -> list[str]:
    """Explain which release decides about a task on a device, and why the others do not."""
    lines = [
        f"device {device} keeps what it has" if found["change"] == "none" else f"device {device}: {found['change']}"
    ]
    return [*lines, *(f"  release {each['release']}: {each['reason']}" for each in found["considered"])]
