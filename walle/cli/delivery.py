"""Which scenarios may deliver to which apps: `walle app scenarios`, `allow`, `disallow`, and `walle scenario apps`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from walle.cli import arguments, words
from walle.cli.commands import command
from walle.cli.connection import connected, path
from walle.cli.output import done, listing, show
from walle.cli.sureness import be_sure


def register(apps: typer.Typer, scenarios: typer.Typer) -> None:
    """Add the commands to the groups of apps and of scenarios."""
    command(apps, "scenarios", "walle app scenarios shop")(scenarios_of)
    command(
        apps,
        "allow",
        'walle app allow shop camera --note "reviewed by our team"',
        "walle app allow shop camera --complete-early",
    )(allow)
    command(apps, "disallow", "walle app disallow shop camera --yes")(disallow)
    command(scenarios, "apps", "walle scenario apps camera")(apps_of)


def scenarios_of(app: arguments.App, limit: arguments.Limit = 30) -> None:
    """List the scenarios that may deliver to an app."""
    with connected() as client:
        page = client.listed(path("apps", app, "scenarios"), limit)
    show(page, lambda _: _list(page, "scenario", f"No scenario may deliver to {app}: walle app allow {app} SCENARIO"))


def apps_of(scenario: arguments.Scenario, limit: arguments.Limit = 30) -> None:
    """List the apps that a scenario may deliver to."""
    with connected() as client:
        page = client.listed(path("scenarios", scenario, "apps"), limit)
    show(page, lambda _: _list(page, "app", f"{scenario} may deliver to no app: their owners allow it."))


def _list(page: dict[str, Any], other: str, nothing: str) -> None:
    columns = {
        other: lambda row: row[other],
        "early": lambda row: "may complete early" if row["complete_early"] else "",
        "note": lambda row: row["note"],
        "granted_by": lambda row: row["granted_by"],
        "granted_at": lambda row: words.ago(row["granted_at"], words.now()),
    }
    listing(page, columns, nothing=nothing, plain=("granted_at",))


def allow(
    app: arguments.App,
    scenario: arguments.Scenario,
    complete_early: Annotated[
        bool, typer.Option("--complete-early", help="It may also skip what a stage waits for, with a reason.")
    ] = False,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="Why, for people.")] = "",
) -> None:
    """Let a scenario deliver to an app; takes an owner of the app. What was said before counts no longer."""
    with connected() as client:
        made = client.put(path("apps", app, "scenarios", scenario), {"complete_early": complete_early, "note": note})
    early = ", and complete releases early" if complete_early else ""
    show(made, lambda _: done(f"{scenario} may deliver to {app}{early}"))


def disallow(app: arguments.App, scenario: arguments.Scenario, yes: arguments.Yes = False) -> None:
    """Take that back: releases of the scenario that are under way pause, and what is complete stays."""
    be_sure(f"Keep {scenario} from delivering to {app}? Its releases under way pause.", yes)
    with connected() as client:
        client.delete(path("apps", app, "scenarios", scenario))
    show({"app": app, "scenario": scenario}, lambda _: done(f"{scenario} may not deliver to {app} any more"))
