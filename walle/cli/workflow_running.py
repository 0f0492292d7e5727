"""Running a plan from the command line: its files, a Ray, progress, results, and the end of all of it on Ctrl-C."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from itertools import islice, repeat
from pathlib import Path
from typing import IO, Any

from walle.cli.errors import CommandFailed, WrongUsage
from walle.cli.workflow_plans import read_plan_file, read_problem_file, same_orders
from walle.cli.workflow_profiling import read_code_file
from walle.placement.evaluation import PlanMismatch
from walle.placement.planning import optimize
from walle.placement.problem.model import PlacementPlan, PlacementProblem
from walle.placement.processor.code_document import CodeDocument
from walle.placement.processor.operators import CodeUnusable, load_function
from walle.placement.processor.planning import NotRunnable
from walle.placement.processor.reports import RunReport
from walle.placement.processor.running import PlanRun, Result, RunFailed, RunSettings
from walle.placement.processor.specs import OperatorCode


@dataclass(frozen=True)
class RunRequest:
    """What to run, on what, and where to."""

    plan: Path
    problem: Path
    code: Path | None
    items: int
    rate: float | None
    results: Path | None
    logs: Path | None
    address: str | None


def run_plan(request: RunRequest, say: Callable[[str], object]) -> dict[str, Any]:
    """Run a plan; return the report as JSON. Raises CommandError. Nothing of it runs any more afterwards."""
    problem = read_problem_file(request.problem)
    plan = read_plan_file(request.plan, problem)
    code = read_code_file(request.code, problem.infrastructure.tiers) if request.code else None
    try:
        from walle.placement.processor.ray_backend import RayBackend
    except ImportError as error:
        raise CommandFailed(str(error), "planning works without it: walle workflow optimize") from error
    try:
        with ExitStack() as ends:
            sink = _sink(ends, request.results)
            run = PlanRun(
                problem,
                plan,
                RayBackend(),
                islice(_items(problem, code), request.items),
                sink,
                code=code.code if code else None,
                settings=RunSettings(rate=request.rate),
                replan=_replan,
                progress=lambda report: say(_progress(report, request.items)),
            )
            ends.enter_context(_ray(request, problem, code))
            return run.run().to_dict()
    except (RunFailed, NotRunnable, PlanMismatch, CodeUnusable, ConnectionError) as error:
        raise CommandFailed(str(error)) from error


def _ray(request: RunRequest, problem: PlacementProblem, code: CodeDocument | None) -> AbstractContextManager[Any]:
    from walle.placement.processor.ray_backend import JoinedRay, LocalRay, tier_resources

    if request.address:
        return JoinedRay(request.address, code.folder if code else None)
    infrastructure = problem.infrastructure
    return LocalRay(tier_resources(infrastructure.tiers[each.tier] for each in infrastructure.workers), request.logs)


def _items(problem: PlacementProblem, code: CodeDocument | None) -> Iterator[Mapping[str, Any]]:
    if code is None:
        return repeat(dict.fromkeys(problem.workflow.sources))
    if not code.items:
        raise WrongUsage("expected `items` in the code's document, a function that yields items to run on, found none")
    return iter(load_function(OperatorCode(str(code.folder)), code.items)())


def _replan(problem: PlacementProblem) -> PlacementPlan | None:
    found = optimize(problem, same_orders())
    return found[0].plan if found else None


def _sink(ends: ExitStack, path: Path | None) -> Callable[[Sequence[Result]], object]:
    """Return what takes results: it writes and flushes lines, so that what is acknowledged is in the file."""
    if path is None:
        return lambda results: None
    try:
        file: IO[str] = ends.enter_context(path.open("w", encoding="utf-8"))
    except OSError as error:
        raise WrongUsage(f"{path}: {error.strerror}") from error

    def write(results: Sequence[Result]) -> None:
        for each in results:
            line = {"item": each.number, "items": each.items, "records": each.records}
            file.write(json.dumps(line, default=_plain) + "\n")
        file.flush()

    return write


def _plain(value: Any) -> Any:
    """Return an array as lists, a numpy number as a number, and anything else as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _progress(report: RunReport, items: int) -> str:
    busiest = max(report.operators.items(), key=lambda each: each[1].busy_share, default=None)
    text = f"{report.acknowledged} of {items} items, {report.rate:.3g} a second, {report.pending} on their way"
    return text + (f", {busiest[0][0]} on {busiest[0][1]} {busiest[1].busy_share:.0%} busy" if busiest else "")
