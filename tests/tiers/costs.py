"""What the tests of a tier cost: time on the clock, and CPU time of the whole tree of processes.

python -m tests.tiers.costs browser make e2e     run a command and judge what it cost as that tier
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass

import psutil

from tests.tiers.budgets import BUDGETS, TOLERANCE
from tests.tiers.speed import INTERVAL_SECONDS, Speedometer
from tests.tiers.tier import Tier

Costs = dict[str, list[float]]
"""By tier: number of tests, seconds on the clock, seconds of CPU."""


class Meter:
    """Counts what a test process and all that it started use, by tier, and where that is asked for by test.

    The tree is looked at only where the next test is of another tier, or after every test where each is asked for.
    """

    def __init__(self, *, each: bool = False) -> None:
        self.costs: Costs = {}
        self.tests: dict[str, float] = {}
        self._each = each
        self._tier = self._test = ""
        self._at = _now()

    def enter(self, tier: str, test: str) -> None:
        """This test of this tier follows; the time until now belongs to what was before."""
        if self._each or tier != self._tier:
            self.stop()
        self._tier, self._test = tier, test
        self.costs.setdefault(tier, [0, 0.0, 0.0])[0] += 1

    def stop(self) -> None:
        before, now = self._at, _now()
        if self._tier:
            spent = max(0.0, now[1] - before[1])
            row = self.costs[self._tier]
            row[1] += now[0] - before[0]
            row[2] += spent
            if self._each:
                self.tests[self._test] = spent
        self._tier = ""
        # Looking takes milliseconds, which no test pays for.
        self._at = _now() if self._each else now


def _now() -> tuple[float, float]:
    return time.monotonic(), tree_cpu_seconds()


def dearest(tests: Mapping[str, float], count: int) -> list[str]:
    """Return lines: the tests and the files that used the most CPU time. The first of a fixture's users pays for it."""
    files: dict[str, float] = {}
    members: dict[str, int] = {}
    for test, seconds in tests.items():
        file = test.partition("::")[0]
        files[file] = files.get(file, 0.0) + seconds
        members[file] = members.get(file, 0) + 1
    lines = [f"{seconds:>8.2f} s  {test}" for test, seconds in _largest(tests, count)]
    return [*lines, "", *(f"{seconds:>8.2f} s  {members[file]:>5}  {file}" for file, seconds in _largest(files, count))]


def _largest(seconds: Mapping[str, float], count: int) -> list[tuple[str, float]]:
    return sorted(seconds.items(), key=lambda row: -row[1])[:count]


def tree_cpu_seconds() -> float:
    """CPU time of this process, of its children that have ended, and of all below it that live."""
    own = os.times()
    total = own.user + own.system + own.children_user + own.children_system
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system
            total += getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
    return total


@dataclass(frozen=True)
class Judgement:
    """The costs of tiers beside their budgets, as lines, and which tiers cost too much."""

    lines: tuple[str, ...]
    exceeded: tuple[str, ...]


def judge(costs: Mapping[str, list[float]], slowness: float) -> Judgement:
    """Compare CPU time with the budgets; time on the clock says more about the machine, and is only shown.

    `slowness` multiplies the budgets: how much CPU time this machine takes for what takes the reference 1.
    """
    lines, exceeded = [f"{'tier':<10} {'tests':>6} {'wall':>9} {'CPU':>9}   budget of CPU"], []
    if slowness > 1:
        lines.insert(0, f"The same work took {slowness:.2f} times the CPU time here: so much larger are the budgets.")
    for tier in Tier:
        if tier not in costs:
            continue
        tests, wall, cpu = costs[tier]
        budget = BUDGETS[tier] * slowness
        verdict = ""
        if cpu > TOLERANCE * budget:
            exceeded.append(tier.value)
            verdict = f"   over {TOLERANCE:g} times its budget"
        lines.append(f"{tier:<10} {tests:>6.0f} {wall:>7.0f} s {cpu:>7.0f} s   {budget:.0f} s{verdict}")
    return Judgement(tuple(lines), tuple(exceeded))


def main(tier: str, command: list[str]) -> int:
    """Run a command; its exit status, or 1 where it cost too much."""
    started, speedometer = time.monotonic(), Speedometer()
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            speedometer.look()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=INTERVAL_SECONDS)
    judgement = judge({tier: [1, time.monotonic() - started, tree_cpu_seconds()]}, speedometer.slowness)
    print("\n".join(judgement.lines), flush=True)
    return process.returncode or int(bool(judgement.exceeded))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
