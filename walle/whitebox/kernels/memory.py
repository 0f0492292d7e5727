"""Reading and writing at addresses inside kernels.

Everything a kernel touches lies at an address that a plan's program holds, so that one compiled function serves all
plans and a call passes a handful of integers. No bounds are checked here: the compiler lays frames out so that no
record that fits them can reach outside.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def loader(numba_type, llvm_type):
    """Return an intrinsic `load(address, index)`: the item at an index of an array that begins at an address."""

    @intrinsic
    def load(typing_context, address, index):
        def generate(context, builder, signature, arguments):
            start = builder.inttoptr(arguments[0], llvm_type.as_pointer())
            return builder.load(builder.gep(start, [arguments[1]]), align=1)

        return numba_type(types.int64, types.int64), generate

    return load


def storer(numba_type, llvm_type):
    """Return an intrinsic `store(address, index, item)`."""

    @intrinsic
    def store(typing_context, address, index, item):
        def generate(context, builder, signature, arguments):
            start = builder.inttoptr(arguments[0], llvm_type.as_pointer())
            builder.store(arguments[2], builder.gep(start, [arguments[1]]), align=1)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, numba_type), generate

    return store


@intrinsic
def prefetch(typing_context, address):
    """Asks the processor to bring the cache line at an address near, without waiting for it."""

    def generate(context, builder, signature, arguments):
        pointer = ir.IntType(8).as_pointer()
        word = ir.IntType(32)
        function = builder.module.declare_intrinsic(
            "llvm.prefetch", [pointer], ir.FunctionType(ir.VoidType(), [pointer, word, word, word])
        )
        read, keep, data = (ir.Constant(word, value) for value in (0, 3, 1))
        builder.call(function, [builder.inttoptr(arguments[0], pointer), read, keep, data])
        return context.get_dummy_value()

    return types.void(types.int64), generate


@intrinsic
def count_bits(typing_context, word):
    """Return how many bits of a word (u64) are set."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


load_f64 = loader(types.float64, ir.DoubleType())
load_i64 = loader(types.int64, ir.IntType(64))
load_u64 = loader(types.uint64, ir.IntType(64))
load_i32 = loader(types.int32, ir.IntType(32))
load_u32 = loader(types.uint32, ir.IntType(32))
load_u8 = loader(types.uint8, ir.IntType(8))
store_f64 = storer(types.float64, ir.DoubleType())
store_i64 = storer(types.int64, ir.IntType(64))
store_u64 = storer(types.uint64, ir.IntType(64))
store_i32 = storer(types.int32, ir.IntType(32))
store_u8 = storer(types.uint8, ir.IntType(8))
