"""The optimiser: the four steps in their order."""

from __future__ import annotations

from typing import Final

from walle.whitebox.archive.document import Statistics
from walle.whitebox.graph import Graph
from walle.whitebox.oven.draft import Draft
from walle.whitebox.oven.input_validation import INPUT_VALIDATION
from walle.whitebox.oven.output_validation import OUTPUT_VALIDATION
from walle.whitebox.oven.plan import LogicalPlan, plan_of
from walle.whitebox.oven.rules import Application, Step
from walle.whitebox.oven.stage_building import STAGE_BUILDING
from walle.whitebox.oven.stage_optimisation import STAGE_OPTIMISATION

STEPS: Final[tuple[Step, ...]] = (INPUT_VALIDATION, STAGE_BUILDING, STAGE_OPTIMISATION, OUTPUT_VALIDATION)


def optimise(graph: Graph, statistics: Statistics | None = None) -> LogicalPlan:
    """Return the logical plan of a pipeline. Raises GraphMalformed for a graph that is none."""
    draft, trace = Draft(graph, statistics or Statistics()), list[Application]()
    for step in STEPS:
        draft, applications = step.run(draft)
        trace.extend(applications)
    return plan_of(draft, tuple(trace))
