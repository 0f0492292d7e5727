"""`walle device track`: tell a device that runs on this machine what its user does, as its app would."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep, time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from walle.cli import humanize, session
from walle.cli.declaring import command
from walle.cli.errors import CommandFailed, WrongUsage
from walle.cli.files import read_session_file
from walle.cli.local_device import LocalDevice
from walle.cli.output import done, say, show_json

if TYPE_CHECKING:
    from walle.stream.events import BehaviourEvent

app = typer.Typer()

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the device: its --store.")]
Kind = Annotated[
    str | None,
    typer.Argument(metavar="[KIND]", help="page_enter, page_scroll, exposure, click or page_exit.", show_default=False),
]
Page = Annotated[str | None, typer.Option("--page", metavar="PAGE", help="The page on which it happens: item/17.")]
Id = Annotated[str | None, typer.Option("--id", metavar="ID", help="The event id, if it is not the kind: add_to_cart.")]
Contents = Annotated[str | None, typer.Option("--contents", metavar="JSON", help="The contents, as a JSON object.")]
Private = Annotated[
    str | None,
    typer.Option("--private", metavar="JSON", help="Contents that stay on the device, as a JSON object."),
]
At = Annotated[
    str | None, typer.Option("--at", metavar="TIME", help="When it happened, if not now: 2027-01-15T08:00:03Z.")
]
Session = Annotated[
    Path | None, typer.Option("--session", metavar="FILE", help="Play the events of a recorded session, as JSON Lines.")
]
Fast = Annotated[bool, typer.Option("--fast", help="Do not wait between the events of a session.")]


@command(
    app,
    "track",
    "walle device track ./device page_enter --page item/17",
    "walle device track ./device click --page item/17 --id add_to_cart --contents '{\"count\": 2}'",
    "walle device track ./device --session samples/view.jsonl",
    "walle device track ./device --session samples/view.jsonl --fast",
)
def track(
    folder: Folder,
    kind: Kind = None,
    *,
    page: Page = None,
    id: Id = None,
    contents: Contents = None,
    private: Private = None,
    at: At = None,
    recorded: Session = None,
    fast: Fast = False,
) -> None:
    """Tell a device that runs on this machine what its user does, as its app would.

    Give one event, or with --session a recording. A session is played as if it began now, in the time that it took;
    with --fast at once, as if it had just ended. The tasks that the events trigger run on the device: see them with
    `walle device events`.
    """
    of_one = {"page": page, "id": id, "contents": contents, "private": private, "at": at}
    device = LocalDevice(folder)
    if recorded is None:
        _track(device, kind, {name: value for name, value in of_one.items() if value is not None})
        return
    if given := [name for name, value in {"KIND": kind, **of_one}.items() if value is not None]:
        raise WrongUsage(f"a session has its own events: leave out {', '.join(given)}, or --session")
    _play(device, read_session_file(recorded), fast=fast)


def _track(device: LocalDevice, kind: str | None, given: dict[str, str]) -> None:
    if kind is None:
        raise WrongUsage("which event? expected its kind, or --session FILE", "walle device track --help")
    if "page" not in given:
        raise WrongUsage("on which page? expected --page", f"walle device track FOLDER {kind} --page item/17")
    event: dict[str, Any] = {"kind": kind, **given}
    for name in {"contents", "private"} & given.keys():
        event[name] = _object(given[name], f"--{name}")
    if "at" in given:
        event["at"] = _moment(given["at"])
    answer = device.track(event)
    if session.wants_json():
        show_json(answer)
    done(f"{given.get('id', kind)} on {given['page']}")


def _object(text: str, option: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WrongUsage(f"{option}: expected a JSON object: {error}") from error
    if not isinstance(found, dict):
        raise WrongUsage(f"{option}: expected a JSON object such as '{{\"count\": 2}}', found {text[:60]}")
    return found


def _moment(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError as error:
        raise WrongUsage(f"--at: expected a time such as 2027-01-15T08:00:03Z, found {text[:60]}") from error


def _play(device: LocalDevice, events: list[BehaviourEvent], *, fast: bool) -> None:
    """Have the device take the events of a session, moved to now, and say how many there were."""
    if not events:
        raise WrongUsage("the session has no events")
    first, last = (pick(event.at for event in events) for pick in (min, max))
    shift = time() - (last if fast else first)
    if fast:
        _check_room(device, first + shift, last - first)
    for event in events if fast else _in_time(events, first):
        device.track(event.to_dict() | {"at": event.at + shift})
        if not (fast or session.wants_json()):
            say(f"{humanize.time_of_day(event.at + shift, humanize.now())}  {event.kind:<11}  {event.page}")
    if session.wants_json():
        show_json({"events": len(events), "from": first + shift, "to": last + shift})
    done(f"{humanize.count(len(events), 'event')} played, {humanize.span(last - first)} of use")


def _check_room(device: LocalDevice, begin: float, length: float) -> None:
    """Refuse a session that would begin before what the device knows last: it drops events that come too late."""
    known = device.events(1)["events"]
    if known and known[-1]["at"] > begin:
        raise CommandFailed(
            f"the session is {humanize.span(length)} long, and the device's last event is newer than its first",
            f"wait {humanize.span(known[-1]['at'] - begin + 1)}, or play it in its own time, without --fast",
        )


def _in_time(events: Iterable[BehaviourEvent], first: float) -> Iterator[BehaviourEvent]:
    """Give each event when its time has come, counted from now."""
    began = monotonic()
    for event in events:
        sleep(max(0.0, event.at - first - (monotonic() - began)))
        yield event
