"""The device's chain of trusted roots: stored on its disk, and updated from the cloud.

Each root is stored before the next one is requested, so that a device that missed any number of rotations, or is
interrupted among them, continues from where it was (TUF specification 5.3).
"""

from __future__ import annotations

import logging
from typing import Final

from walle.device.errors import RootRefused
from walle.device.link.cloud import CloudClient
from walle.device.storage.store import DeviceStore
from walle.protocol.errors import ProtocolError
from walle.protocol.signing import TrustedRoots

log = logging.getLogger(__name__)

MAX_ROTATIONS: Final = 1024
"""The most roots fetched at once, so that a hostile server cannot occupy a device for ever."""


class Trust:
    """The roots that this device trusts.

    `initial` is the root that ships with the app. Without it the device trusts the first root that the server sends,
    once, so that the first connection to the server must be trustworthy.
    """

    def __init__(self, store: DeviceStore, cloud: CloudClient, initial: bytes | None = None) -> None:
        self._store, self._cloud = store, cloud
        self._roots = self._load() or (self._first(initial) if initial else None)

    @property
    def roots(self) -> TrustedRoots:
        """The newest trusted root. Raises RootRefused if there is none yet."""
        if self._roots is None:
            raise RootRefused("this device has no root of trust yet")
        return self._roots

    def _load(self) -> TrustedRoots | None:
        for data in reversed(self._store.roots()):
            try:
                return TrustedRoots(data)
            except ProtocolError as error:
                log.error("a stored root is damaged, its predecessor is used: %s", error)
        return None

    def _first(self, data: bytes) -> TrustedRoots:
        try:
            roots = TrustedRoots(data)
        except ProtocolError as error:
            raise RootRefused(f"the first root: {error}") from error
        self._store.save_root(roots.version, data)
        return roots

    async def refresh(self) -> TrustedRoots:
        """Follow the chain to the newest root. Raises Unreachable, ServerRefused or RootRefused."""
        if self._roots is None:
            self._roots = self._first(await self._fetch_first())
        for _ in range(MAX_ROTATIONS):
            successor = await self._cloud.root(self._roots.version + 1)
            if successor is None:
                return self._roots
            self._accept(self._roots, successor)
        raise RootRefused(f"more than {MAX_ROTATIONS} rotations in one go")

    async def _fetch_first(self) -> bytes:
        data = await self._cloud.root(1)
        if data is None:
            raise RootRefused("the server has no root of trust")
        return data

    def _accept(self, roots: TrustedRoots, successor: bytes) -> None:
        try:
            roots.update(successor)
        except ProtocolError as error:
            raise RootRefused(f"root {roots.version + 1}: {error}") from error
        self._store.save_root(roots.version, successor)
