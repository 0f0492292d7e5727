"""A pure test starts no process. (The database is closed to it by pytest-django.)"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

EVENTS = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"})


class ProcessStarted(BaseException):
    """A pure test started a process. No `except Exception` of the code under test may hide it."""


class DatabaseAsked(Exception):
    """A pure test asked for the database while it ran."""


class Guard:
    """Refuses to start processes while it is closed, in every thread."""

    def __init__(self) -> None:
        self.closed = False
        self._watches = False

    @contextmanager
    def close(self, *, closed: bool) -> Iterator[None]:
        self.closed = closed
        if closed and not self._watches:
            # A hook of this kind cannot be taken away again, and slows down every import: collecting is over by now.
            self._watches = True
            sys.addaudithook(self._watch)
        try:
            yield
        finally:
            self.closed = False

    def refuse_database(self, fixture: str) -> None:
        """Called for each fixture of the database that is set up."""
        if self.closed:
            raise DatabaseAsked(
                f"a test of the tier `pure` asked for `{fixture}` while it ran: ask by name, or give the test the "
                "marker `database`"
            )

    def _watch(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.closed and event in EVENTS:
            raise ProcessStarted(
                f"a test of the tier `pure` started a process ({event} {arguments[:2]!r}): give its file "
                "`pytestmark = pytest.mark.processes`, or let the test do without"
            )
