"""The examples of docs/guides/images.md do what the guide says."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from walleweb.config import BASE_DIR


@pytest.fixture(scope="module")
def guide() -> dict[str, Any]:
    """The names that the guide's Python defines."""
    found: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", (BASE_DIR / "docs/guides/images.md").read_text(), re.DOTALL):
        exec(block, found)
    return found


def test_a_frame_of_a_camera_becomes_what_a_classifier_takes(guide):
    frame = np.full((90, 80), 128, np.uint8)
    batch = guide["preprocess"](frame)
    assert (batch.shape, batch.dtype) == ((1, 3, 224, 224), np.float32)
    assert np.allclose(batch[0, :, 0, 0], (130 - np.array(guide["MEAN"])) / guide["STD"], atol=1e-5)
    assert [label for label, _ in guide["best"](np.arange(9.0))] == [8, 7, 6, 5, 4]


def test_boxes_of_a_detector_are_in_the_picture(guide):
    boxes = np.array([[0, 160, 64, 224], [1, 160, 64, 224], [320, 320, 384, 384]], np.float32)
    found = guide["detect"](np.zeros((100, 200, 3), np.uint8), lambda framed: (boxes, np.array([0.5, 0.9, 0.4])))
    assert np.allclose(found, [[0.3125, 0, 20, 20], [100, 50, 120, 70]])
