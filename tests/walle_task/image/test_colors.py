"""cvtColor gives what OpenCV gives, for all codes; constants have OpenCV's values."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.walle_task.image.examples import assert_near, images
from walle_task import image
from walle_task.image import constants

pytestmark = pytest.mark.slow

CODES = sorted(name for name in vars(constants) if name.startswith("COLOR_"))
LAYOUTS = ("NV12", "NV21", "I420", "YV12", "420")
FROM_LAYOUT = [name for name in CODES if name.endswith(LAYOUTS) and name.startswith("COLOR_YUV2")]
TO_LAYOUT = [name for name in CODES if name.endswith(LAYOUTS) and name not in FROM_LAYOUT]
PLAIN = [name for name in CODES if not name.endswith(LAYOUTS)]
even = st.integers(1, 20).map(lambda half: half * 2)


def channels_of(name: str) -> int:
    source = name.removeprefix("COLOR_").partition("2")[0]
    return 1 if source == "GRAY" else 4 if source.endswith("A") else 3


def convert(name, source):
    return image.cvtColor(source, getattr(image, name)), cv2.cvtColor(source, getattr(cv2, name))


def test_constants_are_those_of_opencv():
    ours = {name: value for name, value in vars(constants).items() if name.isupper() or name.startswith("COLOR_")}
    assert ours == {name: getattr(cv2, name) for name in ours}
    assert len(CODES) == 65


@pytest.mark.parametrize("name", PLAIN)
@given(st.data())
def test_between_spaces(name, data):
    source = data.draw(images(channels=(channels_of(name),)))
    if name.startswith("COLOR_HSV"):  # hue: degrees, or half of them
        source[..., 0] = source[..., 0] * 360 if source.dtype == np.float32 else source[..., 0] % 180
    found, expected = convert(name, source)
    if "2HSV" in name and source.dtype == np.float32:  # degrees
        assert_near(found[..., 0] / 360, expected[..., 0] / 360)
        found, expected = found[..., 1:], expected[..., 1:]
    assert_near(found, expected, levels=0 if "HSV" in name.partition("2")[2] else 1)


@pytest.mark.parametrize("name", FROM_LAYOUT)
@given(st.data())
def test_from_a_camera(name, data):
    height, width = data.draw(even), data.draw(even)
    source = data.draw(images(("uint8",), (1,), st.just(height * 3 // 2), st.just(width)))
    assert_near(*convert(name, source), levels=0)


@pytest.mark.parametrize("name", TO_LAYOUT)
@given(st.data())
def test_to_a_layout_of_cameras(name, data):
    source = data.draw(images(("uint8",), (channels_of(name),), even, even))
    assert_near(*convert(name, source), levels=1)


@pytest.mark.parametrize("name", ["COLOR_BGR2HSV", "COLOR_RGB2GRAY", "COLOR_BGR2YUV"])
def test_of_all_colours_of_some_bits(name):
    """More than one block of rows, and every hue."""
    levels = np.arange(0, 256, 5, dtype=np.uint8)
    source = np.stack(np.meshgrid(levels, levels, levels), axis=-1).reshape(-1, len(levels), 3)
    assert_near(*convert(name, source), levels=0)


@pytest.mark.parametrize("shape", [(6, 5), (7, 6), (8, 6)])
def test_a_layout_of_an_odd_size(shape):
    with pytest.raises(ValueError, match="expected 4:2:0 of the shape"):
        image.cvtColor(np.zeros(shape, np.uint8), image.COLOR_YUV2RGB_NV21)


def test_an_odd_image_has_no_layout():
    with pytest.raises(ValueError, match="expected an even height and width"):
        image.cvtColor(np.zeros((4, 5, 3), np.uint8), image.COLOR_RGB2YUV_I420)


@pytest.mark.parametrize("code", [-1, 7777, "COLOR_BGR2RGB", None, 4.0])
def test_an_unknown_code(code):
    with pytest.raises(ValueError, match="expected code to be a constant COLOR_"):
        image.cvtColor(np.zeros((4, 4, 3), np.uint8), code)


def test_another_number_of_channels():
    with pytest.raises(ValueError, match=r"expected an image of the shape \(height, width, 3\), found \(4, 4\)"):
        image.cvtColor(np.zeros((4, 4), np.uint8), image.COLOR_BGR2RGB)
