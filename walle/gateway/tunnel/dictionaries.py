"""The dictionaries that devices compress with, remembered for a while so that many devices cost one look-up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, NamedTuple

from walle.gateway.cache import TwoGenerationCache
from walle.gateway.ports import DictionarySource, PortUnavailable
from walle.protocol.compression import Dictionary

log = logging.getLogger(__name__)

_MOST: Final = 1024


class KnownDictionary(NamedTuple):
    """A dictionary ready for use, and the URL where devices fetch it."""

    dictionary: Dictionary
    url: str


class _Found(NamedTuple):
    until: float
    search: asyncio.Task[KnownDictionary | None]


class DictionaryCache:
    """Remembers what a source found, if there is one, for `keep_s` seconds; `clock` returns monotonic seconds."""

    def __init__(self, source: DictionarySource | None, keep_s: float, clock: Callable[[], float]) -> None:
        self._source, self._keep_s, self._clock = source, keep_s, clock
        self._found: TwoGenerationCache[tuple[str, str], _Found] = TwoGenerationCache(_MOST)

    async def find(self, app: str, task: str) -> KnownDictionary | None:
        """Return the dictionary of a task, None if there is none or the source cannot be reached."""
        if self._source is None:
            return None
        found = self._found.get((app, task))
        if found is None or found.until <= self._clock():
            found = _Found(self._clock() + self._keep_s, asyncio.create_task(_search(self._source, app, task)))
            self._found.put((app, task), found, 1)
        return await asyncio.shield(found.search)


async def _search(source: DictionarySource, app: str, task: str) -> KnownDictionary | None:
    try:
        offer = await source.find(app, task)
        return offer and KnownDictionary(Dictionary(offer.content), offer.url)
    except PortUnavailable as error:
        log.warning("features of %s come without a dictionary: %s", task, error)
    except Exception:
        # Features are worth more than what a dictionary saves.
        log.exception("the dictionary of %s cannot be used", task)
    return None
