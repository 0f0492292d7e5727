"""Which pixels belong to a line, a circle and a polygon: OpenCV's rules (drawing.cpp), in integers.

Points are (x, y) in 2**-16 pixels. A line is all pixels at once, an area one scan line after the other, so that no loop
is over pixels, and none is longer than the image is high or the circle's radius.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from walle_task.image.constants import LINE_4
from walle_task.image.pixels import Image

SHIFT: Final = 16
ONE: Final = 1 << SHIFT
HALF: Final = ONE >> 1

Point = tuple[int, int]
Pixels = tuple[NDArray[np.int64], NDArray[np.int64]]


class Canvas:
    """An image (height, width, channels) that is drawn into, a value for its pixels, and how lines are connected.

    `fractions` says whether points may lie between pixels.
    """

    def __init__(self, image: Image, value: Image, connectivity: int, fractions: bool) -> None:
        self._image, self._value = image, value
        self._connectivity, self._fractions = connectivity, fractions
        self._height, self._width = image.shape[:2]

    # -- lines

    def lines(self, points: Sequence[Point], closed: bool, thickness: int) -> None:
        """Draw the lines from each point to the next."""
        before = points[-1] if closed else points[0]
        at_start = not closed
        for point in points if closed else points[1:]:
            if thickness > 1:
                self._thick(before, point, thickness, at_start)
            elif self._fractions and self._connectivity == LINE_4:
                self._fine(before, point)
            else:
                self._thin(_pixel(before), _pixel(point))
            before, at_start = point, False

    def _thick(self, start: Point, end: Point, thickness: int, round_start: bool) -> None:
        """Draw a rectangle about a line, and discs at its ends. One between pixels is clipped first."""
        if not self._fractions:
            size = self._width + 2 * thickness, self._height + 2 * thickness
            clipped = clip_line(size, *((_whole(x) + thickness, _whole(y) + thickness) for x, y in (start, end)))
            if clipped is None:
                return
            start, end = (((x - thickness) << SHIFT, (y - thickness) << SHIFT) for x, y in clipped)
        across = _across(start, end, thickness)
        if across is not None:
            (x0, y0), (x1, y1), (dx, dy) = start, end, across
            self._convex([(x0 + dx, y0 + dy), (x0 - dx, y0 - dy), (x1 - dx, y1 - dy), (x1 + dx, y1 + dy)], True)
        radius = ((thickness << (SHIFT - 1)) + HALF) >> SHIFT
        for x, y in (start, end) if round_start else (end,):
            self.disc((_whole(x), _whole(y)), radius)

    def _thin(self, start: Point, end: Point) -> None:
        """Draw a line of one pixel between two pixels, by Bresenham's algorithm from left to right."""
        clipped = clip_line((self._width, self._height), start, end)
        if clipped is not None:
            left, right = sorted(clipped, key=lambda pixel: pixel[0])
            self._put(*bresenham(left, right, self._connectivity))

    def _fine(self, start: Point, end: Point) -> None:
        """Draw a line of one pixel between two points that lie between pixels."""
        clipped = clip_line((self._width << SHIFT, self._height << SHIFT), start, end)
        if clipped is not None:
            self._put(*fine_line(*clipped))

    def _put(self, x: NDArray[np.int64], y: NDArray[np.int64]) -> None:
        inside = (x >= 0) & (x < self._width) & (y >= 0) & (y < self._height)
        self._image[y[inside], x[inside]] = self._value

    def _span(self, y: int, left: int, right: int) -> None:
        """Fill a scan line from one pixel to another, both included."""
        if 0 <= y < self._height and left < self._width and right >= 0:
            self._image[y, max(left, 0) : right + 1] = self._value

    # -- circles

    def disc(self, center: Point, radius: int) -> None:
        """Fill a circle about a pixel, by the midpoint algorithm."""
        x, y = center
        for wide, high in octant(radius):
            for row, reach in ((y - high, wide), (y + high, wide), (y - wide, high), (y + wide, high)):
                self._span(row, x - reach, x + reach)

    def circle(self, center: Point, radius: int) -> None:
        """Draw a circle of one pixel about a pixel, by the midpoint algorithm."""
        across, down = np.array(list(octant(radius)), np.int64).T
        wide, high = np.concatenate([across, down]), np.concatenate([down, across])
        for sign_x in (-1, 1):
            for sign_y in (-1, 1):
                self._put(center[0] + sign_x * wide, center[1] + sign_y * high)

    # -- areas

    def convex(self, points: Sequence[Point]) -> None:
        """Fill a convex polygon, its outline included."""
        self._convex(points, self._fractions)

    def _convex(self, points: Sequence[Point], fractions: bool) -> None:
        for start, end in zip([points[-1], *points[:-1]], points, strict=True):
            if fractions:
                self._fine(start, end)
            else:
                self._thin(_pixel(start), _pixel(end))
        if len(points) < 3:
            return
        for y, left, right in convex_spans(points, self._height):
            self._span(y, left, right)

    def polygons(self, curves: Sequence[Sequence[Point]]) -> None:
        """Fill what is inside an odd number of polygons, their outlines included."""
        edges = [edge for points in curves for edge in self._edges(points)]
        for y, left, right in even_odd_spans(edges, self._height):
            self._span(y, left, right)

    def _edges(self, points: Sequence[Point]) -> Iterator[Edge]:
        """Draw the outline of a polygon, and yield its edges that are not horizontal."""
        for before, after in zip([points[-1], *points[:-1]], points, strict=True):
            start, end = _pixel(before), _pixel(after)
            self._thin(start, end)
            if start[1] != end[1]:
                yield self._edge((before[0], start[1]), (after[0], end[1]))

    def _edge(self, start: Point, end: Point) -> Edge:
        """Return the edge between two points: x in 2**-16 pixels, y a scan line.

        The slope of one that leaves the image is that of its part inside, between pixels.
        """
        a, b = start, end
        pixels = (_whole(start[0]), start[1]), (_whole(end[0]), end[1])
        if any(_outside((self._width, self._height), pixel) for pixel in pixels):
            (x0, y0), (x1, y1) = clip_ends((self._width, self._height), *pixels)
            a, b = (x0 << SHIFT, y0 if y0 != y1 else start[1]), (x1 << SHIFT, y1 if y0 != y1 else end[1])
        step = quotient(b[0] - a[0], b[1] - a[1])
        (x, y), top, bottom = (a, start[1], end[1]) if start[1] < end[1] else (b, end[1], start[1])
        return Edge(top, bottom, x + (top - y) * step, step)


