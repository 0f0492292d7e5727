"""The process that solves a problem: `python -m walle.placement.solver MEMORY BUDGET_S GRACE_S SEED < problem.json`.

It limits itself before it reads anything, and ends with the process that started it. On standard output it writes lines
of JSON: {"progress": ...} while it works, {"answer": ...} with what it has found until then, and at the end
{"result": ...}, the whole answer (walle.placement.answer), or a {"problem": text}.
"""

from __future__ import annotations

import json
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TextIO, TypeVar

from walle.container.child_process import end_with_parent
from walle.placement.answer import answer_json, interim_json, progress_json
from walle.placement.baselines import each_baseline
from walle.placement.exact.search import SearchProgress
from walle.placement.frontiers import accuracy_frontier, throughput_frontier
from walle.placement.infeasible import explain_infeasible
from walle.placement.optimizer import Optimized, optimize
from walle.placement.problem.document import MAX_BYTES, ProblemMalformed, read_problem
from walle.placement.problem.model import PlacementProblem

POINT_S: Final = 1.0
"""The most seconds for each point of a frontier, and for each change that could make a problem feasible."""
FRONTIER_S: Final = 10.0
"""The most seconds for a frontier."""
BASELINES_S: Final = 5.0
"""After so many seconds no further baseline is computed."""
FACTORS: Final = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
"""The multiples of the problem's rates where its plans are looked at first."""
APART_S: Final = 0.25
"""The least seconds between two messages about the bound; a better plan is told of at once."""

Each = TypeVar("Each")
Tell = Callable[[dict[str, Any]], None]


def main() -> None:
    memory, budget_s, grace_s, seed = (float(each) for each in sys.argv[1:])
    end_with_parent()
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
    answer = solved(problem, budget_s, generator, lambda message: _say(messages, message))
    _say(messages, {"result": answer})


def solved(problem: PlacementProblem, budget_s: float, generator: random.Random, tell: Tell) -> dict[str, Any]:
    """Return the answer to a problem, with its baselines and frontiers, or with why there is no plan.

    `tell` gets the messages meanwhile. {"progress": ...} has what is being done, the `phase` `plans`, `changes`,
    `baselines`, `frontiers` (of accuracies) or `rates`, with the figures of the search for plans.
    """
    found = optimize(problem, budget_s, time.monotonic, generator, report=SearchMessages(problem, tell))
    if not found.plans:
        tell({"progress": {"phase": "changes"}})
        return answer_json(found, infeasible=explain_infeasible(problem, POINT_S, time.monotonic))
    _tell_step(tell, "baselines", found, answer_json(found))
    baselines = list(_until(_after(BASELINES_S), each_baseline(problem, generator)))
    _tell_step(tell, "frontiers", found, answer_json(found, baselines=baselines))
    accuracies = list(accuracy_frontier(problem, POINT_S, time.monotonic, _after(FRONTIER_S)))
    _tell_step(tell, "rates", found, answer_json(found, baselines=baselines, accuracy_frontier=accuracies))
    rates = throughput_frontier(problem, FACTORS, POINT_S, time.monotonic, cancelled=_after(FRONTIER_S))
    return answer_json(found, baselines=baselines, accuracy_frontier=accuracies, rate_frontier=rates)


class SearchMessages:
    """Tells of the search for plans: each better plan at once, the bound now and then."""

    def __init__(self, problem: PlacementProblem, tell: Tell) -> None:
        self._problem, self._tell = problem, tell
        self._best, self._told_at = float("inf"), float("-inf")

    def __call__(self, progress: SearchProgress) -> None:
        better, now = progress.best < self._best, time.monotonic()
        if not better and now < self._told_at + APART_S:
            return
        self._best, self._told_at = progress.best, now
        if better:
            self._tell({"answer": interim_json(self._problem, progress)})
        self._tell({"progress": {"phase": "plans", **progress_json(progress)}})


def _tell_step(tell: Tell, phase: str, found: Optimized, answer: dict[str, Any]) -> None:
    """Tell what has been found until now, and what is done next: whoever hears of that may read it."""
    best = found.plans[0].evaluation.cost
    tell({"answer": answer})
    tell({"progress": {"phase": phase, "seconds": found.seconds, "bound": found.bound, "best": best}})


def _after(seconds: float) -> Callable[[], bool]:
    """Return whether so many seconds have passed since now."""
    until = time.monotonic() + seconds
    return lambda: time.monotonic() > until


def _until(late: Callable[[], bool], found: Iterable[Each]) -> Iterator[Each]:
    """Yield what is found until it is too late for a further one."""
    for each in found:
        yield each
        if late():
            return


def _messages() -> TextIO:
    """Return the standard output, and give what libraries print to the standard error."""
    messages = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return messages


def _say(messages: TextIO, message: dict[str, Any]) -> None:
    messages.write(json.dumps(message) + "\n")
    messages.flush()


if __name__ == "__main__":
    main()
