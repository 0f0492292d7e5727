"""`walle workflow upload`, `list` and `place`: workflows on the server, and placements that its workers compute."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from walle.cli import arguments
from walle.cli.connection import connected, path
from walle.cli.declaring import command
from walle.cli.errors import CommandError, CommandFailed, NoPlan
from walle.cli.output import Row, done, facts, heading, listing, show, warn
from walle.cli.waiting import WaitingMessage, waiting
from walle.cli.workflow_plans import costs, file_bytes, tell_comparison, tell_costs

if TYPE_CHECKING:
    from walle.cli.client import ApiClient

app = typer.Typer()

LOOK_S: Final = 1.0
"""Seconds between two looks at a placement."""
_PHASES: Final = {
    "profile": "Measuring",
    "plans": "Searching for plans, and for a proof that none is cheaper",
    "changes": "Looking for changes that would make a plan possible",
    "baselines": "Planning the baselines",
    "frontiers": "Computing what other accuracies would cost",
    "rates": "Computing what other rates would cost",
}

File = Annotated[Path, typer.Argument(metavar="FILE", help="A placement problem in JSON.", show_default=False)]
Named = Annotated[str, typer.Argument(metavar="SCENARIO/WORKFLOW", parser=arguments.task_name, show_default=False)]


Profiled = Annotated[
    Any,
    typer.Option(
        "--profile",
        metavar="TASK[@VERSION]",
        parser=arguments.version_of_task,
        help="First measure the models of this version of a workflow's task; its highest if left out.",
    ),
]
ProfiledBy = Annotated[
    int | None,
    typer.Option("--profiled-by", metavar="N", min=1, help="Take what was measured for this placement of it."),
]


@command(app, "upload", "walle workflow upload vqa.json shop/questions")
def upload(file: File, workflow: Named) -> None:
    """Create or replace a workflow on the server: it is placed there by its workers, and shown on the dashboard."""
    from walle.cli.errors import FileMalformed
    from walle.placement.problem.document import MAX_BYTES
    from walle.schema import Malformed, read_json

    try:
        document = read_json(file_bytes(file, MAX_BYTES), file.name, MAX_BYTES)
    except Malformed as error:
        raise FileMalformed(f"{file} is no placement problem", error.texts) from error
    with connected() as client:
        found = client.put(path("workflows", workflow), {"document": document})
    show(found, lambda _: done(f"{workflow} is on the server: place it with `walle workflow place {workflow}`"))


@command(app, "list", "walle workflow list", "walle workflow list --scenario shop")
def list_(
    scenario: Annotated[
        str | None,
        typer.Option("--scenario", metavar="SCENARIO", parser=arguments.slug, help="Only workflows of this scenario."),
    ] = None,
    limit: arguments.Limit = 30,
) -> None:
    """List the workflows you may see."""
    with connected() as client:
        page = client.listed("workflows", limit, scenario=scenario)
    columns = {
        "name": lambda row: f"{row['scenario']}/{row['slug']}",
        "changed by": lambda row: row["updated_by"],
        "changed": lambda row: row["updated_at"],
        "last placement": _last_placement,
    }
    show(page, lambda _: listing(page, columns, nothing="No workflow yet: upload one."))


def _last_placement(row: Row) -> str:
    """Return how the last placement of a workflow stands; nothing of a server that does not tell."""
    last = row.get("last_placement")
    if last is None:
        return "-"
    cost = "" if last["cost"] is None else f", {last['cost']:.4g} USD per hour"
    return f"{last['id']}: {last['state']}{cost}"


@command(
    app,
    "place",
    "walle workflow place shop/questions",
    "walle workflow place shop/questions --seconds 60 --json > placement.json",
    "walle workflow place shop/questions --profile questions@1.0.0",
    "walle workflow place shop/questions --profiled-by 12",
)
def place(
    workflow: Named,
    seconds: Annotated[float, typer.Option("--seconds", min=0, max=300, help="For how long to look for a proof.")] = 10,
    profile: Profiled = None,
    profiled_by: ProfiledBy = None,
) -> None:
    """Have a worker of the server place a workflow, and wait for its plans, which are compared with baselines.

    With --profile, a worker first measures the models of a version of a task on its validation data, in a sandbox: how
    accurate they are, how large what they put out, and how long they take there. Ctrl-C cancels the placement. Without
    a feasible plan the status is 1.
    """
    asked = {"profile": profile, "profiled_by": profiled_by}
    body = {"budget_s": seconds} | {name: each for name, each in asked.items() if each is not None}
    with connected() as client:
        made = client.post(path("workflows", workflow, "placements"), body)
        address = path("placements", made["id"])
        with waiting(f"Placement {made['id']}: waiting for a worker") as shown:
            try:
                found = _ended(lambda: client.get(address), shown)
            except KeyboardInterrupt:
                _cancel(client, made["id"])
                raise
    if found["state"] in ("failed", "cancelled"):
        raise CommandFailed(f"placement {found['id']} is {found['state']}: {found['error'] or 'somebody ended it'}")
    show(found, _tell_placement)
    if found["state"] == "infeasible":
        raise NoPlan([each["text"] for each in found["result"]["infeasible"]["remedies"]])


def _cancel(client: ApiClient, placement: int) -> None:
    """Cancel a placement, or say how to follow it if it cannot be cancelled."""
    address = path("placements", placement)
    try:
        client.post(f"{address}/cancel")
    except CommandError as error:
        warn(f"placement {placement} was not cancelled: {error.message}; see `walle api GET /{address}`")
    else:
        warn(f"placement {placement} is cancelled")


def _ended(look: Any, shown: WaitingMessage) -> dict[str, Any]:
    """Return a placement once it has ended, and say meanwhile how far it is."""
    while True:
        found: dict[str, Any] = look()
        if found["state"] not in ("pending", "running"):
            return found
        progress = found["progress"]
        if progress:
            best = progress.get("best")
            cost = "" if best is None else f": the best costs {best:.4g} USD per hour"
            phase = _PHASES.get(progress["phase"], progress["phase"])
            what = f" {progress['what']}" if "what" in progress else ""
            shown.say(f"Placement {found['id']}: {phase}{what}{cost}")
        time.sleep(LOOK_S)


def _tell_placement(found: Row) -> None:
    result = found["result"]
    rows = [
        {"plan": str(number), **costs(each["compute"], each["network"], each["accuracy"])}
        for number, each in enumerate(result["plans"], 1)
    ]
    tell_costs(rows)
    gap = result["gap"]
    proof = None if gap is None else "proved to be the cheapest" if gap < 1e-4 else f"at most {gap:.1%} from the best"
    profiled = found.get("profiled")
    measured = profiled and f"{profiled['task']} {profiled['version']}, by placement {profiled['placement']}"
    facts({"placement": str(found["id"]), "measured": measured, "best": proof})
    baselines = {each["name"]: each for each in result.get("baselines", ())}
    if baselines:
        heading("Baselines")
        tell_comparison(result["plans"][0]["cost"], baselines)
