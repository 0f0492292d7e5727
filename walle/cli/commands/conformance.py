"""`walle conformance`: check a server or a device client against docs/protocol.md."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from walle.cli import output, session
from walle.cli.arguments import slug, task_name
from walle.cli.declaring import command
from walle.cli.errors import Exit, ServerUnreachable, WrongUsage

if TYPE_CHECKING:
    from walle.conformance.checks import Check, CheckOutcome

app = typer.Typer()

_Text = str | None
_File = Path | None


@command(
    app,
    "conformance",
    "walle conformance https://walle.example.com --app shop --app-key KEY",
    "walle conformance './my-device'",
)
def conformance(
    subject: Annotated[str, typer.Argument(metavar="URL|COMMAND", show_default=False)],
    *,
    only: Annotated[
        list[str] | None, typer.Option("--only", "-k", metavar="PATTERN", help="Checks of this name; repeatable.")
    ] = None,
    app: Annotated[str, typer.Option("--app", metavar="APP", parser=slug, help="Server: its app.")] = "shop",
    app_key: Annotated[
        _Text, typer.Option("--app-key", metavar="KEY", envvar="WALLE_APP_KEY", help="Server: to enrol with.")
    ] = None,
    app_version: Annotated[
        str, typer.Option("--app-version", metavar="VERSION", help="Server: the app version that the devices claim.")
    ] = "1.0.0",
    fact: Annotated[
        list[str] | None,
        typer.Option("--fact", metavar="NAME=VALUE", help="Server: further attributes that the devices claim."),
    ] = None,
    root: Annotated[_File, typer.Option("--root", metavar="FILE", help="Server: the root in the app.")] = None,
    statement: Annotated[
        _File, typer.Option("--statement", metavar="FILE", help="Server: facts signed by the app's backend.")
    ] = None,
    removed: Annotated[
        _Text, typer.Option("--removed", metavar="SCENARIO/TASK", parser=task_name, help="Server: a retired task.")
    ] = None,
    riding: Annotated[
        _Text, typer.Option("--riding", metavar="URL", help="Server: an address of a service with the middleware.")
    ] = None,
    gateway_key: Annotated[
        _Text, typer.Option("--gateway-key", metavar="KEY", envvar="WALLE_GATEWAY_KEY", help="Server: for the relay.")
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="FEATURE", help="Client: exclusive, runs, tunnel, deferral or vectors."),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, metavar="N", help="Client: number of checks that run in parallel.")
    ] = os.cpu_count() or 2,
    logs: Annotated[_File, typer.Option("--logs", metavar="DIR", help="Client: keep its output.")] = None,
) -> None:
    """Check a server, or a device client, against docs/protocol.md.

    A URL is a server, which must be a test server: throw-away devices are enrolled and reports sent. Anything else is
    the command of a device client, to which a cloud is simulated; docs/conformance.md says what it must understand.
    Exit status 0 only if every mandatory check passed.
    """
    patterns = only or []
    if "://" in subject:
        from walle.conformance.server import Options

        options = Options(
            server=subject,
            app=app,
            app_key=app_key,
            app_version=app_version,
            facts=dict(map(_fact, fact or ())),
            root=_bytes(root),
            statement=_statement(statement),
            removed=removed,
            riding=riding,
            gateway_key=gateway_key,
        )
        status = asyncio.run(_server(options, patterns))
    else:
        status = asyncio.run(_client(subject, patterns, without or [], jobs, logs))
    raise typer.Exit(status)


async def _server(options: Any, patterns: list[str]) -> int:
    from walle.conformance.server import CHECKS, Target
    from walle.conformance.server.running import TargetUnreachable as Silent
    from walle.conformance.server.running import check_server, make_client

    checks = _selected(CHECKS, patterns)
    async with make_client() as http:
        target = Target(options, http)
        try:
            outcomes = await _collect(check_server(target, checks), len(checks))
        except Silent as silent:
            raise ServerUnreachable(str(silent), "check the address, and that the server runs") from silent
    return _tell(options.server, outcomes, target.wrote)


async def _client(command: str, patterns: list[str], without: list[str], jobs: int, logs: Path | None) -> int:
    try:
        from walle.conformance.client.command import ClientCommand
        from walle.conformance.client.running import CHECKS, FEATURES, check_client
    except ImportError as error:
        raise WrongUsage(
            f"the simulated cloud needs more: {error}", "install it with: pip install 'walle[cli]'"
        ) from error
    words = shlex.split(command)
    if not words or _not_there(words[0]):
        raise WrongUsage(f"no such command: {command!r}", "give a URL, or the command of a device client in quotes")
    if unknown := set(without) - set(FEATURES):
        raise WrongUsage(f"--without {' '.join(sorted(unknown))}: expected one of {', '.join(FEATURES)}")
    checks = _selected(CHECKS, patterns)
    outcomes = check_client(ClientCommand(words), checks, without=without, at_once=jobs, logs=logs)
    return _tell(command, await _collect(outcomes, len(checks)), [])


def _selected(checks: list[Check[Any]], patterns: list[str]) -> list[Check[Any]]:
    from walle.conformance.checks import select

    selected = select(checks, patterns)
    if not selected:
        groups = sorted({check.name.partition(".")[0] for check in checks})
        raise WrongUsage(f"no check is called {' or '.join(patterns)}", f"the groups are {', '.join(groups)}")
    return selected


async def _collect(coming: AsyncIterator[CheckOutcome], count: int) -> list[CheckOutcome]:
    """Run all checks and return their outcomes; a terminal shows the progress."""
    outcomes: list[CheckOutcome] = []
    with output.error_console().status(f"0 of {count} checks") as status:
        async for outcome in coming:
            outcomes.append(outcome)
            status.update(f"{len(outcomes)} of {count} checks: {outcome.check.name}")
    return outcomes


def _tell(subject: str, outcomes: list[CheckOutcome], wrote: list[str]) -> int:
    from walle.conformance import report

    if session.wants_json():
        output.show_json(report.document(subject, outcomes, wrote))
    else:
        output.draw(report.table(subject, outcomes))
        output.draw(report.summary(outcomes, wrote))
    return Exit.OK if report.conforms(outcomes) else Exit.FAILED


def _not_there(word: str) -> bool:
    import shutil

    return shutil.which(word) is None


def _fact(text: str) -> tuple[str, Any]:
    from walle.device.facts import parse_fact

    try:
        return parse_fact(text)
    except ValueError as error:
        raise WrongUsage(str(error)) from error


def _bytes(path: Path | None) -> bytes | None:
    try:
        return path.read_bytes() if path else None
    except OSError as error:
        raise WrongUsage(f"{path}: {error.strerror}") from error


def _statement(path: Path | None) -> Any:
    try:
        return json.loads(_bytes(path) or b"null")
    except ValueError as error:
        raise WrongUsage(f"{path}: expected the JSON of an envelope") from error
