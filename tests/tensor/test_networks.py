"""Networks as exporters write them: imported once, planned for shapes that they leave open, they compute the same."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tensor import networks
from tests.tensor.onnx_models import assert_alike, imported

RANDOM = np.random.default_rng(7)


def image(*shape: int) -> dict[str, np.ndarray]:
    return {"image": RANDOM.normal(size=shape).astype("float32")}


def words(batch: int, length: int) -> dict[str, np.ndarray]:
    ids, mask = (RANDOM.integers(0, high, (batch, length)) for high in (50, 2))
    mask[:, 0] = 1
    return {"ids": ids, "mask": mask}


def visits(batch: int, length: int) -> dict[str, np.ndarray]:
    return {"history": RANDOM.integers(0, 40, (batch, length)), "item": RANDOM.integers(0, 40, batch)}


@pytest.mark.parametrize(
    ("network", "feeds"),
    [
        (networks.residual, [image(1, 3, 32, 32), image(2, 3, 40, 24)]),
        (networks.inverted, [image(1, 3, 32, 32), image(3, 3, 32, 32)]),
        (networks.squeezed, [image(1, 3, 31, 31), image(2, 3, 31, 31)]),
        (networks.shuffled, [image(1, 3, 16, 16), image(2, 3, 8, 20)]),
        (networks.encoder, [words(1, 5), words(3, 32)]),
        (networks.interest, [visits(1, 4), visits(5, 11)]),
    ],
)
def test_a_network_computes_what_onnx_runtime_does(network, feeds):
    model = network()
    for each in feeds:
        assert_alike(model, each, rtol=1e-4, atol=1e-5)


def test_lengths_that_a_model_leaves_open_keep_their_names():
    graph = imported(networks.residual())
    assert graph.inputs["image"].shape == ("batch", 3, "height", "width")


def test_the_arithmetic_of_known_shapes_is_gone_from_the_graph():
    model = networks.shuffled()
    for axis, length in zip(model.graph.input[0].type.tensor_type.shape.dim, (1, 3, 16, 16), strict=True):
        axis.dim_value = length
    operators = imported(model).operators
    assert not operators.keys() & {"shape_of", "select"}
    assert operators["concatenate"] == 1
    assert operators["reshape"] == 2
