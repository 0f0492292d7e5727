"""`walle app`: apps, their limit of new devices, and the scenarios that may deliver to them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from walle.cli import arguments, humanize
from walle.cli.confirmation import confirm
from walle.cli.connection import connected, path
from walle.cli.declaring import command, group
from walle.cli.delivery import show_grants
from walle.cli.errors import WrongUsage
from walle.cli.output import done, facts, heading, listing, show

app = group("Apps: the programs that embed Walle.", name="app")


@command(app, "list", "walle app list")
def list_apps(limit: arguments.Limit = 30) -> None:
    """List the apps you may see."""
    with connected() as client:
        page = client.listed("apps", limit)
    columns = {
        "slug": lambda row: row["slug"],
        "name": lambda row: row["name"],
        "check_in_interval": lambda row: f"every {row['check_in_interval']} s",
        "created_at": lambda row: humanize.ago(row["created_at"], humanize.now()),
    }
    show(page, lambda _: listing(page, columns, nothing="There is no app that you may see.", plain=("created_at",)))


@command(app, "show", "walle app show shop")
def show_app(app: arguments.App) -> None:
    """Show one app with its versions and the releases in force."""
    with connected() as client:
        found = client.get(path("apps", app))
        versions = client.listed(path("apps", app, "versions"), 20)
        table = client.get(path("apps", app, "table"))
    show({**found, "versions": versions["results"], "table": table}, lambda _: _show_app(found, versions, table))


@command(app, "limit", "walle app limit shop 200000", "walle app limit shop --default")
def limit_app(
    app: arguments.App,
    per_hour: Annotated[int | None, typer.Argument(metavar="[NUMBER]", min=0, show_default=False)] = None,
    default: Annotated[bool, typer.Option("--default", help="Use the server's limit.")] = False,
) -> None:
    """Limit how many new devices may enrol with an app key per hour and gateway process; 0 for none."""
    if (per_hour is None) != default:
        raise WrongUsage("expected a number, or --default")
    with connected() as client:
        found = client.send("PATCH", path("apps", app), body={"enrolment_limit": per_hour}).json()
    show(found, lambda _: done(f"new devices of {app}: {_new_devices(found['enrolment_limit'])}"))


def _new_devices(limit: int | None) -> str:
    return "the limit of the server" if limit is None else f"{limit} an hour with an app key"


def _show_app(app: dict[str, Any], versions: dict[str, Any], table: dict[str, Any]) -> None:
    declared = ", ".join(row["version"] for row in versions["results"])
    facts(
        {
            "app": f"{app['slug']} ({app['name']})",
            "check-in": f"every {app['check_in_interval']} s",
            "new devices": _new_devices(app["enrolment_limit"]),
            "versions": f"{declared}{', ...' if versions['next'] else ''}" or "none is declared yet",
            "table": f"number {table['number']}, published {humanize.ago(table['published_at'], humanize.now())}",
            "removed": ", ".join(table["removals"]),
        }
    )
    heading("In force")
    columns = {
        "release": lambda row: str(row["release"]),
        "task": lambda row: row["task"],
        "share": lambda row: humanize.percent(row["share"], 1_000_000),
        "mode": lambda row: row["mode"],
    }
    listing({"results": table["entries"]}, columns, nothing="No release decides about this app's devices.")


@command(app, "scenarios", "walle app scenarios shop")
def scenarios_of(app: arguments.App, limit: arguments.Limit = 30) -> None:
    """List the scenarios that may deliver to an app."""
    with connected() as client:
        page = client.listed(path("apps", app, "scenarios"), limit)
    show(
        page,
        lambda _: show_grants(page, "scenario", f"No scenario may deliver to {app}: walle app allow {app} SCENARIO"),
    )


@command(
    app,
    "allow",
    'walle app allow shop camera --note "reviewed by our team"',
    "walle app allow shop camera --complete-early",
)
def allow(
    app: arguments.App,
    scenario: arguments.Scenario,
    complete_early: Annotated[
        bool, typer.Option("--complete-early", help="It may also skip what a stage waits for, with a reason.")
    ] = False,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="The reason, for people.")] = "",
) -> None:
    """Let a scenario deliver to an app; requires an owner of the app. Replaces an earlier permission."""
    with connected() as client:
        made = client.put(path("apps", app, "scenarios", scenario), {"complete_early": complete_early, "note": note})
    early = ", and complete releases early" if complete_early else ""
    show(made, lambda _: done(f"{scenario} may deliver to {app}{early}"))


@command(app, "disallow", "walle app disallow shop camera --yes")
def disallow(app: arguments.App, scenario: arguments.Scenario, yes: arguments.Yes = False) -> None:
    """Revoke the permission to deliver: releases in progress pause, complete releases stay."""
    confirm(f"Keep {scenario} from delivering to {app}? Its releases under way pause.", yes)
    with connected() as client:
        client.delete(path("apps", app, "scenarios", scenario))
    show({"app": app, "scenario": scenario}, lambda _: done(f"{scenario} may not deliver to {app} any more"))
