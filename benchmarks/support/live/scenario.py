"""The releases that run while everything breaks, and the versions that devices must have in the end."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.support.live import control
from benchmarks.support.live.checks import ExpectedRelease
from walle.device.emulator.population import Person
from walle.release.strategy import AT_ONCE

FAILING: Final = 0.6
"""The share of the devices on which a bad version fails."""
TESTERS: Final = frozenset(f"light-{index:05d}" for index in range(8))
FIRST_VERSIONS: Final = (("lens", "1.0.0"), ("cart", "1.0.0"), ("voice", "1.0.0"))
"""The versions that every device has at the beginning."""
EVERYBODY: Final[Mapping[str, Any]] = {"fact": "app_version", "in": list(control.APP_VERSIONS)}
FEW: Final[Mapping[str, Any]] = {
    "all": [
        {"fact": "os", "in": ["android"]},
        {"not": {"fact": "performance", "equals": "low"}},
        {"fact": "app_version", "version": ">=1.1.0"},
    ]
}


@dataclass(frozen=True)
class Planned:
    """A release of the scenario: its intended behaviour, its request, and after how many seconds it is created."""

    expected: ExpectedRelease
    rule: Mapping[str, Any]
    strategy: Mapping[str, Any]
    after_s: float

    @property
    def name(self) -> str:
        return f"{self.expected.task} {self.expected.version}"

    @property
    def bad(self) -> bool:
        return self.expected.ends == "rolled-back"


def publish(operator: control.Operator, plan: Sequence[Planned]) -> dict[str, str]:
    """Push every version, and release those that every device has at the beginning; return these, by task."""
    planned = [(release.expected.task, release.expected.version) for release in plan]
    for task, version in (*FIRST_VERSIONS, *planned):
        operator.push(task, version)
    for task, version in FIRST_VERSIONS:
        operator.release(task, version, EVERYBODY, AT_ONCE)
    return {control.task_name(task): version for task, version in FIRST_VERSIONS}


def releases(seconds: float, devices: int) -> list[Planned]:
    """Return two good releases of about this many seconds, an early bad one, and a late one of a task that is new.

    Bad ones need so many reports in each gray stage that they cannot pass by chance.
    """
    good = ExpectedRelease("lens", "1.1.0", selects_all, "complete", TESTERS)
    few = ExpectedRelease("cart", "1.1.0", selects_few, "complete", TESTERS)
    bad = ExpectedRelease("voice", "2.0.0", selects_all, "rolled-back", TESTERS)
    first = ExpectedRelease("intro", "1.0.0", selects_all, "rolled-back", TESTERS)
    long = {"dwell_s": seconds / 5, "evidence": max(1, devices // 60)}
    short = {"dwell_s": 5, "evidence": devices // 4}
    return [
        Planned(good, EVERYBODY, strategy(5, 20, 50, 100, **long, pace=6), 0),
        Planned(few, FEW, strategy(10, 40, 100, **long, pace=3), 0.05 * seconds),
        Planned(bad, EVERYBODY, strategy(50, 100, **short, pace=8), 0.1 * seconds),
        Planned(first, EVERYBODY, strategy(100, **short, pace=None), 0.5 * seconds),
    ]


def strategy(*percents: float, **stage: Any) -> dict[str, Any]:
    """Return a strategy with the testers first, then these stages."""
    stages = [{"kind": "beta", "list": "testers", **stage, "evidence": 2}]
    stages += [{"kind": "gray", "percent": percent, **stage} for percent in percents]
    return {"simulation": False, "control_percent": 10, "grace_s": 900, "silence_s": 20, "stages": stages}


def selects_all(_person: Person) -> bool:
    return True


def selects_few(person: Person) -> bool:
    """Evaluate the rule FEW in plain Python."""
    facts = person.facts
    return facts.os == "android" and facts.performance != "low" and facts.app_version in ("1.1.0", "1.2.0", "1.3.0")


def end_of_run(plan: Sequence[Planned], person: Person, task: str, version: str) -> str | None:
    """Return how a run ends: a bad version fails on the same devices each time, none of them a tester's."""
    bad = {(control.task_name(planned.expected.task), planned.expected.version) for planned in plan if planned.bad}
    unlucky = person.name not in TESTERS and random.Random(f"fails:{person.name}").random() < FAILING
    return "bench-failure" if unlucky and (task, version) in bad else None


def expected_versions(plan: Sequence[Planned], person: Person) -> dict[str, str]:
    """Return the version of each task that a device must have in the end."""
    good = [planned.expected for planned in plan if not planned.bad and planned.expected.selects(person)]
    versions = dict(FIRST_VERSIONS) | {expected.task: expected.version for expected in good}
    return {control.task_name(task): version for task, version in versions.items()}
