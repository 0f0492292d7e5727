"""Three real tasks to release: image, text, recommendation."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_bytecode() -> Iterator[None]:
    """The imports of the block leave no `__pycache__`: the task/ folders are pushed as they stand."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before
