"""What a gateway needs from outside: the state it answers from, and where it leaves what it learns.

PostgreSQL stands behind these ports in the control plane (devices_app.gateway), HTTP in a third party's service
(walle.gateway.remote).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from walle.protocol.keyed import ExclusiveGrant, Keyring, OfferStamp
from walle.protocol.reports import Report
from walle.release.decision import CompiledTable


class PortUnavailable(Exception):
    """The other side of a port cannot be reached now; the gateway goes on and tries again."""


@dataclass(frozen=True)
class AppState:
    """Everything a gateway knows of one app.

    `envelope` is the table as signed; `enrol_keys` and `gateway_keys` are SHA-256 digests (hex) of the keys with which
    devices enrol and other gateways read; `backend_keys` are raw Ed25519 public keys of the app's own backend;
    `revoked` are device ids whose credentials no longer count; `lists` are the id lists that the table's rules ask for,
    by name; `held` are the facts about users that the cloud holds, by device. `enrolment_limit` is how many new devices
    may enrol with an app key in an hour, None where the app has no limit of its own.
    """

    table: CompiledTable
    envelope: bytes
    keyring: Keyring
    enrol_keys: frozenset[str]
    gateway_keys: frozenset[str]
    backend_keys: tuple[bytes, ...]
    revoked: frozenset[str]
    lists: Mapping[str, frozenset[str]] = field(default_factory=dict)
    held: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    enrolment_limit: int | None = None


@dataclass(frozen=True)
class GatewayState:
    """One consistent reading of all apps and of the chain of roots (version to TUF metadata)."""

    revision: int
    apps: Mapping[str, AppState]
    roots: Mapping[int, bytes]


class TableSource(Protocol):
    """Where tables come from."""

    async def read(self, revision: int | None) -> GatewayState | None:
        """The present state, or None if it is still the given revision. Raises PortUnavailable."""

    async def wait(self, timeout: float) -> None:
        """Returns as soon as a change is announced, at the latest after `timeout` seconds."""

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class DeviceClaims:
    """What a check-in says that many devices say alike; `identity` is a hash (16 hex digits) of all the rest.

    Facts are the device's own claims; the profile maps tasks to the short digests of their installed manifests.
    """

    identity: str
    app: str
    facts: Mapping[str, Any]
    profile: Mapping[str, bytes]


class ExposureRecord(NamedTuple):
    """That a device was drawn for a release: for its version (treatment), or to be held back (control).

    `bucket` is where it stands in the release's order; `number` that of the table under which the version was offered,
    None if it was not.
    """

    release: int
    stage: int
    task: str
    arm: Literal["treatment", "control"]
    bucket: int
    number: int | None


class CheckInRecord(NamedTuple):
    """One check-in for the registry, with the draws that are news.

    `trusted` are the facts in the device's credential. `vouched`: the app's backend stands up for the device, by its
    credential or by facts that the cloud holds about its user; an app key alone proves nothing of the kind.
    """

    claims: DeviceClaims
    device: str
    trusted: Mapping[str, Any]
    at: float
    drawn: tuple[ExposureRecord, ...] = ()
    vouched: bool = False


@dataclass(frozen=True, slots=True)
class ReceivedReport:
    """A report with what the gateway found out about its offer token: None means it is no evidence."""

    app: str
    device: str
    report: Report
    offer: OfferStamp | None
    received: float

    @property
    def in_force(self) -> bool:
        """Whether it proves an offer whose lease was not over."""
        return self.offer is not None and self.received <= self.offer.expires


class Enrolments(NamedTuple):
    """How often devices of an app enrolled: new ones with its key, and any that its backend vouches for.

    `refused` is how often new ones with its key were not let in because of a limit.
    """

    by_key: int = 0
    by_statement: int = 0
    refused: int = 0


class ReportSink(Protocol):
    """Where check-ins and reports go."""

    async def record_check_ins(self, records: Sequence[CheckInRecord]) -> None:
        """Updates the registry; losing some is allowed. Raises PortUnavailable."""

    async def record_enrolments(self, enrolments: Mapping[str, Enrolments]) -> None:
        """Adds to what is known of enrolments, by app. Raises PortUnavailable."""

    async def record_reports(self, reports: Sequence[ReceivedReport]) -> None:
        """Durable once it returns; a report already known by its id changes nothing. Raises PortUnavailable."""

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Quota:
    """Leave for so many offers, from the moment before it was asked for and for so many seconds."""

    count: int
    valid_s: float


class QuotaSource(Protocol):
    """Where a gateway gets its part of a release's pace."""

    async def lease(self, wanted: Mapping[int, int], app: str | None = None) -> Mapping[int, Quota]:
        """By release, at most as much as wanted; a release without a pace is left out. Raises PortUnavailable.

        `app` leaves out the releases of all other apps.
        """

    async def close(self) -> None: ...


@dataclass(frozen=True)
class FoundVariant:
    """The content of an exclusive file for one device, with its signed statement."""

    path: Path
    digest: str
    statement: bytes


class VariantSource(Protocol):
    """Where exclusive files come from."""

    async def find(self, grant: ExclusiveGrant, path: str) -> FoundVariant | None:
        """The variant of the file at `path` for the grant's facts, if there is one. Raises PortUnavailable."""
