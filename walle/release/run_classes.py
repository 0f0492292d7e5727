"""The classes by which runs are counted: of devices by what they say of themselves, and of how VMs end.

Devices can claim to be anything, so that each class is one of a few known ones, or `other`: whoever takes an app's key
out of it can then invent no further rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

OTHER: Final = "other"
SYSTEMS: Final = frozenset({"android", "ios", "harmonyos", "linux", "macos", "windows"})
PERFORMANCE: Final = frozenset({"low", "mid", "high"})
BACKENDS: Final = frozenset({"walle", "onnxruntime", "onnxruntime-int8", "mnn", "torch"})
"""Of the tensor engine (walle_task.tensor.task_models)."""
VM_ENDS: Final = frozenset(
    (
        *("idle", "memory-pressure", "held-too-much", "threads-left", "failed", "exited", "killed", "unasked-answer"),
        *("replaced", "closed"),
    )
)
"""Of VMs that were kept (walle.container): for what they did, for another version, with the device's process."""


class DeviceClass(NamedTuple):
    """A system and how fast the device is; "" for what it does not say."""

    os: str = ""
    performance: str = ""


def device_class(facts: Mapping[str, Any]) -> DeviceClass:
    """Return the class of a device that claims these facts."""
    return DeviceClass(_known(facts.get("os"), SYSTEMS), _known(facts.get("performance"), PERFORMANCE))


def vm_end_class(cause: str) -> str:
    """Return why a VM ended, without the signal that killed it."""
    return _known(cause.partition(":")[0], VM_ENDS)


def backend_class(name: str) -> str:
    """Return the backend that ran a model."""
    return _known(name, BACKENDS)


def _known(value: object, known: frozenset[str]) -> str:
    if value in (None, ""):
        return ""
    return value if isinstance(value, str) and value in known else OTHER
