"""What the oven made of a pipeline, and why: as text, as JSON, and as a drawing in SVG.

A drawing has a box for the columns, one for each stage, and one for the outputs, in rows from the columns down; each
box has a line for each transformation. What compiling adds is one text for each stage, by its id: how it is executed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from walle.whitebox.graph import COLUMN, Transformation
from walle.whitebox.operators import OPERATORS
from walle.whitebox.oven.plan import LogicalPlan, LogicalStage

_LETTER: Final = 7.3
"""The width of a letter in pixels, at a size of 12."""
_LINE: Final = 18
_PAD: Final = 10
_GAP: Final = 36


def explain_text(plan: LogicalPlan, physical: Mapping[str, str] | None = None) -> str:
    """Return a plan in lines of plain text: its stages, then the rules that led to them."""
    lines = [f"columns: {', '.join(f'{each.name} ({each.type})' for each in plan.columns)}", ""]
    for stage in plan.stages:
        lines.append(f"{stage.id}: inputs {', '.join(map(_short, stage.inputs))}; outputs {', '.join(stage.outputs)}")
        lines += [f"    {each}" for each in _lines(stage)]
        if physical and stage.id in physical:
            lines.append(f"    executed by {physical[stage.id]}")
        lines.append("")
    lines += [f"{name}: {each}" for name, each in plan.outputs.items()]
    if plan.classes:
        lines.append(f"classes: {', '.join(map(str, plan.classes))}")
    return "\n".join([*lines, "", *_trace_lines(plan)]) + "\n"


def _short(id_: str) -> str:
    return id_.removeprefix(COLUMN)


def _lines(stage: LogicalStage) -> Iterator[str]:
    """Yield a line for each transformation: what it makes of what, its settings, its type and labels."""
    for step in stage.transformations:
        label = " (vectorized)" if step.id in stage.vectorizable else ""
        yield f"{step.id} = {_call(step)} -> {stage.types[step.id]}{label}"


def _call(step: Transformation) -> str:
    settings = [f"{name}={value!r}" for name, value in step.settings.items() if value is not None]
    parts = [
        f"{name}[{each.start}:{each.start + each.part[-1]}]"
        for name, each in step.parameters.items()
        if each.part != each.shape
    ]
    few = [_short(each) for each in step.inputs[:6]]
    more = [f"... {len(step.inputs) - 6} more"] if len(step.inputs) > 6 else []
    return f"{step.operator}({', '.join([*few, *more, *settings, *parts])})"


def _trace_lines(plan: LogicalPlan) -> Iterator[str]:
    yield "rules that were applied:"
    for each in plan.trace:
        yield f"  {each.step}: {each.rule}"
        yield from (f"    - {line}" for line in each.before)
        yield from (f"    + {line}" for line in each.after)


def explain_json(plan: LogicalPlan, physical: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return a plan as JSON data: columns, stages with their transformations, outputs, rules, and a drawing.

    The drawing has boxes with their place and size in pixels and their lines, and edges between boxes by id.
    """
    return {
        "columns": [{"name": each.name, "type": each.type} for each in plan.columns],
        "stages": [_stage_json(each, physical or {}) for each in plan.stages],
        "outputs": dict(plan.outputs),
        "classes": list(plan.classes),
        "rules": [
            {"step": each.step, "rule": each.rule, "before": list(each.before), "after": list(each.after)}
            for each in plan.trace
        ],
        "drawing": draw(plan, physical or {}),
    }


def _stage_json(stage: LogicalStage, physical: Mapping[str, str]) -> dict[str, Any]:
    return {
        "id": stage.id,
        "identity": stage.identity,
        "inputs": list(stage.inputs),
        "outputs": list(stage.outputs),
        "physical": physical.get(stage.id),
        "transformations": [_transformation_json(each, stage) for each in stage.transformations],
    }


def _transformation_json(step: Transformation, stage: LogicalStage) -> dict[str, Any]:
    operator = OPERATORS[step.operator]
    return {
        "id": step.id,
        "operator": step.operator,
        "words": operator.words,
        "flow": operator.flow,
        "bound": operator.bound,
        "breaks": operator.breaks,
        "inputs": list(step.inputs),
        "settings": dict(step.settings),
        "type": str(stage.types[step.id]),
        "sparse": step.id in stage.sparse,
        "vectorizable": step.id in stage.vectorizable,
        "identity": stage.identities[step.id],
        "parameters": {
            name: {"digest": each.digest, "shape": list(each.part), "bytes": each.bytes, "start": each.start}
            for name, each in step.parameters.items()
        },
    }


