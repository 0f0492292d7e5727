"""How long clients keep connections that they do not use."""

from typing import Final

IDLE_S: Final = 3.0
"""Seconds after which a client closes an idle connection: servers close theirs after five or more, and a request that
is on its way at that moment is lost."""
