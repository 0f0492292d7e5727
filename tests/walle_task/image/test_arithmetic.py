"""copyMakeBorder, flip, rotate, transpose, threshold and normalize give what OpenCV gives."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.walle_task.image.examples import BORDERS, assert_near, constant, images
from walle_task import image

DTYPES = ("uint8", "uint16", "int16", "float32", "float64")
THRESHOLDS = ("THRESH_BINARY", "THRESH_BINARY_INV", "THRESH_TRUNC", "THRESH_TOZERO", "THRESH_TOZERO_INV")
ROTATIONS = ("ROTATE_90_CLOCKWISE", "ROTATE_180", "ROTATE_90_COUNTERCLOCKWISE")
counts = st.integers(0, 50)


@given(images(DTYPES), st.tuples(counts, counts, counts, counts), st.sampled_from(BORDERS), st.integers(0, 255))
def test_borders(source, added, border, value):
    theirs, ours = constant(border)
    expected = cv2.copyMakeBorder(source, *added, theirs, value=(value, 1, 2, 3))
    assert_near(image.copyMakeBorder(source, *added, ours, value=(value, 1, 2, 3)), expected, 0, 0)


def test_a_number_is_the_value_of_the_first_channel():
    source = np.zeros((1, 1, 3), np.uint8)
    expected = cv2.copyMakeBorder(source, 1, 0, 0, 0, cv2.BORDER_CONSTANT, value=9)
    assert image.copyMakeBorder(source, 1, 0, 0, 0, image.BORDER_CONSTANT, value=9).tolist() == expected.tolist()


@given(images(DTYPES), st.integers(-2, 2))
def test_flip(source, code):
    assert_near(image.flip(source, code), cv2.flip(source, code), 0, 0)


@given(images(DTYPES), st.sampled_from(ROTATIONS))
def test_rotate_and_transpose(source, rotation):
    theirs, ours = constant(rotation)
    assert_near(image.rotate(source, ours), cv2.rotate(source, theirs), 0, 0)
    assert_near(image.transpose(source), cv2.transpose(source), 0, 0)


@given(images(("uint8",)), st.floats(-20, 280), st.floats(0, 300), st.sampled_from(THRESHOLDS))
def test_threshold_of_bytes(source, thresh, most, kind):
    theirs, ours = constant(kind)
    value, expected = cv2.threshold(source, thresh, most, theirs)
    found = image.threshold(source, thresh, most, ours)
    assert found[0] == value
    assert_near(found[1], expected, 0)


@given(images(("float32",)), st.floats(-0.5, 1.5, width=32), st.floats(0, 2, width=32), st.sampled_from(THRESHOLDS))
def test_threshold_of_floats(source, thresh, most, kind):
    theirs, ours = constant(kind)
    value, expected = cv2.threshold(source, thresh, most, theirs)
    found = image.threshold(source, thresh, most, ours)
    assert found[0] == value
    assert_near(found[1], expected)


def test_a_threshold_is_rounded_to_the_dtype_of_floats():
    source = np.array([[0.1]], np.float32)
    assert image.threshold(source, 0.1, 1, image.THRESH_BINARY)[1].tolist() == [[0.0]]
    assert cv2.threshold(source, 0.1, 1, cv2.THRESH_BINARY)[1].tolist() == [[0.0]]


@given(images(("uint8",), (1,)))
def test_threshold_of_otsu(source):
    value, expected = cv2.threshold(source, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    found = image.threshold(source, 0, 255, image.THRESH_BINARY | image.THRESH_OTSU)
    assert found[0] == value
    assert_near(found[1], expected, 0)


def test_otsu_is_for_bytes_of_one_channel():
    with pytest.raises(ValueError, match="expected uint8 of one channel for THRESH_OTSU"):
        image.threshold(np.zeros((2, 2), np.float32), 0, 1, image.THRESH_OTSU)


@given(images(), st.sampled_from(["NORM_INF", "NORM_L1", "NORM_L2", "NORM_MINMAX"]), st.integers(0, 200))
def test_normalize(source, norm, beta):
    theirs, ours = constant(norm)
    alpha, beta = (200, beta) if source.dtype == np.uint8 else (1, beta / 200)
    assert_near(image.normalize(source, None, alpha, beta, ours), cv2.normalize(source, None, alpha, beta, theirs))


@pytest.mark.parametrize("name", ["CV_8U", "CV_16U", "CV_16S", "CV_32F", "CV_64F"])
def test_normalize_to_another_dtype(name):
    source, (theirs, ours) = np.array([[10, 20], [30, 50]], np.uint8), constant(name)
    expected = cv2.normalize(source, None, 0, 1, cv2.NORM_MINMAX, theirs)
    for each in (ours, expected.dtype):
        assert_near(image.normalize(source, None, 0, 1, image.NORM_MINMAX, each), expected)
