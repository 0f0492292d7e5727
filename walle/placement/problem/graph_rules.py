"""Whether a workflow's edges make sense together: no cycles, all operators on ways from sources to the sink."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from walle.schema import Problems

Followers = Mapping[str, tuple[str, ...]]


def check_paths(
    workflow: Mapping[str, Any],
    sources: Mapping[str, int],
    operators: Mapping[str, int],
    complete: bool,
    problems: Problems,
) -> None:
    """Report cycles, and, where all names are valid, what no source reaches and what does not reach the sink.

    `sources` and `operators` map valid names to their index in the document.
    """
    edges = list(named_edges(workflow, sources, operators))
    after = _followers((*sources, *operators), edges)
    for cycle in _cycles(operators, after):
        problems.say("workflow.edges", "no cycle", " -> ".join((*cycle, cycle[0])))
    sink: Any = workflow.get("sink")
    if not complete or not edges or len(edges) < len(workflow["edges"]) or problems.touches("workflow.sink"):
        return
    if sink not in operators:
        problems.add("workflow.sink", "an operator", sink)
        return
    if after[sink]:
        problems.say("workflow.sink", "an operator that feeds no other", f"{sink} -> {', '.join(after[sink])}")
    reached = _reached(sources, after)
    back = _reached([sink], _followers((*sources, *operators), [(target, source) for source, target in edges]))
    for name, index in operators.items():
        if name not in reached:
            problems.say(
                f"workflow.operators[{index}]", "an operator that a source reaches", f"{name}, which none reaches"
            )
        elif name not in back:
            problems.say(
                f"workflow.operators[{index}]",
                "an operator on a way to the sink",
                f"{name}, from which none leads there",
            )
    for name, index in sources.items():
        if not after[name]:
            problems.say(f"workflow.sources[{index}]", "a source that feeds an operator", f"{name}, which feeds none")


def named_edges(
    workflow: Mapping[str, Any], sources: Mapping[str, int], operators: Mapping[str, int]
) -> Iterator[tuple[str, str]]:
    """Yield source and target of each edge both of whose ends exist."""
    edges = workflow.get("edges")
    for edge in edges if isinstance(edges, list) else ():
        source, target = (edge.get("source"), edge.get("target")) if isinstance(edge, dict) else (None, None)
        if not isinstance(source, str) or not isinstance(target, str):
            continue
        if target in operators and (source in operators or source in sources):
            yield source, target


def _followers(names: Iterable[str], edges: Iterable[tuple[str, str]]) -> Followers:
    found: dict[str, list[str]] = {name: [] for name in names}
    for source, target in edges:
        found[source].append(target)
    return {name: tuple(targets) for name, targets in found.items()}


def _reached(starts: Iterable[str], after: Followers) -> set[str]:
    found: set[str] = set()
    waiting = list(starts)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(after[name])
    return found


def _cycles(operators: Iterable[str], after: Followers) -> Iterator[list[str]]:
    """Yield cycles that share no operator, until what is left has none."""
    left = set(operators)
    while True:
        left = _without_ends(left, after)
        if not left:
            return
        path = [min(left)]
        while (following := next(each for each in after[path[-1]] if each in left)) not in path:
            path.append(following)
        cycle = path[path.index(following) :]
        yield cycle
        left -= set(cycle)


def _without_ends(names: set[str], after: Followers) -> set[str]:
    """Return the names without those from which no way leads into a cycle."""
    left = set(names)
    while ends := {name for name in left if not left.intersection(after[name])}:
        left -= ends
    return left
