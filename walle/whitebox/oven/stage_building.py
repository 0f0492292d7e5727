"""The second step: transformations are put into stages, each of which goes over a record once."""

from __future__ import annotations

from typing import Final

from walle.whitebox.graph import COLUMN
from walle.whitebox.operators import OPERATORS
from walle.whitebox.oven.draft import Draft
from walle.whitebox.oven.rules import Rule, Step
from walle.whitebox.oven.stages import stands_alone


def break_into_stages(draft: Draft) -> Draft:
    """Go down from the columns; a stage ends behind a pipeline breaker, where branches part, and where they meet."""
    if draft.stages:
        return draft
    consumers, steps = draft.consumers(), draft.by_id()
    stages: list[list[str]] = []
    stage_of: dict[str, list[str]] = {}
    for step in draft.graph.transformations:
        (first, *others) = step.inputs
        goes_on = (
            not others
            and not first.startswith(COLUMN)
            and not OPERATORS[steps[first].operator].breaks
            and len(consumers[first]) == 1
        )
        if not goes_on:
            stages.append([])
        stage_of[step.id] = stage_of[first] if goes_on else stages[-1]
        stage_of[step.id].append(step.id)
    return draft.with_stages(stages)


def separate_compute_bound(draft: Draft) -> Draft:
    """Give each transformation that is executed by itself a stage of its own, and what follows it another."""
    steps = draft.by_id()
    stages: list[list[str]] = []
    for stage in draft.stages:
        stages.append([])
        for id_ in stage:
            alone = stands_alone(draft, steps[id_])
            if alone and stages[-1]:
                stages.append([])
            stages[-1].append(id_)
            if alone and id_ != stage[-1]:
                stages.append([])
    return draft if len(stages) == len(draft.stages) else draft.with_stages(stages)


STAGE_BUILDING: Final = Step(
    "stage building",
    (
        Rule(
            "break into stages",
            "a stage ends behind a pipeline breaker, where branches part and where they meet",
            break_into_stages,
        ),
        Rule(
            "separate compute-bound transformations",
            "what is limited by computing is executed one at a time, the rest in one pass",
            separate_compute_bound,
        ),
    ),
)
