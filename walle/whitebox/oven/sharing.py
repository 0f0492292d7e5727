"""Rules that compute nothing twice and nothing for nothing."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

from walle.protocol.canonical import canonical_json
from walle.whitebox.graph import COLUMN, MAX_INPUTS, Transformation
from walle.whitebox.operators import OPERATORS
from walle.whitebox.oven.draft import Draft


def remove_dead_branches(draft: Draft) -> Draft:
    """Remove transformations that no output needs."""
    needed = set(draft.graph.outputs.values())
    for step in reversed(draft.graph.transformations):
        if step.id in needed:
            needed.update(step.inputs)
    if all(each.id in needed for each in draft.graph.transformations):
        return draft
    return draft.with_transformations(each for each in draft.graph.transformations if each.id in needed)


def merge_equal_stages(draft: Draft) -> Draft:
    """Make stages one that do the same with the same inputs, as branches of a pipeline often begin alike."""
    steps = draft.by_id()
    first: dict[tuple[object, ...], tuple[str, ...]] = {}
    renamed: dict[str, str] = {}
    for stage in draft.stages:
        # What is inside has the same name in all stages: its place, which no id is like.
        names = ChainMap({id_: f":{index}" for index, id_ in enumerate(stage)}, renamed)
        key = tuple(_key(steps[id_], names) for id_ in stage)
        kept = first.setdefault(key, stage)
        renamed.update({old: new for old, new in zip(stage, kept, strict=True) if old != new})
    return _without(draft, renamed)


def merge_equal_transformations(draft: Draft) -> Draft:
    """Make transformations one that do the same with the same inputs (common sub-expressions)."""
    first: dict[tuple[object, ...], str] = {}
    renamed: dict[str, str] = {}
    for step in draft.graph.transformations:
        kept = first.setdefault(_key(step, renamed), step.id)
        if kept != step.id:
            renamed[step.id] = kept
    return _without(draft, renamed)


def _key(step: Transformation, names: Mapping[str, str]) -> tuple[object, ...]:
    """Return what two transformations share that make the same; `names` says what some inputs are called."""
    inputs = [names.get(each, each) for each in step.inputs]
    if OPERATORS[step.operator].commutative and step.settings.get("weights") is None:
        inputs.sort()
    return step.operator, tuple(inputs), canonical_json(dict(step.settings)), tuple(sorted(step.parameters.items()))


def _without(draft: Draft, renamed: dict[str, str]) -> Draft:
    """Return a draft in which the keys of a mapping are gone, and their values in their place."""
    if not renamed:
        return draft
    return draft.with_transformations((each for each in draft.graph.transformations if each.id not in renamed), renamed)


def regroup(draft: Draft) -> Draft:
    """Take the inputs of inner concatenations, sums and norms as the outer one's; remove those that do nothing."""
    consumers = draft.consumers()
    steps = draft.by_id()
    renamed: dict[str, str] = {}
    for old in draft.graph.transformations:
        if not OPERATORS[old.operator].associative:
            continue
        step = replace(old, inputs=tuple(renamed.get(each, each) for each in old.inputs))
        parts = [steps[each].inputs if _dissolves(steps, each, step, consumers) else (each,) for each in step.inputs]
        inputs = tuple(chain.from_iterable(parts))
        step = steps[step.id] = replace(step, inputs=inputs if len(inputs) <= MAX_INPUTS else step.inputs)
        if _is_identity(step) and not (step.inputs[0].startswith(COLUMN) and step.id in draft.graph.outputs.values()):
            renamed[step.id] = step.inputs[0]
    rewritten = tuple(steps[each.id] for each in draft.graph.transformations if each.id not in renamed)
    if rewritten == draft.graph.transformations:
        return draft
    return draft.with_transformations(rewritten, renamed)


def _dissolves(
    steps: dict[str, Transformation], id_: str, outer: Transformation, consumers: dict[str, list[str]]
) -> bool:
    """Return whether an input is grouped like the outer transformation, used by nothing else, and adds nothing."""
    inner = steps.get(id_)
    return (
        inner is not None
        and inner.operator == outer.operator
        and dict(inner.settings) == dict(outer.settings)
        and outer.settings.get("weights") is None
        and not inner.parameters
        and consumers[id_] == [outer.id]
    )


def _is_identity(step: Transformation) -> bool:
    return len(step.inputs) == 1 and not step.parameters and step.settings.get("weights") in (None, [1])
