"""Ask for confirmation before a command with large effects."""

from __future__ import annotations

import sys

import typer

from walle.cli.errors import CommandFailed, WrongUsage


def confirm(question: str, yes: bool) -> None:
    """Ask for confirmation in a terminal; elsewhere require --yes. Raises Failed if declined."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise WrongUsage(
            "this command asks for confirmation, but standard input is not a terminal", "confirm with --yes"
        )
    if not typer.confirm(question, err=True):
        raise CommandFailed("nothing was done")
