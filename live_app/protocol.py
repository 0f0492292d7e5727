"""The live channel's wire protocol (docs/live.md): messages of both sides, and cursors. Pure.

Both sides send JSON objects. A frame from a client is one message; a frame to a client is one or more, one per line.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Final, Self

LOG_IN: Final = 4401
"""Close code: nobody is signed in, or not any more."""
TOO_SLOW: Final = 4408
"""Close code: events came faster than they were taken; connect again and go on after the last cursor."""
TOO_MANY: Final = 4429
"""Close code: the person has the maximum number of sockets here; others have to be closed first."""
COME_AGAIN: Final = 1012
"""Close code of WebSocket: the data is out of date; connect again and check what is still valid."""

MAX_MESSAGE: Final = 4096
"""Maximum characters of a message from a client."""
MAX_TOPIC: Final = 200

_CURSOR: Final = re.compile(r"([0-9a-f]{1,16})\.([0-9a-f]{1,16})\.([0-9a-f]{1,16})", re.ASCII)


@dataclass(frozen=True, order=True)
class Position:
    """A place in the audit log: the transaction that wrote an entry, and the entry's id."""

    xid: int
    id: int


@dataclass(frozen=True)
class Cursor:
    """The event after which a client continues. `era` distinguishes times before and after a restoration."""

    era: int
    position: Position

    def __str__(self) -> str:
        return f"{self.era:x}.{self.position.xid:x}.{self.position.id:x}"

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse a cursor; raises ValueError."""
        match = _CURSOR.fullmatch(text)
        if match is None:
            raise ValueError("expected a cursor as the server gave it")
        era, xid, id_ = (int(part, 16) for part in match.groups())
        if id_ >= 2**63:
            raise ValueError("expected a cursor as the server gave it")
        return cls(era, Position(xid, id_))


class SubscriptionRefused(Exception):
    """A message or a topic is refused; `code` is for programs, `detail` for people."""

    def __init__(self, code: str, detail: str, topic: str | None = None) -> None:
        self.code, self.detail, self.topic = code, detail, topic
        super().__init__(detail)


@dataclass(frozen=True)
class Subscribe:
    topic: str
    after: Cursor | None


@dataclass(frozen=True)
class Unsubscribe:
    topic: str


@dataclass(frozen=True)
class Ping:
    pass


ClientMessage = Subscribe | Unsubscribe | Ping


def read_message(text: str | None) -> ClientMessage:
    """Read a message of a client; None stands for a binary frame. Raises SubscriptionRefused."""
    message = _object(text)
    match message.get("type"):
        case "subscribe":
            topic = _topic(message)
            return Subscribe(topic, _after(message.get("after"), topic))
        case "unsubscribe":
            return Unsubscribe(_topic(message))
        case "ping":
            return Ping()
    raise SubscriptionRefused("malformed", 'expected "type" to be subscribe, unsubscribe or ping')


def _object(text: str | None) -> dict[str, Any]:
    if text is None:
        raise SubscriptionRefused("malformed", "expected a text frame, found a binary one")
    if len(text) > MAX_MESSAGE:
        raise SubscriptionRefused("too-large", f"expected at most {MAX_MESSAGE} characters, found {len(text)}")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise SubscriptionRefused("malformed", "expected a JSON object")
    return message


def _topic(message: dict[str, Any]) -> str:
    topic = message.get("topic")
    if not isinstance(topic, str) or not 0 < len(topic) <= MAX_TOPIC:
        raise SubscriptionRefused("malformed", f'expected "topic" to be a text of 1 to {MAX_TOPIC} characters')
    return topic


def _after(text: object, topic: str) -> Cursor | None:
    if text is None:
        return None
    try:
        return Cursor.read(text if isinstance(text, str) else "")
    except ValueError as error:
        raise SubscriptionRefused("malformed", f'"after": {error}, or null', topic) from error


def subscribed(topic: str, cursor: Cursor) -> str:
    return _written(type="subscribed", topic=topic, cursor=str(cursor))


def refused(error: SubscriptionRefused, topic: str | None = None) -> str:
    return _written(type="refused", topic=error.topic or topic, code=error.code, detail=error.detail)


def event(topic: str, cursor: Cursor, data: str) -> str:
    """Return an event message; `data` is JSON without line breaks."""
    return f'{{"type":"event","topic":{json.dumps(topic)},"cursor":"{cursor}","event":{data}}}'


def gauge(topic: str, value: str) -> str:
    """Return a gauge message; `value` is JSON without line breaks."""
    return f'{{"type":"gauge","topic":{json.dumps(topic)},"value":{value}}}'


def alive(age_s: float) -> str:
    """Return the heartbeat; `age_s` is for how long the server has not been able to read its database."""
    return _written(type="alive", age=round(age_s, 1))


PONG: Final = '{"type":"pong"}'
RIGHTS: Final = '{"type":"rights"}'
"""The message that the rights of the user have changed."""


def _written(**message: object) -> str:
    return json.dumps(message, separators=(",", ":"))
