"""Which mapped parameters are in use, and which may go when room is needed."""

from __future__ import annotations

from collections import OrderedDict


class ParameterLedger:
    """Counts the users of parameters by digest; those without any are kept until others need their room."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.mapped_bytes = 0
        self._sizes: dict[str, int] = {}
        self._users: dict[str, int] = {}
        self._idle: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, digest: str) -> bool:
        return digest in self._sizes

    def users(self, digest: str) -> int:
        """Return how many use it now."""
        return self._users.get(digest, 0)

    @property
    def shared_bytes(self) -> int:
        """The bytes of what is in use, each parameter once."""
        return sum(self._sizes[digest] for digest in self._users)

    @property
    def unshared_bytes(self) -> int:
        """The bytes that would be in use if each user had copies of its own."""
        return sum(self._sizes[digest] * users for digest, users in self._users.items())

    def room_for(self, size: int) -> list[str] | None:
        """Return what has to go, least recently used first, before `size` more bytes fit; None if they never do.

        Nothing is changed; nothing that is in use is named.
        """
        missing = self.mapped_bytes + size - self.capacity
        going: list[str] = []
        for digest in self._idle:
            if missing <= 0:
                break
            going.append(digest)
            missing -= self._sizes[digest]
        return going if missing <= 0 else None

    def map(self, digest: str, size: int) -> None:
        """Enter a parameter that nobody uses yet and that was not there."""
        self._sizes[digest] = size
        self._idle[digest] = None
        self.mapped_bytes += size

    def unmap(self, digest: str) -> None:
        """Strike out a parameter, which may be in use: then it is not counted any longer."""
        self.mapped_bytes -= self._sizes.pop(digest)
        self._idle.pop(digest, None)
        self._users.pop(digest, None)

    def use(self, digest: str) -> None:
        """Count one more user."""
        self._users[digest] = self._users.get(digest, 0) + 1
        self._idle.pop(digest, None)

    def release(self, digest: str) -> None:
        """Count one user less; without any, it is the most recently used of those that may go."""
        users = self._users.get(digest, 0)
        if users > 1:
            self._users[digest] = users - 1
        elif users:
            del self._users[digest]
            self._idle[digest] = None
