"""letterbox keeps the shape of what is in an image, and boxes find their way back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from tests.walle_task.image.examples import images, sizes
from walle_task import image


@given(images(), sizes)
def test_the_image_is_in_the_middle_of_a_frame(source, size):
    framed = image.letterbox(source, size, value=7)
    width, height = (max(1, round(side * framed.scale)) for side in (source.shape[1], source.shape[0]))
    assert framed.image.shape == (size[1], size[0], *source.shape[2:])
    assert framed.scale == min(size[0] / source.shape[1], size[1] / source.shape[0])
    inside = slice(framed.top, framed.top + height), slice(framed.left, framed.left + width)
    assert np.array_equal(framed.image[inside], image.resize(source, (width, height)))
    border = np.ones(framed.image.shape[:2], bool)
    border[inside] = False
    assert (framed.image[border] == 7).all()
    assert abs(size[0] - width - 2 * framed.left) <= 1
    assert abs(size[1] - height - 2 * framed.top) <= 1


def test_boxes_find_their_way_back():
    framed = image.letterbox(np.zeros((50, 100, 3), np.uint8), (200, 200))
    assert (framed.scale, framed.left, framed.top) == (2.0, 0, 50)
    assert framed.to_source([[20, 70, 40, 150]]).tolist() == [[10, 10, 20, 50]]
    with pytest.raises(ValueError, match=r"to_source: expected boxes of the shape \(n, 4\), found \(4,\)"):
        framed.to_source([1, 2, 3, 4])


def test_a_value_for_each_channel():
    framed = image.letterbox(np.zeros((1, 2, 3), np.uint8), (2, 2), value=(1, 2, 3))
    assert framed.image[1, 0].tolist() == [1, 2, 3]
