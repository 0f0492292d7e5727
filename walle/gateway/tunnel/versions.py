"""The names of the versions that features come from, remembered so that many devices cost one look-up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, NamedTuple

from walle.gateway.cache import TwoGenerationCache
from walle.gateway.ports import PortUnavailable, VersionSource

log = logging.getLogger(__name__)

_MOST: Final = 4096

_Version = tuple[str, str, bytes]
"""An app, a task, and the short digest of the version's manifest."""


class _Search(NamedTuple):
    until: float
    name: asyncio.Task[str]


class VersionNames:
    """Remembers the names that a source found, if there is one.

    A version never changes its name. One that was not found is looked up again after `again_s` seconds; `clock` returns
    monotonic seconds.
    """

    def __init__(self, source: VersionSource | None, again_s: float, clock: Callable[[], float]) -> None:
        self._source, self._again_s, self._clock = source, again_s, clock
        self._names: TwoGenerationCache[_Version, str] = TwoGenerationCache(_MOST)
        self._searches: TwoGenerationCache[_Version, _Search] = TwoGenerationCache(_MOST)

    async def find(self, app: str, task: str, manifest: bytes) -> str:
        """Return the name of a task's version, empty if nobody knows it or the source cannot be reached."""
        if self._source is None:
            return ""
        version = app, task, manifest
        name = self._names.get(version)
        if name is not None:
            return name
        search = self._searches.get(version)
        if search is None or search.until <= self._clock():
            search = _Search(self._clock() + self._again_s, asyncio.create_task(self._search(self._source, version)))
            self._searches.put(version, search, 1)
        return await asyncio.shield(search.name)

    async def _search(self, source: VersionSource, version: _Version) -> str:
        try:
            name = await source.name_of(*version)
        except PortUnavailable as error:
            log.warning("features of %s come without the name of their version: %s", version[1], error)
        except Exception:
            # Features are worth more than the name of their version.
            log.exception("the version of features of %s cannot be found", version[1])
        else:
            if name:
                self._names.put(version, name, 1)
            return name
        return ""
