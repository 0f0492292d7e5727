"""Logical plans: what the oven makes of a pipeline, from which physical plans are compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256

from walle.protocol.canonical import canonical_digest
from walle.whitebox.archive.cascade import CascadeEvidence
from walle.whitebox.graph import COLUMN, ClassName, Column, Graph, Parameter, Transformation
from walle.whitebox.oven.draft import Draft, StageSchema
from walle.whitebox.oven.rules import Application
from walle.whitebox.types import ValueType, VectorType


@dataclass(frozen=True, slots=True)
class LogicalStage:
    """Transformations that one pass over a record does, in an order in which each stands behind its inputs.

    `inputs` are the ids of columns and of transformations of earlier stages, `outputs` those of its own that later
    stages take or that are outputs of the plan. `types` are those of its inputs and of all its transformations by id.
    `vectorizable` are the ids of compute-bound transformations of dense vectors. `capacities` say, for each
    transformation that makes a vector, how many numbers other than zero it has room for at first.

    `identities` say of each transformation what it computes of which columns: where they are equal, in whatever
    plans, so are the results for equal records. `identity` is that of all outputs.
    """

    id: str
    transformations: tuple[Transformation, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    types: Mapping[str, ValueType] = field(hash=False)
    vectorizable: frozenset[str]
    capacities: Mapping[str, int] = field(hash=False)
    identities: Mapping[str, str] = field(hash=False)

    @property
    def sparse(self) -> frozenset[str]:
        """The ids of its transformations that make sparse vectors."""
        made = ((each.id, self.types[each.id]) for each in self.transformations)
        return frozenset(id_ for id_, type_ in made if isinstance(type_, VectorType) and type_.sparse)

    @property
    def identity(self) -> str:
        """What the stage computes of which columns (64 hex digits)."""
        return canonical_digest([self.identities[each] for each in self.outputs])


@dataclass(frozen=True, slots=True)
class LogicalCascade:
    """The first `stages` of a plan are a prefix, with `outputs` as the plan has them.

    It answers alone where the greatest of its probabilities is at least `threshold`.
    """

    stages: int
    outputs: Mapping[str, str] = field(hash=False)
    threshold: float
    evidence: CascadeEvidence


@dataclass(frozen=True)
class LogicalPlan:
    """A pipeline as stages, each behind those that it takes from; `trace` says which rules led there."""

    columns: tuple[Column, ...]
    stages: tuple[LogicalStage, ...]
    outputs: Mapping[str, str] = field(hash=False)
    classes: tuple[ClassName, ...]
    trace: tuple[Application, ...] = field(compare=False)
    cascade: LogicalCascade | None = None

    @cached_property
    def graph(self) -> Graph:
        """The graph of all stages' transformations."""
        steps = tuple(each for stage in self.stages for each in stage.transformations)
        return Graph(self.columns, steps, self.outputs, self.classes)


def plan_of(draft: Draft, trace: tuple[Application, ...]) -> LogicalPlan:
    """Return the plan that a finished draft is."""
    graph, identities = draft.graph, identities_of(draft.graph)
    steps = draft.by_id()
    stages = tuple(
        _stage(f"stage-{index + 1}", tuple(steps[each] for each in stage), schema, draft, identities)
        for index, (stage, schema) in enumerate(zip(draft.stages, draft.schemas, strict=True))
    )
    return LogicalPlan(graph.columns, stages, graph.outputs, graph.classes, trace)


def _stage(
    id_: str, steps: tuple[Transformation, ...], schema: StageSchema, draft: Draft, identities: Mapping[str, str]
) -> LogicalStage:
    own = [each.id for each in steps]
    return LogicalStage(
        id_,
        steps,
        schema.inputs,
        schema.outputs,
        {each: draft.types[each] for each in (*schema.inputs, *own)},
        draft.vectorizable.intersection(own),
        {each: draft.capacities[each] for each in own if each in draft.capacities},
        {each: identities[each] for each in own},
    )


def identities_of(graph: Graph) -> dict[str, str]:
    """Return for each column and transformation by id what it computes of which columns (64 hex digits)."""
    found = {COLUMN + each.name: canonical_digest(["column", each.name, each.type]) for each in graph.columns}
    for step in graph.transformations:
        head = [step.operator, dict(step.settings), {name: _named(each) for name, each in step.parameters.items()}]
        inputs = "".join(found[each] for each in step.inputs)
        found[step.id] = sha256(f"{canonical_digest(head)}{inputs}".encode()).hexdigest()
    return found


def _named(parameter: Parameter) -> list[object]:
    return [parameter.digest, parameter.dtype, list(parameter.shape), parameter.start, parameter.stop]
