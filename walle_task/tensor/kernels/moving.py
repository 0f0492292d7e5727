"""The raster operator in compiled code: one call runs a program, each row of which moves the elements of a region.

A row holds addresses, counts and strides in bytes (`Column`); `walle_task.tensor.move_programs` makes programs, of
regions that were found to stay within their tensors. No bounds are checked here. Blocks whose rows become columns go
through vector registers: that many items at once are read and written, and shuffled in between.

This needs numba, and compiles for some seconds when it is first imported; the result is kept on disk, if it can be.
"""

from __future__ import annotations

from enum import IntEnum
from functools import partial

try:
    from llvmlite import ir
    from numba import njit, types
    from numba.core import cgutils
    from numba.extending import intrinsic
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("compiled sessions need numba: expected it to be installed", name=error.name) from error


class Form(IntEnum):
    """What the two innermost axes of a row do. The first one, n, is contiguous in the target, except in STRIDED."""

    COPY = 0
    """`n` bytes are contiguous in both."""
    STRIDED = 1
    """`n` items lie at any distances."""
    TURN = 2
    """Rows become columns: the second axis, m, is contiguous in the source."""
    WEAVE = 3
    """Two runs of `n` items become one of pairs; the second run is `read_m` behind the first one."""
    UNWEAVE = 4
    """A run of `n` pairs becomes two runs of items; the second run is `write_m` behind the first one."""


class Column(IntEnum):
    """What stands where in a row. Strides are bytes; of the four outer axes, the slowest comes first."""

    FORM = 0
    ITEM = 1
    TARGET = 2
    SOURCE = 3
    COUNTS = 4
    READS = 8
    WRITES = 12
    COUNT_N = 16
    COUNT_M = 17
    READ_N = 18
    READ_M = 19
    WRITE_N = 20
    WRITE_M = 21


OUTER_AXES = 4
WIDTH = len(Column) + 3 * (OUTER_AXES - 1)
_LANES = {8: 16, 16: 8, 32: 8, 64: 4}
"""How many items of a number of bits are in a vector."""
_LINE = 64
_COPY, _, _TURN, _WEAVE, _UNWEAVE = map(int, Form)
_FORM, _ITEM, _TARGET, _SOURCE, _COUNTS, _READS, _WRITES, *_INNER = map(int, Column)
_COUNT_N, _COUNT_M, _READ_N, _READ_M, _WRITE_N, _WRITE_M = _INNER
_compiled = partial(njit, no_cpython_wrapper=True, no_cfunc_wrapper=True)()
_long = types.int64


def _pointer(builder, address, offset, pointed):
    """Return a pointer to what lies a constant number of bytes behind an address."""
    if isinstance(offset, int):
        offset = ir.Constant(address.type, offset)
    return builder.inttoptr(builder.add(address, offset), pointed.as_pointer())


@intrinsic
def _copy_bytes(typing_context, target, source, count):
    def generate(context, builder, signature, arguments):
        byte = ir.IntType(8)
        ends = (_pointer(builder, each, 0, byte) for each in arguments[:2])
        cgutils.raw_memcpy(builder, *ends, arguments[2], 1)
        return context.get_dummy_value()

    return types.void(_long, _long, _long), generate


def _item_copier(item):
    """Return the intrinsic `copy(target, source)` of one item."""

    @intrinsic
    def copy(typing_context, target, source):
        def generate(context, builder, signature, arguments):
            found = builder.load(_pointer(builder, arguments[1], 0, item), align=1)
            builder.store(found, _pointer(builder, arguments[0], 0, item), align=1)
            return context.get_dummy_value()

        return types.void(_long, _long), generate

    return copy


def _shuffled(builder, first, second, lanes):
    """Return a vector of lanes of two others, whose numbers go on in the second one."""
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), lanes))


def _block_turner(item, lanes):
    """Return the intrinsic `turn(target, source, write, read)`: a square block whose rows become columns.

    In log2 steps, each of which swaps the off-diagonal quarters of ever smaller blocks (Eklundh 1972).
    """
    vector = ir.VectorType(item, lanes)

    @intrinsic
    def turn(typing_context, target, source, write, read):
        def generate(context, builder, signature, arguments):
            target_, source_, write_, read_ = arguments
            rows = []
            for _ in range(lanes):
                rows.append(builder.load(_pointer(builder, source_, 0, vector), align=1))
                source_ = builder.add(source_, read_)
            distance = lanes // 2
            while distance:
                for at in (row for row in range(lanes) if not row & distance):
                    first, second = rows[at], rows[at + distance]
                    low = [lane if not lane & distance else lanes + lane - distance for lane in range(lanes)]
                    high = [lane + distance if not lane & distance else lanes + lane for lane in range(lanes)]
                    rows[at] = _shuffled(builder, first, second, low)
                    rows[at + distance] = _shuffled(builder, first, second, high)
                distance //= 2
            for row in rows:
                builder.store(row, _pointer(builder, target_, 0, vector), align=1)
                target_ = builder.add(target_, write_)
            return context.get_dummy_value()

        return types.void(_long, _long, _long, _long), generate

    return turn


def _vector_weaver(item, lanes):
    """Return the intrinsic `weave(target, source, other)`: of two vectors one of pairs."""
    vector, pairs = ir.VectorType(item, lanes), ir.VectorType(item, 2 * lanes)
    order = [lane for at in range(lanes) for lane in (at, lanes + at)]

    @intrinsic
    def weave(typing_context, target, source, other):
        def generate(context, builder, signature, arguments):
            found = [builder.load(_pointer(builder, each, 0, vector), align=1) for each in arguments[1:]]
            woven = _shuffled(builder, *found, order)
            builder.store(woven, _pointer(builder, arguments[0], 0, pairs), align=1)
            return context.get_dummy_value()

        return types.void(_long, _long, _long), generate

    return weave


