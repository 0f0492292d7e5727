"""What a valid task.toml says, as data. Tables that travel in the manifest keep the shape they have there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from walle.protocol.kinds import DEVICE

Table = Mapping[str, Any]

TASK_FILE: Final = "task.toml"
DEFAULT_LIMITS: Final[Mapping[str, int]] = {"time_ms": 2000, "memory_mb": 256, "output_kb": 64}


@dataclass(frozen=True, slots=True)
class Sample:
    """An example run. `input` is a path in the tree or the inputs themselves; `expect` is by output name.

    `position` is its index among the [[samples]] of the file.
    """

    name: str
    input: str | Table
    expect: Table
    position: int = 0

    @property
    def where(self) -> str:
        return f"samples[{self.position}]"


@dataclass(frozen=True, slots=True)
class ExclusiveFile:
    """A file whose content depends on the device: `template` over trusted facts gives the variant's key."""

    path: str
    template: str
    default: str | None


@dataclass(frozen=True)
class TaskSpec:
    """One task.toml. `inputs`, `outputs`, `metrics`, `trigger`, `limits` and `requires` are as in the manifest.

    Without `source` devices get bytecode for `interpreter`; None is whichever registers the version.
    """

    kind: str = DEVICE
    entry_point: str = ""
    description: str = ""
    inputs: Mapping[str, Table] = field(default_factory=dict)
    outputs: Mapping[str, Table] = field(default_factory=dict)
    metrics: Mapping[str, Table] = field(default_factory=dict)
    trigger: Table = field(default_factory=dict)
    limits: Mapping[str, int | float] = field(default_factory=lambda: dict(DEFAULT_LIMITS))
    requires: Table = field(default_factory=dict)
    samples: tuple[Sample, ...] = ()
    exclude: tuple[str, ...] = ()
    exclusive: tuple[ExclusiveFile, ...] = ()
    source: bool = True
    interpreter: str | None = None

    @property
    def modules(self) -> tuple[str, ...]:
        """The Python modules from outside the bundle that the task needs."""
        return tuple(self.requires.get("modules", ()))