def draw(plan: LogicalPlan, physical: Mapping[str, str]) -> dict[str, Any]:
    """Return a drawing of a plan: `width` and `height`, `boxes` and `edges`."""
    executed = {id_: [f"executed by {words}"] for id_, words in physical.items()}
    contents = {
        "columns": [f"{each.name}: {each.type}" for each in plan.columns],
        **{stage.id: [*_lines(stage), *executed.get(stage.id, ())] for stage in plan.stages},
        "outputs": [f"{name} = {each}" for name, each in plan.outputs.items()],
    }
    edges = list(_edges(plan))
    rows = _rows(contents, edges)
    boxes, top, width = list[dict[str, Any]](), _PAD, 0.0
    for row in rows:
        left, height = float(_PAD), 0
        for id_ in row:
            lines = _shortened(contents[id_])
            box = {"id": id_, "x": left, "y": top, "lines": lines, **_measure([id_, *lines])}
            boxes.append(box)
            left, height = left + box["width"] + _GAP, max(height, box["height"])
        top, width = top + height + _GAP, max(width, left)
    return {"width": round(width), "height": top, "boxes": boxes, "edges": [list(each) for each in edges]}


def _shortened(lines: Sequence[str]) -> list[str]:
    short = [each if len(each) <= 110 else f"{each[:107]}..." for each in lines]
    return short if len(short) <= 40 else [*short[:39], f"... {len(short) - 39} more"]


def _measure(lines: Sequence[str]) -> dict[str, Any]:
    return {"width": round(max(map(len, lines)) * _LETTER + 2 * _PAD), "height": len(lines) * _LINE + _PAD}


def _edges(plan: LogicalPlan) -> Iterator[tuple[str, str]]:
    """Yield which box takes from which, each pair once."""
    maker = {each: stage.id for stage in plan.stages for each in stage.outputs}
    for stage in plan.stages:
        for each in dict.fromkeys(maker.get(id_, "columns") for id_ in stage.inputs):
            yield each, stage.id
    for each in dict.fromkeys(maker[id_] for id_ in plan.outputs.values()):
        yield each, "outputs"


def _rows(boxes: Mapping[str, object], edges: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Return boxes, given in an order in which each stands behind those it takes from, in rows below those."""
    row = dict.fromkeys(boxes, 0)
    for box in boxes:
        row[box] = max((row[start] + 1 for start, end in edges if end == box), default=0)
    return [[box for box in boxes if row[box] == index] for index in range(max(row.values()) + 1)]


def explain_svg(plan: LogicalPlan, physical: Mapping[str, str] | None = None) -> str:
    """Return the drawing of a plan as an SVG document."""
    drawing = draw(plan, physical or {})
    places = {each["id"]: each for each in drawing["boxes"]}
    size = f'width="{drawing["width"]}" height="{drawing["height"]}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="Plan of a pipeline"'
        ' font-family="monospace" font-size="12">',
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs>',
        *(_edge_svg(places[start], places[end]) for start, end in drawing["edges"]),
        *(_box_svg(each) for each in drawing["boxes"]),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _edge_svg(start: Mapping[str, Any], end: Mapping[str, Any]) -> str:
    x1, y1 = start["x"] + start["width"] / 2, start["y"] + start["height"]
    x2, y2 = end["x"] + end["width"] / 2, end["y"]
    bend = (y2 - y1) / 2
    way = f"M{x1:g} {y1:g} C{x1:g} {y1 + bend:g} {x2:g} {y2 - bend:g} {x2:g} {y2:g}"
    return f'<path d={quoteattr(way)} fill="none" stroke="#555" marker-end="url(#arrow)"/>'


def _box_svg(box: Mapping[str, Any]) -> str:
    frame = f'x="{box["x"]:g}" y="{box["y"]:g}" width="{box["width"]}" height="{box["height"]}"'
    x, y = box["x"] + _PAD, box["y"] + _LINE
    lines = [f'<text x="{x:g}" y="{y + _LINE * at:g}">{escape(line)}</text>' for at, line in enumerate(box["lines"], 1)]
    title = f'<text x="{x:g}" y="{y:g}" font-weight="bold">{escape(box["id"])}</text>'
    return "\n".join([f'<rect {frame} rx="4" fill="#fff" stroke="#333"/>', title, *lines])
