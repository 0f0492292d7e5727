"""What rules ask of stages, and stages that are merged one after the other before they become a draft again."""

from __future__ import annotations

from typing import Final

from walle.whitebox.graph import Transformation
from walle.whitebox.operators import OPERATORS, Bound
from walle.whitebox.oven.draft import Draft

_MATRICES: Final = frozenset(
    each.name
    for each in OPERATORS.values()
    if each.bound is Bound.COMPUTE and any(spec.rank == 2 for spec in each.parameters.values())
)


def stands_alone(draft: Draft, step: Transformation) -> bool:
    """Return whether a transformation computes so much that it is executed by itself, all of a vector at once.

    These are products with matrices, and trees, of dense vectors; of sparse ones, reaching the data is what takes time.
    """
    return step.operator in _MATRICES and not draft.is_sparse(step.inputs[0])


class StageMerger:
    """Stages by their index, of which some are merged. Each keeps its place in an order in which all stand behind
    those that they take from.
    """

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self.stages: dict[int, list[str]] = {index: list(stage) for index, stage in enumerate(draft.stages)}
        self.producers: dict[int, set[int]] = dict(enumerate(draft.producers()))
        self.consumers: dict[int, set[int]] = {index: set() for index in self.stages}
        for index, needed in self.producers.items():
            for each in needed:
                self.consumers[each].add(index)
        steps = draft.by_id()
        self._inputs = {each.id: each.inputs for each in steps.values()}
        self._alone = {each.id for each in steps.values() if stands_alone(draft, each)}

    def is_alone(self, index: int) -> bool:
        """Return whether a stage has a transformation that is executed by itself."""
        return not self._alone.isdisjoint(self.stages[index])

    def inputs(self, index: int) -> set[str]:
        """Return the ids of what a stage takes: columns, and results of other stages."""
        return {each for id_ in self.stages[index] for each in self._inputs[id_]}.difference(self.stages[index])

    def merge(self, index: int, into: int) -> None:
        """Make two stages one, in the place of the latter."""
        self.stages[into] += self.stages.pop(index)
        for mine, theirs in ((self.producers, self.consumers), (self.consumers, self.producers)):
            for each in mine.pop(index):
                theirs[each].discard(index)
                if each != into:
                    theirs[each].add(into)
                    mine[into].add(each)
            mine[into].discard(index)

    def draft(self) -> Draft:
        """Return the draft with the stages as they are now; the same if none was merged."""
        if len(self.stages) == len(self._draft.stages):
            return self._draft
        return self._draft.with_stages(self.stages[index] for index in sorted(self.stages))
