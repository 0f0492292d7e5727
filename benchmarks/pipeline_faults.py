"""Claim: no feature that was spooled or acknowledged is lost, and none is counted twice, whatever breaks on the way.

Devices, each a process with the product's tunnel and a spool on the disk, upload features through a proxy to the
product's web server, which stores them in PostgreSQL. 200 times a device, the server or PostgreSQL is killed with
SIGKILL, the connection is cut, or a message is duplicated, reordered or corrupted in either direction. Each fault
strikes while features are being acknowledged. Afterwards what was said on the wire, and what devices tracked, is
compared with the table.

BENCH_SEED determines the faults and their order; BENCH_LOGS names a folder that keeps the logs. A run below the stated
scale ends with 1 too if anything was lost or stored twice.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections import Counter
from datetime import UTC, datetime

import httpx
from rich.console import Console
from rich.table import Table

from benchmarks.support.harness import Benchmark, Dimension, Status
from benchmarks.support.live.processes import WalleProcesses, running_processes
from benchmarks.support.outcome import Target
from benchmarks.support.tunnel_faults.device import IMPATIENCE, MOST_WAITING, Order
from benchmarks.support.tunnel_faults.faults import DeviceProcess, FaultMaker
from benchmarks.support.tunnel_faults.proxy import FaultyProxy
from benchmarks.support.tunnel_faults.reckoning import CHECKS, Tracked, stored_features, violations
from walle.protocol.headers import AppHeader, CheckIn, DeviceHeader

SEED = int(os.environ.get("BENCH_SEED", "2022"))
BENCHMARK = Benchmark(
    "pipeline_faults",
    scale={"faults": Dimension(200, 20), "devices": Dimension(4, 2), "features_s": Dimension(40, 10)},
    targets=(
        *(Target(f"violations_{check}", at_most=0) for check in CHECKS),
        Target("faults", at_least=200),
        Target("stored", at_least=1000),
    ),
    assumptions=(
        "everything runs on one machine: a process is killed, and its files are what it had written",
        "faults come one after the other, each once the device that the last one hit was acknowledged something again",
        f"devices wait {IMPATIENCE:g} times as long as usual before they connect again",
        f"devices make no features while {MOST_WAITING} wait, so that their spools drop none for want of room",
        "between device and server there is no TLS, which would find what is corrupted before the frames' sums do",
    ),
)
FAULTS = BENCHMARK.size("faults")
DEVICES = BENCHMARK.size("devices")
EVERY_S = 1 / BENCHMARK.amount("features_s")
PROGRESS_S = 60.0
"""Seconds within which features must be acknowledged again after a fault, and until devices have ended."""
ATTEMPTS = 3

APP = "bench"

console = Console(highlight=False)


def main() -> int:
    BENCHMARK.announce()
    with running_processes(gateways=0, workers=0, durable=True) as processes:
        proxy = FaultyProxy(processes.ports[0], random.Random(SEED))
        with proxy.running():
            trial = Trial(processes, proxy)
            try:
                trial.begin()
                trial.rage()
                trial.calm()
                figures = trial.reckon()
            finally:
                trial.end()
    status = BENCHMARK.judge(figures)
    return Status.MISSED if any(figures[f"violations_{check}"] for check in CHECKS) else status


class Trial:
    """The devices, the faults, and the comparison afterwards."""

    def __init__(self, processes: WalleProcesses, proxy: FaultyProxy) -> None:
        self.processes, self.proxy = processes, proxy
        self.began = time.monotonic()
        self.caused: Counter[str] = Counter()
        self.slowest = 0.0
        self.devices: list[DeviceProcess] = []

    def begin(self) -> None:
        """Enrol the devices and start them."""
        for index, headers in enumerate(enrolled(self.processes.address, DEVICES)):
            folder = self.processes.folder / f"device-{index}"
            folder.mkdir()
            Order(f"http://127.0.0.1:{self.proxy.port}/walle/v1", headers, EVERY_S, SEED).write(folder)
            name = headers["Walle-Device"].split('"')[1]
            self.devices.append(DeviceProcess(name, folder, self.processes.logs / f"device-{index}.log"))
            self.devices[-1].start()
        self._log(f"{DEVICES} devices have started")
        self._progress()

    def rage(self) -> None:
        """Cause the faults, each when features arrive again after the one before."""
        rng = random.Random(SEED)
        maker = FaultMaker(self.processes, self.proxy, self.devices, rng)
        for number, kind in enumerate(maker.plan(FAULTS), 1):
            hit = any(maker.strike(kind) for _ in range(ATTEMPTS))
            self.caused[kind] += hit
            struck = time.monotonic()
            self._progress()
            took = time.monotonic() - struck
            self.slowest = max(self.slowest, took)
            self._log(f"{number:3} {kind}{'' if hit else ': hit nothing'}, again after {took:.1f} s")

    def calm(self) -> None:
        """Let the devices upload what they have, as long as anything of it is acknowledged, and end.

        Nothing goes on when the table is read: what is acknowledged later would seem to be missing.
        """
        for device in self.devices:
            (device.folder / "enough").touch()
        for device in self.devices:
            seen, now = -1, 0
            while not device.wait(PROGRESS_S) and now > seen:
                seen, now = now, self.proxy.ledger.acknowledgements.get(device.name, 0)
            device.kill()
        self._log("the devices have ended")

    def end(self) -> None:
        for device in self.devices:
            device.kill()

    def reckon(self) -> dict[str, float]:
        """Compare the wire with the table; return all figures."""
        from django.db import connections

        connections.close_all()  # those of a PostgreSQL that was killed
        rows = stored_features(APP)
        ledger = self.proxy.ledger
        counts = {device.name: counts_of(device) for device in self.devices}
        waiting = {name: found["waiting"] if found else -1 for name, found in counts.items()}
        tracked = {device.name: Tracked.read(device.folder) for device in self.devices}
        found = violations(ledger, rows, waiting, tracked)
        made = sum(each.made for each in tracked.values())
        self._tell(found)
        return {
            "faults": sum(self.caused.values()),
            "made": made,
            "stored": len(rows),
            "never_stored": made - len(rows),
            "slowest_recovery_s": self.slowest,
            "seconds": time.monotonic() - self.began,
            **{f"faults: {kind}": count for kind, count in sorted(self.caused.items())},
            **{f"violations_{check}": len(each) for check, each in found.items()},
        }

    def _progress(self) -> None:
        """Wait until every device was acknowledged something new. Raises SystemExit if that takes too long."""
        before = dict(self.proxy.ledger.acknowledgements)
        deadline = time.monotonic() + PROGRESS_S
        while waiting := [
            device.name
            for device in self.devices
            if self.proxy.ledger.acknowledgements.get(device.name, 0) <= before.get(device.name, 0)
        ]:
            if time.monotonic() > deadline:
                raise SystemExit(f"nothing of {', '.join(waiting)} was acknowledged in {PROGRESS_S:.0f} s")
            time.sleep(0.02)

    def _tell(self, found: dict[str, list[str]]) -> None:
        table = Table("what must hold", "violations", "such as", title="checks", title_justify="left")
        for check, text in CHECKS.items():
            table.add_row(text, str(len(found[check])), "; ".join(found[check][:3]))
        console.print(table)

    def _log(self, text: str) -> None:
        console.print(f"{time.monotonic() - self.began:6.1f} s  {text}", soft_wrap=True)


def enrolled(address: str, count: int) -> list[dict[str, str]]:
    """Create the app and enrol devices; return the headers of each."""
    from accounts_app.actors import SYSTEM
    from devices_app.models import AppKey
    from devices_app.services import apps

    app = apps.create_app(slug=APP, name="Bench", actor=SYSTEM, now=datetime.now(UTC))
    apps.add_version(app=app, version="1.0.0", actor=SYSTEM)
    _, key = apps.create_secret_key(app=app, kind=AppKey.Kind.ENROL, label="bench", actor=SYSTEM)
    found = []
    with httpx.Client(base_url=address, timeout=30) as client:
        for _ in range(count):
            device = enrol(client, key)
            who = DeviceHeader(device["device"], device["credential"], 0)
            found.append(CheckIn(who, AppHeader(APP, {"app_version": "1.0.0"})).headers())
    return found


def enrol(client: httpx.Client, key: str) -> dict[str, str]:
    """Enrol a device, as soon as the server knows the app."""
    deadline = time.monotonic() + PROGRESS_S
    while True:
        answer = client.post("/walle/v1/enrol", json={"app": APP, "key": key})
        if answer.is_success:
            enrolment: dict[str, str] = answer.json()
            return enrolment
        if time.monotonic() > deadline:
            raise SystemExit(f"no device could be enrolled: {answer.status_code} {answer.text}")
        time.sleep(0.1)


def counts_of(device: DeviceProcess) -> dict[str, int]:
    """Return the counts that a device left when it ended; empty if it has not."""
    path = device.folder / "counts.json"
    found: dict[str, int] = json.loads(path.read_text()) if path.exists() else {}
    return found


if __name__ == "__main__":
    sys.exit(main())
