"""Ask for confirmation, and for a reason, before a command with large effects."""

from __future__ import annotations

import sys

import typer

from walle.cli.errors import CommandFailed, WrongUsage


def confirm(question: str, yes: bool) -> None:
    """Ask for confirmation in a terminal; elsewhere require --yes. Raises CommandFailed if declined."""
    if yes:
        return
    if not _asks():
        raise WrongUsage(
            "this command asks for confirmation, but standard input is not a terminal", "confirm with --yes"
        )
    if not typer.confirm(question, err=True):
        raise CommandFailed("nothing was done")


def reason_for(what: str, reason: str) -> str:
    """Return the given reason, or ask for it in a terminal; elsewhere require --reason. Raises WrongUsage without."""
    if reason.strip():
        return reason
    given = str(typer.prompt(f"Why do you {what}?", default="", show_default=False, err=True)) if _asks() else ""
    if not given.strip():
        raise WrongUsage(f"a reason is needed to {what}", "give it with --reason TEXT: it is recorded")
    return given


def _asks() -> bool:
    return sys.stdin.isatty()
