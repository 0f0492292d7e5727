"""A client of the live channel, as its documentation says that one is written; and the server that it talks to."""

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.test import Client as Browser
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from accounts_app.actors import Actor
from tests.support.waiting import wait_for


def session_cookie(actor: Actor | None) -> str:
    """The cookie of somebody who has signed in; nothing for nobody."""
    if actor is None:
        return ""
    browser = Browser()
    browser.force_login(actor.user)
    return "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())


class LiveClient:
    """What it was told, by topic. `cursors` are the last of each."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.messages: list[dict[str, Any]] = []
        self.frames = 0
        self.events: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.frame_of: dict[int, int] = {}
        """In which frame each event came, by its id."""
        self.gauges: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.cursors: dict[str, str] = {}
        self.refusals: list[dict[str, Any]] = []
        self.closed: int | None = None

    def send(self, **message: object) -> None:
        self.connection.send(json.dumps(message))

    def subscribe(self, topic: str, after: str | None = None) -> None:
        self.send(type="subscribe", topic=topic, after=after)

    def receive(self, timeout: float = 0.05) -> None:
        """Take what is there within the time."""
        try:
            frame = self.connection.recv(timeout=timeout)
        except TimeoutError:
            return
        except ConnectionClosed as error:
            self.closed = error.rcvd.code if error.rcvd else 1006
            return
        self.frames += 1
        for line in str(frame).split("\n"):
            self._note(json.loads(line))

    def _note(self, message: dict[str, Any]) -> None:
        self.messages.append(message)
        topic = message.get("topic")
        match message["type"]:
            case "subscribed":
                self.cursors[topic] = message["cursor"]
            case "event":
                self.events[topic].append(message["event"])
                self.frame_of[message["event"]["id"]] = self.frames
                self.cursors[topic] = message["cursor"]
            case "gauge":
                self.gauges[topic].append(message["value"])
            case "refused":
                self.refusals.append(message)

    def wait_for(self, condition, timeout: float = 60.0):
        def met():
            self.receive()
            return condition()

        return wait_for(met, timeout=timeout, describe=lambda: f"{self.messages[-5:]} {self.closed}")

    def subscribed(self, topic: str, after: str | None = None) -> None:
        """Subscribe and wait until the server says so."""
        before = len(self.messages)
        self.subscribe(topic, after)
        self.wait_for(lambda: any(m["type"] == "subscribed" and m["topic"] == topic for m in self.messages[before:]))

    def ids(self, topic: str) -> list[int]:
        return [event["id"] for event in self.events[topic]]


@contextmanager
def connected(port: int, actor: Actor | None, path: str = "/live", **options: Any) -> Iterator[LiveClient]:
    """A socket of somebody who has signed in."""
    headers = {"Cookie": session_cookie(actor)} if actor else {}
    origin = f"http://127.0.0.1:{port}"
    address = f"ws://127.0.0.1:{port}{path}"
    with connect(address, origin=origin, additional_headers=headers, close_timeout=0.5, **options) as connection:
        yield LiveClient(connection)
