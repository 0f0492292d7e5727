"""`walle feature`: the features that devices send through the tunnel, as they arrive and as files."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from time import sleep
from typing import Annotated, Any

import typer

from walle.cli import arguments, humanize, session
from walle.cli.connection import connected
from walle.cli.declaring import command, group
from walle.cli.errors import WrongUsage
from walle.cli.output import Row, console, done, facts, say, show_json
from walle.cli.waiting import waiting

app = group("Features: what devices send through the tunnel.", name="feature")

POLL_S = 1.0
"""Seconds between two questions for what has arrived."""
PAGE = 200
_LONG_MS = 120_000.0


class FileFormat(StrEnum):
    """The formats of an exported file."""

    NDJSON = "ndjson"
    PARQUET = "parquet"


OfDevice = Annotated[str | None, typer.Option("--device", metavar="DEVICE", help="Only of this device.")]
OfVersion = Annotated[
    str | None, typer.Option("--version", metavar="VERSION", help="Only of this version of the task.")
]
Last = Annotated[int, typer.Option("--last", metavar="N", min=0, max=PAGE, help="How many earlier ones to show first.")]
Into = Annotated[Path, typer.Argument(metavar="FILE", show_default=False, help="The file to write.")]
Format = Annotated[
    FileFormat | None,
    typer.Option("--format", help="The file's format; by default as its name ends.", show_default=False),
]
Since = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="Only what arrived at or after this time: 2027-01-15T08:00Z."),
]
Before = Annotated[str | None, typer.Option("--before", metavar="TIME", help="Only what arrived before this time.")]
After = Annotated[
    str | None, typer.Option("--after", metavar="CURSOR", help="Only what follows this cursor of an earlier export.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the file where it ends (newline JSON).")]


@command(
    app,
    "tail",
    "walle feature tail --task shop/ipv",
    "walle feature tail --app shop --device uJ7YeXMu2tFX32mL8Zl_Ig --last 100",
    "walle feature tail --task shop/ipv --json | jq .values",
)
def tail(
    *,
    app: arguments.OfApp = None,
    task: arguments.OfTask = None,
    device: OfDevice = None,
    version: OfVersion = None,
    last: Last = 10,
) -> None:
    """Show the newest features, then each as it arrives, until you interrupt it. With --json each is one line."""
    sought = {"app": app, "task": task, "device": device, "version": version}
    with connected() as client:
        cursor = client.get("features/arrivals", **sought)["next"]
        earlier = client.listed("features", last, **sought)["results"] if last else []
        shown = {row["id"] for row in earlier}
        _print(reversed(earlier))
        while True:
            page = client.get("features/arrivals", cursor=cursor, limit=PAGE, **sought)
            _print(row for row in page["results"] if row["id"] not in shown)
            if page["next"] == cursor:
                sleep(POLL_S)
            cursor = page["next"]


def _print(rows: Any) -> None:
    tell = _tell_json if session.wants_json() else _tell_line if sys.stdout.isatty() else _tell_plain
    for row in rows:
        tell(row)
    sys.stdout.flush()


def _tell_json(row: Row) -> None:
    print(json.dumps(row, ensure_ascii=False))


def _tell_plain(row: Row) -> None:
    cells = (row["received_at"], row["app"], row["device"], row["task"], row["version"], str(row["delay_ms"]))
    print("\t".join((*cells, json.dumps(row["values"], ensure_ascii=False))))


def _tell_line(row: Row) -> None:
    """Print a feature on one line of the terminal: its values have what the other parts leave."""
    at = humanize.time_of_day(humanize.moment(row["received_at"]).timestamp(), humanize.now())
    mark = " (rolled back)" if row["rolled_back"] else ""
    begin = f"{at}  {row['app']}/{row['device'][:8]}  {row['task']} {row['version']}{mark}  "
    begin += f"{_delay(row['delay_ms']):>9}  "
    values = humanize.size(row["raw_bytes"]) if row["values"] is None else _brief(row["values"])
    left = max(0, console().width - len(begin))
    say((begin + (values if len(values) <= left else values[: left - 1] + "…" if left else "")).rstrip())


def _delay(milliseconds: float) -> str:
    """Format a delay: in minutes, hours or days where it is long, as that of a device that was offline."""
    return humanize.milliseconds(milliseconds) if milliseconds < _LONG_MS else humanize.span(milliseconds / 1000)


def _brief(values: Row) -> str:
    """Format values on a line, of lists and objects how much is in them: `page item/471  encoding [32]`."""
    return "  ".join(f"{humanize.harmless(name)} {_told(value)}" for name, value in values.items())


def _told(value: Any) -> str:
    match value:
        case str():
            return str(humanize.harmless(value))
        case list():
            return f"[{len(value)}]"
        case dict():
            return f"{{{len(value)}}}"
    return json.dumps(value)


@command(
    app,
    "export",
    "walle feature export features.ndjson --task shop/ipv",
    "walle feature export features.ndjson --task shop/ipv --resume",
    "walle feature export january.parquet --since 2027-01-01T00:00Z --before 2027-02-01T00:00Z",
)
def export(
    file: Into,
    *,
    format: Format = None,
    app: arguments.OfApp = None,
    task: arguments.OfTask = None,
    device: OfDevice = None,
    version: OfVersion = None,
    since: Since = None,
    before: Before = None,
    after: After = None,
    resume: Resume = False,
) -> None:
    """Write features to a file, in the order in which they were stored: newline JSON, or Parquet.

    Newline JSON goes on after a lost connection, and with --resume where a file ends, be it torn. A Parquet file
    appears once it is whole. The cursor that is told in the end leads to what arrives later: --after.
    """
    from walle.cli.exporting import export_lines, export_parquet

    kind = format or _format_of(file)
    _check(file, kind, after, resume=resume)
    query = {"format": kind.value, "app": app, "task": task, "device": device, "version": version}
    query |= {"since": since, "before": before, "cursor": after}
    with connected() as client, waiting("Exporting") as shown:
        if kind is FileFormat.PARQUET:
            found = export_parquet(client, file, query, tell=shown.say)
        else:
            found = export_lines(client, file, query, resume=resume, tell=shown.say)
    document = {"file": str(file), "features": found.features, "bytes": found.bytes, "next": found.next}
    if session.wants_json():
        show_json(document)
        return
    what = "" if found.features is None else f"{humanize.count(found.features, 'feature')}, "
    done(f"{what}{humanize.size(found.bytes)} in {file}")
    if found.next:
        facts({"what comes later": _later(file, kind, found.next)})


def _later(file: Path, kind: FileFormat, cursor: str) -> str:
    how = f"{file} --resume" if kind is FileFormat.NDJSON else f"ANOTHER.parquet --after {cursor}"
    return f"walle feature export {how}"


def _format_of(file: Path) -> FileFormat:
    return FileFormat.PARQUET if file.suffix == ".parquet" else FileFormat.NDJSON


def _check(file: Path, kind: FileFormat, after: str | None, *, resume: bool) -> None:
    if resume and kind is FileFormat.PARQUET:
        raise WrongUsage("an export to Parquet cannot be resumed", "export what came later to another: --after CURSOR")
    if resume and after is not None:
        raise WrongUsage("expected --resume or --after, not both: --resume reads from the file where it ends")
    if file.exists() and not resume:
        raise WrongUsage(f"{file} is there already", "name another file, or resume its export: --resume")
    if not file.absolute().parent.is_dir():
        raise WrongUsage(f"expected a file in a folder that exists, found {file}")
