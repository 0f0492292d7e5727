"""`walle device events`: what a device's user did lately, which tasks that triggered, and what these cost."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from time import sleep
from typing import Annotated, Any

import typer

from walle.cli import behaviour, humanize, session
from walle.cli.declaring import command
from walle.cli.local_device import DeviceNotRunning, LocalDevice, events_on_disk, visits_of
from walle.cli.output import Row, console, facts, heading, listing, say, show, warn

app = typer.Typer()

POLL_S = 0.5
"""Seconds between two looks at the device with --follow."""

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the device: its --store.")]
Last = Annotated[int, typer.Option("--last", metavar="N", min=1, max=100, help="How many events to show.")]
Follow = Annotated[bool, typer.Option("--follow", "-f", help="Go on with each event as it comes.")]


@command(
    app,
    "events",
    "walle device events ./device",
    "walle device events ./device --last 100 --json",
    "walle device events ./device --follow",
)
def events(folder: Folder, *, last: Last = 20, follow: Follow = False) -> None:
    """Show a device's last events, the pages they belong to, the tasks that they triggered, and what these cost.

    The device runs on this machine: `python -m walle.device`. Where none runs, the events come from the log in its
    folder, which does not say what they triggered. With --follow and --json each event is one line.
    """
    if follow:
        _follow(LocalDevice(folder), last)
        return
    try:
        found = LocalDevice(folder).events(last)
    except DeviceNotRunning as error:
        logged = events_on_disk(folder, last)
        if logged is None:
            raise
        if not session.wants_json():
            warn(f"{error.message}: these are the events in its log")
        found = {"events": logged, "tasks": {}, "counts": {}}
    document = {
        "events": found["events"],
        "pages": visits_of(found["events"]),
        "tasks": [{"task": name, **costs} for name, costs in found["tasks"].items()],
        "counts": found["counts"],
    }
    show(document, _tell)


def _tell(document: Row) -> None:
    listing({"results": document["events"]}, _columns(document["events"]), nothing="No events yet.", plain=("at",))
    if document["pages"]:
        heading("Page visits")
        listing({"results": document["pages"]}, _PAGES, nothing="", plain=("entered",))
    if document["tasks"]:
        heading("Tasks")
        listing({"results": document["tasks"]}, _TASKS, nothing="")
    odd = {_ODD[name]: f"{count:,}" for name, count in document["counts"].items() if count and name in _ODD}
    refused = {
        f"refused, {name.removeprefix('refused_')}": f"{count:,}"
        for name, count in document["counts"].items()
        if name.startswith("refused_")
    }
    if odd or refused:
        heading("Events not taken as they came")
        facts({**odd, **refused})


def _columns(shown: list[Row]) -> dict[str, Any]:
    columns = {"at": behaviour.when, "event": lambda row: row["kind"]}
    if any(behaviour.event_id(row) for row in shown):
        columns["id"] = behaviour.event_id
    columns |= {"page": lambda row: row["page"], "contents": behaviour.contents}
    if any("triggered" in row for row in shown):
        columns["triggered"] = behaviour.triggered
    return columns


_PAGES: Mapping[str, Any] = {
    "page": lambda row: row["page"],
    "entered": lambda row: (
        humanize.time_of_day(row["entered"], humanize.now()) + (" or before" if row["enter_missing"] else "")
    ),
    "stayed": lambda row: f"{row['stayed']:.1f} s" + ("" if row["ended"] else " so far"),
    "ended": lambda row: row["ended"] or "open",
    "events": lambda row: f"{row['events']:,}",
}
_TASKS: Mapping[str, Any] = {
    "task": lambda row: row["task"],
    "runs": lambda row: f"{row['count']:,}",
    "failed": lambda row: f"{row['failed']:,}" if row["failed"] else "",
    "shed": lambda row: f"{row['shed']:,}" if row["shed"] else "",
    "p50": behaviour.duration("p50_ms"),
    "p99": behaviour.duration("p99_ms"),
    "max": behaviour.duration("max_ms"),
    "CPU": behaviour.duration("cpu_ms"),
}
_ODD: Mapping[str, str] = {
    "late": "came late, in their place",
    "too_late": "too late, dropped",
    "duplicates": "duplicates, dropped",
    "clock_steps": "steps of the clock",
    "lost": "lost, no disk took them",
    "torn": "damaged in the log",
}


def _follow(device: LocalDevice, last: int) -> None:
    """Print the last events, then each as it comes, until interrupted or the device ends."""
    found = device.events(last)
    tell = _tell_json if session.wants_json() else _tell_line if sys.stdout.isatty() else _tell_plain
    while True:
        if found["missed"]:
            warn(f"{humanize.count(found['missed'], 'event')} came too fast to be shown")
        for event in found["events"]:
            tell(event)
        sys.stdout.flush()
        sleep(POLL_S)
        found = device.events(last, after=found["next"])


def _tell_json(event: Row) -> None:
    print(json.dumps(event, ensure_ascii=False))


def _tell_plain(event: Row) -> None:
    cells = (behaviour.event_id(event), event["page"], behaviour.contents(event), behaviour.triggered(event))
    print("\t".join((str(event["at"]), event["kind"], *cells)))


def _tell_line(event: Row) -> None:
    """Print an event on one line of the terminal: the contents have what the other parts leave."""
    triggered = behaviour.triggered(event)
    end = f"  → {triggered}" if triggered else ""
    begin = f"{behaviour.when(event)}  {event['kind']:<11}  {event['page']:<12}  "
    if event_id := behaviour.event_id(event):
        begin += f"{event_id}  "
    left = max(0, console().width - len(begin) - len(end))
    told = behaviour.contents(event)
    say((begin + (told if len(told) <= left else told[: left - 1] + "…" if left else "")).rstrip() + end)
