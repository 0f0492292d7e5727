"""`walle stream replay`: what a recorded session of behaviour events triggers, and what that costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from walle.cli import behaviour, humanize
from walle.cli.declaring import command, group
from walle.cli.errors import CommandFailed, WrongUsage
from walle.cli.files import read_object, read_session_file
from walle.cli.output import Row, facts, heading, listing, say, show, warn
from walle.cli.waiting import waiting

app = group("Stream tasks: what a recorded session would trigger.", name="stream")

Session = Annotated[Path, typer.Argument(metavar="SESSION", help="A recorded session: JSON Lines, an event each.")]
Folders = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[FOLDER]...", help="The folders of tasks; this one if none is given.", show_default=False),
]
Run = Annotated[bool, typer.Option("--run", help="Run what fires in the sandbox of devices, and show the outputs.")]
WithPrivate = Annotated[bool, typer.Option("--private", help="Show private contents, and what tasks make of them.")]
Inputs = Annotated[
    str | None,
    typer.Option("--input", "-i", metavar="FILE", help="The inputs that the app would give, as TOML or JSON."),
]


@command(
    app,
    "replay",
    "walle stream replay samples/view.jsonl",
    "walle stream replay samples/view.jsonl --run",
    "walle stream replay view.jsonl shop/ipv shop/rank --run --json",
)
def replay(
    recorded: Session,
    folders: Folders = None,
    *,
    run: Run = False,
    private: WithPrivate = False,
    inputs: Inputs = None,
) -> None:
    """Show which stream tasks a recorded session would trigger, at which events, and with --run what that costs.

    With --run each firing runs in the sandbox of devices, in a VM that is kept where the task asks for it; the outputs,
    the times and the bytes that went in and came out are shown. The status is 1 if a run failed. Private contents are
    shown only with --private.
    """
    from walle.cli.replaying import firing_runner, load_stream_task, replay_document

    events = read_session_file(recorded)
    tasks = [load_stream_task(folder) for folder in folders or [Path()]]
    if len({one.name for one in tasks}) < len(tasks):
        raise WrongUsage(f"expected folders of different tasks, found {', '.join(one.name for one in tasks)}")
    given = read_object(inputs) if inputs else {}
    with waiting("Replaying") as shown, firing_runner(tasks, given) if run else nullcontext() as runner:
        found = replay_document(
            recorded.name, events, tasks, run=runner.run if runner else None, private=private, tell=shown.say
        )
        notes = runner.notes if runner else []
    show(found, lambda _: _tell(found, several=len(tasks) > 1))
    for text in [*_warnings(found), *notes]:
        warn(text)
    if any(one["runs"]["failed"] for one in found["tasks"] if "runs" in one):
        raise typer.Exit(CommandFailed.status)


def _tell(found: Row, *, several: bool) -> None:
    visits, seconds = len(found["pages"]), humanize.span(found["seconds"])
    events, size = humanize.count(found["events"], "event"), humanize.size(found["raw_bytes"])
    say(f"{found['session']}: {events} in {humanize.count(visits, 'page visit')}, {size} in {seconds}")
    if found["firings"]:
        heading("Fired")
        listing({"results": found["firings"]}, _columns(found, several=several), nothing="")
        for one in found["firings"]:
            if one.get("error_class"):
                _tell_failure(one)
    for one in found["tasks"]:
        heading(one["task"])
        facts(_facts(one))


def _columns(found: Row, *, several: bool) -> dict[str, Callable[[Row], str]]:
    columns: dict[str, Callable[[Row], str]] = {
        "event": lambda row: f"{row['number']:,}",
        "at": lambda row: f"+{humanize.clock(row['trigger']['at'] - found['began'])}",
        "trigger": lambda row: f"{row['trigger']['id']} {row['trigger']['page']}",
    }
    if several:
        columns["task"] = lambda row: row["task"]
    columns["events"] = lambda row: f"{row['events']:,}"
    if any("start" in one for one in found["firings"]):
        columns["took"] = lambda row: humanize.milliseconds(row["duration_ms"])
        columns["output"] = _output
    else:
        columns["size"] = lambda row: humanize.size(row["raw_bytes"])
    return columns


def _output(row: Row) -> str:
    if row["error_class"]:
        return f"failed: {row['error_class']}"
    return behaviour.short(row["output"], 200) if "output" in row else "private: see it with --private"


def _tell_failure(one: Row) -> None:
    told = one["logs"].strip() if one.get("logs") else one.get("message") or ""
    say(f"\nevent {one['number']:,}: {one['task']} failed: {one['error_class']}")
    for line in humanize.harmless(told).splitlines():
        say(f"  {line}")


def _facts(one: Row) -> dict[str, str | None]:
    """Return what one task came to, in words."""
    runs = one.get("runs")
    events = f", on {humanize.count(one['events'], 'event')}" if one["fired"] else ""
    return {
        "fires on": behaviour.condition(one["trigger"]),
        "fired": (humanize.count(one["fired"], "time") if one["fired"] else "never") + events,
        "cut": f"{humanize.count(one['cut'], 'window')} had more events than a run is given" if one["cut"] else None,
        "bytes": _bytes(one, runs),
        "failed": f"{runs['failed']:,} of {humanize.count(runs['count'], 'run')}" if runs and runs["failed"] else None,
        "time": _times(runs) if runs else None,
        "CPU": f"{humanize.milliseconds(runs['cpu_ms'])} in all" if runs else None,
    }


def _bytes(one: Row, runs: Row | None) -> str | None:
    if not one["fired"]:
        return None
    raw = humanize.size(one["raw_bytes"])
    if not runs:
        return f"{raw} of events"
    saved = humanize.percent(max(0, one["raw_bytes"] - one["output_bytes"]), one["raw_bytes"])
    return f"{raw} of events → {humanize.size(one['output_bytes'])} of outputs, {saved} saved"


def _times(runs: Row) -> str:
    shares = ", ".join(f"{name} {humanize.milliseconds(runs[f'{name}_ms'])}" for name in ("p50", "p99", "max"))
    return f"{shares}; {humanize.count(runs['cold'], 'cold start')} of {humanize.count(runs['count'], 'run')}"


def _warnings(found: Row) -> Iterator[str]:
    for one in found["tasks"]:
        yield from (f"{one['task']}: {text}" for text in one["warnings"])
        if not one["fired"]:
            why = f"no event has {', '.join(one['absent'])}" if one["absent"] else "its ids occur, but not in this way"
            yield f"{one['task']} never fired: {why} ({behaviour.condition(one['trigger'])})"
