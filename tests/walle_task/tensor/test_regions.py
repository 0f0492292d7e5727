"""Views and regions: addresses, their one normal form, and what is refused before anything is copied."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.walle_task.tensor.running import numbered
from walle_task.tensor.faults import GraphMalformed
from walle_task.tensor.kernels.moving import move
from walle_task.tensor.merging.joining import joined
from walle_task.tensor.merging.reading_through import Effort, read_through
from walle_task.tensor.raster import raster_copies, raster_program, raster_step
from walle_task.tensor.types import row_major
from walle_task.tensor.view import Region, View, is_identity, normalised

sizes = st.lists(st.integers(1, 4), max_size=4).map(tuple)


@st.composite
def views(draw, size):
    strides = tuple(draw(st.integers(-6, 6)) for _ in size)
    return View(draw(st.integers(0, 20)), size, strides)


@st.composite
def regions(draw):
    """Regions that write each of their addresses once, all from 0 on."""
    size = draw(sizes)
    order = draw(st.permutations(range(len(size))))
    shape = [size[axis] * draw(st.integers(1, 2)) for axis in order]
    strides = dict(zip(order, row_major(shape), strict=True))
    writes = View(draw(st.integers(0, 3)), size, tuple(strides[axis] for axis in range(len(size))))
    for axis in range(len(size)):
        if draw(st.booleans()):
            writes = writes.flip(axis)
    return Region("x", draw(views(size)), writes)


def by_copies(region: Region, target: np.ndarray, source: np.ndarray) -> None:
    raster_step(raster_copies("r", [region], target, {region.source: source}))()


def by_program(region: Region, target: np.ndarray, source: np.ndarray) -> None:
    move(raster_program("r", [region], target, {region.source: source}))


def addresses(view: View) -> list[int]:
    """The address of each coordinate, one after the other."""
    return [
        view.offset + sum(at * stride for at, stride in zip(coordinate, view.strides, strict=True))
        for coordinate in itertools.product(*map(range, view.size))
    ]


def moves(*some: Region) -> dict[int, tuple[str, int]]:
    """Where each written element comes from."""
    found = {}
    for region in some:
        for read, write in zip(addresses(region.reads), addresses(region.writes), strict=True):
            assert write not in found
            found[write] = (region.source, read)
    return found


@given(sizes.flatmap(views))
def test_bounds_are_the_lowest_and_the_highest_address(view):
    assert view.bounds == (min(addresses(view)), max(addresses(view)))


@given(regions())
def test_the_normal_form_moves_the_same_and_writes_upwards_from_large_strides_to_small_ones(region):
    found = normalised(region)
    assert moves(found) == moves(region)
    assert list(found.writes.strides) == sorted(found.writes.strides, reverse=True)
    assert 1 not in found.size
    assert min(found.writes.strides, default=1) > 0
    assert normalised(found) == found


def test_axes_that_are_contiguous_in_both_views_are_one():
    assert normalised(Region("x", View.whole((2, 3, 4)), View.whole((2, 3, 4)))) == Region(
        "x", View.whole((24,)), View.whole((24,))
    )
    assert is_identity(normalised(Region("x", View.whole((2, 1)), View.whole((2, 1)))), 2)
    assert is_identity(normalised(Region("x", View.whole(()), View.whole(()))), 1)
    assert not is_identity(normalised(Region("x", View.whole((4,)).flip(0), View.whole((4,)))), 4)
    assert not is_identity(normalised(Region("x", View.whole((4,)), View.whole((4,)))), 5)


@given(st.lists(regions(), min_size=1, max_size=4), st.data())
def test_joined_regions_move_the_same(some, data):
    """Each region is cut along one of its axes, and they lie behind one another."""
    parts, begin = [], 0
    for region in some:
        written = addresses(region.writes)
        writes = View(region.writes.offset + begin - min(written), region.size, region.writes.strides)
        begin += max(written) - min(written) + 1
        shifted = Region(data.draw(st.sampled_from("xy")), region.reads, writes)
        cut = [(axis, at) for axis, length in enumerate(region.size) for at in range(1, length)]
        if cut:
            axis, at = data.draw(st.sampled_from(cut))
            for start, count in ((0, at), (at, region.size[axis] - at)):
                reads, part = shifted.reads.narrow(axis, start, count), shifted.writes.narrow(axis, start, count)
                parts.append(normalised(Region(shifted.source, reads, part)))
        else:
            parts.append(normalised(shifted))
    found = joined(parts)
    assert moves(*found) == moves(*parts)
    assert len(found) <= len(parts)


def test_regions_that_continue_one_another_are_one():
    whole = normalised(Region("x", View.whole((6, 5)).permute((1, 0)), View.whole((5, 6))))
    for axis in (0, 1):
        parts = [
            normalised(Region("x", whole.reads.narrow(axis, start, count), whole.writes.narrow(axis, start, count)))
            for start, count in ((0, 1), (1, 2), (3, 2))
        ]
        if axis == 1:
            parts.append(normalised(Region("x", whole.reads.narrow(1, 5, 1), whole.writes.narrow(1, 5, 1))))
        assert joined(reversed(parts)) == (whole,)


def test_alike_regions_at_equal_distances_get_an_axis():
    parts = [normalised(Region("x", View(at * 7, (3,), (2,)), View(at * 10, (3,), (1,)))) for at in range(4)]
    assert joined(parts) == (Region("x", View(0, (4, 3), (7, 2)), View(0, (4, 3), (10, 1))),)


@given(st.data())
def test_reading_through_moves_what_was_read_through_two_rasters(data):
    """The raster before wrote the tensor in one or two boxes; the region reads any addresses of it."""
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    axis = data.draw(st.integers(0, len(shape) - 1))
    cut = data.draw(st.integers(0, shape[axis]))
    written = []
    for source, start, count in (("a", 0, cut), ("b", cut, shape[axis] - cut)):
        if count:
            writes = View.whole(shape).narrow(axis, start, count)
            written.append(normalised(Region(source, data.draw(views(writes.size)), writes)))
    total = int(np.prod(shape))
    region = normalised(data.draw(regions()))
    low, high = region.reads.bounds
    assume(high - low < total)
    region = Region("t", View(region.reads.offset - low, region.size, region.reads.strides), region.writes)
    found = read_through(region, written, Effort(1 << 16))
    if found is not None:
        before = moves(*written)
        assert moves(*found) == {write: before[read] for write, (_, read) in moves(region).items()}


SOURCE, TARGET = View.whole((6,)), View.whole((6,))
OUTSIDE = [
    (Region("x", View(1, (6,), (1,)), TARGET), "regions[0].reads: expected addresses from 0 to 5, found 1 to 6"),
    (Region("x", View(4, (6,), (-1,)), TARGET), "regions[0].reads: expected addresses from 0 to 5, found -1 to 4"),
    (Region("x", View(0, (6,), (1 << 60,)), TARGET), "regions[0].reads: expected addresses from 0 to 5"),
    (Region("x", SOURCE, View(1, (6,), (1,))), "regions[0].writes: expected addresses from 0 to 5, found 1 to 6"),
    (Region("x", SOURCE, View(0, (5,), (1,))), "regions[0]: expected two views of one size"),
    (Region("x", SOURCE, View(0, (6,), (0,))), "regions: expected each of 6 elements written once, found others"),
    (Region("x", View(0, (5,), (1,)), View(0, (5,), (1,))), "regions: expected each of 6 elements written once"),
    (Region("x", View(0, (0,), (1,)), View(0, (0,), (1,))), "regions[0]: expected a size from 1 on along each axis"),
    (Region("x", View(0, (-6,), (1,)), View(0, (-6,), (1,))), "regions[0]: expected a size from 1 on along each axis"),
    (Region("z", SOURCE, TARGET), "regions[0].source: expected a value of float32, found z of None"),
    (Region("i", SOURCE, TARGET), "regions[0].source: expected a value of float32, found i of int32[6]"),
]


@pytest.mark.parametrize(("region", "message"), OUTSIDE)
def test_a_region_outside_its_tensors_is_refused_when_the_copies_are_made(region, message):
    sources = {"x": numbered(6), "i": numbered(6, dtype="int32")}
    for prepare in (raster_copies, raster_program):
        with pytest.raises(GraphMalformed) as refused:
            prepare("r", [region], np.zeros(6, "float32"), sources)
        assert message in str(refused.value)


def test_all_regions_that_are_wrong_are_named():
    with pytest.raises(GraphMalformed) as refused:
        raster_copies("r", [OUTSIDE[0][0], OUTSIDE[3][0]], np.zeros(6, "float32"), {"x": numbered(6)})
    assert [(fault.node, fault.field) for fault in refused.value.faults] == [
        ("r", "regions[0].reads"),
        ("r", "regions[1].writes"),
    ]


@pytest.mark.parametrize("moved", [by_copies, by_program])
@given(regions(), st.integers(1, 60), st.integers(1, 60))
def test_what_is_written_is_what_the_region_says_or_refused(moved, region, source_count, target_count):
    source, target = numbered(source_count, dtype="int64"), np.zeros(target_count, "int64")
    read, written = addresses(region.reads), addresses(region.writes)
    inside = min(read) >= 0 and max(read) < source_count and sorted(written) == list(range(target_count))
    try:
        moved(region, target, source)
    except GraphMalformed:
        assert not inside
    else:
        assert inside
        assert target.tolist() == [int(source[moves(region)[at][1]]) for at in range(target_count)]


@pytest.mark.parametrize("moved", [by_copies, by_program])
@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64"])
@pytest.mark.parametrize("run", [1, 2, 3, 4, 8, 16, 32])
@pytest.mark.parametrize("offset", [0, 1, 4])
def test_runs_of_any_length_are_copied_in_items_as_wide_as_fit(moved, dtype, run, offset):
    source = numbered(7, run + offset, dtype=dtype)
    region = Region("x", View.whole(source.shape).narrow(1, offset, run).flip(0), View.whole((7, run)))
    target = np.zeros((7, run), dtype)
    moved(region, target, source)
    np.testing.assert_array_equal(target, source[::-1, offset:])


LONG = st.integers(1, 40)


@given(st.sampled_from(["uint8", "int16", "float32", "int64"]), st.tuples(LONG, LONG), st.data())
def test_compiled_code_moves_blocks_of_any_size_and_order(dtype, lengths, data):
    """Rows that become columns, pairs that are woven and taken apart, in vector registers and beside them."""
    source = numbered(2, *lengths, dtype=dtype)
    reads = View.whole(source.shape).permute(data.draw(st.permutations(range(3))))
    axis = data.draw(st.integers(0, 2))
    if data.draw(st.booleans()):
        reads = reads.flip(axis)
    reads = reads.narrow(axis, 0, -(-reads.size[axis] // 2), 2) if data.draw(st.booleans()) else reads
    target = np.zeros(reads.size, dtype)
    by_program(Region("x", reads, View.whole(reads.size)), target, source)
    np.testing.assert_array_equal(target.reshape(-1), source.reshape(-1)[addresses(reads)])


def test_a_region_of_very_many_axes_has_no_program():
    shape = (2, 3) * 4
    reads = View.whole(shape).permute(range(7, -1, -1))
    region = Region("x", reads, View.whole(reads.size))
    assert raster_program("r", [region], np.zeros(reads.size, "int8"), {"x": np.zeros(shape, "int8")}) is None
