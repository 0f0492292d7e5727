"""The control plane of a forecast: one release that is judged by its evidence, moved, and published in the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from walle.forecast.exposures import Exposures
from walle.protocol.headers import short_digest
from walle.protocol.signing_libraries import CryptoSigner
from walle.release.decision import CompiledTable, DevicePlan
from walle.release.engine import StageProgress, next_move
from walle.release.entries import entries_of
from walle.release.states import ReleaseAction, ReleasePosition, ReleaseState, move
from walle.release.strategy import Strategy
from walle.release.table import Bases, Entry, Table
from walle.release.verdict import judge

OLD, NEW = 0, 1
"""The versions: the one that every device has, and the one that is released."""
TASK: Final = "forecast/task"
JUDGE_EVERY_S: Final = 5
"""Seconds between two judgements of the release."""
PUBLISH_S: Final = 1
"""Seconds from a move until every gateway has the new table."""
REGISTRY_LAG_S: Final = 60
"""How much later than its silence time a device counts as silent, since the registry lags so far behind."""
_START: Final = datetime(2022, 7, 11, 11, tzinfo=UTC)
_ASSUMED_TO_PASS: Final = {
    ReleaseAction.PASS: ReleaseState.SIMULATING,
    ReleaseAction.APPROVE: ReleaseState.AWAITING_APPROVAL,
}
_EVERYBODY: Final[Mapping[str, Any]] = {"not": {"fact": "app_version", "in": [""]}}


@dataclass(frozen=True)
class Move:
    """A move of the release in a second, with its reason; `position` is the stage it was in afterwards."""

    second: int
    action: ReleaseAction
    state: ReleaseState
    position: int | None
    reason: str


class ForecastCloud:
    """A release of NEW by a rule to devices that all have OLD."""

    def __init__(self, rule: Mapping[str, Any], strategy: Strategy, salt: bytes, interval: int) -> None:
        """`interval` is the number of seconds between two check-ins. Raises ValueError for a time window."""
        if strategy.window is not None:
            raise ValueError("expected a strategy without a time window: a forecast runs without pauses")
        self.strategy = strategy
        self.current = ReleasePosition()
        self.moves: list[Move] = []
        self._old = replace(_release(1, "1.0.0", _EVERYBODY, bytes(16)), share=1_000_000)
        self._new = _release(2, "2.0.0", rule, salt)
        self._signer = CryptoSigner.generate_ed25519()
        self._interval = interval
        self._entered = 0
        self._pending: tuple[int, CompiledTable] | None = None
        self._number = 0
        self.table = self._compiled()

    def version_of(self, entry: Entry) -> int:
        return NEW if entry.release == self._new.release else OLD

    def entry(self) -> Entry | None:
        """Return the entry of NEW in the table of the gateways; None before the release and after its rollback."""
        entries = [entry for entry in self.table.table.entries if self.version_of(entry) == NEW]
        return entries[-1] if entries else None

    def plan(self, facts: Mapping[str, Any], version: int) -> DevicePlan:
        """Return the plan of devices with these facts and this version, by the table of the gateways."""
        return self.table.plan(facts, {TASK: short_digest((self._old, self._new)[version].manifest)})

    def start(self) -> None:
        """Start the release; its simulation and its approval are assumed to have passed."""
        self.act(0, ReleaseAction.START, "the forecast begins")
        for action, state in _ASSUMED_TO_PASS.items():
            if self.current.state == state:
                self.act(0, action, "no part of the forecast")

    def act(self, second: int, action: ReleaseAction, reason: str) -> None:
        """Move the release and publish the new table; raises MoveRefused."""
        previous, self.current = self.current, move(self.current, action, self.strategy.outline)
        if self.current.position != previous.position:
            self._entered = second
        self.moves.append(Move(second, action, self.current.state, self.current.position, reason))
        self._pending = (second + PUBLISH_S, self._compiled(second))

    def tick(self, second: int, exposures: Exposures) -> bool:
        """Start a second; return whether the gateways have another table from now on."""
        if self.current.state == ReleaseState.RUNNING and second % JUDGE_EVERY_S == 0:
            self._judge(second, exposures)
        if self._pending is None or second < self._pending[0]:
            return False
        self.table, self._pending = self._pending[1], None
        return True

    def _judge(self, second: int, exposures: Exposures) -> None:
        position = self.current.position or 0
        evidence = exposures.evidence(second - int(self.strategy.silence_s) - REGISTRY_LAG_S)
        verdict = judge(evidence, self.strategy.limits, self.strategy.stages[position].evidence)
        progress = StageProgress(position, second - self._entered, exposures.reported_in(position))
        step = next_move(self.strategy, progress, verdict)
        if step.action is not None:
            self.act(second, step.action, step.reason)

    def _compiled(self, second: int = 0) -> CompiledTable:
        now = _START + timedelta(seconds=second)
        self._number += 1
        table = Table(
            app="forecast",
            number=self._number,
            published=int(now.timestamp()),
            interval=self._interval,
            bases={"": Bases("https://cdn.example", "https://cen.example")},
            entries=(*self._offered(now), self._old),
            withdrawn=((TASK, self._new.manifest),) if self.current.state == ReleaseState.ROLLED_BACK else (),
        )
        return CompiledTable(table.signed(self._signer, int(now.timestamp()) + 86_400))

    def _offered(self, now: datetime) -> Sequence[Entry]:
        """Return the entries of the new version while its release is in force."""
        if self.current.position is None or self.current.state == ReleaseState.ROLLED_BACK:
            return ()
        return tuple(entries_of(self._new, self.strategy, self.current, range(len(self.strategy.stages)), now))


def _release(number: int, version: str, rule: Mapping[str, Any], salt: bytes) -> Entry:
    manifest = sha256(version.encode()).hexdigest()
    return Entry(number, 0, TASK, manifest, manifest, 2048, False, rule, 0, salt)
