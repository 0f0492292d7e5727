"""Modules: control flow, shapes that follow from elements, and sessions that are kept by shape."""

from __future__ import annotations

import numpy as np
import pytest

from walle_task.tensor import Graph, GraphBuilder, InputsUnfit, Module, RunFailed
from walle_task.tensor import module as modules
from walle_task.tensor.faults import GraphMalformed
from walle_task.tensor.graph import ValueOf


def branch(operator: str) -> Graph:
    graph = GraphBuilder(operator)
    graph.output(graph.add(operator, graph.input("x", "float32", (None,))))
    return graph.build()


def chosen() -> Graph:
    """Doubles x, applies exp or negate to it by the sign of its sum, and adds one."""
    graph = GraphBuilder("chosen")
    x = graph.input("x", "float32", (None,))
    double = graph.add("add", x, x)
    zero = graph.constant(np.zeros((), "float32"))
    positive = graph.add("greater", graph.add("reduce_sum", double, axes=(0,)), zero)
    found = graph.add("if", positive, double, then=branch("exp"), otherwise=branch("negate"))
    graph.output(graph.add("add", found, graph.constant(np.ones((), "float32")), name="y"))
    return graph.build()


def powers(limit: float = 100) -> Graph:
    """Doubles x as long as it is below the limit, and counts how often."""
    condition, body = GraphBuilder("goes on"), GraphBuilder("doubles")
    x, _ = condition.input("x", "float32", ()), condition.input("count", "int64", ())
    condition.output(condition.add("less", x, condition.constant(np.array(limit, "float32"))))
    x, count = body.input("x", "float32", ()), body.input("count", "int64", ())
    body.output(body.add("add", x, x))
    body.output(body.add("add", count, body.constant(np.array(1, "int64"))))
    graph = GraphBuilder("powers")
    begin = graph.input("x", "float32", ()), graph.constant(np.array(0, "int64"))
    for name in graph.add_all("while", *begin, outputs=2, name="loop", condition=condition.build(), body=body.build()):
        graph.output(name)
    return graph.build()


def test_a_condition_decides_while_the_graph_runs():
    module = Module(chosen())
    assert module.parts == 3
    for x in ([1.0, 2.0], [-1.0, -2.0], [0.5, 1.0, 1.5]):
        double = 2 * np.array(x, "float32")
        expected = (np.exp(double) if double.sum() > 0 else -double) + 1
        np.testing.assert_allclose(module.run({"x": np.array(x, "float32")})["y"], expected, rtol=1e-6)


def test_a_loop_goes_on_until_its_condition_is_false():
    found = Module(powers()).run({"x": np.array(3, "float32")})
    assert [value.item() for value in found.values()] == [192.0, 6]
    found = Module(powers()).run({"x": np.array(200, "float32")})
    assert [value.item() for value in found.values()] == [200.0, 0]


def test_a_loop_without_an_end_is_ended(monkeypatch):
    monkeypatch.setattr(modules, "MOST_ROUNDS", 50)
    with pytest.raises(RunFailed, match="node loop: expected an end after at most 50 rounds"):
        Module(powers()).run({"x": np.array(0, "float32")})


def test_state_of_a_loop_may_grow():
    condition, body = GraphBuilder("goes on"), GraphBuilder("grows")
    lengths = condition.add("shape_of", condition.input("x", "float32", (None,)))
    length = condition.add("reshape", lengths, shape=())
    condition.output(condition.add("less", length, condition.constant(np.array(5, "int64"))))
    x = body.input("x", "float32", (None,))
    body.output(body.add("concatenate", x, x, axis=0))
    graph = GraphBuilder("growing")
    graph.output(
        graph.add(
            "while", graph.input("x", "float32", (None,)), condition=condition.build(), body=body.build(), name="y"
        )
    )
    assert Module(graph.build()).run({"x": np.arange(3, dtype="float32")})["y"].tolist() == [0, 1, 2] * 2


def cut() -> Graph:
    """Takes as many of x's elements as its first element says, and sums them."""
    graph = GraphBuilder("cut")
    x = graph.input("x", "float32", (None,))
    count = graph.add("cast", graph.add("slice", x, axes=(0,), starts=(0,), ends=(1,)), dtype="int64", name="count")
    part = graph.add("slice", x, axes=(0,), starts=(0,), ends=ValueOf(count))
    graph.output(graph.add("reduce_sum", part, axes=(0,), name="y"))
    return graph.build()


def test_shapes_may_follow_from_elements():
    module = Module(cut())
    assert module.parts == 2
    for first in (1, 3, 2):
        assert module.run({"x": np.array([first, 10, 20, 30], "float32")})["y"] == [1, 12, 33][first - 1]


def test_sessions_are_kept_for_the_last_shapes():
    module = Module(chosen())
    made = []
    original = modules.Session
    try:
        modules.Session = lambda *given, **named: made.append(1) or original(*given, **named)
        for length in (2, 2, 3, 2):
            module.run({"x": np.ones(length, "float32")})
        assert len(made) == 2 * 3, "three parts, for two lengths"
        for length in range(2, modules.MOST_SESSIONS + 5):
            module.run({"x": np.ones(length, "float32")})
        before = len(made)
        module.run({"x": np.ones(2, "float32")})
        assert len(made) == before + 3
    finally:
        modules.Session = original


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({}, "inputs: expected x, found"),
        ({"x": np.zeros(2)}, r"inputs.x: expected float32\[\?\], found float64\[2\]"),
        ({"x": np.zeros(2, "float32"), "z": 1}, "inputs: expected x, found"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(inputs, words):
    with pytest.raises(InputsUnfit, match=words):
        Module(chosen()).run(inputs)


def test_faults_are_found_when_a_module_is_made_or_a_shape_is_met():
    graph = GraphBuilder("product")
    graph.output(graph.add("matmul", graph.input("a", "float32", (None, 2)), graph.input("b", "float32", (None, 2))))
    module = Module(graph.build())
    with pytest.raises(GraphMalformed, match="node matmul 0: inputs"):
        module.run({"a": np.zeros((1, 2), "float32"), "b": np.zeros((3, 2), "float32")})
    with pytest.raises(GraphMalformed, match="expected a value that is defined before it"):
        Module(Graph("g", {}, {}, module.graph.nodes, module.graph.outputs))
