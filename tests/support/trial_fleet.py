"""A small fleet that checks in, installs and reports without sockets: the real decision, the real storing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Any
from uuid import uuid4

from devices_app.models import App, PublishedTable
from devices_app.selectors.tables import read_table
from devices_app.services.intake import store_check_ins, store_reports
from walle.gateway.exposure_log import exposure_records
from walle.gateway.ports import CheckInRecord, DeviceClaims, ReceivedReport
from walle.protocol.deferrals import Deferral
from walle.protocol.headers import short_digest
from walle.protocol.keyed import OfferStamp
from walle.protocol.reports import Report
from walle.release.decision import CompiledTable, choose
from walle.release.deferral import is_put_off
from walle.release.table import Entry

LEASE_S = 86_400


@dataclass
class TrialDevice:
    """One device: what it has, and the offer under which it got it."""

    name: str
    facts: Mapping[str, Any]
    profile: dict[str, bytes] = field(default_factory=dict)
    vouched: bool = False
    deferral: Deferral | None = None
    got: dict[str, tuple[Entry, OfferStamp]] = field(default_factory=dict)


class TrialFleet:
    """Devices of one app; `offered` is every offer that was ever made to them."""

    def __init__(self, app: App, size: int, facts: Iterable[Mapping[str, Any]]) -> None:
        self.app = app
        kinds = list(facts)
        self.devices = [TrialDevice(f"device-{n}", kinds[n % len(kinds)]) for n in range(size)]
        self.offered: list[tuple[TrialDevice, Entry]] = []

    def come(self, now: datetime) -> None:
        """Devices check in for the first time, so that releases that begin later know them."""
        store_check_ins(
            [
                CheckInRecord(self._claims(device), device.name, {}, now.timestamp(), (), device.vouched)
                for device in self.devices
            ]
        )

    def _claims(self, device: TrialDevice) -> DeviceClaims:
        said = f"{device.name} {sorted(device.profile.items())}"
        identity = blake2b(said.encode(), digest_size=8).hexdigest()
        return DeviceClaims(identity, self.app.slug, device.facts, dict(device.profile))

    def table(self) -> CompiledTable:
        return CompiledTable(read_table(PublishedTable.objects.get(app=self.app)))

    def check_in(self, devices: Iterable[TrialDevice], now: datetime) -> None:
        """Devices check in and take what they are offered."""
        table = self.table()
        store_check_ins([self._decide(table, device, now) for device in devices])

    def _decide(self, table: CompiledTable, device: TrialDevice, now: datetime) -> CheckInRecord:
        plan = table.plan(device.facts, device.profile)
        choice = choose(plan, device.name)
        number, at = table.table.number, now.timestamp()
        taken = [change for change in choice.changes if not is_put_off(change, device.deferral, plan.withdrawn)]
        for change in taken:
            self._take(device, change, OfferStamp(0, 0, number, int(at) + LEASE_S))
        drawn = exposure_records(device.name, number, choice.changes, taken, choice.held_back)
        said = device.vouched, device.deferral
        return CheckInRecord(self._claims(device), device.name, {}, at, tuple(drawn), *said)

    def _take(self, device: TrialDevice, change: Entry | str, stamp: OfferStamp) -> None:
        if isinstance(change, str):
            device.profile.pop(change, None)
            device.got.pop(change, None)
            return
        self.offered.append((device, change))
        device.profile[change.task] = short_digest(change.manifest)
        stamp = OfferStamp(change.release, change.stage, stamp.number, stamp.expires)
        device.got[change.task] = change, stamp

    def run(self, device: TrialDevice, task: str, version: str, now: datetime, **fields: Any) -> ReceivedReport:
        """The report of a run of what the device has; not sent yet."""
        entry, stamp = device.got[task]
        said: dict[str, Any] = {"kind": "run", "outcome": "success", "duration_ms": 20.0, **fields}
        report = Report(str(uuid4()), task, version, entry.manifest, at=now.timestamp(), **said)
        return ReceivedReport(self.app.slug, device.name, report, stamp, now.timestamp())

    @staticmethod
    def send(reports: Iterable[ReceivedReport]) -> None:
        store_reports(list(reports))

    def having(self, manifest: str) -> list[TrialDevice]:
        return [device for device in self.devices if short_digest(manifest) in device.profile.values()]
