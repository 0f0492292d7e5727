"""Compilation of logical plans to physical ones, and what executes them (docs/guides/pipelines.md).

`compile_plan` is pure and needs no kernels; `bind` makes an executable plan of what it returns.
"""

from walle.whitebox.compiling.answer_reading import Prediction
from walle.whitebox.compiling.binding import ExecutablePlan, ExecutableStage, Vectors
from walle.whitebox.compiling.compiler import compile_plan
from walle.whitebox.compiling.explain import executed_by, explain_physical
from walle.whitebox.compiling.lowering import OperatorUnsupported
from walle.whitebox.compiling.physical import PhysicalPlan, PhysicalStage
from walle.whitebox.compiling.records import Batch, RecordRefused
from walle.whitebox.compiling.reuse import Materialized, MaterializedStore, ReusingPlan

__all__ = [
    "Batch",
    "ExecutablePlan",
    "ExecutableStage",
    "Materialized",
    "MaterializedStore",
    "OperatorUnsupported",
    "PhysicalPlan",
    "PhysicalStage",
    "Prediction",
    "RecordRefused",
    "ReusingPlan",
    "Vectors",
    "compile_plan",
    "executed_by",
    "explain_physical",
]
