"""From the cells of a simulation to its verdict: it passes only if something was tested and nothing failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

MAX_LISTED: Final = 20
NOT_BEGUN: Final = "nothing was tested: the simulation has no cells"


@dataclass(frozen=True)
class CellSummary:
    """A cell as the verdict sees it: by what name, in which state (`pending`, or as in a CellReport), and why."""

    name: str
    state: str
    sentence: str = ""


@dataclass(frozen=True)
class SimulationVerdict:
    """`pending` until every cell is done. `summary` is evidence as JSON data."""

    kind: Literal["pending", "pass", "fail", "error"]
    sentence: str
    summary: dict[str, Any] = field(default_factory=dict)


def judge(cells: Sequence[CellSummary]) -> SimulationVerdict:
    """What a simulation says of a release. A failure counts as one whatever else could not be tested."""
    by_state = Counter(cell.state for cell in cells)
    failed = [cell for cell in cells if cell.state == "failed"]
    unclear = [cell for cell in cells if cell.state not in ("pending", "passed", "failed", "excluded")]
    summary = {"cells": dict(sorted(by_state.items())), "reasons": _reasons([*failed, *unclear])}
    if by_state["pending"]:
        done = len(cells) - by_state["pending"]
        return SimulationVerdict("pending", f"{done} of {_counted(len(cells))} done", summary)
    if failed:
        sentence = f"{len(failed)} of {_counted(len(cells))} failed: {_first(failed)}"
        return SimulationVerdict("fail", sentence, summary)
    if unclear:
        sentence = f"{len(unclear)} of {_counted(len(cells))} could not be tested: {_first(unclear)}"
        return SimulationVerdict("error", sentence, summary)
    if not by_state["passed"]:
        return SimulationVerdict("error", _nothing_tested(cells), summary)
    excluded = f", {by_state['excluded']} excluded by the task's requirements" if by_state["excluded"] else ""
    return SimulationVerdict("pass", f"{_counted(by_state['passed'])} passed{excluded}", summary)


def _nothing_tested(cells: Sequence[CellSummary]) -> str:
    if not cells:
        return NOT_BEGUN
    return f"nothing was tested: no device that the release can reach would install the task; {_first(cells)}"


def _counted(number: int) -> str:
    return f"{number} cell" if number == 1 else f"{number} cells"


def _first(cells: Sequence[CellSummary]) -> str:
    return ": ".join(part for part in (cells[0].name, cells[0].sentence) if part)


def _reasons(cells: Iterable[CellSummary]) -> dict[str, str]:
    """The reason of each cell that does not pass, of the first MAX_LISTED."""
    return {cell.name: cell.sentence for cell in list(cells)[:MAX_LISTED]}
