"""Claim: releases proceed correctly while everything under them breaks.

PostgreSQL, a web server, workers and three gateways are processes of their own; light devices check in at all gateways.
Good and bad releases run through their stages, with pace and control, while at random moments processes are killed with
SIGKILL and gateways are cut off from the database. The invariants are checked meanwhile and at the end, from the
devices' own record and the database's rows (support/live/checks.py). The compared times are of one machine's clock;
those of commits come from PostgreSQL itself.

BENCH_SEED determines the order of the faults, the pauses between them, and the devices.
"""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial

from rich.console import Console
from rich.table import Table

from benchmarks.support.harness import Benchmark, Dimension, is_tiny
from benchmarks.support.live import control, scenario
from benchmarks.support.live.checks import LEASE_S, PaceUsage
from benchmarks.support.live.faults import BY_ITSELF, KINDS, Saboteur
from benchmarks.support.live.fleet import LivingFleet
from benchmarks.support.live.processes import WalleProcesses, running_processes
from benchmarks.support.live.watch import CHECKS, Watch
from benchmarks.support.outcome import Target

SEED = int(os.environ.get("BENCH_SEED", "2022"))
ENOUGH = 30
"""The least part of all faults that must occur while a release is running."""
BENCHMARK = Benchmark(
    "release_faults",
    scale={"devices": Dimension(300, 60), "faults": Dimension(32, 2), "gap_s": Dimension(4.5, 1.0)},
    targets=(
        *(Target(f"violations_{check}", at_most=0) for check in CHECKS),
        Target("last_withdrawn_offer_s", at_most=LEASE_S),
        Target("faults_while_releases_ran", at_least=ENOUGH),
        Target("gateways_cut_off_at_a_rollback", at_least=1),
    ),
    assumptions=(
        "everything runs on one machine with one clock: nothing is said about clocks that differ",
        "the machine and its disk stay: a process is killed, and its files are what it had written",
        "devices are light ones, whose runs end as it was laid down for each of them",
        "faults come one after the other, at random moments, about so many seconds apart as `gap_s` says",
    ),
)
DEVICES = BENCHMARK.size("devices")
FAULTS = BENCHMARK.size("faults")
GAP_S = BENCHMARK.amount("gap_s")
INTERVAL_S = 2
GATEWAYS, WORKERS = (2, 1) if is_tiny() else (3, 2)
SETTLE_S = 30.0 if is_tiny() else 120.0
"""How many seconds after the last repair releases may take to end, and then devices to have the right versions."""
LONG_CUT_S, PROPAGATION_S, QUIET_S = 9.0, 0.15, 4.0
LATE = 5
"""One device in this many comes only when a gateway is cut off."""
TIMEOUT_S = 6.0
TICK_S, UPDATE_EVERY_S, LOG_EVERY_S = 0.05, 1.0, 10.0

console = Console(highlight=False)


def main() -> int:
    BENCHMARK.announce()
    began = time.time()

    def log(text: str) -> None:
        console.print(f"{time.time() - began:6.1f} s  {text}", soft_wrap=True)

    with running_processes(gateways=GATEWAYS, workers=WORKERS) as processes:
        log("all processes are up")
        storm = Storm(processes, log)
        storm.prepare()
        storm.rage()
        storm.calm()
        figures = storm.reckon()
    return report(storm, figures)


