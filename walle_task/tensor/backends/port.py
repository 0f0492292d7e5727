"""The port of backends: what the engine asks of each, whatever computes behind it (Walle, section 4.1).

A backend says which operators it has itself (`series`): a graph is lowered to these, and what it costs is their sum.
It compiles a graph for inputs of fixed shapes, and the compiled graph runs. Libraries that a backend needs are loaded
when it compiles, and a device without them does not have the backend.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from walle_task.tensor.faults import shown
from walle_task.tensor.graph import TypedGraph
from walle_task.tensor.search.costs import BackendRates, BackendTraits
from walle_task.tensor.session import InputsUnfit
from walle_task.tensor.types import TensorType


class BackendUnfit(ValueError):
    """A backend cannot run a graph; `reasons` say why, each with the node that it cannot run."""

    def __init__(self, backend: str, reasons: list[str]) -> None:
        self.backend, self.reasons = backend, reasons
        super().__init__(f"{backend}: {'; '.join(reasons)}")


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """How a graph is to run: on how many threads, and how fast the backends are on this device, by name, as far as that
    was measured; a backend that has several algorithms chooses by it."""

    threads: int = 1
    rates: Mapping[str, BackendRates] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """The bytes of a compiled graph's constants and of the values between its nodes; None where the engine behind a
    backend does not say. `naive` is what these values would need without sharing memory."""

    constants: int | None
    values: int | None
    naive: int | None = None


class CompiledGraph(Protocol):
    """A graph that runs on inputs of fixed shapes, in one thread at a time."""

    @property
    def memory(self) -> MemoryUse: ...

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the outputs for inputs by name, as arrays of their own. Raises InputsUnfit, RunFailed."""
        ...

    def close(self) -> None:
        """Give back what it holds; it does not run again."""
        ...


class Backend(Protocol):
    """An engine. `exact` is false for one that computes with fewer bits than the graph says."""

    @property
    def name(self) -> str: ...

    @property
    def exact(self) -> bool: ...

    @property
    def traits(self) -> BackendTraits: ...

    def version(self) -> str | None:
        """Return the version of the libraries behind it, or None where these are not installed."""
        ...

    def series(self, typed: TypedGraph) -> TypedGraph:
        """Return the graph of the operators that the backend executes, one after the other."""
        ...

    def reasons_against(self, series: TypedGraph) -> list[str]:
        """Return why it cannot run a series of its operators; nothing if it can."""
        ...

    def compile(self, typed: TypedGraph, options: CompileOptions) -> CompiledGraph:
        """Return the graph, ready to run. Raises BackendUnfit."""
        ...


def installed_version(distribution: str, module: str) -> str | None:
    """Return the version of an installed distribution; None where its module cannot be found.

    Apps that carry a library need not have its metadata, which the version is read from.
    """
    try:
        if importlib.util.find_spec(module) is None:
            return None
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "of an unknown version"
    except ImportError:
        return None


def optional_module(name: str) -> Any:
    """Return a module that not every device has. Raises ImportError."""
    return importlib.import_module(name)


def fitting_inputs(types: Mapping[str, TensorType], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of a run as contiguous arrays. Raises InputsUnfit unless they have the types."""
    if unknown := given.keys() - types.keys():
        raise InputsUnfit(f"inputs: expected {', '.join(types)}, found {shown(sorted(unknown))}")
    found = {}
    for name, expected in types.items():
        array = np.asarray(given[name]) if name in given else None
        if array is None or str(array.dtype) != expected.dtype or array.shape != expected.shape:
            words = "nothing" if array is None else f"{array.dtype}{list(array.shape)}"
            raise InputsUnfit(f"inputs.{name}: expected {expected}, found {words}")
        found[name] = np.ascontiguousarray(array).reshape(array.shape)
    return found


def constant_bytes(typed: TypedGraph) -> int:
    """Return the bytes of a graph's constants."""
    return sum(array.nbytes for array in typed.graph.constants.values())
