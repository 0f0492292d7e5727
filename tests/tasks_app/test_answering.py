"""Features that await an answer, from the table to the answer: of which version, in time, or why not."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from devices_app.models import FeatureAnswer, FeatureConsumer
from devices_app.services.consumers import consume, ensure_consumer
from devices_app.services.features import store_features
from releases_app.models import Quarantine
from tasks_app.models import CloudHalfState, TaskVersion
from tasks_app.selectors.cloud_models import cloud_figures, consumer_of, tunnel_line, waiting_consumers
from tasks_app.services.answering import LONGEST_REST_S, MAX_CALL_BYTES, answer_batch
from tests.features.received import feature
from tests.support.releases import draft_of, make_version
from walle.container.cloud_half import MAX_BATCH, BatchAnswers, CloudHalf, HalfAnswer
from walle.container.result import RunResult, SandboxError, failure
from walle.gateway.ports import ReceivedFeature
from walle.protocol.tunnel_frames import ANSWERED, NO_ANSWER, TOO_LATE

pytestmark = pytest.mark.django_db(transaction=True)
CLOUD = asdict(CloudHalf("cloud/look.py"))


@dataclass
class RecordedHalf:
    """Says what it is told to each feature, after some time; records what it was asked."""

    says: Any = field(default_factory=lambda: HalfAnswer(b'{"ok":true}'))
    takes: timedelta = field(default_factory=timedelta)
    failed: RunResult | None = None
    asked: list[list[Any]] = field(default_factory=list)
    now: Any = field(default_factory=timezone.now)

    def ask(self, version: TaskVersion, features: list[Any]) -> BatchAnswers:
        self.asked.append([version.version, *features])
        self.now += self.takes
        if isinstance(self.says, Exception):
            raise self.says
        call = self.failed or RunResult("success", duration_ms=5)
        return BatchAnswers((self.says,) * len(features), self.failed, (call,))

    def clock(self) -> Any:
        return self.now


@pytest.fixture
def half() -> RecordedHalf:
    return RecordedHalf()


@pytest.fixture
def version(shop) -> TaskVersion:
    made = make_version("camera", "look", "1.2.0", cloud=CLOUD)
    ensure_consumer(consumer_of(made.task.name), task="camera/look")
    return made


def waiting(by: TaskVersion, half: RecordedHalf, sequence: int, seconds: float = 5, **changed: Any) -> ReceivedFeature:
    """A feature by a version that awaits an answer for so many seconds from now on."""
    now = half.now.timestamp()
    fields = {"version": by.version, "manifest": by.manifest_digest[:24], "answer_by": now + seconds}
    return feature(sequence, **{**fields, "received_at": now, **changed})


def answered(version: TaskVersion, half: RecordedHalf, *features: ReceivedFeature) -> list[tuple[int, int, bytes]]:
    """Store features and let them be answered; the sequence, status and body of each answer."""
    store_features(features)
    while consume(consumer_of(version.task.name), lambda batch: answer_batch(half, batch, half.clock), limit=500):
        pass
    rows = FeatureAnswer.objects.order_by("device", "sequence")
    return [(row.sequence, row.status, bytes(row.body)) for row in rows]


def test_a_feature_that_awaits_an_answer_gets_what_the_cloud_half_of_its_version_says(version, half):
    other = make_version("camera", "look", "1.3.0", cloud=CLOUD)
    found = answered(
        version, half, waiting(version, half, 1), waiting(other, half, 2), waiting(version, half, 3, answer_by=None)
    )
    assert found == [(1, ANSWERED, b'{"ok":true}'), (2, ANSWERED, b'{"ok":true}')]
    assert half.asked == [["1.2.0", {"n": 1}], ["1.3.0", {"n": 2}]]
    assert FeatureAnswer.objects.filter(expires__lte=half.now + timedelta(seconds=5)).count() == 2
    assert tunnel_line() == "features 3 up, 2 answered"
    figures = cloud_figures(version)
    assert (figures["main"], figures["answered"], figures["calls"], figures["mean_call_ms"]) == (
        "cloud/look.py",
        1,
        1,
        5,
    )


def test_versions_without_a_cloud_half_have_no_figures_and_nothing_is_said_of_no_features(shop):
    assert tunnel_line() == ""
    assert cloud_figures(make_version("camera", "look", "1.0.0")) is None
    asked = cloud_figures(make_version("camera", "look", "1.1.0", cloud=CLOUD))
    assert (asked["answered"], asked["mean_call_ms"], asked["rests_until"]) == (0, None, None)


def test_the_version_is_known_by_its_manifest_also_where_the_gateway_did_not_know_it(version, half):
    assert answered(version, half, waiting(version, half, 1, version=""))[0][1] == ANSWERED


def test_an_unknown_manifest_and_a_cloud_half_without_an_answer_say_that_none_will_come(version, half):
    half.says = HalfAnswer(reason="nothing to say")
    unknown = waiting(version, half, 1, manifest="f" * 24)
    strange = waiting(make_version("camera", "other", "1.2.0", cloud=CLOUD), half, 2)
    assert answered(version, half, unknown, strange, waiting(version, half, 3)) == [
        (1, NO_ANSWER, b"this version of the task is not known here"),
        (2, NO_ANSWER, b"this version of the task is not known here"),
        (3, NO_ANSWER, b"nothing to say"),
    ]


def test_versions_without_a_cloud_half_are_left_to_others(version, half):
    plain = make_version("camera", "look", "1.1.0")
    assert answered(version, half, waiting(plain, half, 1)) == []


def test_what_comes_too_late_is_told_so_and_not_asked(version, half):
    late = b"the device did not wait so long"
    assert answered(version, half, waiting(version, half, 1, seconds=0)) == [(1, TOO_LATE, late)]
    assert half.asked == []
    half.takes = timedelta(seconds=6)
    assert answered(version, half, waiting(version, half, 2))[1:] == [(2, TOO_LATE, late)]
    assert (version.cloud_state.late, version.cloud_state.answered) == (2, 0)


def test_a_rolled_back_version_gives_no_answers(version, half, shop):
    release = draft_of(shop, version, now=half.now)
    Quarantine.objects.create(version=version, release=release, reason="bad", by="system", at=half.now)
    assert answered(version, half, waiting(version, half, 1)) == [
        (1, NO_ANSWER, b"this version of the task was rolled back")
    ]
    assert half.asked == []


def test_a_call_has_so_many_features_and_so_many_bytes(version, half):
    large = waiting(version, half, MAX_BATCH + 2, raw_bytes=MAX_CALL_BYTES)
    answered(version, half, *(waiting(version, half, at) for at in range(1, MAX_BATCH + 2)), large)
    assert [len(asked) - 1 for asked in half.asked] == [MAX_BATCH, 1, 1]


def test_a_cloud_half_that_answers_nothing_rests_longer_each_time(version, half):
    half.failed, half.says = failure("exception:KeyError", "'a\0b'"), HalfAnswer(reason="it failed")
    first = [waiting(version, half, at) for at in range(1, MAX_BATCH + 2)]
    found = answered(version, half, *first)
    assert [body for _, _, body in found] == [b"it failed"] * MAX_BATCH + [b"the cloud half failed, and rests"]
    state = CloudHalfState.objects.get()
    assert (state.failures, state.error) == (1, "exception:KeyError: 'a\ufffdb'")
    assert (state.unanswered, state.calls, state.rests_until) == (MAX_BATCH + 1, 1, half.now + timedelta(seconds=2))
    answered(version, half, waiting(version, half, 100))
    assert len(half.asked) == 1
    rests = []
    for sequence in range(101, 108):
        half.now = CloudHalfState.objects.get().rests_until
        answered(version, half, waiting(version, half, sequence))
        rests.append((CloudHalfState.objects.get().rests_until - half.now).total_seconds())
    assert rests == [4, 8, 16, 32, LONGEST_REST_S, LONGEST_REST_S, LONGEST_REST_S]
    half.now = CloudHalfState.objects.get().rests_until
    half.failed, half.says = None, HalfAnswer(b"{}")
    assert answered(version, half, waiting(version, half, 108))[-1] == (108, ANSWERED, b"{}")
    state = CloudHalfState.objects.get()
    assert (state.failures, state.rests_until, state.error) == (0, None, "exception:KeyError: 'a\ufffdb'")


def test_a_half_that_fails_on_one_feature_goes_on(version, half):
    half.failed = failure("exception:KeyError", "x")
    answered(version, half, waiting(version, half, 1), waiting(version, half, 2))
    state = CloudHalfState.objects.get()
    assert (state.failures, state.rests_until, state.answered) == (0, None, 2)
    assert state.error == "exception:KeyError: x"


def test_where_the_machine_fails_features_are_not_read_and_come_again_later(version, half):
    half.says = SandboxError("no isolation")
    with pytest.raises(SandboxError):
        answered(version, half, waiting(version, half, 1))
    name = consumer_of(version.task.name)
    failed_at = FeatureConsumer.objects.get(name=name).failed_at
    assert waiting_consumers(failed_at + timedelta(seconds=9)) == []
    half.says = HalfAnswer(b"{}")
    assert answered(version, half)[0][1] == ANSWERED
