"""The plan of a pipeline with a cascade: the stages of its prefix, then those of the whole pipeline that are left.

Both are optimised by themselves. What computes the same in both, by its identity, is done in the prefix alone, so that
a record of which the prefix is not sure goes on with what was computed of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from walle.whitebox.archive.cascade import Cascade
from walle.whitebox.archive.document import Archive
from walle.whitebox.graph import Graph
from walle.whitebox.oven.optimiser import optimise
from walle.whitebox.oven.plan import LogicalCascade, LogicalPlan, LogicalStage
from walle.whitebox.types import ValueType

PREFIX = "cascade:"
"""What the ids of a prefix's stages and transformations begin with."""


def plan_archive(archive: Archive) -> LogicalPlan:
    """Return the logical plan of an archive, with its cascade if it has one."""
    if archive.cascade is None:
        return optimise(archive.graph, archive.statistics)
    return _joined(
        archive.cascade,
        optimise(_part(archive.graph, archive.cascade.outputs), archive.statistics),
        optimise(_part(archive.graph, archive.graph.outputs), archive.statistics),
    )


def _part(graph: Graph, outputs: Mapping[str, str]) -> Graph:
    """Return the graph of some outputs alone."""
    wanted = set(outputs.values())
    for step in reversed(graph.transformations):
        if step.id in wanted:
            wanted.update(step.inputs)
    steps = tuple(each for each in graph.transformations if each.id in wanted)
    return replace(graph, transformations=steps, outputs=outputs)


def _joined(cascade: Cascade, prefix: LogicalPlan, whole: LogicalPlan) -> LogicalPlan:
    names = {each.id: PREFIX + each.id for stage in prefix.stages for each in stage.transformations}
    made = {key: names[id_] for stage in prefix.stages for id_, key in _computed(stage)}
    same = {id_: made[key] for stage in whole.stages for id_, key in _computed(stage) if key in made}
    behind = [_renamed(stage, same) for stage in whole.stages if not same.keys() >= _ids(stage)]
    taken = {id_ for stage in behind for id_ in stage.inputs}
    before = [_prefixed(stage, names, taken) for stage in prefix.stages]
    outputs = {name: names[id_] for name, id_ in prefix.outputs.items()}
    return replace(
        whole,
        stages=(*before, *behind),
        outputs={name: same.get(id_, id_) for name, id_ in whole.outputs.items()},
        trace=(*prefix.trace, *whole.trace),
        cascade=LogicalCascade(len(before), outputs, cascade.threshold, cascade.evidence),
    )


def _ids(stage: LogicalStage) -> set[str]:
    return {each.id for each in stage.transformations}


def _computed(stage: LogicalStage) -> Iterator[tuple[str, tuple[str, ValueType]]]:
    """Yield the id of each transformation, and what it computes in which form."""
    for id_, identity in stage.identities.items():
        yield id_, (identity, stage.types[id_])


def _prefixed(stage: LogicalStage, names: Mapping[str, str], taken: Iterable[str]) -> LogicalStage:
    """Return a stage of the prefix with ids of its own, which gives what the whole pipeline takes of it too."""
    renamed = _renamed(replace(stage, id=PREFIX + stage.id), names, own=True)
    given = [each.id for each in renamed.transformations if each.id in taken]
    return replace(renamed, outputs=tuple(dict.fromkeys((*renamed.outputs, *given))))


def _renamed(stage: LogicalStage, names: Mapping[str, str], *, own: bool = False) -> LogicalStage:
    """Return a stage with other names of what it takes; what it makes under such a name is renamed or left out."""

    def name(id_: str) -> str:
        return names.get(id_, id_)

    steps = tuple(
        replace(each, id=name(each.id), inputs=tuple(map(name, each.inputs)))
        for each in stage.transformations
        if own or each.id not in names
    )
    made = {each.id for each in steps}
    return replace(
        stage,
        transformations=steps,
        inputs=tuple(dict.fromkeys(each for step in steps for each in step.inputs if each not in made)),
        outputs=tuple(found for each in stage.outputs if (found := name(each)) in made),
        types={name(id_): each for id_, each in stage.types.items()},
        vectorizable=frozenset(made.intersection(map(name, stage.vectorizable))),
        capacities={name(id_): each for id_, each in stage.capacities.items()},
        identities={found: each for id_, each in stage.identities.items() if (found := name(id_)) in made},
    )
