"""Placement problems and plans in files, and plans as people read them."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from walle.cli.errors import FileMalformed, WrongUsage
from walle.cli.output import facts, listing, say, warn

if TYPE_CHECKING:
    from walle.cli.waiting import WaitingMessage
    from walle.placement.beam.search import RankedPlan
    from walle.placement.exact.search import SearchProgress
    from walle.placement.optimizer import Optimized
    from walle.placement.problem.model import PlacementPlan, PlacementProblem


def same_orders() -> random.Random:
    """Return what topological orders are drawn from: the same ones each time, so that a command answers the same."""
    return random.Random(1)  # noqa: S311


def file_bytes(file: Path, at_most: int) -> bytes:
    """Return what is in a file, and of a larger one a byte more than `at_most`. Raises WrongUsage."""
    try:
        with file.open("rb") as stream:
            return stream.read(at_most + 1)
    except OSError as error:
        raise WrongUsage(f"cannot read {file}: {error.strerror}") from error


def read_problem_file(file: Path) -> PlacementProblem:
    """Return the problem of a file. Raises FileMalformed with all that is wrong with it."""
    from walle.placement.problem.document import MAX_BYTES, ProblemMalformed, read_problem

    try:
        return read_problem(file_bytes(file, MAX_BYTES), file.name)
    except ProblemMalformed as error:
        raise FileMalformed(f"{file} is no placement problem", error.texts) from error


def read_plan_file(file: Path, problem: PlacementProblem, number: int = 1) -> PlacementPlan:
    """Return the plan of a file: one plan, or one of what `walle workflow optimize --json` printed, by its place."""
    from walle.placement.plan_documents import read_plan
    from walle.schema import Malformed

    try:
        return read_plan(_plan_document(file, number), problem)
    except Malformed as error:
        raise FileMalformed(f"{file} is no plan of this problem", error.texts) from error


def read_present_plan(file: Path) -> PlacementPlan:
    """Return the plan of a file, though it may be of another problem."""
    from walle.placement.plan_documents import read_any_plan
    from walle.schema import Malformed

    try:
        return read_any_plan(_plan_document(file))
    except Malformed as error:
        raise FileMalformed(f"{file} is no plan", error.texts) from error


def _plan_document(file: Path, number: int = 1) -> Any:
    from walle.placement.problem.document import MAX_BYTES
    from walle.schema import read_json

    document = read_json(file_bytes(file, MAX_BYTES), file.name, MAX_BYTES)
    plans = document.get("plans") if isinstance(document, dict) else None
    listed = plans if isinstance(plans, list) and plans else [document]
    if number > len(listed):
        raise WrongUsage(f"expected a plan from 1 to {len(listed)}, which {file} has, found {number}")
    found = listed[number - 1]
    return found.get("plan", found) if isinstance(found, dict) else found


def why_infeasible(problem: PlacementProblem, seconds: float) -> list[str]:
    """Return why no plan is feasible and the nearest changes that let one through, a line each; none without HiGHS."""
    from walle.placement.exact.library import SolverMissing
    from walle.placement.infeasible import explain_infeasible

    try:
        found = explain_infeasible(problem, seconds, time.monotonic)
    except SolverMissing:
        return []
    if found is None:
        return []
    blamed = [f"{each} stands in the way" for each in found.constraints]
    return [*(blamed or ["no single constraint stands in the way"]), *(each.text for each in found.remedies)]


def optimized(problem: PlacementProblem, plans: int, seconds: float, shown: WaitingMessage) -> Optimized:
    """Return the best plans that are found in some seconds; without a solver, those of the beams.

    `shown` says meanwhile what the best plan costs and how much cheaper another may be.
    """
    from walle.placement.beam.search import BeamWidths
    from walle.placement.exact.library import SolverMissing
    from walle.placement.optimizer import optimize

    widths = BeamWidths(plans=plans)

    def report(progress: SearchProgress) -> None:
        bound = f", none costs less than {progress.bound:.4f}" if progress.bound > 0 else ""
        shown.say(f"Searching: the best plan costs {progress.best:.4f}{bound}")

    try:
        return optimize(problem, seconds, time.monotonic, same_orders(), widths=widths, report=report)
    except SolverMissing as error:
        warn(f"nothing is proved: {error}")
        return optimize(problem, 0, time.monotonic, same_orders(), widths=widths)


def plans_document(problem: PlacementProblem, found: Optimized) -> dict[str, Any]:
    """Return plans with their evaluations as JSON data."""
    from walle.placement.answer import plans_json

    return {"problem": problem.name, "assumed": list(problem.assumed), **plans_json(found)}


def tell_plans(problem: PlacementProblem, found: Optimized) -> None:
    """Print the table of plans, what is known of better ones, and the first plan drawn over the tiers."""
    from walle.placement.drawing import plan_text

    rows = [{"plan": str(index), **_row(each)} for index, each in enumerate(found.plans, 1)]
    tell_costs(rows)
    facts({"proof": _proof(found), "beam alone": f"{found.beam_cost:.4f}" if found.beam_cost is not None else None})
    if found.best is not None:
        say("")
        say(plan_text(problem, found.best.plan))
    for text in problem.assumed:
        warn(f"assumed: {text}")


def tell_costs(rows: list[dict[str, str]]) -> None:
    """Print rows of names and costs as a table."""
    titles = list(rows[0]) if rows else []

    def cell(title: str) -> Any:
        return lambda row: row[title]

    listing({"results": rows}, {title: cell(title) for title in titles}, nothing="no plan")


def halves_facts(placement: Mapping[str, Any]) -> dict[str, str | None]:
    """Return what of a version's workflow runs where, and what its plan promises, as facts for people."""
    halves: dict[str, list[str]] = {"device": [], "cloud": []}
    for name, each in sorted(placement["operators"].items()):
        halves[each["half"]].append(f"{name} ({each['model']})")
    promises = placement["promises"]
    return {
        "on the device": ", ".join(halves["device"]) or "nothing",
        "in the cloud": ", ".join(halves["cloud"]) or "nothing",
        "cost": f"{promises['cost']:.4f} USD per hour",
        "accuracy": None if promises["accuracy"] is None else f"{promises['accuracy']:g}",
    }


