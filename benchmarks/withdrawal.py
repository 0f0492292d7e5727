"""Claim: after the report that proves a version bad, every connected device has the good one again within a second.

Five thousand devices, in processes of their own, have a bad version and a tunnel to the one server of `make run`; their
check-in interval is an hour. Reports of failed runs come in until one more makes the verdict a fail; that one is then
sent, and the time is taken from there until each device has verified the signed assignment of the good version, which
came through its tunnel, and has it as its own. It passes through the report's transaction, a worker's verdict and
rollback, the new table, and the gateway.

Beside it, in the same rounds, the least that this takes on this machine: a bare server of the same kind sends a frame
of as many bytes to as many sockets of the same processes, from the request that makes it do so until each has arrived.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Final

import httpx
import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from benchmarks.rollback import BAD, EVERYBODY, bad_version
from benchmarks.support.harness import Benchmark, Dimension
from benchmarks.support.live import control
from benchmarks.support.live.history import read_releases
from benchmarks.support.live.processes import WalleProcesses, running_processes
from benchmarks.support.outcome import Target
from benchmarks.support.walle import Server, serving
from benchmarks.support.withdrawal.devices import ConnectedFleet
from benchmarks.support.withdrawal.processes import CrowdProcess, ask_all
from walle.release.evidence import ArmCounts, Evidence
from walle.release.strategy import AT_ONCE, Strategy
from walle.release.verdict import VerdictKind, judge

BENCHMARK = Benchmark(
    "withdrawal",
    scale={"devices": Dimension(5000, 20), "rounds": Dimension(5, 1)},
    targets=(Target("p99_s", at_most=1.0),),
    assumptions=(
        "the database, the web server, which is the only gateway, workers and devices share this machine's cores",
        "devices stay connected over the loopback interface, without TLS; their network loses and delays nothing",
        "devices verify what they are offered, and fetch the manifest and no files; those of one process share what is "
        "the same for all of them: the signature, the manifest",
    ),
)
DEVICES: Final = BENCHMARK.size("devices")
PROCESSES: Final = 2
INTERVAL_S: Final = 3600
TIMEOUT_S: Final = 120.0
TASK, GOOD = "thumb", "1.0.0"
APP_VERSION: Final = control.APP_VERSIONS[0]
TO_ALL: Final[dict[str, Any]] = {
    "simulation": False,
    "control_percent": 0,
    "stages": [{"kind": "gray", "percent": 100, "dwell_s": 86_400, "evidence": 0}],
}
_DECIDING: Final = """
SELECT extract(epoch FROM received_at)::float8, extract(epoch FROM pg_xact_commit_timestamp(xmin))::float8
FROM devices_app_report WHERE kind = 'run' AND version = %s ORDER BY received_at DESC LIMIT 1
"""
_BEGUN: Final = """
SELECT extract(epoch FROM at)::float8 FROM releases_app_transition WHERE release_id = %s AND action = 'roll-back'
"""
_UNDECIDED: Final = """
SELECT count(*) FROM jobs_app_job WHERE kind = 'releases.reconcile' AND state IN ('pending', 'running')
"""

console = Console(highlight=False)


@dataclass(frozen=True)
class Round:
    """One rollback, in seconds: what happens once, by name; of each device when its frame came and when it was back.

    `bare` is when each frame of the bare server came, which had as many `offer_bytes`.
    """

    once: dict[str, float]
    told: np.ndarray
    back: np.ndarray
    bare: np.ndarray
    offer_bytes: int


def main() -> int:
    BENCHMARK.announce()
    rounds = BENCHMARK.size("rounds")
    cpus = range(psutil.cpu_count() or 1)
    with running_processes(gateways=0, workers=1) as processes, ExitStack() as stack:
        credentials = control.prepare(INTERVAL_S)
        operator = control.Operator(processes.address, credentials.token, processes.folder / "trees")
        operator.push(TASK, GOOD)
        operator.release(TASK, GOOD, EVERYBODY, AT_ONCE)
        for number in range(1, rounds + 1):
            operator.push(TASK, bad_version(number), source=BAD)
        crowds = stack.enter_context(_crowds(processes, credentials.root))
        bare = stack.enter_context(serving("benchmarks.support.withdrawal.bare:application", cpus=cpus))
        bench = Bench(processes, operator, crowds, bare)
        bench.prepare()
        found = [bench.round(number) for number in range(1, rounds + 1)]
    return BENCHMARK.judge(report(found))


@contextmanager
def _crowds(processes: WalleProcesses, root: bytes) -> Iterator[list[CrowdProcess]]:
    """Run the devices, each with the credential of an enrolled device that the app's backend vouches for."""
    from devices_app.selectors.state import gateway_state

    keyring = gateway_state().apps[control.APP].keyring
    expires = int(time.time()) + 86_400
    names = [f"device-{number:05d}" for number in range(DEVICES)]
    credentials = {name: keyring.issue_credential(name, expires, {}) for name in names}
    crowds = [
        CrowdProcess(
            ConnectedFleet(
                port=processes.ports[0],
                app=control.APP,
                app_version=APP_VERSION,
                task=control.task_name(TASK),
                root=root,
                credentials={name: credentials[name] for name in names[part::PROCESSES]},
            )
        )
        for part in range(PROCESSES)
    ]
    try:
        yield crowds
    finally:
        for crowd in crowds:
            crowd.close()


