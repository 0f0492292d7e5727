"""The intermediate representation that rules rewrite: a graph, its types, and which stage each transformation is in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from heapq import heappop, heappush

from walle.schema import Problems
from walle.whitebox.archive.document import Statistics
from walle.whitebox.graph import COLUMN, Graph, GraphMalformed, Transformation, check_outputs, propagate
from walle.whitebox.types import ValueType, VectorType

Stage = tuple[str, ...]
"""The ids of a stage's transformations, each behind its inputs."""


class DraftBroken(Exception):
    """A rule has left a draft that does not keep to its spec: a defect of the oven, never of a pipeline."""


@dataclass(frozen=True, slots=True)
class StageSchema:
    """The ids of what a stage takes, columns and results of other stages, and of what it gives to them."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A plan in the making. Rules return another one; none is changed.

    `types` are empty until schemas are propagated, and `stages` until they are built. Output validation adds the rest:
    `schemas`, one for each stage; `vectorizable`, the ids of transformations; and `capacities`, for how many numbers
    that are not zero the vector of a transformation has room.
    """

    graph: Graph
    statistics: Statistics
    types: Mapping[str, ValueType] = field(default_factory=dict, hash=False)
    stages: tuple[Stage, ...] = ()
    schemas: tuple[StageSchema, ...] = ()
    vectorizable: frozenset[str] = frozenset()
    capacities: Mapping[str, int] = field(default_factory=dict, hash=False)

    def by_id(self) -> dict[str, Transformation]:
        """Return the transformations by id."""
        return {each.id: each for each in self.graph.transformations}

    def consumers(self) -> dict[str, list[str]]:
        """Return by the id of a column or transformation what takes it; an output counts as `output:<name>`."""
        found: dict[str, list[str]] = defaultdict(list)
        for step in self.graph.transformations:
            for each in dict.fromkeys(step.inputs):
                found[each].append(step.id)
        for name, each in self.graph.outputs.items():
            found[each].append(f"output:{name}")
        return found

    def size(self, id_: str) -> int:
        """Return the size of a vector by its id."""
        found = self.types[id_]
        return found.size if isinstance(found, VectorType) else 1

    def is_sparse(self, id_: str) -> bool:
        """Return whether what has an id is a sparse vector."""
        found = self.types[id_]
        return isinstance(found, VectorType) and found.sparse

    def stage_of(self) -> dict[str, int]:
        """Return the index of the stage of each transformation by id."""
        return {each: index for index, stage in enumerate(self.stages) for each in stage}

    def producers(self) -> list[set[int]]:
        """Return for each stage the indices of the stages whose results it takes."""
        stage_of = self.stage_of()
        found: list[set[int]] = [set() for _ in self.stages]
        for step in self.graph.transformations:
            own = stage_of[step.id]
            found[own].update(stage_of[each] for each in step.inputs if not each.startswith(COLUMN))
        for index, needed in enumerate(found):
            needed.discard(index)
        return found

    def with_transformations(
        self, transformations: Iterable[Transformation], renamed: Mapping[str, str] | None = None
    ) -> Draft:
        """Return a draft with other transformations, each behind those that it takes.

        Those that are gone leave their stage; each that is new has one of its own. `renamed` maps ids that are gone
        to those that take their place, which may have stood behind what takes them now.
        """
        names = renamed or {}
        steps = _in_order([_renamed(each, names) for each in transformations])
        outputs = {name: names.get(each, each) for name, each in self.graph.outputs.items()}
        graph = replace(self.graph, transformations=tuple(steps), outputs=outputs)
        there, known = {each.id for each in steps}, {id_ for stage in self.stages for id_ in stage}
        kept = (tuple(id_ for id_ in stage if id_ in there) for stage in self.stages)
        new = ((each.id,) for each in graph.transformations if each.id not in known)
        stages = (*(stage for stage in kept if stage), *new) if self.stages else ()
        return replace(self, graph=graph, types=_types(graph), stages=()).with_stages(stages)

    def with_stages(self, stages: Iterable[Iterable[str]]) -> Draft:
        """Return a draft with other stages, in whatever order: each behind those that it takes from."""
        order = {each.id: index for index, each in enumerate(self.graph.transformations)}
        draft = replace(self, stages=tuple(tuple(sorted(stage, key=order.__getitem__)) for stage in stages))
        return replace(draft, stages=tuple(draft.stages[index] for index in _order(draft.producers())))


def _renamed(step: Transformation, names: Mapping[str, str]) -> Transformation:
    if names.keys().isdisjoint(step.inputs):
        return step
    return replace(step, inputs=tuple(names.get(each, each) for each in step.inputs))


def _in_order(steps: Sequence[Transformation]) -> list[Transformation]:
    """Return transformations so that each stands behind those that it takes, otherwise in their order."""
    place = {each.id: index for index, each in enumerate(steps)}
    return [steps[index] for index in _order([{place[id_] for id_ in each.inputs if id_ in place} for each in steps])]


def _order(needs: Sequence[set[int]]) -> list[int]:
    """Return the indices of things so that each comes behind those it needs, otherwise in their order."""
    missing = [len(each) for each in needs]
    needed_by: dict[int, list[int]] = defaultdict(list)
    for index, each in enumerate(needs):
        for producer in each:
            needed_by[producer].append(index)
    ready = [index for index, count in enumerate(missing) if not count]
    order: list[int] = []
    while ready:
        index = heappop(ready)
        order.append(index)
        for consumer in needed_by[index]:
            missing[consumer] -= 1
            if not missing[consumer]:
                heappush(ready, consumer)
    if len(order) < len(needs):
        raise DraftBroken("stages or transformations that need each other")
    return order


@lru_cache(maxsize=4)
def _types(graph: Graph) -> Mapping[str, ValueType]:
    """Return what operators say of a graph. Raises DraftBroken for one that does not keep to its spec."""
    problems = Problems()
    types, known = propagate(graph, problems)
    check_outputs(graph, types, known, problems)
    if problems.found:
        raise DraftBroken(str(GraphMalformed(problems.all)))
    return types


def check_draft(draft: Draft) -> None:
    """Check the spec of a draft. Raises DraftBroken.

    Types are those that operators say, up to whether vectors are sparse; each transformation is in one stage; and each
    stage stands behind those that it takes from.
    """
    if draft.types:
        said = _types(draft.graph)
        if said.keys() != draft.types.keys() or any(_dense(said[id_]) != _dense(draft.types[id_]) for id_ in said):
            raise DraftBroken("types that are not what operators say")
    if not draft.stages:
        return
    placed = [each for stage in draft.stages for each in stage]
    if sorted(placed) != sorted(each.id for each in draft.graph.transformations) or not all(draft.stages):
        raise DraftBroken("a transformation in no stage or in several, or a stage without one")
    if any(each > index for index, needed in enumerate(draft.producers()) for each in needed):
        raise DraftBroken("a stage before one that it takes from")


def _dense(type_: ValueType) -> ValueType:
    return VectorType(type_.size) if isinstance(type_, VectorType) else type_
