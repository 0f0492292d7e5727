"""Interpreters of Python: what they are called on the wire, and how a device says which it runs tasks with.

An interpreter is called by its cache tag, such as `cpython-311`, which is what tells whether it can load bytecode. A
device says its own by a fact (docs/protocol.md, "Walle-App"), as it does the kinds of tasks that it knows.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

FACT: Final = "interpreter"
"""The fact that names a device's interpreter."""
THIS_INTERPRETER: Final = sys.implementation.cache_tag
"""The one that runs this; None for one that loads no bytecode."""
EXPECTED: Final = "the cache tag of an interpreter, such as cpython-311"


def loads(facts: Mapping[str, Any], interpreter: str | None) -> bool:
    """Whether a device that claims these facts can load bytecode for an interpreter; None asks for none."""
    return interpreter is None or facts.get(FACT) == interpreter
