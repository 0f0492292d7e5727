"""The process that solves a problem: `python -m walle.placement.solver MEMORY BUDGET_S GRACE_S SEED < problem.json`.

It limits itself before it reads anything. On standard output it writes lines of JSON: {"progress": ...} while it works,
and at the end {"result": ...} (walle.placement.answer), or a {"problem": text}.
"""

from __future__ import annotations

import json
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, TextIO

from walle.placement.answer import answer_json, progress_json
from walle.placement.exact.search import SearchProgress
from walle.placement.frontiers import FrontierPoint, accuracy_frontier, throughput_frontier
from walle.placement.infeasible import explain_infeasible
from walle.placement.optimizer import optimize
from walle.placement.problem.document import MAX_BYTES, ProblemMalformed, read_problem
from walle.placement.problem.model import PlacementProblem

POINT_S: Final = 1.0
"""The most seconds for each point of a frontier, and for each change that could make a problem feasible."""
FRONTIER_S: Final = 10.0
"""The most seconds for a frontier."""
FACTORS: Final = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
"""The multiples of the problem's rates where its plans are looked at first."""


def main() -> None:
    memory, budget_s, grace_s, seed = (float(each) for each in sys.argv[1:])
    messages = _messages()
    cpu_s = int(budget_s + grace_s)
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        problem = read_problem(sys.stdin.buffer.read(MAX_BYTES + 1))
    except ProblemMalformed as error:
        _say(messages, {"problem": str(error)})
        return
    generator = random.Random(seed)  # noqa: S311
    answer = solved(problem, budget_s, generator, lambda progress: _say(messages, {"progress": progress}))
    _say(messages, {"result": answer})


def solved(
    problem: PlacementProblem, budget_s: float, generator: random.Random, report: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    """Return the answer to a problem, with its frontiers, or with why there is no plan.

    `report` gets what is being done, `plans`, `changes` or `frontiers`, with the figures of the search for plans.
    """

    def search(progress: SearchProgress) -> None:
        report({"phase": "plans", **progress_json(progress)})

    found = optimize(problem, budget_s, time.monotonic, generator, report=search)
    if not found.plans:
        report({"phase": "changes"})
        return answer_json(found, infeasible=explain_infeasible(problem, POINT_S, time.monotonic))
    report({"phase": "frontiers"})
    return answer_json(
        found,
        accuracy_frontier=_for_a_while(lambda late: accuracy_frontier(problem, POINT_S, time.monotonic, late)),
        rate_frontier=_for_a_while(
            lambda late: throughput_frontier(problem, FACTORS, POINT_S, time.monotonic, cancelled=late)
        ),
    )


def _messages() -> TextIO:
    """Return the standard output, and give what libraries print to the standard error."""
    messages = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return messages


def _say(messages: TextIO, message: dict[str, Any]) -> None:
    messages.write(json.dumps(message) + "\n")
    messages.flush()


def _for_a_while(points: Callable[[Callable[[], bool]], Iterator[FrontierPoint]]) -> Iterator[FrontierPoint]:
    until = time.monotonic() + FRONTIER_S
    return points(lambda: time.monotonic() > until)


if __name__ == "__main__":
    main()
