"""resize gives what OpenCV gives, for all interpolations, sizes and dtypes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.walle_task.image.examples import assert_near, constant, images, sizes
from walle_task import image

METHODS = ("INTER_NEAREST", "INTER_LINEAR", "INTER_CUBIC", "INTER_AREA")
DTYPES = ("uint8", "uint16", "int16", "float32", "float64")


@given(images(DTYPES), sizes, st.sampled_from(METHODS))
def test_to_a_size(source, size, method):
    theirs, ours = constant(method)
    assert_near(image.resize(source, size, interpolation=ours), cv2.resize(source, size, interpolation=theirs))


@given(images(), st.sampled_from([0.3, 0.5, 1.5, 2.0]), st.sampled_from([0.4, 0.5, 1.0, 3.0]), st.sampled_from(METHODS))
def test_by_factors(source, fx, fy, method):
    assume(round(source.shape[1] * fx) and round(source.shape[0] * fy))
    theirs, ours = constant(method)
    expected = cv2.resize(source, None, fx=fx, fy=fy, interpolation=theirs)
    for size in (None, (0, 0)):
        assert_near(image.resize(source, size, fx=fx, fy=fy, interpolation=ours), expected)


@given(st.data(), st.integers(1, 5), st.integers(1, 5))
def test_whole_blocks_are_averaged(data, across, down):
    width, height = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    source = data.draw(images(DTYPES, height=st.just(height * down), width=st.just(width * across)))
    expected = cv2.resize(source, (width, height), interpolation=cv2.INTER_AREA)
    levels = 0 if (across, down) == (2, 2) else 1
    found = image.resize(source, (width, height), interpolation=image.INTER_AREA)
    assert_near(found, expected, levels if source.dtype != np.int16 else 1)


@given(st.data())
def test_two_by_two_integers_are_averaged_exactly(data):
    width, height = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    source = data.draw(images(("uint8", "uint16"), height=st.just(height * 2), width=st.just(width * 2)))
    expected = cv2.resize(source, (width, height), interpolation=cv2.INTER_AREA)
    assert_near(image.resize(source, (width, height), interpolation=image.INTER_AREA), expected, 0)


@pytest.mark.parametrize("shape", [(7, 7), (7, 6), (6, 7), (3, 3, 3)])
def test_a_last_block_that_is_not_whole(shape):
    source = np.random.default_rng(2).random(shape).astype(np.float32)
    expected = cv2.resize(source, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    assert_near(image.resize(source, None, fx=0.5, fy=0.5, interpolation=image.INTER_AREA), expected)


@pytest.mark.parametrize("method", METHODS)
def test_of_a_long_line_of_floats(method):
    """Positions are rounded to float32, as OpenCV's: so far from the beginning that shows."""
    source = np.random.default_rng(3).integers(0, 2, (1, 20_000)).astype(np.float32)
    theirs, ours = constant(method)
    expected = cv2.resize(source, (30_001, 1), interpolation=theirs)
    assert_near(image.resize(source, (30_001, 1), interpolation=ours), expected)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [(1500, 900), (130, 70), (64, 2000)])
def test_of_more_than_one_block_of_rows(method, size):
    source = np.random.default_rng(1).integers(0, 256, (300, 500, 3), dtype=np.uint8)
    theirs, ours = constant(method)
    assert_near(image.resize(source, size, interpolation=ours), cv2.resize(source, size, interpolation=theirs))


def test_the_source_stays_as_it_is():
    source = np.arange(12, dtype=np.float32).reshape(3, 4)
    for method in METHODS:
        assert image.resize(source, (4, 3), interpolation=constant(method)[1]) is not source
        image.resize(source, (7, 5), interpolation=constant(method)[1])
    assert source.tolist() == np.arange(12).reshape(3, 4).tolist()
