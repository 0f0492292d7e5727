"""Render releases in a terminal: states, stages, arms, verdicts and simulations, as text and bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from walle.cli import humanize
from walle.cli.output import table
from walle.cli.rendering_stages import STATES, bar, gauges, stages
from walle.release.evidence import condition_text
from walle.release.states import ENDED, ReleaseState

Document = Mapping[str, Any]

VERDICTS: Final[Mapping[str, tuple[str, str]]] = {
    "pass": ("✓", "green"),
    "fail": ("✗", "bold red"),
    "error": ("!", "yellow"),
    "inconclusive": ("…", "cyan"),
    "pending": ("…", "cyan"),
}
CELLS: Final[Mapping[str, tuple[str, str]]] = {
    "passed": ("✓", "green"),
    "failed": ("✗", "bold red"),
    "excluded": ("-", "dim"),
    "error": ("!", "yellow"),
}
ARMS: Final = ("treatment", "control")
LAST_MOVES: Final = 5


def state(release: Document) -> Text:
    """Return the mark and the name of a release's state."""
    mark, style = STATES.get(release["state"], ("?", ""))
    return Text(f"{mark} {release['state']}", style=style)


def title(release: Document) -> Text:
    what = f"Release {release['id']} · {release['task']} {release['version']} → {release['app']}   "
    return Text.assemble((what, "bold"), state(release))


def overview(release: Document, at: datetime, *, simulation: Document | None = None) -> RenderableType:
    """Return the overview of a release for somebody who watches it."""
    parts: list[RenderableType] = [title(release), Text(creation_line(release, at), style="dim"), Text()]
    if simulation is not None and simulation["cells"]:
        parts += [simulation_line(simulation), Text()]
    parts += [stages(release, at), *gauges(release, at), Text()]
    if any(release["figures"][arm]["drawn"] for arm in ARMS):
        parts += [arms(release), *awaiting_trigger(release), *deferred(release), *new_devices(release), Text()]
    if release.get("withdrawal") is not None:
        parts += [*withdrawal(release["withdrawal"], at), Text()]
    if release.get("completion_watch") is not None:
        parts += [completion_watch(release["completion_watch"], at), Text()]
    if (verdict := newest_verdict(release)) is not None:
        parts += [verdict, Text()]
    elif release["state"] in ENDED and release["transitions"]:
        parts += [Text(f"{release['state']}: {release['transitions'][-1]['reason']}"), Text()]
    parts += [moves(release, at)]
    return Group(*parts)


def creation_line(release: Document, at: datetime) -> str:
    """Return who created the release, when, and for how long it has been in its state."""
    made = f"created by {release['created_by']} {humanize.ago(release['created_at'], at)}"
    last = release["transitions"][-1:] if release["transitions"] else []
    since = (
        f", {release['state']} for {humanize.span((at - humanize.moment(last[0]['at'])).total_seconds())}"
        if last
        else ""
    )
    return made + since


def arms(release: Document) -> RenderableType:
    """Return the counts of both arms, with a bar of the outcomes of those that were selected."""
    columns = ("drawn", "offered", "installed", "reported", "failed", "silent")
    titles = ("selected", *columns[1:])
    rows = []
    for arm in ARMS:
        counts = release["figures"][arm]
        ok = counts["reported"] - counts["failed"]
        parts = [(ok, "green"), (counts["failed"], "bold red"), (counts["silent"], "yellow")]
        picture = bar(parts, counts["drawn"]) if counts["drawn"] else Text("")
        shown = [Text(f"{counts[name]:,}", justify="right") for name in columns]
        shown[4].stylize("bold red" if counts["failed"] else "")
        shown[5].stylize("yellow" if counts["silent"] else "")
        rows.append([Text(arm), *shown, picture])
    return table(("arm", *titles, "outcomes"), rows)


def awaiting_trigger(release: Document) -> list[Text]:
    """Return a note about devices on which the condition of a stream task has not occurred yet; nothing for others."""
    condition = release["figures"].get("trigger")
    if not condition:
        return []
    counts = release["figures"]["treatment"]
    waiting = counts.get("awaiting_trigger", 0)
    told = f"{waiting:,} of the {counts['installed']:,} that have installed it await {condition_text(condition)}"
    return [Text(f"{told}: they check in, and it has not occurred on them yet.", style="dim")]


def deferred(release: Document) -> list[Text]:
    """Return a note about devices that put the version off, by reason; nothing if there are none."""
    count = release["figures"]["treatment"].get("deferred", 0)
    if not count:
        return []
    return [Text(f"{count:,} put it off for now ({reasons(release)}): they check in, and are not silent.", style="dim")]


def reasons(release: Document) -> str:
    """Return why devices put a version off: `3 in-call, 1 metered`."""
    return ", ".join(f"{count:,} {reason}" for reason, count in release["figures"]["deferred"].items())


