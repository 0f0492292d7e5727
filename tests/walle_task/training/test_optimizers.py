"""Optimizers against their definitions, written once more without state."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle_task.training import SGD, Adam

GRADIENTS = st.lists(st.floats(-10, 10, width=32), min_size=1, max_size=6)


def after(optimizer, gradients: list[float], begin: float = 1.0) -> float:
    parameters = {"w": np.array([begin])}
    for gradient in gradients:
        optimizer.update(parameters, {"w": np.array([gradient])})
    return float(parameters["w"][0])


@given(GRADIENTS, st.floats(0, 0.9))
def test_sgd_moves_by_all_gradients_that_faded_with_momentum(gradients: list[float], momentum: float) -> None:
    expected = 1.0
    for step in range(len(gradients)):
        expected -= 0.1 * sum(momentum ** (step - at) * gradients[at] for at in range(step + 1))
    assert after(SGD(0.1, momentum), gradients) == pytest.approx(expected)


@given(GRADIENTS)
def test_adam_moves_by_the_mean_over_the_root_of_the_mean_square(gradients: list[float]) -> None:
    """Algorithm 1 with the bias of both means corrected."""
    expected = 1.0
    for step in range(1, len(gradients) + 1):
        mean = sum(0.1 * 0.9 ** (step - at) * gradients[at - 1] for at in range(1, step + 1)) / (1 - 0.9**step)
        square = sum(0.001 * 0.999 ** (step - at) * gradients[at - 1] ** 2 for at in range(1, step + 1))
        expected -= 0.01 * mean / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    assert after(Adam(0.01), gradients) == pytest.approx(expected, rel=1e-6)


def test_weight_decay_draws_parameters_to_zero() -> None:
    assert after(SGD(0.1, weight_decay=0.5), [0.0]) == pytest.approx(0.95)
    assert after(Adam(0.1, weight_decay=0.5), [0.0]) == pytest.approx(0.95)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SGD(0), "rate: expected a number above 0, found 0"),
        (lambda: SGD(float("nan")), "rate: expected a number above 0, found nan"),
        (lambda: SGD(0.1, momentum=1), "momentum: expected a number from 0 to below 1, found 1"),
        (lambda: SGD(0.1, weight_decay=-1), "weight_decay: expected a number from 0 on, found -1"),
        (lambda: Adam(epsilon=0), "epsilon: expected a number above 0, found 0"),
        (lambda: Adam(beta2=1.5), "beta2: expected a number from 0 to below 1, found 1.5"),
    ],
)
def test_settings_that_cannot_be_are_refused(make, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()