class Bench:
    """The devices and the server; `prepare` comes first."""

    def __init__(
        self, processes: WalleProcesses, operator: control.Operator, crowds: Sequence[CrowdProcess], bare: Server
    ) -> None:
        self._processes, self._operator, self._crowds, self._bare = processes, operator, crowds, bare

    def prepare(self) -> None:
        """Have every device check in, install the good version, and connect."""
        self._wait("the release of the good version", lambda: self._state(GOOD) == "complete")
        ask_all(self._crowds, "check_in")
        self._wait("every device to have the good version", lambda: self._have(GOOD) == DEVICES)
        ask_all(self._crowds, "connect")
        ask_all(self._crowds, "connect_bare", self._bare.port)

    def round(self, number: int) -> Round:
        """Have one bad version on all devices, and roll it back by a report."""
        bad = bad_version(number)
        self._operator.release(TASK, bad, EVERYBODY, TO_ALL)
        self._wait(f"the release of {bad}", lambda: self._state(bad) == "running")
        self._wait(f"every device to have {bad}", lambda: self._checked_in() and self._have(bad) == DEVICES)
        names = [f"device-{part:05d}" for part in range(0, 2 * _deciding(), PROCESSES)][: _deciding()]
        reporters = self._crowds[0]
        reporters.ask("report", dict.fromkeys(names[:-1], "failure"))
        self._wait("those reports to be judged", self._judged)
        sent = reporters.ask("report", {names[-1]: "failure"})
        self._wait("every device to have the good version again", lambda: self._have(GOOD) == DEVICES)
        return self._measure(bad, sent)

    def _checked_in(self) -> bool:
        ask_all(self._crowds, "check_in")
        return True

    def _measure(self, bad: str, sent: float) -> Round:
        times = [pair for found in ask_all(self._crowds, "times") for pair in found.values()]
        told, back = (np.array(column) - sent for column in zip(*times, strict=True))
        with self._processes.connect() as connection:
            known = next(known for known in read_releases(connection).values() if known.version == bad)
            arrived, committed = connection.execute(_DECIDING, [bad]).fetchone() or (0.0, 0.0)
            (begun,) = connection.execute(_BEGUN, [known.release]).fetchone() or (0.0,)
        rolled_back = known.when("roll-back") or 0.0
        once = {
            "until the report arrives": float(arrived) - sent,
            "until it is stored": float(committed) - float(arrived),
            "until its verdict begins": float(begun) - float(committed),
            "until the rollback is committed": rolled_back - float(begun),
            "until the first device is told": float(told.min()) - (rolled_back - sent),
            "until the last device is told": float(told.max() - told.min()),
        }
        size = max(ask_all(self._crowds, "offer_bytes"))
        return Round(once, told, back, self._push_bare(size), size)

    def _push_bare(self, size: int) -> np.ndarray:
        """Return the seconds until each socket of the bare server has a frame with so many bytes."""
        began = time.time()
        httpx.get(f"http://127.0.0.1:{self._bare.port}/push?bytes={size}", timeout=60).raise_for_status()
        pushed: list[float] = []
        deadline = time.monotonic() + TIMEOUT_S
        while len(pushed) < DEVICES and time.monotonic() < deadline:
            pushed += [at for found in ask_all(self._crowds, "pushed") for at in found]
        if len(pushed) < DEVICES:
            raise SystemExit(f"only {len(pushed)} of {DEVICES} bare sockets got their frame")
        return np.array(pushed) - began

    def _have(self, version: str) -> int:
        return sum(ask_all(self._crowds, "have", version))

    def _state(self, version: str) -> str:
        with self._processes.connect() as connection:
            return next(known.state for known in read_releases(connection).values() if known.version == version)

    def _judged(self) -> bool:
        with self._processes.connect() as connection:
            return connection.execute(_UNDECIDED).fetchone() == (0,)

    def _wait(self, what: str, condition: Callable[[], bool]) -> None:
        began = time.monotonic()
        while not condition():
            if time.monotonic() > began + TIMEOUT_S:
                raise SystemExit(f"waited {TIMEOUT_S:g} s in vain for {what}")
            time.sleep(0.1)
        console.print(f"waited {time.monotonic() - began:5.1f} s for {what}")


def _deciding() -> int:
    """Return how many failures in a row, and no success, make the verdict a fail."""
    limits = Strategy.from_dict(TO_ALL).limits
    for failed in range(1, DEVICES + 1):
        counts = ArmCounts(drawn=DEVICES, offered=DEVICES, reported=failed, failed=failed, timed=failed)
        if judge(Evidence(counts), limits, 0).kind == VerdictKind.FAIL:
            return failed
    raise SystemExit("no number of failures makes the verdict a fail")


def report(rounds: Sequence[Round]) -> dict[str, float]:
    """Print the durations of the steps; return the figures."""
    table = Table("step", *(f"round {number}" for number in range(1, len(rounds) + 1)), title="once, in seconds")
    for step in rounds[0].once:
        table.add_row(step, *(f"{round_.once[step]:.3f}" for round_ in rounds))
    console.print(table)
    columns = {
        "told": np.concatenate([round_.told for round_ in rounds]),
        "": np.concatenate([round_.back for round_ in rounds]),
        "bare": np.concatenate([round_.bare for round_ in rounds]),
    }
    figures: dict[str, float] = {"rounds": len(rounds), "offer_bytes": rounds[0].offer_bytes}
    for name, seconds in columns.items():
        prefix = f"{name}_" if name else ""
        figures |= {
            f"{prefix}p50_s": float(np.quantile(seconds, 0.5)),
            f"{prefix}p99_s": float(np.quantile(seconds, 0.99)),
        }
        figures |= {f"{prefix}max_s": float(seconds.max())}
    for step in rounds[0].once:
        figures[f"{step.replace(' ', '_')}_s"] = float(np.median([round_.once[step] for round_ in rounds]))
    figures["ratio_to_bare_p99"] = figures["p99_s"] / figures["bare_p99_s"]
    return figures


if __name__ == "__main__":
    sys.exit(main())
