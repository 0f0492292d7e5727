"""The `walle` command: its groups and its exit status."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Annotated, Final

import typer

from walle.cli import session
from walle.cli.declaring import Json, NoColor, group, take_common_options
from walle.cli.errors import CommandError, Exit
from walle.cli.output import show_error

COMMANDS: Final = (
    "login",
    "doctor",
    "completion",
    "audit",
    "api",
    "conformance",
    "scenario",
    "task",
    "version",
    "release",
    "device",
    "stream",
    "feature",
    "pipeline",
    "workflow",
    "tensor",
    "app",
    "token",
)
"""The modules of walle.cli.commands, in the order in which help lists them."""


def _of_all(
    json_: Json = False,
    no_color_: NoColor = False,
    server: Annotated[
        str, typer.Option("--server", metavar="URL", help="The server, instead of WALLE_URL and the stored one.")
    ] = "",
    token_file: Annotated[
        str,
        typer.Option(
            "--token-file",
            metavar="FILE",
            help="Read the token from a file, instead of WALLE_TOKEN and the stored one.",
        ),
    ] = "",
) -> None:
    take_common_options(json_, no_color_)
    session.current().server, session.current().token_file = server, token_file


app = group(
    "Walle from the terminal: tasks, releases, devices.",
    callback=_of_all,
    add_completion=True,
    epilog="Sign in with `walle login`. Exit statuses and files: docs/guides/cli.md",
)
for name in COMMANDS:
    app.add_typer(import_module(f"walle.cli.commands.{name}").app)


def run(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit status."""
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
