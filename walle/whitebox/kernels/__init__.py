"""Kernels: the physical implementations that all plans share, compiled once for the machine (section 4.2.2 of the
thesis).

`load_kernels` compiles them with numba, or loads what was compiled before; nothing is compiled for a plan. Nothing
outside of this package knows numba, whose decorators have no types.
"""

from walle.whitebox.kernels.loading import Execute, load_kernels

__all__ = ["Execute", "load_kernels"]
