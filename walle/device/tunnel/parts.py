"""What a device's tunnel has on the disk, in one folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from walle.device.storage.disk import Disk
from walle.device.storage.files import Files
from walle.device.tunnel.answers import AwaitedAnswers
from walle.device.tunnel.dictionaries import TaskDictionaries
from walle.device.tunnel.service import OpenParts, TunnelParts
from walle.device.tunnel.spool import Spool
from walle.device.tunnel.spooling import SpoolQueue
from walle.device.updates.downloader import Downloader


def parts_on_disk(
    folder: Path,
    disk: Disk,
    *,
    download: Callable[[Files], Downloader],
    resolve: Callable[[str], str],
    monotonic: Callable[[], float],
) -> OpenParts:
    """Return what opens the tunnel's parts in a folder: spool/, answers/ and dictionaries/.

    `download` makes the downloader of a store of files, and `resolve` makes addresses of the cloud absolute.
    """

    def open_parts(arrived: Callable[[], None]) -> TunnelParts:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        awaited = AwaitedAnswers(folder / "answers", disk)
        queue = SpoolQueue(Spool(folder / "spool", disk), awaited, monotonic=monotonic, arrived=arrived)
        dictionaries = TaskDictionaries(folder / "dictionaries", disk, download=download, resolve=resolve)
        return TunnelParts(queue, awaited, dictionaries)

    return open_parts
