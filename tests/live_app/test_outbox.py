"""What a client is told: events once, all and in order, gauges the latest, and what waits is not without end."""

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from live_app import hub
from live_app.client import LiveClient
from live_app.outbox import MOST_WAITING, MessageQueue
from live_app.protocol import TOO_SLOW, Position
from live_app.streams import Streams, Subscription
from live_app.topics import LiveEvent, topic_named

steps = st.lists(
    st.tuples(st.just("event"), st.sampled_from("ab"))
    | st.tuples(st.just("gauge"), st.sampled_from("ab"))
    | st.tuples(st.just("forget"), st.sampled_from("ab"))
    | st.tuples(st.just("take"), st.just(""))
)


comings = st.lists(
    st.tuples(st.just("event"), st.integers(1, 3))
    | st.tuples(st.just("enters"), st.integers(-3, 3))
    | st.tuples(st.just("leaves"), st.integers(0, 9))
    | st.tuples(st.just("flush"), st.just(0))
)


class Reader:
    """As much of a client as a stream knows."""

    def __init__(self):
        self.subscriptions, self.heard = {}, []

    def enqueue(self, topic, text, messages=1):
        assert text.count("\n") == messages - 1
        self.heard += map(int, text.split("\n"))


@settings(deadline=None)
@given(comings)
def test_whoever_is_subscribed_is_told_each_event_after_their_cursor_once(comings):
    """Whoever comes between two flushes, too; and who comes from a process that was ahead."""
    streams, topic, here, last = Streams(), topic_named("releases"), [], 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("live_app.streams.FULL", 3)
        for what, number in [*comings, ("flush", 0)]:
            stream = streams.stream(topic, None, 0.0)
            match what:
                case "event":
                    for _ in range(number):
                        last += 1
                        streams.put(stream, Position(last, 0), str(last))
                case "enters":
                    begins = max(0, last + number)
                    subscription = Subscription(Reader(), stream, None, Position(begins, 0), live=number >= 0)
                    streams.enter(subscription)
                    here.append((subscription, begins))
                case "leaves" if here:
                    streams.leave(here.pop(number % len(here))[0])
                case "flush":
                    streams.hand_over()
    for subscription, begins in here:
        expected = list(range(begins + 1, last + 1)) if subscription.live else []
        assert subscription.client.heard == expected


@given(steps)
def test_events_are_all_taken_in_order_and_of_gauges_the_last(steps):
    outbox, waiting, gauges = MessageQueue(), [], {}
    for number, (what, topic) in enumerate([*steps, ("take", "")]):
        message = f"{what} {topic} {number}"
        match what:
            case "event":
                outbox.put(topic, message)
                waiting.append((topic, message))
            case "gauge":
                outbox.put_gauge(topic, message)
                gauges[topic] = message
            case "forget":
                outbox.forget(topic)
                waiting, _ = [each for each in waiting if each[0] != topic], gauges.pop(topic, None)
            case _:
                expected = [message for _, message in waiting] + sorted(gauges.values())
                taken = outbox.take().split("\n") if expected else [*filter(None, [outbox.take()])]
                assert taken[: len(waiting)] + sorted(taken[len(waiting) :]) == expected
                waiting, gauges = [], {}
                assert not outbox.waiting


def test_a_long_queue_is_taken_in_frames_that_are_not_too_long():
    outbox = MessageQueue()
    for number in range(20):
        outbox.put("a", str(number) * 60_000)
    frames = []
    while outbox.waiting:
        frames.append(outbox.take())
    assert len(frames) > 2
    assert "\n".join(frames) == "\n".join(str(number) * 60_000 for number in range(20))


class Peer:
    """The server's side of a socket: takes what is sent at once, or not before it may."""

    def __init__(self, *, slow=False):
        self.sent, self.may = [], asyncio.Event()
        if not slow:
            self.may.set()

    async def send(self, message):
        await self.may.wait()
        self.sent.append(message.get("text", message.get("code")))


def client_of(peer):
    client = LiveClient(None, "", peer.send, lambda client: client.flush())
    return client


async def test_a_quick_client_gets_everything_at_once_without_a_task():
    peer = Peer()
    client = client_of(peer)
    before = asyncio.all_tasks()
    client.enqueue("t", "event")
    client.show("g", "gauge")
    assert peer.sent == ["event", "gauge"]
    assert asyncio.all_tasks() == before


async def test_a_slow_client_gets_all_events_and_the_last_gauge():
    peer = Peer(slow=True)
    client = client_of(peer)
    for number in range(3):
        client.enqueue("t", f"event {number}")
        client.show("g", f"gauge {number}")
    await asyncio.sleep(0.01)
    assert peer.sent == []
    peer.may.set()
    await asyncio.sleep(0.01)
    assert peer.sent == ["event 0", "event 1\nevent 2\ngauge 2"]


async def test_a_client_that_takes_nothing_is_closed_so_that_it_can_come_back():
    peer = Peer(slow=True)
    client = client_of(peer)
    for number in range(3 * MOST_WAITING):
        client.enqueue("t", f"event {number}")
    peer.may.set()
    await client.over
    assert peer.sent == ["event 0", TOO_SLOW]


async def test_a_client_that_does_not_even_take_its_end_is_cut_off(monkeypatch):
    monkeypatch.setattr("live_app.client.CLOSING_S", 0.05)
    client = client_of(Peer(slow=True))
    client.enqueue("t", "event")
    client.close(TOO_SLOW)
    assert not client.over.done()
    await asyncio.wait_for(client.over, 2)


async def test_a_client_that_takes_no_frame_is_given_up_also_when_only_gauges_wait(monkeypatch):
    monkeypatch.setattr("live_app.client.STUCK_S", 0.05)
    monkeypatch.setattr("live_app.client.CLOSING_S", 0.05)
    peer = Peer(slow=True)
    client = client_of(peer)
    client.show("g", "gauge 1")
    client.show("g", "gauge 2")
    await asyncio.wait_for(client.over, 2)
    assert peer.sent == []


async def test_a_client_that_is_slow_now_and_then_is_not_given_up(monkeypatch):
    monkeypatch.setattr("live_app.client.STUCK_S", 0.5)
    peer = Peer(slow=True)
    client = client_of(peer)
    for number in range(3):
        peer.may.clear()
        client.show("g", f"gauge {number}")
        peer.may.set()
        await asyncio.sleep(0.01)
    client.show("g", "the last")
    await asyncio.sleep(0.7)
    assert peer.sent == ["gauge 0", "gauge 1", "gauge 2", "the last"]
    assert not client.over.done()


async def test_a_client_that_is_gone_is_over():
    async def send(message):
        raise ConnectionResetError

    client = LiveClient(None, "", send, lambda client: client.flush())
    client.enqueue("t", "event")
    assert client.over.done()


async def test_who_comes_from_a_process_that_was_ahead_hears_nothing_twice(monkeypatch):
    """Its cursor is after what this process tells next."""
    monkeypatch.setattr(hub.HINTS, "listen", lambda heard: None)
    here = hub.Hub()
    client, topic = LiveClient(None, "", Peer().send, lambda client: None), topic_named("releases")
    stream = here._streams.stream(topic, None, 0.0)
    here._streams.enter(Subscription(client, stream, None, Position(5, 7), live=True))
    for position in (Position(5, 7), Position(5, 8), Position(6, 1)):
        here._hand_out_event("releases", position, LiveEvent(None, ["releases"], frozenset(), {}), "{}")
    here._streams.hand_over()
    told = [json.loads(line)["cursor"] for line in client.outbox.take().split("\n")]
    assert told == ["0.5.8", "0.6.1"]
