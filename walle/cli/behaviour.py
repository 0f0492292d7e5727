"""Render behaviour events and what stream tasks cost, for `walle device events` and `walle stream replay`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from walle.cli import humanize
from walle.cli.output import Row

SHORT = 60
"""The most characters of contents in a table."""


def when(event: Row) -> str:
    return humanize.time_of_day(event["at"], humanize.now())


def event_id(event: Row) -> str:
    """Return the event id; nothing if it says no more than the kind."""
    return "" if event["id"] == event["kind"] else str(event["id"])


def contents(event: Row) -> str:
    """Return the contents on one line, shortened."""
    public = short(event["contents"]) if event.get("contents") else ""
    return f"+private {public}".strip() if event.get("private") else public


def short(value: Any, most: int = SHORT) -> str:
    """Return JSON data on one line of at most `most` characters."""
    text = str(humanize.harmless(json.dumps(value, ensure_ascii=False, separators=(", ", ": "))))
    return text if len(text) <= most else text[: most - 1] + "…"


def condition(trigger: Row) -> str:
    """Return the trigger of a manifest in words: `page_enter:item then click, within 20 events`."""
    ids = " then ".join(trigger["on"])
    match trigger.get("within"):
        case {"events": count}:
            return f"{ids}, within {count} events"
        case {"seconds": seconds}:
            return f"{ids}, within {seconds:g} s"
    return f"{ids}, one right after the other" if len(trigger["on"]) > 1 else ids


def triggered(event: Row) -> str:
    return ", ".join(event.get("triggered") or ())


def duration(name: str) -> Any:
    """Return the function that gives the cell of a duration in milliseconds; empty for a task without runs."""

    def cell(row: Mapping[str, Any]) -> str:
        return humanize.milliseconds(row[name]) if row.get("count") else ""

    return cell