def new_devices(release: Document) -> list[Text]:
    """Return a note about new devices, which verdicts do not count; nothing if there are none."""
    new = release["figures"]["new"]
    if not new["drawn"]:
        return []
    told = f"{new['drawn']:,} of them are new, and nobody vouches for them: they do not count"
    return [Text(f"{told} (docs/guides/app-keys.md).", style="yellow")]


def completion_watch(found: Document, at: datetime) -> Text:
    """Return how a complete release keeps to its limit in the present period."""
    since = humanize.ago(found["period_began_at"], at)
    told = f"period {found['period']}, began {since}: {found['sentence'] or 'not looked at yet'}"
    if found["exceeded_at"]:
        return Text(f"exceeds its limit after completion; {told}", style="red")
    return Text(f"watched after completion, {told}", style="dim")


def withdrawal(found: Document, at: datetime) -> list[Text]:
    """Return how many devices still have a rolled-back version, with a bar and the time until none has."""
    remaining, style = found["remaining"], "yellow" if found["remaining"] else "green"
    shown = bar([(remaining, style)], found["devices"])
    lines = [Text.assemble(("still on it  ", style), shown, f"  {still_on_it(found, at)}")]
    if len(found["curve"]) > 1:
        began = found["curve"][0][0]
        steps = [f"{devices:,} after {humanize.span(second - began)}" for second, devices in found["curve"][1:]]
        lines.append(Text(f"{found['curve'][0][1]:,} at first, " + ", ".join(steps[-LAST_MOVES:]), style="dim"))
    return lines


def still_on_it(found: Document, at: datetime) -> str:
    """Return who still has a rolled-back version in a sentence: `12 of 32, none in 0:41`."""
    devices, remaining, offline = found["devices"], found["remaining"], found["offline"]
    counts = f"{remaining:,} of {devices:,}"
    if found["ended_at"]:
        took = found["curve"][-1][0] - found["curve"][0][0]
        return f"{counts}: the version may be released again" if remaining else f"{counts}, after {humanize.span(took)}"
    left = (humanize.moment(found["told_by"]) - at).total_seconds()
    if left > 0:
        return f"{counts}, none that can be reached in {humanize.clock(left)}"
    if remaining == offline:
        return f"{counts}: offline, they give it up when they check in"
    return f"{counts}, {offline:,} offline: the others keep it"


def newest_verdict(release: Document) -> Text | None:
    """Return the last verdict: mark, kind and sentence."""
    if not release["verdicts"]:
        return None
    verdict = release["verdicts"][-1]
    mark, style = VERDICTS.get(verdict["kind"], ("?", ""))
    return Text.assemble((f"{mark} {verdict['kind']}", style), "  ", verdict["sentence"])


def moves(release: Document, at: datetime, most: int = LAST_MOVES) -> RenderableType:
    """Return the last moves, newest first."""
    rows = [
        [humanize.ago(move["at"], at), into(release, move), move["actor"], move["reason"]]
        for move in reversed(release["transitions"][-most:])
    ]
    return table(("when", "to", "by", "why"), rows) if rows else Text("It has not been started.", style="dim")


def into(release: Document, move: Document) -> str:
    """Return where a move led: the name of a stage, or a state."""
    if move["after"] == ReleaseState.RUNNING and move["position_after"] is not None:
        names = {stage["position"]: humanize.stage_name(stage) for stage in release["stages"]}
        return names.get(move["position_after"], "running")
    return str(move["after"])


def simulation_line(simulation: Document) -> Text:
    """Return the progress and the result of a simulation."""
    cells = simulation["cells"]
    ended = [cell for cell in cells if cell["state"] in CELLS]
    mark, style = VERDICTS.get(simulation["kind"] or "", ("…", "cyan"))
    shown = bar([(len(ended), style)], len(cells))
    return Text.assemble(
        (f"{mark} simulation  ", style), shown, f"  {len(ended)} of {len(cells)} cells: ", simulation["sentence"]
    )


def matrix(cells: Sequence[Document]) -> RenderableType:
    """Return the results of a simulation as a table of app versions by systems."""
    systems = sorted({(cell["os"], cell["os_version"]) for cell in cells}, key=_by_version)
    made = Table("app", box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for os, version in systems:
        made.add_column(f"{os}\n{version}", justify="center")
    for app_version in dict.fromkeys(cell["app_version"] for cell in cells):
        row = {(cell["os"], cell["os_version"]): cell for cell in cells if cell["app_version"] == app_version}
        made.add_row(app_version, *(cell_mark(row.get(system)) for system in systems))
    return made


def cell_mark(cell: Document | None) -> Text:
    mark, style = CELLS.get(cell["state"], ("…", "dim")) if cell else (" ", "")
    return Text(mark, style=style)


def _by_version(system: tuple[str, str]) -> tuple[str, list[int]]:
    os, version = system
    return os, [int(part) for part in version.split(".") if part.isdigit()]
