"""`walle device list`, `count`, `show`, `timeline` and `explain`."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Any

import typer

from walle.cli import arguments, completing, humanize
from walle.cli.connection import connected, path
from walle.cli.declaring import command
from walle.cli.explanation import show_explanation
from walle.cli.files import read_object
from walle.cli.output import facts, heading, listing, say, show

app = typer.Typer()

WithTask = Annotated[
    str | None,
    typer.Option(
        "--task",
        metavar="SCENARIO/TASK",
        parser=arguments.task_name,
        autocompletion=completing.tasks,
        help="Only devices that have this task.",
    ),
]
WithVersion = Annotated[
    str | None,
    typer.Option("--version", metavar="VERSION", help="Only devices with this version of the task; requires --task."),
]
System = Annotated[str | None, typer.Option("--os", metavar="NAME", help="Only devices with this operating system.")]
AppVersion = Annotated[
    str | None,
    typer.Option("--app-version", metavar="VERSION", help="Only devices with this version of the operating system."),
]
Fact = Annotated[
    list[str] | None,
    typer.Option("--fact", metavar="NAME=VALUE", help="Only devices with this attribute; may be repeated."),
]
Rule = Annotated[
    str | None, typer.Option("--rule", metavar="FILE", help="Only devices that match a targeting rule; requires --app.")
]
Vouched = Annotated[
    bool | None,
    typer.Option("--vouched/--not-vouched", help="Only devices that the app's backend vouches for, or only others."),
]
Revoked = Annotated[bool | None, typer.Option("--revoked/--not-revoked", help="Only revoked devices, or only others.")]


FirstSince = Annotated[
    str | None,
    typer.Option(
        "--first-seen-since",
        metavar="TIME",
        help="Only devices that first checked in at or after this time: 2027-01-15T08:00Z.",
    ),
]
FirstBefore = Annotated[
    str | None,
    typer.Option("--first-seen-before", metavar="TIME", help="Only devices that first checked in before this time."),
]


def _sought(
    fact: list[str] | None, rule: str | None, *, vouched: bool | None, revoked: bool | None, **plain: str | None
) -> dict[str, Any]:
    """Build the query parameters that select these devices."""
    facts = {f"fact.{name}": value for name, value in map(arguments.fact, fact or ())}
    return {
        **plain,
        "rule": json.dumps(read_object(rule)) if rule else None,
        **{name: str(flag).lower() for name, flag in (("vouched", vouched), ("revoked", revoked)) if flag is not None},
        **facts,
    }


@command(
    app,
    "list",
    "walle device list --app shop",
    "walle device list --app shop --os android --task camera/digits --limit 100",
    "walle device list --app shop --fact 'model=Pixel 8' --fact user.age_band=18-29",
)
def list_(
    *,
    app: arguments.OfApp = None,
    task: WithTask = None,
    version: WithVersion = None,
    os: System = None,
    app_version: AppVersion = None,
    fact: Fact = None,
    rule: Rule = None,
    first_seen_since: FirstSince = None,
    first_seen_before: FirstBefore = None,
    vouched: Vouched = None,
    revoked: Revoked = None,
    limit: arguments.Limit = 30,
) -> None:
    """List the devices of the apps you may see, newest first."""
    came = {"first_seen_since": first_seen_since, "first_seen_before": first_seen_before}
    said = {"app": app, "task": task, "version": version, "os": os, "app_version": app_version}
    sought = _sought(fact, rule, vouched=vouched, revoked=revoked, **said, **came)
    with connected() as client:
        page = client.listed("devices", limit, **sought)
    columns = {
        "device": lambda row: row["device"],
        "app": lambda row: f"{row['app']} {row['facts'].get('app_version', '')}".strip(),
        "system": _system,
        "first_seen": lambda row: humanize.ago(row["first_seen"], humanize.now()),
        "last_seen": lambda row: humanize.ago(row["last_seen"], humanize.now()),
        "state": lambda row: "revoked" if row["revoked_at"] else "",
    }
    show(page, lambda _: listing(page, columns, nothing="No device fits.", plain=("first_seen", "last_seen")))


@command(
    app, "count", "walle device count --app shop --os android", "walle device count --app shop --rule r.toml --exact"
)
def count(
    *,
    app: arguments.OfApp = None,
    task: WithTask = None,
    version: WithVersion = None,
    os: System = None,
    app_version: AppVersion = None,
    fact: Fact = None,
    rule: Rule = None,
    first_seen_since: FirstSince = None,
    first_seen_before: FirstBefore = None,
    vouched: Vouched = None,
    revoked: Revoked = None,
    exact: Annotated[bool, typer.Option("--exact", help="Count every device, however long that takes.")] = False,
) -> None:
    """Count devices; large numbers are estimated unless --exact is given."""
    came = {"first_seen_since": first_seen_since, "first_seen_before": first_seen_before}
    said = {"app": app, "task": task, "version": version, "os": os, "app_version": app_version}
    sought = _sought(fact, rule, vouched=vouched, revoked=revoked, **said, **came)
    with connected() as client:
        found = client.get("devices/count", exact="true" if exact else None, **sought)
    show(found, lambda _: say(_number(found)))


def _number(found: dict[str, Any]) -> str:
    return f"{found['count']}" if found["exact"] else f"about {found['count']} (give or take {found['margin']})"


def _system(row: Any) -> str:
    return f"{row['facts'].get('os', '')} {row['facts'].get('os_version', '')}".strip()


@command(app, "show", "walle device show shop uJ7YeXMu2tFX32mL8Zl_Ig")
def show_(app: arguments.App, device: arguments.Device) -> None:
    """Show one device with its installed tasks and latest reports."""
    with connected() as client:
        found = client.get(path("devices", app, device))
    show(found, _show)


def _show(device: dict[str, Any]) -> None:
    at = humanize.now()
    facts(
        {
            "device": device["device"],
            "app": device["app"],
            "first seen": device["first_seen"],
            "last seen": f"{device['last_seen']} ({humanize.ago(device['last_seen'], at)})",
            "vouched for": device["vouched_at"],
            "revoked": device["revoked_at"],
            "puts new versions off": _deferral(device, at),
            "attributes": _pairs(device["facts"]),
            "attributes vouched for": _pairs(device["trusted"]),
        }
    )
    heading("Has")
    columns = {
        "task": lambda row: row["task"],
        "manifest": lambda row: str(row["manifest"])[:12],
        "since": lambda row: humanize.ago(row["since"], at),
    }
    listing({"results": device["installed"]}, columns, nothing="Nothing.")
    heading("Reported")
    columns = {
        "received_at": lambda row: humanize.ago(row["received_at"], at),
        "task": lambda row: f"{row['task']} {row['version']}",
        "kind": lambda row: row["kind"],
        "outcome": lambda row: row["outcome"],
        "took": lambda row: "" if row["duration_ms"] is None else f"{row['duration_ms']:.0f} ms",
        "error": lambda row: ": ".join(part for part in (row["error_class"], row["message"]) if part),
    }
    listing({"results": device["reports"]}, columns, nothing="Nothing.", plain=("received_at",))


def _deferral(device: dict[str, Any], at: datetime) -> str | None:
    if not device["deferral"]:
        return None
    left = (humanize.moment(device["deferral_until"]) - at).total_seconds()
    return f"{device['deferral']}, {f'for {humanize.span(left)} more' if left > 0 else 'until it comes back'}"


def _pairs(values: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} {value if isinstance(value, str) else json.dumps(value)}" for name, value in sorted(values.items())
    )


@command(app, "timeline", "walle device timeline shop uJ7YeXMu2tFX32mL8Zl_Ig --limit 100")
def timeline(app: arguments.App, device: arguments.Device, limit: arguments.Limit = 30) -> None:
    """Show the history of a device, newest events first."""
    with connected() as client:
        page = client.listed(path("devices", app, device, "timeline"), limit)
    columns = {
        "at": lambda row: humanize.ago(row["at"], humanize.now()),
        "what": lambda row: row["kind"],
        "task": lambda row: f"{row['task'] or ''} {row['version'] or ''}".strip(),
        "release": lambda row: str(row["release"] or ""),
        "details": lambda row: _pairs({name: value for name, value in row["details"].items() if value is not None}),
    }
    show(page, lambda _: listing(page, columns, nothing="No events yet.", plain=("at",)))


@command(
    app,
    "explain",
    "walle device explain shop uJ7YeXMu2tFX32mL8Zl_Ig",
    "walle device explain shop uJ7YeXMu2tFX32mL8Zl_Ig --task camera/digits",
    "walle device explain shop uJ7YeXMu2tFX32mL8Zl_Ig --at 2027-01-15T08:00Z",
)
def explain(
    app: arguments.App, device: arguments.Device, task: arguments.OfTask = None, at: arguments.At = None
) -> None:
    """Say which release decides about each task on a device, now or at an earlier moment, and why others do not."""
    with connected() as client:
        answer = client.get(path("devices", app, device, "explain"), task=task, at=at)
    show(answer, lambda _: show_explanation(answer, device))
