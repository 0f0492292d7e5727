"""The explanation of a planned graph as plain text: a table of the steps, what each rule changed, nodes, memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from walle.tensor.collapsing import collapsed
from walle.tensor.explaining import GROUPS, heaviest

_FEW_LINES: Final = 12
_FEW_NODES: Final = 10
_MAX_LINE: Final = 160
_UNITS: Final = ("", "k", "M", "G", "T", "P")


def explanation_text(found: Mapping[str, Any]) -> str:
    """Return an explanation (`walle.tensor.explaining`) in lines; repeated parts of the graph are shown once."""
    lines = [
        f"graph {found['name']}",
        *(f"  takes {name} {type_}" for name, type_ in found["inputs"].items()),
        *(f"  gives {name} {type_}" for name, type_ in found["outputs"].items()),
        "",
        *_workload_lines(found["workload"]),
        "",
        *_step_table(found["steps"]),
        "",
        *(line for rule in found["rules"] for line in _rule_lines(rule)),
        *_memory_lines(found["memory"], found["steps"][-1]),
        "",
        *_node_lines(found["steps"][-1]),
        "",
        "most operations:",
        *(f"  {node_line(node)}" for node in heaviest(found["steps"][-1], _FEW_NODES)),
    ]
    return "\n".join(line if len(line) <= _MAX_LINE else f"{line[: _MAX_LINE - 3]}..." for line in lines) + "\n"


def amount(number: float, unit: str = "") -> str:
    """Return a number with three digits and a decimal prefix, such as 1.82 G."""
    for prefix in _UNITS:
        if abs(number) < 999.5 or prefix == _UNITS[-1]:
            return f"{number:.3g} {prefix}{unit}".rstrip()
        number /= 1000
    raise AssertionError


def node_line(node: Mapping[str, Any]) -> str:
    """Return a node on a line: what it defines, of what, its type, its operations and bytes."""
    regions = f" of {node['regions']} regions" if node["regions"] > 1 else ""
    costs = [amount(node["flops"], "FLOP")] if node["flops"] else []
    costs += [amount(node["bytes"], "B")] if node["bytes"] else []
    operator = "view" if node["group"] == "view" else node["operator"]
    text = (
        f"{', '.join(node['outputs'])} = {operator}({', '.join(node['inputs'])}){regions}  {', '.join(node['types'])}"
    )
    return f"{text}  {', '.join(costs)}" if costs else text


def _workload_lines(found: Mapping[str, Any]) -> Iterator[str]:
    for whose, each in found.items():
        rest = each["transform"] + each["composite"]
        control, backends = each["control_flow"], each["backends"]
        counts = f"{each['atomic']} atomic, {each['transform']} transform, {each['composite']} composite"
        yield f"operators, {whose}: {counts}, {control} control flow; kernels and definitions for {backends} backends:"
        yield (
            f"  without raster ({each['atomic']} + {rest}) x {backends} + {control} = {each['without_raster']}, "
            f"with it ({each['atomic']} + 1) x {backends} + {rest} + {control} = {each['with_raster']} "
            f"({each['saved']:.0%} less)"
        )


def _step_table(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    titles = ["step", "nodes", *GROUPS, "FLOP", "bytes moved", "constants"]
    rows = [
        [
            step["step"],
            str(len(step["nodes"])),
            *(str(step["groups"][group] or "-") for group in GROUPS),
            amount(step["flops"]),
            amount(step["bytes"], "B"),
            amount(step["constant_bytes"], "B"),
        ]
        for step in steps
    ]
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    for row in (titles, *rows):
        first, *rest = (text.ljust(width) if at == 0 else text.rjust(width) for at, (text, width) in enumerate(
            zip(row, widths, strict=True)
        ))  # fmt: skip
        yield "  ".join([first, *rest])


def _rule_lines(rule: Mapping[str, Any]) -> Iterator[str]:
    yield f"{rule['rule']}: {rule['gone']} lines became {rule['came']}"
    for mark, key, count in (("-", "before", rule["gone"]), ("+", "after", rule["came"])):
        yield from (f"    {mark} {line}" for line in rule[key][:_FEW_LINES])
        if count > _FEW_LINES:
            yield f"    {mark} ... {count - _FEW_LINES} more"
    yield ""


def _memory_lines(memory: Mapping[str, Any], step: Mapping[str, Any]) -> Iterator[str]:
    planned, naive = memory["planned"], memory["naive"]
    share = f" ({planned / naive:.0%})" if naive else ""
    yield (
        f"memory: {amount(planned, 'B')} planned of {amount(naive, 'B')} without sharing{share}, "
        f"at least {amount(memory['least'], 'B')} at one step; constants {amount(step['constant_bytes'], 'B')}"
    )


def _node_lines(step: Mapping[str, Any]) -> Iterator[str]:
    nodes = step["nodes"]
    yield f"after {step['step']}:"
    for part in collapsed([signature(node) for node in nodes]):
        if part.times > 1:
            yield f"  {part.times} times, first:"
        indent = "    " if part.times > 1 else "  "
        yield from (f"{indent}{node_line(node)}" for node in nodes[part.begin : part.begin + part.length])


def signature(node: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what is the same of nodes that do the same with tensors of the same types."""
    return node["operator"], node["group"], *node["types"], node["regions"], node["flops"], node["bytes"]
