"""`walle workflow profile` and `walle workflow run`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from walle.cli import humanize
from walle.cli.declaring import command
from walle.cli.output import done, draw, facts, show, table, warn
from walle.cli.waiting import waiting

app = typer.Typer()

Problem = Annotated[Path, typer.Argument(metavar="PROBLEM", help="The file of a problem.", show_default=False)]
OfProblem = Annotated[Path, typer.Option("--problem", metavar="FILE", help="The problem that the plan is for.")]
Plan = Annotated[Path, typer.Argument(metavar="PLAN", help="The file of a plan.", show_default=False)]
Code = Annotated[Path, typer.Option("--code", metavar="FILE", help="What names the operators' code, code.json.")]
OptionalCode = Annotated[
    Path | None, typer.Option("--code", metavar="FILE", help="As above; without it, stand-ins take the profiled time.")
]
Written = Annotated[Path, typer.Option("--out", metavar="FILE", help="Write the profiled problem into this file.")]
Types = Annotated[list[str] | None, typer.Option("--type", metavar="TYPE", help="This machine is such a worker.")]
Budget = Annotated[float, typer.Option("--seconds", min=0.01, help="How long each model is timed.")]
Count = Annotated[int, typer.Option("--items", min=1, help="How many items to run on.")]
Rate = Annotated[
    float | None, typer.Option("--rate", min=0.001, help="Items per second; those of the problem without it.")
]
Results = Annotated[Path | None, typer.Option("--results", metavar="FILE", help="Write results there, one a line.")]
Logs = Annotated[Path | None, typer.Option("--logs", metavar="FOLDER", help="Keep the logs of Ray in this folder.")]
Address = Annotated[
    str | None, typer.Option("--address", help="Run on this Ray cluster instead of one started on this machine.")
]


@command(
    app,
    "profile",
    "walle workflow profile problem.json --code code.json --out profiled.json",
    "walle workflow profile problem.json --code code.json --out profiled.json --type x8",
)
def profile(problem: Problem, code: Code, out: Written, types: Types = None, seconds: Budget = 1.0) -> None:
    """Measure the models of a workflow: accuracy on validation data, sizes of what they put out, latencies here.

    The problem may lack accuracy rows, sizes and latencies; the file that is written has them, for the types of workers
    given by --type, which this machine is, or for those that the code says it imitates. EXECUTES the code.
    """
    from walle.cli.workflow_profiling import profile_problem

    with waiting(f"Profiling {problem}") as shown:
        found = profile_problem(problem, code, out, types=types or [], seconds=seconds, say=shown.say)
    show(found, _tell_profile)
    if found["unprofiled"]:
        warn(f"not profiled, as this machine is none of them: {', '.join(found['unprofiled'])}; name one with --type")


def _tell_profile(found: dict[str, Any]) -> None:
    rows = [
        [each["operator"], each["model"], _number(each["accuracy"]), _number(each["fastest_ms"])]
        for each in found["models"]
    ]
    draw(table(("operator", "model", "accuracy at most", "fastest p75, ms"), rows))
    done(f"{found['file']}: {humanize.count(len(rows), 'model')} profiled")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


@command(
    app,
    "run",
    "walle workflow run plan.json --problem profiled.json --items 200",
    "walle workflow run plan.json --problem profiled.json --code code.json --results answers.jsonl",
    "walle workflow run plan.json --problem profiled.json --code code.json --address auto",
)
def run(
    plan: Plan,
    problem: OfProblem,
    *,
    code: OptionalCode = None,
    items: Count = 1000,
    rate: Rate = None,
    results: Results = None,
    logs: Logs = None,
    address: Address = None,
) -> None:
    """Run a plan on Ray, one process for each of its workers, and say what it achieves beside what it promises.

    Without --code, stand-ins take the place of models: each takes the time that the profiles say. EXECUTES the code.
    A worker that fails is started again, or another plan takes over; nothing acknowledged is lost. Ctrl-C ends the run
    and all of its processes; what --results has by then stays. Needs Ray: pip install 'walle[ray]'.
    """
    from walle.cli.workflow_running import RunRequest, run_plan

    request = RunRequest(plan, problem, code, items, rate, results, logs, address)
    with waiting(f"Starting {plan}") as shown:
        report = run_plan(request, shown.say)
    show(report, _tell_run)


def _tell_run(report: dict[str, Any]) -> None:
    columns = ("in", "out", "queue", "busy_share", "latency_p50_ms", "latency_p90_ms", "latency_p99_ms")
    rows = [
        [each["operator"], each["worker"], *(f"{each.get(name, 0):.4g}" for name in columns)]
        for each in report["operators"]
    ]
    draw(table(("operator", "worker", *(name.replace("_", " ") for name in columns)), rows))
    latency, rate, network = report["latency_ms"], report["rate"], report["network"]
    facts(
        {
            "items/s": f"{rate['achieved']:g} of {rate['asked']:g}; the plan can take {rate['planned_capacity']:g}",
            "latency, ms": ", ".join(f"{name} {value:g}" for name, value in latency.items()),
            "network": f"{humanize.size(network['bytes'])}, {network['usd_per_hour']:g} USD/h"
            f" ({network['planned_usd_per_hour']:g} planned)",
            "workers": f"{report['compute_usd_per_hour']:g} USD/h",
        }
    )
    done(f"{humanize.count(report['items']['acknowledged'], 'item')} acknowledged, {report['records']} records")
    for name, text in (
        ("restarts", "workers started again"),
        ("replans", "plans replaced"),
        ("empty", "items left empty"),
    ):
        if report[name]:
            print(f"{report[name]} {text}", file=sys.stderr)
