"""`walle task`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from walle.cli import arguments, humanize
from walle.cli.confirmation import confirm
from walle.cli.connection import connected, path
from walle.cli.declaring import command, group
from walle.cli.output import done, draw, facts, listing, say, show, table

app = group("Tasks: each is a branch of its scenario.", name="task")


@command(
    app, "list", "walle task list", "walle task list --scenario camera", "walle task list --search digits --retired"
)
def list_(
    scenario: Annotated[
        str | None,
        typer.Option("--scenario", metavar="SCENARIO", parser=arguments.slug, help="Only tasks of this scenario."),
    ] = None,
    search: Annotated[
        str | None, typer.Option("--search", "-s", metavar="TEXT", help="Only tasks whose name contains this text.")
    ] = None,
    retired: Annotated[
        bool | None, typer.Option("--retired/--in-use", help="Only retired tasks, or only others.")
    ] = None,
    limit: arguments.Limit = 30,
) -> None:
    """List the tasks you may see."""
    with connected() as client:
        only = None if retired is None else str(retired).lower()
        page = client.listed("tasks", limit, scenario=scenario, q=search, retired=only)
    columns = {
        "name": lambda row: row["name"],
        "versions": lambda row: str(row["version_count"]),
        "state": lambda row: "retired" if row["retired_at"] else "",
        "created_at": lambda row: humanize.ago(row["created_at"], humanize.now()),
    }
    show(page, lambda _: listing(page, columns, nothing="No task fits.", plain=("created_at",)))


@command(app, "show", "walle task show camera/digits")
def show_(task: arguments.Task) -> None:
    """Show one task with its newest versions."""
    with connected() as client:
        found = client.get(path("tasks", task))
        versions = client.listed(path("tasks", task, "versions"), 10)
    show({**found, "versions": versions["results"]}, lambda _: _show(found, versions))


def _show(task: dict[str, Any], versions: dict[str, Any]) -> None:
    newest = ", ".join(version["version"] for version in versions["results"])
    facts(
        {
            "task": task["name"],
            "versions": f"{newest}{', ...' if versions['next'] else ''}" or "none: push a tag, or upload one",
            "created": task["created_at"],
            "retired": task["retired_at"],
        }
    )


@command(app, "runs", "walle task runs camera/digits", "walle task runs camera/digits --days 30")
def runs(
    task: arguments.Task,
    days: Annotated[int, typer.Option("--days", metavar="DAYS", min=1, max=30, help="How far back.")] = 7,
) -> None:
    """Show how long a task runs, what it holds and why its VM ends, by class of devices."""
    with connected() as client:
        found = client.get(path("tasks", task, "runs"), days=days)
    show(found, lambda _: _show_runs(found))


def _show_runs(found: dict[str, Any]) -> None:
    if not found["all"]["runs"]:
        say("No device has reported a run of it in this time.")
        return
    rows = []
    for each in [found["all"], *found["classes"]]:
        for start in ("cold", "warm"):
            if (runs := each[start])["runs"]:
                share = humanize.percent(runs["runs"], each["runs"])
                rows.append(
                    (
                        _class_name(each, found["all"]),
                        start,
                        f"{runs['runs']:,} ({share})",
                        _times(runs["duration_ms"]),
                        _memory(runs["peak_memory_kb"]),
                    )
                )
    titles = ("devices", "start", "runs", "time p50 / p90 / p99", "memory p99")
    draw(table(titles, rows))
    ends = ", ".join(f"{end['cause']} {end['count']}" for end in found["all"]["vm_ends"])
    models = ", ".join(f"{each['backend']} {each['runs']:,}" for each in found["all"]["model_backends"])
    facts({"since": found["since"], "models ran on": models or None, "ends of VMs": ends or "none"})


def _class_name(each: dict[str, Any], every: dict[str, Any]) -> str:
    if each is every:
        return "all"
    return " ".join(filter(None, (each["os"], each["performance"]))) or "not said"


def _times(of: dict[str, float] | None) -> str:
    return " / ".join(_time(of[name]) for name in ("p50", "p90", "p99")) if of else ""


def _time(milliseconds: float) -> str:
    return f"{milliseconds:.3g} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.3g} s"


def _memory(of: dict[str, float] | None) -> str:
    return humanize.size(of["p99"] * 1024) if of else ""


@command(app, "retire", "walle task retire camera/digits", "walle task retire camera/digits --yes")
def retire(task: arguments.Task, yes: arguments.Yes = False) -> None:
    """Withdraw a task from all devices; it takes no new versions until it is unretired."""
    confirm(f"Withdraw {task} from all devices?", yes)
    with connected() as client:
        found = client.post(path("tasks", task, "retire"))
    show(found, lambda _: done(f"retired {task}: devices remove it at their next check-in"))


@command(app, "unretire", "walle task unretire camera/digits")
def unretire(task: arguments.Task) -> None:
    """Let a retired task be released again."""
    with connected() as client:
        found = client.post(path("tasks", task, "unretire"))
    show(found, lambda _: done(f"{task} may be released again"))
