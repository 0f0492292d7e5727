"""Which engine answers a plan's single records."""

from __future__ import annotations

from typing import Final, Literal

EngineName = Literal["request-response", "batch"]
EngineWish = Literal["auto", "request-response", "batch"]

SLOW_S: Final = 400e-6
"""From this time for a record on, handing it to an executor costs little beside it, and frees the caller's thread."""
FAST_S: Final = 200e-6
"""Below this, it is answered in the caller's thread again."""


class EngineChoice:
    """One plan's engine: what was asked for, or what the measured cost of a record says."""

    __slots__ = ("engine", "wish")

    def __init__(self, wish: EngineWish, estimate_s: float | None = None) -> None:
        self.wish = wish
        self.engine: EngineName = "request-response" if wish == "auto" else wish
        if estimate_s is not None:
            self.measured(estimate_s)

    def measured(self, seconds: float) -> None:
        """Take note of what one record costs now, in seconds of computing."""
        if self.wish != "auto":
            return
        if seconds >= SLOW_S:
            self.engine = "batch"
        elif seconds < FAST_S:
            self.engine = "request-response"
