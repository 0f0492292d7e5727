"""The hardware and the libraries of this device: what a calibration and a decision hold for."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from walle_task.tensor.backends.port import Backend

_PROCESSORS: Final = Path("/proc/cpuinfo")
_FLAGS: Final = ("flags", "Features")
_MODELS: Final = ("model name", "Hardware", "Processor")
_FP16: Final = frozenset({"avx512_fp16", "asimdhp", "fphp"})
_DEFAULT_HZ: Final = 2e9
_MOST_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Hardware:
    """The processor: its architecture and model, its instruction sets, its frequency in Hz, how many of them there are,
    and the versions of the libraries of all backends, as `name version`."""

    machine: str
    model: str
    features: tuple[str, ...]
    frequency: float
    processors: int
    libraries: tuple[str, ...]

    @property
    def fp16(self) -> bool:
        """Whether it computes with floats of 16 bits."""
        return not _FP16.isdisjoint(self.features)

    def digest(self, threads: int) -> str:
        """Return the digest of all but the frequency, which changes while it runs, for a number of threads."""
        facts = {**asdict(self), "frequency": 0, "threads": threads}
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def this_hardware(backends: Iterable[Backend]) -> Hardware:
    """Return the hardware of this device, and the libraries of some backends."""
    try:
        with _PROCESSORS.open(encoding="utf-8", errors="replace") as file:
            lines = file.read(_MOST_BYTES).splitlines()
    except OSError:
        lines = []
    return read_hardware(
        lines,
        machine=platform.machine(),
        processors=os.cpu_count() or 1,
        libraries=[f"{each.name} {each.version()}" for each in backends if each.version()],
    )


def read_hardware(lines: Iterable[str], machine: str, processors: int, libraries: Iterable[str]) -> Hardware:
    """Return what the lines of /proc/cpuinfo say, in whatever words the architecture has; without any, defaults."""
    found: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        found.setdefault(name.strip(), value.strip())
    features = next((found[name] for name in _FLAGS if name in found), "")
    return Hardware(
        machine=machine,
        model=next((found[name] for name in _MODELS if name in found), ""),
        features=tuple(sorted(features.split())),
        frequency=_hertz(found.get("cpu MHz", "")),
        processors=processors,
        libraries=tuple(sorted(libraries)),
    )


def _hertz(megahertz: str) -> float:
    try:
        return float(megahertz) * 1e6 or _DEFAULT_HZ
    except ValueError:
        return _DEFAULT_HZ
