"""One real device with shop/ipv: its stream service, its runner and a kept VM; nothing of the cloud."""

from __future__ import annotations

import asyncio
import hashlib
import random
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import psutil

from benchmarks.support.ipv.cloud import cpu_seconds
from walle.bundle.manifest import build_manifest
from walle.bundle.tree import FolderTree
from walle.bundle.validation import validate_tree
from walle.container.sandbox import Sandbox
from walle.device.assembly import AssembledDevice
from walle.device.facts import Facts
from walle.device.link.cloud import CloudClient
from walle.device.link.enrolment import Enrolment
from walle.device.notices import Notice
from walle.device.running.sandboxed import SandboxExecutor
from walle.device.storage.state import Installation
from walle.device.storage.store import DeviceStore
from walle.protocol.canonical import canonical_json
from walle.protocol.documents import Manifest
from walle.stream.session_generator import shop_session

TASK: Final = "shop/ipv"
BUNDLE: Final = Path(__file__).resolve().parents[3] / "examples" / "shop" / "task"
WARM_UP: Final = 20
LOST_S: Final = 30.0
PAUSE_S: Final = 0.01
"""Seconds before the exit of a view, in which its other events have long been processed; a user takes longer."""


@dataclass(frozen=True)
class Measured:
    """The seconds from the tracking of each exit to the row in the table, and processor seconds of all of it."""

    delays: list[float]
    cpu_s: float
    rows: int


def manifest_of(bundle: Path) -> Manifest:
    """The manifest of the example, as its registration would make it."""
    validation = validate_tree(FolderTree(bundle))
    if validation.spec is None or validation.problems:
        raise SystemExit(f"{bundle} is not a valid task: {validation.problems}")
    values = build_manifest(
        validation.spec,
        validation.files,
        lambda path: hashlib.sha256((bundle / path).read_bytes()).hexdigest(),
        scenario="shop",
        task="ipv",
        version="1.0.0",
        commit="0" * 40,
    )
    return Manifest.from_payload(canonical_json(values))


def install(store: DeviceStore, bundle: Path) -> None:
    """Install the example as an updater does that has downloaded all of it."""
    manifest = manifest_of(bundle)
    files = {file["path"]: file["digest"] for file in manifest.values["files"]}
    for path, digest in files.items():
        target = store.files.path(digest)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(bundle / path, target)
    folder = store.installs.build(manifest, files, store.files)
    new = Installation(TASK, "1.0.0", manifest.digest, folder, number=1, at=time.time())
    store.commit(lambda state: state.with_task(TASK, state.task(TASK).installed(new)), step="installed")


class Features:
    """Waits for the features of a device: each run that it told of has put a row into the table."""

    def __init__(self) -> None:
        self._ran = threading.Semaphore(0)

    def notice(self, notice: Notice) -> None:
        if notice.name == "ran" and notice.data["task"] == TASK:
            self._ran.release()
        elif notice.name == "error":
            raise SystemExit(f"the device failed: {notice.text}")

    def wait(self) -> None:
        if not self._ran.acquire(timeout=LOST_S):
            raise SystemExit("the device made no feature")


@contextmanager
def device(folder: Path, features: Features) -> Iterator[AssembledDevice]:
    """A device that runs in a thread of its own. There is no cloud: the address is one that nobody answers at."""
    with DeviceStore(folder) as store, Sandbox() as sandbox:
        install(store, BUNDLE)
        made: dict[str, Any] = {}
        ready = threading.Event()

        async def live() -> None:
            async with httpx.AsyncClient() as client:
                made["device"] = AssembledDevice(
                    store,
                    CloudClient("http://127.0.0.1:9", client),
                    facts=Facts("market", "2.0.0", "android", "14", "high", "eu"),
                    enrolment=Enrolment("market", "none"),
                    executor=SandboxExecutor(sandbox),
                    requirements=lambda requires: [],
                    inputs=lambda task, manifest: None,
                    interval=3600.0,
                    on_notice=features.notice,
                )
                made["device"].agent.recover()
                ready.set()
                await made["device"].agent.run()

        thread = threading.Thread(target=lambda: asyncio.run(live()))
        thread.start()
        if not ready.wait(LOST_S):
            raise SystemExit("the device did not start")
        try:
            yield made["device"]
        finally:
            made["device"].agent.stop()
            thread.join()


def measure(folder: Path, views: int, rng: random.Random) -> Measured:
    """Play sessions to a device until so many views have ended, each feature before the events after it."""
    features = Features()
    delays: list[float] = []
    with device(folder, features) as made:
        me, before = psutil.Process(), 0.0
        while len(delays) < views + WARM_UP:
            for event in shop_session(rng, time.time() - 3600):
                ends_view = event.id == "item_exit"
                time.sleep(PAUSE_S if ends_view else 0)
                tracked = time.perf_counter()
                made.streams.track(event.kind, event.page, id=event.id, contents=event.contents, private=event.private)
                if ends_view:
                    features.wait()
                    delays.append(time.perf_counter() - tracked)
                    before = cpu_seconds(me) if len(delays) == WARM_UP else before
        cpu_s = cpu_seconds(me) - before
        rows = made.streams.costs()[TASK].count
    return Measured(delays[WARM_UP:], cpu_s, rows)
