"""The dictionaries that a device holds: fetched once, checked by their digest, one for a task."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import httpx

from walle.device.errors import Missing, TooLarge
from walle.device.storage.disk import Disk
from walle.device.storage.files import Files
from walle.device.updates.downloader import Downloader, DownloadTarget
from walle.protocol.compression import MAX_DICTIONARY, Dictionary

log = logging.getLogger(__name__)

MAX_TASKS: Final = 64
"""So many tasks have a dictionary at most; then the one that got it first has none."""
OBTAIN_S: Final = 60.0
"""Seconds that fetching a dictionary may take; the others wait meanwhile."""


class TaskDictionaries:
    """The dictionaries in one folder, of tasks. `download` makes the downloader of a store of files.

    `resolve` makes addresses of the cloud absolute.
    """

    def __init__(
        self, folder: Path, disk: Disk, *, download: Callable[[Files], Downloader], resolve: Callable[[str], str]
    ) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._index, self._disk, self._resolve = folder / "index.json", disk, resolve
        self._files = Files(folder / "files", folder / "partial", disk)
        self._downloader = download(self._files)
        self._digests = _read_index(self._index)
        self._loaded: dict[str, Dictionary] = {}
        self._obtaining = asyncio.Lock()

    def digest(self, task: str) -> bytes:
        """Return the SHA-256 of the task's dictionary, empty if there is none here."""
        return bytes.fromhex(self._digests.get(task, ""))

    async def obtain(self, task: str, digest: bytes, url: str) -> Dictionary | None:
        """Return the dictionary with this SHA-256, from the disk or from `url`; None if it cannot be had now.

        It is the task's from now on.
        """
        name = digest.hex()
        async with self._obtaining:
            try:
                async with asyncio.timeout(OBTAIN_S):
                    return await self._obtain(task, name, url)
            except Exception as error:
                # Addresses that are none fail in more ways than httpx says.
                log.warning("%s goes up without its dictionary: %s %s", task, type(error).__name__, error)
            with suppress(OSError):
                await asyncio.to_thread(self._give_up, task, name)
            return None

    async def _obtain(self, task: str, name: str, url: str) -> Dictionary:
        if name not in self._loaded:
            path = await self._path(name, url)
            self._loaded[name] = await asyncio.to_thread(lambda: Dictionary(path.read_bytes()))
        if self._digests.get(task) != name:
            await asyncio.to_thread(self._assign, task, name)
        return self._loaded[name]

    async def _path(self, name: str, url: str) -> Path:
        if await asyncio.to_thread(self._files.holds, name):
            return self._files.path(name)
        if not url:
            raise Missing(f"the dictionary {name} is neither here nor offered")
        return (await self._downloader.fetch_announced(self._resolve(url), partial(_target, name)))[1]

    def _assign(self, task: str, name: str) -> None:
        self._digests.pop(task, None)
        self._digests[task] = name
        self._digests = dict(list(self._digests.items())[-MAX_TASKS:])
        self._disk.write(self._index, json.dumps(self._digests).encode(), step="dictionaries")
        self._collect()

    def _give_up(self, task: str, name: str) -> None:
        """Keep nothing of what could not be obtained, and do not say that it is here."""
        if self._digests.get(task) == name:
            del self._digests[task]
        self._collect()

    def _collect(self) -> None:
        """Remove the dictionaries that are no task's, and what began to arrive of others."""
        kept = set(self._digests.values())
        self._files.collect(kept, stale_before=float("inf"))
        self._loaded = {digest: found for digest, found in self._loaded.items() if digest in kept}


def _target(name: str, response: httpx.Response) -> DownloadTarget:
    size = response.headers.get("Content-Length", "")
    if not size.isdecimal() or int(size) > MAX_DICTIONARY:
        raise TooLarge(
            f"{response.url}: expected a dictionary of at most {MAX_DICTIONARY} bytes, found {size or 'no size'}"
        )
    return DownloadTarget(name, int(size))


def _read_index(path: Path) -> dict[str, str]:
    try:
        stored = json.loads(path.read_bytes())
        return {str(task): bytes.fromhex(digest).hex() for task, digest in stored.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        log.warning("which dictionaries are held is not readable: %s", error)
        return {}
