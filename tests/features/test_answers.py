"""Answers to features: stored once, found by every gateway, kept until they are delivered or nobody waits any more."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, transaction

from devices_app.answer_source import PostgresAnswerSource
from devices_app.jobs import forget_answers
from devices_app.models import App, FeatureAnswer
from devices_app.selectors import answers as selectors
from devices_app.selectors.answers import answers_between, answers_for
from devices_app.services.answers import answer_features, delete_delivered, delete_expired
from devices_app.services.features import store_features
from jobs_app.models import Job
from jobs_app.runner import JobRun
from tests.devices_app.test_gateway import outside
from tests.features.received import SPOOL, feature
from tests.support.cases import cases
from walle.gateway.ports import PendingAnswer
from walle.protocol.tunnel_frames import ANSWERED, MAX_ANSWER, MAX_ANSWER_MS, NO_ANSWER


def answer(sequence: int, **changed: object) -> PendingAnswer:
    """An answer that the phone waits for half a minute longer."""
    made = PendingAnswer("shop", "phone", SPOOL, sequence, ANSWERED, b'{"n":%d}' % sequence, time.time() + 30)
    return made._replace(**changed)  # type: ignore[arg-type]


def waiting(device: str = "phone", app: str = "shop") -> list[int]:
    return [found.sequence for found in answers_for(app, device, now=time.time())]


@pytest.fixture
def features(shop: App) -> App:
    """The phone has uploaded three features, another device one."""
    store_features([feature(1), feature(2), feature(3), feature(1, device="other")])
    return shop


def test_an_answer_is_found_as_it_was_given(features: App) -> None:
    given = answer(2, status=NO_ANSWER, body="nothing to recommend, ü".encode())
    assert answer_features([given, answer(1)]) == 2
    found, other = sorted(answers_for("shop", "phone", now=time.time()), key=lambda each: -each.sequence)
    assert found == given._replace(expires=pytest.approx(given.expires, abs=1e-5))
    assert other.sequence == 1
    assert waiting("other") == []


def test_only_stored_features_of_that_app_device_and_spool_are_answered(features: App) -> None:
    strange = [
        answer(4),
        answer(0),
        answer(2, device="other"),
        answer(1, spool=b"another0"),
        answer(1, app="bank"),
        answer(1, device="nobody"),
    ]
    assert answer_features(strange) == 0
    assert FeatureAnswer.objects.count() == 0


def test_what_redis_stored_is_answered_though_it_cannot_be_looked_up(features: App, settings) -> None:
    settings.WALLE_FEATURES_REDIS = "redis://nowhere"
    assert answer_features([answer(4), answer(0), answer(1, app="bank")]) == 1
    assert waiting() == [4]


def test_the_first_answer_counts(features: App) -> None:
    assert answer_features([answer(1, body=b"{}")]) == 1
    assert answer_features([answer(1, body=b'{"other":1}'), answer(2)]) == 1
    assert [found.body for found in answers_for("shop", "phone", now=time.time())] == [b"{}", b'{"n":2}']


def test_nothing_is_kept_for_longer_than_a_device_may_wait(features: App) -> None:
    answer_features([answer(1, expires=time.time() + 10**6), answer(2, expires=time.time() - 1)])
    (row,) = FeatureAnswer.objects.all()
    assert row.sequence == 1
    assert row.expires.timestamp() <= time.time() + MAX_ANSWER_MS / 1000


@cases("malformed", [{"status": 3}, {"body": bytes(MAX_ANSWER + 1)}])
def test_a_malformed_answer_is_refused_with_all_others(features: App, malformed: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="expected"):
        answer_features([answer(1), answer(2, **malformed)])
    assert FeatureAnswer.objects.count() == 0


def test_delivered_and_expired_answers_are_deleted(features: App) -> None:
    answer_features([answer(1), answer(2), answer(3, expires=time.time() + 60), answer(1, device="other")])
    delete_delivered([answer(1), answer(3, device="other")])
    assert (waiting(), waiting("other")) == ([2, 3], [1])
    assert delete_expired(before=datetime.fromtimestamp(time.time() + 45, UTC), check=lambda: None) == 2
    assert (waiting(), waiting("other")) == ([3], [])


def test_a_job_forgets_what_nobody_waits_for(features: App) -> None:
    answer_features([answer(1), answer(2, expires=time.time() + 60)])
    soon = datetime.fromtimestamp(time.time() + 45, UTC)
    assert forget_answers(JobRun(Job(), owner="test", clock=lambda: soon)) == {"expired": 1}
    assert waiting() == [2]


def test_answers_are_read_in_portions(features: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "MOST_AT_ONCE", 2)
    answer_features([answer(1), answer(2), answer(3)])
    found, following = answers_between(0, 2**62, now=time.time())
    assert [each.sequence for each in found] == [1, 2]
    assert following is not None
    found, following = answers_between(following, 2**62, now=time.time())
    assert ([each.sequence for each in found], following) == ([3], None)
    assert answers_between(0, 2**62, now=time.time() + 60) == ([], None)


@pytest.fixture
async def sources(features: App) -> AsyncIterator[list[PostgresAnswerSource]]:
    """Those of two gateways."""
    made = [PostgresAnswerSource(), PostgresAnswerSource()]
    yield made
    for source in made:
        await source.close()


async def sequences(source: PostgresAnswerSource) -> list[int]:
    return [found.sequence for found in await asyncio.wait_for(source.next(), 10)]


async def test_every_gateway_hears_of_every_answer_when_it_is_committed(sources: list[PostgresAnswerSource]) -> None:
    outside(lambda: answer_features([answer(1)]))
    assert [await sequences(source) for source in sources] == [[1], [1]]  # they have listened from here on

    def answered_twice() -> None:
        with transaction.atomic():
            answer_features([answer(2)])
            outside(lambda: answer_features([answer(3)]))

    outside(answered_twice)
    for source in sources:
        found = await sequences(source)
        while set(found) != {2, 3}:
            found += await sequences(source)
    assert [found.sequence for found in await sources[0].pending("shop", "phone")] == [1, 2, 3]
    await sources[0].delivered([answer(1), answer(2)])
    assert [found.sequence for found in await sources[1].pending("shop", "phone")] == [3]


async def test_answers_given_while_a_gateway_was_not_listening_are_found_later(
    sources: list[PostgresAnswerSource],
) -> None:
    source = sources[0]
    outside(lambda: answer_features([answer(1)]))
    assert await sequences(source) == [1]
    outside(_end_listeners)
    outside(lambda: answer_features([answer(2)]))
    found: list[int] = []
    while 2 not in found:
        found += await sequences(source)


def _end_listeners() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE query LIKE 'LISTEN %walle_answers%' AND pid <> pg_backend_pid()"
        )
        assert cursor.rowcount >= 1  # a server that other tests started may listen too
