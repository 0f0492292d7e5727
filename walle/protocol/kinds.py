"""The kinds of tasks: what they are called on the wire, and how a device says which it knows.

A task is of the kind `device` unless its manifest says another. Every device knows that one, and says of each other
kind that it knows it by a fact, `kind-<kind>` (docs/protocol.md, "Walle-App").
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

DEVICE: Final = "device"
"""Runs in a device's sandbox."""
DEVICE_ONLY: Final = frozenset({DEVICE})
EXPECTED: Final = "a kind of task: 1 to 40 of a-z, 0-9 and -, beginning with a letter"


def knows(facts: Mapping[str, Any], kind: str) -> bool:
    """Whether a device that claims these facts knows a kind."""
    return kind == DEVICE or facts.get(fact_of(kind)) is True


def fact_of(kind: str) -> str:
    """The fact that is true of devices that know a kind other than `device`."""
    return f"kind-{kind}"


def facts_of(kinds: Collection[str]) -> dict[str, bool]:
    """What a device claims that knows these kinds, always in the same order."""
    return {fact_of(kind): True for kind in sorted(kinds) if kind != DEVICE}


def kind_field(kind: str) -> dict[str, str]:
    """What a document says of a kind: nothing of `device`, so that those from before there were kinds are the same."""
    return {} if kind == DEVICE else {"kind": kind}
