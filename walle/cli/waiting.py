"""Show progress while something takes long: a spinner in a terminal, one line elsewhere."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SHOW_AFTER_S = 1.5
"""Seconds after which the progress is shown."""


class WaitingMessage:
    """The progress of one operation."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = threading.Lock()
        self._status: Any = None
        self._ended = False
        self._timer = threading.Timer(SHOW_AFTER_S, self._show)
        self._timer.daemon = True

    def say(self, what: str) -> None:
        """Replace the text of the progress."""
        with self._lock:
            self._what = what
            if self._status is not None:
                self._status.update(what)

    def _show(self) -> None:
        from walle.cli.output import error_console

        with self._lock:
            if self._ended:
                return
            console = error_console()
            if console.is_terminal:
                self._status = console.status(self._what)
                self._status.start()
            else:
                print(f"{self._what} ...", file=sys.stderr, flush=True)

    def start(self) -> None:
        self._timer.start()

    def stop(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._ended = True
            if self._status is not None:
                self._status.stop()


@contextmanager
def waiting(what: str) -> Iterator[WaitingMessage]:
    """Show progress for the duration of the context."""
    shown = WaitingMessage(what)
    shown.start()
    try:
        yield shown
    finally:
        shown.stop()
