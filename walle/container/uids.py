"""User ids for runs that are started as root: one each, so that concurrent runs cannot touch one another."""

from __future__ import annotations

import contextlib
import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from walle.container.result import SandboxError

# Used for nothing else: above people, services and systemd's home users, below its dynamic users (61184), and
# within the 65536 that containers map.
DEFAULT_UIDS: Final = range(60706, 61184)


class UidPool:
    """Leases ids of a range that no other run on this machine uses, in whatever process.

    A lease is an address in the abstract socket namespace: binding it is atomic, and the kernel takes it back when
    its process dies.
    """

    def __init__(self, uids: range = DEFAULT_UIDS) -> None:
        if len(uids) == 0 or min(uids) < 1:
            raise ValueError(f"expected a range of user ids above 0, found {uids}")
        self._uids = uids

    @contextmanager
    def lease(self) -> Iterator[int]:
        """An id for as long as the block runs; raises SandboxError when all are in use."""
        start = random.randrange(len(self._uids))  # noqa: S311 - only spreads the search
        for offset in range(len(self._uids)):
            uid = self._uids[(start + offset) % len(self._uids)]
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as claim:
                with contextlib.suppress(OSError):
                    claim.bind(f"\0walle-sandbox-uid-{uid}")
                if claim.getsockname():
                    yield uid
                    return
        raise SandboxError(f"all user ids of {self._uids} are in use")
