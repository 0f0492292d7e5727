"""Rates of the backends on a reference device: a core of a server with vectors of 512 bits, one thread.

`walle_task.tensor.search.calibrating` measured them. They stand in for those of a device that is not calibrated: the
order of backends is much the same on other processors, their seconds are not.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from walle_task.tensor.search.costs import BackendRates, Rate
from walle_task.tensor.search.work import Work

_KINDS: Final = (
    Work.LINEAR, Work.PRODUCT, Work.CONVOLUTION, Work.WINOGRAD, Work.FIRST, Work.POINTWISE, Work.DEPTHWISE,
    Work.FUNCTION, Work.ERROR_FUNCTION, Work.NORMALISATION, Work.ELEMENTWISE, Work.REORDERING,
)  # fmt: skip
_PER_OPERATION_AND_BYTE: Final = {
    "walle": (
        (1.65e-11, 5.24e-11), (2.46e-12, 4.9e-10), (1.09e-08, 0.0), (1.09e-08, 0.0),
        (1.09e-08, 0.0), (1.09e-08, 0.0), (1.09e-08, 0.0), (3.15e-09, 0.0),
        (1.09e-08, 0.0), (1.09e-08, 0.0), (0.0, 2.71e-11), (3.99e-10, 0.0),
    ),
    "onnxruntime": (
        (1.37e-11, 2.82e-11), (0.0, 3.11e-10), (1.22e-11, 5.92e-11), (5.48e-10, 0.0),
        (1.14e-11, 0.0), (1.5e-11, 0.0), (3.58e-11, 6.02e-12), (7.97e-11, 0.0),
        (5.48e-10, 0.0), (2.84e-10, 0.0), (0.0, 1.29e-11), (4.32e-11, 0.0),
    ),
    "onnxruntime-int8": (
        (7.42e-12, 3.26e-12), (0.0, 3.8e-10), (1.33e-11, 1.2e-11), (6.05e-10, 0.0),
        (1.82e-11, 0.0), (1.45e-11, 0.0), (4.5e-11, 0.0), (4.63e-11, 0.0),
        (6.05e-10, 0.0), (3.72e-10, 0.0), (0.0, 1e-11), (9.18e-11, 0.0),
    ),
    "mnn": (
        (1.61e-11, 1.26e-11), (9.9e-12, 2.58e-10), (2.01e-11, 0.0), (6.05e-12, 1.36e-10),
        (1.93e-11, 0.0), (1.32e-11, 1.14e-10), (6.04e-11, 0.0), (1.51e-09, 0.0),
        (1.2e-08, 0.0), (2.82e-09, 0.0), (1.23e-10, 0.0), (9.96e-11, 0.0),
    ),
    "torch": (
        (1.35e-11, 2.78e-11), (0.0, 3.01e-10), (1.46e-11, 1.09e-10), (2.66e-09, 0.0),
        (1.7e-11, 0.0), (1.29e-11, 7.04e-11), (8.01e-11, 1.6e-11), (9.75e-10, 0.0),
        (2.66e-09, 0.0), (1.15e-09, 0.0), (0.0, 2.16e-11), (1.56e-10, 0.0),
    ),
}  # fmt: skip
_BESIDE: Final = {
    "walle": (9.68e-07, 6.06e-06, 3.46e-11, 0.00282, 1.84e-09, 0.0258),
    "onnxruntime": (1.77e-06, 1.93e-05, 7.27e-11, 0.00167, 3.75e-09, 0.086),
    "onnxruntime-int8": (4.29e-07, 2.52e-05, 7.35e-11, 0.00192, 3.04e-09, 0.0716),
    "mnn": (0.0, 1.39e-05, 1.65e-10, 0.00342, 1.53e-08, 0.0193),
    "torch": (2.45e-06, 5.63e-05, 8.16e-11, 0.00035, 2.19e-10, 2.01),
}  # fmt: skip
"""Of each backend the other fields of its rates, in their order."""


@cache
def reference_rates() -> dict[str, BackendRates]:
    """Return the rates of each backend that tasks may have."""
    return {
        name: BackendRates({kind: Rate(*each) for kind, each in zip(_KINDS, found, strict=True)}, *_BESIDE[name])
        for name, found in _PER_OPERATION_AND_BYTE.items()
    }
