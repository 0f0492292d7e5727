"""Files of a store for an event loop: what is on another machine comes once, however many wait for it."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from walle.artifacts.store import ArtifactStore

_FETCHERS: Final = 8


class SingleFlight:
    """Finds local files of a store's artifacts. Those at hand do not wait for those that have to be brought."""

    def __init__(self, store: ArtifactStore) -> None:
        self._store = store
        self._lookers = ThreadPoolExecutor(_FETCHERS, thread_name_prefix="walle-lookers")
        self._fetchers = ThreadPoolExecutor(_FETCHERS, thread_name_prefix="walle-fetchers")
        self._under_way: dict[str, asyncio.Future[Path]] = {}

    async def path(self, digest: str) -> Path:
        """As Store.path."""
        loop = asyncio.get_running_loop()
        here = await loop.run_in_executor(self._lookers, self._store.at_hand, digest)
        if here is not None:
            return here
        coming = self._under_way.get(digest)
        if coming is None:
            coming = self._under_way[digest] = loop.run_in_executor(self._fetchers, self._store.path, digest)
            coming.add_done_callback(lambda _: self._under_way.pop(digest, None))
        return await asyncio.shield(coming)
