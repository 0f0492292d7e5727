"""What a serving process tells of its answers: bounded by callers and versions, never by requests."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeVar

from walle.release.histogram import bucket_of
from walle.release.outcome import FELL_BACK
from walle.release.table import Entry
from walle.whitebox.serving.ports import (
    LATENCY_FROM_S,
    SCORE_BUCKETS,
    Arm,
    CallerExposure,
    CallerOutcome,
    ControlPlaneAway,
    HostFigures,
    InstallationOutcome,
    OutcomeSink,
    ServingOutcomes,
    VersionFigures,
)
from walle.whitebox.serving.routing import Choice, RoutedCaller, exposures

log = logging.getLogger(__name__)
Key = TypeVar("Key")
Told = TypeVar("Told")

FLUSH_EVERY_S: Final = 1.0
HOST_EVERY: Final = 5
"""In every so many flushes the figures of the host are told too."""
SAMPLED_A_MINUTE: Final = 100
"""Callers of versions that nobody observes whose outcomes are told nevertheless, for later baselines."""
REMEMBERED: Final = 200_000
MOST_WAITING: Final = 50_000
HIGHEST_SCORE: Final = 0.9999999


class Scores(NamedTuple):
    """The sums of the scores and of the confidences of predictions, and the histogram of scores if they are shares."""

    scored: int
    score: float
    confidence: float
    buckets: tuple[int, ...]


class AnsweredRequest(NamedTuple):
    """How one request went: its records, those refused for their form, those that failed, and seconds.

    `cascaded` are the records that the prefix of a cascade answered.
    """

    records: int
    refused: int
    failed: int
    error_class: str
    seconds: float
    cold: bool
    scores: Scores
    cascaded: int = 0


@dataclass(slots=True)
class _CallerSums:
    """What one caller got from one version since the last flush."""

    entry: Entry
    version: str
    arms: tuple[tuple[int, Arm], ...]
    vouched: bool
    requests: int = 0
    records: int = 0
    failed: int = 0
    error_class: str = ""
    cold: bool = False
    seconds: float = 0.0
    scored: int = 0
    score: float = 0.0
    confidence: float = 0.0

    def add(self, answered: AnsweredRequest) -> None:
        self.requests += 1
        self.records += answered.records
        self.failed += answered.refused + answered.failed
        self.error_class = self.error_class or answered.error_class
        self.cold = self.cold or answered.cold
        self.seconds += answered.seconds
        self.scored += answered.scores.scored
        self.score += answered.scores.score
        self.confidence += answered.scores.confidence


@dataclass(slots=True)
class _VersionSums:
    """What one version did since the last flush."""

    version: str
    requests: int = 0
    records: int = 0
    refused: int = 0
    failed: int = 0
    latency: list[int] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)

    def add(self, answered: AnsweredRequest) -> None:
        self.requests += 1
        self.records += answered.records
        self.refused += answered.refused
        self.failed += answered.failed
        _count(self.latency, bucket_of(answered.seconds, LATENCY_FROM_S))
        for bucket, count in enumerate(answered.scores.buckets):
            if count:
                _count(self.scores, bucket, count)


def _count(counts: list[int], bucket: int, count: int = 1) -> None:
    if bucket >= len(counts):
        counts.extend([0] * (bucket + 1 - len(counts)))
    counts[bucket] += count


def score_bucket(score: float) -> int:
    """Return the bucket of a score in [0, 1]."""
    return int(min(max(score, 0.0), HIGHEST_SCORE) * SCORE_BUCKETS)


class OutcomeLog:
    """The outcomes since the last flush. `clock` returns Unix seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._exposures: list[CallerExposure] = []
        self._callers: dict[tuple[str, str, str], _CallerSums] = {}
        self._versions: dict[tuple[str, str, str], _VersionSums] = {}
        self._installations: list[InstallationOutcome] = []
        self._since = clock()
        self._minute, self._sampled = 0, 0
        self._forget()

    def _forget(self) -> None:
        """Forget what was told, after it was lost, so that it is told again."""
        self._exposed: dict[tuple[str, int, str], None] = {}
        self._heard: dict[tuple[str, str, str], tuple[tuple[int, Arm], ...]] = {}
        self._fallen: dict[tuple[str, str, str], None] = {}

    def installed(self, outcome: InstallationOutcome) -> None:
        self._installations.append(outcome)

    def answered(
        self, app: str, caller: RoutedCaller, choice: Choice, answered: AnsweredRequest, *, version: str, number: int
    ) -> None:
        """Note how one request of a caller went, which was chosen for under the table with this number."""
        entry = choice.entry
        sums = self._versions.get((app, entry.task, entry.manifest))
        if sums is None:
            sums = self._versions[app, entry.task, entry.manifest] = _VersionSums(version)
        sums.add(answered)
        if choice.selected:
            self._expose(app, caller, choice, number)
        key = (app, entry.manifest, caller.id)
        of_caller = self._callers.get(key)
        if of_caller is None:
            arms = tuple((each.entry.release, each.arm) for each in choice.selected)
            # What a caller got before a release says nothing of how it fares as control of that release.
            if self._heard.get(key) == arms or len(self._callers) >= MOST_WAITING:
                return
            if not (arms or self._is_sampled()):
                return
            of_caller = self._callers[key] = _CallerSums(entry, version, arms, caller.vouched)
        of_caller.add(answered)

    def fell_back(self, app: str, caller: RoutedCaller, choice: Choice, version: str) -> None:
        """Note that a caller who had been answered by a version is answered by it no longer, as it must not run."""
        key = (app, choice.entry.manifest, caller.id)
        if choice.selected and key in self._heard and key not in self._fallen and len(self._callers) < MOST_WAITING:
            _remember(self._fallen, key, None)
            arms = tuple((each.entry.release, each.arm) for each in choice.selected)
            sums = self._callers[key] = _CallerSums(choice.entry, version, arms, caller.vouched)
            sums.add(AnsweredRequest(1, 0, 1, FELL_BACK, 0.0, False, Scores(0, 0.0, 0.0, ())))

    def _expose(self, app: str, caller: RoutedCaller, choice: Choice, number: int) -> None:
        news = [each for each in choice.selected if (each.arm, each.entry.release, caller.id) not in self._exposed]
        if news and len(self._exposures) < MOST_WAITING:
            self._exposures += exposures(app, caller, number, tuple(news), self._clock())
            for each in news:
                _remember(self._exposed, (each.arm, each.entry.release, caller.id), None)

    def _is_sampled(self) -> bool:
        minute = int(self._clock() // 60)
        if minute != self._minute:
            self._minute, self._sampled = minute, 0
        self._sampled += 1
        return self._sampled <= SAMPLED_A_MINUTE

    def drain(self, host: HostFigures | None = None) -> ServingOutcomes:
        """Return the outcomes since the last call."""
        now = self._clock()
        told = ServingOutcomes(
            tuple(self._exposures),
            tuple(_outcome(key, sums, now) for key, sums in self._callers.items()),
            tuple(_figures(key, sums, self._since, now) for key, sums in self._versions.items()),
            tuple(self._installations),
            host,
        )
        for key, sums in self._callers.items():
            _remember(self._heard, key, sums.arms)
        self._exposures, self._callers, self._versions, self._installations = [], {}, {}, []
        self._since = now
        return told

    async def flush(self, sink: OutcomeSink, host: HostFigures | None = None) -> None:
        """Tell the sink; what it cannot take now is lost, and told anew about the next requests."""
        told = self.drain(host)
        if not told:
            return
        try:
            await sink.record(told)
        except ControlPlaneAway as error:
            log.warning("outcomes of %d versions lost: %s", len(told.figures), error)
            self._lost(told.installations)
        except Exception:
            # What cannot be stored must not stop the telling of what comes later.
            log.exception("outcomes of %d versions lost", len(told.figures))
            self._forget()

    def _lost(self, installations: Sequence[InstallationOutcome]) -> None:
        self._forget()
        self._installations = [*installations, *self._installations][-1000:]

    async def run(self, sink: OutcomeSink, host: Callable[[], HostFigures]) -> None:
        """Flush for ever."""
        flushes = 0
        while True:
            await asyncio.sleep(FLUSH_EVERY_S)
            await self.flush(sink, host() if flushes % HOST_EVERY == 0 else None)
            flushes += 1


def _remember(known: dict[Key, Told], key: Key, told: Told) -> None:
    if len(known) >= REMEMBERED:
        # The oldest half: dictionaries keep their order.
        for old in list(known)[: REMEMBERED // 2]:
            del known[old]
    known[key] = told


def _outcome(key: tuple[str, str, str], sums: _CallerSums, now: float) -> CallerOutcome:
    app, _, caller = key
    scored = sums.scored
    return CallerOutcome(
        app=app,
        task=sums.entry.task,
        release=sums.entry.release,
        stage=sums.entry.stage,
        manifest=sums.entry.manifest,
        version=sums.version,
        arms=sums.arms,
        caller=caller,
        vouched=sums.vouched,
        records=sums.records,
        failed=sums.failed,
        error_class=sums.error_class,
        cold=sums.cold,
        latency_ms=1000 * sums.seconds / sums.requests,
        score=sums.score / scored if scored else None,
        confidence=sums.confidence / scored if scored else None,
        at=now,
    )


def _figures(key: tuple[str, str, str], sums: _VersionSums, since: float, now: float) -> VersionFigures:
    app, task, manifest = key
    counts = (sums.requests, sums.records, sums.refused, sums.failed)
    return VersionFigures(
        app, task, manifest, sums.version, *counts, tuple(sums.latency), tuple(sums.scores), since, now
    )
