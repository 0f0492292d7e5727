"""When the light devices of a rehearsal run what they have."""

from __future__ import annotations

import time

from walle.device.emulator.population import Person
from walle.device.storage.state import Installation as Installed


class Runs:
    """New versions run at once, then every `every_s` seconds; the version `trap` not before it is `open`."""

    def __init__(self, trap: str, every_s: float) -> None:
        self.open = False
        self._trap, self._every_s = trap, every_s
        self._ran: dict[tuple[str, str], tuple[str, float]] = {}

    def may_run(self, person: Person, installed: Installed) -> bool:
        """Return whether a device runs an installed version now, and take it that it does."""
        if installed.version == self._trap and not self.open:
            return False
        version, last = self._ran.get((person.name, installed.task), ("", 0.0))
        if version == installed.version and time.monotonic() < last + self._every_s:
            return False
        self._ran[person.name, installed.task] = installed.version, time.monotonic()
        return True
