"""The fourth step: what each stage takes and gives, which vectors are sparse, and what can be vectorized."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import Final

from walle.whitebox.graph import Transformation
from walle.whitebox.operators import OPERATORS, Bound
from walle.whitebox.oven.draft import Draft, DraftBroken, StageSchema
from walle.whitebox.oven.rules import Rule, Step
from walle.whitebox.types import ValueType, VectorType

LONG: Final = 1 << 20
"""Vectors above this size stay sparse, however full: there is not memory for many of them."""
SHORT: Final = 16
"""Vectors up to this size are dense: keeping places beside numbers would take longer than the zeros."""
FULL: Final = 0.3
"""The share of numbers other than zero from which on a vector is dense: a sparse one keeps a place beside each."""
_KEEPING_ZEROS: Final = frozenset({"tfidf", "affine", "binarize", "normalize", "divide"})
"""Operators that make no number other than zero of a zero, where their vector is sparse."""
_MADE_DENSE: Final = frozenset({"concat", "one_hot", "tree_features"})
"""Operators whose vectors can be made dense at once."""
_TAKING_DENSE: Final = frozenset({"trees", "tree_features", "kmeans"})
"""Operators that need all numbers of a vector: of a sparse one they would be written down first, each time."""


def count_nonzeros(draft: Draft) -> Draft:
    """Say for how many numbers other than zero each vector has room: by statistics, or by how it is made."""
    found: dict[str, int] = {}
    for step in draft.graph.transformations:
        size = draft.size(step.id)
        if isinstance(draft.types[step.id], VectorType):
            seen = draft.statistics.transformations.get(step.id)
            found[step.id] = min(size, _nonzeros(draft, step, found) if seen is None else max(1, seen.nonzeros_max))
    return draft if found == draft.capacities else replace(draft, capacities=found)


def _nonzeros(draft: Draft, step: Transformation, found: dict[str, int]) -> int:
    inputs = [found.get(each, draft.size(each)) for each in step.inputs]
    match step.operator:
        case "one_hot":
            return 1
        case "tree_features":
            return step.parameters["roots"].part[0]
        case "concat":
            return sum(inputs)
        case operator if operator in _KEEPING_ZEROS and draft.is_sparse(step.id):
            return inputs[0]
        case _:
            return draft.size(step.id)


def label_sparse(draft: Draft) -> Draft:
    """Make vectors dense that statistics show to be full, that are short, or that are taken as dense ones only.

    The others stay as they are made.
    """
    types: dict[str, ValueType] = dict(draft.types)
    consumers, steps = draft.consumers(), draft.by_id()

    def takes_dense(id_: str) -> bool:
        operator, type_ = steps[id_].operator if id_ in steps else "", types.get(id_)
        joins = operator == "concat" and isinstance(type_, VectorType) and not type_.sparse
        return joins or operator in _TAKING_DENSE

    for step in reversed(draft.graph.transformations):
        type_ = types[step.id]
        if not isinstance(type_, VectorType) or not type_.sparse:
            continue
        wanted = step.operator in _MADE_DENSE and all(map(takes_dense, consumers[step.id]))
        if (wanted and type_.size <= LONG) or not _is_sparse(draft, step, type_.size):
            types[step.id] = VectorType(type_.size)
    return draft if types == draft.types else replace(draft, types=types)


def _is_sparse(draft: Draft, step: Transformation, size: int) -> bool:
    seen = draft.statistics.transformations.get(step.id)
    usual = draft.capacities[step.id] if seen is None else ceil(seen.nonzeros_mean)
    known = seen is not None or draft.capacities[step.id] < size
    return size > LONG or (size > SHORT and not (known and usual >= FULL * size))


def label_vectorizable(draft: Draft) -> Draft:
    """Label compute-bound transformations of dense vectors that processors can do several numbers of at once."""
    labels = frozenset(
        step.id
        for step in draft.graph.transformations
        if OPERATORS[step.operator].vectorizable
        and OPERATORS[step.operator].bound is Bound.COMPUTE
        and not any(draft.is_sparse(each) for each in step.inputs)
        and any(draft.size(each) > 1 for each in step.inputs)
    )
    return draft if labels == draft.vectorizable else replace(draft, vectorizable=labels)


def order_transformations(draft: Draft) -> Draft:
    """Put the transformations in the order of their stages."""
    place = {id_: index for index, id_ in enumerate(each for stage in draft.stages for each in stage)}
    ordered = tuple(sorted(draft.graph.transformations, key=lambda step: place[step.id]))
    if ordered == draft.graph.transformations:
        return draft
    return replace(draft, graph=replace(draft.graph, transformations=ordered))


def validate_stages(draft: Draft) -> Draft:
    """Check that outputs are made, and that no two stages need each other."""
    made = {each for stage in draft.stages for each in stage}
    if not made.issuperset(draft.graph.outputs.values()):
        raise DraftBroken("an output that no stage makes")
    if any(each >= index for index, needed in enumerate(draft.producers()) for each in needed):
        raise DraftBroken("a stage before one that it takes from")
    return draft


def describe_stages(draft: Draft) -> Draft:
    """Generate what each stage takes and gives from its transformations."""
    stage_of, steps = draft.stage_of(), draft.by_id()
    given = set(draft.graph.outputs.values())
    taken: list[dict[str, None]] = []
    for index, stage in enumerate(draft.stages):
        outside = (each for id_ in stage for each in steps[id_].inputs if stage_of.get(each) != index)
        taken.append(dict.fromkeys(outside))
        given.update(taken[-1])
    schemas = tuple(
        StageSchema(tuple(inputs), tuple(each for each in stage if each in given))
        for inputs, stage in zip(taken, draft.stages, strict=True)
    )
    return draft if schemas == draft.schemas else replace(draft, schemas=schemas)


OUTPUT_VALIDATION: Final = Step(
    "output validation",
    (
        Rule("order transformations", "transformations are in the order of their stages", order_transformations),
        Rule("count non-zeros", "vectors have room for what training saw in them", count_nonzeros),
        Rule(
            "label sparse",
            "vectors that are mostly zero are sparse; full and short ones, and what trees take, dense",
            label_sparse,
        ),
        Rule("label vectorizable", "compute-bound transformations of dense vectors are vectorized", label_vectorizable),
        Rule("describe stages", "each stage's schema is what its transformations take and give", describe_stages),
        Rule("validate stages", "outputs are made, and no stages need each other", validate_stages),
    ),
)
