"""What is known of an earlier moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from walle.release.hindsight import Kept, known_at

START = datetime(2026, 6, 1, tzinfo=UTC)


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


@given(st.lists(st.integers(1, 100), min_size=1, max_size=8), st.integers(-5, 800))
def test_every_moment_since_the_first_change_is_covered_by_exactly_one_value(lengths: list[int], minute: int) -> None:
    ends = [sum(lengths[: place + 1]) for place in range(len(lengths))]
    kept = [Kept(end, at(end - length), at(end)) for end, length in zip(ends, lengths, strict=True)]
    kept.append(Kept(0, at(ends[-1])))
    assert sum(each.covers(at(minute)) for each in kept) == (minute >= 0)
    found = known_at(at(minute), kept)
    expected = None if minute < 0 else next((end for end in ends if minute < end), 0)
    assert (found and found.value) == expected


def test_of_what_was_before_it_is_not_known_since_when() -> None:
    assert known_at(at(-999), [Kept("nothing", None, at(0)), Kept("something", at(0))]) == Kept("nothing", None, at(0))


def test_where_changes_were_not_kept_it_is_said() -> None:
    kept = Kept("some", at(0), at(10), blurred_from=at(4))
    assert [kept.is_blurred(at(minute)) for minute in (0, 3, 4, 9)] == [False, False, True, True]
    assert not Kept("some", at(0), at(10)).is_blurred(at(9))
