"""Explanations of planned graphs: what each step made of the graph, what nodes cost, and the same as text."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.tensor.explained import chain, small_graph
from walle.tensor.counting import NodeCost, node_cost, total_cost
from walle.tensor.explaining import MAX_LINES, explanation_of
from walle.tensor.explaining_text import amount, explanation_text
from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.inference import infer_types
from walle_task.tensor.planning import plan_execution


@pytest.fixture(scope="module")
def found():
    return explanation_of(plan_execution(small_graph()))


def counts(step) -> dict[str, int]:
    return {group: count for group, count in step["groups"].items() if count}


def test_each_step_has_the_graph_after_it(found):
    assert [(step["step"], counts(step)) for step in found["steps"]] == [
        ("imported", {"composite": 2, "transform": 2, "atomic": 1}),
        ("lowered", {"atomic": 3, "raster": 4, "view": 3}),
        ("constant folding", {"atomic": 3, "raster": 4, "view": 2}),
        ("vertical merging", {"atomic": 3, "raster": 5, "view": 1}),
        ("horizontal merging", {"atomic": 3, "raster": 4, "view": 1}),
        ("unread values", {"atomic": 3, "raster": 2, "view": 1}),
    ]


def test_it_says_what_each_rule_changed(found):
    assert [rule["rule"] for rule in found["rules"]] == [step["step"] for step in found["steps"][2:]]
    horizontal = found["rules"][2]
    assert any(line.startswith("second = raster(") for line in horizontal["before"])
    assert any(line.startswith("y = add(first, first)") for line in horizontal["after"])


def test_operations_and_bytes_of_nodes_are_counted(found):
    imported, *_, last = found["steps"]
    product = 2 * 3 * 16 * 18
    assert [node["flops"] for node in imported["nodes"]] == [product, 48, 0, 0, 48]
    assert imported["flops"] == last["flops"] == product + 48 + 48
    assert last["nodes"][-1]["bytes"] == 3 * 48 * 4
    assert last["constant_bytes"] == (3 * 18 + 1) * 4


def test_the_formula_of_the_workload_stands_beside_the_papers(found):
    paper, ours = found["workload"]["paper"], found["workload"]["ours"]
    assert (paper["without_raster"], paper["with_raster"], paper["saved"]) == (1954, 1055, 0.46)
    assert ours["with_raster"] == (ours["atomic"] + 1) * 16 + ours["transform"] + ours["composite"] + 2


def test_memory_is_planned_within_its_bounds(found):
    memory = found["memory"]
    assert memory["least"] <= memory["planned"] < memory["naive"]
    for value in memory["values"]:
        assert 0 <= value["offset"] <= memory["planned"] - value["bytes"]
        assert -1 <= value["first"] <= value["last"] <= memory["steps"]


def test_the_text_has_the_steps_the_rules_and_the_memory(found):
    text = explanation_text(found)
    for part in (
        "takes x float32[1, 2, 4, 4]",
        "gives y float32[1, 4, 4, 3]",
        "(61 + 61) x 16 + 2 = 1954, with it (61 + 1) x 16 + 61 + 2 = 1055 (46% less)",
        "horizontal merging: ",
        " planned of ",
        "y = add(first, first)  float32[1, 4, 4, 3]  48 FLOP",
    ):
        assert part in text
    assert max(map(len, text.splitlines())) <= 160


def test_of_many_lines_that_a_rule_changed_some_are_listed():
    found = explanation_of(plan_execution(chain(MAX_LINES)))
    vertical = found["rules"][0]
    assert vertical["gone"] > MAX_LINES == len(vertical["before"])
    assert f"... {vertical['gone'] - 12} more" in explanation_text(found)
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (12_800_000, "12.8 MB"), (999_600, "1 MB")]
)
def test_amounts_have_three_digits(number, text):
    assert amount(number, "B") == text


def cost_of(operator: str, *shapes, outputs: int = 1, dtype: str = "float32", **attributes) -> NodeCost:
    building = GraphBuilder("g")
    names = [building.input(f"x{at}", dtype, shape) for at, shape in enumerate(shapes)]
    for name in building.add_all(operator, *names, outputs=outputs, **attributes):
        building.output(name)
    typed = infer_types(building.build())
    (node,) = typed.graph.nodes
    return node_cost(node, typed)


def test_costs_follow_from_shapes():
    assert cost_of("matmul", (5, 2, 3), (3, 4)) == NodeCost(2 * 5 * 2 * 3 * 4, 4 * (30 + 12 + 40))
    assert cost_of("add", (2, 3), (3,)) == NodeCost(6, 4 * (6 + 3 + 6))
    assert cost_of("reduce_max", (2, 3), axes=(1,)) == NodeCost(6, 4 * (6 + 2))
    assert cost_of("top_k", (2, 3), k=1, outputs=2) == NodeCost(6, 4 * (6 + 2) + 8 * 2)
    assert cost_of("transpose", (2, 3), axes=(1, 0)) == NodeCost(0, 4 * 12)
    assert cost_of("reshape", (2, 3), shape=(6,)) == NodeCost(0, 0)
    assert cost_of("softmax", (2, 3)).flops == 4 * 6 + 6


def test_a_gather_reads_what_it_writes():
    building = GraphBuilder("g")
    table = building.constant(np.zeros((1000, 8), "float32"))
    building.output(building.add("gather", table, building.input("i", "int64", (5,))))
    assert total_cost(infer_types(building.build())) == NodeCost(0, 2 * 5 * 8 * 4 + 5 * 8)
