"""What a device remembers of its search, in a folder of small JSON files: rates by hardware, decisions by model and
hardware. A file that is damaged, or is not what it should be, is as if it were not there."""

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from walle_task.tensor.graph import TypedGraph
from walle_task.tensor.search.costs import BackendRates, Rate
from walle_task.tensor.search.work import Work

VERSION: Final = 3
"""Changes whenever what rates mean does."""
_BESIDE: Final = (
    "per_operator", "per_run", "per_transferred_byte", "per_compilation", "per_constant_byte", "per_process",
    "per_compiled_operator",
)  # fmt: skip
_MOST_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class SearchCache:
    """The files in a folder, which need not exist."""

    folder: Path

    def rates(self, hardware: str) -> dict[str, BackendRates] | None:
        """Return the rates of backends on the hardware with a digest, or None."""
        found = self._read(f"rates-{hardware}.json")
        try:
            return {name: rates_from_json(each) for name, each in found["backends"].items()} if found else None
        except (KeyError, TypeError, ValueError, AttributeError):
            return None

    def keep_rates(self, hardware: str, rates: Mapping[str, BackendRates]) -> None:
        self._write(f"rates-{hardware}.json", {"backends": {name: rates_json(each) for name, each in rates.items()}})

    def decision(self, model: str, hardware: str, among: Sequence[str]) -> str | None:
        """Return the backend that was chosen for a model among the same backends on the same hardware, or None."""
        found = self._read(_decision_name(model, hardware, among))
        backend = found.get("backend") if found else None
        return backend if isinstance(backend, str) and backend in among else None

    def keep_decision(self, model: str, hardware: str, among: Sequence[str], backend: str) -> None:
        self._write(_decision_name(model, hardware, among), {"backend": backend})

    def _read(self, name: str) -> dict[str, Any] | None:
        try:
            with (self.folder / name).open("rb") as file:
                found = json.loads(file.read(_MOST_BYTES))
        except (OSError, ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) and found.get("version") == VERSION else None

    def _write(self, name: str, content: dict[str, Any]) -> None:
        """Write a file as a whole: whoever reads it finds the old one or the new one. A full disk is no error."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, path = tempfile.mkstemp(dir=self.folder)
        except OSError:
            return
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"version": VERSION, **content}, file)
            Path(path).replace(self.folder / name)
        except OSError:
            Path(path).unlink(missing_ok=True)


def rates_json(rates: BackendRates) -> dict[str, Any]:
    """Return rates as JSON."""
    kinds = {str(kind): [rate.per_operation, rate.per_byte] for kind, rate in rates.kinds.items()}
    beside = {name: getattr(rates, name) for name in _BESIDE}
    return {"kinds": kinds, **beside}


def rates_from_json(found: Mapping[str, Any]) -> BackendRates:
    """Return rates from JSON. Raises KeyError, TypeError or ValueError unless all are there and are finite."""
    kinds = {kind: Rate(*(_seconds(each) for each in found["kinds"][str(kind)])) for kind in Work}
    return BackendRates(kinds, *(_seconds(found[name]) for name in _BESIDE))


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise ValueError(f"expected a number of seconds, found {value}")
    return float(value)


def model_digest(typed: TypedGraph) -> str:
    """Return the digest of what decides how long a graph runs: its nodes and types, and not the values of constants."""
    digest = hashlib.sha256()
    for name in (*typed.graph.inputs, *typed.graph.constants):
        digest.update(f"{name} {typed.types[name]}\n".encode())
    for line in typed.lines():
        digest.update(f"{line}\n".encode())
    digest.update(" ".join(typed.graph.outputs).encode())
    return digest.hexdigest()


def _decision_name(model: str, hardware: str, among: Sequence[str]) -> str:
    key = hashlib.sha256("\n".join((model, hardware, *sorted(among))).encode()).hexdigest()
    return f"decision-{key}.json"
