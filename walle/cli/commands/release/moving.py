"""`walle release start`, `pause`, `roll-back` and the other moves that people make."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from walle.cli import arguments, consequences
from walle.cli.confirmation import confirm, reason_for
from walle.cli.connection import connected, path
from walle.cli.declaring import command
from walle.cli.output import done, show
from walle.release.states import RESTS, ReleaseState
from walle.release.subjects import subjects_of

app = typer.Typer()

IfState = Annotated[
    str | None,
    typer.Option(
        "--if-state",
        metavar="STATE",
        help="Only if the release is still in this state; otherwise nothing is changed (status 5).",
    ),
]


def _move(name: str, said: str, release: int, reason: str, if_state: str | None, *, watch: bool = False) -> None:
    body = {"reason": reason} | ({"state": if_state} if if_state else {})
    with connected() as client:
        moved = client.post(path("releases", release, name), body)
    if watch:
        from walle.cli.commands.release.watching import watch_release

        watch_release(release, until_withdrawn=True)
        return
    show(moved, lambda _: _moved(moved, said))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _moved(release: dict[str, Any], said: str) -> None:
    from walle.cli import rendering

    where = rendering.into(release, release["transitions"][-1])
    done(f"{said} release {release['id']} ({release['task']} {release['version']}): {where}")


@command(app, "start", "walle release start 4", "walle release start 4 --watch")
def start(
    release: arguments.Release,
    reason: arguments.Reason = "",
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Then watch it until it ends.")] = False,
) -> None:
    """Start a draft: simulate it if its strategy says so, then release it stage by stage."""
    _move("start", "started", release, reason, None, watch=watch)


@command(app, "approve", 'walle release approve 4 --reason "figures of beta look good"')
def approve(release: arguments.Release, reason: arguments.Reason = "", if_state: IfState = None) -> None:
    """Approve a release that waits for approval; requires somebody other than its creator."""
    _move("approve", "approved", release, reason, if_state)


@command(app, "reject", 'walle release reject 4 --reason "wrong model"')
def reject(release: arguments.Release, reason: arguments.Reason = "", if_state: IfState = None) -> None:
    """Reject a release before anybody receives it."""
    _move("reject", "rejected", release, reason, if_state)


@command(app, "promote", "walle release promote 4 --reason 'seen on all our own devices'")
def promote(release: arguments.Release, reason: arguments.Reason = "", if_state: IfState = None) -> None:
    """Start the next stage now.

    Before the present stage has passed, this requires a reason and the permission to complete early in the app.
    """
    _move("promote", "promoted", release, reason, if_state)


@command(app, "complete", "walle release complete 4 --reason 'closes a leak' --yes")
def complete(
    release: arguments.Release, reason: arguments.Reason = "", if_state: IfState = None, yes: arguments.Yes = False
) -> None:
    """Release to every eligible device now, or to every caller of a pipeline that its rule takes.

    Before the last stage has passed, this requires a reason and the permission to complete early in the app.
    """
    if not yes:
        with connected() as client:
            who = subjects_of(client.get(path("releases", release))["kind"])
        confirm(f"Give release {release} to every eligible {who.one} now?", yes)
    _move("complete", "completed", release, reason, if_state)


@command(app, "pause", "walle release pause 4 -r 'looking at failures'", "walle release pause 4 --if-state running")
def pause(release: arguments.Release, reason: arguments.Reason = "", if_state: IfState = None) -> None:
    """Pause a release: no new offers; devices, and callers of a pipeline, keep their version."""
    _move("pause", "paused", release, reason, if_state)


@command(app, "resume", "walle release resume 4", "walle release resume 4 -r 'the backend is up again' --yes")
def resume(
    release: arguments.Release, reason: arguments.Reason = "", if_state: IfState = None, yes: arguments.Yes = False
) -> None:
    """Resume a paused release in the stage where it was paused.

    It says how many devices the stage reaches, and requires a reason.
    """
    if not yes:
        with connected() as client:
            found = client.get(path("releases", release))
            if found["state"] == ReleaseState.PAUSED and found["position"] is not None:
                confirm(f"Resume release {release}? {_sentence(consequences.of_resuming(client, found))}", yes)
    reason = reason_for(f"resume release {release}", reason)
    _move("resume", "resumed", release, reason, if_state)


@command(app, "abort", "walle release abort 4 -r 'not needed any more'")
def abort(release: arguments.Release, reason: arguments.Reason = "", if_state: IfState = None) -> None:
    """End a release; devices that have the version keep it, callers of a pipeline get the one before it."""
    _move("abort", "aborted", release, reason, if_state)


@command(
    app,
    "roll-back",
    "walle release roll-back 4 -r 'wrong model file'",
    "walle release roll-back 4 -r 'wrong model file' --watch",
    "walle release roll-back 4 -r 'customers complain' --yes",
)
def roll_back(
    release: arguments.Release,
    reason: arguments.Reason = "",
    if_state: IfState = None,
    watch: Annotated[
        bool, typer.Option("--watch", "-w", help="Then watch it until no device has the version.")
    ] = False,
    yes: arguments.Yes = False,
) -> None:
    """Roll a release back: all devices or callers return to the newest complete release.

    What is under way is rolled back at once. Of a release that is complete or has ended, it says first how many devices
    have the version and what they fall back to, and requires a reason.
    """
    with connected() as client:
        found = client.get(path("releases", release))
        if found["state"] in RESTS:
            if not yes:
                told = _sentence(consequences.of_rollback(client, found))
                confirm(f"Roll back release {release}, which is {found['state']}? {told}", yes)
            reason = reason_for(f"roll release {release} back", reason)
    _move("roll-back", "rolled back", release, reason, if_state, watch=watch)
