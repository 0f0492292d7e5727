"""A full emulated device as a process: it wakes up, checks in, installs, runs, reports, and ends."""

import json
import sys
from pathlib import Path

from devices_app.models import Root
from tests.support.processes import run
from tests.support.waiting import wait_for
from walle.device.storage.store import DeviceStore
from walleweb.config import BASE_DIR


class Phone:
    """A device of the app `shop`, with a store and the first root of trust in a folder of its own."""

    def __init__(self, folder: Path, app_key: str) -> None:
        self.folder, self.app_key, self.said = folder, app_key, ""
        folder.mkdir()
        (folder / "root.json").write_bytes(bytes(Root.objects.earliest("version").metadata))
        (folder / "inputs.jsonl").write_text(json.dumps({"inputs": {"number": 21}}) + "\n")

    def wake(self, address: str, task: str) -> str:
        """One round; what the device said."""
        command = [sys.executable, "-m", "walle.device", "--once", "--server", address, "--app", "shop"]
        command += ["--app-version", "1.0.0", "--os", "android", "--os-version", "14", "--app-key", self.app_key]
        command += ["--store", str(self.folder / "store"), "--root", str(self.folder / "root.json")]
        command += ["--inputs", f"{task}={self.folder / 'inputs.jsonl'}"]
        done = run(command, cwd=BASE_DIR)
        assert done.returncode == 0, done.stdout + done.stderr
        self.said = done.stdout
        return self.said

    def wait_until_it_runs(self, version: str, address: str, task: str) -> None:
        """Wakes it until it has run that version."""
        wait_for(lambda: version in self.wake(address, task), timeout=60, describe=lambda: self.said)

    def highest_number(self) -> int:
        with DeviceStore(self.folder / "store") as store:
            return store.state.highest["shop"]
