"""The ports of a serving process: the state that it serves by, who may ask, and what it tells of its answers.

The control plane implements them with PostgreSQL (serving_app). The files of pipelines come from an artifact store
(walle.artifacts), by digest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, Protocol

from walle.protocol.keyed import Keyring
from walle.release.decision import CompiledTable

KIND: Final = "pipeline"
"""The kind of tasks that serving processes run."""


ARCHIVE_MALFORMED: Final = "archive-malformed"
SAMPLE_REFUSED: Final = "sample-refused"
"""Error classes of installations that fail on every host: there is no plan for the archive, or it refuses its own
sample.
"""


class ControlPlaneAway(Exception):
    """The other side of a port cannot be reached now; the process serves on with what it knows, and tries again."""


class ServedApp(Protocol):
    """The state that one app is served from: its published table, and the keys that authenticate its devices.

    A gateway's state of an app (walle.gateway.ports.AppState) is one.
    """

    @property
    def table(self) -> CompiledTable: ...

    @property
    def keyring(self) -> Keyring: ...

    @property
    def revoked(self) -> frozenset[str]:
        """Return the ids of devices whose credentials are no longer valid."""

    @property
    def held(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the facts about users that the cloud stores, by caller."""


class ServingState(Protocol):
    """One consistent reading of all apps, and of the chain of roots (version to TUF metadata).

    A gateway's state (walle.gateway.ports.GatewayState) is one.
    """

    @property
    def revision(self) -> int: ...

    @property
    def apps(self) -> Mapping[str, ServedApp]: ...

    @property
    def roots(self) -> Mapping[int, bytes]: ...


class PipelineSource(Protocol):
    """The source of the state: which pipelines must be installed is in the apps' tables (entries of KIND)."""

    async def read(self, revision: int | None) -> ServingState | None:
        """Return the present state, or None if its revision is still the given one. Raises ControlPlaneAway."""

    async def wait(self, timeout: float) -> None:
        """Return as soon as a change is announced, after `timeout` seconds at the latest."""

    async def remembered(self) -> ServingState | None:
        """Return the state that was read last on this machine, before a restart; None if there is none.

        It is asked once, if the control plane cannot be reached when the process starts.
        """

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ServiceGrant:
    """What the API token of a business service permits here.

    `service` names it in logs without its secret: the token's public beginning. `apps` are those for whose callers it
    may ask, None for all. It is valid until `expires` (Unix seconds), None for ever.
    """

    service: str
    apps: frozenset[str] | None
    expires: float | None = None


class ServiceTokens(Protocol):
    """The check of API tokens. Its answers are kept for seconds, so that no request waits for it (walle's
    serving.callers says for how many).
    """

    async def find(self, digest: str) -> ServiceGrant | None:
        """Return what the token with this SHA-256 (hex) permits; None if it is unknown, revoked, expired or may not
        ask for predictions. Raises ControlPlaneAway.
        """

    async def close(self) -> None: ...


Arm = Literal["treatment", "control"]


class CallerExposure(NamedTuple):
    """The record that a caller was selected for a release under observation: for its version, or held back.

    `caller` is a device's id, or the id that a service gave its user. `bucket` is the caller's position in the
    release's order, `number` that of the table, `at` is in Unix seconds. Each is told once as long as this process
    remembers it; telling it again changes nothing. `vouched` is as in CallerOutcome.
    """

    app: str
    task: str
    release: int
    stage: int
    arm: Arm
    caller: str
    bucket: int
    number: int
    vouched: bool
    at: float


class CallerOutcome(NamedTuple):
    """How the first predictions of one version for one caller went: what a device would report of its first runs.

    `release` and `stage` are those of the entry that chose the version, `arms` the releases under observation that the
    caller was drawn for, with the arm. Of `records` records within about a second `failed` got no prediction;
    `error_class` is that of the first. `cold` says that the plan had just been loaded. `latency_ms` is the mean time of
    a request in this process. `score` is the mean of the values of a regression, of the probabilities of the second of
    two classes, or of the highest of more; `confidence` that of the highest probabilities. Both are None where nothing
    was predicted. `vouched` says that a service's token or a backend vouches for the caller. `at` is in Unix seconds.
    """

    app: str
    task: str
    release: int
    stage: int
    manifest: str
    version: str
    arms: tuple[tuple[int, Arm], ...]
    caller: str
    vouched: bool
    records: int
    failed: int
    error_class: str
    cold: bool
    latency_ms: float
    score: float | None
    confidence: float | None
    at: float


class VersionFigures(NamedTuple):
    """What one version did on this process since the last figures about it.

    `refused` records had the wrong form, `failed` ones got no prediction through the server's fault. `latency` is a
    histogram of seconds of one request, as in walle.release.histogram from LATENCY_FROM_S on; `scores` one of scores in
    SCORE_BUCKETS equal parts of [0, 1], empty for values, which are no probabilities.
    """

    app: str
    task: str
    manifest: str
    version: str
    requests: int
    records: int
    refused: int
    failed: int
    latency: tuple[int, ...]
    scores: tuple[int, ...]
    since: float
    until: float


LATENCY_FROM_S: Final = 1e-6
SCORE_BUCKETS: Final = 20


class InstallationOutcome(NamedTuple):
    """Whether a version that a release names is ready on this process; `problem` says why it is not.

    It is told when it changes. `host` names the process among all of them.
    """

    app: str
    task: str
    release: int
    stage: int
    manifest: str
    version: str
    host: str
    ready: bool
    error_class: str
    problem: str
    at: float


class HostFigures(NamedTuple):
    """The state of one serving process, told every few seconds; `host` names it among all of them.

    `runtime` is what the runtime counts (walle.whitebox.runtime.Runtime.statistics), as JSON has it.
    """

    host: str
    started: float
    at: float
    installed: int
    isolated: Mapping[str, str]
    runtime: Mapping[str, Any]


@dataclass(frozen=True)
class ServingOutcomes:
    """What a serving process has to tell since it last did, about every second."""

    exposures: Sequence[CallerExposure] = ()
    outcomes: Sequence[CallerOutcome] = ()
    figures: Sequence[VersionFigures] = ()
    installations: Sequence[InstallationOutcome] = ()
    host: HostFigures | None = None

    def __bool__(self) -> bool:
        return bool(self.exposures or self.outcomes or self.figures or self.installations or self.host)


class OutcomeSink(Protocol):
    """The sink of what callers got, and of how it went."""

    async def record(self, outcomes: ServingOutcomes) -> None:
        """Store outcomes; they may be lost. Raises ControlPlaneAway."""

    async def close(self) -> None: ...


class ServingPorts(NamedTuple):
    """All ports of one serving process."""

    source: PipelineSource
    tokens: ServiceTokens
    sink: OutcomeSink

    async def close(self) -> None:
        await self.source.close()
        await self.tokens.close()
        await self.sink.close()