def _vector_unweaver(item, lanes):
    """Return the intrinsic `unweave(target, other, source)`: of a vector of pairs two vectors."""
    vector, pairs = ir.VectorType(item, lanes), ir.VectorType(item, 2 * lanes)

    @intrinsic
    def unweave(typing_context, target, other, source):
        def generate(context, builder, signature, arguments):
            found = builder.load(_pointer(builder, arguments[2], 0, pairs), align=1)
            for first, each in enumerate(arguments[:2]):
                half = _shuffled(builder, found, found, list(range(first, 2 * lanes, 2)))
                builder.store(half, _pointer(builder, each, 0, vector), align=1)
            return context.get_dummy_value()

        return types.void(_long, _long, _long), generate

    return unweave


def _inner_loops(bits):
    """Return the function that moves the two innermost axes of items of a number of bits."""
    item, size, lanes = ir.IntType(bits), bits // 8, _LANES[bits]
    copy, turn = _item_copier(item), _block_turner(item, lanes)
    weave, unweave = _vector_weaver(item, lanes), _vector_unweaver(item, lanes)
    line = _LINE // size

    @_compiled
    def strip(row, target, source, count_m):
        """Turn at most a line of the second axis, and all of the first one."""
        count_n, read_n, write_m = row[_COUNT_N], row[_READ_N], row[_WRITE_M]
        full_n, full_m = count_n // lanes * lanes, count_m // lanes * lanes
        for m in range(0, full_m, lanes):
            for n in range(0, full_n, lanes):
                turn(target + m * write_m + n * size, source + n * read_n + m * size, write_m, read_n)
        for m in range(full_m):
            for n in range(full_n, count_n):
                copy(target + m * write_m + n * size, source + n * read_n + m * size)
        for m in range(full_m, count_m):
            for n in range(count_n):
                copy(target + m * write_m + n * size, source + n * read_n + m * size)

    @_compiled
    def turned(row, target, source):
        for m in range(0, row[_COUNT_M], line):
            strip(row, target + m * row[_WRITE_M], source + m * size, min(line, row[_COUNT_M] - m))

    @_compiled
    def woven(row, target, source):
        count, other = row[_COUNT_N], row[_READ_M]
        full = count // lanes * lanes
        for n in range(0, full, lanes):
            weave(target + 2 * n * size, source + n * size, source + other + n * size)
        for n in range(full, count):
            copy(target + 2 * n * size, source + n * size)
            copy(target + 2 * n * size + size, source + other + n * size)

    @_compiled
    def unwoven(row, target, source):
        count, other = row[_COUNT_N], row[_WRITE_M]
        full = count // lanes * lanes
        for n in range(0, full, lanes):
            unweave(target + n * size, target + other + n * size, source + 2 * n * size)
        for n in range(full, count):
            copy(target + n * size, source + 2 * n * size)
            copy(target + other + n * size, source + 2 * n * size + size)

    @_compiled
    def inner(row, target, source):
        if row[_FORM] == _TURN:
            turned(row, target, source)
        elif row[_FORM] == _WEAVE:
            woven(row, target, source)
        elif row[_FORM] == _UNWEAVE:
            unwoven(row, target, source)
        else:
            read, write = row[_READ_N], row[_WRITE_N]
            for n in range(row[_COUNT_N]):
                copy(target + n * write, source + n * read)

    return inner


_inner_1, _inner_2, _inner_4, _inner_8 = (_inner_loops(bits) for bits in (8, 16, 32, 64))


@_compiled
def _move_inner(row, target, source):
    if row[_ITEM] == 4:
        _inner_4(row, target, source)
    elif row[_ITEM] == 8:
        _inner_8(row, target, source)
    elif row[_ITEM] == 2:
        _inner_2(row, target, source)
    else:
        _inner_1(row, target, source)


def _run(program):
    """Run a program, row after row."""
    for at in range(program.shape[0]):
        row = program[at]
        form, count_n = row[_FORM], row[_COUNT_N]
        count_0, count_1, count_2, count_3 = row[_COUNTS], row[_COUNTS + 1], row[_COUNTS + 2], row[_COUNTS + 3]
        read_0, read_1, read_2, read_3 = row[_READS], row[_READS + 1], row[_READS + 2], row[_READS + 3]
        write_0, write_1, write_2, write_3 = row[_WRITES], row[_WRITES + 1], row[_WRITES + 2], row[_WRITES + 3]
        for a in range(count_0):
            for b in range(count_1):
                for c in range(count_2):
                    source = row[_SOURCE] + a * read_0 + b * read_1 + c * read_2
                    target = row[_TARGET] + a * write_0 + b * write_1 + c * write_2
                    if form == _COPY:
                        for d in range(count_3):
                            _copy_bytes(target + d * write_3, source + d * read_3, count_n)
                    else:
                        for d in range(count_3):
                            _move_inner(row, target + d * write_3, source + d * read_3)


def _kept(function):
    """Compile a function; without a folder that can be written to, it is compiled again by each process."""
    signature = "void(int64[:, ::1])"
    try:
        return njit(signature, nogil=True, cache=True)(function)
    except RuntimeError:
        return njit(signature, nogil=True)(function)


move = _kept(_run)
