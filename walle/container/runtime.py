"""The part of a manifest that a run needs, read once and checked, since manifests come from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from walle.container.result import SandboxError

_PERIODIC: Final = 10


@dataclass(frozen=True)
class Keeping:
    """How long the VM of a task may be idle, in seconds, and how much it may hold between two runs, in mebibytes."""

    idle_s: float
    held_mb: int


@dataclass(frozen=True)
class Runtime:
    """`tensors` are the dtypes of the inputs to hand over as arrays; `fallbacks` maps exclusive files to defaults;
    `models` are the declared models by name, each with its file, shapes, and whether 8-bit products are allowed;
    `keeping` is None for a task whose every run is a new process; `nice` is how much it gives way to others."""

    entry_point: str
    inputs: Mapping[str, Mapping[str, Any]]
    outputs: Mapping[str, Mapping[str, Any]]
    metrics: tuple[str, ...]
    modules: tuple[str, ...]
    tensors: Mapping[str, str]
    fallbacks: Mapping[str, str]
    time_ms: int
    memory_mb: int
    output_kb: int
    keeping: Keeping | None
    nice: int
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def waited_for(self) -> bool:
        """Whether something waits for each run: neither a period nor the background."""
        return self.nice < _PERIODIC

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> Self:
        """Raises SandboxError when the manifest lacks something or has another shape."""
        try:
            return cls._read(manifest)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise SandboxError(f"the manifest cannot be run: {type(error).__name__}: {error}") from error

    @classmethod
    def _read(cls, manifest: Mapping[str, Any]) -> Self:
        modules = tuple(map(str, manifest["requires"].get("modules", ())))
        inputs = {name: dict(one) for name, one in manifest["inputs"].items()}
        arrays = inputs.items() if "numpy" in modules else ()
        return cls(
            entry_point=str(manifest["entry_point"]),
            inputs=inputs,
            outputs={name: dict(one) for name, one in manifest["outputs"].items()},
            metrics=tuple(map(str, manifest.get("metrics", ()))),
            modules=modules,
            tensors={name: str(one["dtype"]) for name, one in arrays if one["type"] == "tensor"},
            fallbacks={one["path"]: one["default"] for one in manifest["files"] if one.get("default")},
            keeping=_keeping(manifest.get("vm")),
            nice=_nice(manifest.get("trigger", {})),
            models={name: _model(one) for name, one in manifest.get("models", {}).items()},
            **{name: int(manifest["limits"][name]) for name in ("time_ms", "memory_mb", "output_kb")},
        )


def _keeping(vm: Mapping[str, Any] | None) -> Keeping | None:
    return Keeping(float(vm["idle_s"]), int(vm["held_mb"])) if vm and vm["keep"] is True else None


def _model(declared: Mapping[str, Any]) -> dict[str, Any]:
    shapes = {str(name): [int(length) for length in shape] for name, shape in declared.get("shapes", {}).items()}
    return {"file": str(declared["file"]), "shapes": shapes, "int8": declared.get("int8") is True}


def _nice(trigger: Mapping[str, Any]) -> int:
    """All tasks give way to their app: those that something waits for least, those for the background most."""
    if trigger.get("background"):
        return 19
    return _PERIODIC if "every_s" in trigger else 5
