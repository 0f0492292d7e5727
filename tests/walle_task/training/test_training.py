"""Training: losses that fall, parameters that are found, and what cannot be trained."""

from __future__ import annotations

import numpy as np
import pytest

from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.faults import GraphMalformed
from walle_task.tensor.graph import Graph
from walle_task.tensor.session import InputsUnfit, Session
from walle_task.training import SGD, Adam, Training, losses

RNG = np.random.default_rng(7)


def line(dtype: str = "float64") -> Graph:
    """y = w x + b, its score, and its loss against what was expected."""
    graph = GraphBuilder("line")
    x, expected = graph.input("x", dtype, (None, 3)), graph.input("expected", dtype, (None, 1))
    weights = graph.constant(np.zeros((3, 1), dtype), "w")
    score = graph.add("add", graph.add("matmul", x, weights), graph.constant(np.zeros(1, dtype), "b"), name="score")
    graph.output(score)
    losses_axes = graph.add("squared_difference", score, expected)
    graph.output(graph.add("reduce_mean", losses_axes, axes=(0, 1), name="loss"))
    return graph.build()


SHAPES = {"x": (16, 3), "expected": (16, 1)}


@pytest.mark.parametrize("optimizer", [SGD(0.1), SGD(0.05, momentum=0.8), Adam(0.1)], ids=lambda each: repr(each)[:12])
def test_a_line_is_found(optimizer) -> None:
    training = Training(line(), "loss", ["w", "b"], optimizer, shapes=SHAPES)
    truth = np.array([[2.0], [-1.0], [0.5]])
    found = []
    for _ in range(400):
        x = RNG.standard_normal((16, 3))
        found.append(training.step({"x": x, "expected": x @ truth + 3}))
    assert found[-1] < 1e-3 < found[0]
    trained = training.trained()
    np.testing.assert_allclose(trained.constants["w"], truth, atol=0.05)
    np.testing.assert_allclose(trained.constants["b"], [3], atol=0.05)
    score = Session(trained, SHAPES).run({"x": np.ones((16, 3)), "expected": np.zeros((16, 1))})["score"]
    np.testing.assert_allclose(score, np.full((16, 1), 4.5), atol=0.1)


def test_only_parameters_change_and_the_given_graph_stays() -> None:
    graph = line()
    training = Training(graph, "loss", ["w"], SGD(0.1), shapes=SHAPES)
    training.step({"x": np.ones((16, 3)), "expected": np.ones((16, 1))})
    trained = training.trained()
    assert trained.constants["w"].all()
    assert not trained.constants["b"].any()
    assert not graph.constants["w"].any()
    training.step({"x": np.ones((16, 3)), "expected": np.ones((16, 1))})
    assert (trained.constants["w"] != training.trained().constants["w"]).all()


def test_steps_that_are_not_finite_leave_the_parameters() -> None:
    training = Training(line(), "loss", ["w", "b"], SGD(0.1), shapes=SHAPES)
    with pytest.raises(FloatingPointError, match="the loss: expected finite numbers"):
        training.step({"x": np.full((16, 3), np.inf), "expected": np.ones((16, 1))})
    assert not training.trained().constants["w"].any()


def test_inputs_that_do_not_fit_are_named() -> None:
    training = Training(line(), "loss", ["w"], SGD(0.1), shapes=SHAPES)
    with pytest.raises(InputsUnfit, match=r"inputs.expected: expected float64\[16, 1\], found nothing"):
        training.step({"x": np.ones((16, 3))})


@pytest.mark.parametrize(
    ("loss", "parameters", "words"),
    [
        ("loss", [], "parameters: expected one or more different constants"),
        ("loss", ["w", "w"], "parameters: expected one or more different constants"),
        ("loss", ["score"], "parameters: expected constants of floats, such as w, b, found score"),
        ("score", ["w"], "loss: expected a float of one element"),
        ("nothing", ["w"], "loss: expected a float of one element, found no value nothing"),
    ],
)
def test_what_cannot_be_trained_is_refused(loss: str, parameters: list[str], words: str) -> None:
    with pytest.raises(GraphMalformed, match=words):
        Training(line(), loss, parameters, SGD(0.1), shapes=SHAPES)


def test_losses_are_what_they_say() -> None:
    graph = GraphBuilder("losses")
    scores, targets = graph.input("scores", "float64", (4, 3)), graph.input("targets", "float64", (4, 3))
    first, second = (graph.add("select", each, axis=1, index=0) for each in (scores, targets))
    graph.output(losses.cross_entropy(graph, scores, targets))
    graph.output(losses.binary_cross_entropy(graph, first, second))
    graph.output(losses.mean_squared_error(graph, scores, targets))
    given = {"scores": RNG.standard_normal((4, 3)), "targets": np.eye(3)[[0, 2, 1, 0]]}
    crossed, binary, squared = Session(graph.build()).run(given).values()
    likely = np.exp(given["scores"]) / np.exp(given["scores"]).sum(axis=1, keepdims=True)
    assert crossed == pytest.approx(-np.log(likely[range(4), [0, 2, 1, 0]]).mean())
    chance, hit = 1 / (1 + np.exp(-given["scores"][:, 0])), given["targets"][:, 0]
    assert binary == pytest.approx(-(hit * np.log(chance) + (1 - hit) * np.log(1 - chance)).mean())
    assert squared == pytest.approx(((given["scores"] - given["targets"]) ** 2).mean())


def test_a_small_convolution_net_with_embeddings_learns() -> None:
    """Each operator's gradient was compared by itself: here several go together, in float32 and in planned memory."""
    graph = GraphBuilder("net")
    tokens, targets = graph.input("tokens", "int64", (None, 8)), graph.input("targets", "int64", (None,))
    rows = graph.add("gather", graph.constant(RNG.standard_normal((10, 4)).astype("float32"), "table"), tokens)
    turned = graph.add("transpose", rows, axes=(0, 2, 1))
    kernel = graph.constant((RNG.standard_normal((6, 4, 3)) * 0.5).astype("float32"), "kernel")
    seen = graph.add("reduce_max", graph.add("relu", graph.add("convolution", turned, kernel)), axes=(2,))
    scores = graph.add("matmul", seen, graph.constant(np.zeros((6, 2), "float32"), "head"))
    wanted = graph.add("one_hot", targets, depth=2, dtype="float32")
    loss = losses.cross_entropy(graph, scores, wanted)
    graph.output(loss)
    training = Training(
        graph.build(), loss, ["table", "kernel", "head"], Adam(0.02), shapes={"tokens": (32, 8), "targets": (32,)}
    )
    found = []
    for _ in range(150):
        given = RNG.integers(0, 10, (32, 8))
        found.append(training.step({"tokens": given, "targets": (given == 3).any(axis=1).astype("int64")}))
    assert np.mean(found[-10:]) < 0.5 * np.mean(found[:10])
