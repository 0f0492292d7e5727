"""Patterns of events, and that everything which is recorded can be asked for."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.webhooks.events import is_heard, is_pattern

ROOT = Path(__file__).resolve().parents[2]
words = st.from_regex(r"[a-z][a-z_-]{0,10}", fullmatch=True)
events = st.builds("{}.{}".format, words, words)
patterns = st.one_of(st.just("*"), words.map("{}.*".format), events)


@given(events, st.lists(patterns))
def test_an_event_is_heard_if_a_pattern_means_it(event, asked):
    def means(pattern):
        return re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), event) is not None

    assert is_heard(event, asked) == any(means(pattern) for pattern in asked)
    assert all(is_pattern(pattern) for pattern in asked)


@pytest.mark.parametrize("pattern", ["release.*", "release.start"])
def test_a_pattern_means_no_longer_names(pattern):
    assert is_heard("release.start", [pattern])
    assert not is_heard("release-note.start", [pattern])
    assert not is_heard("release.started", ["release.start"])


@pytest.mark.parametrize(
    "text", ["", "release", "release.", ".start", "*.start", "release.**", "a.b.c", "A.b", "**", "a.b\n"]
)
def test_other_texts_are_no_patterns(text):
    assert not is_pattern(text)


def test_everything_that_is_recorded_can_be_asked_for():
    sources = [path.read_text() for app in ROOT.glob("*_app") for path in app.rglob("*.py")]
    actions = set(re.findall(r'action="([^"{]+)", target=', "".join(sources)))
    assert len(actions) > 15
    assert {action for action in actions if not is_pattern(action)} == set()
