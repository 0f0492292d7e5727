"""Processes that load pipelines, and tell after each how much memory they have and how long that took."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil

from benchmarks.support.walle import ROOT
from benchmarks.support.whitebox.archives import Archives, Family
from benchmarks.support.whitebox.families import as_records, raw_records
from benchmarks.support.whitebox.http_load import in_process
from benchmarks.support.whitebox.timing import Memory


@dataclass(frozen=True)
class Loaded:
    """The state after a pipeline was loaded; number -1 is that before the first."""

    number: int
    seconds: float
    private: float
    proportional: float


def load_in_process(system: str, family: Family, count: int, least_free_mb: float, folder: Path) -> list[Loaded]:
    """Load so many pipelines in a process of its own; fewer if the machine's free memory would go below the least.

    The system is sklearn, walle, or copied: Walle without its parameter store, each plan with copies of parameters.
    """
    found: list[Loaded] = in_process(lambda: _load(system, family, count, least_free_mb, folder))
    return found


def _load(system: str, family: Family, count: int, least_free_mb: float, folder: Path) -> list[Loaded]:
    raw = raw_records(family, 3)
    loads = {"sklearn": _sklearn, "walle": _walle, "copied": _copied}[system](family, raw, folder, count)
    # As a serving process does before its first plan: what is there already is not looked through again.
    gc.collect()
    gc.freeze()
    loaded = [_loaded(-1, 0.0)]
    for number in range(count):
        if psutil.virtual_memory().available / 1e6 < least_free_mb:
            break
        begun = time.perf_counter()
        ask = loads(number)
        seconds = time.perf_counter() - begun
        ask()
        loaded.append(_loaded(number, seconds))
    return loaded


def _loaded(number: int, seconds: float) -> Loaded:
    memory = Memory.now()
    return Loaded(number, seconds, memory.private, memory.proportional)


def process_mb(modules: Sequence[str], call: str = "") -> float:
    """Return the memory of a process that has loaded some modules and no pipeline."""
    code = f"import {', '.join(modules)}\n{call}\nfrom benchmarks.support.whitebox.timing import Memory\n"
    command = [sys.executable, "-c", code + "print(Memory.now().proportional)"]
    return float(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


Loads = Callable[[int], Callable[[], Any]]


def _sklearn(family: Family, raw: list[Any], folder: Path, count: int) -> Loads:
    kept: list[Any] = []
    family.pipeline(0).predict_proba(raw)  # loads the modules

    def load(number: int) -> Callable[[], Any]:
        kept.append(family.pipeline(number))
        return lambda: kept[-1].predict_proba(raw)

    return load


def _walle(family: Family, raw: list[Any], folder: Path, count: int) -> Loads:
    from benchmarks.support.whitebox.plans import installed
    from walle.whitebox.kernels import load_kernels
    from walle.whitebox.runtime.service import Runtime

    runtime, folders, records = Runtime(folder), Archives(family).folders(count), as_records(raw)
    load_kernels()

    def load(number: int) -> Callable[[], Any]:
        plan = installed(runtime.store, folders[number])
        runtime.register(str(number), plan, engine="request-response")
        return lambda: [runtime.predict(str(number), record) for record in records]

    return load


def _copied(family: Family, raw: list[Any], folder: Path, count: int) -> Loads:
    import numpy as np

    from benchmarks.support.whitebox.plans import install, read_folder
    from walle.whitebox.kernels import load_kernels
    from walle.whitebox.runtime.parameter_store import ParameterStore
    from walle.whitebox.runtime.served_plan import ServedPlan

    archives, records, plans = Archives(family), as_records(raw), list[Any]()
    load_kernels()

    def load(number: int) -> Callable[[], Any]:
        archive, store = archives.folder(number), ParameterStore(folder, 8 << 30)
        install(store, [archive])
        plans.append(ServedPlan.of(read_folder(archive)).bind(lambda parameter: np.array(store.get(parameter))))
        vectors = plans[-1].vectors(1)
        return lambda: [plans[-1].predict(record, vectors) for record in records]

    return load


def increments(loaded: list[Loaded]) -> Iterator[tuple[int, float]]:
    """Yield what each pipeline added to the proportional memory of its process, in MB, by its number."""
    for before, after in pairwise(loaded):
        yield after.number, after.proportional - before.proportional
