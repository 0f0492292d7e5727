"""Arguments and options that several commands take, checked while the command line is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from walle.cli import completing
from walle.protocol.names import InvalidNameError, check_slug, check_task_name, check_version


def _checked(check: Callable[[str], str]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        try:
            return check(text)
        except InvalidNameError as error:
            raise typer.BadParameter(str(error)) from error

    return parse


def written(device: str) -> str:
    """Return a device's id as the last argument of a command: one that begins with - is no option after --."""
    return f"-- {device}" if device.startswith("-") else device


task_name = _checked(check_task_name)
version_name = _checked(check_version)
slug = _checked(check_slug)


def fact(text: str) -> tuple[str, str]:
    """Split `name=value` into name and value."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise typer.BadParameter(f"expected NAME=VALUE, found {text!r}")
    return name, value


def version_of_task(text: str) -> dict[str, str]:
    """Split `task` or `task@version` into the fields of a request."""
    task, at, version = text.partition("@")
    return {"task": slug(task)} | ({"version": version_name(version)} if at else {})


Task = Annotated[
    str, typer.Argument(metavar="SCENARIO/TASK", parser=task_name, autocompletion=completing.tasks, show_default=False)
]
Version = Annotated[
    str, typer.Argument(metavar="VERSION", parser=version_name, autocompletion=completing.versions, show_default=False)
]
Scenario = Annotated[
    str, typer.Argument(metavar="SCENARIO", parser=slug, autocompletion=completing.scenarios, show_default=False)
]
App = Annotated[str, typer.Argument(metavar="APP", parser=slug, autocompletion=completing.apps, show_default=False)]
Device = Annotated[
    str,
    typer.Argument(
        metavar="DEVICE",
        autocompletion=completing.devices,
        show_default=False,
        help="The device's id. One that begins with - comes last, after --.",
    ),
]
Release = Annotated[
    int,
    typer.Argument(
        metavar="RELEASE", min=1, autocompletion=completing.releases, show_default=False, help="The release's number."
    ),
]
Limit = Annotated[int, typer.Option("--limit", "-L", min=1, metavar="N", help="Show at most this many.")]
Reason = Annotated[str, typer.Option("--reason", "-r", metavar="TEXT", help="The reason, recorded in the history.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
OfApp = Annotated[
    str | None,
    typer.Option("--app", metavar="APP", parser=slug, autocompletion=completing.apps, help="Only of this app."),
]
OfTask = Annotated[
    str | None,
    typer.Option(
        "--task", metavar="SCENARIO/TASK", parser=task_name, autocompletion=completing.tasks, help="Only of this task."
    ),
]
At = Annotated[
    str | None,
    typer.Option("--at", metavar="TIME", help="Explain an earlier moment, as far as it is kept: 2027-01-15T08:00Z."),
]
