"""warpAffine and warpPerspective give what OpenCV gives, and their matrices are OpenCV's."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.walle_task.image.examples import BORDERS, assert_near, constant, images, sizes
from walle_task import image

METHODS = ("INTER_NEAREST", "INTER_LINEAR", "INTER_CUBIC")
methods = st.sampled_from(METHODS)
borders = st.sampled_from(BORDERS)
values = st.tuples(*[st.integers(0, 255)] * 4)
angles = st.floats(-180, 180)
scales = st.floats(0.25, 4)
tilts = st.floats(-0.02, 0.02)


def about_the_middle(source, angle, scale):
    return cv2.getRotationMatrix2D((source.shape[1] / 2, source.shape[0] / 2), angle, scale)


@given(images(), sizes, angles, scales, methods, borders, values, st.booleans())
def test_affine(source, size, angle, scale, method, border, value, inverse):
    matrix = about_the_middle(source, angle, scale)
    theirs, ours = ({"borderMode": each, "borderValue": value} for each in constant(border))
    flag, own_flag = (each | (inverse * image.WARP_INVERSE_MAP) for each in constant(method))
    expected = cv2.warpAffine(source, matrix, size, flags=flag, **theirs)
    assert_near(image.warpAffine(source, matrix, size, flags=own_flag, **ours), expected)


@given(images(), sizes, angles, scales, tilts, tilts, methods, borders, values, st.booleans())
def test_perspective(source, size, angle, scale, right, down, method, border, value, inverse):
    matrix = np.vstack([about_the_middle(source, angle, scale), [right, down, 1]])
    theirs, ours = ({"borderMode": each, "borderValue": value} for each in constant(border))
    flag, own_flag = (each | (inverse * image.WARP_INVERSE_MAP) for each in constant(method))
    expected = cv2.warpPerspective(source, matrix, size, flags=flag, **theirs)
    assert_near(image.warpPerspective(source, matrix, size, flags=own_flag, **ours), expected)


@pytest.mark.parametrize("method", METHODS)
def test_of_more_than_one_block_of_rows(method):
    source = np.random.default_rng(1).integers(0, 256, (300, 500, 3), dtype=np.uint8)
    matrix = about_the_middle(source, 30, 0.8)
    tilted = np.vstack([matrix, [1e-4, 2e-4, 1]])
    theirs, ours = constant(method)
    assert_near(
        image.warpAffine(source, matrix, (600, 400), flags=ours),
        cv2.warpAffine(source, matrix, (600, 400), flags=theirs),
    )
    assert_near(
        image.warpPerspective(source, tilted, (600, 400), flags=ours),
        cv2.warpPerspective(source, tilted, (600, 400), flags=theirs),
    )


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("method", METHODS)
def test_of_positions_far_away(method, border):
    """Positions end at those of 16 bits."""
    source = np.random.default_rng(1).integers(0, 256, (5, 7), dtype=np.uint8)
    matrix = np.array([[3001.0, 0, -9e4], [0, 4003.0, -9e4]])
    (theirs, ours), (border_of_theirs, border_of_ours) = constant(method), constant(border)
    expected = cv2.warpAffine(
        source, matrix, (60, 60), flags=theirs | cv2.WARP_INVERSE_MAP, borderMode=border_of_theirs, borderValue=9
    )
    found = image.warpAffine(
        source, matrix, (60, 60), flags=ours | image.WARP_INVERSE_MAP, borderMode=border_of_ours, borderValue=9
    )
    assert_near(found, expected)


@pytest.mark.parametrize("matrix", [np.zeros((2, 3)), [[1, 2, 3], [2, 4, 6]]])
def test_a_matrix_that_cannot_be_inverted(matrix):
    source = np.arange(12, dtype=np.uint8).reshape(3, 4)
    matrix = np.array(matrix, np.float64)
    square = np.vstack([matrix, [0, 0, 1]])
    with np.errstate(all="raise"):
        affine, perspective = image.warpAffine(source, matrix, (5, 4)), image.warpPerspective(source, square, (5, 4))
    assert_near(affine, cv2.warpAffine(source, matrix, (5, 4)), 0)
    assert_near(perspective, cv2.warpPerspective(source, square, (5, 4)), 0)


# -- matrices


coordinates = st.floats(-1000, 1000, width=32)
points = st.tuples(coordinates, coordinates)


@given(points, angles, scales)
def test_rotation(center, angle, scale):
    expected = cv2.getRotationMatrix2D(center, angle, scale)
    assert np.allclose(image.getRotationMatrix2D(center, angle, scale), expected, atol=1e-9)


@given(st.lists(points, min_size=3, max_size=3), st.lists(points, min_size=3, max_size=3))
def test_three_points_make_an_affine_transform(source, target):
    assume(abs(np.linalg.det(np.column_stack([source, np.ones(3)]))) > 1)
    expected = cv2.getAffineTransform(np.float32(source), np.float32(target))
    found = image.getAffineTransform(source, target)
    assert np.allclose(found, expected, rtol=1e-6, atol=1e-6 * max(1, np.abs(expected).max()))
    assert np.allclose(np.column_stack([source, np.ones(3)]) @ found.T, target, atol=1e-3)


@given(st.lists(st.floats(0.1, 1), min_size=8, max_size=8), st.lists(st.floats(0.1, 1), min_size=8, max_size=8))
def test_four_points_make_a_perspective_transform(near, far):
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])  # one in each quadrant: no three on a line but by their size
    source, target = (signs * np.reshape(each, (4, 2)) * 100 for each in (near, far))
    triples = [(0, 1, 2), (1, 2, 3), (2, 3, 0), (3, 0, 1)]
    for corners in (source, target):
        areas = [abs(np.linalg.det(np.column_stack([corners[list(triple)], np.ones(3)]))) for triple in triples]
        assume(min(areas) > 100)
    found = image.getPerspectiveTransform(source, target)
    moved = np.column_stack([source, np.ones(4)]) @ found.T
    assert np.allclose(moved[:, :2] / moved[:, 2:], target, atol=1e-6)
    expected = cv2.getPerspectiveTransform(np.float32(source), np.float32(target))
    assert np.allclose(found, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max())


@given(angles, scales, points, st.sampled_from(["float32", "float64"]))
def test_an_affine_transform_is_inverted(angle, scale, center, dtype):
    matrix = cv2.getRotationMatrix2D(center, angle, scale).astype(dtype)
    found, expected = image.invertAffineTransform(matrix), cv2.invertAffineTransform(matrix)
    assert found.dtype == expected.dtype
    assert np.allclose(found, expected, atol=1e-9 if dtype == "float64" else 1e-3)


def test_points_on_a_line_make_no_transform():
    line = [(0, 0), (1, 1), (2, 2)]
    with pytest.raises(ValueError, match="getAffineTransform: expected points of which no three are on one line"):
        image.getAffineTransform(line, [(0, 0), (1, 0), (0, 1)])
    with pytest.raises(ValueError, match="getPerspectiveTransform: expected points"):
        image.getPerspectiveTransform([*line, (0, 0)], [(0, 0), (1, 0), (0, 1), (1, 1)])
