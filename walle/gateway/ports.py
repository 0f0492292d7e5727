"""The ports of a gateway: the source of the state that it answers from, and the sink of what it receives.

The control plane implements them with PostgreSQL (devices_app.gateway), a third party's service over HTTP
(walle.gateway.remote).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from walle.protocol.deferrals import Deferral
from walle.protocol.keyed import ExclusiveGrant, Keyring, OfferStamp
from walle.protocol.reports import Report
from walle.release.decision import CompiledTable


class PortUnavailable(Exception):
    """The other side of a port cannot be reached now; the gateway carries on and tries again."""


@dataclass(frozen=True)
class AppState:
    """All that a gateway knows of one app.

    `envelope` is the table as signed; `enrol_keys` and `gateway_keys` are SHA-256 digests (hex) of the keys with which
    devices enrol and other gateways read; `backend_keys` are raw Ed25519 public keys of the app's own backend;
    `revoked` are device ids whose credentials are no longer valid; `lists` are the id lists that the table's rules use,
    by name; `held` are the facts about users that the cloud stores, by device. `enrolment_limit` is how many new
    devices may enrol with an app key per hour, None if the app has no limit of its own.
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
    """The source of tables."""

    async def read(self, revision: int | None) -> GatewayState | None:
        """Return the present state, or None if its revision is still the given one. Raises PortUnavailable."""

    async def wait(self, timeout: float) -> None:
        """Return as soon as a change is announced, after `timeout` seconds at the latest."""

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class DeviceClaims:
    """The part of a check-in that many devices share; `identity` is a hash (16 hex digits) of the rest.

    Facts are the device's own claims; the profile maps tasks to the short digests of their installed manifests.
    """

    identity: str
    app: str
    facts: Mapping[str, Any]
    profile: Mapping[str, bytes]


class ExposureRecord(NamedTuple):
    """The record that a device was selected for a release: for its version (treatment), or to be held back (control).

    `bucket` is the device's position in the release's order; `number` that of the table under which the version was
    offered, None if it was not.
    """

    release: int
    stage: int
    task: str
    arm: Literal["treatment", "control"]
    bucket: int
    number: int | None


class CheckInRecord(NamedTuple):
    """One check-in for the registry, with its exposures that were not logged before. `at` is in Unix seconds.

    `trusted` are the facts in the device's credential. `vouched` says whether the app's backend vouches for the device,
    by its credential or by facts that the cloud stores about its user; an app key alone does not make it so. A device
    with a `deferral` puts off what may wait.
    """

    claims: DeviceClaims
    device: str
    trusted: Mapping[str, Any]
    at: float
    exposures: tuple[ExposureRecord, ...] = ()
    vouched: bool = False
    deferral: Deferral | None = None


@dataclass(frozen=True, slots=True)
class ReceivedReport:
    """A report with the offer that its token proves; without one, it is no evidence. `received` is in Unix seconds."""

    app: str
    device: str
    report: Report
    offer: OfferStamp | None
    received: float

    @property
    def in_force(self) -> bool:
        """Whether the report proves an offer that was still valid when it was received."""
        return self.offer is not None and self.received <= self.offer.expires


class Enrolments(NamedTuple):
    """The numbers of enrolments of an app: of new devices with its key, and of any that its backend vouches for.

    `refused` is the number of new devices with its key that a limit refused.
    """

    by_key: int = 0
    by_statement: int = 0
    refused: int = 0


class ReportSink(Protocol):
    """The sink of check-ins and reports."""

    async def record_check_ins(self, records: Sequence[CheckInRecord]) -> None:
        """Update the registry; check-ins may be lost. Raises PortUnavailable."""

    async def record_enrolments(self, enrolments: Mapping[str, Enrolments]) -> None:
        """Add to the counts of enrolments, by app. Raises PortUnavailable."""

    async def record_presence(self) -> None:
        """Record that a gateway can store reports at this moment. Raises PortUnavailable."""

    async def record_reports(self, reports: Sequence[ReceivedReport]) -> None:
        """Store reports durably; one whose id is known changes nothing. Raises PortUnavailable."""

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Quota:
    """The permission to make `count` offers, for `valid_s` seconds from the moment before it was requested."""

    count: int
    valid_s: float


