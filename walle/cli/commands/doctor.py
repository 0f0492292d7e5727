"""`walle doctor`: look at all that the commands need, and say what to do about what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import typer

from walle.cli import session
from walle.cli.accounts import StoredAccount, account
from walle.cli.connection import connected
from walle.cli.declaring import command
from walle.cli.errors import CommandError, Exit
from walle.cli.output import console, show_json

if TYPE_CHECKING:
    from walle.cli.doctor import Check

SIGNS: Final = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "wrong": ("✗", "bold red")}

app = typer.Typer()


@command(app, "doctor", "walle doctor", "walle doctor --json")
def doctor() -> None:
    """Check address, token, versions, clock and git, and say for each what to do; status 1 if something is wrong."""
    found = []
    for check in examine():
        found.append(check)
        if not session.wants_json():
            _tell(check)
    healthy = all(check.health != "wrong" for check in found)
    if session.wants_json():
        show_json({"healthy": healthy, "checks": [asdict(check) for check in found]})
    raise typer.Exit(Exit.OK if healthy else Exit.FAILED)


def examine() -> Iterator[Check]:
    """Yield the checks one after the other; what rests on one that failed is left out."""
    from walle.cli.doctor import Check, Health, ask, checks_of
    from walle.cli.doctor_git import git_check, remote_checks

    try:
        used = account()
    except CommandError as error:
        yield Check("address", Health.WRONG, error.message, error.hint)
        yield git_check()
        return
    reading = ask(used)
    yield from [reading] if isinstance(reading, Check) else checks_of(used, reading)
    git = git_check()
    yield git
    if not isinstance(reading, Check) and git.health is Health.OK:
        yield from remote_checks(used, _scenario(used))


def _scenario(used: StoredAccount) -> str | None:
    """Return a scenario that the person may see; None if there is none."""
    try:
        with connected(used, retries=0) as client:
            rows = client.listed("scenarios", 1)["results"]
    except CommandError:
        return None
    return str(rows[0]["slug"]) if rows else None


def _tell(check: Check) -> None:
    from rich.text import Text

    sign, style = SIGNS[check.health]
    line = Text.assemble((f"{sign} ", style), f"{check.name:<16}", check.found)
    console().print(line, soft_wrap=True)
    if check.advice:
        console().print(Text.assemble(" " * 18, ("→ ", "dim"), check.advice), soft_wrap=True)
