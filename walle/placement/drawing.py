"""A plan drawn over the tiers, as text and as SVG: which workers serve what, how busy they are, and what is sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final, TypeAlias

from walle.placement.evaluation import Evaluation, evaluate, loads_of, traffic
from walle.placement.problem.model import PlacementPlan, PlacementProblem

_BOX_WIDTH: Final = 230
_LINE: Final = 16
_GAP_X: Final = 60
_GAP_Y: Final = 30
_LEFT: Final = 90
_STYLE: Final = (
    "text{font:12px sans-serif;fill:#1f2933}.tier{font-weight:bold}.lane{fill:#f4f6f8}"
    ".box{fill:#fff;stroke:#52606d}.edge{stroke:#2563eb;fill:none}.small{font-size:10px;fill:#52606d}"
)


@dataclass(frozen=True, slots=True)
class _TierPart:
    """The part of an operator on one tier: its title and a line for each worker."""

    operator: str
    tier: int
    title: str
    lines: tuple[str, ...]


_Corners: TypeAlias = dict[tuple[str, int], tuple[int, int]]
"""The left upper corner of each part, by operator and tier."""


def plan_text(problem: PlacementProblem, plan: PlacementPlan) -> str:
    """Return a plan over the tiers as lines of text, the highest tier first, and what edges carry between tiers."""
    tiers = problem.infrastructure.tiers
    parts = list(_parts(problem, plan, evaluate(problem, plan)))
    width = max(map(len, tiers)) + 2
    lines: list[str] = []
    for tier in reversed(range(len(tiers))):
        here = [part for part in parts if part.tier == tier]
        rows = [row for part in here for row in (part.title, *(f"  {line}" for line in part.lines))] or ["no worker"]
        lines += [f"{tiers[tier] if index == 0 else '':<{width}}│ {row}" for index, row in enumerate(rows)]
        lines.append("─" * width + "┼" + "─" * 40)
    source = tiers[problem.infrastructure.network.source_tier]
    rates = ", ".join(f"{name} {problem.rates[name]:g}/s" for name in problem.workflow.sources)
    lines.append(f"{'':<{width}}│ sources at {source}: {rates}")
    return "\n".join([*lines, "", *_flows(problem, plan)])


def _parts(problem: PlacementProblem, plan: PlacementPlan, evaluation: Evaluation) -> Iterator[_TierPart]:
    loads, workers = loads_of(problem, plan), problem.infrastructure.by_id
    for name in problem.workflow.order:
        for tier in range(len(problem.infrastructure.tiers)):
            ids = [each for each in plan.workers[name] if workers[each].tier == tier]
            if not ids:
                continue
            share = sum(loads[name][each] for each in ids)
            part = "" if len(ids) == len(plan.workers[name]) else f", {share:.0%} of its load"
            lines = (f"{each} ({workers[each].type}) {evaluation.utilisation[each]:.0%} busy" for each in ids)
            yield _TierPart(name, tier, f"{name}: {plan.models[name]}{part}", tuple(lines))


def _flows(problem: PlacementProblem, plan: PlacementPlan) -> Iterator[str]:
    tiers = problem.infrastructure.tiers
    for each in traffic(problem, plan):
        where = tiers[each.sender] if each.sender == each.receiver else f"{tiers[each.sender]} → {tiers[each.receiver]}"
        paid = f", {each.usd:.3f} USD/h" if each.usd else ""
        yield f"{each.edge.source} → {each.edge.target}: {each.gb:.3g} GB/h, {where}{paid}"


def plan_svg(problem: PlacementProblem, plan: PlacementPlan) -> str:
    """Return a plan over the tiers as an SVG document: lanes are tiers, columns the steps from the sources."""
    parts = list(_parts(problem, plan, evaluate(problem, plan)))
    steps = _steps(problem)
    heights = {tier: _lane_height(parts, tier, steps) for tier in range(len(problem.infrastructure.tiers))}
    tops: dict[int, int] = {}
    bottom = 10
    for tier in reversed(range(len(problem.infrastructure.tiers))):
        tops[tier] = bottom
        bottom += heights[tier] + 10
    width = _LEFT + (max(steps.values()) + 1) * (_BOX_WIDTH + _GAP_X)
    boxes = _placed(parts, steps, tops)
    drawn = [
        *(
            f'<rect class="lane" x="5" y="{tops[tier]}" width="{width - 10}" height="{heights[tier]}" rx="6"/>'
            f'<text class="tier" x="14" y="{tops[tier] + 20}">{escape(name)}</text>'
            for tier, name in enumerate(problem.infrastructure.tiers)
        ),
        *_svg_edges(problem, plan, boxes, tops),
        *(_svg_box(part, *boxes[part.operator, part.tier]) for part in parts),
    ]
    size = f'width="{width}" height="{bottom}" viewBox="0 0 {width} {bottom}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{_STYLE}</style>{"".join(drawn)}</svg>\n'


def _steps(problem: PlacementProblem) -> dict[str, int]:
    """Return how many operators stand before each operator on the longest way from a source."""
    found: dict[str, int] = {}
    for name in problem.workflow.order:
        found[name] = max((found[each] + 1 for each in problem.workflow.by_name[name].inputs), default=0)
    return found


def _height(part: _TierPart) -> int:
    return (len(part.lines) + 1) * _LINE + 12


def _columns(parts: list[_TierPart], tier: int, steps: dict[str, int]) -> dict[int, list[_TierPart]]:
    columns: dict[int, list[_TierPart]] = {}
    for part in parts:
        if part.tier == tier:
            columns.setdefault(steps[part.operator], []).append(part)
    return columns


def _lane_height(parts: list[_TierPart], tier: int, steps: dict[str, int]) -> int:
    columns = _columns(parts, tier, steps).values()
    return max((sum(_height(part) + _GAP_Y for part in column) for column in columns), default=_LINE) + _GAP_Y


def _placed(
    parts: list[_TierPart], steps: dict[str, int], tops: dict[int, int]
) -> dict[tuple[str, int], tuple[int, int]]:
    """Return the left upper corner of each part's box."""
    found: _Corners = {}
    for tier, top in tops.items():
        for step, column in _columns(parts, tier, steps).items():
            y = top + _GAP_Y
            for part in column:
                found[part.operator, tier] = _LEFT + step * (_BOX_WIDTH + _GAP_X), y
                y += _height(part) + _GAP_Y
    return found