class Storm:
    """One trial: its preparation, the faults, the time without faults afterwards, and the result."""

    def __init__(self, processes: WalleProcesses, log: Callable[[str], None]) -> None:
        self.processes, self.log = processes, log
        self.plan = scenario.releases(FAULTS * GAP_S, DEVICES)
        self.rng = random.Random(SEED)
        self.saboteur = Saboteur(processes, self.rng, log)
        self.credentials = control.prepare(INTERVAL_S, {"testers": sorted(scenario.TESTERS)})
        self.operator = control.Operator(processes.address, self.credentials.token, processes.folder / "trees")
        self.fleet = LivingFleet(
            processes.ports,
            app=control.APP,
            backend_key=self.credentials.backend_key,
            root=self.credentials.root,
            interval=INTERVAL_S,
            end_of_run=partial(scenario.end_of_run, self.plan),
            timeout_s=TIMEOUT_S,
            seed=SEED,
        )
        self.fleet.add(DEVICES)
        self.watch = Watch(processes, self.fleet, self.plan, log)
        self.began = time.time()
        self.under_way = 0
        self.paces: dict[str, PaceUsage] = {}
        self._cut_off_at: float | None = None
        self._quiet_until = 0.0
        self._update_at = self._log_at = 0.0

    def prepare(self) -> None:
        """Push every version and give every device its first versions."""
        first_versions = scenario.publish(self.operator, self.plan)
        self.fleet.start(late=[name for name, person in self.fleet.people.items() if person.index % LATE == LATE - 1])
        self._wait("devices to have what they begin with", lambda: self.fleet.all_have(first_versions))
        self.log("devices have what they begin with")

    def rage(self) -> None:
        """Cause faults at random moments while releases start and proceed."""
        self.began = time.time()
        threading.Thread(target=self._release_all, daemon=True).start()
        kinds, due = self.saboteur.plan(FAULTS), self.began + GAP_S
        while kinds:
            self._tick()
            if time.time() >= max(due, self._quiet_until) and self._strike(kinds[0]):
                kinds.pop(0)
                due = time.time() + GAP_S * self.rng.uniform(0.5, 1.5)
            time.sleep(TICK_S)

    def calm(self) -> None:
        """Repair everything; releases end, and devices get the right versions."""
        self._wait("the last bad release to fail", lambda: self._cut_off_at == float("inf"))
        self.fleet.start_late()
        self._wait("releases to end", self.watch.is_settled)
        self._wait("faults to be over", lambda: not self.saboteur.broken)
        self._wait("devices to have what they should", self.watch.is_everybody_right)
        self._wait("the registry to know what they have", self.watch.is_registry_right)
        self.fleet.stop(30)
        self.log("all devices have stopped")

    def reckon(self) -> dict[str, float]:
        """Make the final checks; return all figures."""
        self.paces = self.watch.finish()
        record, known = self.fleet.record, self.watch.planned()
        rolled_back = [known[name] for name in (one.name for one in self.plan if one.bad) if name in known]
        by_kind = Counter(fault.kind for fault in self.saboteur.caused)
        cut = {one.release: self.saboteur.cut_at(one.when("roll-back") or 0.0) for one in rolled_back}
        figures: dict[str, float] = {
            "faults": len(self.saboteur.caused),
            "ended_by_themselves": len(self.saboteur.faults) - len(self.saboteur.caused),
            "faults_while_releases_ran": self.under_way,
            "devices": DEVICES,
            "seconds": time.time() - self.began,
            "offers": len(record.offers),
            "reports": len(record.sent_reports),
            "moves": sum(len(one.moves) for one in self.watch.known.values()),
            "last_withdrawn_offer_s": max(self.watch.late_offers(one) for one in rolled_back),
            "gateways_cut_off_at_a_rollback": sum(map(len, cut.values())),
            "last_withdrawn_offer_cut_off_s": max(self.watch.late_offers(one, cut[one.release]) for one in rolled_back),
        }
        figures |= {f"faults: {kind}": count for kind, count in sorted(by_kind.items())}
        figures |= {f"most_in_a_second_{name.replace(' ', '_')}": found.most for name, found in self.paces.items()}
        return figures | {f"violations_{check}": len(found) for check, found in self.watch.violations.items()}

    def _release_all(self) -> None:
        for planned in self.plan:
            time.sleep(max(0.0, self.began + planned.after_s - time.time()))
            number = self.operator.release(
                planned.expected.task, planned.expected.version, planned.rule, planned.strategy
            )
            self.log(f"release {number} of {planned.name} is started")

    def _strike(self, kind: str) -> bool:
        running = any(known.state == "running" for known in self.watch.planned().values())
        hit = self.saboteur.strike(kind)
        self.under_way += hit and running
        return hit

    def _tick(self) -> None:
        now = time.time()
        self.saboteur.repair()
        self._cut_off_before_rollback()
        if now >= self._update_at:
            self.watch.update()
            self._update_at = now + UPDATE_EVERY_S
        if now >= self._log_at:
            self.log(f"[dim]{self._progress()}[/]")
            self._log_at = now + LOG_EVERY_S

    def _cut_off_before_rollback(self) -> None:
        """Cut off one gateway as soon as it knows the gray stage in which the last bad release will fail.

        That release has no pace, so that only its table can keep a gateway that is cut off from offering it. Then new
        devices come, and nothing else breaks for a moment.
        """
        if self._cut_off_at is None and self.watch.has_reached(self.plan[-1], 1):
            self._cut_off_at = time.time() + PROPAGATION_S
            self._quiet_until = time.time() + QUIET_S
        if self._cut_off_at and time.time() >= self._cut_off_at:
            self.saboteur.strike("gateway cut off, silent", seconds=LONG_CUT_S)
            self._cut_off_at = float("inf")
            self.fleet.start_late()

    def _wait(self, what: str, condition: Callable[[], bool]) -> None:
        """Wait for a condition; continue without it in the end, because the checks will report what is missing."""
        deadline = time.time() + SETTLE_S
        while not condition():
            if time.time() > deadline:
                self.log(f"[bold red]waited {SETTLE_S:g} s in vain for {what}[/]")
                return
            self._tick()
            time.sleep(TICK_S)

    def _progress(self) -> str:
        positions = [
            f"{name} {one.state}" + (f" {one.position}" if one.state == "running" else "")
            for name, one in self.watch.planned().items()
        ]
        record = self.fleet.record
        return f"{', '.join(positions)}; {len(record.offers)} offers, {len(record.acknowledged)} reports taken"


