"""The explanation of a planned graph as a drawing in SVG: the memory over time, and a column for each step.

A column lists nodes from the top down, in the colour of their group. A part that is repeated is listed once, in a frame
with how often it comes. An arc on the left joins a node to one that reads it and does not come right behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from xml.sax.saxutils import escape

from walle.tensor.collapsing import Part, collapsed
from walle.tensor.explaining import GROUPS
from walle.tensor.explaining_text import amount, signature

MAX_ROWS: Final = 600
"""The most nodes of a column; of further ones only the number is drawn."""
MAX_ARCS: Final = 400
MAX_VALUES: Final = 3000
"""The most values whose memory is drawn, the largest ones."""
_LINE: Final = 16
_COLUMN: Final = 400
_ARCS: Final = 52
"""The width beside a column's nodes in which arcs are drawn."""
_LEFT: Final = 16
_MEMORY_TOP: Final = 62
_MEMORY_HEIGHT: Final = 260
_STEPS_TOP: Final = _MEMORY_TOP + _MEMORY_HEIGHT + 50
_LETTERS: Final = 52
_COLOURS: Final = {
    "composite": "#8250df",
    "transform": "#0969da",
    "atomic": "#1a7f37",
    "raster": "#bc4c00",
    "view": "#8c959f",
    "control flow": "#cf222e",
}
_STYLE: Final = (
    "text{font:11px monospace;fill:#1f2328}.step{font:bold 14px sans-serif}.note{font:11px sans-serif;fill:#59636e}"
    ".frame{fill:#f6f8fa;stroke:#d1d9e0}.arc{fill:none;stroke:#8c959f}.value{stroke:#fff;stroke-width:.5}"
)
_UNDRAWABLE: Final = re.compile(r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd]")


@dataclass(frozen=True, slots=True)
class _Row:
    """A node of a column and how far it lies below the column's first one."""

    node: Mapping[str, Any]
    y: int


def explanation_svg(found: Mapping[str, Any]) -> str:
    """Return the drawing of an explanation (`walle.tensor.explaining`) as an SVG document."""
    columns = [_column(step, _LEFT + at * _COLUMN) for at, step in enumerate(found["steps"])]
    height = max(end for end, _ in columns) + _LEFT
    width = 2 * _LEFT + len(columns) * _COLUMN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img"'
        f' aria-label="Planning of a graph"><style>{_STYLE}</style><rect width="100%" height="100%" fill="#fff"/>',
        *_legend(found),
        *_memory(found["memory"], width - 2 * _LEFT),
        *(line for _, lines in columns for line in lines),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _legend(found: Mapping[str, Any]) -> Iterator[str]:
    yield _text(_LEFT, 20, found["name"], "step")
    x = _LEFT
    for group in GROUPS:
        yield f'<rect x="{x}" y="29" width="10" height="10" fill="{_COLOURS[group]}"/>'
        yield _text(x + 14, 38, group, "note")
        x += 24 + 7 * len(group)


def _column(step: Mapping[str, Any], x: int) -> tuple[int, list[str]]:
    """Return how far down a column reaches, and what it is drawn with."""
    nodes = step["nodes"]
    groups = ", ".join(f"{count} {group}" for group, count in step["groups"].items() if count)
    lines = [
        _text(x, _STEPS_TOP, step["step"], "step"),
        _text(x, _STEPS_TOP + 14, f"{len(nodes)} nodes: {groups}", "note"),
        _text(x, _STEPS_TOP + 28, f"{amount(step['flops'], 'FLOP')}, {amount(step['bytes'], 'B')} moved", "note"),
    ]
    y, rows = _STEPS_TOP + 38, list[_Row]()
    parts = collapsed([signature(node) for node in nodes])
    for part in parts:
        shown = min(part.length, MAX_ROWS - len(rows))
        if part.times > 1:
            lines.append(_frame(x + _ARCS - 5, y, shown, part.times))
            y += _LINE
        for node in nodes[part.begin : part.begin + shown]:
            rows.append(_Row(node, y))
            lines.append(_node(node, x + _ARCS, y))
            y += _LINE
        if shown < part.length:
            lines.append(_text(x + _ARCS, y + 12, f"... {len(nodes) - part.begin - shown} more nodes", "note"))
            y += _LINE
            break
        y += 6
    return y, [*lines, *_arcs(nodes, parts, rows, x + _ARCS - 6)]


