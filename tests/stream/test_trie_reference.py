"""The trie triggers what the reference matcher triggers: any conditions and events, with changes in between."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.stream.reference_matcher import ReferenceMatcher
from walle.stream.conditions import Next, TriggerCondition, WithinEvents, WithinSeconds
from walle.stream.trie import WIDE, TriggerTrie

EVENT_IDS = ("a", "b", "c")
PAGES = ("p", "a")
"""One page has the name of an event."""
TASKS = ("t1", "t2", "t3")

ids = st.sampled_from([*EVENT_IDS, "p", "a:p", "b:a"])
prefixes = st.sampled_from([("a",), ("b",), ("a", "b"), ("a", "p"), ("a", "b", "a")])
sequences = st.one_of(
    prefixes,
    st.builds(lambda prefix, id: (*prefix, id), prefixes, ids),
    st.lists(ids, min_size=1, max_size=4).map(tuple),
)
withins = (
    st.just(Next()) | st.integers(1, 6).map(WithinEvents) | st.sampled_from([0.5, 1.0, 2.5, 6.0]).map(WithinSeconds)
)
conditions = st.builds(TriggerCondition, sequences, withins)
additions = st.tuples(st.just("add"), conditions, st.sampled_from(TASKS))
events = st.tuples(
    st.just("match"), st.sampled_from(EVENT_IDS), st.sampled_from(PAGES), st.sampled_from([0, 0, 0.5, 1])
)
changes = st.one_of(
    additions,
    st.tuples(st.sampled_from(["remove", "upgrade"]), st.integers(0, 10**6)),
    st.just(("forget",)),
)
streams = st.lists(st.one_of(*[events] * 5, changes), max_size=80)


class Both:
    """The trie and the reference matcher, which are told the same."""

    def __init__(self, wide):
        self.trie = TriggerTrie(wide)
        self.reference = ReferenceMatcher()
        self.added = []
        self.at = 1_700_000_000

    def add(self, condition, task):
        for matcher in (self.trie, self.reference):
            matcher.add(condition, task)
        if (condition, task) not in self.added:
            self.added.append((condition, task))

    def remove(self, which):
        if self.added:
            entry = self.added.pop(which % len(self.added))
            for matcher in (self.trie, self.reference):
                matcher.remove(*entry)

    def upgrade(self, which):
        if self.added:
            entry = self.added[which % len(self.added)]
            for matcher in (self.trie, self.reference):
                matcher.remove(*entry)
                matcher.add(*entry)

    def forget(self):
        for matcher in (self.trie, self.reference):
            matcher.forget_pending()

    def match(self, event_id, page, later):
        self.at += later
        found = self.trie.match(event_id, page, self.at)
        assert len({*found}) == len(found)
        assert {*found} == self.reference.match(event_id, page, self.at)
        assert self.trie.pending <= self.trie.nodes

    def end(self):
        """Nothing stays: partial matches expire, and nodes go with the last condition."""
        for _ in range(self.trie.nodes + 7):
            self.match("other", "elsewhere", 1)
        assert self.trie.pending == 0
        while self.added:
            self.remove(0)
        self.match("other", "elsewhere", 0)
        assert self.trie.nodes == 0


@pytest.mark.parametrize("wide", [WIDE, 1])
@settings(max_examples=500, deadline=None)
@given(st.lists(st.tuples(conditions, st.sampled_from(TASKS)), max_size=8), streams)
def test_triggers_what_the_reference_matcher_triggers(wide, initial, stream):
    both = Both(wide)
    for condition, task in initial:
        both.add(condition, task)
    for name, *arguments in stream:
        getattr(both, name)(*arguments)
    both.end()
