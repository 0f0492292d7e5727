"""A mixed-integer linear program under construction: variables, rows and costs, to be minimised."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from walle.placement.exact.library import load_solver, new_solver

_FINEST: Final = 1e-10
"""How far the solver may miss a row: less than plans may miss their constraints (`walle.placement.evaluation`)."""
Terms: TypeAlias = Iterable[tuple[int, float]]
"""A linear expression: variables, by number, and their coefficients; a variable may come several times."""


@dataclass
class LinearProgram:
    """Variables are numbered in the order in which they are made; every row is `lower <= expression <= upper`."""

    costs: list[float] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    integer: list[bool] = field(default_factory=list)
    rows: list[dict[int, float]] = field(default_factory=list)
    row_lower: list[float] = field(default_factory=list)
    row_upper: list[float] = field(default_factory=list)

    def variable(self, upper: float = 1.0, *, cost: float = 0.0, integer: bool = False) -> int:
        """Add a variable between 0 and `upper`, and return its number."""
        self.costs.append(cost)
        self.lower.append(0.0)
        self.upper.append(upper)
        self.integer.append(integer)
        return len(self.costs) - 1

    def row(self, terms: Terms, lower: float = -math.inf, upper: float = math.inf) -> None:
        """Add a row."""
        summed: dict[int, float] = {}
        for variable, coefficient in terms:
            summed[variable] = summed.get(variable, 0.0) + coefficient
        self.rows.append({variable: coefficient for variable, coefficient in summed.items() if coefficient})
        self.row_lower.append(lower)
        self.row_upper.append(upper)

    def equal(self, terms: Terms, value: float = 0.0) -> None:
        """Add a row that fixes an expression."""
        self.row(terms, value, value)

    def objective(self, values: Mapping[int, float]) -> float:
        """Return the cost of the values of variables; those that are missing are 0."""
        return math.fsum(self.costs[variable] * value for variable, value in values.items())

    def solver(self) -> Any:
        """Return HiGHS with this program, silent and single-threaded. Raises SolverMissing without HiGHS."""
        highspy = load_solver()
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = len(self.costs), len(self.rows)
        model.col_cost_, model.col_lower_, model.col_upper_ = self.costs, self.lower, self.upper
        model.row_lower_ = [_bound(each, highspy.kHighsInf) for each in self.row_lower]
        model.row_upper_ = [_bound(each, highspy.kHighsInf) for each in self.row_upper]
        kinds = highspy.HighsVarType
        model.integrality_ = [kinds.kInteger if each else kinds.kContinuous for each in self.integer]
        starts = [0]
        for row in self.rows:
            starts.append(starts[-1] + len(row))
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = starts
        model.a_matrix_.index_ = [variable for row in self.rows for variable in row]
        model.a_matrix_.value_ = [coefficient for row in self.rows for coefficient in row.values()]
        solver = new_solver()
        solver.setOptionValue("threads", 1)
        solver.setOptionValue("parallel", "off")
        solver.setOptionValue("primal_feasibility_tolerance", _FINEST)
        solver.setOptionValue("mip_feasibility_tolerance", 10 * _FINEST)
        solver.passModel(model)
        return solver


def _bound(value: float, infinity: float) -> float:
    return math.copysign(infinity, value) if math.isinf(value) else value
