"""The device's directory: everything that survives the death of the process, at any moment.

    lock            held by the one process that works here
    state.json      the current version of each task, its fallback, the highest number, the credential (state.py)
    roots/<n>.json  the trusted roots, oldest first
    files/ partial/ files by digest, and partial downloads (files.py)
    installs/       installed versions, immutable (installs.py)
    outbox/         reports not yet acknowledged (outbox.py)
    running/        one marker per run in progress: runs found here at start have crashed
    calibration.json  how fast models run on this device (walle.container.calibration)
    tunnel/         what goes up, is awaited, and dictionaries (walle.device.tunnel.parts)

The switch to another version is one replacement of state.json, after all that it names is on the disk and before
anything that it no longer names is removed. So there is a working version at every moment, the old or the new one.
"""

from __future__ import annotations

import fcntl
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from walle.device.errors import StoreBusy
from walle.device.storage.disk import Disk, remove_temporaries
from walle.device.storage.files import Files
from walle.device.storage.installs import Installs
from walle.device.storage.outbox import ReportOutbox
from walle.device.storage.state import Credential, DeviceState, Installation, TaskState

log = logging.getLogger(__name__)

PARTIAL_LIFETIME_S = 7 * 86400.0
"""How many seconds an unfinished download is kept after its last byte."""


class DeviceStore:
    """One device's directory. It can be opened once: a second opening raises StoreBusy.

    `limit` is the number of reports in the outbox.
    """

    def __init__(self, root: Path, *, disk: Disk | None = None, limit: int = 1000) -> None:
        self.root, self.disk = root, disk or Disk()
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = _locked(root / "lock")
        remove_temporaries(root)
        self.files = Files(root / "files", root / "partial", self.disk)
        self.installs = Installs(root / "installs", self.disk)
        self.outbox = ReportOutbox(root / "outbox", self.disk, limit=limit)
        self._roots, self._running = _folder(root / "roots"), _folder(root / "running")
        self._state = self._load()
        self._queue_pending()

    def close(self) -> None:
        """Release the directory for other processes."""
        self._lock.close()

    def __enter__(self) -> DeviceStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def state(self) -> DeviceState:
        return self._state

    def task(self, name: str) -> TaskState:
        return self._state.task(name)

    def commit(self, change: Callable[[DeviceState], DeviceState], *, step: str) -> DeviceState:
        """Replace the state by the result of `change`, then queue the reports that came with it."""
        state = change(self._state)
        if state != self._state:
            self._write(state, step)
            self._queue_pending()
        return self._state

    def _write(self, state: DeviceState, step: str) -> None:
        self.disk.write(self.root / "state.json", json.dumps(state.to_dict()).encode(), step=step)
        self._state = state

    def _queue_pending(self) -> None:
        if not self._state.pending:
            return
        for report in self._state.pending:
            self.outbox.put(report)
        self._write(replace(self._state, pending=()), "pending reports queued")

    def _load(self) -> DeviceState:
        path = self.root / "state.json"
        if not path.exists():
            return DeviceState()
        try:
            return DeviceState.from_dict(json.loads(path.read_bytes()))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            # Only a failing disk leads here. Starting anew costs an enrolment; refusing would cost the device.
            path.replace(path.with_name("state.broken.json"))
            log.error("the device's state is not readable, it starts afresh: %s", error)
            return DeviceState()

    def store_table_number(self, app: str, number: int) -> None:
        """Store a table number durably; must be called before acting on the table's assignment."""
        self.commit(lambda state: state.with_number(app, number), step="number")

    def save_credential(self, credential: Credential) -> None:
        self.commit(lambda state: replace(state, credential=credential), step="credential")

    def roots(self) -> list[bytes]:
        """Return the trusted roots, oldest first; empty before the first one was saved."""
        paths = sorted(self._roots.glob("[0-9]*.json"), key=lambda path: int(path.stem))
        return [path.read_bytes() for path in paths]

    def save_root(self, version: int, data: bytes) -> None:
        """Store a root that the chain has accepted."""
        self.disk.write(self._roots / f"{version}.json", data, step="root")

    def mark_running(self, run_id: str, marker: Mapping[str, Any], *, sync: bool = True) -> None:
        """Mark a run as in progress; the id becomes that of its report.

        Without `sync` the mark survives the death of the process but not of the machine; it is a tenth of the work.
        """
        path, data = self._running / f"{run_id}.json", json.dumps(marker).encode()
        if sync:
            self.disk.write(path, data, step="run marker")
        else:
            self.disk.create(path, data, step="run marker")

    def unmark(self, run_id: str) -> None:
        self.disk.remove(self._running / f"{run_id}.json", step="run marker")

    def markers(self) -> dict[str, dict[str, Any]]:
        """Return the runs in progress by id; at start, those that the previous process did not survive."""
        found: dict[str, dict[str, Any]] = {}
        for path in sorted(self._running.glob("*.json")):
            try:
                found[path.stem] = json.loads(path.read_bytes())
            except ValueError:
                path.unlink()
        return found

    def check_installs(self) -> list[Installation]:
        """Compare installed files with their digests; a damaged version is replaced by its fallback, or removed.

        Returns the damaged versions. A removed one is no longer in the profile, so that the cloud offers it again.
        """
        damaged = []
        for name, task in self._state.tasks.items():
            if task.current and not self.installs.check(task.current):
                damaged.append(task.current)
                self.commit(lambda state, name=name: self._repaired(state, name), step="damaged version")  # type: ignore[misc]
        return damaged

    def _repaired(self, state: DeviceState, name: str) -> DeviceState:
        task = state.task(name)
        if task.last_good and task.fallback_differs and self.installs.check(task.last_good):
            return state.with_task(name, replace(task, current=task.last_good, failures=0))
        return state.without_task(name)

    def collect_garbage(self, *, now: float, in_use: frozenset[str] = frozenset()) -> None:
        """Remove folders and files that nothing refers to. `in_use` names folders in which a task is running."""
        folders = self._state.folders() | in_use
        self.installs.collect(folders)
        self.files.collect(self.installs.digests(folders), stale_before=now - PARTIAL_LIFETIME_S)


def _folder(path: Path) -> Path:
    path.mkdir(exist_ok=True)
    remove_temporaries(path)
    return path


def _locked(path: Path) -> IO[bytes]:
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise StoreBusy(f"another process works in {path.parent}") from None
    return file
