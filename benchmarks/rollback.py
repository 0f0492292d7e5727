"""Claim: after the report that proves a version bad, every live device soon has the good one again.

A thousand live devices, twenty of them full ones that run tasks in the sandbox, check in every three seconds; after
these rounds as many others check in every minute, the default interval of apps. All have a good version; a bad one goes
through its gray stages until all devices have it, and then it is run for the first time: three in ten runs fail. The
time is measured from the arrival of the report that crosses the limit (determined afterwards, by judging the stored
reports one by one) until each device has installed the good version: from then on it does not run the bad one. When a
full device has run the good one is printed beside it; that is up to the task's trigger, here a time every 10 s.

At either interval the last device must be back within 1.1 intervals, the longest time that the protocol allows between
two check-ins, and 2 s. Devices in a release check in up to four times as often within a budget, so that most of a few
devices are back sooner; what is bounded is the last one.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.support.harness import Benchmark, Dimension, is_tiny
from benchmarks.support.live import control
from benchmarks.support.live.evidence import Reports, read_reports
from benchmarks.support.live.fleet import LivingFleet
from benchmarks.support.live.history import Known, read_releases
from benchmarks.support.live.processes import WalleProcesses, running_processes
from benchmarks.support.live.wire import ReceivedOffer
from benchmarks.support.outcome import Target
from walle.device.emulator.population import Person
from walle.device.notices import Notice
from walle.device.storage.state import Installation
from walle.protocol.documents import Manifest
from walle.release.strategy import AT_ONCE, Strategy
from walle.release.withdrawal import MOST_INTERVALS

SHORT_S, DEFAULT_S = 3, 60
"""Seconds between the check-ins of a device; the second is the default of apps."""
TINY_DEFAULT_S = 4
"""Replaces the default interval in a tiny run."""
BEYOND_INTERVAL_S = 2.0
GATEWAYS = 0 if is_tiny() else 2
"""In a tiny run, the web server is the gateway."""
BENCHMARK = Benchmark(
    "rollback",
    scale={
        "devices": Dimension(1000, 40),
        "full_devices": Dimension(20, 1),
        "rounds": Dimension(3, 1),
        "default_interval_rounds": Dimension(1, 1),
        "default_interval_s": Dimension(DEFAULT_S, TINY_DEFAULT_S),
    },
    targets=(
        Target("last_device_s", at_most=MOST_INTERVALS * SHORT_S + BEYOND_INTERVAL_S),
        Target("default_interval_last_device_s", at_most=MOST_INTERVALS * DEFAULT_S + BEYOND_INTERVAL_S),
    ),
    assumptions=(
        "the database, the web server, the workers, both gateways and all devices share this machine's cores and clock",
        "devices stay online, and their network loses and delays nothing",
        "light devices only say that they ran a task; full ones run it in the sandbox",
        "the bad version is on every device before it is first run, and fails in three of ten runs",
        "a device is back once it has installed the good version; full ones run it every 10 s (last_run_s, not judged)",
    ),
)
DEVICES = BENCHMARK.size("devices")
FULL = BENCHMARK.size("full_devices")
RUN_EVERY_S = 10.0
FAILING = 0.3
TIMEOUT_S, TIMEOUT_INTERVALS = 90.0, 3.0
TASK, GOOD = "thumb", "1.0.0"
EVERYBODY: Mapping[str, Any] = {"fact": "app_version", "in": list(control.APP_VERSIONS)}
GRAY: Mapping[str, Any] = {
    "simulation": False,
    "control_percent": 0,
    "stages": [
        {"kind": "gray", "percent": 10, "dwell_s": 2, "evidence": 0},
        {"kind": "gray", "percent": 100, "dwell_s": 3600, "evidence": 0},
    ],
}
# It fails on the inputs of real users, not on those of its samples.
BAD = """def run(inputs, context):
    if inputs["x"] >= 100:
        raise ValueError("too large")
    return {"y": 2 * inputs["x"]}
"""
STEPS = ("until its check-in", "until it has installed", "in all", "until a full device has run it")

console = Console(highlight=False)


class Trap:
    """Says when the bad version may run and how its runs end; devices' threads ask, the benchmark's thread sets it."""

    def __init__(self) -> None:
        self.open = False
        self._ran: dict[str, tuple[str, float]] = {}
        self._rng = random.Random(2022)

    def may_run(self, person: Person, installed: Installation) -> bool:
        """Return whether a light device runs now: a new version at once, then periodically; the bad one once it may."""
        if installed.version != GOOD and not self.open:
            return False
        version, last = self._ran.get(person.name, ("", 0.0))
        if version == installed.version and time.monotonic() < last + RUN_EVERY_S:
            return False
        self._ran[person.name] = installed.version, time.monotonic()
        return True

    def end_of_run(self, person: Person, _task: str, version: str) -> str | None:
        """Return how a run ends on a light device; full ones run the code."""
        fails = version != GOOD and _is_light(person.name) and self._rng.random() < FAILING
        return "ValueError" if fails else None

    def inputs(self, _task: str, manifest: Manifest) -> Mapping[str, Any] | None:
        """Return the inputs of full devices; none before the bad version's moment."""
        if manifest.version != GOOD and not self.open:
            return None
        return {"x": 1000 if self._rng.random() < FAILING else 1}


