"""Claim: an installation for production goes on while each of its processes dies, and while it is upgraded.

On one machine run what docs/guides/production.md installs, by the commands of the shipped units: nginx with TLS, four
gateways, two web servers, two workers, one for urgent jobs, beat, Redis, and PostgreSQL with a synchronous standby.
Light devices check in through nginx and report their runs, a crowd of others only checks in, and somebody reads the
list of releases. First it is measured how many check-ins are carried when as many are asked as are answered; then the
crowd asks for a part of that while a good and a bad release are under way, and in turn

1. each gateway, web server, worker, beat, Redis and one of nginx's workers is killed with SIGKILL;
2. all servers are restarted one after the other, as the guide says for an upgrade;
3. the primary is killed and the standby is promoted;
4. Redis stays away while a version that every device has turns out bad: the time from the arrival of the report that
   crosses the limit until the last device has the good version again.

What was refused is counted by who was refused. In the end no acknowledged report may be missing and none stored twice,
and releases must have ended as they should: the checks of `release_faults`.
"""

from __future__ import annotations

import contextlib
import logging
import ssl
import sys
import time
from collections.abc import Callable
from functools import partial

from rich.console import Console
from rich.table import Table

from benchmarks.support.harness import Benchmark, Dimension, is_tiny
from benchmarks.support.live import control, scenario
from benchmarks.support.live.checks import LEASE_S, ExpectedRelease
from benchmarks.support.live.evidence import read_reports
from benchmarks.support.live.fleet import LivingFleet
from benchmarks.support.live.scenario import Planned
from benchmarks.support.live.watch import CHECKS, Watch
from benchmarks.support.outcome import Target
from benchmarks.support.rehearsal.crowd_process import CrowdProcess, write_requests
from benchmarks.support.rehearsal.disruptions import Disruptions
from benchmarks.support.rehearsal.installation import RESTART_S, Installation, Size, running_installation, wait
from benchmarks.support.rehearsal.memory import Growth, MemoryWatch
from benchmarks.support.rehearsal.runs import Runs
from benchmarks.support.rehearsal.visitor import Visitor
from walle.device.emulator.population import Person
from walle.device.notices import Notice
from walle.release.strategy import Strategy
from walle.release.withdrawal import told_within
from walleweb.embedded.supervisor import Program

INTERVAL_S = 3
PROMOTED_AFTER_S = 2.0
"""Seconds after which whoever watches the primary promotes the standby."""
ASKED_PER_S = 20_000
WITHOUT_REDIS_S = 2.0
"""What the absence of Redis may add to a rollback."""
BENCHMARK = Benchmark(
    "fleet",
    scale={
        "devices": Dimension(200, 40),
        "crowd": Dimension(5000, 100),
        "carried_s": Dimension(10, 1),
        "stage_s": Dimension(45, 1),
        "pause_s": Dimension(4, 0.2),
        "warm_s": Dimension(15, 1),
    },
    targets=(
        *(Target(f"violations_{check}", at_most=0) for check in CHECKS),
        Target("last_withdrawn_offer_s", at_most=LEASE_S),
        Target("refused_by_kills", at_most=0),
        Target("refused_by_rolling_restart", at_most=0),
        Target("refused_after_nginx_worker_s", at_most=2),
        Target("refused_after_failover_s", at_most=PROMOTED_AFTER_S + 10),
        Target("last_device_without_redis_s", at_most=told_within(INTERVAL_S) + WITHOUT_REDIS_S),
        Target("memory_growth", at_most=1.1),
    ),
    assumptions=(
        "every process of Walle, nginx, Redis, both servers of PostgreSQL, all devices and the crowd share this "
        "machine's cores and clock: the check-ins carried are those of all of them together, not of the servers",
        f"{ASKED_PER_S} check-ins a second were asked for; the crowd's rate after the measurement is 0.4 of what was "
        "carried, so that what is restarted finds a core",
        "a killed process is started again after a second, as by the units; nobody starts another primary",
        f"the standby is promoted {PROMOTED_AFTER_S:g} s after the primary's death, by the benchmark",
        "a client whose connection breaks with one of nginx's workers is refused once, and is counted",
        "the machine, its disk and its network stay",
    ),
)
DEVICES = BENCHMARK.size("devices")
STAGE_S, PAUSE_S = BENCHMARK.amount("stage_s"), BENCHMARK.amount("pause_s")
SIZE = Size(gateways=1, web=0, workers=1) if is_tiny() else Size(gateways=4, web=2, workers=2)
SHARE = 0.4
MOST_ASKED_PER_S = 20.0 if is_tiny() else float("inf")
"""The crowd's rate after the measurement, as a part of what was carried, and its limit."""
RUN_EVERY_S = 10.0
TIMEOUT_S, REACTION_S = 15.0, 3.0
SETTLE_S = 30.0 if is_tiny() else 90.0
NOTICED_S = 0.0 if is_tiny() else 6.0
"""Seconds until nginx asks a server again that did not answer (fail_timeout), with one to spare."""
GOOD, TRAP = "1.0.0", "3.0.0"
GRAY = {
    "simulation": False,
    "control_percent": 0,
    "stages": [
        {"kind": "gray", "percent": 10, "dwell_s": 2, "evidence": 0},
        {"kind": "gray", "percent": 100, "dwell_s": 3600, "evidence": 0},
    ],
}

