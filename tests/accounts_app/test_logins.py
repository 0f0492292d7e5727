"""Who may try another password or token: names, addresses, and counts that hold over processes."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.forms import UsernameField
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from accounts_app.logins import address_block, admit, normal_name, refuse_token
from kit.attempts import TooManyAttempts, count_attempt
from kit.models import AttemptCount
from tests.support.waiting import ANSWER_S

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@given(st.text(max_size=150))
def test_a_name_is_what_the_login_form_makes_of_it(text):
    assert normal_name(text) == UsernameField(max_length=1000, required=False).to_python(text)


@pytest.mark.parametrize(
    ("address", "block"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:ffff:ffff:ffff", "2001:db8::/64"),
        ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", "none"),
        (None, "none"),
        ("unix:", "none"),
    ],
)
def test_what_counts_as_one_address(address, block):
    assert address_block(address) == block


def attempts(most=1000, **attempt):
    """How many attempts pass before one does not."""
    for number in range(most):
        try:
            admit(**{"name": "vera", "address": "192.0.2.1", "browser": None, "now": NOW} | attempt)
        except TooManyAttempts:
            return number
    return most


@pytest.fixture
def two_a_minute(db, settings):
    settings.WALLE_LOGINS_PER_MINUTE = 2


@pytest.mark.usefixtures("two_a_minute")
class TestLimits:
    def test_one_name_from_one_address(self):
        assert attempts() == 2
        assert attempts(name="rita") == 2
        assert attempts(address="192.0.2.2") == 2

    def test_all_names_from_one_address(self):
        assert [attempts(name=f"user-{number}", most=2) for number in range(5)] == [2] * 5
        assert attempts(name="vera") == 0
        assert attempts(name="vera", address="192.0.2.2") == 2

    def test_one_name_from_many_addresses(self):
        assert sum(attempts(address=f"192.0.2.{number}") for number in range(50)) == 20
        assert attempts(name="rita", address="192.0.2.99") == 2

    def test_what_an_address_may_no_longer_try_is_used_up_for_nobody_else(self):
        for number in range(100):
            attempts(name=f"user-{number}", most=2)
        for _ in range(100):
            attempts(name="vera", most=1)
        assert attempts(name="vera", address="192.0.2.2") == 2

    def test_a_browser_counts_by_itself(self):
        assert attempts(browser="a") == 2
        assert attempts() == 2
        assert attempts(browser="b") == 2
        assert attempts(browser="b", address="192.0.2.2", name="rita") == 0

    def test_after_a_minute_it_begins_anew(self):
        assert attempts() == 2
        with pytest.raises(TooManyAttempts) as caught:
            admit(name="vera", address="192.0.2.1", browser=None, now=NOW + timedelta(seconds=20))
        assert caught.value.wait_s == 40
        assert attempts(now=NOW + MINUTE - timedelta(seconds=1)) == 0
        assert attempts(now=NOW + MINUTE) == 2

    def test_bad_tokens_count_by_themselves(self):
        for _ in range(10):
            refuse_token(address="192.0.2.1", now=NOW)
        with pytest.raises(TooManyAttempts):
            refuse_token(address="192.0.2.1", now=NOW)
        assert attempts() == 2

    def test_without_a_limit_nothing_is_counted(self, settings):
        settings.WALLE_LOGINS_PER_MINUTE = 0
        assert attempts(most=50) == 50
        refuse_token(address="192.0.2.1", now=NOW)
        assert not AttemptCount.objects.exists()

    def test_counts_of_the_past_are_forgotten(self):
        for number in range(30):
            count_attempt(what="x", who=str(number), limit=5, now=NOW)
        count_attempt(what="x", who="new", limit=5, now=NOW + MINUTE)
        assert AttemptCount.objects.count() == 1

    def test_what_is_over_the_limit_is_not_written(self):
        attempts(browser="a")
        (before,) = AttemptCount.objects.extra(select={"place": "ctid::text"}).values_list("count", "place")
        assert attempts(browser="a") == 0
        (after,) = AttemptCount.objects.extra(select={"place": "ctid::text"}).values_list("count", "place")
        assert before == after == (2, before[1])


@pytest.mark.django_db(transaction=True)
def test_attempts_at_the_same_moment_are_all_counted():
    """Each thread has a connection of its own, as web processes have."""
    start, admitted = threading.Barrier(8), []

    def guess():
        start.wait()
        for _ in range(5):
            try:
                count_attempt(what="x", who="vera", limit=10, now=NOW)
                admitted.append(1)
            except TooManyAttempts:
                pass
        connection.close()

    threads = [threading.Thread(target=guess) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=ANSWER_S)
    assert len(admitted) == 10
