"""Render the stages of a release in a terminal: how far each has come, and what the present one still waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.table import Table
from rich.text import Text

from walle.cli import humanize
from walle.protocol.kinds import PIPELINE
from walle.release.states import ENDED, ReleaseState

Document = Mapping[str, Any]

STATES: Final[Mapping[str, tuple[str, str]]] = {
    ReleaseState.DRAFT: ("·", "dim"),
    ReleaseState.SIMULATING: ("▸", "cyan"),
    ReleaseState.AWAITING_APPROVAL: ("?", "yellow"),
    ReleaseState.RUNNING: ("▸", "cyan"),
    ReleaseState.PAUSED: ("‖", "yellow"),
    ReleaseState.COMPLETE: ("✓", "green"),
    ReleaseState.REJECTED: ("✗", "bold red"),
    ReleaseState.SUPERSEDED: ("-", "dim"),
    ReleaseState.ABORTED: ("✗", "bold red"),
    ReleaseState.ROLLED_BACK: ("✗", "bold red"),
}
"""The mark and the colour of each state, always shown with its name."""
_PRESENT: Final = frozenset({ReleaseState.RUNNING, ReleaseState.PAUSED})
_BAR: Final = 14


def bar(parts: Sequence[tuple[float, str]], whole: float, width: int = _BAR) -> Text:
    """Return a bar of the parts of a whole; each part above zero is at least one character wide."""
    drawn = Text()
    for amount, style in parts:
        if amount > 0:
            drawn.append("█" * min(width - len(drawn), max(1, round(width * amount / max(whole, 1)))), style=style)
    return drawn.append("░" * (width - len(drawn)), style="dim")


def stages(release: Document, at: datetime) -> Table:
    """Return each stage with its progress as a bar, the devices that have the version, their reports, its duration."""
    made = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for _ in range(2):
        made.add_column(no_wrap=True)
    made.add_column(no_wrap=True, overflow="ellipsis")
    made.add_column(no_wrap=True, justify="right")
    figures = {one["position"]: one for one in release["figures"].get("stages", ())}
    for stage, plan in zip(release["stages"], release["strategy"]["stages"], strict=False):
        mark, style = _mark(release, stage)
        present = is_present(release, stage)
        made.add_row(
            Text(f"{mark} {humanize.stage_name(stage)}", style=style),
            bar([(_passed(release, stage, plan, at), style)], 1000),
            _counted(release, figures.get(stage["position"]), present=present),
            _lasted(stage, at, present=present),
        )
    return made


def gauges(release: Document, at: datetime) -> list[Table | Text]:
    """Return what the present stage waits for, as bars: soak time, reports, failures beside their limit."""
    found = next(
        (
            pair
            for pair in zip(release["stages"], release["strategy"]["stages"], strict=False)
            if is_present(release, pair[0])
        ),
        None,
    )
    if found is None:
        return []
    stage, plan = found
    made = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    made.add_column(no_wrap=True, style="dim")
    made.add_column(no_wrap=True)
    made.add_column(no_wrap=True, overflow="ellipsis")
    for row in (_soak(release, stage, plan, at), _reports(release, plan), _failures(release)):
        if row is not None:
            made.add_row(*row)
    return [Text(), made] if made.row_count else []


def is_present(release: Document, stage: Document) -> bool:
    """Return whether a release is in a stage now."""
    return bool(stage["entered_at"]) and stage["position"] == release["position"] and release["state"] in _PRESENT


def soaked(release: Document, stage: Document, at: datetime) -> float:
    """Return the seconds that a release has run since it entered a stage, without pauses."""
    entered, seconds = humanize.moment(stage["entered_at"]), 0.0
    since: datetime | None = entered
    for move in release["transitions"]:
        when = humanize.moment(move["at"])
        if when <= entered:
            continue
        if move["after"] == ReleaseState.RUNNING:
            since = since or when
        elif since is not None:
            seconds, since = seconds + (when - since).total_seconds(), None
    return seconds + ((at - since).total_seconds() if since is not None else 0.0)


def _mark(release: Document, stage: Document) -> tuple[str, str]:
    here, where = stage["position"] == release["position"], release["state"]
    if not stage["entered_at"]:
        return "·", "dim"
    if where == ReleaseState.COMPLETE or not here:
        return "✓", "green"
    return ("✗", "bold red") if where in ENDED else STATES.get(where, ("?", ""))


def _passed(release: Document, stage: Document, plan: Document, at: datetime) -> int:
    """Return the thousandths of a stage that have passed: of the present one, of what is slowest to come."""
    if not stage["entered_at"]:
        return 0
    if not is_present(release, stage):
        return 1000
    soak = soaked(release, stage, at) / plan["dwell_s"] if plan.get("dwell_s") else 1.0
    reports = _counting(release) / plan["evidence"] if plan["evidence"] else 1.0
    return round(1000 * min(soak, reports, 1.0))


def _counting(release: Document) -> int:
    """Return how many devices have reported that count for the present stage."""
    treatment = release["figures"]["treatment"]
    return int(treatment.get("in_stage", treatment["reported"]))


def _counted(release: Document, counts: Document | None, *, present: bool) -> str:
    """Return how many devices that were selected in a stage have the version, have reported and failed."""
    if counts is None:
        return "none selected yet" if present else ""
    have = "" if release.get("kind") == PIPELINE else f"{counts['installed']:,} have it, "
    failed = f", {counts['failed']:,} failed" if counts["failed"] else ""
    return f"{have}{counts['reported']:,} of {counts['drawn']:,} reported{failed}"


def _lasted(stage: Document, at: datetime, *, present: bool) -> str:
    if not stage["entered_at"] or not (stage["left_at"] or present):
        return ""
    end = humanize.moment(stage["left_at"]) if stage["left_at"] else at
    return humanize.clock((end - humanize.moment(stage["entered_at"])).total_seconds())


def _soak(release: Document, stage: Document, plan: Document, at: datetime) -> tuple[str, Text, str] | None:
    planned = plan.get("dwell_s")
    if not planned:
        return None
    passed = min(soaked(release, stage, at), planned)
    of = humanize.clock(planned)
    told = f"{humanize.clock(planned - passed)} of {of} left" if passed < planned else f"{of} over"
    if passed < planned and release["strategy"].get("window"):
        told = f"{of} within its time window"
    elif passed < planned and release["state"] == ReleaseState.PAUSED:
        told += ", stands still while it is paused"
    return "soak time", bar([(passed, "cyan" if passed < planned else "green")], planned), told


def _reports(release: Document, plan: Document) -> tuple[str, Text, str] | None:
    needed, counting = plan["evidence"], _counting(release)
    if not needed:
        return None
    enough = counting >= needed
    told = f"{counting:,} of {needed:,} that count" if not enough else f"{counting:,}, at least {needed:,} needed"
    return "reports", bar([(min(counting, needed), "green" if enough else "cyan")], needed), told


def _failures(release: Document) -> tuple[str, Text, str] | None:
    counts = release["figures"]["treatment"]
    limit = release["strategy"].get("limits", {}).get("failure_rate")
    if limit is None or not counts["reported"]:
        return None
    rate = counts["failed"] / counts["reported"]
    style = "bold red" if rate > limit else "green"
    shown, most = (humanize.percent(part, 1) for part in (rate, limit))
    told = f"{counts['failed']:,} of {counts['reported']:,}, {shown}; the limit is {most}"
    return "failures", bar([(min(rate / limit, 1.0) * 1000, style)], 1000), told
