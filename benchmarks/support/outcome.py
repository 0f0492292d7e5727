"""The end of a benchmark: tables for people, then one line of JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import Any

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Target:
    """A figure and the bound it must keep."""

    figure: str
    at_least: float | None = None
    at_most: float | None = None

    def met(self, figures: Mapping[str, float]) -> bool:
        """Return whether the figure keeps the bound; NaN never does."""
        value = figures[self.figure]
        low, high = self.at_least, self.at_most
        return not isnan(value) and (low is None or value >= low) and (high is None or value <= high)

    def text(self) -> str:
        return f">= {self.at_least:g}" if self.at_least is not None else f"<= {self.at_most:g}"


def print_outcome(
    name: str,
    figures: Mapping[str, float],
    targets: Sequence[Target],
    *,
    judged: bool,
    scale: Mapping[str, float],
    stated_scale: Mapping[str, float],
    assumptions: Sequence[str],
    left_out: Sequence[str],
) -> bool:
    """Print scale, assumptions, targets and figures, last all of it as JSON; return whether all targets are met.

    No target is met in a run that is not `judged`.
    """
    console = Console(highlight=False, width=130)
    console.print(_scale_table(name, scale, stated_scale))
    for assumption in assumptions:
        console.print(f"assumed: {assumption}", markup=False)
    met = {target: judged and target.met(figures) for target in targets}
    table = Table("figure", "target", "measured", "met", title=f"{name}: targets")
    for target in targets:
        text = ("yes" if met[target] else "NO") if judged else "not judged"
        table.add_row(target.figure, target.text(), f"{figures[target.figure]:.4g}", text)
    console.print(table)
    if not judged:
        console.print(f"{name}: not judged: below the stated scale")
    result = {
        "benchmark": name,
        "scale": dict(scale),
        "stated_scale": dict(stated_scale),
        "judged": judged,
        "assumptions": list(assumptions),
        "figures": {figure: _number(value) for figure, value in figures.items()},
        "targets": {target.figure: target.text() for target in targets},
        "met": all(met.values()),
        "left_out": list(left_out),
    }
    print(json.dumps(result, allow_nan=False))
    return all(met.values())


def _scale_table(name: str, scale: Mapping[str, float], stated: Mapping[str, float]) -> Table:
    table = Table("dimension", "this run", "stated", title=f"{name}: scale")
    for dimension, amount in scale.items():
        table.add_row(dimension, f"{amount:,.10g}", f"{stated[dimension]:,.10g}")
    return table


def _number(value: Any) -> float | None:
    """Return a number as JSON can represent it: None for one that is not finite."""
    return round(float(value), 4) if isfinite(value) else None
