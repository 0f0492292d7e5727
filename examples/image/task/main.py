"""Which digit is written in an 8x8 image: one linear layer and a softmax, in numpy."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from walle.container import Context

BLACK = 16.0  # the value of a pixel that is all ink; 0 is paper


@cache
def load_model(path: Path) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Weights, shape (64, 10), and bias, shape (10,)."""
    with np.load(path) as model:
        return model["weights"], model["bias"]


def softmax(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    odds = np.exp(scores - scores.max())
    probabilities: NDArray[np.float32] = odds / odds.sum()
    return probabilities


def run(inputs: dict[str, Any], context: Context) -> dict[str, Any]:
    weights, bias = load_model(context.path("model.npz"))
    pixels = inputs["image"].ravel() / BLACK
    probabilities = softmax(pixels @ weights + bias)
    label = int(probabilities.argmax())
    confidence = round(float(probabilities[label]), 4)
    context.metric("confidence", confidence)
    return {"label": label, "confidence": confidence}
