"""Local files of a store for an event loop: a remote file is transferred once for all who wait for it."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from walle.artifacts.store import ArtifactStore

_FETCHERS: Final = 8


class SingleFlight:
    """Finds local files of a store's artifacts. Local ones do not wait for the transfers of remote ones."""

    def __init__(self, store: ArtifactStore) -> None:
        self._store = store
        self._finders = ThreadPoolExecutor(_FETCHERS, thread_name_prefix="walle-lookers")
        self._fetchers = ThreadPoolExecutor(_FETCHERS, thread_name_prefix="walle-fetchers")
        self._transfers: dict[str, asyncio.Future[Path]] = {}

    async def path(self, digest: str) -> Path:
        """Return the file of an artifact, as ArtifactStore.path does."""
        loop = asyncio.get_running_loop()
        local = await loop.run_in_executor(self._finders, self._store.at_hand, digest)
        if local is not None:
            return local
        transfer = self._transfers.get(digest)
        if transfer is None:
            transfer = self._transfers[digest] = loop.run_in_executor(self._fetchers, self._store.path, digest)
            transfer.add_done_callback(lambda _: self._transfers.pop(digest, None))
        return await asyncio.shield(transfer)
