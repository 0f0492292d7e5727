"""Checks a trial while it runs and when it is over, and collects violations."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import psycopg

from benchmarks.support.live import checks, control
from benchmarks.support.live.checks import Meant, PaceFound
from benchmarks.support.live.fleet import LivingFleet
from benchmarks.support.live.history import Known, read_audit, read_releases
from benchmarks.support.live.plant import Plant
from benchmarks.support.live.scenario import Planned, wanted
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


class Watch:
    """The checks of one trial; `violations` lists what did not hold by check."""

    def __init__(self, plant: Plant, fleet: LivingFleet, plan: Sequence[Planned], say: Callable[[str], None]) -> None:
        self._plant, self._fleet, self._plan, self._say = plant, fleet, plan, say
        self._meant = {(control.task_name(one.meant.task), one.meant.version): one.meant for one in plan}
        self._keyring = _keyring()
        self._looked_at = 0
        self._quick: psycopg.Connection[tuple[object, ...]] | None = None
        self.known: dict[str, Known] = {}
        self.violations: dict[str, list[str]] = {check: [] for check in CHECKS}

    def look(self) -> bool:
        """Read the releases' positions and check the offers since the last call; return False without a database."""
        until = time.time()
        try:
            with self._plant.connect() as connection:
                self.known = read_releases(connection)
        except psycopg.Error:
            return False
        offers = self._fleet.record.offers
        while self._looked_at < len(offers) and offers[self._looked_at].received < until:
            self._check_offer(offers[self._looked_at])
            self._looked_at += 1
        return True

    def has_reached(self, planned: Planned, position: int) -> bool:
        """Return whether a release is running in that stage at this moment; cheap enough to be called all the time."""
        try:
            self._quick = self._quick or self._plant.connect()
            asked = [planned.meant.task, planned.meant.version, position]
            return self._quick.execute(_REACHED, asked).fetchone() is not None
        except psycopg.Error:
            self._quick = None
            return False

    def planned(self) -> dict[str, Known]:
        """Return the scenario's own releases, by task and version."""
        by_version = {(one.task, one.version): one for one in self.known.values()}
        asked = {one.name: (control.task_name(one.meant.task), one.meant.version) for one in self._plan}
        return {name: by_version[version] for name, version in asked.items() if version in by_version}

    def is_settled(self) -> bool:
        """Return whether every release has ended as intended."""
        return self.look() and not any(self._unended())

    def is_everybody_right(self) -> bool:
        installed = self._fleet.installed()
        return all(installed[name] == wanted(self._plan, person) for name, person in self._fleet.people.items())

    def is_registry_right(self) -> bool:
        with self._plant.connect() as connection:
            return not any(checks.registry_differs(connection, self._fleet.installed(), self.known))

    def finish(self) -> dict[str, PaceFound]:
        """Make all checks that are possible only at the end; return the paces found."""
        self.look()
        self._add("state", self._unended())
        for known in self.known.values():
            self._add("stages", checks.skipped(known), known)
            self._add("reasons", checks.unexplained(known), known)
        self._add("devices", self._wrong_devices())
        with self._plant.connect() as connection:
            lost, twice = checks.reports_differ(connection, self._fleet.record.said, self._fleet.record.acknowledged)
            self._add("lost", lost + [f"{self._fleet.unsent()} still wait"] * bool(self._fleet.unsent()))
            self._add("twice", twice)
            self._add("outcomes", checks.settled_outcomes(connection, self.known.values()))
            self._add("registry", checks.registry_differs(connection, self._fleet.installed(), self.known))
            self._add("audit", checks.audit_differs(read_audit(connection), self.known.values()))
        return self._paces()

    def late_offers(self, known: Known, gateways: Iterable[int] | None = None) -> float:
        """Return the seconds from a version's rollback to the last request for an offer of it, at some gateways only."""
        withdrawn = known.when("roll-back") or float("inf")
        asked = [
            offer.asked
            for offer in self._fleet.record.offers
            if offer.manifest == known.manifest and (gateways is None or offer.gateway in gateways)
        ]
        return max(0.0, max(asked, default=0.0) - withdrawn)

    def _check_offer(self, offer: ReceivedOffer) -> None:
        if offer.manifest is None:
            gone = [known for known in self.known.values() if known.task == offer.task and known.when("roll-back")]
            reason = "" if gone else "nothing of the task was withdrawn"
        else:
            known = self.known.get(offer.manifest)
            meant = self._meant.get((known.task, known.version), _BASELINE) if known else _BASELINE
            person = self._fleet.people[offer.device]
            reason = checks.ineligible(offer, known, meant, person) if known else "no release has this version"
        if reason:
            self._add("eligible", [f"{offer.device} was offered {offer.task} by gateway-{offer.gateway}: {reason}"])

    def _unended(self) -> Iterator[str]:
        for (task, version), meant in self._meant.items():
            found = [known for known in self.known.values() if (known.task, known.version) == (task, version)]
            state = found[0].state if found else "missing"
            if state != meant.ends:
                last = found[0].moves[-1].reason if found and found[0].moves else ""
                yield f"{task} {version} is {state} ({last}), expected {meant.ends}"

    def _wrong_devices(self) -> Iterator[str]:
        installed = self._fleet.installed()
        for name, person in self._fleet.people.items():
            if installed[name] != (right := wanted(self._plan, person)):
                yield f"{name} has {dict(installed[name])}, expected {right}"

    def _paces(self) -> dict[str, PaceFound]:
        by_release: dict[str, list[tuple[ReceivedOffer, int]]] = defaultdict(list)
        for offer in self._fleet.record.offers:
            if offer.manifest:
                stamp = self._keyring.read_offer_token(offer.token, offer.device)
                by_release[offer.manifest].append((offer, stamp.expires - OFFER_LEASE_S))
        found = {}
        for name, known in self.planned().items():
            if all(stage["pace"] for stage in known.strategy["stages"]):
                found[name] = checks.pace_kept(by_release[known.manifest], known)
                if found[name].excess:
                    self._add("pace", [f"{name}: {found[name]}"])
        return found

    def _add(self, check: str, found: Iterable[str], known: Known | None = None) -> None:
        subject = f"{known.task} {known.version}: " if known else ""
        for text in found:
            self.violations[check].append(subject + text)
            self._say(f"[bold red]VIOLATED[/] {CHECKS[check]}: {subject}{text}")


_BASELINE: Final = Meant("", "", lambda person: True, "")


def _keyring() -> Keyring:
    """Return the app's keyring, with which its gateways sign offers."""
    from django.db import connection

    from devices_app.selectors.state import gateway_state

    try:
        return gateway_state().apps[control.APP].keyring
    finally:
        connection.close()
