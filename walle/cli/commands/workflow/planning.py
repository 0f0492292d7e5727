"""`walle workflow check`, `optimize`, `compare` and `explain`: which models and workers, at which cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from walle.cli import humanize
from walle.cli.declaring import command
from walle.cli.errors import CommandFailed, NoPlan
from walle.cli.output import Row, done, facts, say, show, warn
from walle.cli.waiting import waiting
from walle.cli.workflow_plans import (
    costs,
    file_bytes,
    optimized,
    plans_document,
    read_plan_file,
    read_problem_file,
    same_orders,
    tell_comparison,
    tell_plans,
    why_infeasible,
    write_picture,
)

app = typer.Typer()
EXPLAINING_S = 2.0
"""For how long a plan is looked for at most for each change that might let one through."""
OWN = "this optimizer"
"""The name of the plan that is compared with the baselines."""

File = Annotated[Path, typer.Argument(metavar="FILE", help="A placement problem in JSON.", show_default=False)]
Plans = Annotated[int, typer.Option("--plans", min=1, max=20, help="How many plans.")]
Seconds = Annotated[float, typer.Option("--seconds", min=0, max=86400, help="For how long to look; 0 proves nothing.")]
Picture = Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Draw the plan into this file.")]
PlanFile = Annotated[Path | None, typer.Option("--plan", metavar="FILE", help="A plan in JSON, as optimize prints it.")]


@command(app, "check", "walle workflow check vqa.json", "walle workflow check vqa.json --json")
def check(file: File) -> None:
    """Check a placement problem (docs/workflow-format.md).

    All that is wrong is printed, one problem a line, and the status is 1.
    """
    from walle.placement.problem.document import MAX_BYTES, ProblemMalformed, read_problem

    found: dict[str, Any] = {"ok": True, "problems": []}
    try:
        problem = read_problem(file_bytes(file, MAX_BYTES), file.name)
    except ProblemMalformed as error:
        found = {"ok": False, "problems": error.texts}
    else:
        found |= {
            "name": problem.name,
            "assumed": list(problem.assumed),
            "operators": {each.name: len(each.models) for each in problem.workflow.operators},
            "tiers": list(problem.infrastructure.tiers),
            "workers": len(problem.infrastructure.workers),
            "accuracy": problem.target.accuracy,
            "rates": dict(problem.target.rates),
        }
    show(found, _tell_check)
    if not found["ok"]:
        raise typer.Exit(CommandFailed.status)


def _tell_check(found: Row) -> None:
    for problem in found["problems"]:
        say(problem)
    if not found["ok"]:
        return
    done("a valid placement problem" + (f": {found['name']}" if found["name"] else ""))
    models = (f"{name} ({humanize.count(count, 'model')})" for name, count in found["operators"].items())
    facts(
        {
            "operators": ", ".join(models),
            "workers": f"{found['workers']} in {', '.join(found['tiers'])}",
            "target": f"accuracy {found['accuracy']:g}, "
            + ", ".join(f"{name} {rate:g}/s" for name, rate in found["rates"].items()),
        }
    )
    for text in found["assumed"]:
        warn(f"assumed: {text}")


@command(
    app,
    "optimize",
    "walle workflow optimize vqa.json",
    "walle workflow optimize vqa.json --seconds 60 --svg plan.svg",
    "walle workflow optimize vqa.json --plans 5 --json > plans.json",
)
def optimize(file: File, *, plans: Plans = 3, seconds: Seconds = 10, svg: Picture = None) -> None:
    """Find the cheapest plans that reach the problem's accuracy and rates.

    Plans of the beam search come at once; the rest of --seconds goes into better ones and into the proof that there are
    none. Without a feasible plan the status is 1, and the constraints that stand in the way are named, with the nearest
    changes that let a plan through.
    """
    problem = read_problem_file(file)
    with waiting(f"Optimizing {file}") as shown:
        found = optimized(problem, plans, seconds, shown)
        if found.best is None:
            shown.say("Looking for changes that let a plan through")
            raise NoPlan(why_infeasible(problem, min(seconds, EXPLAINING_S)) if seconds else ())
    show(plans_document(problem, found), lambda _: tell_plans(problem, found))
    if svg:
        write_picture(svg, problem, found.best.plan)
        done(f"the plan is drawn in {svg}")


@command(app, "compare", "walle workflow compare vqa.json", "walle workflow compare vqa.json --json")
def compare(file: File, *, seconds: Seconds = 10) -> None:
    """Compare the cheapest plan with the baselines of the paper: what each costs in an hour, and what the plan saves.

    PTe, PTc and SPC are no plans of this problem: they pay for workers of the strongest type by use.
    """
    from walle.placement.baselines import compare as compare_baselines

    problem = read_problem_file(file)
    with waiting(f"Optimizing {file}") as shown:
        best = optimized(problem, 1, seconds, shown).best
        shown.say("Planning the baselines")
        baselines = compare_baselines(problem, same_orders())
    rows: dict[str, dict[str, float | None] | None] = {OWN: None}
    if best:
        own = best.evaluation
        rows[OWN] = {"compute": own.compute, "network": own.network, "accuracy": own.accuracy}
    for name, each in baselines.items():
        rows[name] = {"compute": each.compute, "network": each.network, "accuracy": each.accuracy} if each else None
    show({"problem": problem.name, "costs": rows}, _tell_comparison)


def _tell_comparison(found: Row) -> None:
    own = found["costs"][OWN]
    tell_comparison(own and own["compute"] + own["network"], found["costs"])


@command(
    app,
    "explain",
    "walle workflow explain vqa.json",
    "walle workflow explain vqa.json --plan plans.json --svg plan.svg",
)
def explain(file: File, *, plan: PlanFile = None, svg: Picture = None) -> None:
    """Show a plan over the tiers, what it costs and sends, and the constraints that it breaks.

    Without --plan it is the cheapest one of the beam search.
    """
    from walle.placement.drawing import plan_text
    from walle.placement.evaluation import evaluate
    from walle.placement.plan_documents import evaluation_document, plan_document

    problem = read_problem_file(file)
    if plan:
        given = read_plan_file(plan, problem)
    else:
        with waiting(f"Optimizing {file}") as shown:
            best = optimized(problem, 1, 0, shown).best
        if best is None:
            raise CommandFailed("no plan was found that keeps to all constraints")
        given = best.plan
    evaluation = evaluate(problem, given)
    document = {"plan": plan_document(given), **evaluation_document(evaluation)}

    def tell(_: Row) -> None:
        say(plan_text(problem, given))
        say("")
        facts(costs(evaluation.compute, evaluation.network, evaluation.accuracy))
        for each in evaluation.violations:
            warn(each.text)

    show(document, tell)
    if svg:
        write_picture(svg, problem, given)
        done(f"the plan is drawn in {svg}")
