"""Rules that make fewer stages, so that a record is gone over fewer times and less is put down between."""

from __future__ import annotations

from walle.whitebox.graph import COLUMN
from walle.whitebox.oven.draft import Draft
from walle.whitebox.oven.pushing import LONG
from walle.whitebox.oven.stages import StageMerger
from walle.whitebox.types import TEXT, VectorType


def fuse_featurizers(draft: Draft) -> Draft:
    """Make featurizers one pass, from a text to a vector or to its part of a linear model's score.

    A stage goes on in the only one that takes its result, or its scores, if that takes nothing else. Stages that take
    numbers and categories of the record, and whose results go to the same stages, go over the record together.
    Transformations that are executed by themselves stay so.
    """
    merger = StageMerger(draft)
    together: dict[frozenset[int], int] = {}
    for index in range(len(draft.stages)):
        if merger.is_alone(index):
            continue
        producer, *others = merger.producers[index] or (None,)
        if producer is None:
            consumers = frozenset(merger.consumers[index])
            if consumers and not any(draft.types[each] == TEXT for each in merger.inputs(index)):
                first = together.setdefault(consumers, index)
                if first != index:
                    merger.merge(index, first)
        elif not others and merger.consumers[producer] == {index} and not merger.is_alone(producer):
            taken = merger.inputs(index)
            if len(taken) == 1 or all(_is_short(draft, each) for each in taken):
                merger.merge(producer, index)
    return merger.draft()


def _is_short(draft: Draft, id_: str) -> bool:
    return isinstance(draft.types[id_], VectorType) and not id_.startswith(COLUMN) and draft.size(id_) < LONG


def inline_single_transformations(draft: Draft) -> Draft:
    """Put a stage of one transformation, unless it is executed by itself, into a stage beside it.

    Concatenations go to the stage that takes them, so that nothing is copied twice; all others go to the last stage
    that they take from, or, if they take columns, to the first that takes nothing but their result.
    """
    steps = draft.by_id()
    merger = StageMerger(draft)
    for index in range(len(draft.stages)):
        stage = merger.stages.get(index, [])
        if len(stage) != 1 or merger.is_alone(index):
            continue
        producers, consumers = merger.producers[index], merger.consumers[index]
        if steps[stage[0]].operator == "concat" and producers:
            if len(consumers) == 1:
                merger.merge(index, next(iter(consumers)))
        elif producers:
            merger.merge(index, max(producers))
        else:
            takers = [each for each in sorted(consumers) if merger.producers[each] == {index}]
            if takers and not merger.is_alone(takers[0]):
                merger.merge(takers[0], index)
    return merger.draft()
