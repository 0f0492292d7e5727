"""The `walle` command: its groups, and how it ends."""

from __future__ import annotations

import os
import sys

from walle.cli import (
    creating,
    delivery,
    devices,
    raw,
    records,
    releases,
    running,
    scenarios,
    session,
    signing_in,
    tasks,
    versions,
)
from walle.cli.commands import command, group
from walle.cli.conformance import conformance
from walle.cli.errors import CommandError, Exit
from walle.cli.output import show_error

app = group(
    "Walle from the terminal: tasks, releases, devices.",
    add_completion=True,
    epilog="Sign in with `walle login`. Exit statuses and files: docs/guides/cli.md",
)
signing_in.register(app)
app.add_typer(scenarios.app, name="scenario")
app.add_typer(tasks.app, name="task")
creating.register(releases.app)
app.add_typer(versions.app, name="version")
app.add_typer(releases.app, name="release")
command(devices.app, "run", *running.EXAMPLES)(running.run)
app.add_typer(devices.app, name="device")
delivery.register(records.app, scenarios.app)
app.add_typer(records.app, name="app")
app.add_typer(records.tokens, name="token")
command(app, "audit", "walle audit --scope scenario:camera", "walle audit --action release.start --limit 5")(
    records.audit
)
command(
    app,
    "api",
    "walle api GET /releases -f state=running",
    "walle api POST /releases/4/pause -f reason=looking",
    "walle api PUT /apps/shop/lists/testers --input testers.txt --type text/plain",
)(raw.api)
command(
    app,
    "conformance",
    "walle conformance https://walle.example.com --app shop --app-key KEY",
    "walle conformance './my-device'",
)(conformance)


def run(arguments: list[str] | None = None) -> int:
    """Run one command; its exit status."""
    session.begin()
    try:
        app(arguments, prog_name="walle")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else Exit.FAILED
    except CommandError as error:
        show_error(error)
        return error.status
    except BrokenPipeError:
        # Whoever reads has read enough; the interpreter must not try to write the rest at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.OK
    return Exit.OK