def report(storm: Storm, figures: dict[str, float]) -> int:
    """Print the result; return the exit status."""
    faults = Table("fault", "times", "seconds until repair, mean", "longest", title="faults", title_justify="left")
    for kind in (*KINDS, BY_ITSELF):
        lasted = [fault.seconds for fault in storm.saboteur.faults if fault.kind == kind]
        if lasted:
            faults.add_row(kind, str(len(lasted)), f"{sum(lasted) / len(lasted):.1f}", f"{max(lasted):.1f}")
    console.print(faults)
    console.print(_releases_table(storm))
    checked = Table("what must hold", "violations", title="checks", title_justify="left")
    for check, text in CHECKS.items():
        checked.add_row(text, str(len(storm.watch.violations[check])))
    console.print(checked)
    answers = Counter(storm.fleet.record.answers)
    console.print(f"answers to devices: {', '.join(f'{count} {what}' for what, count in answers.most_common())}")
    return BENCHMARK.judge(figures)


def _releases_table(storm: Storm) -> Table:
    columns = (
        "release",
        "ended",
        "stages entered after s",
        "offers",
        "pace",
        "most in a second",
        "seconds at the pace",
    )
    table = Table(*columns, title="releases", title_justify="left")
    for name, known in storm.watch.planned().items():
        entered = " ".join(f"{at - storm.began:.0f}" for at in known.entered().values())
        offers = sum(offer.manifest == known.manifest for offer in storm.fleet.record.offers)
        pace = storm.paces.get(name)
        paced = (str(pace.pace), str(pace.most), str(pace.full_seconds)) if pace else ("", "", "")
        table.add_row(name, known.state, entered, str(offers), *paced)
    return table


if __name__ == "__main__":
    sys.exit(main())