console = Console(highlight=False)


def main() -> int:
    BENCHMARK.announce()
    # Connections that break with a process are counted, not logged.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    began = time.time()

    def log(text: str) -> None:
        console.print(f"{time.time() - began:6.1f} s  {text}", soft_wrap=True)

    with running_installation(SIZE, log) as installation:
        log("all processes are up")
        with contextlib.closing(Rehearsal(installation, log)) as rehearsal:
            rehearsal.prepare()
            rehearsal.carry()
            rehearsal.kill_each()
            rehearsal.restart_each()
            rehearsal.fail_over()
            rehearsal.roll_back_without_redis()
            rehearsal.settle()
            figures = rehearsal.reckon()
    report(rehearsal)
    return BENCHMARK.judge(figures)


def releases(devices: int) -> list[Planned]:
    """Return a good release that takes most of the time, a bad one, and one that proves bad once it is everywhere."""
    good = ExpectedRelease("lens", "1.1.0", scenario.selects_all, "complete", scenario.TESTERS)
    bad = ExpectedRelease("voice", "2.0.0", scenario.selects_all, "rolled-back", scenario.TESTERS)
    trap = ExpectedRelease("cart", TRAP, scenario.selects_all, "rolled-back")
    long = {"dwell_s": STAGE_S, "evidence": max(1, devices // 60), "pace": max(6, devices // 15)}
    short = {"dwell_s": min(STAGE_S, 5), "evidence": devices // 4, "pace": 8}
    return [
        Planned(good, scenario.EVERYBODY, scenario.strategy(5, 20, 50, 100, **long), 0),
        Planned(bad, scenario.EVERYBODY, scenario.strategy(50, 100, **short), 0),
        Planned(trap, scenario.EVERYBODY, GRAY, 0),
    ]


class Rehearsal:
    """One trial. Everything in it belongs to the thread that makes it, which starts the processes."""

    def __init__(self, installation: Installation, log: Callable[[str], None]) -> None:
        self.installation, self.log = installation, log
        self.plan, self.runs = releases(DEVICES), Runs(TRAP, RUN_EVERY_S)
        self.credentials = control.prepare(INTERVAL_S, {"testers": sorted(scenario.TESTERS)})
        self.operator = control.Operator(installation.address, self.credentials.token, installation.folder / "trees")
        self._installed: dict[tuple[str, str, str], float] = {}
        self.fleet = LivingFleet(
            [installation.https],
            app=control.APP,
            backend_key=self.credentials.backend_key,
            root=self.credentials.root,
            interval=INTERVAL_S,
            end_of_run=partial(scenario.end_of_run, self.plan),
            on_notice=self._on_notice,
            may_run=self.runs.may_run,
            timeout_s=TIMEOUT_S,
            tls=ssl.create_default_context(cafile=installation.certificate),
        )
        self.fleet.add(DEVICES)
        self.watch = Watch(installation, self.fleet, self.plan, log)
        write_requests(BENCHMARK.size("crowd"), installation.folder / "crowd")
        self.crowd = CrowdProcess(installation.https, installation.certificate, installation.folder / "crowd")
        self.visitor = Visitor(installation.address, self.credentials.token)
        self.memory = MemoryWatch(installation.pids)
        self.disruptions = Disruptions(PAUSE_S)
        self.carried = 0.0
        self.last_device_s = 0.0
        self.ready_s: list[float] = []
        self.calm: tuple[float, float] = (0.0, 0.0)

    def prepare(self) -> None:
        """Push every version, and give every device its first versions."""
        first = scenario.publish(self.operator, self.plan)
        self.fleet.start()
        has_first = partial(self.fleet.all_have, first)
        self.log(f"devices have their first versions after {wait(has_first, 'devices to have them'):.1f} s")

    def carry(self) -> None:
        """Measure how many check-ins are carried, have the crowd ask for a part of that, and start the releases."""
        seconds, began = BENCHMARK.amount("carried_s"), time.time()
        self.crowd.ask(0)
        time.sleep(seconds + 2)
        # Without the second in which it began and the one in which it ends.
        whole = [second.answered for second in self.crowd.between(began + 1, began + seconds)]
        self.carried = sum(whole) / max(1, len(whole))
        asked = max(1.0, min(SHARE * self.carried, MOST_ASKED_PER_S))
        self.crowd.ask(asked)
        self.log(f"{self.carried:.0f} check-ins a second are carried; {asked:.0f} are asked from now on")
        if refused := self.crowd.refused(began, time.time()):
            self.log(f"[bold red]refused at most load: {dict(refused)}[/]")
        for planned in self.plan[:-1]:
            self._release(planned)
        time.sleep(PAUSE_S)

    def kill_each(self) -> None:
        """Kill one process after the other; a unit starts again what was killed."""
        here = self.installation
        victims = [*here.servers, *here.workers, here.urgent_worker, here.beat, here.redis]
        for program in victims[-1:] if is_tiny() else victims:
            with self._disrupt("kill -9", program.name):
                here.kill(program)
                self._start_again(program)
        with self._disrupt("kill -9 of nginx's worker", "nginx"):
            here.kill_nginx_worker()
            time.sleep(REACTION_S)

    def restart_each(self) -> None:
        """Restart servers as the guide says for an upgrade, and workers and beat after them."""
        here = self.installation
        with self._disrupt("rolling restart", "everything"):
            for server in here.servers:
                self.ready_s.append(here.restart(server))
                time.sleep(NOTICED_S)
            for program in [] if is_tiny() else [*here.workers, here.urgent_worker, here.beat]:
                here.restart(program)
        time.sleep(BENCHMARK.amount("warm_s"))
        self.calm = time.time(), 0.0

    def fail_over(self) -> None:
        """Kill the primary, promote the standby."""
        with self._disrupt("failover", "PostgreSQL"):
            self.installation.postgres.kill_primary()
            time.sleep(PROMOTED_AFTER_S)
            self.installation.postgres.promote()
            for server in self.installation.servers:
                self.installation.wait_until_ready(server)
            self.log("every server is ready again")
            time.sleep(REACTION_S)

    def roll_back_without_redis(self) -> None:
        """Have the version that is bad roll back while Redis is away."""
        self._release(self.plan[-1])
        self._wait(f"devices to have cart {TRAP}", lambda: self._all_have_task("cart", TRAP))
        here = self.installation
        with self._disrupt("rollback without Redis", "redis"):
            here.kill(here.redis)
            opened = time.time()
            self._installed.clear()
            self.runs.open = True
            self._wait("devices to have the good version again", lambda: self._all_have_task("cart", GOOD))
            here.redis.start()
            time.sleep(REACTION_S)
        self.watch.update()
        limits = Strategy.from_dict(self.watch.planned()[f"cart {TRAP}"].strategy)
        with here.connect() as connection:
            arrived, _, number = read_reports(connection, opened).crossing(TRAP, limits, DEVICES)
        back = [at for (_, task, version), at in list(self._installed.items()) if (task, version) == _CART_GOOD]
        self.last_device_s = max(back, default=float("inf")) - arrived
        self.log(f"the {number}th report proved cart {TRAP} bad; {self.last_device_s:.1f} s later nobody had it")

    def settle(self) -> None:
        """Let releases end, and devices get the right versions and send what they have."""
        for what, condition in {
            "releases to end": self.watch.is_settled,
            "devices to have what they should": self.watch.is_everybody_right,
            "the registry to know what they have": self.watch.is_registry_right,
        }.items():
            self._wait(what, condition)
        self.calm = self.calm[0], time.time()
        self.crowd.stop()
        self.visitor.stop()
        self.fleet.stop(30)
        self.memory.stop()
        self.log("all devices have stopped")

    def reckon(self) -> dict[str, float]:
        """Make the final checks; return all figures."""
        self.watch.finish()
        self.disruptions.count_refused(
            {"device": self.fleet.record.troubles, "person": self.visitor.troubles}, self.crowd
        )
        known = self.watch.planned()
        rolled_back = [known[planned.name] for planned in self.plan if planned.bad and planned.name in known]
        seconds, grown = self.crowd.seconds, self.growth()
        record = self.fleet.record
        figures: dict[str, float] = {
            "devices": DEVICES,
            "reports_acknowledged": len(record.acknowledged),
            "check_ins_carried_per_s": self.carried,
            "check_ins_asked_for_per_s": ASKED_PER_S,
            "check_ins_of_crowd": sum(second.answered for second in seconds),
            "requests_refused_in_all": sum(sum(disruption.refused.values()) for disruption in self.disruptions.all),
            "refused_by_kills": self.disruptions.refused("kill -9"),
            "refused_by_nginx_worker": self.disruptions.refused("kill -9 of nginx's worker"),
            "refused_after_nginx_worker_s": self.disruptions.refused_for("kill -9 of nginx's worker"),
            "refused_by_rolling_restart": self.disruptions.refused("rolling restart"),
            "longest_restart_s": max(self.ready_s),
            "refused_by_failover": self.disruptions.refused("failover"),
            "refused_after_failover_s": self.disruptions.refused_for("failover"),
            "refused_without_redis": self.disruptions.refused("rollback without Redis"),
            "last_device_without_redis_s": self.last_device_s,
            "last_withdrawn_offer_s": max(map(self.watch.late_offers, rolled_back), default=float("nan")),
            "memory_growth": max((growth.ratio for growth in grown), default=float("nan")),
            "memory_watched_s": self.calm[1] - self.calm[0],
        }
        return figures | {f"violations_{check}": len(found) for check, found in self.watch.violations.items()}

    def growth(self) -> list[Growth]:
        """Return what became of the memory of the processes that lived from the restart to the end."""
        return self.memory.growth(*self.calm)

    def close(self) -> None:
        """End what was started beside the installation."""
        self.memory.stop()
        self.visitor.stop()
        self.crowd.stop()

    def _disrupt(self, kind: str, victim: str) -> contextlib.AbstractContextManager[None]:
        self.log(f"{kind}: {victim}")
        return self.disruptions.disrupt(kind, victim)

    def _start_again(self, program: Program) -> None:
        time.sleep(RESTART_S)
        program.start()
        if program in self.installation.servers:
            self.installation.wait_until_ready(program)
        time.sleep(0.0 if is_tiny() else REACTION_S)

    def _on_notice(self, person: Person, notice: Notice) -> None:
        if notice.name == "installed":
            self._installed[person.name, notice.data["task"], notice.data["version"]] = time.time()

    def _all_have_task(self, task: str, version: str) -> bool:
        name = control.task_name(task)
        return all(installed.get(name) == version for installed in self.fleet.installed().values())

    def _release(self, planned: Planned) -> None:
        expected = planned.expected
        self.operator.release(expected.task, expected.version, planned.rule, planned.strategy)

    def _wait(self, what: str, condition: Callable[[], bool]) -> None:
        """Wait for a condition; go on without it in the end, because the checks will say what is missing."""
        try:
            wait(condition, what, SETTLE_S)
        except SystemExit as error:
            self.watch.update()
            states = [f"{name}: {known.state} {known.position}" for name, known in self.watch.planned().items()]
            self.log(f"[bold red]{error}[/] ({', '.join(states)})")


_CART_GOOD = control.task_name("cart"), GOOD


def report(rehearsal: Rehearsal) -> None:
    """Print what was done and what was refused, the load by disruption, and the memory."""
    table = Table(
        "what", "to", "s", "refused", "last after s", "check-ins/s", "p99 ms", title="disruptions", title_justify="left"
    )
    for disruption in rehearsal.disruptions.all:
        refused = "\n".join(f"{count} {what}" for what, count in sorted(disruption.refused.items())) or "0"
        seconds = rehearsal.crowd.between(disruption.began, disruption.ended)
        rate = sum(second.answered for second in seconds) / max(1, len(seconds))
        p99 = max((second.ms[1] for second in seconds), default=0.0)
        last = f"{disruption.last_refused_s:.1f}" if disruption.refused else ""
        table.add_row(
            disruption.kind,
            disruption.victim,
            f"{disruption.ended - disruption.began:.0f}",
            refused,
            last,
            f"{rate:.0f}",
            f"{p99:.0f}",
        )
    console.print(table)
    memory = Table("process", "MB before", "MB after", "times", title="memory", title_justify="left")
    for growth in rehearsal.growth():
        memory.add_row(growth.name, f"{growth.before:.0f}", f"{growth.after:.0f}", f"{growth.ratio:.2f}")
    console.print(memory)
    checked = Table("what must hold", "violations", title="checks", title_justify="left")
    for check, text in CHECKS.items():
        checked.add_row(text, str(len(rehearsal.watch.violations[check])))
    console.print(checked)
    answers = rehearsal.fleet.record.answers.most_common()
    console.print(f"answers to devices: {', '.join(f'{count} {what}' for what, count in answers)}")


if __name__ == "__main__":
    sys.exit(main())
