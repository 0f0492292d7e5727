"""Which sequence of a spool comes next: features are numbered without gaps, except for those that a device dropped."""

from __future__ import annotations

from walle.protocol.errors import FrameMalformed


class SpoolOrder:
    """The sequences of one spool over one connection.

    `received` is the highest sequence so far, also over connections before this one; `_floor` is the first that the
    device still has.
    """

    __slots__ = ("_floor", "received")

    def __init__(self, received: int, following: int) -> None:
        self.received = received
        self._floor = following

    @property
    def due(self) -> int:
        """The sequence of the next new feature."""
        return max(self.received + 1, self._floor)

    def is_new(self, sequence: int) -> bool:
        """Return whether a feature is the next one, False if it was received before. Raises FrameMalformed."""
        if sequence <= self.received:
            return False
        if sequence != self.due:
            raise FrameMalformed("frame-out-of-order", f"expected the feature {self.due}, found {sequence}")
        return True

    def skip(self, to: int) -> None:
        """The device no longer has any feature below `to`."""
        self._floor = max(self._floor, to)
