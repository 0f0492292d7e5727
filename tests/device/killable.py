"""Devices that are killed: a helper process that forks one real device process per order.

    python -m tests.device.killable      orders as JSON lines on stdin, one answer per line on stdout

An order: {"store": path, "server": url, "root": path, "kill_at": n or null, "ledger": true or false, "visits": n}. The
child opens the store and does everything once, with a Ledger as one service more if so ordered, and once more after
each of so many visits of a page; at the n-th named step it sends itself SIGKILL. The answer: {"signal": 9 or 0}, and
what `live` gives if the child lived on.
Forking a process that has everything imported makes a death cost milliseconds instead of a second.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import runpy
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx

from tests.support.warm_parent import TLS, warm_up
from walle.device.assembly import AssembledDevice
from walle.device.facts import Facts
from walle.device.link.cloud import CloudClient
from walle.device.link.enrolment import Enrolment
from walle.device.running.runner import Execution
from walle.device.service import DeviceService, Wake
from walle.device.storage.disk import Disk
from walle.device.storage.store import DeviceStore
from walle.stream.event_log import EventLog


class Fate:
    """Counts the steps and ends the process at the appointed one."""

    def __init__(self, kill_at: int | None) -> None:
        self.kill_at, self.steps = kill_at, list[str]()

    def __call__(self, step: str) -> None:
        if self.kill_at is not None and len(self.steps) == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        self.steps.append(step)


class InProcess:
    """Runs main.py of the bundle here; its `run` says which version it is, or fails."""

    def __init__(self, fate: Fate) -> None:
        self.fate, self.outputs = fate, list[Any]()

    async def __call__(self, bundle: Path, manifest: Any, inputs: Any) -> Execution:
        self.fate("during the run")
        files = {path: (bundle / path).read_text() for path in ("main.py", "model.txt")}
        output = runpy.run_path(str(bundle / "main.py"))["run"](inputs, files["model.txt"])
        self.outputs.append(output)
        return Execution(output) if output else Execution(error_class="Failed", message="no output")

    async def end(self, bundle: Path) -> None:
        """Nothing is kept."""


class Ledger(DeviceService):
    """A service that enters one item each time: a note of what it is about to do, the entry, the note struck out."""

    def __init__(self, folder: Path, disk: Disk) -> None:
        self.wake, self._disk = Wake(), disk
        folder.mkdir(parents=True, exist_ok=True)
        self._note, self._items = folder / "note", folder / "items"
        self.recovered: list[int] = []

    def recover(self) -> None:
        if self._note.exists():
            self.recovered.append(int(self._note.read_bytes()))
            self._enter(self.recovered[-1])

    async def turn(self) -> float | None:
        return None

    async def once(self) -> None:
        item = self.items + 1
        self._disk.write(self._note, str(item).encode(), step="ledger note")
        self._enter(item)

    @property
    def items(self) -> int:
        return int(self._items.read_bytes()) if self._items.exists() else 0

    def _enter(self, item: int) -> None:
        self._disk.write(self._items, str(item).encode(), step="ledger items")
        self._disk.remove(self._note, step="ledger note")


async def live(order: dict[str, Any]) -> dict[str, Any]:
    """One process of the device."""
    fate = Fate(order["kill_at"])
    # A killed process loses nothing that it has written, so fsync would only cost time here.
    with DeviceStore(Path(order["store"]), disk=Disk(checkpoint=fate, sync=False)) as store:
        async with httpx.AsyncClient(timeout=5, verify=TLS) as client:
            executor = InProcess(fate)
            ledger = Ledger(store.root / "ledger", store.disk) if order["ledger"] else None
            device = AssembledDevice(
                store,
                CloudClient(order["server"], client),
                facts=Facts("shop", "1.2.0", "android", "14"),
                enrolment=Enrolment("shop", app_key="app-key"),
                executor=executor,
                requirements=lambda requires: [],
                inputs=lambda task, manifest: {"x": 1},
                initial_root=Path(order["root"]).read_bytes(),
                fall_back_after=2,
                services=[ledger] if ledger else [],
                randomness=random.Random(1).random,
            )
            await device.agent.once()
            for number in range(order["visits"]):
                fate("visit")
                for kind in ("page_enter", "click", "page_exit"):
                    device.streams.track(kind, f"item/{number}")
                await device.agent.once()
            await device.streams.stop()  # which lets go of the files
        versions = {name: task.current.version for name, task in store.state.tasks.items() if task.current}
        return {
            "steps": fate.steps,
            "versions": versions,
            "outputs": executor.outputs,
            "damaged": [version.version for version in store.check_installs()],
            "left": sorted(path.name for path in store.root.rglob(".tmp-*")) + list(store.markers()),
            "queued": len(store.outbox),
            "events": len(EventLog(store.root / "events").last(100).events),
            "rows": [rows_of(path) for path in sorted(store.root.glob("streams/*/table.sqlite"))],
            "ledger": {"items": ledger.items, "recovered": ledger.recovered} if ledger else None,
        }


def rows_of(table: Path) -> int:
    """Return how many rows are in the file of a task's table, which must be sound."""
    with closing(sqlite3.connect(table)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        [name] = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchone()
        return int(database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0])


def carry_out(order: dict[str, Any]) -> dict[str, Any]:
    """Forks a process for the order and waits for its end."""
    answer_path = Path(order["store"]).with_suffix(".answer")
    answer_path.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            answer_path.write_text(json.dumps(asyncio.run(live(order))))
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    ended = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    answer = json.loads(answer_path.read_text()) if answer_path.exists() else {}
    return {"signal": ended, **answer}


def main() -> None:
    asyncio.run(warm_up())
    for line in sys.stdin:
        print(json.dumps(carry_out(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
