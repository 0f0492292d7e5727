"""The peer of `placement_run`: the same workflow in plain Ray, as its documentation shows.

One actor for each worker of a plan, calls chained by references through the driver, `ray.wait` to bound what is on its
way. Items go to the same workers, so that only what runs them differs.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import ray

from walle.placement.processor.operators import applying
from walle.placement.processor.planning import Deployment
from walle.placement.processor.ray_backend import resource_of
from walle.placement.processor.specs import WorkerSpec


class OperatorActor:
    """Runs the operators of one worker on one item at a time."""

    def __init__(self, spec: WorkerSpec) -> None:
        self._apply = {each.operator: applying(each) for each in spec.hosted}

    def run(self, operator: str, *records: Any) -> Any:
        """Return what an operator makes of the record of each of its inputs."""
        record = records[0] if len(records) == 1 else tuple(records)
        return self._apply[operator]([(record,)])[0][0]


class PlainWorkflow:
    """The actors of a deployment; `run` returns the items per second."""

    def __init__(self, deployment: Deployment) -> None:
        offered = dict(ray.cluster_resources())
        self._deployment = deployment
        self._actors: dict[str, Any] = {}
        for worker, spec in deployment.workers.items():
            resource = resource_of(worker, spec.tier, offered) or ""
            offered[resource] -= 1
            actor = ray.remote(OperatorActor).options(num_cpus=0, resources={resource: 1})  # type: ignore[attr-defined]
            self._actors[worker] = actor.remote(spec)
        self._inputs = {each.operator: each.inputs for spec in deployment.workers.values() for each in spec.hosted}
        ray.get([actor.__ray_ready__.remote() for actor in self._actors.values()])

    def run(self, item: Mapping[str, Any], count: int) -> float:
        """Run on an item `count` times, as many at once as the processor has; return the items per second."""
        waiting: list[Any] = []
        began = time.perf_counter()
        for number in range(count):
            if len(waiting) >= self._deployment.in_flight:
                _, waiting = ray.wait(waiting, num_returns=1)
            waiting.append(self._submit(number, item))
        ray.get(waiting)
        return count / (time.perf_counter() - began)

    def _submit(self, number: int, item: Mapping[str, Any]) -> Any:
        made: dict[str, Any] = dict(item)
        for operator in self._deployment.table.workers:
            actor = self._actors[self._deployment.table.worker_for(operator, number)]
            made[operator] = actor.run.remote(operator, *(made[each] for each in self._inputs[operator]))
        return made[operator]

    def close(self) -> None:
        """End the actors."""
        for actor in self._actors.values():
            ray.kill(actor)
