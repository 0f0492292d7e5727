"""Compiled plans (walle.whitebox.compiling) as the runtime's engines use them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from walle.whitebox.archive import Archive
from walle.whitebox.compiling.binding import ExecutablePlan, Prediction, Vectors
from walle.whitebox.compiling.compiler import compile_plan
from walle.whitebox.compiling.physical import PhysicalPlan
from walle.whitebox.compiling.records import Batch
from walle.whitebox.compiling.reuse import ReusingPlan
from walle.whitebox.graph import ClassName
from walle.whitebox.oven import optimise
from walle.whitebox.runtime.contract import Refusals


@dataclass(frozen=True, slots=True)
class ServedPlan:
    """A physical plan: what is registered, and what executors are sent."""

    physical: PhysicalPlan

    @staticmethod
    def of(archive: Archive) -> ServedPlan:
        """Return the plan of an archive. Raises what the oven and the compiler do."""
        return ServedPlan(compile_plan(optimise(archive.graph, archive.statistics), archive.statistics))

    def bind(self, parameters: Callable[[Any], NDArray[Any]]) -> BoundServedPlan:
        return BoundServedPlan(self.physical.bind(parameters))


class BoundServedPlan:
    """An executable plan. Its answers to a batch travel as the numbers (f64) that kernels wrote, row by row."""

    def __init__(self, plan: ExecutablePlan) -> None:
        self.plan = plan
        self.predict = plan.predict
        self.vectors = plan.vectors
        self.shareable = frozenset(
            stage.identity
            for stage in plan.plan.stages
            if stage.identity is not None and plan.plan.is_worth_keeping(stage)
        )

    def reusing(self, identities: frozenset[str]) -> Callable[[Any, Vectors, Any], Prediction]:
        """Return what predicts with the results of some stages."""
        return ReusingPlan(self.plan, identities).predict

    def run(self, records: Sequence[Any], vectors: Vectors) -> tuple[bytes, Refusals]:
        """Return the answers to records, and which were refused by their form or by an instruction."""
        batch = self.plan.parse(records)
        self.plan.run_batch(batch, vectors)
        refused = [(each.index, each.field, each.expected) for each in batch.refused]
        answered = batch.answers[:, 0] < 0
        if not answered.all():
            refused += [self._refusal(batch, row) for row in np.flatnonzero(~answered).tolist()]
            refused.sort()
        return batch.answers[answered, 1:].tobytes(), refused

    def read(self, answers: bytes) -> list[Prediction]:
        """Return the predictions that rows of numbers say."""
        plan = self.plan.plan
        rows = np.frombuffer(answers, np.float64).reshape(-1, plan.answer_words)
        found = {name: rows[:, each.start : each.start + each.size] for name, each in plan.answers.items()}
        columns = [_column(name, found.get(name), len(rows), plan.classes) for name in Prediction._fields]
        return list(map(Prediction._make, zip(*columns, strict=True)))

    def _refusal(self, batch: Batch, row: int) -> tuple[int, str, str]:
        layout = self.plan.layout(batch.longest)
        found = self.plan.refusal(
            layout, int(batch.answers[row, 0]), memoryview(batch.rows[row].view(np.uint8).data), batch.indices[row]
        )
        return found.index, found.field, found.expected


def _column(
    name: str, numbers: NDArray[np.float64] | None, count: int, classes: Sequence[ClassName]
) -> Iterable[ClassName | float | tuple[float, ...] | None]:
    """Return one field of all predictions, as ExecutablePlan.prediction says it of each."""
    if numbers is None:
        return repeat(None, count)
    if name == "label":
        return [classes[index] for index in numbers[:, 0].astype(np.int64).tolist()]
    if name == "value" and numbers.shape[1] == 1:
        values: list[float] = numbers[:, 0].tolist()
        return values
    return map(tuple, numbers.tolist())
