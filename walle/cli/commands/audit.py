"""`walle audit`: the audit log."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from walle.cli import arguments, humanize
from walle.cli.connection import connected
from walle.cli.declaring import command
from walle.cli.output import listing, show

app = typer.Typer()


@command(app, "audit", "walle audit --scope scenario:camera", "walle audit --action release.start --limit 5")
def audit(
    scope: Annotated[
        str | None,
        typer.Option("--scope", metavar="SCOPE", help="Only entries of this scope: scenario:camera, app:shop."),
    ] = None,
    action: Annotated[
        str | None, typer.Option("--action", metavar="ACTION", help="Only this action, such as release.start.")
    ] = None,
    actor: Annotated[str | None, typer.Option("--actor", metavar="NAME", help="Only by this user.")] = None,
    limit: arguments.Limit = 30,
) -> None:
    """Show the audit log, newest entries first."""
    with connected() as client:
        page = client.listed("audit", limit, scope=scope, action=action, actor=actor)
    columns = {
        "at": lambda row: humanize.ago(row["at"], humanize.now()),
        "actor": lambda row: row["actor"],
        "action": lambda row: row["action"],
        "scope": lambda row: row["scope"],
        "object_name": lambda row: row["object_name"],
        "after": lambda row: json.dumps(row["after"], ensure_ascii=False) if row["after"] else "",
    }
    show(page, lambda _: listing(page, columns, nothing="No entry fits.", plain=("at",)))
