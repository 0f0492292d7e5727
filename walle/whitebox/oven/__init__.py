"""The oven: from a graph of transformations to a plan of stages, by rules (section 4.2.2 of the thesis).

Four steps follow each other, each a list of rules that are applied until none changes anything:

1. input validation (`walle.whitebox.oven.input_validation`),
2. stage building (`walle.whitebox.oven.stage_building`),
3. stage optimisation (`walle.whitebox.oven.stage_optimisation`),
4. output validation (`walle.whitebox.oven.output_validation`).

What the rules rewrite is a draft (`walle.whitebox.oven.draft`), whose spec is checked whenever one has changed it.
"""

from walle.whitebox.oven.cascading import plan_archive
from walle.whitebox.oven.explain import explain_json, explain_svg, explain_text
from walle.whitebox.oven.optimiser import STEPS, optimise
from walle.whitebox.oven.plan import LogicalCascade, LogicalPlan, LogicalStage
from walle.whitebox.oven.rules import Application, Rule, Step

__all__ = [
    "STEPS",
    "Application",
    "LogicalCascade",
    "LogicalPlan",
    "LogicalStage",
    "Rule",
    "Step",
    "explain_json",
    "explain_svg",
    "explain_text",
    "optimise",
    "plan_archive",
]
