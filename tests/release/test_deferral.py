"""What a device may put off, and what the entries of releases say of it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.release.tables import entry, table
from walle.protocol.canonical import canonical_json
from walle.protocol.deferrals import MOST_S, Deferral
from walle.release.deferral import is_put_off, may_wait_s
from walle.release.entries import entries_of
from walle.release.states import ReleasePosition, ReleaseState
from walle.release.strategy import AT_ONCE, Strategy, StrategyMalformed
from walle.release.table import Table

CALL = Deferral("in-call", 600)


def test_a_new_version_waits_as_long_as_its_release_allows() -> None:
    assert may_wait_s(entry(defer_s=90), ()) == 90
    assert may_wait_s(entry(), ()) == 0
    assert is_put_off(entry(defer_s=90), CALL, ())
    assert not is_put_off(entry(defer_s=90), None, ())
    assert not is_put_off(entry(), CALL, ())


def test_what_takes_the_place_of_a_withdrawn_version_waits_for_nothing_and_neither_do_removals() -> None:
    allowed = entry(defer_s=90)
    assert may_wait_s(allowed, {allowed.task}) == 0
    assert not is_put_off(allowed, CALL, {allowed.task})
    assert may_wait_s(allowed.task, ()) == 0
    assert not is_put_off(allowed.task, CALL, ())


def test_what_is_due_is_put_off_no_longer() -> None:
    allowed = entry(defer_s=90)
    assert not is_put_off(allowed, CALL._replace(due=frozenset({allowed.task})), ())
    assert is_put_off(allowed, CALL._replace(due=frozenset({"other/task"})), ())


def test_the_table_says_it_only_where_it_is_allowed() -> None:
    published = table([entry(release=1, defer_s=90), entry(release=2)])
    assert [each.get("defer_s") for each in published.to_dict()["entries"]] == [90, None]
    read = Table.from_payload(canonical_json(published.to_dict()))
    assert [each.defer_s for each in read.entries] == [90, 0]


@pytest.mark.parametrize("state", [ReleaseState.RUNNING, ReleaseState.COMPLETE])
def test_entries_say_what_the_strategy_allows(state: ReleaseState) -> None:
    strategy = Strategy.from_dict({"defer_s": 3600})
    made = entries_of(entry(), strategy, ReleasePosition(state, 0), [1, 2, 3, 4, 5], datetime.now(UTC))
    assert {each.defer_s for each in made} == {3600}


def test_a_strategy_allows_a_day_unless_it_says_otherwise_and_a_week_at_most() -> None:
    assert Strategy().defer_s == 86_400
    assert Strategy.from_dict(AT_ONCE).defer_s == 0
    assert Strategy.from_dict(Strategy.from_dict({"defer_s": MOST_S}).to_dict()).defer_s == MOST_S
    for wrong in (-1, MOST_S + 1, "1 h", None):
        with pytest.raises(StrategyMalformed, match="defer_s"):
            Strategy.from_dict({"defer_s": wrong})