class QuotaSource(Protocol):
    """The source of a gateway's part of a release's pace."""

    async def lease(self, wanted: Mapping[int, int], app: str | None = None) -> Mapping[int, Quota]:
        """Return a quota by release, of at most the wanted number. Raises PortUnavailable.

        A release without a pace is left out, and with `app`, those of other apps.
        """

    async def close(self) -> None: ...


@dataclass(frozen=True)
class FoundVariant:
    """The content of an exclusive file for one device, with its signed statement."""

    path: Path
    digest: str
    statement: bytes


class VariantSource(Protocol):
    """The source of exclusive files."""

    async def find(self, grant: ExclusiveGrant, path: str) -> FoundVariant | None:
        """Return the variant of the file at `path` for the grant's facts, if there is one. Raises PortUnavailable."""


class ReceivedFeature(NamedTuple):
    """One feature that a device uploaded through its tunnel. Its times are in Unix seconds.

    `spool` identifies the device's spool (8 bytes), in which `sequence` counts from 1. `manifest` is the short digest
    (hex) of the version that wrote the feature; `version` is its name, such as `1.0.0`, empty if nobody knows it.
    `at` is when the task ran, `tracked_at` when the event happened that triggered the run, both by the device's clock.
    `values` is a JSON object; `raw_bytes` is its size, and `wire_bytes` that of the frames it came in. A device that
    awaits an answer does so until `answer_by`.
    """

    app: str
    device: str
    spool: bytes
    sequence: int
    task: str
    version: str
    manifest: str
    at: float
    tracked_at: float
    received_at: float
    values: bytes
    raw_bytes: int
    wire_bytes: int
    answer_by: float | None = None


class FeatureRefused(Exception):
    """The sink can never store one of the features; the others it can store without it."""

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(f"feature {index} of the group: {reason}")
        self.index = index
        """The position of the feature in the sequence that was to be stored."""


class FeatureSink(Protocol):
    """The sink of features."""

    async def position(self, app: str, device: str, spool: bytes) -> int:
        """Return the highest sequence stored of a spool, 0 if there is none. Raises PortUnavailable."""

    async def store(self, features: Sequence[ReceivedFeature]) -> None:
        """Store features durably, each (app, device, spool, sequence) exactly once; those of a spool come in order.

        One whose sequence is not above the stored position of its spool changes nothing. Raises PortUnavailable if they
        are to be stored later, perhaps after all were stored this time. Raises FeatureRefused, having stored none, if
        one of them can never be stored.
        """

    async def close(self) -> None: ...


class DictionaryOffer(NamedTuple):
    """A compression dictionary: its SHA-256 digest (32 bytes), the URL where devices fetch it, and its content."""

    digest: bytes
    url: str
    content: bytes


class DictionarySource(Protocol):
    """The source of the dictionaries with which devices compress the features of tasks."""

    async def find(self, app: str, task: str) -> DictionaryOffer | None:
        """Return the newest dictionary of a task, None if none was trained yet. Raises PortUnavailable."""


class VersionSource(Protocol):
    """The source of the names of versions: devices say only the short digests of their manifests."""

    async def name_of(self, app: str, task: str, manifest: bytes) -> str:
        """Return the version of a task, such as `1.0.0`, by its manifest's short digest; "" if there is none.

        Versions that are no longer released have their names as well. Raises PortUnavailable.
        """


class PendingAnswer(NamedTuple):
    """An answer for a device, to the feature with this sequence of one of its spools.

    `status` and `body` are those of the frame Answer; after `expires` (Unix seconds) the device no longer waits.
    """

    app: str
    device: str
    spool: bytes
    sequence: int
    status: int
    body: bytes
    expires: float


class AnswerSource(Protocol):
    """The source of answers to features."""

    async def next(self) -> Sequence[PendingAnswer]:
        """Return the answers that are new since the last call, of any device; waits for one. Raises PortUnavailable."""

    async def pending(self, app: str, device: str) -> Sequence[PendingAnswer]:
        """Return the answers for a device that have not expired. Raises PortUnavailable."""

    async def close(self) -> None: ...
