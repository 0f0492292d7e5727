"""Optimizers: how parameters follow from their gradients, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

Arrays = Mapping[str, Any]


class Optimizer(Protocol):
    """Changes parameters, arrays of floats by name, by the gradients of the loss by them."""

    def update(self, parameters: Arrays, gradients: Arrays) -> None:
        """Change the parameters where they are. The names and shapes are the same at each call."""
        ...


@dataclass
class SGD:
    """Gradient descent, with momentum (Polyak) and weight decay as in torch.optim.SGD.

    v = momentum * v + gradient + weight_decay * parameter, which begins with the first gradient; parameter -= rate * v.
    """

    rate: float
    momentum: float = 0.0
    weight_decay: float = 0.0
    _velocities: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        _check(rate=self.rate)
        _check_fractions(momentum=self.momentum)
        _check_not_negative(weight_decay=self.weight_decay)

    def update(self, parameters: Arrays, gradients: Arrays) -> None:
        for name, parameter in parameters.items():
            change = gradients[name] + self.weight_decay * parameter
            if self.momentum:
                velocity = self._velocities.setdefault(name, np.zeros_like(parameter))
                velocity *= self.momentum
                velocity += change
                change = velocity
            np.subtract(parameter, self.rate * change, out=parameter)


@dataclass
class Adam:
    """Adam (Kingma and Ba, ICLR 2015, algorithm 1), with weight decay apart from the gradient (AdamW)."""

    rate: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    weight_decay: float = 0.0
    _steps: int = field(default=0, repr=False)
    _means: dict[str, Any] = field(default_factory=dict, repr=False)
    _squares: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        _check(rate=self.rate, epsilon=self.epsilon)
        _check_fractions(beta1=self.beta1, beta2=self.beta2)
        _check_not_negative(weight_decay=self.weight_decay)

    def update(self, parameters: Arrays, gradients: Arrays) -> None:
        self._steps += 1
        rate = self.rate * np.sqrt(1 - self.beta2**self._steps) / (1 - self.beta1**self._steps)
        floor = self.epsilon * np.sqrt(1 - self.beta2**self._steps)
        for name, parameter in parameters.items():
            mean = self._means.setdefault(name, np.zeros_like(parameter))
            square = self._squares.setdefault(name, np.zeros_like(parameter))
            mean += (1 - self.beta1) * (gradients[name] - mean)
            square += (1 - self.beta2) * (gradients[name] ** 2 - square)
            kept = parameter * (1 - self.rate * self.weight_decay)
            np.subtract(kept, rate * mean / (np.sqrt(square) + floor), out=parameter)


def _check(**numbers: float) -> None:
    for name, number in numbers.items():
        if not 0 < number < float("inf"):
            raise ValueError(f"{name}: expected a number above 0, found {number}")


def _check_fractions(**numbers: float) -> None:
    for name, number in numbers.items():
        if not 0 <= number < 1:
            raise ValueError(f"{name}: expected a number from 0 to below 1, found {number}")


def _check_not_negative(**numbers: float) -> None:
    for name, number in numbers.items():
        if not 0 <= number < float("inf"):
            raise ValueError(f"{name}: expected a number from 0 on, found {number}")