class Diary:
    """When which device installed and ran which version."""

    def __init__(self) -> None:
        self.installed: dict[tuple[str, str], float] = {}
        self.ran: dict[tuple[str, str], float] = {}

    def on_notice(self, person: Person, notice: Notice) -> None:
        key = person.name, str(notice.data.get("version"))
        if notice.name == "installed":
            self.installed[key] = time.time()
            self.ran.pop(key, None)
        elif notice.name == "fell-back":
            self.installed[person.name, GOOD] = time.time()
            self.ran.pop((person.name, GOOD), None)
        elif notice.name == "ran":
            self.ran.setdefault(key, time.time())


def main() -> int:
    BENCHMARK.announce()
    with running_processes(gateways=GATEWAYS, workers=1) as processes:
        credentials = control.prepare(SHORT_S)
        operator = control.Operator(processes.address, credentials.token, processes.folder / "trees")
        operator.push(TASK, GOOD, every_s=RUN_EVERY_S)
        operator.release(TASK, GOOD, EVERYBODY, AT_ONCE)
        rounds, slow = BENCHMARK.size("rounds"), BENCHMARK.size("default_interval_rounds")
        numbers = range(1, rounds + slow + 1)
        for number in numbers:
            operator.push(TASK, bad_version(number), source=BAD, every_s=RUN_EVERY_S)
        short = Bench(processes, credentials, operator, SHORT_S).rounds(numbers[:rounds])
        interval = BENCHMARK.size("default_interval_s")
        control.change_interval(interval)
        usual = Bench(processes, credentials, operator, interval).rounds(numbers[rounds:])
    figures = {"devices": DEVICES, "full_devices": FULL}
    figures |= report(short, SHORT_S)
    figures |= {f"default_interval_{name}": value for name, value in report(usual, interval).items()}
    return BENCHMARK.judge(figures)


@dataclass(frozen=True)
class Round:
    """One rollback in seconds: times of single events, and times of each device by step."""

    once: Mapping[str, float]
    devices: Mapping[str, np.ndarray]


