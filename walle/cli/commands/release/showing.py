"""`walle release list`, `show` and `devices`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from walle.cli import arguments, humanize
from walle.cli.connection import connected, path
from walle.cli.declaring import command
from walle.cli.output import draw, facts, heading, listing, say, show
from walle.release.subjects import subjects_of

app = typer.Typer()


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
    from walle.cli import rendering

    columns = {
        "id": lambda row: str(row["id"]),
        "task": lambda row: f"{row['task']} {row['version']}",
        "app": lambda row: row["app"],
        "state": rendering.state,
        "stage": lambda row: "" if row["position"] is None else str(row["position"] + 1),
        "created_by": lambda row: str(row["created_by"] or ""),
        "created_at": lambda row: humanize.ago(row["created_at"], humanize.now()),
    }
    nothing = "No release fits. Create one: walle release create --help"
    listing(page, columns, nothing=nothing, plain=("created_at", "state"))


@command(app, "show", "walle release show 4", "walle release show 4 --json | jq .figures.treatment")
def show_(release: arguments.Release) -> None:
    """Show one release: its stages, its figures, its verdict, its moves, and its strategy."""
    with connected() as client:
        found = client.get(path("releases", release))
    show(found, shown)


def shown(release: dict[str, Any]) -> None:
    """Print everything about a release for people."""
    import json

    from walle.cli import rendering

    draw(rendering.overview(release, humanize.now()))
    if errors := release["figures"].get("errors"):
        heading("Errors")
        for name, count in errors.items():
            say(f"{count:>6,}  {name}")
    heading("Rule")
    say(json.dumps(release["rule"], ensure_ascii=False))
    say("")
    plan = release["strategy"]
    limits = ", ".join(f"{name} {value:g}" for name, value in plan["limits"].items() if value is not None)
    facts(
        {
            "simulation": "yes" if plan["simulation"] else "no",
            "approval": "required" if plan["approval"] else "no",
            "control group": f"{plan['control_percent']:g} %",
            "devices may put it off": f"for {humanize.span(plan['defer_s'])}" if plan["defer_s"] else "no",
            "limits": limits,
            "after completion": _after_complete(plan.get("after_complete")),
            "window": json.dumps(plan["window"]) if plan["window"] else None,
        }
    )


def _after_complete(plan: dict[str, Any] | None) -> str:
    if plan is None:
        return "not watched"
    limit = "twice the failure rate" if plan["failure_rate"] is None else f"failure_rate {plan['failure_rate']:g}"
    return f"{plan['action']} above {limit}, in periods of {humanize.span(plan['period_s'])}"


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
            "--became",
            metavar="WHAT",
            help="Only devices with this status: selected, offered, installed, healthy, failed, silent, "
            "deferred: it puts the version off for now, or awaiting_trigger: it has installed a stream task whose "
            "condition has not occurred yet.",
        ),
    ] = "selected",
    stage: Annotated[
        int | None, typer.Option("--stage", min=1, help="Only devices that were selected in this stage.")
    ] = None,
    error: Annotated[
        str | None, typer.Option("--error", metavar="CLASS", help="Only devices that failed with this error class.")
    ] = None,
    held_back: Annotated[
        bool | None, typer.Option("--held-back/--not-held-back", help="Only the control group, or only the others.")
    ] = None,
    limit: arguments.Limit = 30,
) -> None:
    """List the devices selected for a release, or the callers of a pipeline, with the status of each."""
    asked = {
        "became": "drawn" if became == "selected" else became,
        "stage": None if stage is None else stage - 1,
        "error_class": error,
        "arm": None if held_back is None else "control" if held_back else "treatment",
    }
    with connected() as client:
        found = client.get(path("releases", release))
        page = client.listed(path("releases", release, "devices"), limit, **asked)
    who, deleted = subjects_of(found["kind"]), found["figures"].get("exposures_deleted_at")
    columns = {
        who.one: lambda row: row["device"],
        "stage": lambda row: "held back" if row["arm"] == "control" else str(row["stage"] + 1),
        "became": _became,
        "message": lambda row: row["message"].partition("\n")[0],
        "selected_at": lambda row: humanize.ago(row["selected_at"], humanize.now()),
    }
    nothing = f"No {who.one} of the release fits."
    if deleted:
        since = humanize.ago(deleted, humanize.now())
        nothing = f"The list of {who.many} was deleted {since}, long after the release had ended; its figures are kept."
    rows = [{**row, "selected_at": row["drawn_at"]} for row in page["results"]]
    show(page, lambda _: listing({**page, "results": rows}, columns, nothing=nothing, plain=("selected_at",)))


def _became(row: dict[str, Any]) -> str:
    if row["outcome"]:
        return row["error_class"] or str(row["outcome"])
    if row.get("awaiting_trigger"):
        return "awaiting trigger"
    if row.get("deferral"):
        return f"deferred: {row['deferral']}"
    if row["silent"]:
        return "silent"
    return next((what for what in ("installed", "offered") if row[f"{what}_at"]), "selected")
