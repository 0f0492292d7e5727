"""Checks a trial while it runs and when it is over, and collects violations."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

import psycopg

from benchmarks.support.live import checks, control
from benchmarks.support.live.checks import ExpectedRelease, PaceUsage
from benchmarks.support.live.fleet import LivingFleet
from benchmarks.support.live.history import Known, read_audit, read_releases
from benchmarks.support.live.scenario import Planned, expected_versions
from benchmarks.support.live.wire import ReceivedOffer
from walle.gateway.offers import OFFER_LEASE_S
from walle.protocol.keyed import Keyring

CHECKS: Final = {
    "state": "each release ends as it should",
    "stages": "no stage is skipped",
    "eligible": "nobody is offered what is not for him, or is withdrawn",
    "pace": "the pace is kept",
    "lost": "no acknowledged report is lost",
    "twice": "no report counts twice",
    "outcomes": "outcomes are what the reports say",
    "devices": "every device ends on the right version",
    "registry": "the registry knows what devices have",
    "audit": "the log has one row for each move",
    "reasons": "the evidence kept leads to each move",
}

_REACHED: Final = """
SELECT 1 FROM releases_app_release release
JOIN tasks_app_taskversion version ON version.id = release.version_id
JOIN tasks_app_task task ON task.id = version.task_id
WHERE task.slug = %s AND version.version = %s AND release.state = 'running' AND release.position >= %s
"""


class Reachable(Protocol):
    """A Walle whose database can be asked."""

    def connect(self) -> psycopg.Connection[Any]: ...


class Watch:
    """The checks of one trial; `violations` lists what did not hold by check."""

    def __init__(
        self, processes: Reachable, fleet: LivingFleet, plan: Sequence[Planned], log: Callable[[str], None]
    ) -> None:
        self._processes, self._fleet, self._plan, self._log = processes, fleet, plan, log
        self._expected = {
            (control.task_name(planned.expected.task), planned.expected.version): planned.expected for planned in plan
        }
        self._keyring = _keyring()
        self._checked_offers = 0
        self._quick: psycopg.Connection[tuple[object, ...]] | None = None
        self.known: dict[str, Known] = {}
        self.violations: dict[str, list[str]] = {check: [] for check in CHECKS}

    def update(self) -> bool:
        """Read the releases' positions and check the offers since the last call; return False without a database."""
        until = time.time()
        try:
            with self._processes.connect() as connection:
                self.known = read_releases(connection)
        except psycopg.Error:
            return False
        offers = self._fleet.record.offers
        while self._checked_offers < len(offers) and offers[self._checked_offers].received < until:
            self._check_offer(offers[self._checked_offers])
            self._checked_offers += 1
        return True

    def has_reached(self, planned: Planned, position: int) -> bool:
        """Return whether a release is running in that stage at this moment; cheap enough to be called all the time."""
        try:
            self._quick = self._quick or self._processes.connect()
            requested = [planned.expected.task, planned.expected.version, position]
            return self._quick.execute(_REACHED, requested).fetchone() is not None
        except psycopg.Error:
            self._quick = None
            return False

    def planned(self) -> dict[str, Known]:
        """Return the scenario's own releases, by task and version."""
        by_version = {(known.task, known.version): known for known in self.known.values()}
        requested = {
            known.name: (control.task_name(known.expected.task), known.expected.version) for known in self._plan
        }
        return {name: by_version[version] for name, version in requested.items() if version in by_version}

    def is_settled(self) -> bool:
        """Return whether every release has ended as intended."""
        return self.update() and not any(self._unended())

    def is_everybody_right(self) -> bool:
        installed = self._fleet.installed()
        return all(
            installed[name] == expected_versions(self._plan, person) for name, person in self._fleet.people.items()
        )

    def is_registry_right(self) -> bool:
        with self._processes.connect() as connection:
            return not any(checks.registry_differs(connection, self._fleet.installed(), self.known))

    def finish(self) -> dict[str, PaceUsage]:
        """Make all checks that are possible only at the end; return the paces found."""
        self.update()
        self._add("state", self._unended())
        for known in self.known.values():
            self._add("stages", checks.skipped(known), known)
            self._add("reasons", checks.unexplained(known), known)
        self._add("devices", self._wrong_devices())
        with self._processes.connect() as connection:
            lost, twice = checks.reports_differ(
                connection, self._fleet.record.sent_reports, self._fleet.record.acknowledged
            )
            self._add("lost", lost + [f"{self._fleet.unsent()} still wait"] * bool(self._fleet.unsent()))
            self._add("twice", twice)
            self._add("outcomes", checks.settled_outcomes(connection, self.known.values()))
            self._add("registry", checks.registry_differs(connection, self._fleet.installed(), self.known))
            self._add("audit", checks.audit_differs(read_audit(connection), self.known.values()))
        return self._paces()

    def late_offers(self, known: Known, gateways: Iterable[int] | None = None) -> float:
        """Return the seconds from a version's rollback to the last request that was answered with an offer of it."""
        withdrawn = known.when("roll-back") or float("inf")
        requested = [
            offer.requested
            for offer in self._fleet.record.offers
            if offer.manifest == known.manifest and (gateways is None or offer.gateway in gateways)
        ]
        return max(0.0, max(requested, default=0.0) - withdrawn)

    def _check_offer(self, offer: ReceivedOffer) -> None:
        if offer.manifest is None:
            withdrawn = [known for known in self.known.values() if known.task == offer.task and known.when("roll-back")]
            reason = "" if withdrawn else "nothing of the task was withdrawn"
        else:
            known = self.known.get(offer.manifest)
            expected = self._expected.get((known.task, known.version), _BASELINE) if known else _BASELINE
            person = self._fleet.people[offer.device]
            reason = checks.ineligible(offer, known, expected, person) if known else "no release has this version"
        if reason:
            self._add("eligible", [f"{offer.device} was offered {offer.task} by gateway-{offer.gateway}: {reason}"])

    def _unended(self) -> Iterator[str]:
        for (task, version), expected in self._expected.items():
            found = [known for known in self.known.values() if (known.task, known.version) == (task, version)]
            state = found[0].state if found else "missing"
            if state != expected.ends:
                last = found[0].moves[-1].reason if found and found[0].moves else ""
                yield f"{task} {version} is {state} ({last}), expected {expected.ends}"

    def _wrong_devices(self) -> Iterator[str]:
        installed = self._fleet.installed()
        for name, person in self._fleet.people.items():
            if installed[name] != (right := expected_versions(self._plan, person)):
                yield f"{name} has {dict(installed[name])}, expected {right}"

    def _paces(self) -> dict[str, PaceUsage]:
        by_release: dict[str, list[tuple[ReceivedOffer, int]]] = defaultdict(list)
        for offer in self._fleet.record.offers:
            if offer.manifest:
                stamp = self._keyring.read_offer_token(offer.token, offer.device)
                by_release[offer.manifest].append((offer, stamp.expires - OFFER_LEASE_S))
        found = {}
        for name, known in self.planned().items():
            if all(stage["pace"] for stage in known.strategy["stages"]):
                found[name] = checks.offers_at_pace(by_release[known.manifest], known)
                if found[name].excess:
                    self._add("pace", [f"{name}: {found[name]}"])
        return found

    def _add(self, check: str, found: Iterable[str], known: Known | None = None) -> None:
        subject = f"{known.task} {known.version}: " if known else ""
        for text in found:
            self.violations[check].append(subject + text)
            self._log(f"[bold red]VIOLATED[/] {CHECKS[check]}: {subject}{text}")


_BASELINE: Final = ExpectedRelease("", "", lambda person: True, "")


def _keyring() -> Keyring:
    """Return the app's keyring, with which its gateways sign offers."""
    from django.db import connection

    from devices_app.selectors.state import gateway_state

    try:
        return gateway_state().apps[control.APP].keyring
    finally:
        connection.close()
