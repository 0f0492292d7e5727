"""The third step: less is computed, and in fewer stages."""

from __future__ import annotations

from typing import Final

from walle.whitebox.oven.fusing import fuse_featurizers, inline_single_transformations
from walle.whitebox.oven.pushing import delay_normalization, push_elementwise, push_linear
from walle.whitebox.oven.rules import Rule, Step
from walle.whitebox.oven.sharing import (
    merge_equal_stages,
    merge_equal_transformations,
    regroup,
    remove_dead_branches,
)

STAGE_OPTIMISATION: Final = Step(
    "stage optimisation",
    (
        Rule("remove dead branches", "what no output needs is gone", remove_dead_branches),
        Rule("merge equal stages", "stages that do the same with the same inputs are one", merge_equal_stages),
        Rule(
            "merge equal transformations",
            "transformations that do the same with the same inputs are one",
            merge_equal_transformations,
        ),
        Rule(
            "regroup", "concatenations of concatenations and sums of sums are one; those of one input are gone", regroup
        ),
        Rule(
            "push through concatenations",
            "what is done to each number by itself is done before the concatenation, on the way to a linear model",
            push_elementwise,
        ),
        Rule(
            "delay normalization",
            "the scores of a linear model are divided by the norm instead of a concatenation",
            delay_normalization,
        ),
        Rule(
            "push linear models",
            "a linear model of a concatenation is the sum of the models of its parts",
            push_linear,
        ),
        Rule("fuse featurizers", "what only one stage takes is made in it, in the same pass", fuse_featurizers),
        Rule(
            "inline single transformations",
            "a stage of one transformation becomes part of a stage beside it",
            inline_single_transformations,
        ),
    ),
)
