"""Complete names of scenarios, tasks, versions, apps, releases and devices from the server: quick and quiet.

A shell waits while this runs, and shows what is printed: so one request is made, for a short time, and whatever goes
wrong completes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import typer

from walle.cli.connection import connected, path
from walle.cli.errors import CommandError

TIMEOUT_S: Final = 1.0
MOST: Final = 100


def scenarios(incomplete: str) -> list[str]:
    return [row["slug"] for row in _rows("scenarios", q=incomplete or None) if row["slug"].startswith(incomplete)]


def tasks(incomplete: str) -> list[str]:
    return [row["name"] for row in _rows("tasks", q=incomplete or None) if row["name"].startswith(incomplete)]


def versions(context: typer.Context, incomplete: str) -> list[str]:
    """Complete versions of the task before on the line."""
    task = context.params.get("task")
    if not task:
        return []
    rows = _rows(path("tasks", task, "versions"))
    return [row["version"] for row in rows if row["version"].startswith(incomplete)]


def apps(incomplete: str) -> list[str]:
    return [row["slug"] for row in _rows("apps") if row["slug"].startswith(incomplete)]


def releases(incomplete: str) -> list[tuple[str, str]]:
    """Complete the newest releases, each with what it is."""
    return [
        (str(row["id"]), f"{row['task']} {row['version']} → {row['app']}, {row['state']}")
        for row in _rows("releases")
        if str(row["id"]).startswith(incomplete)
    ]


def devices(context: typer.Context, incomplete: str) -> list[str]:
    """Complete devices of the app before on the line, or of all apps."""
    return [row["device"] for row in _rows("devices", app=context.params.get("app"), q=incomplete or None)]


def _rows(address: str, **query: Any) -> Iterator[dict[str, Any]]:
    try:
        with connected(retries=0, timeout_s=TIMEOUT_S) as client:
            asked = {name: value for name, value in query.items() if value is not None}
            yield from client.get(address, limit=MOST, **asked)["results"]
    except (CommandError, KeyError, TypeError):
        return