class Bench:
    """A fleet with a good version, and bad ones that are rolled back one after the other."""

    def __init__(
        self, processes: WalleProcesses, credentials: control.Credentials, operator: control.Operator, interval: int
    ) -> None:
        self.processes, self.operator, self.interval = processes, operator, interval
        self.trap, self.diary = Trap(), Diary()
        self.fleet = LivingFleet(
            processes.ports,
            app=control.APP,
            backend_key=credentials.backend_key,
            root=credentials.root,
            interval=interval,
            spread_s=interval,
            end_of_run=self.trap.end_of_run,
            on_notice=self.diary.on_notice,
            may_run=self.trap.may_run,
            inputs=self.trap.inputs,
        )
        self.fleet.add(FULL, full=True)
        self.fleet.add(DEVICES - FULL)

    def rounds(self, numbers: Sequence[int]) -> list[Round]:
        """Roll back these bad versions, from the first device's start until all have stopped."""
        console.print(f"{len(self.fleet.people)} devices check in every {self.interval} s")
        self.fleet.start()
        self._wait("every device to have run the good version", self._all_have_run_good)
        found = [self.round(number) for number in numbers]
        self.fleet.stop(20)
        return found

    def round(self, number: int) -> Round:
        """Run one bad version from its release to its end."""
        bad = bad_version(number)
        self.operator.release(TASK, bad, EVERYBODY, GRAY)
        self._wait(f"every device to have {bad}", lambda: self._all_have(bad))
        self.diary.installed.clear()
        opened, self.trap.open = time.time(), True
        self._wait("every device to have the good version again", lambda: self._all_have(GOOD))
        self._wait("full devices to have run it", self._all_have_run_good)
        self.trap.open = False
        self._wait("their reports", lambda: len(self._reports(opened).installs(GOOD, opened)) == len(self.fleet.people))
        return self._measure(bad, opened)

    def _reports(self, after: float) -> Reports:
        with self.processes.connect() as connection:
            return read_reports(connection, after)

    def _measure(self, bad: str, opened: float) -> Round:
        with self.processes.connect() as connection:
            known = next(known for known in read_releases(connection).values() if known.version == bad)
        reports = self._reports(opened)
        arrived, committed, took = reports.crossing(bad, Strategy.from_dict(known.strategy), DEVICES)
        begun, rolled_back = self._rolled_back(known)
        offers = self._first_offers(committed)
        notified = {
            gateway: min(offer.received for offer in offers.values() if offer.gateway == gateway)
            for gateway in {offer.gateway for offer in offers.values()}
        }
        devices = {
            name: self._steps(name, offers.get(name), notified, arrived)
            for name in self.fleet.people  # all of them have the bad version
        }
        confirmed = reports.installs(GOOD, committed)
        once = {
            "reports until the fail": took,
            "until the report is stored": committed - arrived,
            "until its verdict begins": begun - committed,
            "until the rollback is committed": rolled_back - begun,
            "until the gateways know": max(notified.values()) - rolled_back,
        }
        return Round(
            once,
            {step: np.array([steps[step] for steps in devices.values()]) for step in STEPS}
            | {"until its report arrives": np.array([at - arrived for at in confirmed.values()])},
        )

    def _steps(
        self, name: str, offer: ReceivedOffer | None, notified: Mapping[int, float], arrived: float
    ) -> dict[str, float]:
        """Return the times of one device's rollback; one that fell back by itself needed no offer."""
        installed = self.diary.installed[name, GOOD]
        return {
            "until its check-in": max(0.0, offer.requested - notified[offer.gateway]) if offer else np.nan,
            "until it has installed": installed - offer.requested if offer else np.nan,
            "in all": installed - arrived,
            "until a full device has run it": np.nan if _is_light(name) else self.diary.ran[name, GOOD] - arrived,
        }

    def _first_offers(self, after: float) -> dict[str, ReceivedOffer]:
        """Return the first offer of the good version that each device received after a moment."""
        with self.processes.connect() as connection:
            good = next(release.manifest for release in read_releases(connection).values() if release.version == GOOD)
        first: dict[str, ReceivedOffer] = {}
        for offer in self.fleet.record.offers:
            if offer.manifest == good and offer.received > after:
                first.setdefault(offer.device, offer)
        return first

    def _rolled_back(self, known: Known) -> tuple[float, float]:
        """Return when the reconciliation that rolled the release back started, and when it was committed."""
        moved = "SELECT extract(epoch FROM at)::float8 FROM releases_app_transition"
        begun = f"{moved} WHERE release_id = %s AND action = %s"
        with self.processes.connect() as connection:
            (moment,) = connection.execute(begun, [known.release, "roll-back"]).fetchone() or (0.0,)
        return float(moment), known.when("roll-back") or 0.0

    def _all_have(self, version: str) -> bool:
        return self.fleet.all_have({control.task_name(TASK): version})

    def _all_have_run_good(self) -> bool:
        full = [name for name in self.fleet.people if not _is_light(name)]
        return self._all_have(GOOD) and all((name, GOOD) in self.diary.ran for name in full)

    def _wait(self, what: str, condition: Callable[[], bool]) -> None:
        began = time.monotonic()
        timeout = TIMEOUT_S + TIMEOUT_INTERVALS * self.interval
        while not condition():
            if time.monotonic() > began + timeout:
                raise SystemExit(f"waited {timeout:g} s in vain for {what}")
            time.sleep(0.1)
        console.print(f"waited {time.monotonic() - began:5.1f} s for {what}")


def bad_version(number: int) -> str:
    return f"{number + 1}.0.0"


def report(rounds: Sequence[Round], interval: int) -> dict[str, float]:
    """Print the durations of the steps; return the figures."""
    console.print(f"check-ins every {interval} s:")
    table = Table("step", *(f"round {number}" for number in range(1, len(rounds) + 1)), title="once, in seconds")
    for step in rounds[0].once:
        table.add_row(step, *(f"{round_.once[step]:.3f}" for round_ in rounds))
    console.print(table)
    table = Table("step", "p50 s", "p99 s", "max s", title="each device, all rounds")
    for step in rounds[0].devices:
        seconds = np.concatenate([round_.devices[step] for round_ in rounds])
        quantiles = [np.nanquantile(seconds, quantile) for quantile in (0.5, 0.99, 1)]
        table.add_row(step, *(f"{value:.3f}" for value in quantiles))
    console.print(table)
    everybody = np.concatenate([round_.devices["in all"] for round_ in rounds])
    ran = np.concatenate([round_.devices["until a full device has run it"] for round_ in rounds])
    figures: dict[str, float] = {
        "rounds": len(rounds),
        "check_in_interval_s": interval,
        "p50_s": float(np.quantile(everybody, 0.5)),
        "p99_s": float(np.quantile(everybody, 0.99)),
        "last_device_s": float(everybody.max()),
        "last_run_s": float(np.nanmax(ran)),
        "rolled_back_s": max(sum(list(round_.once.values())[1:4]) for round_ in rounds),
    }
    for number, round_ in enumerate(rounds, start=1):
        figures[f"last_device_round_{number}_s"] = float(round_.devices["in all"].max())
    return figures


def _is_light(device: str) -> bool:
    return device.startswith("light")


if __name__ == "__main__":
    sys.exit(main())
