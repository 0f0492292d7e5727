"""What a worker of a plan is told to run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from walle.placement.processor.network import LinkShape

RELATIONAL: Final = ("map", "filter", "join", "group-by")


@dataclass(frozen=True, slots=True)
class OperatorCode:
    """The code of an operator: functions as `module:name`, in modules of `folder` or installed ones.

    `entry` is by kind: of a model, a function that is given the model's name and returns one that maps a list of
    records to as many; of a map, a function from a record to any number of them; of a filter, one that says whether a
    record stays; of a group-by, `key` of a record, `entry` from a key and its records to one record. A join has none.
    """

    folder: str
    entry: str = ""
    key: str = ""
    batch: int = 1
    window: int = 1
    join_wait_s: float = 60.0


@dataclass(frozen=True, slots=True)
class OutgoingEdge:
    """An edge to an operator. `kb` and `rate_ratio` are what the problem says, for stand-ins; else sizes are real."""

    target: str
    kb: float | None = None
    rate_ratio: float | None = None


@dataclass(frozen=True, slots=True)
class HostedSpec:
    """One operator on one worker: real code, or a stand-in that takes `latency_ms` for a record.

    `inputs` are the sources and operators before it, in the order of the edges. `slowdown` is for machines that imitate
    slower ones: after t of a processor's time, the worker waits for (slowdown - 1) t.
    """

    operator: str
    kind: str
    model: str
    inputs: tuple[str, ...]
    outgoing: tuple[OutgoingEdge, ...]
    code: OperatorCode | None = None
    latency_ms: float = 0.0
    slowdown: float = 1.0


@dataclass(frozen=True)
class WorkerSpec:
    """One worker of a plan: its operators, and the network to the workers that it sends to, by their ids.

    `uplink_mbps` bounds all that it sends to other tiers and locations together.
    """

    id: str
    tier: str
    hosted: tuple[HostedSpec, ...]
    links: Mapping[str, LinkShape] = field(default_factory=dict, hash=False)
    uplink_mbps: float | None = None
