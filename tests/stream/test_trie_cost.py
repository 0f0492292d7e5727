"""What an event costs, in lines of Python that run for it: nothing for what it has nothing to do with."""

import sys
import tracemalloc

from walle.stream.conditions import TriggerCondition, WithinEvents
from walle.stream.trie import WIDE, TriggerTrie

MANY = 3000
LONG = WithinEvents(10**6)


def lines(call, *arguments):
    """How many lines a call runs."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call(*arguments)
    finally:
        sys.settrace(before)
    return count


def trie_of(*sequences, within=LONG):
    trie = TriggerTrie()
    for ids in sequences:
        trie.add(TriggerCondition(ids, within), "task")
    return trie


def cost(trie, id):
    return lines(trie.match, id, "page", 0.0)


def test_conditions_that_an_event_does_not_concern_cost_nothing():
    few, many = (trie_of(*((f"a{n}", "b") for n in range(count))) for count in (10, MANY))
    assert {cost(few, "a1"), cost(few, "other")} == {cost(many, "a1"), cost(many, "other")}


def test_partial_matches_that_an_event_does_not_concern_cost_nothing():
    trie = trie_of(*((f"a{n}", f"b{n}") for n in range(MANY)))
    for n in range(MANY):
        trie.match(f"a{n}", "page", 0.0)
    assert trie.pending == MANY
    assert cost(trie, "b1") < 100
    assert cost(trie, "other") < 60


def test_a_match_that_fired_is_not_looked_at_again():
    trie = trie_of(*((f"a{n}", "b") for n in range(MANY)))
    for n in range(MANY):
        trie.match(f"a{n}", "page", 0.0)
    assert cost(trie, "b") > MANY
    assert cost(trie, "b") < 60


def test_a_match_that_expired_is_met_once():
    trie = trie_of(*((f"a{n}", "b") for n in range(MANY)), within=WithinEvents(MANY + 1))
    for n in range(MANY):
        trie.match(f"a{n}", "page", 0.0)
    trie.add(TriggerCondition(("a1", "b"), LONG), "other task")
    trie.match("a1", "page", 0.0)
    for _ in range(MANY):
        trie.match("other", "page", 0.0)
    assert trie.match("b", "page", 0.0) == ["other task"]
    assert cost(trie, "b") < 60


def test_to_reach_a_wide_node_costs_nothing_for_its_children():
    trie = trie_of(*(("a", f"b{n}") for n in range(MANY)))
    first = cost(trie, "a")
    assert first < 60
    for n in range(MANY):
        trie.match(f"b{n}", "page", 0.0)
    assert cost(trie, "a") == first


def test_to_reach_a_node_again_costs_only_what_was_taken_from_it():
    trie = trie_of(*(("a", f"b{n}") for n in range(WIDE)))
    trie.match("a", "page", 0.0)
    again = cost(trie, "a")
    assert again < 60
    trie.match("b1", "page", 0.0)
    assert again < cost(trie, "a") < again + 20
    assert cost(trie, "a") == again


def test_removing_costs_nothing_for_siblings():
    trie = trie_of(*(("a", f"b{n}") for n in range(MANY)))
    trie.remove(TriggerCondition(("a", "b7"), LONG), "task")
    assert cost(trie, "other") < 150


def test_conditions_that_come_and_go_leave_nothing():
    trie = TriggerTrie()

    def come_and_go(rounds):
        for n in rounds:
            condition = TriggerCondition((f"a{n}", f"b{n}"), LONG)
            trie.add(condition, f"task {n}")
            trie.match(f"a{n}", "page", 0.0)
            trie.remove(condition, f"task {n}")

    come_and_go(range(100))
    tracemalloc.start()
    try:
        come_and_go(range(100, 2100))
        assert tracemalloc.get_traced_memory()[0] < 20_000
    finally:
        tracemalloc.stop()
