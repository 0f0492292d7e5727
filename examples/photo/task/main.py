"""Which digit is on the sheet before the camera: image steps of walle_task.image, then a convolution net."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import walle_task.image as cv2
from walle_task.arrays import softmax

if TYPE_CHECKING:
    from walle.container import Context

SIDE = 16
CONTRAST = 20.0  # what ink is darker than paper, at least
LIGHT = (31, 31)  # light changes over so many pixels, and ink does within them


def digit_in(frame: NDArray[np.uint8]) -> NDArray[np.float32] | None:
    """The digit in a frame of the camera (NV21), as 16x16 pixels from 0 (paper) to 1 (ink); None if there is none."""
    gray = cv2.cvtColor(frame, cv2.COLOR_YUV2GRAY_NV21)
    evened = cv2.GaussianBlur(gray, (5, 5), 0).astype(np.int16) - cv2.blur(gray, LIGHT)
    flat = np.clip(evened + 128, 0, 255).astype(np.uint8)
    _, ink = cv2.threshold(flat, 0, 255, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
    if not ink.any() or flat[ink == 0].mean() - flat[ink > 0].mean() < CONTRAST:
        return None
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    cut = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    framed = cv2.letterbox(cut, (SIDE * 4, SIDE * 4), value=0, interpolation=cv2.INTER_AREA).image
    small = cv2.resize(framed, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return small * np.float32(1 / 255)


def run(inputs: dict[str, Any], context: Context) -> dict[str, Any]:
    digit = digit_in(inputs["frame"])
    if digit is None:
        return {"label": -1, "confidence": 0.0}
    scores = context.model("digits").run({"image": digit.reshape(1, 1, SIDE, SIDE)})["scores"]
    probabilities = softmax(scores[0])
    label = int(probabilities.argmax())
    confidence = round(float(probabilities[label]), 4)
    context.metric("confidence", confidence)
    return {"label": label, "confidence": confidence}
