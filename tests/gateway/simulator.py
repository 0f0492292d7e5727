"""A control plane in memory, after python-tuf's repository simulator: its state is mutated directly by tests.

    cloud = Cloud()
    cloud.entries.append(entry())
    cloud.publish()              # compiled and announced; publish(announce=False) leaves it to be found
    cloud.down = True            # every port is unavailable from now on

It is all four ports of a gateway at once, and the devices, keys and files that they are about. There are two apps:
shop, of which a test can set everything, and bank, which has keys and releases of its own. A port does what it is
asked, for whichever app: what one app may not ask of another is for the gateway to refuse, and for tests to see.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.release.tables import SIGNER, table
from tests.vectors import keys
from tests.vectors.keys import NOW
from walle.artifacts import LocalStore
from walle.gateway.application import Gateway, GatewayApplication
from walle.gateway.enrolment_limits import EnrolmentLimits
from walle.gateway.ports import (
    AppState,
    CheckInRecord,
    Enrolments,
    FoundVariant,
    GatewayState,
    PortUnavailable,
    Quota,
    ReceivedReport,
)
from walle.protocol.documents import FactsStatement, Variant
from walle.protocol.headers import AppHeader, CheckIn, DeviceHeader
from walle.protocol.keyed import DeviceKey, ExclusiveGrant, Keyring
from walle.protocol.signing import sign
from walle.release.decision import CompiledTable
from walle.release.pace import grant
from walle.release.table import Bases, Entry, Table

APP_KEY = "wa_shop-app-key"
GATEWAY_KEY = "wg_shop-gateway-key"
BANK_APP_KEY = "wa_bank-app-key"
BANK_GATEWAY_KEY = "wg_bank-gateway-key"
BACKEND = keys.signer("backend")


@dataclass
class Clock:
    """Both clocks of a gateway, moved by hand."""

    now: float = float(NOW)
    monotonic: float = 0.0

    def advance(self, seconds: float) -> None:
        self.now += seconds
        self.monotonic += seconds


@dataclass
class Cloud:
    """See the module. Whatever is changed takes effect with `publish`, except `down`, `held` and the files."""

    entries: list[Entry] = field(default_factory=list)
    bank_entries: list[Entry] = field(default_factory=list)
    removals: list[str] = field(default_factory=list)
    withdrawn: list[tuple[str, str]] = field(default_factory=list)
    bases: dict[str, Bases] = field(default_factory=lambda: {"": Bases("/walle/v1", "/walle/v1")})
    interval: int = 60
    number: int = 17
    device_keys: tuple[DeviceKey, ...] = (DeviceKey("k1", b"1" * 32),)
    revoked: set[str] = field(default_factory=set)
    lists: dict[str, set[str]] = field(default_factory=dict)
    user_facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Device to the facts about its user that the cloud holds."""
    roots: dict[int, bytes] = field(default_factory=lambda: {1: keys.root(1, 1, "root-1")})
    variants: dict[tuple[str, str], FoundVariant] = field(default_factory=dict)
    """(age band, path) to the exclusive file."""

    down: bool = False
    failure: Exception | None = None
    held: asyncio.Event | None = None
    """While set here and not set itself, writes of reports wait for it."""
    reads: int = 0
    presences: int = 0
    revision: int = 0
    check_ins: list[CheckInRecord] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    enrolments: dict[str, Enrolments] = field(default_factory=dict)
    enrolment_limit: int | None = None
    reports: dict[tuple[str, str], ReceivedReport] = field(default_factory=dict)
    groups: list[int] = field(default_factory=list)
    grants: list[ExclusiveGrant] = field(default_factory=list)
    leased: dict[int, int] = field(default_factory=dict)
    """Offers of each release that were leased in the present second, whose end a test makes by clearing this."""
    leases: list[dict[int, int]] = field(default_factory=list)
    leased_for: set[str | None] = field(default_factory=set)
    """The apps to which leases were narrowed; None for those of the gateway itself."""
    closed: int = 0

    def __post_init__(self) -> None:
        self._announced = asyncio.Event()
        self.state = self._compile()

    # What people do.

    def publish(self, *, announce: bool = True) -> None:
        self.number += 1
        self.refresh(announce=announce)

    def refresh(self, *, announce: bool = True) -> None:
        """Keys, revocations or roots changed, or the number was set by hand."""
        self.revision += 1
        self.state = self._compile()
        if announce:
            self._announced.set()

    def rotate_device_key(self) -> None:
        """A new key issues; the one before still counts, older ones are retired."""
        fresh = DeviceKey(f"k{len(self.device_keys) + 1}", sha256(b"%d" % len(self.device_keys)).digest())
        former, *older = self.device_keys
        self.device_keys = (fresh, former, *(replace(key, accepted=False) for key in older))
        self.refresh()

    def _compile(self) -> GatewayState:
        published = self.table()
        lists = {name: frozenset(devices) for name, devices in self.lists.items()}
        app = AppState(
            table=CompiledTable(published, lists),
            envelope=sign("table", published.to_dict(), [SIGNER]),
            keyring=self.keyring,
            enrol_keys=frozenset({sha256(APP_KEY.encode()).hexdigest()}),
            gateway_keys=frozenset({sha256(GATEWAY_KEY.encode()).hexdigest()}),
            backend_keys=(bytes.fromhex(keys.describe("backend")["public"]),),
            revoked=frozenset(self.revoked),
            lists=lists,
            held={device: dict(facts) for device, facts in self.user_facts.items()},
            enrolment_limit=self.enrolment_limit,
        )
        bank = replace(
            app,
            table=CompiledTable(table(self.bank_entries, app="bank")),
            keyring=Keyring("bank", self.device_keys),  # the same secrets: only the app's name in each hash differs
            enrol_keys=frozenset({sha256(BANK_APP_KEY.encode()).hexdigest()}),
            gateway_keys=frozenset({sha256(BANK_GATEWAY_KEY.encode()).hexdigest()}),
        )
        return GatewayState(self.revision, {"shop": app, "bank": bank}, dict(self.roots))

    def table(self) -> Table:
        changes = {"number": self.number, "interval": self.interval, "bases": self.bases}
        return table(self.entries, removals=self.removals, withdrawn=tuple(self.withdrawn), **changes)

    @property
    def keyring(self) -> Keyring:
        return Keyring("shop", self.device_keys)

    # What devices have.

    def credential(self, device: str = "device-1", facts: Mapping[str, Any] | None = None) -> str:
        return self.keyring.issue_credential(device, NOW + 90 * 86_400, facts)

    def headers(
        self,
        device: str = "device-1",
        *,
        number: int = 0,
        facts: Mapping[str, Any] | None = None,
        trusted: Mapping[str, Any] | None = None,
        profile: Mapping[str, bytes] | None = None,
    ) -> dict[str, str]:
        """The headers of a check-in of an enrolled device of the app's version 1.0.0."""
        app = AppHeader("shop", {"app_version": "1.0.0", **(facts or {})})
        return CheckIn(DeviceHeader(device, self.credential(device, trusted), number), app, profile or {}).headers()

    def statement(self, device: str, facts: Mapping[str, Any], **changes: Any) -> Any:
        """What the app's backend signs of a device, as the object that goes into an enrolment."""
        document = FactsStatement("shop", device, facts, NOW + 600).to_dict() | changes
        return json.loads(sign("facts", json.dumps(document).encode(), [BACKEND]))

    def add_variant(self, folder: Path, manifest: str, path: str, key: str, content: bytes) -> None:
        file = folder / sha256(content).hexdigest()
        file.write_bytes(content)
        variant = Variant(manifest, path, key, file.name, len(content))
        statement = sign("variant", variant.to_dict(), [keys.signer("targets-1")])
        self.variants[key, path] = FoundVariant(file, file.name, statement)

    # The ports.

    async def read(self, revision: int | None) -> GatewayState | None:
        self.reads += 1
        self._check_up()
        return None if revision == self.revision else self.state

    async def wait(self, timeout: float) -> None:
        await asyncio.wait_for(self._announced.wait(), timeout)
        self._announced.clear()

    async def record_check_ins(self, records: Sequence[CheckInRecord]) -> None:
        self._check_up()
        self.batches.append(len(records))
        self.check_ins.extend(records)

    async def record_presence(self) -> None:
        self._check_up()
        self.presences += 1

    async def record_enrolments(self, enrolments: Mapping[str, Enrolments]) -> None:
        self._check_up()
        for app, counted in enrolments.items():
            known = self.enrolments.get(app, Enrolments())
            self.enrolments[app] = Enrolments(*map(sum, zip(known, counted, strict=True)))

    async def record_reports(self, reports: Sequence[ReceivedReport]) -> None:
        if self.held is not None:
            await self.held.wait()
        self._check_up()
        self.groups.append(len(reports))
        for received in reports:
            self.reports.setdefault((received.device, received.report.id), received)

    async def lease(self, wanted: Mapping[int, int], app: str | None = None) -> Mapping[int, Quota]:
        self._check_up()
        self.leased_for.add(app)
        self.leases.append(dict(wanted))
        entries = [*self.entries, *self.bank_entries]
        paces = {entry.release: entry.pace for entry in entries if entry.pace is not None}
        quotas = {}
        for release, requested in wanted.items():
            if release in paces:
                granted = grant(paces[release], self.leased.get(release, 0), requested)
                self.leased[release] = self.leased.get(release, 0) + granted
                quotas[release] = Quota(granted, 1.0)
        return quotas

    async def find(self, grant: ExclusiveGrant, path: str) -> FoundVariant | None:
        self._check_up()
        self.grants.append(grant)
        return self.variants.get((str(grant.facts.get("age_band")), path))

    async def close(self) -> None:
        self.closed += 1

    def _check_up(self) -> None:
        if self.failure is not None:
            raise self.failure
        if self.down:
            raise PortUnavailable("the simulated control plane is down")


def make_gateway(cloud: Cloud, clock: Clock, jitter: float = 0.5) -> Gateway:
    """A gateway whose clocks and randomness the test holds."""
    return Gateway(
        cloud, cloud, cloud, clock=lambda: clock.now, monotonic=lambda: clock.monotonic, jitter=lambda: jitter
    )


def make_application(
    gateway: Gateway, cloud: Cloud, folder: Path, limits: EnrolmentLimits | None = None
) -> GatewayApplication:
    return GatewayApplication(gateway, LocalStore(folder / "artifacts"), cloud, limits)
