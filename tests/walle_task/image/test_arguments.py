"""What is no image, no size and no choice is refused with what was expected; results go where OpenCV puts them."""

from __future__ import annotations

import importlib
import sys

import numpy as np
import pytest

from walle_task import image

PICTURE = np.zeros((4, 6, 3), np.uint8)
MATRIX = np.eye(2, 3)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ([[1, 2]], "resize: expected an image as a numpy array, found list"),
        (None, "resize: expected an image as a numpy array, found NoneType"),
        (np.zeros((2, 2), bool), "expected an image of uint8, uint16, int16, float32 or float64, found bool"),
        (np.zeros((2, 2), np.int64), "found int64"),
        (np.zeros((2, 2), complex), "found complex128"),
        (np.zeros((2, 2), object), "found object"),
    ],
)
def test_what_is_no_image(source, expected):
    with pytest.raises(TypeError, match=expected):
        image.resize(source, (3, 3))


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((), r"expected an image of the shape \(height, width\) or \(height, width, 2, 3 or 4\), found \(\)"),
        ((4,), r"found \(4,\)"),
        ((4, 4, 5), r"found \(4, 4, 5\)"),
        ((4, 4, 0), r"found \(4, 4, 0\)"),
        ((1, 4, 4, 3), r"found \(1, 4, 4, 3\)"),
        ((0, 4), "expected sides from 1 to 32766 pixels, found 4 x 0"),
        ((40000, 1), "found 1 x 40000"),
    ],
)
def test_shapes_that_are_none_of_an_image(shape, expected):
    with pytest.raises(ValueError, match=expected):
        image.resize(np.zeros(shape, np.uint8), (3, 3))


@pytest.mark.parametrize(
    ("size", "error", "expected"),
    [
        (3, TypeError, "resize: expected dsize to be a pair of integers, found 3"),
        ((3, 4, 5), TypeError, "expected dsize to be a pair of integers"),
        ("34", TypeError, "expected dsize to be a pair of integers"),
        ((3.0, 4), TypeError, "expected dsize to be an integer, found 3.0"),
        ((True, 4), TypeError, "expected dsize to be an integer, found True"),
        ((0, 4), ValueError, r"expected dsize to be \(width, height\) from 1 to 32766, found \(0, 4\)"),
        ((4, 10**6), ValueError, "from 1 to 32766"),
        ((4, 10**12), ValueError, "expected dsize to be an integer of 32 bits"),
        ((0, 0), ValueError, "expected dsize, or fx and fy above 0, found fx 0.0 and fy 0.0"),
        (None, ValueError, "expected dsize, or fx and fy above 0, found fx 0.0 and fy 0.0"),
    ],
)
def test_sizes_that_are_none(size, error, expected):
    with pytest.raises(error, match=expected):
        image.resize(PICTURE, size)


@pytest.mark.parametrize(
    ("factor", "error"), [(-1, ValueError), (float("nan"), ValueError), (1e9, ValueError), ("2", TypeError)]
)
def test_factors_that_are_none(factor, error):
    with pytest.raises(error, match="resize: expected"):
        image.resize(PICTURE, None, fx=factor, fy=factor)


@pytest.mark.parametrize(
    ("matrix", "error", "expected"),
    [
        (np.eye(3), ValueError, r"warpAffine: expected M to have the shape \(2, 3\), found \(3, 3\)"),
        (np.full((2, 3), np.nan), ValueError, "warpAffine: expected M to be finite"),
        ("matrix", TypeError, r"warpAffine: expected M to be numbers of the shape \(2, 3\), found 'matrix'"),
        ([[1, 2, 3], [4]], TypeError, "expected M to be numbers"),
    ],
)
def test_matrices_that_are_none(matrix, error, expected):
    with pytest.raises(error, match=expected):
        image.warpAffine(PICTURE, matrix, (3, 3))


@pytest.mark.parametrize(
    "call",
    [
        lambda: image.resize(PICTURE, (3, 3), interpolation=9),
        lambda: image.warpAffine(PICTURE, MATRIX, (3, 3), flags=image.INTER_AREA),
        lambda: image.warpAffine(PICTURE, MATRIX, (3, 3), borderMode=5),
        lambda: image.rotate(PICTURE, 3),
        lambda: image.threshold(PICTURE, 1, 1, 7),
        lambda: image.normalize(PICTURE, norm_type=3),
        lambda: image.copyMakeBorder(PICTURE, 1, 1, 1, 1, 9),
        lambda: image.copyMakeBorder(PICTURE, -1, 1, 1, 1, 0),
        lambda: image.copyMakeBorder(PICTURE, 1, 1, 1, 40000, 0),
        lambda: image.copyMakeBorder(PICTURE, 1, 1, 1, 1, 0, value=(1, 2, 3, 4, 5)),
    ],
)
def test_choices_that_there_are_not(call):
    with pytest.raises(ValueError, match="expected"):
        call()


def test_a_result_is_written_to_what_is_given():
    target = np.ones((3, 2, 3), np.uint8)
    assert image.resize(PICTURE, (2, 3), target) is target
    assert not target.any()
    for other in (np.ones((3, 2), np.uint8), np.ones((3, 2, 3), np.float32), []):
        with pytest.raises(ValueError, match=r"resize: expected dst to be None or uint8 \(3, 2, 3\), found"):
            image.resize(PICTURE, (2, 3), other)


def test_one_channel_is_no_axis():
    assert image.flip(np.zeros((4, 6, 1), np.uint8), 0).shape == (4, 6)


def test_images_may_be_of_another_byte_order():
    source = np.arange(12, dtype=">f8").reshape(3, 4)
    found = image.resize(source, (8, 6))
    assert found.dtype == np.float64
    assert np.array_equal(found, image.resize(source.astype(np.float64), (8, 6)))


def test_images_need_not_be_contiguous():
    source = np.random.default_rng(0).integers(0, 256, (20, 30, 4), dtype=np.uint8)
    part = source[2:18:2, ::-1, :3]
    for function in (
        lambda each: image.resize(each, (11, 13)),
        lambda each: image.warpAffine(each, MATRIX * 1.3, (20, 20)),
        lambda each: image.GaussianBlur(each, (5, 5), 0),
        lambda each: image.cvtColor(each, image.COLOR_BGR2HSV),
    ):
        assert np.array_equal(function(part), function(part.copy()))


def test_without_numpy_it_says_what_to_declare(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.delitem(sys.modules, "walle_task.image")
    with pytest.raises(ModuleNotFoundError, match=r"walle_task.image needs numpy: expected requires.modules") as found:
        importlib.import_module("walle_task.image")
    assert found.value.name == "numpy"


def test_what_opencv_has_beside_is_said_to_be_missing():
    with pytest.raises(AttributeError, match="has no LINE_AA: expected one of the functions and constants of OpenCV"):
        image.LINE_AA  # noqa: B018
    assert not hasattr(image, "putText")


@pytest.mark.parametrize("dtype", ["int64", image.CV_8U + 1, "nothing", 3.5])
def test_what_is_no_dtype_of_pixels(dtype):
    with pytest.raises(TypeError, match="normalize: expected dtype to be uint8, uint16, int16, float32 or float64, or"):
        image.normalize(PICTURE, dtype=dtype)
