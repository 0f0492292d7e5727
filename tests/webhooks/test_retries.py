"""When a delivery is tried again, and when no more."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from walle.webhooks.retries import ATTEMPTS, DISABLE_AFTER, JITTER, AttemptOutcome, conclude, is_hopeless

NOW = datetime(2026, 5, 1, tzinfo=UTC)
chances = st.floats(0, 1, exclude_max=True)
statuses = st.one_of(st.none(), st.integers(100, 599))


def pauses(chance):
    return [conclude(attempt=attempt, status=500, chance=chance).pause for attempt in range(1, ATTEMPTS)]


def test_eight_attempts_take_a_little_more_than_a_day():
    seconds = [pause.total_seconds() for pause in pauses(0.5)]
    assert seconds == [5, 25, 125, 625, 3125, 15625, 78125]
    assert sum(pauses(0.5), timedelta()) == timedelta(hours=27, minutes=7, seconds=35)


@given(chances)
def test_each_pause_is_longer_than_the_one_before_and_a_fifth_more_or_less(chance):
    found = pauses(chance)
    assert found == sorted(set(found))
    for pause, middle in zip(found, pauses(0.5), strict=True):
        assert abs(pause / middle - 1) <= JITTER + 1e-6


@given(st.integers(1, 20), statuses, chances)
def test_every_answer_has_one_meaning(attempt, status, chance):
    found = conclude(attempt=attempt, status=status, chance=chance)
    assert (found.outcome == AttemptOutcome.DELIVERED) == (status is not None and status // 100 == 2)
    assert (found.outcome == AttemptOutcome.GONE) == (status == 410)
    if found.outcome in (AttemptOutcome.RETRY, AttemptOutcome.GIVEN_UP):
        assert (found.outcome == AttemptOutcome.GIVEN_UP) == (attempt >= ATTEMPTS)
    assert (found.pause is not None) == (found.outcome == AttemptOutcome.RETRY)


def test_patience_outlasts_the_attempts_at_one_event():
    assert sum(pauses(0.999), timedelta()) < DISABLE_AFTER
    assert not is_hopeless(failing_since=NOW, now=NOW + DISABLE_AFTER - timedelta(seconds=1))
    assert is_hopeless(failing_since=NOW, now=NOW + DISABLE_AFTER)
