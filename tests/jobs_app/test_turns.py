"""Whose turn it is, decided for chosen and for arbitrary pasts."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs_app.turns import WaitingAccount, WorkAllowance, WorkSpan, account_state, whose_turn

HOUR = 3600.0
NOW = 100_000.0
ONE = WorkAllowance(at_once=1, seconds=600, window=HOUR)


def test_an_account_without_a_past_may_start():
    assert account_state([], ONE, NOW).may_start(NOW)


def test_as_many_as_may_be_under_way_are_under_way():
    found = account_state([WorkSpan(NOW - 10)], ONE, NOW)
    assert (found.running, found.spent, found.free_at, found.may_start(NOW)) == (1, 10, None, False)


def test_what_was_spent_comes_back_as_it_leaves_the_window():
    past = [WorkSpan(NOW - 3000, NOW - 2400), WorkSpan(NOW - 1000, NOW - 900)]
    found = account_state(past, ONE, NOW)
    assert (found.running, found.spent, found.may_start(NOW)) == (0, 700, False)
    # 100 s too many were spent by the 100th second of the first.
    assert found.free_at == NOW - 3000 + 100 + HOUR


def test_work_at_the_same_time_counts_for_each():
    past = [WorkSpan(NOW - 1000, NOW - 500), WorkSpan(NOW - 1000, NOW - 500)]
    found = account_state(past, ONE, NOW)
    assert (found.spent, found.free_at) == (1000, NOW - 1000 + 200 + HOUR)


def test_the_account_whose_last_start_is_longest_ago_goes_first():
    early, late = WorkSpan(NOW - 90, NOW - 80), WorkSpan(NOW - 50, NOW - 49)
    waiting = [
        WaitingAccount("late", 0, (late,)),
        WaitingAccount("early", 5, (early,)),
        WaitingAccount("busy", 0, (WorkSpan(NOW - 95),)),
    ]
    assert whose_turn(waiting, ONE, NOW) == "early"
    assert whose_turn([*waiting, WaitingAccount("new", 9)], ONE, NOW) == "new"
    assert whose_turn([*waiting, WaitingAccount("", 8), WaitingAccount("new", 9)], ONE, NOW) == ""
    assert whose_turn(waiting[2:], ONE, NOW) is None
    assert whose_turn([], ONE, NOW) is None


moments = st.integers(0, 8000).map(lambda seconds: NOW - seconds)
spans = st.builds(
    lambda start, length, open_: WorkSpan(start, None if open_ else min(start + length, NOW)),
    moments,
    st.integers(0, 700),
    st.booleans(),
)
allowances = st.builds(WorkAllowance, st.integers(1, 4), st.sampled_from([60.0, 600.0, 1800.0]), st.just(HOUR))


@given(past=st.lists(spans, max_size=12), allowance=allowances)
def test_another_may_start_at_the_time_that_is_named_and_not_before(past, allowance):
    found = account_state(past, allowance, NOW)
    if found.free_at is None:
        assert found.running >= allowance.at_once
        return
    assert found.running < allowance.at_once
    # What is under way is taken to end now: the earliest that can be.
    ended = [WorkSpan(span.start, NOW if span.end is None else span.end) for span in past]
    assert found.free_at >= NOW
    assert account_state(ended, allowance, found.free_at).may_start(found.free_at)
    if found.free_at > NOW:
        before = (NOW + found.free_at) / 2
        assert not account_state(ended, allowance, before).may_start(before) or found.free_at - before < 0.01


@given(past=st.lists(spans, max_size=12), allowance=allowances, later=st.integers(0, 9000))
def test_what_was_spent_never_grows_while_nothing_runs(past, allowance, later):
    ended = [WorkSpan(span.start, NOW if span.end is None else span.end) for span in past]
    assert account_state(ended, allowance, NOW + later).spent <= account_state(ended, allowance, NOW).spent


@given(
    jobs=st.lists(st.lists(st.integers(1, 600), min_size=1, max_size=6), min_size=1, max_size=5),
    slots=st.integers(1, 4),
    allowance=allowances,
)
def test_every_job_comes_to_its_turn_within_its_allowance_and_in_turns(jobs, slots, allowance):
    """Workers in virtual time: accounts with jobs of these lengths, all due from the beginning."""
    left = {str(account): list(lengths) for account, lengths in enumerate(jobs)}
    past: dict[str, list[WorkSpan]] = {account: [] for account in left}
    running: list[tuple[float, str]] = []
    now, starts = 0.0, []
    while any(left.values()):
        waiting = [WaitingAccount(account, 0, tuple(past[account])) for account in left if left[account]]
        account = whose_turn(waiting, allowance, now) if len(running) < slots else None
        if account is not None:
            assert sum(span.end is None for span in past[account]) < allowance.at_once
            past[account].append(WorkSpan(now))
            running.append((now + left[account].pop(0), account))
            starts.append((account, frozenset(one.account for one in waiting)))
            continue
        free = (
            [account_state(past[one.account], allowance, now).free_at for one in waiting]
            if len(running) < slots
            else []
        )
        now = min([end for end, _ in running] + [at for at in free if at is not None])
        for end, account in [one for one in running if one[0] <= now]:
            began = next(span for span in past[account] if span.end is None and span.start + 600 >= end)
            past[account][past[account].index(began)] = WorkSpan(began.start, end)
            running.remove((end, account))
        assert now < 10 * HOUR * sum(map(len, jobs)), "nobody comes to a turn any more"
    assert Counter(account for account, _ in starts) == {str(at): len(lengths) for at, lengths in enumerate(jobs)}


@pytest.mark.parametrize("accounts", [2, 3, 7])
def test_turns_go_round(accounts):
    """One worker, jobs of a second: between two starts of an account each of the others has one."""
    plenty = WorkAllowance(at_once=1, seconds=HOUR, window=HOUR)
    past: dict[str, tuple[WorkSpan, ...]] = {str(account): () for account in range(accounts)}
    order = []
    for now in range(5 * accounts):
        account = whose_turn([WaitingAccount(name, 0, spans) for name, spans in past.items()], plenty, now)
        past[account] += (WorkSpan(now, now + 1),)
        order.append(account)
    assert all(len(set(order[at : at + accounts])) == accounts for at in range(4 * accounts))
