"""`walle stream replay`: what a recorded session of behaviour events triggers, and what that costs."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from walle.cli import behaviour, humanize, session
from walle.cli.declaring import command, group
from walle.cli.errors import CommandFailed, WrongUsage
from walle.cli.files import read_object, read_session_file
from walle.cli.output import heading, listing, say, show
from walle.cli.waiting import waiting

if TYPE_CHECKING:
    from walle.cli.replaying import Replayed
    from walle.stream.events import BehaviourEvent

app = group("Stream tasks: what a recorded session would trigger.", name="stream")

Session = Annotated[Path, typer.Argument(metavar="SESSION", help="A recorded session: JSON Lines, an event each.")]
Folders = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[FOLDER]...", help="The folders of the tasks; this one if none is given.", show_default=False),
]
Run = Annotated[bool, typer.Option("--run", help="Run what fires in the sandbox of devices, and show the outputs.")]
WithPrivate = Annotated[
    bool, typer.Option("--private", help="Show private contents, and what tasks make of them.")
]
Inputs = Annotated[
    str | None,
    typer.Option("--input", "-i", metavar="FILE", help="The inputs that the app would give, as TOML or JSON."),
]


@command(
    app,
    "replay",
    "walle stream replay samples/view.jsonl",
    "walle stream replay samples/view.jsonl --run",
    "walle stream replay view.jsonl shop/ipv shop/rank --run --json",
)
def replay(
    recorded: Session,
    folders: Folders = None,
    *,
    run: Run = False,
    private: WithPrivate = False,
    inputs: Inputs = None,
) -> None:
    """Show which stream tasks a recorded session would trigger, at which events, and with --run what that costs.

    With --run each firing runs in the sandbox of devices, in a VM that is kept where the task asks for it; the outputs,
    the times and the bytes that went in and came out are shown. The status is 1 if a run failed. Private contents are
    shown only with --private.
    """