@dataclass(frozen=True)
class Edge:
    """A side of a polygon, on the scan lines from `top` to before `bottom`: x at the first, and its change for each."""

    top: int
    bottom: int
    x: int
    step: int


def quotient(dividend: int, divisor: int) -> int:
    """Return the integer towards zero, as C does."""
    size = abs(dividend) // abs(divisor)
    return size if (dividend < 0) == (divisor < 0) else -size


def _whole(coordinate: int) -> int:
    return (coordinate + HALF) >> SHIFT


def _pixel(point: Point) -> Point:
    return _whole(point[0]), _whole(point[1])


def _across(start: Point, end: Point, thickness: int) -> Point | None:
    """Return the vector from the middle of a thick line to its side; None for a line without a length."""
    dx, dy = (start[0] - end[0]) / ONE, (end[1] - start[1]) / ONE
    square = dx * dx + dy * dy
    if square <= np.finfo(np.float64).eps:
        return None
    factor = ((thickness << (SHIFT - 1)) + (thickness & 1) * ONE * 0.5) / math.sqrt(square)
    return round(dy * factor), round(dx * factor)


def _outside(size: Point, point: Point) -> int:
    (x, y), (width, height) = point, size
    return (x < 0) + (x >= width) * 2 + (y < 0) * 4 + (y >= height) * 8


def clip_line(size: Point, start: Point, end: Point) -> tuple[Point, Point] | None:
    """Return the part of a line that is inside (width, height); None if none is."""
    a, b = clip_ends(size, start, end)
    return None if _outside(size, a) | _outside(size, b) else (a, b)


def clip_ends(size: Point, start: Point, end: Point) -> tuple[Point, Point]:
    """Move the ends of a line along it to the edges of (width, height) that they lie beyond (Cohen and Sutherland)."""
    a, b = start, end
    for axis in (1, 0):  # above and below first
        beyond = 12 if axis else 3
        codes = _outside(size, a), _outside(size, b)
        if codes[0] & codes[1] or not codes[0] | codes[1]:
            break
        if codes[0] & beyond:
            a = _moved(size, a, a, b, axis)
        if codes[1] & beyond:
            b = _moved(size, b, a, b, axis)
    return a, b


def _moved(size: Point, point: Point, a: Point, b: Point, axis: int) -> Point:
    """Return where the line from a to b meets the edge that a point of it lies beyond, on an axis."""
    edge = 0 if point[axis] < 0 else size[axis] - 1
    other = 1 - axis
    share = float(edge - point[axis]) * (b[other] - a[other]) / (b[axis] - a[axis])  # in doubles, as OpenCV
    along = point[other] + int(share)
    return (along, edge) if axis else (edge, along)


