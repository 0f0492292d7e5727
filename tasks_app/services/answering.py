"""Answer the features of a task: what its cloud half says to each, or why there is no answer."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from django.db.models import F, Q

from devices_app.selectors.features import StoredFeature
from devices_app.services.answers import answer_features
from tasks_app.models import CloudHalfState, TaskVersion
from walle.container.cloud_half import MAX_BATCH, BatchAnswers
from walle.container.result import RunResult
from walle.gateway.ports import PendingAnswer
from walle.protocol.names import split_task_name
from walle.protocol.tunnel_frames import ANSWERED, NO_ANSWER, TOO_LATE

MAX_CALL_BYTES: Final = 4 * 1024 * 1024
"""Of the features of one call as JSON; a single one that is larger is a call of its own."""
TOLD_FOR: Final = timedelta(seconds=30)
"""For how long a device that no longer waits may still learn that its answer came too late."""
LONGEST_REST_S: Final = 60
_LONGEST_ERROR: Final = 500


class AsksCloudHalves(Protocol):
    """Calls the cloud half of a version: CloudHalves."""

    def ask(self, version: TaskVersion, features: Sequence[Mapping[str, object]]) -> BatchAnswers: ...


@dataclass
class _Outcome:
    """What becomes of the features of one version in a batch; it is `broken` once a call answers none of them."""

    version: TaskVersion
    answered: int = 0
    unanswered: int = 0
    late: int = 0
    calls: int = 0
    call_ms: float = 0.0
    failed: RunResult | None = None
    broken: bool = False


def answer_batch(halves: AsksCloudHalves, batch: Sequence[StoredFeature], clock: Callable[[], datetime]) -> None:
    """Answer the features of one task that await an answer, and record how the cloud halves did.

    Everything is written at the end. Features of versions without a cloud half are left to others, who may answer them.
    Raises SandboxError, RepositoryError.
    """
    waiting = [feature for feature in batch if feature.answer_by is not None]
    groups = _by_version(waiting)
    answers: list[PendingAnswer] = []
    outcomes: list[_Outcome] = []
    for version, features in groups:
        if version is None:
            answers += [_none(feature, "this version of the task is not known here", clock()) for feature in features]
        elif version.cloud is not None:
            outcome = _Outcome(version)
            answers += _answers(halves, outcome, features, clock)
            outcomes.append(outcome)
    if answers:
        answer_features(answers)
    for outcome in outcomes:
        _record(outcome, clock())


def _by_version(features: Iterable[StoredFeature]) -> Iterator[tuple[TaskVersion | None, list[StoredFeature]]]:
    groups: dict[tuple[str, str], list[StoredFeature]] = {}
    for feature in features:
        groups.setdefault((feature.task, feature.manifest), []).append(feature)
    for (task, manifest), group in groups.items():
        scenario, slug = split_task_name(task)
        of_task = Q(task__scenario__slug=scenario, task__slug=slug)
        versions = TaskVersion.objects.filter(of_task, manifest_digest__startswith=manifest)
        yield versions.select_related("task__scenario", "cloud_state").defer("manifest").first(), group


def _answers(
    halves: AsksCloudHalves, outcome: _Outcome, features: Sequence[StoredFeature], clock: Callable[[], datetime]
) -> Iterator[PendingAnswer]:
    """Yield an answer to each feature of a version that has a cloud half."""
    state = getattr(outcome.version, "cloud_state", None)
    for group in _calls(features):
        now = clock()
        due = [feature for feature in group if not _is_late(feature, now)]
        if due and (reason := _refusal(due[0], state, outcome, now)):
            outcome.unanswered += len(due)
            yield from (_none(feature, reason, now) for feature in due)
        elif due:
            found = halves.ask(outcome.version, [feature.values for feature in due])
            yield from _said(outcome, due, found, clock())
        late = [feature for feature in group if _is_late(feature, now)]
        outcome.late += len(late)
        yield from (_late(feature, now) for feature in late)


def _refusal(feature: StoredFeature, state: CloudHalfState | None, outcome: _Outcome, now: datetime) -> str | None:
    """Why the cloud half of a version is not asked now, if it is not."""
    if feature.rolled_back:
        return "this version of the task was rolled back"
    resting = state is not None and state.rests_until is not None and state.rests_until > now
    if resting or outcome.broken:
        return "the cloud half failed, and rests"
    return None


def _said(
    outcome: _Outcome, features: Sequence[StoredFeature], found: BatchAnswers, now: datetime
) -> Iterator[PendingAnswer]:
    outcome.calls += len(found.calls)
    outcome.call_ms += sum(call.duration_ms for call in found.calls)
    outcome.failed = outcome.failed or found.failed
    outcome.broken = found.failed is not None and all(answer.body is None for answer in found.answers)
    for feature, answer in zip(features, found.answers, strict=True):
        if _is_late(feature, now):
            outcome.late += 1
            yield _late(feature, now)
        elif answer.body is None:
            outcome.unanswered += 1
            yield _none(feature, answer.reason, now)
        else:
            outcome.answered += 1
            yield _pending(feature, ANSWERED, answer.body, feature.answer_by or now)


def _calls(features: Iterable[StoredFeature]) -> Iterator[list[StoredFeature]]:
    """Yield the features in groups for one call each."""
    group: list[StoredFeature] = []
    size = 0
    for feature in features:
        if group and (len(group) == MAX_BATCH or size + feature.raw_bytes > MAX_CALL_BYTES):
            yield group
            group, size = [], 0
        group.append(feature)
        size += feature.raw_bytes
    if group:
        yield group


def _is_late(feature: StoredFeature, now: datetime) -> bool:
    return feature.answer_by is not None and feature.answer_by <= now


def _late(feature: StoredFeature, now: datetime) -> PendingAnswer:
    return _pending(feature, TOO_LATE, b"the device did not wait so long", now + TOLD_FOR)


def _none(feature: StoredFeature, reason: str, now: datetime) -> PendingAnswer:
    return (
        _late(feature, now)
        if _is_late(feature, now)
        else _pending(feature, NO_ANSWER, reason.encode(), feature.answer_by or now)
    )


def _pending(feature: StoredFeature, status: int, body: bytes, expires: datetime) -> PendingAnswer:
    names = (feature.app, feature.device, feature.spool, feature.sequence)
    return PendingAnswer(*names, status=status, body=body, expires=expires.timestamp())


def _record(outcome: _Outcome, now: datetime) -> None:
    """Add to the figures of a version; one that answered nothing and failed rests, longer each time."""
    CloudHalfState.objects.bulk_create([CloudHalfState(version=outcome.version)], ignore_conflicts=True)
    row = CloudHalfState.objects.filter(version=outcome.version)
    row.update(
        answered=F("answered") + outcome.answered,
        unanswered=F("unanswered") + outcome.unanswered,
        late=F("late") + outcome.late,
        calls=F("calls") + outcome.calls,
        call_ms=F("call_ms") + outcome.call_ms,
    )
    if outcome.failed is not None:
        said = f"{outcome.failed.error_class}: {outcome.failed.message}"[:_LONGEST_ERROR].replace("\0", "\ufffd")
        row.update(error=said, failed_at=now)
    if outcome.broken:
        failures = row.values_list("failures", flat=True).get() + 1
        rest = min(2 ** min(failures, 10), LONGEST_REST_S)
        row.update(failures=failures, rests_until=now + timedelta(seconds=rest))
    elif outcome.calls:
        row.update(failures=0, rests_until=None)
