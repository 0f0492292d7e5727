"""line, rectangle, circle, polylines and fillPoly: drawn into the image, pixel by pixel those that OpenCV draws.

Coordinates are integers, with `shift` fractional bits; inside they have 16, as OpenCV's. Anti-aliased lines
(cv2.LINE_AA) are not among these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from walle_task.image.constants import LINE_4, LINE_8
from walle_task.image.pixels import (
    Image,
    as_choice,
    as_image,
    as_integer,
    as_point,
    as_scalar,
    shown,
)
from walle_task.image.shapes import SHIFT, Canvas, Point, circle_points

LINES: Final = {LINE_4: "LINE_4", LINE_8: "LINE_8"}
MAX_THICKNESS: Final = 32767
MAX_RADIUS: Final = 1 << 24
MAX_COORDINATE: Final = 1 << 30


def line(
    img: Image,
    pt1: tuple[int, int],
    pt2: tuple[int, int],
    color: object,
    thickness: int = 1,
    lineType: int = LINE_8,
    shift: int = 0,
) -> Image:
    """Draw a line between two points (x, y), with round ends if it is thicker than a pixel; return the image."""
    pen = _Pen("line", img, color, thickness, lineType, shift, filled=False)
    pen.canvas().lines([pen.point("pt1", pt1), pen.point("pt2", pt2)], False, pen.thickness)
    return img


def rectangle(
    img: Image,
    pt1: tuple[int, int],
    pt2: tuple[int, int],
    color: object,
    thickness: int = 1,
    lineType: int = LINE_8,
    shift: int = 0,
) -> Image:
    """Draw a rectangle with these opposite corners (x, y), filled if `thickness` is FILLED; return the image."""
    pen = _Pen("rectangle", img, color, thickness, lineType, shift)
    (left, top), (right, bottom) = pen.point("pt1", pt1), pen.point("pt2", pt2)
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    if pen.thickness >= 0:
        pen.canvas().lines(corners, True, pen.thickness)
    else:
        pen.canvas().convex(corners)
    return img


def circle(
    img: Image,
    center: tuple[int, int],
    radius: int,
    color: object,
    thickness: int = 1,
    lineType: int = LINE_8,
    shift: int = 0,
) -> Image:
    """Draw a circle about a point (x, y), filled if `thickness` is FILLED; return the image."""
    who = "circle"
    pen = _Pen(who, img, color, thickness, lineType, shift)
    size = as_integer(who, "radius", radius)
    if not 0 <= size <= MAX_RADIUS:
        raise ValueError(f"{who}: expected radius from 0 to {MAX_RADIUS}, found {size}")
    middle = pen.point("center", center)
    if pen.thickness > 1 or lineType != LINE_8 or shift > 0:
        points, canvas = circle_points(middle, size << (SHIFT - shift)), pen.canvas(fractions=True)
        if pen.thickness >= 0:
            canvas.lines(points, False, pen.thickness)
        else:
            canvas.convex(points)
    elif pen.thickness < 0:
        pen.canvas().disc((middle[0] >> SHIFT, middle[1] >> SHIFT), size)
    else:
        pen.canvas().circle((middle[0] >> SHIFT, middle[1] >> SHIFT), size)
    return img


def polylines(
    img: Image,
    pts: Sequence[object],
    isClosed: bool,
    color: object,
    thickness: int = 1,
    lineType: int = LINE_8,
    shift: int = 0,
) -> Image:
    """Draw lines through the points of each of `pts`, arrays of integers (n, 2) or (n, 1, 2); return the image."""
    pen = _Pen("polylines", img, color, thickness, lineType, shift, filled=False)
    for points in pen.curves(pts):
        pen.canvas().lines(points, bool(isClosed), pen.thickness)
    return img


def fillPoly(
    img: Image,
    pts: Sequence[object],
    color: object,
    lineType: int = LINE_8,
    shift: int = 0,
    offset: tuple[int, int] = (0, 0),
) -> Image:
    """Fill the area inside polygons, all of which are one shape: where two of them overlap is outside.

    `pts` are arrays of integers (n, 2) or (n, 1, 2), `offset` (x, y) is added to all; returns the image.
    """
    pen = _Pen("fillPoly", img, color, 1, lineType, shift)
    x, y = as_point("fillPoly", "offset", offset)
    moved = [
        [(a + (x << (SHIFT - shift)), b + (y << (SHIFT - shift))) for a, b in points] for points in pen.curves(pts)
    ]
    pen.canvas().polygons(moved)
    return img


class _Pen:
    """The checked arguments that all of these have: where, in which colour and how is drawn."""

    def __init__(
        self,
        who: str,
        img: Image,
        color: object,
        thickness: object,
        lineType: object,
        shift: object,
        filled: bool = True,
    ) -> None:
        image = as_image(who, img)
        if not (img.flags.writeable and img.dtype.isnative):
            raise ValueError(f"{who}: expected an image that can be written to, in the machine's byte order")
        self._who, self._shift = who, as_integer(who, "shift", shift)
        self.thickness = as_integer(who, "thickness", thickness)
        if not 0 <= self._shift <= SHIFT:
            raise ValueError(f"{who}: expected shift from 0 to {SHIFT}, found {self._shift}")
        least = "FILLED or " if filled else ""
        if not (1 if not filled else -1) <= self.thickness <= MAX_THICKNESS:
            raise ValueError(f"{who}: expected thickness to be {least}1 to {MAX_THICKNESS}, found {self.thickness}")
        connectivity = as_choice(who, "lineType", lineType, LINES)
        value = as_scalar(who, "color", color, image.shape[2], image.dtype)
        self._image, self._value, self._connectivity = image, value, connectivity

    def canvas(self, fractions: bool = False) -> Canvas:
        """Return what draws; with `fractions`, points that may lie between pixels even if they have no shift."""
        return Canvas(self._image, self._value, self._connectivity, fractions or self._shift > 0)

    def point(self, name: str, value: object) -> Point:
        """Return a point in 2**-16 pixels."""
        x, y = as_point(self._who, name, value)
        if max(abs(x), abs(y)) > MAX_COORDINATE:
            raise ValueError(f"{self._who}: expected {name} within {MAX_COORDINATE}, found {(x, y)}")
        return x << (SHIFT - self._shift), y << (SHIFT - self._shift)

    def curves(self, pts: object) -> list[list[Point]]:
        """Return the points of each array in 2**-16 pixels."""
        if not isinstance(pts, Sequence | np.ndarray) or isinstance(pts, str):
            raise TypeError(f"{self._who}: expected pts to be a list of arrays of points, found {shown(pts)}")
        return [self._curve(points) for points in pts]

    def _curve(self, points: object) -> list[Point]:
        try:
            array: NDArray[Any] = np.asarray(points)
        except ValueError:
            array = np.empty(0, object)
        if array.dtype.kind not in "iu":
            raise TypeError(f"{self._who}: expected points as integers, found {array.dtype} {shown(points)}")
        if array.ndim == 3 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim != 2 or array.shape[1] != 2 or not len(array):
            raise ValueError(f"{self._who}: expected points of the shape (n, 2), found {array.shape}")
        if np.abs(array.astype(np.int64)).max() > MAX_COORDINATE:
            raise ValueError(f"{self._who}: expected points within {MAX_COORDINATE}, found {shown(points)}")
        return [(int(x) << (SHIFT - self._shift), int(y) << (SHIFT - self._shift)) for x, y in array]
