"""The rules of merging: before and after, and where they change nothing."""

from __future__ import annotations

import numpy as np
import pytest

from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.faults import GraphMalformed
from walle_task.tensor.folding import FOLDING
from walle_task.tensor.inference import infer_types
from walle_task.tensor.lowering import lower
from walle_task.tensor.merging import rules
from walle_task.tensor.merging.rules import RULES, apply_rules, is_view, operator_counts
from walle_task.tensor.planning import plan_execution

VERTICAL, HORIZONTAL, UNREAD = RULES


def building() -> tuple[GraphBuilder, str]:
    found = GraphBuilder("g")
    return found, found.input("x", "float32", (4, 6))


def lowered(graph: GraphBuilder, *outputs: str):
    for name in outputs:
        graph.output(name)
    return lower(infer_types(graph.build()))


def lines(typed) -> list[str]:
    return [line.split("  #")[0] for line in typed.lines()]


def test_vertical_merging_skips_an_indirect_reference():
    graph, x = building()
    second = graph.add("slice", x, axes=(0,), starts=(1,), ends=(2,), name="second")
    before = lowered(graph, graph.add("transpose", second, axes=(1, 0), name="y"))
    assert lines(before) == [
        "second = raster(x)",
        "    x[6 + [1]] -> [0 + [1]] over 6",
        "y = raster(second)",
        "    second[0 + [1]] -> [0 + [1]] over 6",
    ]
    merged, (vertical, unread) = apply_rules(before, RULES)
    assert lines(merged) == ["y = raster(x)", "    x[6 + [1]] -> [0 + [1]] over 6"]
    assert (vertical.rule, unread.rule) == ("vertical merging", "unread values")
    assert [line.split("  #")[0] for line in vertical.before] == [
        "y = raster(second)",
        "    second[0 + [1]] -> [0 + [1]] over 6",
    ]
    assert [line.split("  #")[0] for line in vertical.after] == ["y = raster(x)"]
    assert [line.split("  #")[0] for line in unread.before] == ["second = raster(x)"]


def test_vertical_merging_goes_through_any_number_of_rasters():
    graph, y = building()
    for _ in range(20):
        y = graph.add("flip", graph.add("transpose", y, axes=(1, 0)), axes=(0,))
    merged, _ = apply_rules(lowered(graph, y), RULES)
    assert lines(merged) == [f"{y} = raster(x)", "    x[0 + [1]] -> [0 + [1]] over 24"]
    assert is_view(merged.graph.nodes[0], merged)


def test_a_pad_is_read_through_where_it_has_elements_and_filled_where_it_has_none():
    graph, x = building()
    padded = graph.add("pad", x, before=(1, 0), after=(0, 0), name="padded")
    before = lowered(graph, graph.add("transpose", padded, axes=(1, 0), name="y"))
    merged, _ = apply_rules(before, RULES)
    assert lines(merged) == [
        "y = raster(float32 0, x)",
        "    float32 0[0 + [0]] -> [0 + [5]] over 6",
        "    x[0 + [1, 6]] -> [1 + [5, 1]] over 6x4",
    ]


def test_a_raster_that_something_else_reads_is_not_cut_into_more_regions():
    """It has to be there anyway, and copying from it takes fewer calls."""
    graph, x = building()
    padded = graph.add("pad", x, before=(1, 1), after=(1, 1), name="padded")
    turned = graph.add("transpose", padded, axes=(1, 0), name="turned")
    before = lowered(graph, turned, graph.add("exp", padded))
    merged, _ = apply_rules(before, [VERTICAL])
    assert {node.name: node.inputs for node in merged.graph.nodes}[turned] == (padded,)


def test_what_is_cut_into_very_many_regions_stays():
    graph, x = building()
    taken = graph.add(
        "take", graph.add("tile", x, repeats=(40, 1)), axis=0, indices=tuple(at * at % 160 for at in range(160))
    )
    before = lowered(graph, graph.add("take", graph.add("exp", taken), axis=1, indices=(5, 2, 0, 4)))
    merged, _ = apply_rules(before, RULES)
    assert all(len(node.attributes.get("regions", ())) <= 160 for node in merged.graph.nodes)


def test_reading_through_very_many_regions_comes_to_an_end(monkeypatch):
    """Time is bounded for a graph as a whole: what is left then stays as it is."""
    monkeypatch.setattr(rules, "MAX_EFFORT", 10)
    monkeypatch.setattr(rules, "EFFORT_PER_NODE", 0)
    graph, y = building()
    for _ in range(20):
        y = graph.add("transpose", y, axes=(1, 0))
    merged, _ = apply_rules(lowered(graph, y), RULES)
    assert 1 < len(merged.graph.nodes) < 20


