"""How a tunnel ends because of what its device did, or what became of the device."""

from __future__ import annotations

from typing import NamedTuple

from walle.protocol.errors import FrameMalformed
from walle.protocol.tunnel_frames import close_code, close_reason


class Ending(NamedTuple):
    """A close code, and the stable code and sentence of its reason."""

    code: int
    name: str
    text: str

    @property
    def reason(self) -> str:
        return close_reason(self.name, self.text)


class TunnelRefused(Exception):
    """The connection has to be closed."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending.reason)
        self.ending = ending


def ending_of(error: FrameMalformed) -> Ending:
    """Return how a connection ends that brought a malformed message."""
    return Ending(close_code(error), error.code, str(error))
