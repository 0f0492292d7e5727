"""GaussianBlur and blur give what OpenCV gives."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.walle_task.image.examples import FILTER_BORDERS, assert_near, constant, images
from walle_task import image
from walle_task.image.filtering import window_sums

borders = st.sampled_from(FILTER_BORDERS)
odd = st.integers(0, 7).map(lambda half: 2 * half + 1)
DTYPES = ("uint8", "uint16", "int16", "float32", "float64")


@given(images(DTYPES), odd, odd, st.floats(0.2, 6), st.floats(0, 6), borders)
def test_gaussian_of_a_size(source, width, height, sigma_x, sigma_y, border):
    theirs, ours = constant(border)
    expected = cv2.GaussianBlur(source, (width, height), sigma_x, sigmaY=sigma_y, borderType=theirs)
    assert_near(image.GaussianBlur(source, (width, height), sigma_x, sigmaY=sigma_y, borderType=ours), expected)


@given(images(DTYPES), odd, borders)
def test_gaussian_whose_sigma_follows(source, size, border):
    theirs, ours = constant(border)
    expected = cv2.GaussianBlur(source, (size, size), 0, borderType=theirs)
    assert_near(image.GaussianBlur(source, (size, size), 0, borderType=ours), expected)


@given(images(DTYPES), st.floats(0.2, 4), borders)
def test_gaussian_whose_size_follows(source, sigma, border):
    theirs, ours = constant(border)
    expected = cv2.GaussianBlur(source, (0, 0), sigma, borderType=theirs)
    assert_near(image.GaussianBlur(source, (0, 0), sigma, borderType=ours), expected)


@given(st.integers(0, 20).map(lambda half: 2 * half + 1), st.floats(0, 9), st.sampled_from(["CV_32F", "CV_64F"]))
def test_gaussian_kernel(size, sigma, depth):
    theirs, ours = constant(depth)
    expected, found = cv2.getGaussianKernel(size, sigma, theirs), image.getGaussianKernel(size, sigma, ours)
    assert_near(found, expected, tolerance=1e-12 if depth == "CV_64F" else 1e-7)


@given(images(DTYPES), st.integers(1, 15), st.integers(1, 15), borders, st.data())
def test_blur(source, width, height, border, data):
    anchor = data.draw(st.tuples(st.integers(-1, width - 1), st.integers(-1, height - 1)))
    theirs, ours = constant(border)
    expected = cv2.blur(source, (width, height), anchor=anchor, borderType=theirs)
    assert_near(image.blur(source, (width, height), anchor=anchor, borderType=ours), expected)


def test_of_more_than_one_block_of_rows():
    source = np.random.default_rng(1).integers(0, 256, (300, 500, 3), dtype=np.uint8)
    assert_near(image.GaussianBlur(source, (9, 5), 1.5), cv2.GaussianBlur(source, (9, 5), 1.5), 0)
    assert_near(image.blur(source, (9, 5)), cv2.blur(source, (9, 5)))


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=40), st.data())
def test_window_sums(values, data):
    length = data.draw(st.integers(1, len(values)))
    expected = [sum(values[first : first + length]) for first in range(len(values) - length + 1)]
    assert window_sums(np.array(values), length).tolist() == expected


@pytest.mark.parametrize("size", [(2, 3), (3, -1), (0, 3), (1025, 3)])
def test_a_kernel_that_is_none(size):
    with pytest.raises(ValueError, match="GaussianBlur: expected ksize to be odd, from 1 to 1023, or 0 with a sigma"):
        image.GaussianBlur(np.zeros((4, 4), np.uint8), size, 0)


def test_an_anchor_beyond_the_kernel():
    with pytest.raises(ValueError, match="blur: expected ksize up to 1023 and anchor within it"):
        image.blur(np.zeros((4, 4), np.uint8), (3, 3), anchor=(3, 0))


def test_a_border_that_filters_do_not_know():
    with pytest.raises(ValueError, match=r"expected borderType to be BORDER_CONSTANT, .* found 3"):
        image.blur(np.zeros((4, 4), np.uint8), (3, 3), borderType=image.BORDER_WRAP)
