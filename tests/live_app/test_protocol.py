"""The wire protocol: whatever is said is read or refused, and what is told can be read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from live_app import protocol
from live_app.protocol import Cursor, Ping, Position, Subscribe, SubscriptionRefused, Unsubscribe, read_message

numbers = st.integers(0, 2**63 - 1)
cursors = st.builds(Cursor, numbers, st.builds(Position, st.integers(0, 2**64 - 1), numbers))
topics = st.text(min_size=1, max_size=protocol.MAX_TOPIC)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(cursors, cursors)
def test_a_cursor_survives_and_positions_keep_their_order(one, other):
    assert Cursor.read(str(one)) == one
    assert (one.position < other.position) == (
        (one.position.xid, one.position.id) < (other.position.xid, other.position.id)
    )


@given(st.text() | st.from_regex(r"[0-9a-f.]*"))
def test_any_other_cursor_is_refused(text):
    try:
        assert Cursor.read(Cursor.read(text).__str__()) == Cursor.read(text)
    except ValueError:
        return


@given(topics, cursors)
def test_what_clients_say_is_read(topic, cursor):
    said = {"type": "subscribe", "topic": topic, "after": str(cursor)}
    assert read_message(json.dumps(said)) == Subscribe(topic, cursor)
    assert read_message(json.dumps({**said, "after": None})) == Subscribe(topic, None)
    assert read_message(json.dumps({"type": "unsubscribe", "topic": topic})) == Unsubscribe(topic)
    assert read_message(json.dumps({"type": "ping", "later": "fields are ignored"})) == Ping()


def answer(text):
    """What is read, or the refusal as it is told."""
    try:
        return read_message(text)
    except SubscriptionRefused as error:
        return json.loads(protocol.refused(error))


@given(st.none() | st.text() | values.map(json.dumps))
def test_anything_is_read_or_refused(text):
    found = answer(text)
    assert isinstance(found, Subscribe | Unsubscribe | Ping) or found["code"] in ("malformed", "too-large")


@given(topics, cursors, values)
def test_what_is_told_is_one_line_of_json(topic, cursor, value):
    data = json.dumps(value, ensure_ascii=False)
    for text, expected in (
        (protocol.event(topic, cursor, data), {"type": "event", "topic": topic, "cursor": str(cursor), "event": value}),
        (protocol.gauge(topic, data), {"type": "gauge", "topic": topic, "value": value}),
        (protocol.subscribed(topic, cursor), {"type": "subscribed", "topic": topic, "cursor": str(cursor)}),
        (protocol.alive(3.14), {"type": "alive", "age": 3.1}),
    ):
        assert "\n" not in text
        assert json.loads(text) == expected


@pytest.mark.parametrize("text", ["9" * 40, "1.2", "1.2.3.4", "1.2.3\n", "-1.2.3", "1.2.ffffffffffffffff"])
def test_a_cursor_has_bounds(text):
    with pytest.raises(ValueError, match="cursor"):
        Cursor.read(text)
