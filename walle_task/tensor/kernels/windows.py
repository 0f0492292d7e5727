"""The inner loops of convolutions in compiled code, over planes of float32: windows, depthwise, Winograd's transforms.

Innermost loops go along contiguous elements, so that they become vector instructions. Bounds are those that
`walle_task.tensor.kernels.convolving` gives; none are checked here. This needs numba.
"""

from __future__ import annotations

try:
    from numba import njit
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("compiled kernels need numba: expected it to be installed", name=error.name) from error


_FREEDOMS = {"contract", "reassoc", "nsz"}
"""Sums may be in another order, and be fused with products; infinities and what is no number stay what they are."""


def _compiled(function):
    """Compile a function when it is first called, and keep it on disk where that can be written."""
    try:
        return njit(nogil=True, cache=True, fastmath=_FREEDOMS)(function)
    except RuntimeError:
        return njit(nogil=True, fastmath=_FREEDOMS)(function)


@_compiled
def finish(target, bias, low, high):
    """Add a bias to each row, and bound it."""
    for row in range(target.shape[0]):
        more = bias[row]
        for at in range(target.shape[1]):
            target[row, at] = min(max(target[row, at] + more, low), high)


@_compiled
def finish_with(target, bias, added, low, high):
    """Add a bias to each row, and other values, and bound it."""
    for row in range(target.shape[0]):
        more = bias[row]
        for at in range(target.shape[1]):
            target[row, at] = min(max(target[row, at] + more + added[row, at], low), high)


