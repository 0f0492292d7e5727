"""Asking before something that people rarely mean."""

from __future__ import annotations

import sys

import typer

from walle.cli.errors import Failed, WrongUsage


def be_sure(question: str, yes: bool) -> None:
    """Ask in a terminal; elsewhere --yes has to be given. Raises Failed for a no."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise WrongUsage(
            "this command asks for confirmation, but standard input is not a terminal", "confirm with --yes"
        )
    if not typer.confirm(question, err=True):
        raise Failed("nothing was done")
