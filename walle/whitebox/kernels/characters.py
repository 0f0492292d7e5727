"""The table of all code points that kernels of text look into: which are word characters, and which are spaces, as `re`
has it.
"""

from __future__ import annotations

import re
import sys
from functools import cache

import numpy as np
import numpy.typing as npt

from walle.whitebox.kernels.codes import SPACE, WORD_CHARACTER


@cache
def character_classes() -> npt.NDArray[np.uint8]:
    """Return a byte for each code point."""
    table = np.zeros(sys.maxunicode + 1, np.uint8)
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    for pattern, flag in ((r"\w+", WORD_CHARACTER), (r"\s+", SPACE)):
        for found in re.finditer(pattern, everything):
            table[found.start() : found.end()] |= flag
    return table
