"""`walle workflow`: what other targets would cost, and plans after a change."""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from walle.cli import humanize
from walle.cli.declaring import command
from walle.cli.errors import CommandFailed, WrongUsage
from walle.cli.output import Row, done, facts, say, show
from walle.cli.waiting import waiting
from walle.cli.workflow_plans import costs, read_present_plan, read_problem_file, tell_costs

app = typer.Typer()

File = Annotated[Path, typer.Argument(metavar="FILE", help="A placement problem in JSON.", show_default=False)]
Seconds = Annotated[float, typer.Option("--seconds", min=0.1, max=86400, help="For how long to look for each plan.")]
Of = Annotated[str, typer.Option("--of", metavar="WHAT", help="accuracy or rate.")]
Present = Annotated[Path, typer.Option("--plan", metavar="FILE", help="The present plan in JSON.", show_default=False)]
Moving = Annotated[float, typer.Option("--moving", min=0, metavar="USD", help="What it costs that a worker changes.")]
Horizon = Annotated[float, typer.Option("--horizon", metavar="HOURS", help="For how long the new plan will stay.")]
FACTORS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)
"""The multiples of the problem's rates between which changes of the plan are looked for."""
MOST_POINTS = 200
"""The most points of a frontier."""


@command(
    app,
    "frontier",
    "walle workflow frontier vqa.json",
    "walle workflow frontier vqa.json --of rate",
    "walle workflow frontier vqa.json --of rate --json",
)
def frontier(file: File, *, of: Of = "accuracy", seconds: Seconds = 10) -> None:
    """Show what accuracy, or the rate, costs: the points at which another plan becomes the cheapest.

    With `--of accuracy` each point is the cheapest plan for all accuracies above the point before. With `--of rate` the
    rates are multiplied by 0.25 to 4, and points are nearer where the plan changes. Needs HiGHS.
    """
    from walle.placement.exact.library import SolverMissing
    from walle.placement.frontiers import accuracy_frontier, throughput_frontier

    if of not in ("accuracy", "rate"):
        raise WrongUsage(f"expected --of accuracy or --of rate, found {of}")
    problem = read_problem_file(file)
    points = (
        accuracy_frontier(problem, seconds, time.monotonic)
        if of == "accuracy"
        else throughput_frontier(problem, FACTORS, seconds, time.monotonic)
    )
    try:
        with waiting(f"Looking for plans of {file}"):
            found = [_point_row(each) for each in itertools.islice(points, MOST_POINTS)]
    except SolverMissing as error:
        raise CommandFailed(str(error)) from error
    show({"of": of, "points": found}, _tell_frontier)


def _point_row(point: Any) -> dict[str, Any]:
    from walle.placement.plan_documents import evaluation_document, plan_document

    return {
        "accuracy": point.accuracy,
        "rates_times": point.factor,
        "bound": point.bound,
        "changed": point.changed,
        "plan": plan_document(point.plan),
        "evaluation": evaluation_document(point.evaluation),
    }


def _tell_frontier(found: Row) -> None:
    rows = []
    for each in found["points"]:
        told = each["evaluation"]
        at = f"{each['accuracy']:g}" if found["of"] == "accuracy" else f"{each['rates_times']:.3f}"
        rows.append(
            {
                found["of"]: at,
                **{
                    name: text
                    for name, text in costs(told["compute"], told["network"], None).items()
                    if name != "accuracy"
                },
                "models": ", ".join(each["plan"]["models"].values()),
                "workers": str(len({worker for ids in each["plan"]["workers"].values() for worker in ids})),
                "plan": "another" if each["changed"] else "",
            }
        )
    tell_costs(rows)


@command(
    app,
    "replan",
    "walle workflow replan busier.json --plan plans.json",
    "walle workflow replan busier.json --plan plans.json --moving 0.5 --horizon 6",
)
def replan(file: File, *, plan: Present, moving: Moving = 0.0, horizon: Horizon = 24.0, seconds: Seconds = 10) -> None:
    """Find the plan after rates, prices or workers have changed, in which moving has its price.

    FILE is the new problem. A worker that begins to serve another operator or model costs --moving, spread over
    --horizon: what does not save as much within that time stays where it is. Needs HiGHS.
    """
    from walle.placement.exact.library import SolverMissing
    from walle.placement.plan_documents import evaluation_document, plan_document
    from walle.placement.replanning import replan as find

    if not horizon > 0:
        raise WrongUsage("expected a --horizon above 0 hours")
    problem = read_problem_file(file)
    present = read_present_plan(plan)
    try:
        with waiting(f"Replanning {file}"):
            found = find(problem, present, seconds, time.monotonic, moving_usd=moving, horizon_hours=horizon)
    except SolverMissing as error:
        raise CommandFailed(str(error)) from error
    document = {
        "reason": found.reason,
        "moves": [
            {"worker": each.worker, "operator": each.operator, "model": each.model, "before": each.before}
            for each in found.moves
        ],
        "stopped": list(found.stopped),
        "saved_per_hour": found.saved_per_hour,
        "plan": plan_document(found.plan) if found.plan else None,
        "evaluation": evaluation_document(found.evaluation) if found.evaluation else None,
    }
    show(document, _tell_replan)
    if found.plan is None:
        raise CommandFailed(found.reason)


def _tell_replan(found: Row) -> None:
    if found["plan"] is None:
        return
    done(found["reason"])
    for each in found["moves"]:
        before = f"from {each['before'][0]} ({each['before'][1]})" if each["before"] else "unused until now"
        say(f"{each['worker']}: to {each['operator']} ({each['model']}), {before}")
    told = found["evaluation"]
    facts({"stopped": ", ".join(found["stopped"]) or None, **costs(told["compute"], told["network"], told["accuracy"])})


@command(app, "share", "walle workflow share vqa.json", "walle workflow share vqa.json --json")
def share(file: File, *, seconds: Seconds = 10) -> None:
    """Find the cheapest plan in which a worker may serve several operators, its time divided among them.

    Plans of `walle workflow optimize` give each worker one operator. Needs HiGHS.
    """
    from walle.placement.exact.library import SolverMissing
    from walle.placement.plan_documents import evaluation_document, plan_document
    from walle.placement.sharing import share_workers

    problem = read_problem_file(file)
    try:
        with waiting(f"Optimizing {file}"):
            found = share_workers(problem, seconds, time.monotonic)
    except SolverMissing as error:
        raise CommandFailed(str(error)) from error
    if found.plan is None or found.evaluation is None:
        raise CommandFailed("no plan was found that keeps to all constraints")
    document = {
        "ended": found.proof.ended,
        "bound": found.proof.bound,
        "gap": found.proof.gap,
        "plan": plan_document(found.plan),
        "evaluation": evaluation_document(found.evaluation),
    }
    show(document, _tell_shared)


def _tell_shared(found: Row) -> None:
    told, plan = found["evaluation"], found["plan"]
    facts({**costs(told["compute"], told["network"], told["accuracy"]), "bound": f"{found['bound']:.4f}"})
    for name, workers in plan["workers"].items():
        parts = (f"{worker} {part:.0%}" for worker, part in zip(workers, plan["shares"][name], strict=True))
        say(f"{name} ({plan['models'][name]}): {', '.join(parts)}")
    say(humanize.count(len({worker for ids in plan["workers"].values() for worker in ids}), "worker"))
