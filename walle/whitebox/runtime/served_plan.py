"""Compiled plans (walle.whitebox.compiling) as the runtime's engines use them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from walle.whitebox.archive import Archive
from walle.whitebox.batch_answers import BatchAnswers
from walle.whitebox.compiling.answer_reading import Prediction
from walle.whitebox.compiling.binding import ExecutablePlan, Vectors
from walle.whitebox.compiling.compiler import compile_plan
from walle.whitebox.compiling.image import PlanImage
from walle.whitebox.compiling.records import Batch, RecordRefused
from walle.whitebox.compiling.reuse import MaterializedStore, ReusingPlan
from walle.whitebox.oven import plan_archive
from walle.whitebox.runtime.contract import Refusals


@dataclass(frozen=True, slots=True)
class ServedPlan:
    """The image of a plan: what is registered, and what executors are sent."""

    image: PlanImage

    @staticmethod
    def of(archive: Archive) -> ServedPlan:
        """Return the plan of an archive. Raises what the oven and the compiler do."""
        return ServedPlan(PlanImage.of(compile_plan(plan_archive(archive), archive.statistics)))

    def bind(self, parameters: Callable[[Any], NDArray[Any]]) -> BoundServedPlan:
        return BoundServedPlan(ExecutablePlan(self.image, parameters))


class BoundServedPlan:
    """An executable plan. Its answers to a batch travel as the numbers (f64) that kernels wrote, row by row."""

    def __init__(self, plan: ExecutablePlan) -> None:
        self.plan = plan
        self.predict = plan.predict
        self.vectors = plan.vectors
        self.vector_bytes = plan.vector_bytes
        self.shareable = frozenset(plan.image.shareable)

    def reusing(self, identities: frozenset[str], results: MaterializedStore) -> Callable[[Any, Vectors], Prediction]:
        """Return what predicts with the results of some stages."""
        return ReusingPlan(self.plan, identities, results).predict

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
        return self.plan.read(self._rows(answers))

    def columns(self, answers: bytes, refused: Refusals) -> BatchAnswers:
        """Return the answers to all records of a batch as arrays."""
        parts = {name: slice(each.start, each.start + each.size) for name, each in self.plan.interface.answers.items()}
        return BatchAnswers.of(
            self._rows(answers), {each[0]: RecordRefused(*each) for each in refused}, parts, self.plan.read
        )

    def _rows(self, answers: bytes) -> NDArray[np.float64]:
        return np.frombuffer(answers, np.float64).reshape(-1, self.plan.interface.answer_words)

    def _refusal(self, batch: Batch, row: int) -> tuple[int, str, str]:
        layout = self.plan.layout(batch.longest)
        found = self.plan.refusal(
            layout, int(batch.answers[row, 0]), memoryview(batch.rows[row].view(np.uint8).data), batch.indices[row]
        )
        return found.index, found.field, found.expected
