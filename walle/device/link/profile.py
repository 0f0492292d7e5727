"""The request headers of a device's check-in, built from its state."""

from __future__ import annotations

from walle.device.facts import Facts
from walle.device.storage.state import Credential, DeviceState
from walle.protocol.headers import CheckIn, DeviceHeader, short_digest

MAX_TASKS = 60
"""The most tasks in a profile: they always fit into what a server accepts as one header (8 KiB)."""


class HeaderWriter:
    """Builds the headers once per state, because every request of an app may need them. Safe in any thread."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._app = facts.header()
        self._written: tuple[DeviceState, dict[str, str]] | None = None

    def headers(self, state: DeviceState) -> dict[str, str]:
        """Return Walle-Device, Walle-App and Walle-Profile; empty for a device that is not enrolled."""
        written = self._written
        if written is None or written[0] is not state:
            written = self._written = state, self._write(state, state.credential)
        return written[1]

    def _write(self, state: DeviceState, credential: Credential | None) -> dict[str, str]:
        if credential is None:
            return {}
        number = state.highest.get(self._facts.app, 0)
        installed = {name: task.current.manifest for name, task in sorted(state.tasks.items()) if task.current}
        profile = {name: short_digest(manifest) for name, manifest in list(installed.items())[:MAX_TASKS]}
        return CheckIn(DeviceHeader(credential.device, credential.token, number), self._app, profile).headers()