def bresenham(start: Point, end: Point, connectivity: int) -> Pixels:
    """Return the pixels of a line whose start is not to the right of its end."""
    dx, dy = end[0] - start[0], abs(end[1] - start[1])
    down = 1 if end[1] >= start[1] else -1
    long, short = max(dx, dy), min(dx, dy)
    if connectivity == LINE_4:
        step = np.arange(long + short + 1, dtype=np.int64)
        aside = np.zeros_like(step) if not short else np.maximum(-((-short * (step - 1)) // (long + short)), 0)
        along = step - aside
    else:
        along = np.arange(long + 1, dtype=np.int64)
        aside = np.zeros_like(along) if not short else -((long - 2 * short * along) // (2 * long))
    x, y = (aside, along) if dy > dx else (along, aside)
    return start[0] + x, start[1] + down * y


def fine_line(start: Point, end: Point) -> Pixels:
    """Return the pixels of a line between points inside an image: one in each column, or in each row if it is steep."""
    steep = abs(end[0] - start[0]) <= abs(end[1] - start[1])
    axis = 1 if steep else 0
    a, b = (start, end) if end[axis] >= start[axis] else (end, start)
    length, aside = b[axis] - a[axis], b[1 - axis] - a[1 - axis]
    step = quotient(aside * ONE, length | 1)
    count = np.arange((length >> SHIFT) + 1, dtype=np.int64)
    along = ((a[axis] + HALF) >> SHIFT) + count
    other = (a[1 - axis] + HALF + step * count) >> SHIFT
    along = np.append(along, (b[axis] + HALF) >> SHIFT)
    other = np.append(other, (b[1 - axis] + HALF) >> SHIFT)
    return (other, along) if steep else (along, other)


def octant(radius: int) -> Iterator[Point]:
    """Yield the pixels (x, y) of an eighth of a circle, from (radius, 0) to the diagonal."""
    x, y, error = radius, 0, 0
    while x >= y:
        yield x, y
        error += 2 * y + 1
        y += 1
        if error > 0:
            error -= 2 * x - 1
            x -= 1


def circle_points(center: Point, radius: int) -> list[Point]:
    """Return the corners of the polygon that stands for a circle: every 5 degrees, or fewer for a small one."""
    pixels = (radius + HALF) >> SHIFT
    step = 90 if pixels < 3 else 30 if pixels < 10 else 18 if pixels < 15 else 5
    points: list[Point] = []
    for angle in range(0, 360 + step, step):
        point = round(center[0] + radius * _sine(450 - angle)), round(center[1] + radius * _sine(angle))
        if not points or point != points[-1]:
            points.append(point)
    return points if len(points) > 1 else [center, center]


def _sine(degrees: int) -> float:
    """Return the sine as OpenCV's table has it: seven digits, in float32."""
    return float(np.float32(round(math.sin(math.radians(degrees)), 7)))


def convex_spans(points: Sequence[Point], height: int) -> Iterator[tuple[int, int, int]]:
    """Yield the scan lines (y, left, right) of a convex polygon, by following its two sides from its top."""
    rows = [_whole(y) for _, y in points]
    top = min(range(len(points)), key=lambda place: points[place][1])
    bottom = min(max(rows), height - 1)
    sides = [_Side(points, rows, top, 1), _Side(points, rows, top, -1)]
    edges = len(points)
    for y in range(rows[top], bottom + 1):
        for side in sides:
            if y >= side.bottom:
                edges = side.advance(y, edges)
        if edges < 0:
            return
        if y >= 0:
            left, right = sorted(side.x for side in sides)
            yield y, (left + HALF) >> SHIFT, (right + HALF) >> SHIFT
        for side in sides:
            side.x += side.step


class _Side:
    """One of the two sides of a convex polygon, at a scan line."""

    def __init__(self, points: Sequence[Point], rows: Sequence[int], top: int, direction: int) -> None:
        self._points, self._rows, self._at, self._direction = points, rows, top, direction
        self.bottom, self.x, self.step = rows[top], -ONE, 0

    def advance(self, y: int, edges: int) -> int:
        """Go on to the edge that ends below a scan line; return how many edges are left, -1 if there was none."""
        at = self._at
        while edges > 0:
            edges -= 1
            following = (at + self._direction) % len(self._points)
            row = self._rows[following]
            if row > y:
                start, end = self._points[at][0], self._points[following][0]
                self.step = quotient((end - start) * 2 + (row - y), 2 * (row - y))
                self.bottom, self.x, self._at = row, start, following
                return edges
            at = following
        return -1


def even_odd_spans(edges: Sequence[Edge], height: int) -> Iterator[tuple[int, int, int]]:
    """Yield the scan lines (y, left, right) between each two edges, in their order from left to right."""
    if len(edges) < 2:
        return
    table: NDArray[Any] = np.array([(edge.top, edge.bottom, edge.x, edge.step) for edge in edges], np.int64)
    top, bottom, x, step = table.T
    for y in range(max(int(top.min()), 0), min(int(bottom.max()), height)):
        crossed = (top <= y) & (y < bottom)
        found = np.sort(x[crossed] + (y - top[crossed]) * step[crossed])
        for left, right in zip(found[::2].tolist(), found[1::2].tolist(), strict=True):
            yield y, (left + ONE - 1) >> SHIFT, right >> SHIFT
