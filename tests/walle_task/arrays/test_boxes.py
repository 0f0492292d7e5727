"""Overlaps of boxes by counting pixels, and non-maximum suppression by its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle_task.arrays import box_iou, nms

SIDE = 12
places = st.integers(0, SIDE)
box = st.tuples(places, places, places, places).map(
    lambda each: (min(each[0], each[2]), min(each[1], each[3]), max(each[0], each[2]), max(each[1], each[3]))
)
boxes = st.lists(box, max_size=8)


def pixels(each) -> set[tuple[int, int]]:
    return {(x, y) for x in range(each[0], each[2]) for y in range(each[1], each[3])}


def overlap(first, second) -> float:
    together = pixels(first) | pixels(second)
    return len(pixels(first) & pixels(second)) / len(together) if together else 0.0


@given(boxes, boxes)
def test_overlaps_are_shares_of_pixels(first, second):
    found = box_iou(first, second)
    assert found.shape == (len(first), len(second))
    expected = [[overlap(a, b) for b in second] for a in first]
    assert np.allclose(found, np.reshape(expected, found.shape))


@given(st.lists(st.tuples(box, st.integers(0, 4)), max_size=8), st.floats(0, 1), st.none() | st.integers(0, 8))
def test_the_best_of_overlapping_boxes_is_kept(scored, threshold, most):
    found = [each for each, _ in scored]
    order = sorted(range(len(scored)), key=lambda place: (-scored[place][1], place))
    kept: list[int] = []
    for place in order:
        if all(box_iou([found[place]], [found[other]])[0, 0] <= threshold for other in kept):
            kept.append(place)
    assert nms(found, [float(score) for _, score in scored], threshold, most).tolist() == kept[:most]


@pytest.mark.parametrize(
    ("call", "error", "expected"),
    [
        (
            lambda: box_iou([[1, 2, 3]], []),
            ValueError,
            r"box_iou: expected boxes1 of the shape \(n, 4\), found \(1, 3\)",
        ),
        (lambda: box_iou([], [[3, 0, 1, 1]]), ValueError, "box_iou: expected boxes2 as finite"),
        (lambda: nms([[0, 0, 1, np.nan]], [1], 0.5), ValueError, "nms: expected boxes as finite"),
        (
            lambda: nms([[0, 0, 1, 1]], [1, 2], 0.5),
            ValueError,
            r"nms: expected scores of the shape \(1,\), found \(2,\)",
        ),
        (lambda: nms([[0, 0, 1, 1]], [np.nan], 0.5), ValueError, "nms: expected scores that are numbers, found NaN"),
        (lambda: nms([[0, 0, 1, 1]], [1], 1.5), ValueError, "nms: expected iou_threshold from 0 to 1, found 1.5"),
        (lambda: nms([[0, 0, 1, 1]], [1], "half"), TypeError, "nms: expected iou_threshold to be a number"),
        (lambda: nms([[0, 0, 1, 1]], [1], 0.5, -1), ValueError, "nms: expected max_boxes from 0"),
    ],
)
def test_bad_arguments(call, error, expected):
    with pytest.raises(error, match=expected):
        call()
