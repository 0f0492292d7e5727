"""`walle app`, `walle audit` and `walle token`: what there is, and who did what."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from walle.cli import arguments, words
from walle.cli.commands import command, group
from walle.cli.connection import connected, path
from walle.cli.errors import WrongUsage
from walle.cli.output import done, facts, heading, listing, show

app = group("Apps: the programs that carry Walle.")
tokens = group("Your API tokens.")


@command(app, "list", "walle app list")
def list_apps(limit: arguments.Limit = 30) -> None:
    """List the apps you may see."""
    with connected() as client:
        page = client.listed("apps", limit)
    columns = {
        "slug": lambda row: row["slug"],
        "name": lambda row: row["name"],
        "check_in_interval": lambda row: f"every {row['check_in_interval']} s",
        "created_at": lambda row: words.ago(row["created_at"], words.now()),
    }
    show(page, lambda _: listing(page, columns, nothing="There is no app that you may see.", plain=("created_at",)))


@command(app, "show", "walle app show shop")
def show_app(app: arguments.App) -> None:
    """Show one app with its versions and the releases that its devices are answered from."""
    with connected() as client:
        found = client.get(path("apps", app))
        versions = client.listed(path("apps", app, "versions"), 20)
        table = client.get(path("apps", app, "table"))
    show({**found, "versions": versions["results"], "table": table}, lambda _: _show_app(found, versions, table))


@command(app, "limit", "walle app limit shop 200000", "walle app limit shop --default")
def limit_app(
    app: arguments.App,
    per_hour: Annotated[int | None, typer.Argument(metavar="[NUMBER]", min=0, show_default=False)] = None,
    default: Annotated[bool, typer.Option("--default", help="Let in as many as the server does.")] = False,
) -> None:
    """Limit how many new devices may enrol with an app key per hour and gateway process; 0 for none."""
    if (per_hour is None) != default:
        raise WrongUsage("expected a number, or --default")
    with connected() as client:
        found = client.send("PATCH", path("apps", app), body={"enrolment_limit": per_hour}).json()
    show(found, lambda _: done(f"new devices of {app}: {_new_devices(found['enrolment_limit'])}"))


def _new_devices(limit: int | None) -> str:
    return "as many as the server lets in" if limit is None else f"{limit} an hour with an app key"


def _show_app(app: dict[str, Any], versions: dict[str, Any], table: dict[str, Any]) -> None:
    declared = ", ".join(row["version"] for row in versions["results"])
    facts(
        {
            "app": f"{app['slug']} ({app['name']})",
            "check-in": f"every {app['check_in_interval']} s",
            "new devices": _new_devices(app["enrolment_limit"]),
            "versions": f"{declared}{', ...' if versions['next'] else ''}" or "none is declared yet",
            "table": f"number {table['number']}, published {words.ago(table['published_at'], words.now())}",
            "removed": ", ".join(table["removals"]),
        }
    )
    heading("In force")
    columns = {
        "release": lambda row: str(row["release"]),
        "task": lambda row: row["task"],
        "share": lambda row: words.percent(row["share"], 1_000_000),
        "mode": lambda row: row["mode"],
    }
    listing({"results": table["entries"]}, columns, nothing="No release decides about this app's devices.")


@command(tokens, "list", "walle token list")
def list_tokens(limit: arguments.Limit = 30) -> None:
    """List your tokens, revoked ones included. Make and show them in the admin pages."""
    with connected() as client:
        page = client.listed("tokens", limit)
    columns = {
        "prefix": lambda row: row["prefix"],
        "name": lambda row: row["name"],
        "scopes": lambda row: ", ".join(row["scopes"]),
        "state": _token_state,
        "last_used_at": lambda row: words.ago(row["last_used_at"], words.now()),
    }
    show(page, lambda _: listing(page, columns, nothing="You have no token.", plain=("last_used_at",)))


def _token_state(row: Any) -> str:
    if row["revoked_at"]:
        return "revoked"
    if row["expires_at"]:
        over = words.moment(row["expires_at"]) <= words.now()
        return "expired" if over else f"expires {words.ago(row['expires_at'], words.now())}"
    return "in use"


def audit(
    scope: Annotated[
        str | None, typer.Option("--scope", metavar="SCOPE", help="Only of this one: scenario:camera, app:shop.")
    ] = None,
    action: Annotated[
        str | None, typer.Option("--action", metavar="ACTION", help="Only this, such as release.start.")
    ] = None,
    actor: Annotated[str | None, typer.Option("--actor", metavar="NAME", help="Only by this user.")] = None,
    limit: arguments.Limit = 30,
) -> None:
    """Show who did what, newest first."""
    with connected() as client:
        page = client.listed("audit", limit, scope=scope, action=action, actor=actor)
    columns = {
        "at": lambda row: words.ago(row["at"], words.now()),
        "actor": lambda row: row["actor"],
        "action": lambda row: row["action"],
        "scope": lambda row: row["scope"],
        "object_name": lambda row: row["object_name"],
        "after": lambda row: json.dumps(row["after"], ensure_ascii=False) if row["after"] else "",
    }
    show(page, lambda _: listing(page, columns, nothing="Nothing of that was done.", plain=("at",)))
