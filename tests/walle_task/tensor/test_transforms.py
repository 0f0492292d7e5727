"""Each transform operator gives what NumPy gives, and refuses what does not fit it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.walle_task.tensor.running import applied, graph_of, numbered
from walle_task.tensor.faults import GraphMalformed
from walle_task.tensor.session import Session

A = numbered(2, 3, 4)
IMAGE = numbered(4, 12, 4, 6)
MARGINS = ((1, 0), (0, 1), (2, 1))


def block_to_space(x: np.ndarray, block: int) -> np.ndarray:
    n, c, h, w = x.shape
    depth = c // block**2
    return x.reshape(n, block, block, depth, h, w).transpose(0, 3, 4, 1, 5, 2).reshape(n, depth, h * block, w * block)


def column_to_space(x: np.ndarray, block: int) -> np.ndarray:
    n, c, h, w = x.shape
    depth = c // block**2
    return x.reshape(n, depth, block, block, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(n, depth, h * block, w * block)


def shuffled(x: np.ndarray, groups: int) -> np.ndarray:
    n, c, *rest = x.shape
    return x.reshape(n, groups, c // groups, *rest).swapaxes(1, 2).reshape(x.shape)


def packed(x: np.ndarray, by: int) -> np.ndarray:
    n, c, *rest = x.shape
    full = np.zeros((n, -(-c // by) * by, *rest), x.dtype)
    full[:, :c] = x
    return np.moveaxis(full.reshape(n, -1, by, *rest), 2, -1)


def dilated(x: np.ndarray, factors: tuple[int, ...], value: float) -> np.ndarray:
    shape = [(length - 1) * factor + 1 for length, factor in zip(x.shape[2:], factors, strict=True)]
    found = np.full((*x.shape[:2], *shape), value, x.dtype)
    found[(slice(None), slice(None), *(slice(None, None, factor) for factor in factors))] = x
    return found


def windows(x: np.ndarray, kernel, strides, dilations) -> np.ndarray:
    found = np.lib.stride_tricks.sliding_window_view(
        x, [(size - 1) * dilation + 1 for size, dilation in zip(kernel, dilations, strict=True)], axis=(2, 3)
    )
    found = found[:, :, :: strides[0], :: strides[1], :: dilations[0], :: dilations[1]]
    return found.transpose(0, 1, 4, 5, 2, 3)


CASES = [
    ("identity", A, {}, A),
    ("reshape", A, {"shape": (6, -1)}, A.reshape(6, 4)),
    ("reshape", A, {"shape": (0, -1)}, A.reshape(2, 12)),
    ("flatten", A, {"axis": 2}, A.reshape(6, 4)),
    ("flatten", A, {"axis": -3}, A.reshape(1, 24)),
    ("squeeze", A[:1], {"axes": (0,)}, A[0]),
    ("unsqueeze", A, {"axes": (0, -1)}, A[None, ..., None]),
    ("transpose", A, {"axes": (2, 0, 1)}, A.transpose(2, 0, 1)),
    ("swap_axes", A, {"first": 0, "second": -1}, A.swapaxes(0, -1)),
    ("move_axis", A, {"start": 0, "end": -1}, np.moveaxis(A, 0, -1)),
    ("move_axis", A, {"start": 2, "end": 0}, np.moveaxis(A, 2, 0)),
    ("flip", A, {"axes": (0, 2)}, np.flip(A, (0, 2))),
    *(
        ("rotate_90", A, {"times": times, "first": 1, "second": 2}, np.rot90(A, times, (1, 2)))
        for times in (-1, 0, 1, 2, 3, 5)
    ),
    ("roll", A, {"axis": 2, "shift": 1}, np.roll(A, 1, 2)),
    ("roll", A, {"axis": 1, "shift": -5}, np.roll(A, -5, 1)),
    ("depth_to_space", IMAGE, {"block": 2}, block_to_space(IMAGE, 2)),
    ("depth_to_space", IMAGE, {"block": 2, "mode": "column first"}, column_to_space(IMAGE, 2)),
    ("space_to_depth", block_to_space(IMAGE, 2), {"block": 2}, IMAGE),
    ("space_to_depth", column_to_space(IMAGE, 2), {"block": 2, "mode": "column first"}, IMAGE),
    ("channel_shuffle", IMAGE, {"groups": 3}, shuffled(IMAGE, 3)),
    ("slice", A, {"axes": (0, 2), "starts": (1, -3), "ends": (99, -1)}, A[1:99, :, -3:-1]),
    ("slice", A, {"axes": (1,), "starts": (-1,), "ends": (-99,), "steps": (-2,)}, A[:, ::-2]),
    ("slice", A, {"axes": (2,), "starts": (3,), "ends": (0,), "steps": (-1,)}, A[..., 3:0:-1]),
    ("slice", A, {"axes": (2,), "starts": (3,), "ends": (1,)}, A[..., 3:1]),
    ("select", A, {"axis": 1, "index": -1}, A[:, -1]),
    ("take", A, {"axis": 2, "indices": (3, 0, 0, -2, 1, 2)}, A[..., [3, 0, 0, -2, 1, 2]]),
    ("diagonal", A, {"first": 0, "second": 2}, np.diagonal(A, axis1=0, axis2=2)),
    ("pad", A, {"before": (1, 0, 2), "after": (0, 1, 1), "value": 7}, np.pad(A, MARGINS, constant_values=7)),
    ("pad_edge", A, {"before": (1, 0, 2), "after": (0, 1, 1)}, np.pad(A, MARGINS, "edge")),
    ("pad_reflect", A, {"before": (1, 0, 2), "after": (0, 1, 3)}, np.pad(A, ((1, 0), (0, 1), (2, 3)), "reflect")),
    ("broadcast_to", A[:, :1], {"shape": (5, 2, 3, 4)}, np.broadcast_to(A[:, :1], (5, 2, 3, 4))),
    ("tile", A, {"repeats": (2, 1, 3)}, np.tile(A, (2, 1, 3))),
    ("repeat", A, {"axis": 1, "times": 3}, np.repeat(A, 3, 1)),
    ("upsample_nearest", IMAGE, {"factors": (2, 3)}, IMAGE.repeat(2, 2).repeat(3, 3)),
    ("dilate", IMAGE, {"factors": (2, 3), "value": 5}, dilated(IMAGE, (2, 3), 5)),
    ("dilate", IMAGE, {"factors": (1, 1)}, IMAGE),
    (
        "windows", IMAGE, {"kernel": (2, 3), "strides": (1, 2), "dilations": (2, 1)},
        windows(IMAGE, (2, 3), (1, 2), (2, 1)),
    ),
    ("unfold", A, {"axis": 2, "length": 2, "step": 2}, np.stack([A[..., 0:2], A[..., 2:4]], 2)),
    *(("pack_channels", IMAGE, {"by": by}, packed(IMAGE, by)) for by in (4, 5, 16)),
    *(("unpack_channels", packed(IMAGE, by), {"channels": 12}, IMAGE) for by in (4, 5, 16)),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "source", "attributes", "expected"), CASES)
def test_a_transform_operator_gives_what_numpy_gives(operator, source, attributes, expected):
    found = applied(operator, np.ascontiguousarray(source), **attributes)
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)


@given(st.integers(1, 3), st.integers(1, 3))
def test_space_to_batch_takes_blocks_apart_and_batch_to_space_puts_them_together(rows, columns):
    source = numbered(2, 3, rows * 2, columns * 2)
    found = applied("space_to_batch", source, block=2)
    for block in range(4):
        np.testing.assert_array_equal(found[block * 2 : block * 2 + 2], source[:, :, block // 2 :: 2, block % 2 :: 2])
    np.testing.assert_array_equal(applied("batch_to_space", found, block=2), source)


def test_several_inputs_become_one():
    b = A * 100
    np.testing.assert_array_equal(applied("concatenate", A, b[:, :1], A, axis=1), np.concatenate([A, b[:, :1], A], 1))
    for axis in range(-4, 4):
        np.testing.assert_array_equal(applied("stack", A, b, axis=axis), np.stack([A, b], axis))


def test_one_input_becomes_several():
    parts = applied("split", A, outputs=3, axis=2, lengths=(1, 0, 3))
    for found, expected in zip(parts, np.split(A, [1, 1], 2), strict=True):
        np.testing.assert_array_equal(found, expected)
    for index, found in enumerate(applied("unstack", A, outputs=3, axis=1)):
        np.testing.assert_array_equal(found, A[:, index])


@pytest.mark.parametrize("dtype", ["float64", "float16", "int64", "int16", "int8", "uint8", "bool"])
def test_elements_of_all_types_move_as_they_are(dtype):
    source = numbered(4, 12, 16, dtype=dtype)
    found = applied("transpose", source, axes=(1, 0, 2))
    assert found.dtype == source.dtype
    np.testing.assert_array_equal(found, source.transpose(1, 0, 2))


def test_bits_of_floats_that_are_no_numbers_move_as_they_are():
    source = np.array([[0x7FC0_1234, 0xFF80_0001, 0x8000_0000, 1]] * 3, "uint32").view("float32")
    found = applied("flip", source, axes=(0,))
    np.testing.assert_array_equal(found.view("uint32"), source.view("uint32"))


@pytest.mark.parametrize(
    ("operator", "attributes", "message"),
    [
        ("reshape", {"shape": (5, -1)}, "node y: shape: expected a shape of 24 elements, found (5, -1)"),
        ("reshape", {"shape": (-1, -1)}, "node y: shape: expected at most one -1, found (-1, -1)"),
        ("reshape", {"shape": (1, 1, 24, 0)}, "expected a 0 only for one of 3 axes, found (1, 1, 24, 0)"),
        ("reshape", {"shape": (7,)}, "node y: shape: expected a shape of 24 elements, found (7,)"),
        ("flatten", {"axis": 4}, "node y: axis: expected an axis up to 3, found 4"),
        ("squeeze", {"axes": (1,)}, "node y: axes: expected axes of length 1 of [2, 3, 4], found (1,)"),
        ("unsqueeze", {"axes": (0, -5)}, "node y: axes: expected different axes of 5, found (0, -5)"),
        ("transpose", {"axes": (0, 1)}, "node y: axes: expected all 3 axes, found (0, 1)"),
        ("transpose", {"axes": (0, 1, -2)}, "node y: axes: expected different axes, found (0, 1, 1)"),
        ("flip", {"axes": (3,)}, "node y: axes: expected an axis of 3, found 3"),
        ("rotate_90", {"first": 1, "second": -2}, "node y: second: expected another axis than first, found -2"),
        ("diagonal", {"first": 1, "second": -2}, "node y: second: expected another axis than first, found -2"),
        ("depth_to_space", {"block": 2}, "inputs[0]: expected a tensor of 4 axes: batch, channels, height, width"),
        ("channel_shuffle", {"groups": 2}, "node y: groups: expected a divisor of 3, found 2"),
        ("slice", {"axes": (0,), "starts": (0, 1), "ends": (1,)}, "starts: expected 1 integers, as many as axes"),
        ("slice", {"axes": (0,), "starts": (0,), "ends": (1,), "steps": (0,)}, "steps: expected steps other than 0"),
        ("select", {"axis": 0, "index": 2}, "node y: index: expected an axis of 2, found 2"),
        ("take", {"axis": 0, "indices": (0, -3)}, "node y: indices: expected an axis of 2, found -3"),
        ("split", {"axis": 0, "lengths": (1, 2)}, "lengths: expected lengths that are 2 together, found (1, 2)"),
        ("pad", {"before": (0, 0), "after": (0, 0, 0)}, "before: expected 3 integers, one for each axis, found (0, 0)"),
        ("pad_reflect", {"before": (2, 0, 0), "after": (0, 0, 0)}, "margins that axis 0 of length 2 has elements for"),
        ("broadcast_to", {"shape": (2, 3, 5)}, "shape: expected a shape that [2, 3, 4] broadcasts to, found [2, 3, 5]"),
        ("broadcast_to", {"shape": (4,)}, "shape: expected a shape that [2, 3, 4] broadcasts to, found [4]"),
        ("tile", {"repeats": (2,)}, "repeats: expected 3 integers, one for each axis, found (2,)"),
        ("tile", {"repeats": (1 << 20, 1 << 20, 1)}, "output: expected a tensor of at most 8 axes and 2^31 elements"),
        ("upsample_nearest", {"factors": (2, 2)}, "factors: expected 1 integers, one for each axis after batch"),
        ("windows", {"kernel": (5,), "strides": (1,), "dilations": (1,)}, "kernel: expected windows of at most 4"),
        ("windows", {"kernel": (3,), "strides": (1,), "dilations": (2,)}, "found 5 with its dilation"),
        ("unfold", {"axis": 1, "length": 4}, "kernel: expected windows of at most 3"),
        ("unpack_channels", {"channels": 3}, "channels: expected as many as 3 groups of 4 hold, found 3"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_its_field(operator, attributes, message):
    with pytest.raises(GraphMalformed) as refused:
        Session(graph_of(operator, A, **attributes))
    assert message in str(refused.value)


def test_a_fill_that_the_type_cannot_hold_is_refused():
    for value in (256, -1, 0.5):
        with pytest.raises(GraphMalformed, match="value: expected a value of uint8"):
            Session(graph_of("pad", numbered(2, dtype="uint8"), before=(1,), after=(1,), value=value))
    for value in (128, float("inf"), float("nan"), 0.5):
        for field in ("on", "off"):
            with pytest.raises(GraphMalformed, match=f"{field}: expected a value of int8"):
                Session(graph_of("one_hot", numbered(2, dtype="int64"), depth=3, dtype="int8", **{field: value}))


def test_inputs_that_do_not_fit_one_another_are_refused():
    with pytest.raises(
        GraphMalformed, match=r"inputs\[1\]: expected the shape of the first input, \[2, 3, 4\], but for"
    ):
        Session(graph_of("concatenate", A, A[:, :, :2], axis=1))
    with pytest.raises(
        GraphMalformed, match=r"inputs\[1\]: expected the dtype float32 of the first input, found int64"
    ):
        Session(graph_of("concatenate", A, A.astype("int64"), axis=1))
    with pytest.raises(GraphMalformed, match=r"inputs\[1\]: expected the shape of the first input, \[2, 3, 4\], found"):
        Session(graph_of("stack", A, A[:1], axis=0))
