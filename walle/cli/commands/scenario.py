"""`walle scenario`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from walle.cli import arguments, humanize
from walle.cli.connection import connected, path
from walle.cli.declaring import command, group
from walle.cli.delivery import show_grants
from walle.cli.output import done, facts, listing, say, show

app = group("Scenarios: each is a git repository, its branches are tasks.", name="scenario")


@command(app, "list", "walle scenario list", "walle scenario list --search cam --json")
def list_(
    search: Annotated[
        str | None,
        typer.Option(
            "--search", "-s", metavar="TEXT", help="Only scenarios whose name or description contains this text."
        ),
    ] = None,
    limit: arguments.Limit = 30,
) -> None:
    """List the scenarios you may see."""
    with connected() as client:
        page = client.listed("scenarios", limit, q=search)
    columns = {
        "slug": lambda row: row["slug"],
        "tasks": lambda row: str(row["task_count"]),
        "description": lambda row: row["description"],
        "created_at": lambda row: humanize.ago(row["created_at"], humanize.now()),
    }
    show(
        page, lambda _: listing(page, columns, nothing="There is no scenario that you may see.", plain=("created_at",))
    )


@command(app, "show", "walle scenario show camera")
def show_(scenario: arguments.Scenario) -> None:
    """Show one scenario with its tasks and its address for git."""
    with connected() as client:
        found = client.get(path("scenarios", scenario))
        tasks = client.listed(path("scenarios", scenario, "tasks"), 200)
        server = client.account.server
    show({**found, "tasks": tasks["results"]}, lambda _: _show(found, tasks, server))


def _show(scenario: dict[str, Any], tasks: dict[str, Any], server: str) -> None:
    facts(
        {
            "scenario": scenario["slug"],
            "description": scenario["description"],
            "git": f"{server}/git/{scenario['slug']}.git",
            "created": scenario["created_at"],
        }
    )
    say("")
    columns = {
        "task": lambda row: row["name"],
        "versions": lambda row: str(row["version_count"]),
        "retired_at": lambda row: "retired" if row["retired_at"] else "",
    }
    listing(tasks, columns, nothing="It has no task yet: push a branch.")


@command(app, "create", 'walle scenario create camera --description "what the camera sees"')
def create(
    scenario: arguments.Scenario,
    description: Annotated[
        str, typer.Option("--description", "-d", metavar="TEXT", help="A description for people.")
    ] = "",
) -> None:
    """Create a scenario with an empty git repository; requires site staff."""
    with connected() as client:
        made = client.post("scenarios", {"slug": scenario, "description": description})
        server = client.account.server
    show(made, lambda _: _created(made["slug"], server))


def _created(slug: str, server: str) -> None:
    done(f"created scenario {slug}")
    say(f"Push a task to it: git remote add walle {server}/git/{slug}.git")


@command(app, "apps", "walle scenario apps camera")
def apps_of(scenario: arguments.Scenario, limit: arguments.Limit = 30) -> None:
    """List the apps that a scenario may deliver to."""
    with connected() as client:
        page = client.listed(path("scenarios", scenario, "apps"), limit)
    show(
        page, lambda _: show_grants(page, "app", f"{scenario} may deliver to no app: the owner of an app can allow it.")
    )
