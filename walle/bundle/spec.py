"""The content of a valid task.toml as data. Tables that are part of the manifest have the same form there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from walle.bundle.model_keys import ModelSpec
from walle.container.cloud_half import CloudHalf
from walle.protocol.kinds import DEVICE

Table = Mapping[str, Any]

TASK_FILE: Final = "task.toml"
DEFAULT_LIMITS: Final[Mapping[str, int]] = {"time_ms": 2000, "memory_mb": 256, "output_kb": 64}
DEFAULT_IDLE_S: Final = 600
"""Seconds for which the VM of a kept task may stay idle, unless the task says otherwise."""


@dataclass(frozen=True, slots=True)
class Sample:
    """An example run, or a recorded session with all the runs that it triggers; one of `input` and `session` is there.

    `input` is a path in the tree or the inputs themselves, `session` a path in the tree, `fires` how often the session
    triggers the task, None if that is not said. `expect` is by output name, of the last run. `position` is the sample's
    index among the [[samples]] of the file.
    """

    name: str
    input: str | Table | None
    expect: Table
    position: int = 0
    session: str | None = None
    fires: int | None = None

    @property
    def where(self) -> str:
        return f"samples[{self.position}]"


@dataclass(frozen=True, slots=True)
class ExclusiveFile:
    """A file whose content depends on the device: the trusted facts in `template` yield the key of its variant."""

    path: str
    template: str
    default: str | None


@dataclass(frozen=True)
class TaskSpec:
    """One task.toml. `inputs`, `outputs`, `metrics`, `trigger`, `upload`, `serving`, `placement`, `limits`, `vm` and
    `requires` are as in the manifest, and so is `stream`, but for the name of the task's own table.

    `stream` is empty for a task that no events trigger, `upload` for one that uploads nothing, `vm` for one that is not
    kept, `serving` for one that is no pipeline, `placement` for one that no plan was applied to; a pipeline has neither
    `entry_point` nor `trigger`. `cloud` is None where nothing answers in the cloud. Without `source` devices get
    bytecode for `interpreter`; None stands for the interpreter that registers the version.
    """

    kind: str = DEVICE
    entry_point: str = ""
    description: str = ""
    inputs: Mapping[str, Table] = field(default_factory=dict)
    outputs: Mapping[str, Table] = field(default_factory=dict)
    metrics: Mapping[str, Table] = field(default_factory=dict)
    trigger: Table = field(default_factory=dict)
    stream: Table = field(default_factory=dict)
    upload: Table = field(default_factory=dict)
    cloud: CloudHalf | None = None
    serving: Table = field(default_factory=dict)
    placement: Table = field(default_factory=dict)
    limits: Mapping[str, int | float] = field(default_factory=lambda: dict(DEFAULT_LIMITS))
    vm: Table = field(default_factory=dict)
    requires: Table = field(default_factory=dict)
    models: Mapping[str, ModelSpec] = field(default_factory=dict)
    samples: tuple[Sample, ...] = ()
    exclude: tuple[str, ...] = ()
    exclusive: tuple[ExclusiveFile, ...] = ()
    source: bool = True
    interpreter: str | None = None

    @property
    def modules(self) -> tuple[str, ...]:
        """The Python modules from outside the bundle that the task needs."""
        return tuple(self.requires.get("modules", ()))
