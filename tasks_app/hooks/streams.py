"""The standard streams of a hook's process; imports nothing that needs Django."""

import os
from typing import TextIO


def updates() -> TextIO:
    """Return git's lines on standard input: old object, new object, reference."""
    return open(0, encoding="utf-8", errors="surrogateescape", closefd=False)


def pusher() -> TextIO:
    """Return the stream that the person who pushes reads; from here on standard error is the server's log instead."""
    stream = os.fdopen(os.dup(2), "w", encoding="utf-8", errors="backslashreplace", buffering=1)
    os.dup2(int(os.environ["WALLE_PUSH_LOG"]), 2)
    return stream
