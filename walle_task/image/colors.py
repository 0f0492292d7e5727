"""cvtColor: between RGB, BGR, gray, HSV, YCrCb and YUV, and the 4:2:0 layouts that cameras of phones give.

Followed from OpenCV: 8-bit gray, YUV, YCrCb and 4:2:0 in its integers (shifts by 14, 15 or 20), 8-bit HSV by its tables
of reciprocals in 12 bits, with hue from 0 to 179, or to 255 with `_FULL`. Floats are from 0 to 1, hue in degrees, and
the chroma of YUV and YCrCb about 0.5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from walle_task.image import constants
from walle_task.image.pixels import UINT8_OR_FLOAT32, Image, as_image, given, row_blocks, saturated, shown

GRAY_SHIFT: Final = 15
GRAY_WEIGHTS: Final = (9798, 19235, 3735)
"""Of red, green and blue, in units of 2**-15."""
YUV_SHIFT: Final = 14
HSV_SHIFT: Final = 12
VIDEO_SHIFT: Final = 20
_OPAQUE: Final = {"uint8": 255, "float32": 1.0}

Planes = tuple[Image, Image, Image]
RGB: Final = (0, 1, 2)
BGR: Final = (2, 1, 0)


@dataclass(frozen=True)
class Conversion:
    """One code: what it does, with images of which channels and dtypes, and whether with a `whole` one or any rows."""

    function: Callable[[Image], Image]
    channels: tuple[int, ...]
    depths: tuple[str, ...] = UINT8_OR_FLOAT32
    whole: bool = False


def cvtColor(src: Image, code: int, dst: Image | None = None) -> Image:
    """Return an image in another colour space: `code` is one of the constants COLOR_*.

    Pixels are uint8 or float32. The 4:2:0 codes take uint8 (height * 3 / 2, width), as cameras give them: all of Y, and
    behind it U and V, interleaved (NV12, NV21) or one after the other (I420, YV12).
    """
    who = "cvtColor"
    conversion = CONVERSIONS.get(code) if isinstance(code, int) else None
    if conversion is None:
        raise ValueError(f"{who}: expected code to be a constant COLOR_* of walle_task.image, found {shown(code)}")
    image = as_image(who, src, conversion.depths, conversion.channels)
    if conversion.whole:
        return given(conversion.function(image), dst, who)
    parts = [conversion.function(image[block]) for block in row_blocks(image.shape[0], image.shape[1])]
    return given(np.concatenate(parts), dst, who)


def _planes(image: Image, order: Sequence[int], dtype: type) -> Planes:
    """Return three channels, each contiguous, in an order: that of red, green and blue in the image."""
    first, second, third = order
    return image[:, :, first].astype(dtype), image[:, :, second].astype(dtype), image[:, :, third].astype(dtype)


def _stacked(planes: Sequence[Image], order: Sequence[int], dtype: np.dtype[Any], channels: int = 3) -> Image:
    """Return an image of planes, each put where `order` says; a fourth channel is opaque."""
    image = np.empty((*planes[0].shape, channels), dtype)
    for plane, channel in zip(planes, order, strict=True):
        image[:, :, channel] = plane
    if channels > len(planes):
        image[:, :, 3] = _OPAQUE[dtype.name]
    return image


# -- channels and gray


def _picked(order: Sequence[int], channels: int) -> Callable[[Image], Image]:
    """Return the function that gives these channels of an image; one that it has not is opaque."""

    def convert(image: Image) -> Image:
        return _stacked([image[:, :, channel] for channel in order], range(len(order)), image.dtype, channels)

    return convert


def _gray(order: Sequence[int]) -> Callable[[Image], Image]:
    def convert(image: Image) -> Image:
        if image.dtype == np.uint8:
            red, green, blue = _planes(image, order, np.uint32)
            weighed = red * GRAY_WEIGHTS[0] + green * GRAY_WEIGHTS[1] + blue * GRAY_WEIGHTS[2]
            return np.asarray((weighed + (1 << (GRAY_SHIFT - 1))) >> GRAY_SHIFT, np.uint8)
        red, green, blue = _planes(image, order, np.float32)
        return red * np.float32(0.299) + green * np.float32(0.587) + blue * np.float32(0.114)

    return convert


# -- luma and chroma


@dataclass(frozen=True)
class Chroma:
    """A space of a luma and two differences to it: where those of red and blue are, and the factors there and back."""

    red_at: int
    blue_at: int
    red: float
    blue: float
    to_red: float
    to_green: tuple[float, float]
    to_blue: float


YCRCB: Final = Chroma(1, 2, 0.713, 0.564, 1.403, (-0.714, -0.344), 1.773)
YUV: Final = Chroma(2, 1, 0.877, 0.492, 1.140, (-0.581, -0.395), 2.032)


def _scaled(factor: float) -> int:
    return round(factor * (1 << YUV_SHIFT))


def _descaled(values: Image) -> Image:
    return np.asarray((values + (1 << (YUV_SHIFT - 1))) >> YUV_SHIFT)


def _to_chroma(space: Chroma, order: Sequence[int]) -> Callable[[Image], Image]:
    at = (0, space.red_at, space.blue_at)

    def convert(image: Image) -> Image:
        if image.dtype == np.uint8:
            red, green, blue = _planes(image, order, np.int32)
            luma = _descaled(red * _scaled(0.299) + green * _scaled(0.587) + blue * _scaled(0.114))
            middle = 128 << YUV_SHIFT
            differences = [
                np.clip(_descaled((colour - luma) * _scaled(factor) + middle), 0, 255)
                for colour, factor in ((red, space.red), (blue, space.blue))
            ]
        else:
            red, green, blue = _planes(image, order, np.float32)
            luma = red * np.float32(0.299) + green * np.float32(0.587) + blue * np.float32(0.114)
            differences = [
                (colour - luma) * np.float32(factor) + np.float32(0.5)
                for colour, factor in ((red, space.red), (blue, space.blue))
            ]
        return _stacked((luma, *differences), at, image.dtype)

    return convert


def _from_chroma(space: Chroma, order: Sequence[int]) -> Callable[[Image], Image]:
    at = (0, space.red_at, space.blue_at)

    def convert(image: Image) -> Image:
        if image.dtype == np.uint8:
            luma, red, blue = _planes(image, at, np.int32)
            red, blue = red - 128, blue - 128
            greens = red * _scaled(space.to_green[0]) + blue * _scaled(space.to_green[1])
            added = [_descaled(part) for part in (red * _scaled(space.to_red), greens, blue * _scaled(space.to_blue))]
            return _stacked([np.clip(luma + part, 0, 255) for part in added], order, image.dtype)
        luma, red, blue = _planes(image, at, np.float32)
        red, blue = red - np.float32(0.5), blue - np.float32(0.5)
        greens = red * np.float32(space.to_green[0]) + blue * np.float32(space.to_green[1])
        added = [red * np.float32(space.to_red), greens, blue * np.float32(space.to_blue)]
        return _stacked([luma + part for part in added], order, image.dtype)

    return convert


# -- hue, saturation, value


def _reciprocals(numerator: float) -> NDArray[np.int32]:
    """Return numerator / i in units of 2**-12 for i up to 255, and 0 for 0."""
    table = np.zeros(256, np.int32)
    table[1:] = np.rint(numerator * (1 << HSV_SHIFT) / np.arange(1.0, 256.0))
    return table


def _to_hsv(order: Sequence[int], hues: int) -> Callable[[Image], Image]:
    saturation_of, hue_of = _reciprocals(255.0), _reciprocals(hues / 6)
    half = 1 << (HSV_SHIFT - 1)

    def convert(image: Image) -> Image:
        if image.dtype == np.float32:
            return _to_hsv_of_floats(image, order)
        red, green, blue = _planes(image, order, np.int32)
        value = np.maximum(np.maximum(red, green), blue)
        span = value - np.minimum(np.minimum(red, green), blue)
        saturation = (span * saturation_of[value] + half) >> HSV_SHIFT
        hue = _sextant(red, green, blue, value, span)
        hue = (hue * hue_of[span] + half) >> HSV_SHIFT
        hue += np.where(hue < 0, hues, 0).astype(np.int32)
        return _stacked((np.minimum(hue, 255), saturation, value), RGB, image.dtype)

    return convert


def _sextant(red: Image, green: Image, blue: Image, value: Image, span: Image) -> Image:
    """Return the hue times `span`, where red is 0, green 2 and blue 4."""
    of_green_or_blue = np.where(value == green, blue - red + 2 * span, red - green + 4 * span)
    return np.where(value == red, green - blue, of_green_or_blue)


def _to_hsv_of_floats(image: Image, order: Sequence[int]) -> Image:
    red, green, blue = _planes(image, order, np.float32)
    value = np.maximum(np.maximum(red, green), blue)
    span = value - np.minimum(np.minimum(red, green), blue)
    epsilon = np.finfo(np.float32).eps
    saturation = span / (np.abs(value) + epsilon)
    unit = np.float32(60) / (span + epsilon)
    of_green_or_blue = np.where(value == green, (blue - red) * unit + 120, (red - green) * unit + 240)
    hue = np.where(value == red, (green - blue) * unit, of_green_or_blue)
    hue += np.where(hue < 0, np.float32(360), np.float32(0))
    return _stacked((hue, saturation, value), RGB, image.dtype)


def _from_hsv(order: Sequence[int], hues: int) -> Callable[[Image], Image]:
    def convert(image: Image) -> Image:
        of_bytes = image.dtype == np.uint8
        hue, saturation, value = _planes(image, RGB, np.float32)
        if of_bytes:
            saturation, value = saturation * np.float32(1 / 255), value * np.float32(1 / 255)
        hue = hue * np.float32(6 / (hues if of_bytes else 360))
        whole = np.floor(hue)
        fraction = hue - whole
        sector = np.mod(whole, 6).astype(np.intp)
        rising = value * (1 - saturation * (1 - fraction))
        falling = value * (1 - saturation * fraction)
        lowest = value * (1 - saturation)
        colours = [
            np.choose(sector, parts)
            for parts in (
                (value, falling, lowest, lowest, rising, value),
                (rising, value, value, falling, lowest, lowest),
                (lowest, lowest, rising, value, value, falling),
            )
        ]
        if of_bytes:
            colours = [saturated(colour * np.float32(255), np.uint8) for colour in colours]
        return _stacked(colours, order, image.dtype)

    return convert


# -- 4:2:0, ITU-R BT.601 with luma from 16 to 235

_FROM_LUMA: Final = 1220542
_TO_RED: Final = 1673527
_TO_GREEN: Final = (-852492, -409993)
_TO_BLUE: Final = 2116026
_LUMA: Final = (269484, 528482, 102760)
_U: Final = (-155188, -305135, 460324)
_V: Final = (460324, -385875, -74448)
_HALF: Final = 1 << (VIDEO_SHIFT - 1)

Split = Callable[[Image], tuple[Image, Image]]


def _interleaved(u_at: int) -> Split:
    """NV12 (U first) and NV21 (V first): return U and V (height / 2, width / 2) of the rows behind Y."""
    return lambda rows: (rows[:, u_at::2], rows[:, 1 - u_at :: 2])


def _one_after_another(u_first: bool) -> Split:
    """I420 (U first) and YV12 (V first)."""

    def split(rows: Image) -> tuple[Image, Image]:
        first, second = np.ascontiguousarray(rows).reshape(2, -1, rows.shape[1] // 2)
        return (first, second) if u_first else (second, first)

    return split


def _luma_rows(image: Image) -> int:
    rows, width = map(int, image.shape[:2])
    if rows % 3 or width % 2:
        raise ValueError(
            f"cvtColor: expected 4:2:0 of the shape (height * 3 / 2, width), both even, found {image.shape[:2]}"
        )
    return rows // 3 * 2


def _from_420(split: Split, order: Sequence[int], channels: int = 3) -> Callable[[Image], Image]:
    def convert(image: Image) -> Image:
        height = _luma_rows(image)
        luma, (u, v) = image[:height, :, 0], split(image[height:, :, 0])
        result = np.empty((height, image.shape[1], channels), np.uint8)
        for block in row_blocks(height // 2, 2 * image.shape[1]):
            rows = slice(2 * block.start, 2 * block.stop)
            parts = _colours(luma[rows], u[block], v[block])
            result[rows] = _stacked(parts, order, result.dtype, channels)
        return result

    return convert


def _colours(luma: Image, u: Image, v: Image) -> list[Image]:
    """Return red, green and blue of rows of Y and half as many of U and V."""
    scaled = np.maximum(luma.astype(np.int32) - 16, 0) * _FROM_LUMA
    u, v = u.astype(np.int32) - 128, v.astype(np.int32) - 128
    added = (v * _TO_RED, v * _TO_GREEN[0] + u * _TO_GREEN[1], u * _TO_BLUE)
    wide = (np.repeat(np.repeat(part + _HALF, 2, axis=0), 2, axis=1) for part in added)
    return [np.clip((scaled + part) >> VIDEO_SHIFT, 0, 255) for part in wide]


def _gray_of_420(image: Image) -> Image:
    return image[: _luma_rows(image)]


def _to_420(order: Sequence[int], u_first: bool) -> Callable[[Image], Image]:
    """Chroma is that of the first of four pixels, as in OpenCV, and no mean of them."""

    def convert(image: Image) -> Image:
        height, width = image.shape[:2]
        if height % 2 or width % 2:
            raise ValueError(f"cvtColor: expected an even height and width for 4:2:0, found {(height, width)}")
        result = np.empty((height * 3 // 2, width), np.uint8)
        for block in row_blocks(height, width):
            result[block] = _weighed(image[block], order, _LUMA, 16)
        corners = image[::2, ::2]
        chroma = [_weighed(corners, order, weights, 128).ravel() for weights in ((_U, _V) if u_first else (_V, _U))]
        result[height:] = np.concatenate(chroma).reshape(height // 2, width)
        return result

    return convert


def _weighed(image: Image, order: Sequence[int], weights: tuple[int, int, int], zero: int) -> Image:
    red, green, blue = _planes(image, order, np.int32)
    total = red * weights[0] + green * weights[1] + blue * weights[2] + (_HALF + (zero << VIDEO_SHIFT))
    return np.asarray(np.clip(total >> VIDEO_SHIFT, 0, 255), np.uint8)


# -- codes


def _conversions() -> dict[int, Conversion]:
    """Return what each code does, by the names of the constants: COLOR_<from>2<to>."""
    found: dict[int, Conversion] = {}
    for name, code in vars(constants).items():
        source, separator, target = name.removeprefix("COLOR_").partition("2")
        if name.startswith("COLOR_") and separator:
            found[code] = _conversion(source, target)
    return found


def _conversion(source: str, target: str) -> Conversion:
    if source == "YUV" and "_" in target:
        return Conversion(_from_layout(*target.split("_")), (1,), ("uint8",), whole=True)
    if target.startswith("YUV_"):
        return Conversion(_to_420(_order(source), target.endswith("I420")), (len(source),), ("uint8",), whole=True)
    if source in _FROM:
        return Conversion(_FROM[source](target), (3,))
    if target in _TO:
        return Conversion(_TO[target](source), (len(source),))
    if source == "GRAY":
        return Conversion(_picked((0, 0, 0), len(target)), (1,))
    order = tuple(source.index(colour) for colour in target if colour in source)
    return Conversion(_picked(order, len(target)), (len(source),))


def _from_layout(colours: str, layout: str) -> Callable[[Image], Image]:
    return _gray_of_420 if colours == "GRAY" else _from_420(_SPLITS[layout], _order(colours), len(colours))


def _order(colours: str) -> tuple[int, int, int]:
    """Return where red, green and blue are: `RGB`, `BGR`, and with an `A` behind."""
    return colours.index("R"), colours.index("G"), colours.index("B")


_FROM: Final[dict[str, Callable[[str], Callable[[Image], Image]]]] = {
    "YCrCb": lambda target: _from_chroma(YCRCB, _order(target)),
    "YUV": lambda target: _from_chroma(YUV, _order(target)),
    "HSV": lambda target: _from_hsv(_order(target), 255 if target.endswith("_FULL") else 180),
}
_TO: Final[dict[str, Callable[[str], Callable[[Image], Image]]]] = {
    "GRAY": lambda source: _gray(_order(source)),
    "YCrCb": lambda source: _to_chroma(YCRCB, _order(source)),
    "YUV": lambda source: _to_chroma(YUV, _order(source)),
    "HSV": lambda source: _to_hsv(_order(source), 180),
    "HSV_FULL": lambda source: _to_hsv(_order(source), 256),
}
_SPLITS: Final[dict[str, Split]] = {
    "NV12": _interleaved(0),
    "NV21": _interleaved(1),
    "I420": _one_after_another(True),
    "YV12": _one_after_another(False),
}
CONVERSIONS: Final = _conversions()
