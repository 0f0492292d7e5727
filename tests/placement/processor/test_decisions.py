"""Routing, joins, windows, the network and the sources' ledger: what is decided without any worker."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.placement.processor.envelopes import Envelope, payload_bytes
from walle.placement.processor.joining import JoinBuffer
from walle.placement.processor.ledger import SourceLedger
from walle.placement.processor.measuring import DurationCounts, OperatorFigures, together
from walle.placement.processor.network import TokenBucket, usd
from walle.placement.processor.routing import routing_table
from walle.placement.processor.windows import WindowBuffer, grouped


@given(st.lists(st.floats(0.5, 50), min_size=1, max_size=6), st.integers(0, 5000))
def test_workers_get_items_in_proportion_to_their_loads(loads, first):
    table = routing_table({"other": {"x": 1.0}, "op": {str(n): load for n, load in enumerate(loads)}}, {})
    counts = Counter(table.worker_for("op", number) for number in range(first, first + 500))
    for worker, load in enumerate(loads):
        assert abs(counts[str(worker)] - 500 * load / sum(loads)) < 8


def test_pairs_of_workers_meet_as_often_as_their_loads_say():
    table = routing_table({"a": {"a1": 1, "a2": 3}, "b": {"b1": 2, "b2": 2}}, {})
    counts = Counter((table.worker_for("a", n), table.worker_for("b", n)) for n in range(4000))
    assert {pair: round(count / 500) for pair, count in counts.items()} == {
        ("a1", "b1"): 1, ("a1", "b2"): 1, ("a2", "b1"): 3, ("a2", "b2"): 3,
    }  # fmt: skip


def test_the_items_of_a_window_have_one_worker():
    table = routing_table({"op": {"a": 1, "b": 1}}, {"op": 10})
    assert all(len({table.worker_for("op", n) for n in range(w, w + 10)}) == 1 for w in range(0, 500, 10))
    assert len({table.worker_for("op", n) for n in range(0, 500, 10)}) == 2


def test_what_passes_a_worker_is_what_it_is_sent():
    table = routing_table({"a": {"a1": 1, "a2": 3}, "b": {"a1": 2, "b2": 2}}, {})
    sent = [n for n in range(50) if "a1" in (table.worker_for("a", n), table.worker_for("b", n))]
    assert table.passing(range(50), "a1") == sent
    assert table.passing(range(50), "nobody") == []


def test_an_operator_that_nobody_can_run_is_named():
    with pytest.raises(ValueError, match="no worker of op can run it"):
        routing_table({"op": {"a": 0.0}}, {})


def envelope(number, *records, items=1, last=False):
    return Envelope(number, items, last, records)


def test_a_join_pairs_the_records_of_one_item_and_no_other():
    join = JoinBuffer(("a", "b"), 10)
    assert join.add("b", envelope(1, "x", "y"), 0) is None
    assert join.add("a", envelope(2, "q"), 0) is None
    assert join.add("b", envelope(1, "x", "y"), 1) is None, "a copy is no other half"
    assert join.add("a", envelope(1, 1), 1) == (envelope(1, (1, "x"), (1, "y")), 2)
    assert len(join) == 1


def test_a_join_with_nothing_is_nothing():
    join = JoinBuffer(("a", "b"), 10)
    join.add("a", envelope(1, "x"), 0)
    assert join.add("b", envelope(1), 0) == (envelope(1), 1)


def test_a_join_drops_what_waits_too_long_and_says_so():
    join = JoinBuffer(("a", "b"), 10)
    join.add("a", envelope(1, "x"), 0)
    join.add("a", envelope(2, "x"), 5)
    assert join.next_expiry == 10
    assert join.expire(9.9) == []
    assert join.expire(10) == [envelope(1)]
    assert join.add("b", envelope(1, "y"), 11) is None
    assert (join.dropped, join.late, len(join), join.next_expiry) == (1, 1, 1, 15)
    join.forget(2)
    join.add("b", envelope(1, "y"), 12)
    assert join.late == 1, "what was dropped is forgotten once it is acknowledged"
    join.forget(3)
    assert len(join) == 0


def test_a_window_is_complete_by_count_in_any_order_with_copies():
    window = WindowBuffer(3)
    for number in (5, 3, 3, 0):
        assert window.add(envelope(number, number)) is None
    assert window.add(envelope(4)) == envelope(3, 3, 5, items=3)
    assert len(window) == 1


def test_the_last_window_ends_with_the_last_item():
    window = WindowBuffer(10)
    assert window.add(envelope(11, "b", last=True)) is None
    assert window.add(envelope(10, "a")) == envelope(10, "a", "b", items=2, last=True)


def test_windows_of_windows():
    window = WindowBuffer(4)
    assert window.add(envelope(2, "b", items=2)) is None
    assert window.add(envelope(0, "a", items=2)) == envelope(0, "a", "b", items=4)


def test_windows_that_the_sink_has_are_forgotten():
    window = WindowBuffer(2)
    window.add(envelope(0))
    window.add(envelope(2))
    window.forget(3)
    assert len(window) == 1


def test_groups_come_in_the_order_of_their_first_records():
    assert grouped([3, 1, 5, 2], lambda each: each % 2, lambda key, some: (key, sum(some))) == ((1, 9), (0, 2))


@given(st.lists(st.tuples(st.floats(0, 0.2), st.integers(0, 20_000)), max_size=60))
def test_a_link_never_carries_more_than_its_rate_and_a_burst(sends):
    bucket, now, through = TokenBucket(8.0, 0.0), 0.0, 0
    for pause, size in sends:
        now += pause
        done = now + bucket.take(size, now)
        through += size
        assert through <= 1e6 * (done + 0.05) + 1e-3


def test_a_link_carries_its_rate():
    bucket = TokenBucket(8.0, 0.0)
    assert bucket.take(50_000, 0.0) == 0
    assert bucket.take(500_000, 0.0) == pytest.approx(0.5)
    assert bucket.take(0, 0.5) == 0


def test_what_bytes_cost():
    assert usd({"a": 2**30, "b": 2**29}, {"a": 0.0, "b": 0.1}) == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (np.zeros((4, 3), np.float32), 48),
        (b"12345", 5),
        ("año", 4),
        (("ab", [1, 2.0, None], {"k": b"xyz"}), 2 + 24 + 1 + 3),
        ((), 0),
    ],
)
def test_the_bytes_of_records(value, size):
    assert payload_bytes(value) == size


def test_the_ledger_bounds_what_is_on_its_way_from_the_oldest():
    ledger = SourceLedger(3)
    assert [ledger.admit(each) for each in "abc"] == [0, 1, 2]
    assert not ledger.has_room
    assert ledger.acknowledge([1, 2]) == [1, 2]
    assert not ledger.has_room, "a window would get no further than the oldest of its items"
    assert ledger.acknowledge([0, 1]) == [0]
    assert ledger.has_room
    assert (ledger.watermark, ledger.pending, ledger.acknowledged) == (3, [], 3)


def test_the_ledger_keeps_items_until_they_are_acknowledged():
    ledger = SourceLedger(9)
    for each in "abc":
        ledger.admit(each)
    ledger.acknowledge([1])
    assert ledger.items([0, 1, 2]) == [(0, "a"), (2, "c")]


@given(st.lists(st.floats(1e-5, 1e3), min_size=1, max_size=200), st.sampled_from([50, 90, 99]))
def test_percentiles_are_within_half_a_percent(seconds, percent):
    counts = DurationCounts()
    for each in seconds:
        counts.add(each)
    exact = sorted(seconds)[math.ceil(percent / 100 * len(seconds) - 1e-9) - 1]
    assert counts.percentile(percent) == pytest.approx(exact, rel=0.0051)


def test_figures_of_workers_add_up():
    one, other = OperatorFigures(taken=1, busy_s=1, elapsed_s=4), OperatorFigures(taken=2, busy_s=2, elapsed_s=4)
    one.latency.add(1.0)
    other.latency.add(3.0, 2)
    both = together([one, other])
    assert (both.taken, both.busy_share, sum(both.latency.counts.values())) == (3, 0.375, 3)
    assert both.to_dict()["latency_p90_ms"] == pytest.approx(3000, rel=0.02)
    assert math.isnan(DurationCounts().percentile(50))
