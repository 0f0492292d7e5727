"""Drawing functions draw the pixels that OpenCV draws, also those of shapes that leave the image."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle_task import image

HEIGHT, WIDTH = 30, 44
COLOUR = (1, 20, 255)
lines = st.sampled_from([image.LINE_4, image.LINE_8])
shifts = st.sampled_from([0, 0, 1, 3])


@st.composite
def points(draw, shift=0):
    x, y = draw(st.integers(-30, WIDTH + 30)), draw(st.integers(-30, HEIGHT + 30))
    return tuple((each << shift) + draw(st.integers(0, (1 << shift) - 1)) for each in (x, y))


def polygons(shift=0):
    return st.lists(st.lists(points(shift), min_size=1, max_size=7), min_size=1, max_size=3)


def assert_same(name, *arguments, **named):
    ours, theirs = np.zeros((HEIGHT, WIDTH, 3), np.uint8), np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    assert getattr(image, name)(ours, *arguments, **named) is ours
    getattr(cv2, name)(theirs, *arguments, **named)
    assert np.array_equal(ours, theirs), np.argwhere((ours != theirs).any(axis=2))


@given(st.data(), shifts, lines, st.integers(1, 9))
def test_line(data, shift, kind, thickness):
    start, end = data.draw(points(shift)), data.draw(points(shift))
    assert_same("line", start, end, COLOUR, thickness=thickness, lineType=kind, shift=shift)


@given(st.data(), shifts, lines, st.sampled_from([image.FILLED, 1, 2, 5]))
def test_rectangle(data, shift, kind, thickness):
    corner, opposite = data.draw(points(shift)), data.draw(points(shift))
    assert_same("rectangle", corner, opposite, COLOUR, thickness=thickness, lineType=kind, shift=shift)


@given(st.data(), shifts, lines, st.sampled_from([image.FILLED, 1, 2, 5]), st.integers(0, 40))
def test_circle(data, shift, kind, thickness, radius):
    center = data.draw(points(shift))
    assert_same("circle", center, radius << shift, COLOUR, thickness=thickness, lineType=kind, shift=shift)


@given(st.data(), shifts, lines, st.booleans(), st.sampled_from([1, 2, 5]))
def test_polylines(data, shift, kind, closed, thickness):
    curves = [np.array(curve, np.int32) for curve in data.draw(polygons(shift))]
    assert_same("polylines", curves, closed, COLOUR, thickness=thickness, lineType=kind, shift=shift)


@given(st.data(), shifts, points())
def test_fill_poly(data, shift, offset):
    curves = [np.array(curve, np.int32) for curve in data.draw(polygons(shift))]
    assert_same("fillPoly", curves, COLOUR, shift=shift)
    if shift == 0:
        assert_same("fillPoly", curves, COLOUR, offset=offset)
        assert_same("fillPoly", curves, COLOUR, lineType=image.LINE_4)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("shape", [(9, 9), (9, 9, 1), (9, 9, 4)])
def test_in_images_of_any_kind(dtype, shape):
    drawn = image.circle(np.zeros(shape, dtype), (4, 4), 3, (7, 8, 9, 10), image.FILLED)
    channels = shape[2] if len(shape) == 3 else 1
    assert drawn[4, 4].reshape(-1).tolist() == [7, 8, 9, 10][:channels]
    assert drawn[0, 0].reshape(-1).tolist() == [0] * channels


def test_in_a_part_of_an_image():
    whole = np.zeros((6, 6), np.uint8)
    image.line(whole[1:4, 1:4], (-9, 1), (9, 1), 5)
    assert np.argwhere(whole).tolist() == [[2, 1], [2, 2], [2, 3]]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda picture: image.line(picture, (0, 0), (1, 1), 1, 0), "expected thickness to be 1 to 32767, found 0"),
        (lambda picture: image.line(picture, (0, 0), (1, 1), 1, 1, 16), "expected lineType to be LINE_4 or LINE_8"),
        (lambda picture: image.line(picture, (0, 2**31 - 1), (1, 1), 1), "expected pt1 within 1073741824"),
        (lambda picture: image.line(picture, (0, 0), (1, 1), 1, shift=17), "expected shift from 0 to 16, found 17"),
        (lambda picture: image.rectangle(picture, (0, 0), (1, 1), 1, -2), "expected thickness to be FILLED or 1"),
        (lambda picture: image.circle(picture, (0, 0), -1, 1), "expected radius from 0"),
        (lambda picture: image.fillPoly(picture, [np.zeros((0, 2), int)], 1), r"expected points of the shape \(n, 2\)"),
        (lambda picture: image.fillPoly(picture, [np.zeros((4, 3), int)], 1), r"expected points of the shape \(n, 2\)"),
    ],
)
def test_bad_values(call, expected):
    with pytest.raises(ValueError, match=expected):
        call(np.zeros((4, 4), np.uint8))


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda picture: image.line(picture, (0, 0.5), (1, 1), 1), "expected pt1 to be an integer, found 0.5"),
        (lambda picture: image.line(picture, 5, (1, 1), 1), "expected pt1 to be a pair of integers, found 5"),
        (lambda picture: image.line(picture, (0, 0), (1, 1), "red"), "expected color to be a number, found 'red'"),
        (lambda picture: image.polylines(picture, 3, True, 1), "expected pts to be a list of arrays"),
        (lambda picture: image.polylines(picture, [[(0.5, 1)]], True, 1), "expected points as integers"),
        (lambda picture: image.polylines(picture, [[(1, 1), (1,)]], True, 1), "expected points as integers"),
    ],
)
def test_bad_types(call, expected):
    with pytest.raises(TypeError, match=expected):
        call(np.zeros((4, 4), np.uint8))


def test_an_image_that_cannot_be_written_to():
    picture = np.zeros((4, 4), np.uint8)
    picture.flags.writeable = False
    for each in (picture, np.zeros((4, 4), ">f4")):
        with pytest.raises(ValueError, match="line: expected an image that can be written to"):
            image.line(each, (0, 0), (1, 1), 1)
