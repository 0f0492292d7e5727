"""The configuration of a worker, given once when its launcher starts, and what is asked for each VM."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Self

TASK_LIBRARY: Final = "walle_task"
"""The module of Walle that tasks may import."""
STANDARD_APIS: Final = tuple(f"{TASK_LIBRARY}.{name}" for name in ("arrays", "image", "tensor", "training"))
"""Its parts that need NumPy, and a runtime from walle.protocol.names.STANDARD_APIS_RUNTIME on."""


@dataclass(frozen=True)
class WorkerConfig:
    """For all runs of a launcher: where modules and libraries are, what is loaded ahead, which isolation to use.

    `cgroup` is the folder in which the control groups of runs are made, None where there is none. `processors` are
    those on which VMs are started, empty for all.
    """

    module_paths: tuple[str, ...]
    library_paths: tuple[str, ...]
    preload: tuple[str, ...] = ()
    namespaces: bool = True
    seccomp: bool = True
    landlock: bool = True
    cgroup: str | None = None
    processors: tuple[int, ...] = ()

    @classmethod
    def from_json(cls, text: str) -> Self:
        values: dict[str, Any] = json.loads(text)
        return cls(
            **values
            | {name: tuple(values[name]) for name in ("module_paths", "library_paths", "preload", "processors")}
        )

    def to_json(self) -> str:
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class EmulatedBuild:
    """What of this interpreter a run finds: an app's profile (walle.container.profile), reduced to what the worker
    enforces. `modules` are the names of those beside the standard library's."""

    python: str
    modules: tuple[str, ...]
    without: tuple[str, ...]
    operators: Mapping[str, tuple[str, ...]]

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        operators = {module: tuple(names) for module, names in values["operators"].items()}
        return cls(values["python"], tuple(values["modules"]), tuple(values["without"]), operators)


@dataclass(frozen=True)
class TensorSlot:
    """Where one output tensor lies in the memory that a VM shares with its sandbox: `offset` and `size` in bytes."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    size: int


@dataclass(frozen=True)
class VMRequest:
    """What a VM is to be, for all of its runs.

    Paths are the host's. `uid` is the user to become, None to stay; `scratch` is the folder to use where the VM
    cannot have a private one; `tensors` are the dtypes of inputs to hand over as numpy arrays; `slots` are the
    output tensors that are written to shared memory instead of into the answer; `fallbacks` are bundle paths to use
    instead of others that are absent; `models` are the declared ones as the manifest has them, by name, and
    `calibration` what is known of this machine (walle.container.calibration); `build`, if any, is the build of the
    app to stand for. Without `keep` a VM ends with its first run; with it, once it has been idle for `idle_s`
    seconds, or holds more than `held_mb` between two runs. `time_ms` and `output_kb` are limits of each run, the
    others of the VM. `nice` is how much it gives way to others, `processors` are those that it may use, empty for
    those that its launcher has.
    """

    bundle: str
    scratch: str | None
    uid: int | None
    entry_point: str
    modules: tuple[str, ...]
    tensors: Mapping[str, str]
    metrics: tuple[str, ...]
    fallbacks: Mapping[str, str]
    time_ms: int
    memory_mb: int
    output_kb: int
    max_threads: int
    scratch_mb: int
    keep: bool = False
    idle_s: float = 0.0
    held_mb: int = 0
    nice: int = 0
    processors: tuple[int, ...] = ()
    slots: Mapping[str, TensorSlot] = field(default_factory=dict)
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    calibration: Mapping[str, Any] = field(default_factory=dict)
    build: EmulatedBuild | None = None

    @classmethod
    def from_json(cls, content: bytes) -> Self:
        values: dict[str, Any] = json.loads(content)
        build = EmulatedBuild.from_dict(values["build"]) if values["build"] else None
        slots = {
            name: TensorSlot(slot["dtype"], tuple(slot["shape"]), slot["offset"], slot["size"])
            for name, slot in values["slots"].items()
        }
        lists = {name: tuple(values[name]) for name in ("modules", "metrics", "processors")}
        return cls(**values | lists | {"build": build, "slots": slots})

    def to_json(self) -> bytes:
        return json.dumps(asdict(self)).encode()
