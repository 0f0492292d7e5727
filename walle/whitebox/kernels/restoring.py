"""Putting values back that were computed before, for the same record, by another plan."""

import numpy as np

from walle.whitebox.kernels.decorators import kernel
from walle.whitebox.kernels.memory import load_f64, load_i32, load_i64, store_f64, store_i32, store_i64

DENSE = -1
"""What stands for the place of the count of a part that has none."""


@kernel
def restore(arguments, frame):
    """place, parts, then three words for each part: numbers that were kept, one part behind the other.

    The place holds their address. A part is a sparse vector (counts, columns, values), kept as its count (i64), its
    columns (i32, filled up to 8 bytes) and its values; or a dense one (DENSE, target, size), kept as its values.
    """
    source = load_i64(frame + load_i64(arguments, 0), 0)
    for part in range(load_i64(arguments, 1)):
        counts, second, third = (
            load_i64(arguments, 3 * part + 2),
            load_i64(arguments, 3 * part + 3),
            load_i64(arguments, 3 * part + 4),
        )
        if counts == DENSE:
            for i in range(third):
                store_f64(frame + second, i, load_f64(source, i))
            source += 8 * third
        else:
            count = load_i64(source, 0)
            store_i64(frame + counts, 0, count)
            values = source + 8 + 8 * ((count + np.int64(1)) // 2)
            for i in range(count):
                store_i32(frame + second, i, load_i32(source + 8, i))
            for i in range(count):
                store_f64(frame + third, i, load_f64(values, i))
            source = values + 8 * count
