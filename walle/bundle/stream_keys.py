"""What a task.toml says of a stream task: `within` of [trigger], and [stream] (docs/task-format.md).

Only a task with `trigger.on` may say it. In the manifest all of it is written out, defaults included.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from walle.protocol.names import RUNTIME_BEFORE_STREAMS, SLUG_PATTERN, SemVer, VersionRange, check_task_name, is_valid
from walle.schema import ByType, Fields, Items, Named, Node, Number, OneOfTexts, Problems, Text, Value, joined
from walle.schema.values import shown
from walle.stream.stream_task import DEFAULT_LAST, DEFAULT_RETAIN

NEXT: Final = "next"
PAGE: Final = "page"
FROM_EVENTS: Final[Mapping[str, str]] = {"events": "list", "page": "object", "trigger": "object"}
"""The inputs that a firing gives to a task which declares them, with their types."""
_DAY_S: Final = 86_400
_MIB: Final = 2**20
_RETAIN: Final = {"rows": ("rows", 1), "days": ("age_s", _DAY_S), "mb": ("bytes", _MIB)}
"""What the keys of `retain` are in the manifest, and how many of its units one of theirs has."""
_SAID_BY_SILENCE: Final[Mapping[str, object]] = {"background": False, "within": NEXT}
_READER: Final = re.compile(rf"{SLUG_PATTERN.pattern}/(?:{SLUG_PATTERN.pattern}|\*)")


@dataclass(frozen=True)
class _OneOf:
    """Exactly one of the keys of a table."""

    fields: Fields

    @property
    def expected(self) -> str:
        return f"exactly one of {', '.join(self.fields.fields)}"

    def check(self, value: object, field: str, problems: Problems) -> None:
        self.fields.check(value, field, problems)
        if isinstance(value, dict) and not problems.touches(field) and len(value) != 1:
            problems.say(field, self.expected, " and ".join(value) or "none")


_LENGTH = _OneOf(Fields({"events": Number(1, 10_000, integer=True), "seconds": Number(1, _DAY_S)}))


def _length_or(word: str) -> Node:
    return ByType(
        {str: OneOfTexts((word,)), dict: _LENGTH}, f'"{word}", {{ events = 1 to 10000 }} or {{ seconds = 1 to 86400 }}'
    )


WITHIN: Final = _length_or(NEXT)
STREAM: Final = Fields(
    {
        "window": _length_or(PAGE),
        "schema": Number(1, 1_000_000, integer=True),
        "private": Value("true or false", lambda value: isinstance(value, bool)),
        "retain": Fields(
            {
                "rows": Number(1, 1_000_000, integer=True),
                "days": Number(0.01, 3650),
                "mb": Number(1, 1024, integer=True),
            }
        ),
        "readers": Items(
            Text("a task such as shop/rank, or shop/* for all of a scenario", _READER.fullmatch),
            "a list of at most 50 tasks",
            at_most=50,
            unique=True,
        ),
        "reads": Named(
            Text("the name of an input", str.isidentifier),
            Fields(
                {
                    "table": Text("a task such as shop/ipv", lambda text: is_valid(check_task_name, text)),
                    "last": Number(1, 10_000, integer=True),
                }
            ),
            "a table of at most 20 inputs",
            at_most=20,
        ),
    }
)


def check_stream(data: Mapping[str, Any], problems: Problems) -> None:
    """Report what [stream] and [trigger] of a task.toml contradict, in each other and in the declared inputs."""
    trigger = data.get("trigger")
    on_events = isinstance(trigger, dict) and "on" in trigger
    if isinstance(trigger, dict) and "within" in trigger and not on_events:
        problems.say("trigger.within", "to stand with on", "it without")
    if "stream" in data and not on_events:
        problems.say("stream", "to stand with trigger.on", "it without")
    inputs = data.get("inputs", {})
    if on_events and isinstance(inputs, dict):
        _check_given(inputs, problems)
        _check_reads(data.get("stream"), inputs, problems)


def _check_given(inputs: Mapping[str, Any], problems: Problems) -> None:
    for name, kind in FROM_EVENTS.items():
        found = _type_of(inputs, name, problems)
        if found not in (kind, None):
            problems.say(f"inputs.{name}.type", f"{kind}, as trigger.on gives it", shown(found))


def _type_of(inputs: Mapping[str, Any], name: str, problems: Problems) -> str | None:
    """The declared type of an input; None if it is not declared, or not well."""
    declared = inputs.get(name)
    return declared["type"] if isinstance(declared, dict) and not problems.touches(f"inputs.{name}") else None


def _check_reads(stream: object, inputs: Mapping[str, Any], problems: Problems) -> None:
    reads = stream.get("reads") if isinstance(stream, dict) else None
    for name in reads if isinstance(reads, dict) else ():
        field, found = joined("stream.reads", name), _type_of(inputs, name, problems)
        if problems.touches(field):
            continue
        if name in FROM_EVENTS:
            problems.say(field, f"another input than {', '.join(FROM_EVENTS)}, which trigger.on gives", shown(name))
        elif name not in inputs:
            others = ", ".join(other for other in inputs if other not in FROM_EVENTS) or "none"
            problems.say(field, f"a declared input ({others})", shown(name))
        elif found not in ("list", None):
            problems.say(field, f"inputs.{name} of the type list, for the rows", shown(found))


def trigger_of(table: Mapping[str, Any]) -> dict[str, Any]:
    """The trigger as in the manifest: with `background` and `within` only where they are not the default."""
    return {key: value for key, value in table.items() if key not in _SAID_BY_SILENCE or _SAID_BY_SILENCE[key] != value}


def stream_of(table: Mapping[str, Any]) -> dict[str, Any]:
    """What the manifest says of a stream task, from its valid [stream]. A table without a name is the task's own."""
    retain = {_RETAIN[key][0]: round(value * _RETAIN[key][1]) for key, value in table.get("retain", {}).items()}
    return {
        "window": table.get("window", PAGE),
        "schema": table.get("schema", 1),
        "private": table.get("private", False),
        "retain": DEFAULT_RETAIN | retain,
        "readers": table.get("readers", []),
        "reads": {name: {"last": DEFAULT_LAST, **read} for name, read in table.get("reads", {}).items()},
    }


def with_own_table(stream: Mapping[str, Any], task: str) -> dict[str, Any]:
    """The same with the name of the task, `scenario/task`, at the reads of its own table."""
    return {**stream, "reads": {name: {"table": task, **read} for name, read in stream["reads"].items()}}


def installs_without_streams(requires: Mapping[str, Any]) -> bool:
    """Whether a device whose runtime knows no stream tasks may meet these valid requirements."""
    wanted = requires.get("runtime")
    return wanted is None or VersionRange.parse(wanted).allows(SemVer.parse(RUNTIME_BEFORE_STREAMS))
