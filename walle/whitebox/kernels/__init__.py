"""Kernels: the physical implementations that all plans share, compiled once for the machine (section 4.2.2 of the
thesis).

`load_kernels` compiles them with numba, or loads what was compiled before; nothing is compiled for a plan.
`character_classes` is the table that those for texts read, which also takes a while to make: processes that fork others
load both before. Nothing outside of this package knows numba, whose decorators have no types.
"""

from walle.whitebox.kernels.characters import character_classes
from walle.whitebox.kernels.loading import Execute, load_kernels

__all__ = ["Execute", "character_classes", "load_kernels"]