def _svg_box(part: _TierPart, x: int, y: int) -> str:
    lines = "".join(
        f'<text class="small" x="{x + 8}" y="{y + 18 + _LINE * index}">{escape(line)}</text>'
        for index, line in enumerate(part.lines, 1)
    )
    return (
        f'<rect class="box" x="{x}" y="{y}" width="{_BOX_WIDTH}" height="{_height(part)}" rx="4"/>'
        f'<text x="{x + 8}" y="{y + 18}">{escape(part.title)}</text>{lines}'
    )


def _svg_edges(
    problem: PlacementProblem,
    plan: PlacementPlan,
    boxes: _Corners,
    tops: dict[int, int],
) -> Iterator[str]:
    for each in traffic(problem, plan):
        x2, y2 = boxes[each.edge.target, each.receiver]
        start = boxes.get((each.edge.source, each.sender))
        x1, y1 = (start[0] + _BOX_WIDTH, start[1] + 14) if start else (10, tops[each.sender] + 40)
        y2 += 14
        title = escape(f"{each.edge.source} → {each.edge.target}: {each.gb:.3g} GB/h, {each.usd:.3f} USD/h")
        bend = (x1 + x2) // 2
        yield (
            f'<path class="edge" d="M{x1},{y1} C{bend},{y1} {bend},{y2} {x2},{y2}"><title>{title}</title></path>'
            f'<text class="small" x="{bend - 18}" y="{(y1 + y2) // 2 - 3}">{each.gb:.3g} GB/h</text>'
        )
