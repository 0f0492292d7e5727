"""The kinds of tasks: their names in the protocol, and how a device says which of them it knows.

A task is of the kind `device` unless its manifest has another one. Every device knows that kind, and claims a fact
`kind-<kind>` for each other kind that it knows (docs/protocol.md, "Walle-App").
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

DEVICE: Final = "device"
"""The kind of tasks that run in a device's sandbox."""
PIPELINE: Final = "pipeline"
"""The kind of tasks that serving hosts run: graphs of operators with their parameters, and no code."""
WORKFLOW: Final = "workflow"
"""The kind of tasks whose operators a placement plan divides between the device's sandbox and the cloud's."""
DEVICE_ONLY: Final = frozenset({DEVICE})
IN_SANDBOX: Final = frozenset({DEVICE, WORKFLOW})
"""What devices with this runtime know: both kinds are scripts in the sandbox, and the latter imports walle_task."""
EXPECTED: Final = "a kind of task: 1 to 40 of a-z, 0-9 and -, beginning with a letter"


def knows(facts: Mapping[str, Any], kind: str) -> bool:
    """Return whether a device that claims these facts knows a kind."""
    return kind == DEVICE or facts.get(fact_of(kind)) is True


def fact_of(kind: str) -> str:
    """Return the name of the fact that is true of devices that know a kind other than `device`."""
    return f"kind-{kind}"


def facts_of(kinds: Collection[str]) -> dict[str, bool]:
    """Return the facts that a device with these kinds claims, always in the same order."""
    return {fact_of(kind): True for kind in sorted(kinds) if kind != DEVICE}


def kind_field(kind: str) -> dict[str, str]:
    """Return the member `kind` of a document; none for `device`, as in documents from before there were kinds."""
    return {} if kind == DEVICE else {"kind": kind}
