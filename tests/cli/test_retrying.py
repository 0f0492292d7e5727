"""How long to wait before a request is sent again."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from walle.cli.retrying import asked_wait, wait_before

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@given(st.integers(1, 20), st.floats(0, 1))
def test_waits_grow_and_are_jittered(attempt, draw):
    assert 0.25 * 2 ** (attempt - 1) <= wait_before(attempt, draw) <= 0.75 * 2 ** (attempt - 1)


def test_retry_after_is_seconds_or_a_date():
    assert asked_wait({"retry-after": "3"}, NOW) == 3
    assert asked_wait({"retry-after": "Fri, 01 May 2026 12:00:10 GMT"}, NOW) == 10
    assert asked_wait({"retry-after": "Fri, 01 May 2026 11:00:10 GMT"}, NOW) == 0


@given(st.text(max_size=40))
def test_nonsense_asks_for_nothing(text):
    found = asked_wait({"retry-after": text}, NOW)
    assert found is None or found >= 0


def test_no_header_asks_for_nothing():
    assert asked_wait({}, NOW) is None
