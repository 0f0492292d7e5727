"""Asking before something that people rarely mean."""

from __future__ import annotations

import sys

import typer

from walle.cli.errors import CommandFailed, WrongUsage


def confirm(question: str, yes: bool) -> None:
    """Ask in a terminal; elsewhere --yes has to be given. Raises Failed for a no."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise WrongUsage("this asks whether you are sure, and nobody is here to answer", "say so with --yes")
    if not typer.confirm(question, err=True):
        raise CommandFailed("nothing was done")
