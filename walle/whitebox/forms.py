"""Forms in which kernels read parameters, where these are not those of archives.

A form is made of a parameter's numbers once on each host. It is an array of words (u64) whose last one is how many
numbers it was made of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from walle.whitebox.narrow_nodes import narrow_nodes
from walle.whitebox.zero_packing import pack_zeros

Words = NDArray[np.uint64]


class Form(NamedTuple):
    """The type of the numbers of which a form is made, and what makes it of them, whatever their shape."""

    dtype: str
    make: Callable[[NDArray[Any]], Words]


FORMS: Final[Mapping[str, Form]] = {"packed": Form("<f8", pack_zeros), "narrow": Form("<i4", narrow_nodes)}


def count_of(words: Words) -> int:
    """Return of how many numbers a form was made."""
    return int(words[-1])
