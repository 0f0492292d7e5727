"""The operators of transformations by family: settings, parameters, annotations and types. No data is touched here.

docs/pipeline-format.md says what each computes; the tests compute it plainly, record by record.
"""

from typing import Final

from walle.whitebox.operators.categories import CATEGORY_OPERATORS
from walle.whitebox.operators.combining import COMBINING_OPERATORS
from walle.whitebox.operators.models import MODEL_OPERATORS
from walle.whitebox.operators.numbers import NUMBER_OPERATORS
from walle.whitebox.operators.operator import Bound, Call, Flow, Operator, ParameterSpec
from walle.whitebox.operators.scores import SCORE_OPERATORS
from walle.whitebox.operators.text import TEXT_OPERATORS

OPERATORS: Final[dict[str, Operator]] = {
    each.name: each
    for each in (
        *TEXT_OPERATORS,
        *CATEGORY_OPERATORS,
        *COMBINING_OPERATORS,
        *NUMBER_OPERATORS,
        *MODEL_OPERATORS,
        *SCORE_OPERATORS,
    )
}
"""All operators by name."""

__all__ = ["OPERATORS", "Bound", "Call", "Flow", "Operator", "ParameterSpec"]