@_compiled
def copy_windows(source, target, kernel, stride, dilation, before, first, rows, columns):
    """Copy the windows of some rows of places: target[c * kh * kw + i * kw + j, place] of source[c, y, x]."""
    height, width = source.shape[1], source.shape[2]
    line = 0
    for channel in range(source.shape[0]):
        for i in range(kernel[0]):
            for j in range(kernel[1]):
                shift = j * dilation[1] - before[1]
                begin = min(columns, max(0, -(shift // stride[1])))
                end = max(begin, min(columns, (width - 1 - shift) // stride[1] + 1))
                for row in range(rows):
                    y = (first + row) * stride[0] + i * dilation[0] - before[0]
                    at = row * columns
                    if y < 0 or y >= height:
                        for x in range(columns):
                            target[line, at + x] = 0
                        continue
                    for x in range(begin):
                        target[line, at + x] = 0
                    if stride[1] == 1:
                        for x in range(begin, end):
                            target[line, at + x] = source[channel, y, x + shift]
                    else:
                        for x in range(begin, end):
                            target[line, at + x] = source[channel, y, x * stride[1] + shift]
                    for x in range(end, columns):
                        target[line, at + x] = 0
                line += 1


@_compiled
def pad_plane(source, target, top, left):
    """Copy a plane into a larger one, with zeros around it."""
    height, width = source.shape
    for y in range(target.shape[0]):
        if y < top or y >= top + height:
            for x in range(target.shape[1]):
                target[y, x] = 0
            continue
        for x in range(left):
            target[y, x] = 0
        for x in range(width):
            target[y, left + x] = source[y - top, x]
        for x in range(left + width, target.shape[1]):
            target[y, x] = 0


@_compiled
def _correlate(plane, weights, bias, target, stride):
    """Write the correlation of a padded plane with one filter."""
    for y in range(target.shape[0]):
        for x in range(target.shape[1]):
            target[y, x] = bias
        for i in range(weights.shape[0]):
            for j in range(weights.shape[1]):
                factor = weights[i, j]
                if stride[1] == 1:
                    for x in range(target.shape[1]):
                        target[y, x] += factor * plane[y * stride[0] + i, x + j]
                else:
                    for x in range(target.shape[1]):
                        target[y, x] += factor * plane[y * stride[0] + i, x * stride[1] + j]


@_compiled
def _correlate_3x3(plane, weights, bias, target, down, along):
    """Write the correlation with a filter of 3 x 3, whose factors stay in registers."""
    a, b, c = weights[0, 0], weights[0, 1], weights[0, 2]
    d, e, f = weights[1, 0], weights[1, 1], weights[1, 2]
    g, h, k = weights[2, 0], weights[2, 1], weights[2, 2]
    for y in range(target.shape[0]):
        top, middle, bottom = plane[y * down], plane[y * down + 1], plane[y * down + 2]
        if along == 1:
            for x in range(target.shape[1]):
                first = a * top[x] + b * top[x + 1] + c * top[x + 2]
                second = d * middle[x] + e * middle[x + 1] + f * middle[x + 2]
                target[y, x] = bias + first + second + g * bottom[x] + h * bottom[x + 1] + k * bottom[x + 2]
        else:
            for x in range(target.shape[1]):
                at = x * along
                first = a * top[at] + b * top[at + 1] + c * top[at + 2]
                second = d * middle[at] + e * middle[at + 1] + f * middle[at + 2]
                target[y, x] = bias + first + second + g * bottom[at] + h * bottom[at + 1] + k * bottom[at + 2]


@_compiled
def depthwise(source, weights, bias, target, plane, stride, before):
    """Write the correlation of each channel with its own filter."""
    for channel in range(source.shape[0]):
        pad_plane(source[channel], plane, before[0], before[1])
        if weights.shape[1] == 3 and weights.shape[2] == 3:
            _correlate_3x3(plane, weights[channel], bias[channel], target[channel], stride[0], stride[1])
        else:
            _correlate(plane, weights[channel], bias[channel], target[channel], stride)


@_compiled
def _combine(matrix, source, target):
    """Write the rows of matrix x source."""
    for row in range(matrix.shape[0]):
        for x in range(source.shape[1]):
            target[row, x] = 0
        for at in range(matrix.shape[1]):
            factor = matrix[row, at]
            if factor != 0:
                for x in range(source.shape[1]):
                    target[row, x] += factor * source[at, x]


@_compiled
def winograd_input(source, matrix, tiles, scratch, block, rows, pitch, before):
    """Write tiles[i * side + j, channel, tile], the transformed tiles of each channel."""
    side = block + 2
    count = tiles.shape[2]
    plane = scratch[: (block * rows + 2) * pitch].reshape((block * rows + 2, pitch))
    rest = scratch[(block * rows + 2) * pitch :]
    lines = rest[: side * rows * pitch].reshape((side, rows, pitch))
    rest = rest[side * rows * pitch :]
    apart = rest[: side * count].reshape((side, count))
    turned = rest[side * count : 2 * side * count].reshape((side, count))
    for channel in range(source.shape[0]):
        pad_plane(source[channel], plane, before[0], before[1])
        for row in range(rows):
            _combine(matrix, plane[block * row : block * row + side], lines[:, row])
        for i in range(side):
            line = lines[i].reshape(rows * pitch)
            for j in range(side):
                for at in range(count - (1 if j >= block else 0)):
                    apart[j, at] = line[block * at + j]
                if j >= block:
                    apart[j, count - 1] = 0
            _combine(matrix, apart, turned)
            for j in range(side):
                for at in range(count):
                    tiles[i * side + j, channel, at] = turned[j, at]


@_compiled
def winograd_output(tiles, matrix, target, scratch, block, rows, pitch):
    """Write the places of each filter from tiles[i * side + j, filter, tile]."""
    side = block + 2
    count = tiles.shape[2]
    half = scratch[: block * side * count].reshape((block, side, count))
    rest = scratch[block * side * count :]
    lines = rest[: block * block * count].reshape((block, block * count))
    turned = rest[block * block * count :][: block * count].reshape((block, count))
    for each in range(tiles.shape[1]):
        for j in range(side):
            for i in range(block):
                for at in range(count):
                    half[i, j, at] = 0
                for inner in range(side):
                    factor = matrix[i, inner]
                    if factor != 0:
                        for at in range(count):
                            half[i, j, at] += factor * tiles[inner * side + j, each, at]
        for i in range(block):
            _combine(matrix, half[i], turned)
            for at in range(count):
                for j in range(block):
                    lines[i, block * at + j] = turned[j, at]
        for y in range(target.shape[1]):
            line = lines[y % block, y // block * pitch :]
            for x in range(target.shape[2]):
                target[each, y, x] = line[x]
