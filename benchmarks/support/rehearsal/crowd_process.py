"""The crowd's process, seen from the benchmark: what it asks at which rate, and what it was answered when."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.support import fleet
from benchmarks.support.walle import ROOT
from walle.gateway.checkin import RawCheckIn

APP = "crowd"
_YEAR_S = 365 * 86_400


class Second(NamedTuple):
    """What the crowd was answered in a second that ended at `at` (Unix seconds); p50, p99 and most in milliseconds."""

    at: float
    answered: int
    refused: dict[str, int]
    ms: tuple[float, float, float]


def write_requests(devices: int, path: Path) -> None:
    """Create an app of devices that have everything that is released for them, and write their check-ins."""
    from accounts_app.actors import SYSTEM
    from devices_app.selectors.state import gateway_state
    from devices_app.services import apps
    from releases_app.services.tables import publish_app

    now = datetime.now(UTC)
    app = apps.create_app(slug=APP, name="Crowd", actor=SYSTEM, now=now)
    apps.add_version(app=app, version="1.0.0", actor=SYSTEM)
    publish_app(app, now=now)
    keyring = gateway_state().apps[APP].keyring
    expires = int(time.time()) + _YEAR_S
    facts = f'"{APP}";v="1.0.0";os=android;osv="14";perf=mid;rg=eu'.encode()
    rng = np.random.default_rng(2022)
    with path.open("wb") as file:
        for index in rng.permutation(devices):
            name = f"crowd-{index:06d}"
            header = f'"{name}";c="{keyring.issue_credential(name, expires)}";n=1'
            file.write(fleet.request(RawCheckIn(header.encode(), facts, b"")))


class CrowdProcess:
    """Runs the crowd; `seconds` is what it was answered so far."""

    def __init__(self, port: int, certificate: Path, requests: Path) -> None:
        command = [
            sys.executable,
            "-m",
            "benchmarks.support.rehearsal.crowd",
            str(port),
            str(certificate),
            str(requests),
        ]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.seconds: list[Second] = []
        self._reader = threading.Thread(target=self._read, name="crowd", daemon=True)
        self._reader.start()

    def ask(self, rate: float) -> None:
        """Check in so often a second from now on; 0 is as often as there are answers."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{rate}\n")
        self._process.stdin.flush()

    def between(self, began: float, ended: float) -> list[Second]:
        """Return the seconds that lie wholly or partly between two moments."""
        return [second for second in self.seconds if began < second.at < ended + 1]

    def refused(self, began: float, ended: float) -> Counter[str]:
        """Return how many check-ins were refused or broken off between two moments, by what came instead."""
        found: Counter[str] = Counter()
        for second in self.between(began, ended):
            found.update(second.refused)
        return found

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(5)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said = json.loads(line)
            median, p99, most = said["ms"]
            self.seconds.append(Second(said["at"], said["answered"], said["refused"], (median, p99, most)))
