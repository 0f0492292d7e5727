"""The rules that make a lowered graph move less, in the order in which they are applied, and what each of them did.

Each goes once through the nodes in their order, so that it finds of what a node reads what it has made of that already;
its time is linear in the nodes and their regions. `apply_rules` applies them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from walle_task.tensor.graph import Node, TypedGraph
from walle_task.tensor.lowering import raster_node, renamed
from walle_task.tensor.merging.joining import joined
from walle_task.tensor.merging.reading_through import Effort, read_through
from walle_task.tensor.view import Region, is_identity

MAX_REGIONS: Final = 128
"""The most regions of a raster that reads through others: each costs a call when it runs."""
MAX_EFFORT: Final = 1 << 16
"""How many parts of regions are looked at to read through rasters of one graph, ..."""
EFFORT_PER_NODE: Final = 64
"""... and how many more for each of its nodes."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rewriting of lowered graphs."""

    name: str
    words: str
    rewrite: Callable[[TypedGraph], TypedGraph]


@dataclass(frozen=True, slots=True)
class Application:
    """What a rule changed in a graph: the lines of it that are gone and those that came."""

    rule: str
    before: tuple[str, ...]
    after: tuple[str, ...]


def apply_rules(typed: TypedGraph, rules: Iterable[Rule]) -> tuple[TypedGraph, tuple[Application, ...]]:
    """Return the rewritten graph, and what each rule that changed something did."""
    applications = []
    for rule in rules:
        rewritten = rule.rewrite(typed)
        if rewritten.graph.nodes != typed.graph.nodes:
            applications.append(_application(rule, typed, rewritten))
        typed = rewritten
    return typed, tuple(applications)


def _application(rule: Rule, before: TypedGraph, after: TypedGraph) -> Application:
    old, new = list(before.lines()), list(after.lines())
    there, kept = set(old), set(new)
    return Application(
        rule.name, tuple(line for line in old if line not in kept), tuple(line for line in new if line not in there)
    )


def _vertical(typed: TypedGraph) -> TypedGraph:
    """Let rasters read what rasters before them read: indirect references are skipped."""
    rasters: dict[str, tuple[Region, ...]] = {}
    needed, effort = _needed_elsewhere(typed), Effort(MAX_EFFORT + EFFORT_PER_NODE * len(typed.graph.nodes))
    nodes = []
    for node in typed.graph.nodes:
        if node.operator != "raster":
            nodes.append(node)
            continue
        (output,) = node.outputs
        rasters[output] = joined(_skipping(node.attributes["regions"], rasters, needed, effort))
        nodes.append(raster_node(output, rasters[output], typed.types[output], node.inputs[0]))
    return _with_nodes(typed, nodes)


def _needed_elsewhere(typed: TypedGraph) -> set[str]:
    """Return the values that have to be there, whatever rasters read: outputs, and what atomic operators read."""
    atomic = (name for node in typed.graph.nodes if node.operator != "raster" for name in node.inputs)
    return {*typed.graph.outputs, *atomic}


def _skipping(
    regions: tuple[Region, ...], rasters: Mapping[str, tuple[Region, ...]], needed: set[str], effort: Effort
) -> tuple[Region, ...]:
    """Return regions that read through rasters, all those of a source or none: only so is the source skipped."""
    by_source: dict[str, list[Region]] = {}
    for region in regions:
        by_source.setdefault(region.source, []).append(region)
    for source, group in by_source.items():
        if source not in rasters:
            continue
        through = [read_through(region, rasters[source], effort) for region in group]
        pieces = [piece for found in through if found is not None for piece in found]
        most = len(group) if source in needed else MAX_REGIONS
        if None not in through and len(joined(pieces)) <= most:
            by_source[source] = pieces
    found = tuple(each for group in by_source.values() for each in group)
    return found if len(found) <= max(MAX_REGIONS, len(regions)) else regions


def _horizontal(typed: TypedGraph) -> TypedGraph:
    """Keep one of several rasters with the same regions; what read the others reads that one."""
    kept: dict[Any, str] = {}
    names: dict[str, str] = {}
    nodes = []
    for original in typed.graph.nodes:
        node = renamed(original, {name: names[name] for name in original.inputs if name in names})
        if node.operator == "raster":
            (output,) = node.outputs
            first = kept.setdefault((node.attributes["regions"], typed.types[output]), output)
            if first != output and output not in typed.graph.outputs:
                names[output] = first
                continue
        nodes.append(node)
    return _with_nodes(typed, nodes)


def _unread(typed: TypedGraph) -> TypedGraph:
    """Leave out what nothing reads."""
    needed = set(typed.graph.outputs)
    nodes: list[Node] = []
    for node in reversed(typed.graph.nodes):
        if not needed.isdisjoint(node.outputs):
            needed.update(node.inputs)
            nodes.append(node)
    return _with_nodes(typed, reversed(nodes))


def _with_nodes(typed: TypedGraph, nodes: Iterable[Node]) -> TypedGraph:
    """Return the graph with other nodes; constants and types that no node needs are left out."""
    graph = replace(typed.graph, nodes=tuple(nodes))
    read = {name for node in graph.nodes for name in node.inputs} | set(graph.outputs)
    constants = {name: array for name, array in graph.constants.items() if name in read}
    named = {*graph.inputs, *constants, *(name for node in graph.nodes for name in node.outputs)}
    types = {name: found for name, found in typed.types.items() if name in named}
    return TypedGraph(replace(graph, constants=constants), types)


RULES: Final = (
    Rule("vertical merging", "a raster of a raster reads what that one reads", _vertical),
    Rule("horizontal merging", "rasters with the same regions are one", _horizontal),
    Rule("unread values", "what nothing reads is not computed", _unread),
)


def operator_counts(typed: TypedGraph) -> Counter[str]:
    """Return how often each operator is applied; a raster that only gives its source another shape is a `view`."""
    return Counter("view" if is_view(node, typed) else node.operator for node in typed.graph.nodes)


def is_view(node: Node, typed: TypedGraph) -> bool:
    """Return whether a raster only gives what it reads another shape, so that nothing has to be moved."""
    if node.operator != "raster" or len(node.attributes["regions"]) != 1:
        return False
    (region,) = node.attributes["regions"]
    count = typed.types[region.source].count
    return is_identity(region, count) and count == typed.types[node.outputs[0]].count
