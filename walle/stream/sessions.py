"""Recorded sessions: the behaviour events of one use of an app, a line of JSON each, in the order of reporting."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from walle.schema import Malformed, Problem, read_json
from walle.stream.events import BehaviourEvent, EventRefused

MAX_EVENTS: Final = 100_000
"""The most events of a session."""
MAX_LINE: Final = 64 * 1024
"""The most bytes of a line: the greatest event, with room for escapes and names."""


def read_session(path: Path) -> list[BehaviourEvent]:
    """Return the events of a file. Raises Malformed, which names the line, and OSError."""
    with path.open("rb") as file:
        return parse_session(iter(lambda: file.readline(MAX_LINE + 2), b""), path.name)


def parse_session(lines: Iterable[bytes], name: str = "") -> list[BehaviourEvent]:
    """Return the events of lines with or without their ends; empty ones count, and are passed over.

    Raises Malformed, whose problem names the file `name` and the line, counted from 1.
    """
    events: list[BehaviourEvent] = []
    for number, line in enumerate(lines, start=1):
        if number > MAX_EVENTS:
            raise Malformed([Problem(name, "", f"at most {MAX_EVENTS} lines", "more", number)])
        content = line.strip()
        if content:
            events.append(_event(content, name, number))
    return events


def _event(content: bytes, name: str, number: int) -> BehaviourEvent:
    value = read_json(content, f"{name}:{number}", MAX_LINE)
    try:
        return BehaviourEvent.from_dict(value)
    except EventRefused as error:
        raise Malformed([Problem(name, "", "a behaviour event", error.text, number)]) from error


def write_session(path: Path, events: Iterable[BehaviourEvent]) -> None:
    """Write events to a file, which is replaced."""
    path.write_text("".join(f"{session_line(event)}\n" for event in events), encoding="utf-8")


def session_line(event: BehaviourEvent) -> str:
    """Return the event as compact JSON, which is what is measured as its raw size."""
    return json.dumps(event.to_dict(), separators=(",", ":"), ensure_ascii=False)