def test_horizontal_merging_keeps_one_of_equal_rasters_and_their_readers():
    graph, x = building()
    first = graph.add("transpose", x, axes=(1, 0), name="first")
    second = graph.add("swap_axes", x, first=0, second=1, name="second")
    graph.output(graph.add("add", first, second, name="y"))
    before = lowered(graph)
    after, (application,) = apply_rules(before, [HORIZONTAL])
    assert lines(after) == [
        "first = raster(x)",
        "    x[0 + [1, 6]] -> [0 + [4, 1]] over 6x4",
        "y.0 = add(first, first)",
    ] or (lines(after) == ["first = raster(x)", "    x[0 + [1, 6]] -> [0 + [4, 1]] over 6x4", "y = add(first, first)"])
    assert application.rule == "horizontal merging"


def test_equal_chains_are_one_after_horizontal_merging():
    graph, x = building()
    sums = []
    for _ in range(2):
        turned = graph.add("transpose", x, axes=(1, 0))
        sums.append(graph.add("exp", graph.add("pad", turned, before=(1, 0), after=(0, 2))))
    merged, _ = apply_rules(lowered(graph, *sums), RULES)
    assert operator_counts(merged) == {"raster": 1, "exp": 2}


def test_outputs_keep_their_names_when_their_rasters_are_equal():
    graph, x = building()
    first, second = (graph.add("transpose", x, axes=(1, 0)) for _ in range(2))
    before = lowered(graph, first, second)
    assert apply_rules(before, [HORIZONTAL]) == (before, ())


@pytest.mark.parametrize("other", [{"axes": (0,)}, {"axes": (0, 1)}])
def test_rasters_of_other_regions_or_shapes_stay(other):
    graph, x = building()
    both = [graph.add("flip", x, axes=(1,)), graph.add("flip", x, **other)]
    before = lowered(graph, *(graph.add("exp", each) for each in both))
    assert apply_rules(before, [HORIZONTAL]) == (before, ())
    graph, x = building()
    both = [graph.add("flip", x, axes=(1,)), graph.add("unsqueeze", graph.add("flip", x, axes=(1,)), axes=(0,))]
    merged, _ = apply_rules(lowered(graph, *(graph.add("exp", each) for each in both)), RULES)
    assert operator_counts(merged)["raster"] == 2


def test_what_nothing_reads_is_left_out():
    graph, x = building()
    graph.add("exp", graph.add("transpose", x, axes=(1, 0)))
    before = lowered(graph, graph.add("relu", x))
    after, (application,) = apply_rules(before, [UNREAD])
    assert operator_counts(after) == {"maximum": 1}
    assert application.rule == "unread values"


def test_what_depends_on_constants_alone_is_folded():
    graph, x = building()
    weights = graph.constant(np.arange(24, dtype="float32").reshape(4, 6), "weights")
    turned = graph.add("transpose", graph.add("exp", weights), axes=(1, 0))
    before = lowered(graph, graph.add("matmul", x, turned, name="y"))
    after, (application,) = apply_rules(before, [FOLDING])
    assert operator_counts(after) == {"matmul": 1}
    assert application.rule == "constant folding"
    np.testing.assert_array_equal(after.graph.constants[turned], np.exp(np.arange(24, dtype="float32")).reshape(4, 6).T)


@pytest.mark.parametrize(("operator", "most"), [("exp", 8), ("add", 128)])
def test_more_work_on_constants_than_planning_may_take_is_refused_before_it_is_done(operator, most):
    graph, _ = building()
    value = constant = graph.constant(np.zeros(1 << 24, "float32"))
    for at in range(1, most + 2):
        value = graph.add(operator, value, *([constant] if operator == "add" else []), name=f"v{at}")
    graph.output(graph.add("abs", value))
    with pytest.raises(GraphMalformed) as caught:
        plan_execution(graph.build())
    (fault,) = caught.value.faults
    assert fault.node == f"v{most + 1}"
    assert fault.expected == f"at most {1 << 31} operations on constants alone up to here"
    assert fault.found == f"{(1 << 31) * (most + 1) // most} with this {operator}"


def test_constants_that_would_unfold_are_computed_in_planned_memory():
    graph, x = building()
    wide = graph.add("broadcast_to", graph.constant(np.ones((), "float32")), shape=(1000, 1000))
    total = graph.add("reduce_sum", wide, axes=(0, 1))
    graph.output(graph.add("add", x, total))
    plan = plan_execution(graph.build())
    assert operator_counts(plan.merged)["raster"] == 1
    assert plan.memory.nbytes >= 4_000_000


def test_regions_of_every_second_element_are_one_behind_a_pad():
    graph = GraphBuilder("g")
    padded = graph.add("pad", graph.input("x", "float32", (1, 2, 4, 4)), before=(0, 0, 2, 2), after=(0, 0, 2, 2))
    before = lowered(graph, graph.add("space_to_depth", padded, block=2, name="y"))
    merged, _ = apply_rules(before, RULES)
    (raster,) = merged.graph.nodes
    assert [str(region) for region in raster.attributes["regions"] if region.source == "x"] == [
        "x[0 + [4, 1, 16, 8, 2]] -> [5 + [64, 32, 16, 4, 1]] over 2x2x2x2x2"
    ]
