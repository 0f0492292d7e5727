"""When a person's messages go out, played through in time; and until when one is tried."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from walle.mail.schedule import (
    GATHERED_FOR,
    GIVEN_UP_AFTER,
    HOUR,
    LONGEST_PAUSE,
    MOST_AN_HOUR,
    MailFailure,
    MailOutcome,
    conclude_attempt,
    due_at,
)

START = datetime(2026, 5, 1, tzinfo=UTC)
happenings = st.lists(st.tuples(st.integers(0, 4 * 3600), st.booleans()), max_size=60).map(sorted)


def played(events):
    """The messages: when each went out, and the events in it, as a server that always answers sends them."""
    coming = [(START + timedelta(seconds=second), urgent) for second, urgent in events]
    waiting, sent = [], []
    while waiting or coming:
        urgent = min((at for at, is_urgent in waiting if is_urgent), default=None)
        went = [at for at, _ in sent]
        due = (
            due_at(oldest=waiting[0][0], urgent=urgent, sent=[at for at in went if at > waiting[0][0] - HOUR])
            if waiting
            else None
        )
        if due is None or (coming and coming[0][0] <= due):
            waiting.append(coming.pop(0))
        else:
            sent.append((due, waiting))
            waiting = []
    return sent


@given(happenings)
def test_every_event_is_in_one_message_which_comes_after_it(events):
    sent = played(events)
    told = [each for _, content in sent for each in content]
    assert [((at - START).total_seconds(), urgent) for at, urgent in told] == events
    assert all(at <= went for went, content in sent for at, _ in content)


@given(happenings)
def test_nobody_has_more_messages_in_an_hour_than_that(events):
    went = [at for at, _ in played(events)]
    assert all(later - earlier >= HOUR for earlier, later in zip(went, went[MOST_AN_HOUR:], strict=False))


@given(happenings)
def test_urgent_events_come_at_once_and_others_within_five_minutes_while_there_is_room(events):
    sent = played(events)
    for place, (went, content) in enumerate(sent):
        is_full = place >= MOST_AN_HOUR and went - sent[place - MOST_AN_HOUR][0] <= HOUR
        first_urgent = [at for at, urgent in content if urgent][:1]
        if not is_full:
            assert went == min([content[0][0] + GATHERED_FOR, *first_urgent])


attempts, chances = st.integers(1, 500), st.floats(0, 1, exclude_max=True)
failures = st.builds(MailFailure, st.just("no"), st.none() | st.integers(400, 599), st.booleans())


@given(failures, attempts, st.timedeltas(timedelta(), 2 * GIVEN_UP_AFTER), chances)
def test_what_was_not_accepted_is_tried_again_for_a_day_unless_the_address_is_refused(failure, attempt, age, chance):
    now = START + age
    found = conclude_attempt(failure, attempt=attempt, created_at=START, now=now, chance=chance)
    refused = failure.of_recipient and (failure.code or 0) >= 500
    if found.outcome == MailOutcome.RETRY:
        assert not refused
        assert found.pause <= LONGEST_PAUSE * 1.2
        assert age + found.pause <= GIVEN_UP_AFTER
    else:
        assert refused or age > GIVEN_UP_AFTER - LONGEST_PAUSE * 1.2
    assert conclude_attempt(None, attempt=1, created_at=START, now=now, chance=chance).outcome == MailOutcome.SENT
