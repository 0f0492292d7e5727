"""The first step: what operators make of what they get, whether that is what they take, and whether a model is there.

Input validation refuses a graph with GraphMalformed; all other steps work with graphs that passed it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from walle.schema import Problems
from walle.whitebox.graph import GraphMalformed, check_outputs, propagate
from walle.whitebox.oven.draft import Draft
from walle.whitebox.oven.rules import Rule, Step


def propagate_schema(draft: Draft) -> Draft:
    """Write down what each column and transformation makes, as far as that can be told."""
    types, _ = propagate(draft.graph, Problems())
    return replace(draft, types=types)


def validate_schema(draft: Draft) -> Draft:
    """Refuse transformations with other settings, parameters or inputs than their operators take."""
    problems = Problems()
    propagate(draft.graph, problems)
    return _unless(problems, draft)


def validate_graph(draft: Draft) -> Draft:
    """Refuse a graph without outputs, or with outputs that are not what they are called."""
    problems = Problems()
    check_outputs(draft.graph, draft.types, set(draft.types), problems)
    return _unless(problems, draft)


def _unless(problems: Problems, draft: Draft) -> Draft:
    if problems.found:
        raise GraphMalformed(problems.all)
    return draft


INPUT_VALIDATION: Final = Step(
    "input validation",
    (
        Rule("propagate schema", "types go from the columns to the outputs", propagate_schema),
        Rule("validate schema", "each transformation gets what its operator takes", validate_schema),
        Rule("validate graph", "outputs are there, and are what they are called", validate_graph),
    ),
    checked=False,
)
