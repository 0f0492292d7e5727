"""Walle's side: the archives of a family as plans of a runtime."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.support.walle import START_S
from walle.whitebox.archive import DOCUMENT, PARAMETERS, Archive, read_document
from walle.whitebox.runtime.compiled_plans import CompiledPlan, load_compiled
from walle.whitebox.runtime.errors import Overloaded
from walle.whitebox.runtime.parameter_store import ParameterStore
from walle.whitebox.runtime.served_plan import ServedPlan
from walle.whitebox.runtime.service import Runtime


def read_folder(folder: Path) -> Archive:
    """Return the archive in a folder; it was checked as a whole when it was written."""
    return read_document((folder / DOCUMENT).read_bytes())


def install(store: ParameterStore, folders: Sequence[Path]) -> None:
    """Give a parameter store the parameters of archives, as a serving host has them after installation."""
    for folder in folders:
        for path in (folder / PARAMETERS).iterdir():
            store.install(path.stem, path)


def installed(store: ParameterStore, folder: Path) -> ServedPlan:
    """Return the plan of an archive as a serving host has it: installed and compiled the first time, then kept."""

    def make() -> CompiledPlan:
        install(store, [folder])
        return CompiledPlan(ServedPlan.of(read_folder(folder)))

    return load_compiled(store.folder / f"{folder.name}.json", folder.name, make, store).plan


def register(runtime: Runtime, folders: Sequence[Path], prefix: str = "", **options: Any) -> list[str]:
    """Register the plans of archives under the prefix and their place; return their ids."""
    names = [f"{prefix}{place}" for place in range(len(folders))]
    for name, folder in zip(names, folders, strict=True):
        runtime.register(name, ServedPlan.of(read_folder(folder)), **options)
    return names


async def answers(runtime: Runtime, plan: str, records: Sequence[Any], within_s: float) -> bool:
    """Return whether a batch was answered in time; what was refused or shed was not."""
    try:
        await asyncio.wait_for(runtime.predict_batch(plan, records), within_s)
    except (TimeoutError, Overloaded):
        return False
    return True


async def wait_for_executors(runtime: Runtime, plans: Sequence[str], records: Sequence[Any]) -> None:
    """Return when each plan has answered a batch: executors start with their first one. Else the benchmark ends."""
    deadline = time.monotonic() + START_S
    for plan in plans:
        while not await answers(runtime, plan, records, within_s=5):
            if time.monotonic() > deadline:
                raise SystemExit(f"the executors did not answer a batch of plan {plan} within {START_S:g} s")
