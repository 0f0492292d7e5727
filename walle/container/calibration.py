"""How fast this machine runs the models of tasks: measured once by a run in the sandbox, and kept in a folder.

What was measured holds for a machine: the digest of its processor and of the libraries that models run on. It is of no
interest here what it says: the tensor engine wrote it, and reads it again in the VMs of tasks.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import os
import platform
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from walle.container.result import RunResult
from walle.protocol.names import RUNTIME_VERSION

MANIFEST: Final[Mapping[str, Any]] = {
    "entry_point": "walle_task.tensor.device_calibration:run",
    "inputs": {},
    "outputs": {"rates": {"type": "object"}},
    "limits": {"time_ms": 120_000, "memory_mb": 512, "output_kb": 64},
    "requires": {"modules": ["numpy"]},
    "files": [],
}
"""The run that measures: half a second of the processor's time, and two minutes of the clock at most."""
FILE: Final = "calibration.json"
_LIBRARIES: Final = ("numpy", "onnxruntime", "MNN", "torch")
_PROCESSORS: Final = Path("/proc/cpuinfo")
_OF_A_PROCESSOR: Final = frozenset({"model name", "flags", "Features", "Hardware", "CPU implementer", "CPU part"})
_MOST_BYTES: Final = 1 << 20

Measure = Callable[[], RunResult]


class Calibration:
    """What is known of this machine; safe to use from many threads. Without a folder nothing is kept."""

    def __init__(self, folder: Path | None, machine: Callable[[], str]) -> None:
        self._folder, self._machine = folder, machine
        self._lock = threading.Lock()
        self._found: dict[str, Any] | None = None

    def known(self, measure: Measure) -> Mapping[str, Any]:
        """Return the `rates` that are kept, or that are measured now, or the `reason` why there are none.

        What cannot be measured is not tried again by this process.
        """
        with self._lock:
            if self._found is None:
                machine = self._machine()
                self._found = self._kept(machine) or self._measured(machine, measure)
            return self._found

    def _kept(self, machine: str) -> dict[str, Any] | None:
        if self._folder is None:
            return None
        try:
            with (self._folder / FILE).open("rb") as file:
                found = json.loads(file.read(_MOST_BYTES))
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(found, dict) or found.get("machine") != machine or not isinstance(found.get("rates"), dict):
            return None
        return {"rates": found["rates"]}

    def _measured(self, machine: str, measure: Measure) -> dict[str, Any]:
        result = measure()
        if not result.ok or result.output is None:
            return {"reason": f"the calibration of this device failed ({result.error_class}: {result.message})"}
        rates = result.output["rates"]
        self._keep({"machine": machine, "rates": rates})
        return {"rates": rates}

    def _keep(self, content: Mapping[str, Any]) -> None:
        """Write the file as a whole; where it cannot be written, the next process measures again."""
        if self._folder is None:
            return
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, path = tempfile.mkstemp(dir=self._folder, prefix=".tmp-")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump(content, file)
                Path(path).replace(self._folder / FILE)
            except OSError:
                Path(path).unlink(missing_ok=True)
                raise


def digest_of_machine(module_paths: Sequence[str], processors: Sequence[int]) -> str:
    """Return the digest of what a calibration holds for: this machine's processor, which of them are used, and the
    libraries that lie in some folders."""
    try:
        with _PROCESSORS.open(encoding="utf-8", errors="replace") as file:
            lines = file.read(_MOST_BYTES).splitlines()
    except OSError:
        lines = []
    facts = {
        "machine": platform.machine(),
        "processor": sorted(set(_facts(lines))),
        "processors": list(processors) or os.cpu_count(),
        "python": platform.python_version(),
        "runtime": RUNTIME_VERSION,
        "libraries": {name: _version(name, module_paths) for name in _LIBRARIES},
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _facts(lines: Iterable[str]) -> Iterable[str]:
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() in _OF_A_PROCESSOR:
            yield f"{name.strip()}: {value.strip()}"


def _version(library: str, module_paths: Sequence[str]) -> str | None:
    found = importlib.metadata.distributions(name=library, path=list(module_paths))
    return next((each.version for each in found), None)
