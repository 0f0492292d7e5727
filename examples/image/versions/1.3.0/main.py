"""Which digit is written in an 8x8 image: similarity to known digits, after the dirt beside the digit is wiped off."""

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
def load_model(path: Path) -> dict[str, NDArray[Any]]:
    """`known` images, shape (n, 64); their `coefficients`, shape (n, 10); the scalars `gamma`, `sharpness`."""
    with np.load(path) as model:
        loaded = dict(model)
    loaded["known"] = loaded["known"] / np.float32(BLACK)
    return loaded


def softmax(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    odds = np.exp(scores - scores.max())
    probabilities: NDArray[np.float32] = odds / odds.sum()
    return probabilities


def wipe(image: NDArray[np.float32]) -> NDArray[np.float32]:
    """The image with only paper beyond the blank columns that are nearest to its middle."""
    middle = image.shape[1] // 2
    blank = np.flatnonzero((image == 0).all(axis=0))
    left, right = blank[blank < middle][-1], blank[blank >= middle][0]
    clean = np.zeros_like(image)
    clean[:, left:right] = image[:, left:right]
    return clean


def digit_probabilities(image: NDArray[np.float32], model: dict[str, NDArray[Any]]) -> NDArray[np.float32]:
    distances = ((model["known"] - image.ravel() / BLACK) ** 2).sum(axis=1)
    scores = np.exp(-model["gamma"] * distances) @ model["coefficients"]
    return softmax(model["sharpness"] * scores)


def run(inputs: dict[str, Any], context: Context) -> dict[str, Any]:
    model = load_model(context.path("model.npz"))
    probabilities = digit_probabilities(wipe(inputs["image"]), model)
    label = int(probabilities.argmax())
    confidence = round(float(probabilities[label]), 4)
    context.metric("confidence", confidence)
    return {"label": label, "confidence": confidence}
