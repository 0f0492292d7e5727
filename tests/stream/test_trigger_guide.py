"""The examples of docs/guides/triggers.md are what happens."""

import re
from pathlib import Path

import pytest

from walle.stream.conditions import Next, TriggerCondition, WithinEvents
from walle.stream.trie import TriggerTrie

GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "triggers.md").read_text()
ROWS = re.findall(r"^\| (enter, [a-z, ]+) \| ([^|]+) \| ([^|]+) \|$", GUIDE, re.MULTILINE)
FIRES = {"not": 0, "at the click": 1, "at the first click": 1, "at the click, once": 1}


@pytest.mark.parametrize(("events", "following", "among_three"), ROWS)
def test_the_examples_of_within(events, following, among_three):
    names = events.split(", ")
    for within, expected in ((Next(), following), (WithinEvents(3), among_three)):
        trie = TriggerTrie()
        trie.add(TriggerCondition(("enter", "click"), within), "task")
        fired = [place for place, name in enumerate(names) if trie.match(name, "page", 0.0)]
        assert fired == [names.index("click")] * FIRES[expected]


def test_there_are_examples():
    assert len(ROWS) == 5
