"""A plan under requests that come in bursts: a discrete-event simulation, item by item.

Arrivals are a gamma process: `variation` is the coefficient of variation of the time between two requests, 1 for a
Poisson process, more for bursts. A request goes through the workflow; an operator begins when all of its inputs are
there, on the worker that will be done first, behind the requests that this worker has. An operator that takes several
items of a request serves them one after the other. A request misses its objective if its answer comes too late.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Mapping, Sequence

from walle.placement.problem.model import PlacementPlan, PlacementProblem


def arrivals(rate: float, variation: float, seconds: float, draw: random.Random) -> list[float]:
    """Return the moments of requests, ascending, of a gamma process."""
    shape = 1 / variation**2
    found, now = [], 0.0
    while (now := now + draw.gammavariate(shape, 1 / (rate * shape))) < seconds:
        found.append(now)
    return found


def missed(problem: PlacementProblem, plan: PlacementPlan, moments: Sequence[float], objective_s: float) -> float:
    """Return the part of requests that are answered later than their objective."""
    if not moments:
        return 0.0
    return sum(latency > objective_s for latency in latencies(problem, plan, moments)) / len(moments)


def latencies(problem: PlacementProblem, plan: PlacementPlan, moments: Sequence[float]) -> list[float]:
    """Return the seconds from each request to its answer."""
    service = {name: service_seconds(problem, plan, name) for name in problem.workflow.order}
    ready: dict[str, list[float]] = {source: list(moments) for source in problem.workflow.sources}
    for name in problem.workflow.order:
        inputs = [ready[edge.source] for edge in problem.workflow.into[name]]
        ready[name] = _served([max(each) for each in zip(*inputs, strict=True)], service[name])
    return [end - begin for begin, end in zip(moments, ready[problem.workflow.sink], strict=True)]


def service_seconds(problem: PlacementProblem, plan: PlacementPlan, name: str) -> Mapping[str, float]:
    """Return how long each worker of an operator takes for its items of one request."""
    items = problem.rates[name] / max(problem.target.rates.values())
    by_id = problem.infrastructure.by_id
    return {each: items / problem.capacity(name, plan.models[name], by_id[each]) for each in plan.workers[name]}


def _served(ready: Sequence[float], service: Mapping[str, float]) -> list[float]:
    """Return when each request is done: in the order in which they are ready, on the worker that ends first."""
    free = dict.fromkeys(service, 0.0)
    done = [0.0] * len(ready)
    waiting = [(moment, index) for index, moment in enumerate(ready)]
    heapq.heapify(waiting)
    while waiting:
        moment, index = heapq.heappop(waiting)
        worker = min(service, key=lambda each: max(free[each], moment) + service[each])
        free[worker] = done[index] = max(free[worker], moment) + service[worker]
    return done