def _frame(x: int, y: int, rows: int, times: int) -> str:
    height = (rows + 1) * _LINE + 2
    frame = f'<rect class="frame" x="{x}" y="{y}" width="{_COLUMN - _ARCS - 10}" height="{height}" rx="4"/>'
    return frame + _text(x + 5, y + 12, f"{times} times", "note")


def _node(node: Mapping[str, Any], x: int, y: int) -> str:
    kind = "view" if node["group"] == "view" else node["operator"]
    regions = f" ({node['regions']} regions)" if node["regions"] > 1 else ""
    cost = amount(node["flops"], "FLOP") if node["flops"] else ""
    shape = node["types"][0].removeprefix("float32")
    hint = f"{node['name']}: {', '.join(node['types'])}, {node['flops']} FLOP, {node['bytes']} bytes"
    return (
        f'<g><title>{_safe(hint, 400)}</title><rect x="{x}" y="{y + 4}" width="8" height="8" '
        f'fill="{_COLOURS[node["group"]]}"/>{_text(x + 14, y + 12, f"{kind}{regions} {shape} {cost}")}</g>'
    )


def _arcs(nodes: Sequence[Mapping[str, Any]], parts: Sequence[Part], rows: Sequence[_Row], x: int) -> Iterator[str]:
    """Yield an arc from each drawn node to the drawn ones that read it, unless they come right behind it."""
    drawn = {row.node["name"]: row.y for row in rows}
    row_of: dict[str, int] = {}
    for part in parts:
        for at in range(part.begin, part.end):
            node, like = nodes[at], nodes[part.begin + (at - part.begin) % part.length]
            if like["name"] in drawn:
                row_of |= dict.fromkeys(node["outputs"], drawn[like["name"]])
    pairs = {
        (row_of[name], row.y)
        for row in rows
        for name in row.node["inputs"]
        if name in row_of and row.y - row_of[name] > _LINE + 6
    }
    for begin, end in sorted(pairs, key=lambda pair: pair[1] - pair[0])[:MAX_ARCS]:
        reach = min(_ARCS - 12, 8 + (end - begin) // 8)
        y1, y2 = begin + 10, end + 6
        yield f'<path class="arc" d="M{x} {y1} C{x - reach} {y1} {x - reach} {y2} {x} {y2}"/>'


def _memory(memory: Mapping[str, Any], width: int) -> Iterator[str]:
    """Yield the memory: steps from left to right, addresses from the bottom up, a box for each value."""
    planned, naive, steps = memory["planned"], memory["naive"], memory["steps"] + 2
    words = (
        f"{amount(planned, 'B')} planned, {amount(naive, 'B')} without sharing, {amount(memory['least'], 'B')} at least"
    )
    yield _text(_LEFT, _MEMORY_TOP, "memory", "step")
    yield _text(_LEFT + 70, _MEMORY_TOP, f"{words}; steps from left to right, addresses from the bottom up", "note")
    yield (f'<rect class="frame" x="{_LEFT}" y="{_MEMORY_TOP + 10}" width="{width}" height="{_MEMORY_HEIGHT}"/>')
    values = sorted(memory["values"], key=lambda value: -int(value["bytes"]))[:MAX_VALUES]
    for value in values:
        if not planned or not value["bytes"]:
            continue
        x = _LEFT + (value["first"] + 1) / steps * width
        wide = (value["last"] - value["first"] + 1) / steps * width
        high = value["bytes"] / planned * _MEMORY_HEIGHT
        y = _MEMORY_TOP + 10 + _MEMORY_HEIGHT - (value["offset"] + value["bytes"]) / planned * _MEMORY_HEIGHT
        hint = (
            f"{value['name']}: {value['bytes']} bytes at {value['offset']}, steps {value['first']} to {value['last']}"
        )
        hue = (value["first"] * 47) % 360
        yield (
            f'<rect class="value" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" '
            f'fill="hsl({hue} 55% 68%)"><title>{_safe(hint, 400)}</title></rect>'
        )


def _text(x: int, y: int, text: str, kind: str = "") -> str:
    style = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{style}>{_safe(text, 200 if kind else _LETTERS)}</text>'


def _safe(text: str, most: int) -> str:
    """Return a text of bounded length as XML holds it: names in models are anybody's."""
    short = text if len(text) <= most else f"{text[: most - 3]}..."
    return escape(_UNDRAWABLE.sub("?", short))
