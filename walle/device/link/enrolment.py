"""Enrolment: how a device gets its credential, and a new one when the old one is no longer valid."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from walle.device.link.cloud import CloudClient
from walle.device.storage.state import Credential, DeviceState

Statement = Callable[[], Mapping[str, Any]]
"""Requests a signed statement of facts about this user (a DSSE envelope as an object) from the app's backend."""


class DeviceMemory(Protocol):
    """The store of a device's state, as far as enrolment and check-ins need it."""

    @property
    def state(self) -> DeviceState: ...

    def save_credential(self, credential: Credential) -> None: ...


@dataclass(frozen=True)
class Enrolment:
    """The proof of an app's devices: a key that ships in the app, or a statement of its backend (which is stronger)."""

    app: str
    app_key: str | None = field(default=None, repr=False)
    statement: Statement | None = None

    async def enrol(self, store: DeviceMemory, cloud: CloudClient) -> Credential:
        """Return a new credential, which is also stored. The old one is sent along, so that the device keeps its id.

        Raises Unreachable or ServerRefused.
        """
        body: dict[str, Any] = {"app": self.app}
        if self.app_key is not None:
            body["key"] = self.app_key
        if self.statement is not None:
            body["statement"] = await asyncio.to_thread(self.statement)
        if known := store.state.credential:
            body |= {"device": known.device, "credential": known.token}
        credential = await cloud.enrol(body)
        store.save_credential(credential)
        return credential
