"""How a benchmark ends: a table for people, then one line of JSON for machines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Target:
    """A figure and the bound it must keep."""

    figure: str
    at_least: float | None = None
    at_most: float | None = None

    def met(self, figures: Mapping[str, float]) -> bool:
        value = figures[self.figure]
        return (self.at_least is None or value >= self.at_least) and (self.at_most is None or value <= self.at_most)

    def text(self) -> str:
        return f">= {self.at_least:g}" if self.at_least is not None else f"<= {self.at_most:g}"


def print_outcome(name: str, figures: Mapping[str, float], targets: list[Target]) -> bool:
    """Prints what was asked for beside what was measured, and last all of it as a line of JSON; whether all is met."""
    console = Console()
    table = Table("figure", "target", "measured", "met", title=f"{name}: targets")
    for target in targets:
        met = "yes" if target.met(figures) else "NO"
        table.add_row(target.figure, target.text(), f"{figures[target.figure]:.4g}", met)
    console.print(table)
    met = all(target.met(figures) for target in targets)
    result = {
        "benchmark": name,
        "figures": {figure: round(value, 4) for figure, value in figures.items()},
        "targets": {target.figure: target.text() for target in targets},
        "met": met,
    }
    print(json.dumps(result))
    return met
