"""The suite's own pytest plugin: it only connects pytest's hooks with the modules beside it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter

from tests.tiers import again, examples, skips
from tests.tiers.affected import affected_files, changed_files
from tests.tiers.collecting import one_goes_ahead, without_garbage_collection
from tests.tiers.costs import Costs, Meter, dearest, judge
from tests.tiers.enforcement import Guard
from tests.tiers.scheduling import TierScheduling, worker_count, write_units
from tests.tiers.speed import Speedometer
from tests.tiers.tier import DATABASE_FIXTURES, DESCRIPTIONS, Tier, mark, tier_of

UNITS = "walle_units"
COSTS = "walle_costs"
TESTS = "walle_tests"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tiers")
    group.addoption("--again", action="store_true", help="run failed tests of processes once more, alone")
    group.addoption("--budgets", action="store_true", help="fail where a tier costs far more CPU time than its budget")
    group.addoption("--costs", type=int, default=0, metavar="N", help="show the N dearest tests and files by CPU time")


def pytest_configure(config: pytest.Config) -> None:
    for tier, text in DESCRIPTIONS.items():
        config.addinivalue_line("markers", f"{tier}: {text}")
    examples.load_profile()
    config.pluginmanager.register(Suite(config), "walle-suite")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Distribution(), "walle-distribution")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """How many `-n auto` are."""
    return worker_count(all_compute=config.option.markexpr.startswith(Tier.PURE))


class Suite:
    """In every process of the run: tiers, their limits and their costs; in the first one: what comes at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.in_ci = os.environ.get("CI") == "true"
        self.allowed = skips.read_allowed(skips.LIST.read_text())
        self.guard, self.meter = Guard(), Meter(each=config.option.costs > 0)
        self.speedometer = Speedometer()
        self.costs: Costs = {}
        self.tests: dict[str, float] = {}
        self.flaky: list[again.Flaky] = []
        self.lines: tuple[str, ...] = ()

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Iterator[Any]:
        given = getattr(self.config, "workerinput", {})
        # Elsewhere, most is compiled already.
        is_fresh = self.in_ci and UNITS in given
        with one_goes_ahead(Path(given[UNITS]).parent) if is_fresh else nullcontext(), without_garbage_collection():
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        mark(items)
        examples.multiply(items)

    # Before xdist's own hook, which tells the scheduler that it may begin.
    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        given = getattr(self.config, "workerinput", {})
        if given.get("workerid") == "gw0" and UNITS in given:
            write_units(session.items, Path(given[UNITS]), affected_files(changed_files()))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        tier = tier_of(item)
        self.meter.enter(tier.value, item.nodeid)
        with self.guard.close(closed=tier is Tier.PURE):
            return (yield)

    def pytest_runtest_logreport(self) -> None:
        if not hasattr(self.config, "workerinput"):
            self.speedometer.look()

    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> None:
        if fixturedef.argname in DATABASE_FIXTURES:
            self.guard.refuse_database(fixturedef.argname)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[Any]:
        report = yield
        skipped = report.skipped and not hasattr(report, "wasxfail")
        if self.in_ci and skipped and not skips.is_allowed(item.nodeid, self.allowed):
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            report.outcome = "failed"
            report.longrepr = f"{reason}\nIn CI nothing is skipped that {skips.LIST.name} does not name."
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        self.meter.stop()
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput |= {COSTS: self.meter.costs, TESTS: self.meter.tests}
        else:
            self.add(self.meter.costs, self.meter.tests)
            self._conclude(session)
        return (yield)

    def add(self, costs: Costs, tests: dict[str, float]) -> None:
        self.tests |= tests
        for tier, row in costs.items():
            known = self.costs.setdefault(tier, [0, 0.0, 0.0])
            self.costs[tier] = [mine + theirs for mine, theirs in zip(known, row, strict=True)]

    def _conclude(self, session: pytest.Session) -> None:
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        if self.config.option.again and reporter is not None:
            self.flaky = again.run_again(reporter)
            if self.flaky and not again.failed_reports(reporter) and session.exitstatus == pytest.ExitCode.TESTS_FAILED:
                session.exitstatus = pytest.ExitCode.OK
        judgement = judge(self.costs, self.speedometer.slowness)
        self.lines = judgement.lines
        if self.config.option.budgets and judgement.exceeded and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> Iterator[None]:
        yield
        if self.costs:
            terminalreporter.section("what the tiers cost (wall: all workers together)")
            for line in self.lines:
                terminalreporter.line(line)
        if self.tests:
            terminalreporter.section("the dearest tests, and the dearest files with their number of tests, by CPU time")
            for line in dearest(self.tests, self.config.option.costs):
                terminalreporter.line(line)
        if self.flaky:
            again.show(terminalreporter, self.flaky)


class Distribution:
    """In the process that distributes tests to workers."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="walle-units-")
        self.units = Path(self.folder.name, "units.json")

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[UNITS] = str(self.units)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> TierScheduling | None:
        return TierScheduling(config, log, self.units) if config.getvalue("dist") == "loadgroup" else None

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        suite = node.config.pluginmanager.get_plugin("walle-suite")
        told = getattr(node, "workeroutput", {})
        suite.add(told.get(COSTS, {}), told.get(TESTS, {}))

    def pytest_unconfigure(self) -> None:
        self.folder.cleanup()