def tell_comparison(cost: float | None, others: Mapping[str, Mapping[str, Any] | None]) -> None:
    """Print what the other plans cost in an hour, and the share of it that a plan of this cost saves."""
    tell_costs([{"plan": name, **_compared(cost, each)} for name, each in others.items()])


def _compared(cost: float | None, other: Mapping[str, Any] | None) -> dict[str, str]:
    if other is None or other["compute"] is None:
        return dict.fromkeys([*costs(0, 0, None), "saved"], "-")
    total = other["compute"] + other["network"]
    saved = "-" if cost is None else f"{1 - cost / total:.0%}"
    return {**costs(other["compute"], other["network"], other["accuracy"]), "saved": saved}


def _row(each: RankedPlan) -> dict[str, str]:
    evaluation = each.evaluation
    return {
        **costs(evaluation.compute, evaluation.network, evaluation.accuracy),
        "busiest": f"{max(evaluation.utilisation.values()):.0%}",
        "workers": str(len(evaluation.utilisation)),
        "models": ", ".join(each.plan.models.values()),
    }


def costs(compute: float, network: float, accuracy: float | None) -> dict[str, str]:
    """Return costs in USD per hour and an accuracy as cells of a table."""
    return {
        "cost": f"{compute + network:.4f}",
        "compute": f"{compute:.3f}",
        "network": f"{network:.3f}",
        "accuracy": "-" if accuracy is None else f"{accuracy:g}",
    }


def _proof(found: Optimized) -> str:
    if found.ended == "too-large":
        return "none: the problem is too large for one"
    if found.gap is None:
        return "none was looked for"
    if found.ended == "optimal":
        return f"no plan costs less than {found.bound:.4f}"
    return f"no plan costs less than {found.bound:.4f}: at most {found.gap:.2%} cheaper"


def write_picture(file: Path, problem: PlacementProblem, plan: PlacementPlan) -> None:
    """Draw a plan into an SVG file. Raises WrongUsage if it cannot be written."""
    from walle.placement.drawing import plan_svg

    try:
        file.write_text(plan_svg(problem, plan), encoding="utf-8")
    except OSError as error:
        raise WrongUsage(f"cannot write {file}: {error.strerror}") from error
