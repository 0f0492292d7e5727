"""`walle release`: looking at releases, making them, moving them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from walle.cli import arguments, words
from walle.cli.commands import command, group
from walle.cli.connection import connected, path
from walle.cli.output import done, draw, facts, heading, listing, say, show
from walle.cli.sureness import be_sure

app = group("Releases: how a version goes to devices, stage by stage.")

IfState = Annotated[
    str | None,
    typer.Option(
        "--if-state", metavar="STATE", help="Only if it is still in this state; otherwise nothing is done (5)."
    ),
]


@command(app, "list", "walle release list --app shop", "walle release list --task camera/digits --state running")
def list_(
    app: arguments.OfApp = None,
    task: arguments.OfTask = None,
    state: Annotated[str | None, typer.Option("--state", metavar="STATE", help="Only in this state.")] = None,
    limit: arguments.Limit = 30,
) -> None:
    """List releases, the newest first."""
    with connected() as client:
        page = client.listed("releases", limit, app=app, task=task, state=state)
    show(page, _list)


def _list(page: dict[str, Any]) -> None:
    from walle.cli import pictures

    columns = {
        "id": lambda row: str(row["id"]),
        "task": lambda row: f"{row['task']} {row['version']}",
        "app": lambda row: row["app"],
        "state": pictures.state,
        "stage": lambda row: "" if row["position"] is None else str(row["position"] + 1),
        "created_by": lambda row: str(row["created_by"] or ""),
        "created_at": lambda row: words.ago(row["created_at"], words.now()),
    }
    nothing = "There is no such release. Make one: walle release create --help"
    listing(page, columns, nothing=nothing, plain=("created_at", "state"))


@command(app, "show", "walle release show 4", "walle release show 4 --json | jq .figures.treatment")
def show_(release: arguments.Release) -> None:
    """Show one release: its stages, its figures, its verdict, its moves, and its strategy."""
    with connected() as client:
        found = client.get(path("releases", release))
    show(found, shown)


def shown(release: dict[str, Any]) -> None:
    """Everything about a release, for people."""
    import json

    from walle.cli import pictures

    draw(pictures.overview(release, words.now()))
    if errors := release["figures"].get("errors"):
        heading("How it failed")
        for name, count in errors.items():
            say(f"{count:>6,}  {name}")
    heading("For")
    say(json.dumps(release["rule"], ensure_ascii=False))
    say("")
    plan = release["strategy"]
    limits = ", ".join(f"{name} {value:g}" for name, value in plan["limits"].items() if value is not None)
    facts(
        {
            "simulation": "yes" if plan["simulation"] else "no",
            "approval": "by somebody else" if plan["approval"] else "no",
            "held back": f"{plan['control_percent']:g} %",
            "limits": limits,
            "window": json.dumps(plan["window"]) if plan["window"] else None,
        }
    )


@command(
    app,
    "devices",
    "walle release devices 4 --became failed",
    "walle release devices 4 --became failed --error ValueError --stage 2 --json",
)
def devices(
    release: arguments.Release,
    *,
    became: Annotated[
        str,
        typer.Option(
            "--became", metavar="WHAT", help="Only: drawn, offered, installed, healthy, failed or silent ones."
        ),
    ] = "drawn",
    stage: Annotated[int | None, typer.Option("--stage", min=1, help="Only those that this stage drew.")] = None,
    error: Annotated[str | None, typer.Option("--error", metavar="CLASS", help="Only those that failed so.")] = None,
    held_back: Annotated[
        bool | None, typer.Option("--held-back/--not-held-back", help="Only those held back, or only others.")
    ] = None,
    limit: arguments.Limit = 30,
) -> None:
    """List the devices that a release drew, and what became of each."""
    asked = {
        "became": became,
        "stage": None if stage is None else stage - 1,
        "error_class": error,
        "arm": None if held_back is None else "control" if held_back else "treatment",
    }
    with connected() as client:
        page = client.listed(path("releases", release, "devices"), limit, **asked)
    columns = {
        "device": lambda row: row["device"],
        "stage": lambda row: "held back" if row["arm"] == "control" else str(row["stage"] + 1),
        "became": _became,
        "message": lambda row: row["message"].partition("\n")[0],
        "drawn_at": lambda row: words.ago(row["drawn_at"], words.now()),
    }
    show(page, lambda _: listing(page, columns, nothing="The release drew no such device.", plain=("drawn_at",)))


def _became(row: dict[str, Any]) -> str:
    if row["outcome"]:
        return row["error_class"] or str(row["outcome"])
    if row["silent"]:
        return "silent"
    return next((what for what in ("installed", "offered") if row[f"{what}_at"]), "drawn")


def _move(name: str, said: str, release: int, reason: str, if_state: str | None, *, watch: bool = False) -> None:
    body = {"reason": reason} | ({"state": if_state} if if_state else {})
    with connected() as client:
        moved = client.post(path("releases", release, name), body)
    if watch:
        from walle.cli.watching import watch_release

        watch_release(release)
        return
    show(moved, lambda _: _moved(moved, said))


def _moved(release: dict[str, Any], said: str) -> None:
    from walle.cli import pictures

    where = pictures.into(release, release["transitions"][-1])
    done(f"{said} release {release['id']} ({release['task']} {release['version']}): {where}")


@command(app, "start", "walle release start 4", "walle release start 4 --watch")
def start(
    release: arguments.Release,
    reason: arguments.Reason = "",
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Then watch it to its end.")] = False,
) -> None:
    """Start a draft: simulate it if it asks for that, then go stage by stage."""
    _move("start", "started", release, reason, None, watch=watch)


@command(app, "approve", 'walle release approve 4 --reason "figures of beta look good"')
def approve(release: arguments.Release, reason: arguments.Reason = "", if_state: IfState = None) -> None:
    """Approve a release that waits for it; takes somebody else than who made it."""
    _move("approve", "approved", release, reason, if_state)


@command(app, "reject", 'walle release reject 4 --reason "wrong model"')
def reject(release: arguments.Release, reason: arguments.Reason = "", if_state: IfState = None) -> None:
    """Reject a release before any device has it."""
    _move("reject", "rejected", release, reason, if_state)


@command(app, "promote", "walle release promote 4 --reason 'seen on all our own devices'")
def promote(release: arguments.Release, reason: arguments.Reason = "", if_state: IfState = None) -> None:
    """Begin the next stage now.

    Before the present one has passed, that takes a reason, and the app's leave to complete early.
    """
    _move("promote", "promoted", release, reason, if_state)


@command(app, "complete", "walle release complete 4 --reason 'closes a leak' --yes")
def complete(
    release: arguments.Release, reason: arguments.Reason = "", if_state: IfState = None, yes: arguments.Yes = False
) -> None:
    """Give it to every eligible device now.

    Before the last stage has passed, that takes a reason, and the app's leave to complete early.
    """
    be_sure(f"Give release {release} to every eligible device now?", yes)
    _move("complete", "completed", release, reason, if_state)


@command(app, "pause", "walle release pause 4 -r 'looking at failures'", "walle release pause 4 --if-state running")
def pause(release: arguments.Release, reason: arguments.Reason = "", if_state: IfState = None) -> None:
    """Hold a release: no new offers, devices keep what they have."""
    _move("pause", "paused", release, reason, if_state)


@command(app, "resume", "walle release resume 4")
def resume(release: arguments.Release, reason: arguments.Reason = "", if_state: IfState = None) -> None:
    """Let a paused release go on where it was."""
    _move("resume", "resumed", release, reason, if_state)


@command(app, "abort", "walle release abort 4 -r 'not needed any more'")
def abort(release: arguments.Release, reason: arguments.Reason = "", if_state: IfState = None) -> None:
    """Stop a release for good; devices that have the version keep it."""
    _move("abort", "aborted", release, reason, if_state)


@command(app, "roll-back", "walle release roll-back 4 -r 'wrong model file'")
def roll_back(release: arguments.Release, reason: arguments.Reason = "", if_state: IfState = None) -> None:
    """Withdraw a version at once: all devices go back to the last good one."""
    _move("roll-back", "rolled back", release, reason, if_state)


@command(app, "explain", "walle release explain 4 uJ7YeXMu2tFX32mL8Zl_Ig")
def explain(release: arguments.Release, device: arguments.Device) -> None:
    """Say which part a release has in what one device gets."""
    from walle.cli.devices import show_explanation

    with connected() as client:
        found = client.get(path("releases", release))
        answer = client.get(path("devices", found["app"], device, "explain"), task=found["task"])
    show(answer, lambda _: show_explanation(answer, device, only=release))


@command(app, "simulation", "walle release simulation 4", "walle release simulation 4 --logs")
def simulation(
    release: arguments.Release,
    logs: Annotated[bool, typer.Option("--logs", help="Also what the samples wrote.")] = False,
    attempt: Annotated[
        int | None, typer.Option("--attempt", metavar="N", min=1, help="Not the newest, but this.")
    ] = None,
) -> None:
    """Show what came of a task in each version of the app and system that the release reaches."""
    with connected() as client:
        found = client.get(path("releases", release, "simulation"), attempt=attempt)
    show(found, lambda _: _simulation(found, logs))


def _simulation(found: dict[str, Any], logs: bool) -> None:
    from walle.cli import pictures

    if not found["cells"]:
        say(found["sentence"])
        return
    draw(pictures.simulation_line(found))
    say("")
    draw(pictures.matrix(found["cells"]))
    for cell in found["cells"]:
        if cell["state"] not in ("passed", "pending") or logs:
            heading(f"app {cell['app_version']} on {cell['os']} {cell['os_version']}: {cell['state']}")
            say(cell["sentence"])
            if cell["logs"]:
                say(cell["logs"].rstrip())
